#include "run/wet_strands.h"

#include "base/error.h"
#include "geometry/mesh_topology.h"
#include "run/picture.h"
#include "scene/scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

const char* kHairs = R"(
[simulation]
cell_size = "1 cm"
[domain]
lower = "0 0 0 m"
upper = "0.1 0.1 0.1 m"
[liquids.water]
material = "water"
[wetting]
liquid = "water"
[strands.hair]
kind = "bundle"
count = 1
start = "5 5 9 cm"
end = "5 5 1 cm"
vertices = 9
radius = "0.1 mm"
)";

Frame frame_of(const Model& model)
{
    Frame frame;
    frame.strand_position = model.strands_at_start.position;
    frame.strand_first = model.strands.first;
    frame.strand_group = {0};
    frame.strand_radius = {1e-4};
    frame.strand_group_names = {"hair"};
    frame.film_thickness.assign(9, 0.0);
    frame.pool = {0.0};
    return frame;
}

TEST(WetStrands, WetnessSaturatesWithTheFilm)
{
    EXPECT_EQ(strand_wetness(0, 1e-4), 0);
    EXPECT_NEAR(strand_wetness(1e-5, 1e-4), 0.632121, 1e-6); // 1 - 1/e
    EXPECT_NEAR(strand_wetness(1e-3, 1e-4), 1, 1e-12);
}

TEST(WetStrands, ACoatWidensTheStrandAndABeadDoesNot)
{
    const Scene scene = parse_scene(kHairs, "hairs.toml");
    Frame frame = frame_of(scene.model);
    frame.film_thickness[2] = 0.5e-4;
    frame.film_thickness[5] = 9e-4;
    const WetStrands wet = wet_strands(scene, frame, StrandRadii::Real);
    EXPECT_NEAR(wet.radius(1), 1e-4, 1e-18);
    EXPECT_NEAR(wet.radius(2), 1.5e-4, 1e-18); // r + h
    EXPECT_NEAR(wet.radius(5), 1e-4, 1e-18);
    EXPECT_NEAR(wet.outer[5], 1e-3, 1e-17);
    EXPECT_GT(wet.wetness[5], 0.99);
    const TriangleMesh bead = film_surface(scene, frame, wet);
    EXPECT_TRUE(examine_topology(bead).is_closed_manifold());
    EXPECT_EQ(bead.colours.size(), bead.vertices.size());
    for (const Vec3& x : bead.vertices) EXPECT_NEAR(x.z(), 0.04, 0.01 + 1e-12); // from vertex 4 to 6
}

TEST(WetStrands, PicturesOfThickerStrandsShowAsMuchLiquid)
{
    const Scene scene = parse_scene(kHairs, "hairs.toml", {"strands.hair.picture_radius=0.3 mm"});
    Frame frame = frame_of(scene.model);
    frame.film_thickness.assign(9, 9e-4);
    const WetStrands wet = wet_strands(scene, frame, StrandRadii::Drawn);
    EXPECT_NEAR(wet.inner[3], 3e-4, 1e-18);
    EXPECT_NEAR(wet.outer[3], std::sqrt(1e-6 - 1e-8 + 9e-8), 1e-15); // pi (H^2 - r^2) is that of H = 1 mm, r = 0.1 mm
    const RenderScene picture = picture_scene(scene, frame);
    ASSERT_EQ(picture.meshes.size(), 1u);
    EXPECT_TRUE(picture.meshes[0].material.overlaps);
    EXPECT_EQ(picture.curves.at(0).radii.at(3), 3e-4);
    EXPECT_GT(picture.curves[0].wetness.at(3), 0.99);
}

TEST(WetStrands, FilmsUnderTheSurfaceOfTheBulkAreAPartOfIt)
{
    const Scene scene = parse_scene(kHairs, "hairs.toml");
    Frame frame = frame_of(scene.model);
    frame.film_thickness.assign(9, 9e-4);
    frame.pool = {4 * std::numbers::pi / 3 * 8e-9}; // a ball of 2 mm
    for (int i = 0; i < 8000; ++i) {                // the lower half of the box
        frame.position.emplace_back(5e-3 * (0.5 + i % 20), 5e-3 * (0.5 + i / 20 % 20), 2.5e-3 * (0.5 + i / 400));
        frame.volume.push_back(6.25e-8);
    }
    const WetStrands wet = wet_strands(scene, frame, StrandRadii::Real);
    for (std::size_t v = 0; v < 9; ++v) EXPECT_EQ(wet.in_drop[v], v < 4 ? 1 : v > 4 ? 0 : wet.in_drop[v]) << v;
    EXPECT_EQ(wet.pools[0], 0);
    for (const Vec3& x : film_surface(scene, frame, wet).vertices) EXPECT_GT(x.z(), 0.039);
}

TEST(WetStrands, WithoutWettingAllIsDry)
{
    std::string text = kHairs;
    text.erase(text.find("[wetting]"), std::string("[wetting]\nliquid = \"water\"\n").size());
    const Scene scene = parse_scene(text, "hairs.toml");
    const Frame frame = frame_of(scene.model);
    const WetStrands wet = wet_strands(scene, frame, StrandRadii::Drawn);
    EXPECT_EQ(wet.wetness, std::vector<double>(9, 0.0));
    EXPECT_EQ(wet.outer, wet.inner);
    EXPECT_TRUE(film_surface(scene, frame, wet).vertices.empty());
}

