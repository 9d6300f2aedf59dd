#include "run/wet_strands.h"

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

} // namespace
} // namespace rivulet
