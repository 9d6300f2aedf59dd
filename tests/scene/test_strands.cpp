#include "scene/groom.h"
#include "scene/scene.h"
#include "scene/strand_patterns.h"
#include "scene_texts.h"

#include "geometry/shapes.h"
#include "sim/diagnostics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rivulet {
namespace {

TEST(StrandScene, IsBuiltAsWritten)
{
    const Model m = parse_scene(kStrandScene, "strands.toml").model;
    ASSERT_EQ(m.strands.n_strands(), 19);
    ASSERT_EQ(m.strand_groups.size(), 4u);
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
    // Ten pins of the fur, a clamp (two pins) of the reed, none of the noodle; three on each of the tow.
    ASSERT_EQ(m.strands.pins.size(), 12u + 3u * 7u);
    EXPECT_EQ(m.strands.pins[0].release, 0.5);
    EXPECT_TRUE(m.strands.pins[10].clamps_edge);
    ASSERT_EQ(m.strands.loads.size(), 8u);
    EXPECT_EQ(m.strands.loads[0].vertex, m.strands.first[12] - 1);
    EXPECT_EQ(m.strands.loads[1].vertex, m.strands.first[12] + 12);
    EXPECT_EQ(m.strands.loads[1].stop, 0.2);
}

TEST(StrandScene, PinsHoldVerticesCountedFromEitherEndWhereTheyAre)
{
    const Model m = parse_scene(kStrandScene, "strands.toml").model;
    const std::int32_t begin = m.strands.first[12], end = m.strands.first[13];
    const StrandPin &moved = m.strands.pins[12], &clamp = m.strands.pins[13], &after = m.strands.pins[14];
    EXPECT_EQ(moved.vertex, begin + 3);
    EXPECT_EQ(moved.release, 1);
    const Vec3 world = m.obstacles[0].motion.pose(0).to_world(moved.position);
    EXPECT_LT((world - m.strands_at_start.position[static_cast<std::size_t>(begin + 3)]).norm(), 1e-15);
    EXPECT_EQ(clamp.vertex, end - 2);
    EXPECT_EQ(clamp.body, -1);
    EXPECT_TRUE(clamp.clamps_edge);
    EXPECT_EQ(after.vertex, end - 1);
    EXPECT_FALSE(after.clamps_edge);
    EXPECT_EQ(m.probes[2].kind, ProbeKind::StrandPosition); // by name: pull, strain, tip
    EXPECT_EQ(m.probes[2].strand, 9);
    EXPECT_EQ(probe_columns(m.probes[2]).size(), 3u);
    EXPECT_EQ(probe_unit(m.probes[0]), "N");
}

TEST(StrandScene, VerticesThatAreNotThereOrHeldTwiceAreRefused)
{
    const auto expect = [](const std::string& override_, const std::string& message) {
        EXPECT_NE(problem_of(kStrandScene, {override_}).find(message), std::string::npos)
            << problem_of(kStrandScene, {override_});
    };
    expect("strands.tow.pins=[{vertex=31}]", "strands.tow.pins[0].vertex: 31 is beyond the strand; allowed: -31 to 30");
    expect("strands.tow.pins=[{vertex=-1,held='clamp'}]", "strands.tow.pins[0].vertex: -1 is beyond the strand's last");
    expect("strands.tow.pins=[{vertex=5,held='clamp'},{vertex=6}]", "strands.tow.pins[1].vertex: is held already");
    expect("strands.reed.pins=[{vertex=1}]", "strands.reed.pins[0].vertex: is held already");
    expect("strands.tow.loads=[{vertex=-32,force=[0,0,0]}]", "strands.tow.loads[0].vertex: -32 is beyond");
    expect("strands.tow.loads=[{force=[0,0,0],start=1,stop=1}]", "strands.tow.loads[0].stop: 1 s is not after start");
    expect("probes.tip.strand=10", "probes.tip.strand: 10 is beyond the group; allowed: 0 to 9");
    expect("probes.tip.vertex=40", "probes.tip.vertex: 40 is beyond the strand; allowed: -40 to 39");
    expect("probes.pull.vertex=30", "probes.pull.vertex: 30 is beyond the strand's last edge; allowed: -31 to 29");
    expect("strands.tow.end='0 0 0 m'", "strands.tow.end: is where the start is");
    expect("strands.tow.vertices=12", "strands.tow.vertices: gives 3.7 edges in a turn");
}

TEST(Bundle, StrandsArePackedAndWoundAroundTheirLines)
{
    const Bundle bundle{.count = 19, .n_vertices = 61, .start = Vec3(1, 2, 3), .end = Vec3(1, 2, 5), .spacing = 0.01};
    const Curves straight = bundle_curves(bundle);
    ASSERT_EQ(straight.size(), 19u); // a hexagon of two rings: 12 of 19 at distances 2 and sqrt(3), 6 at 1
    double sum = 0, nearest = 1;
    for (std::size_t i = 0; i < straight.size(); ++i) {
        sum += (straight[i][0] - bundle.start).squaredNorm();
        EXPECT_LT((straight[i][60] - straight[i][0] - Vec3(0, 0, 2)).norm(), 1e-14);
        for (std::size_t j = 0; j < i; ++j) nearest = std::min(nearest, (straight[i][0] - straight[j][0]).norm());
    }
    EXPECT_NEAR(sum, 1e-4 * (6 * 1 + 6 * 3 + 6 * 4), 1e-15);
    EXPECT_NEAR(nearest, 0.01, 1e-14);
    Bundle helix = bundle;
    helix.count = 1;
    helix.curl_radius = 0.1;
    helix.curl_pitch = 0.5; // 15 edges a turn
    const Curves wound = bundle_curves(helix);
    for (std::size_t k = 0; k < 61; ++k) {
        const Vec3 across = wound[0][k] - bundle.start - Vec3(0, 0, 2 * static_cast<double>(k) / 60);
        EXPECT_NEAR(across.z(), 0, 1e-14);
        EXPECT_NEAR(across.norm(), 0.1, 1e-14);
    }
    EXPECT_LT((wound[0][15] - wound[0][0] - Vec3(0, 0, 0.5)).norm(), 1e-14);
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
    EXPECT_NE(with("strands.fur.count=1000000").find("strands.fur: makes it 4e+07 vertices"), std::string::npos);
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