/// Two hairs side by side along z, 0.25 mm apart, with films of 20 um, linked along all of their eight edges.
Frame linked_pair()
{
    Frame frame;
    for (const double x : {0.05, 0.05025})
        for (int v = 0; v < 9; ++v) frame.strand_position.emplace_back(x, 0.05, 0.09 - 0.01 * v);
    frame.strand_first = {0, 9, 18};
    frame.strand_group = {0, 0};
    frame.strand_radius = {1e-4, 1e-4};
    frame.strand_group_names = {"hair"};
    frame.film_thickness.assign(18, 4e-5);
    frame.pool = {0.0, 0.0};
    for (int v = 0; v < 8; ++v) {
        frame.bridge_a.push_back(v);
        frame.bridge_b.push_back(9 + v);
    }
    return frame;
}

TEST(WetStrands, LiquidThatJoinsStrandsIsABodyBetweenThem)
{
    const Scene scene = parse_scene(kHairs, "hairs.toml", {"strands.hair.count=2", "wetting.contact_angle=0.6"});
    const Frame frame = linked_pair();
    const WetStrands wet = wet_strands(scene, frame, StrandRadii::Real);
    ASSERT_EQ(wet.bridges.size(), 1u);
    for (std::size_t v = 0; v < 18; ++v) EXPECT_NEAR(wet.outer[v], 1e-4, 1e-12) << v; // no film is left
    EXPECT_GT(wet.wetness[4], 0.9);
    const TriangleMesh mesh = film_surface(scene, frame, wet);
    EXPECT_TRUE(examine_topology(mesh).is_closed_manifold());
    EXPECT_EQ(mesh.colours.size(), mesh.vertices.size());
    // The films' volume, and what the menisci's chords cut off the strands.
    const double area = 2 * std::numbers::pi * 4e-5 * 2.4e-4;
    const auto shape = bridge_of_area({{1e-4, 0.6}, {1e-4, 0.6}}, 0.5e-4, area);
    ASSERT_TRUE(shape);
    const double chords = 2e-8 * (shape->angle_a - std::sin(shape->angle_a) * std::cos(shape->angle_a));
    EXPECT_NEAR(enclosed_volume(mesh), 0.08 * (area + chords), 0.02 * 0.08 * (area + chords));
}

TEST(WetStrands, ABridgeEndsWhereStrandsPart)
{
    const Scene scene = parse_scene(kHairs, "hairs.toml", {"strands.hair.count=2", "wetting.contact_angle=0.6"});
    Frame frame = linked_pair();
    for (std::size_t v = 0; v < 4; ++v) frame.strand_position[9 + v].x() += 1e-3; // the upper halves
    frame.bridge_a.erase(frame.bridge_a.begin(), frame.bridge_a.begin() + 3);
    frame.bridge_b.erase(frame.bridge_b.begin(), frame.bridge_b.begin() + 3);
    const WetStrands wet = wet_strands(scene, frame, StrandRadii::Real);
    ASSERT_EQ(wet.bridges.size(), 1u);
    for (const BridgeSection& section : wet.bridges[0]) EXPECT_LT(section.centre.z(), 0.06);
    for (std::size_t v = 0; v < 3; ++v) EXPECT_NEAR(wet.outer[v], 1.4e-4, 1e-9) << v; // the film as it is
    for (std::size_t v = 6; v < 9; ++v) EXPECT_NEAR(wet.outer[v], 1e-4, 1e-9) << v;
}

TEST(WetStrands, RefusesBridgesToWhatIsNotThere)
{
    const Scene scene = parse_scene(kHairs, "hairs.toml", {"strands.hair.count=2"});
    for (const std::int32_t other : {8, 17, 40, -1}) { // ends of strands, no vertex, no obstacle
        Frame frame = linked_pair();
        frame.bridge_b[0] = other;
        EXPECT_THROW((void)wet_strands(scene, frame, StrandRadii::Real), IoError) << other;
    }
}

TEST(WetStrands, LiquidThatJoinsAStrandToAnObstacleReachesIt)
{
    const Scene scene = parse_scene(std::string(kHairs) + R"([obstacles.wall]
shape = { type = "box", lower = "-1 -1 -1 cm", upper = "1 1 9 cm" }
motion.keyframes = [{ time = "0 s", position = "3.985 5 0 cm" }]
)",
                                    "hairs.toml", {"wetting.contact_angle=0.6"});
    Frame frame = frame_of(scene.model);
    frame.film_thickness.assign(9, 4e-5);
    frame.body_names = {"wall"};
    frame.body_poses = {{Vec3(0.03985, 0.05, 0), Quat::Identity()}}; // its face 0.15 mm from the axis of the hair
    for (const std::int32_t v : {2, 3, 4})
        for (const std::int32_t half : {0, 1}) {
            frame.bridge_a.push_back(v);
            frame.bridge_b.push_back(-1 - half);
        }
    const WetStrands wet = wet_strands(scene, frame, StrandRadii::Real);
    ASSERT_EQ(wet.bridges.size(), 1u);
    EXPECT_NEAR(wet.outer[3], 1e-4, 1e-9);
    EXPECT_NEAR(wet.outer[7], 1.4e-4, 1e-9);
    const TriangleMesh mesh = film_surface(scene, frame, wet);
    EXPECT_TRUE(examine_topology(mesh).is_closed_manifold());
    double low = 1, high = 0, nearest = 1;
    for (const Vec3& x : mesh.vertices) {
        low = std::min(low, x.z());
        high = std::max(high, x.z());
        nearest = std::min(nearest, x.x());
    }
    EXPECT_NEAR(low, 0.04, 1e-9); // from vertex 2 to 5
    EXPECT_NEAR(high, 0.07, 1e-9);
    EXPECT_LT(nearest, 0.04985);
    EXPECT_GT(nearest, 0.0498);
}

} // namespace
} // namespace rivulet
