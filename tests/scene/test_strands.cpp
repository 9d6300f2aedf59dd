#include "scene/groom.h"
#include "scene/scene.h"
#include "scene_texts.h"

#include "geometry/shapes.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rivulet {
namespace {

TEST(StrandScene, IsBuiltAsWritten)
{
    const Model m = parse_scene(kStrandScene, "strands.toml").model;
    ASSERT_EQ(m.strands.n_strands(), 12);
    ASSERT_EQ(m.strand_groups.size(), 3u);
    EXPECT_EQ(m.strand_groups[0].name, "fur"); // by name, as all groups of a scene
    EXPECT_EQ(m.strand_groups[0].n_strands, 10);
    EXPECT_EQ(m.strand_groups[0].picture_radius, 2e-4);
    const RodMaterial& hair = m.strands.materials[0];
    EXPECT_DOUBLE_EQ(hair.density, 1300);
    EXPECT_DOUBLE_EQ(hair.youngs_modulus, 4e9);
    EXPECT_DOUBLE_EQ(hair.radius_a, 40e-6);
    EXPECT_DOUBLE_EQ(hair.radius_b, 20e-6);
    EXPECT_DOUBLE_EQ(m.strands.materials[1].youngs_modulus, 1e5); // the noodle's, from the library
    EXPECT_EQ(m.options.strand_integrator, StrandIntegrator::Midpoint);
    EXPECT_EQ(m.air.velocity, Vec3(1, 0, 0));
    // Ten pins of the fur, a clamp (two pins) of the reed, none of the noodle.
    ASSERT_EQ(m.strands.pins.size(), 12u);
    EXPECT_EQ(m.strands.pins[0].release, 0.5);
    EXPECT_TRUE(m.strands.pins[10].clamps_edge);
    ASSERT_EQ(m.strands.loads.size(), 1u);
    EXPECT_EQ(m.strands.loads[0].vertex, m.strands.n_vertices() - 1);
}

TEST(StrandScene, GroomsStayEmptyWhereNothingIsToGrow)
{
    const ParseOptions options{.grows_strands = false};
    const Scene scene = parse_scene(kStrandScene, "strands.toml", {"strands.fur.count=20"}, options);
    ASSERT_EQ(scene.model.strand_groups.size(), 3u);
    EXPECT_EQ(scene.model.strand_groups[0].n_strands, 0);
    EXPECT_EQ(scene.model.strands.n_strands(), 2);
    EXPECT_EQ(scene.fingerprint, parse_scene(kStrandScene, "strands.toml", {"strands.fur.count=20"}).fingerprint);
}

TEST(StrandScene, RootsAreOnTheSurfaceInTheRegionAndHeldByTheBody)
{
    const Model m = parse_scene(kStrandScene, "strands.toml").model;
    for (std::size_t s = 0; s < 10; ++s) {
        const StrandPin& pin = m.strands.pins[s];
        const auto v = static_cast<std::size_t>(m.strands.first[s]);
        const Vec3 world = m.obstacles[0].motion.pose(0).to_world(pin.position);
        EXPECT_LT((world - m.strands_at_start.position[v]).norm(), 1e-15);
        const double edge = m.strands.rest_length[v]; // half of the first edge is below the surface
        EXPECT_NEAR(pin.position.norm(), 0.1 - 0.5 * edge, 1e-12);
        EXPECT_GT(pin.position.z(), 0.02 - edge);
        EXPECT_GT(m.strands_at_start.velocity[v].norm(), 0.01); // the body moves from the start
    }
}

TEST(Groom, StrandsHaveTheirLengthAndCurl)
{
    const Groom groom{.n_vertices = 200, .length = 0.2, .curl_radius = 0.004, .curl_pitch = 0.02};
    const std::vector<Vec3> points = grow_strand(groom, {Vec3::Zero(), Vec3::UnitZ()}, 3);
    double length = -0.5 * groom_edge(groom);
    for (std::size_t k = 1; k < points.size(); ++k) length += (points[k] - points[k - 1]).norm();
    EXPECT_NEAR(length, 0.2, 1e-12);
    // Points half a turn apart are two radii apart, across.
    const auto half = static_cast<std::size_t>(std::lround(0.5 * *edges_in_a_turn(groom)));
    EXPECT_NEAR((points[150] - points[150 + half]).head<2>().norm(), 0.008, 1e-4);
    EXPECT_NEAR(*edges_in_a_turn(groom), 0.02 * std::sqrt(1 + std::pow(0.4 * M_PI, 2)) / (0.2 / 198.5), 1e-9);
    EXPECT_NE(grow_strand(groom, {Vec3::Zero(), Vec3::UnitZ()}, 4).back(), points.back()); // phases differ
}

TEST(Groom, RootsAreEvenlySpread)
{
    const auto sphere = make_sphere(Vec3::Zero(), 1);
    const RootSampler roots(*sphere, nullptr, 9);
    int above = 0, top = 0; // bands of a sphere of equal height have equal area
    constexpr int kRoots = 4000;
    for (int i = 0; i < kRoots; ++i) {
        const RootPlace root = roots.root(i);
        EXPECT_NEAR(root.position.norm(), 1, 1e-9);
        EXPECT_LT((root.normal - root.position).norm(), 1e-6);
        above += root.position.z() > 0;
        top += root.position.z() > 0.5;
    }
    EXPECT_NEAR(above, kRoots / 2, 4 * std::sqrt(kRoots * 0.25));
    EXPECT_NEAR(top, kRoots / 4, 4 * std::sqrt(kRoots * 0.1875));
}

TEST(StrandScene, WhatCannotGrowIsRefused)
{
    const auto with = [](const std::string& override_) { return problem_of(kStrandScene, {override_}); };
    EXPECT_NE(with("strands.fur.region.lower='-1 -1 0.5 m'").find("strands.fur.region: holds nothing"),
              std::string::npos);
    EXPECT_NE(with("obstacles.head.shape={type='plane'}").find("strands.fur.obstacle: has no end"), std::string::npos);
    EXPECT_NE(with("strands.fur.vertices=8").find("strands.fur.vertices: gives"), std::string::npos);
    EXPECT_NE(with("strands.fur.count=1000000").find("strands: 4e+07 vertices"), std::string::npos);
    EXPECT_NE(with("strands.reed.director=[1,0,0]").find("strands.reed.director: is along"), std::string::npos);
    EXPECT_NE(with("strands.reed.points=[{position='0 0 0 m'},{position='1 0 0 cm'},{position='0 0 0 m'}]")
                  .find("strands.reed.points[2]: folds"),
              std::string::npos);
    EXPECT_NE(with("strands.reed.points=[{position='0 0 0 m'},{position='0 0 0 cm'},{position='0 0 1 m'}]")
                  .find("strands.reed.points[1]: is where"),
              std::string::npos);
}

} // namespace
} // namespace rivulet
