#include "run/picture_strands.h"

#include "base/error.h"
#include "render/colour_map.h"
#include "run/frame.h"
#include "run/picture.h"
#include "sim/advance.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>

namespace rivulet {
namespace {

/// Two hairs held by a ball, straight down.
const char* kTwoHairs = R"(
[simulation]
cell_size = "1 cm"
[domain]
lower = "0 0 0 m"
upper = "0.2 0.2 0.2 m"
[obstacles.ball]
shape = { type = "sphere", radius = "1 cm" }
motion.keyframes = [{ time = "0 s", position = "10 10 15 cm" }]
motion.spin = { axis = [0, 0, 1], rate = "90 deg/s" }
[strands.hair]
kind = "bundle"
count = 2
row = [1, 0, 0]
spacing = "5 cm"
start = "10 10 15 cm"
end = "10 10 7 cm"
vertices = 9
obstacle = "ball"
colour = "0.5 0.25 0.125"
)";

/// As it is after a frame was written and read.
Frame frame_of(const Scene& scene, const State& state)
{
    const TemporaryFolder folder;
    write_frame(folder.path() / "000000.h5", scene.model, state);
    return read_frame(folder.path() / "000000.h5");
}

Scene two_hairs(const std::vector<std::string>& overrides = {})
{
    return parse_scene(kTwoHairs, "hairs.toml", overrides);
}

CurveDrawable curves_of(const Scene& scene, const Frame& frame)
{
    return picture_curves(scene, frame, wet_strands(scene, frame, StrandRadii::Drawn), strand_colours(scene, frame), 0);
}

TEST(StrandColours, AStrandAtRestAndAMovingOneAreTheEndsOfTheMap)
{
    const Scene scene = two_hairs({"render.colour_by=speed"});
    State state = initial_state(scene.model);
    for (std::size_t v = 0; v < 18; ++v) state.strands.velocity[v] = v < 9 ? Vec3(0, 0, 0) : Vec3(0, -3, 4);
    const StrandColours colours = strand_colours(scene, frame_of(scene, state));
    for (std::size_t v = 0; v < 18; ++v) EXPECT_EQ(colours.colour[v], map_colour(v < 9 ? 0 : 1)) << v;
    EXPECT_EQ(colours.legend, "speed 0 to 5 m/s");
}

TEST(StrandColours, GivenEndsOfTheMapReplaceThoseOfTheFrame)
{
    const Scene scene = two_hairs({"render.colour_by=speed", "render.colour_from=100 cm/s", "render.colour_to=9 m/s"});
    State state = initial_state(scene.model);
    for (std::size_t v = 0; v < 18; ++v) state.strands.velocity[v] = v < 9 ? Vec3(0, 0, 0) : Vec3(0, -3, 4);
    const StrandColours colours = strand_colours(scene, frame_of(scene, state));
    EXPECT_EQ(colours.colour[0], map_colour(0));
    EXPECT_LE((colours.colour[9] - map_colour(0.5)).norm(), 1e-12);
    EXPECT_EQ(colours.legend, "speed 1 to 9 m/s");
}

TEST(StrandColours, AStretchedEdgeShowsItsStrainAndTension)
{
    Scene scene =
        two_hairs({"render.colour_by=strain", "strands.hair.radius=0.1 mm", "strands.hair.youngs_modulus=1 GPa"});
    State state = initial_state(scene.model);
    for (std::size_t v = 9; v < 18; ++v) // one per cent along z
        state.strands.position[v].z() = 0.15 + 1.01 * (state.strands.position[v].z() - 0.15);
    const Frame frame = frame_of(scene, state);
    EXPECT_NEAR(frame.strand_strain[10], 0.01, 1e-9);
    EXPECT_EQ(frame.strand_strain[17], 0); // begins no edge
    const StrandColours colours = strand_colours(scene, frame);
    EXPECT_LE((colours.colour[0] - map_colour(0)).norm(), 1e-6);
    EXPECT_LE((colours.colour[17] - map_colour(1)).norm(), 1e-6);
    scene.render.colour_by = StrandColour::Tension;
    EXPECT_EQ(strand_colours(scene, frame).legend.substr(0, 8), "tension ");
    EXPECT_NE(strand_colours(scene, frame).legend.find("to 0.3142 N"), std::string::npos); // pi r^2 E 0.01
}

TEST(StrandColours, ContactsLoadTheEdgesThatTouch)
{
    const Scene scene = two_hairs({"render.colour_by=contact"});
    State state = initial_state(scene.model);
    state.strand_contacts.a = {2, 4, 5};
    state.strand_contacts.b = {11, -1, -3}; // the other hair; the ball, at the beginning and at the end of an edge
    state.strand_contacts.force = {Vec3(0, 0, 2), Vec3(0, 8, 0), Vec3(16, 0, 0)};
    const Frame frame = frame_of(scene, state);
    std::vector<double> expected(18, 0);
    expected[2] = expected[3] = expected[11] = expected[12] = 1;
    expected[4] = 8;
    expected[6] = 16;
    EXPECT_EQ(frame.strand_contact, expected);
    EXPECT_EQ(strand_colours(scene, frame).legend, "contact 0 to 16 N");
}

TEST(StrandColours, OfTheMaterialVaryAndOfTheStrandAreItsOwn)
{
    const Scene scene = two_hairs();
    const Frame frame = frame_of(scene, initial_state(scene.model));
    const CurveDrawable curves = curves_of(scene, frame);
    EXPECT_NE(curves.colours[0], curves.colours[9]);
    EXPECT_NEAR(curves.colours[0].x() / curves.colours[0].z(), 4, 1e-12);
    const Scene by_strand = two_hairs({"render.colour_by=strand"});
    const CurveDrawable own = curves_of(by_strand, frame);
    EXPECT_EQ(own.colours[0], own.colours[8]);
    EXPECT_GT((own.colours[0] - own.colours[9]).norm(), 0.05);
}

TEST(PictureStrands, LieInADiscThatNarrowsToTheTip)
{
    const Scene scene = two_hairs(
        {"strands.hair.picture_strands=200", "strands.hair.picture_spread=2 mm", "strands.hair.picture_clump=0.75"});
    const Frame frame = frame_of(scene, initial_state(scene.model));
    const CurveDrawable curves = curves_of(scene, frame);
    ASSERT_EQ(curves.starts.size(), 400u);
    ASSERT_EQ(curves.vertices.size(), 3600u);
    double farthest = 0, mean = 0, shortest = 1;
    for (std::size_t k = 1; k < 200; ++k) {
        const Vec3 at_root = curves.vertices[9 * k] - frame.strand_position[0];
        EXPECT_NEAR(at_root.z(), 0, 1e-9); // across the hair
        farthest = std::max(farthest, at_root.norm());
        mean += at_root.norm() / 199;
        for (std::size_t v = 0; v < 9; ++v) {
            const Vec3 away = curves.vertices[9 * k + v] - frame.strand_position[0];
            const double part = -away.z() / 0.08; // the hair is 8 cm long
            EXPECT_LE(away.head<2>().norm(), 2e-3 * (1 - 0.75 * part) + 1e-7);
            if (v == 8) shortest = std::min(shortest, part);
        }
    }
    for (std::size_t v = 0; v < 9; ++v) EXPECT_EQ(curves.vertices[v], frame.strand_position[v]); // itself
    EXPECT_LE(farthest, 2e-3);
    EXPECT_GT(farthest, 1.9e-3);
    EXPECT_NEAR(mean, 2e-3 * 2 / 3, 1.4e-4); // of an even disc; four standard deviations are 1.3e-4
    EXPECT_GE(shortest, 0.75 - 1e-6);
    EXPECT_LT(shortest, 0.77);
    EXPECT_EQ(curves_of(scene, frame).vertices, curves.vertices);
}

TEST(PictureStrands, TurnWithTheBodyThatHoldsThem)
{
    const Scene scene = two_hairs({"strands.hair.picture_strands=2"});
    Frame frame = frame_of(scene, initial_state(scene.model));
    const Vec3 before = curves_of(scene, frame).vertices[9] - frame.strand_position[0];
    frame.time = 1; // a quarter turn about the hair
    const Vec3 after = curves_of(scene, frame).vertices[9] - frame.strand_position[0];
    EXPECT_LE((after - Vec3(-before.y(), before.x(), before.z())).norm(), 1e-9);
}

} // namespace
} // namespace rivulet
