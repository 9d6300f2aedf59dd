#include "sim/placement.h"

#include "geometry/shapes.h"
#include "sim/seed.h"
#include "sim/sources.h"
#include "strands/held_inside.h"

#include <gtest/gtest.h>

#include <numbers>

namespace rivulet {
namespace {

using Lines = std::vector<std::string>;

/// A tank of one metre with a post in its middle, 20 cm thick.
Model tank_with_post()
{
    Model m;
    m.options.cell_size = 0.05;
    m.domain.box = {Vec3::Zero(), Vec3::Ones()};
    m.liquids.push_back({"water", 1000, 1e-3, 0, 0, {0.1, 0.3, 0.6}});
    Obstacle post;
    post.name = "post";
    post.shape = make_box(Vec3(-0.1, -0.1, -0.5), Vec3(0.1, 0.1, 0.5));
    post.motion.keyframes.push_back({0, Vec3(0.5, 0.5, 0.5), Vec3::Zero(), Easing::Linear});
    m.obstacles.push_back(post);
    return m;
}

LiquidBody ball(const Vec3& centre, double radius)
{
    LiquidBody body;
    body.name = "ball";
    body.shape = make_sphere(Vec3::Zero(), radius);
    body.pose.position = centre;
    return body;
}

void add_rod(Model& m, const Vec3& begin, std::int32_t holder)
{
    const std::vector<Vec3> points{begin, begin + Vec3(0.01, 0, 0), begin + Vec3(0.02, 0, 0)};
    if (m.strands.materials.empty()) m.strands.materials.emplace_back();
    const std::int32_t strand = add_strand(m.strands, m.strands_at_start, points, 0, Vec3::UnitZ());
    if (holder >= 0)
        m.strands.pins.push_back({.vertex = m.strands.first[static_cast<std::size_t>(strand)], .body = holder});
    m.strand_groups.push_back({.name = "rod", .first_strand = strand, .n_strands = 1});
}

TEST(Placement, LiquidThatHasAPlaceIsNotWarnedOf)
{
    Model m = tank_with_post();
    m.bodies.push_back(ball({0.5, 0.5, 0.5}, 0.15)); // reaches out of the post
    m.bodies.push_back(ball({0, 0, 0}, 0.1));        // an eighth of it is in the tank
    EXPECT_EQ(placement_warnings(m), Lines());
}

TEST(Placement, FilmsThickerThanACellAreWarnedOfWhereTheyDrip)
{
    Model m = tank_with_post();
    add_rod(m, {0.1, 0.1, 0.5}, -1);
    m.wetting = Wetting{};
    m.film_at_start = {0, 0.05, 0.05};
    EXPECT_EQ(placement_warnings(m), Lines());
    m.film_at_start[1] = 0.06;
    EXPECT_EQ(placement_warnings(m), Lines{"strands.rod: its film of 60 mm is thicker than a cell (50 mm): it drips as "
                                           "fast as the cells around it have room"});
    m.wetting->drips = false;
    EXPECT_EQ(placement_warnings(m), Lines());
}

TEST(Placement, SourcesThatFlowGiveLiquidHoweverThin)
{
    Model m = tank_with_post();
    Source tap;
    tap.name = "tap";
    tap.velocity = {0, 0, 1};
    for (const double cells : {0.01, 0.001}) {
        tap.shape = make_box({0.1, 0.1, 0.2}, {0.2, 0.2, 0.2 + 0.05 * cells});
        m.sources = {tap};
        EXPECT_EQ(placement_warnings(m), Lines());
    }
    tap.shape = make_box({0.49, 0.49, 0.2}, {0.51, 0.51, 0.201}); // in the post
    m.sources = {tap};
    EXPECT_EQ(placement_warnings(m).size(), 2U); // and narrow
}

TEST(Placement, SourcesThatCannotGiveAnythingAreWarnedOf)
{
    Model m = tank_with_post();
    Source tap;
    tap.name = "tap";
    tap.shape = make_sphere(Vec3::Zero(), 0.06);
    tap.motion.keyframes.push_back({0, Vec3(0.5, 0.5, 0.5), Vec3::Zero(), Easing::Linear});
    m.sources.push_back(tap);
    EXPECT_EQ(placement_warnings(m), Lines{"sources.tap gives no liquid: it lies wholly inside of obstacles"});
    m.sources[0].motion.keyframes[0].position = {1.5, 0.5, 0.5};
    EXPECT_EQ(placement_warnings(m), Lines{"sources.tap gives no liquid: nothing of it lies in the domain, or it is "
                                           "thinner than 0.00156 m"});
    m.sources[0].motion.keyframes.push_back({1, Vec3(0.8, 0.5, 0.5), Vec3::Zero(), Easing::Linear}); // comes in later
    EXPECT_EQ(placement_warnings(m), Lines());
    m.sources[0].motion.keyframes = {tap.motion.keyframes[0]};
    m.obstacles[0].motion.keyframes.push_back({1, Vec3(0.5, 0.5, 5), Vec3::Zero(), Easing::Linear}); // lets it go
    EXPECT_EQ(placement_warnings(m), Lines());
}

TEST(Placement, OpeningsThatAreNarrowAcrossTheFlowAreWarnedOf)
{
    Model m = tank_with_post();
    const double cell = m.options.cell_size;
    Drain slit;
    slit.name = "slit";
    slit.shape = make_box({0.1, 0.1, 0}, {0.9, 0.1 + 0.6 * cell, 0.01 * cell}); // thin is no matter
    m.drains.push_back(slit);
    EXPECT_EQ(placement_warnings(m), Lines());
    m.drains[0].shape = make_box({0.1, 0.1, 0}, {0.9, 0.1 + 0.4 * cell, 0.01 * cell});
    ASSERT_EQ(placement_warnings(m).size(), 1U);
    EXPECT_NE(placement_warnings(m)[0].find("drains.slit is"), std::string::npos);
    Source needle;
    needle.name = "needle";
    needle.shape = make_box({0.1, 0.1, 0.5}, {0.1 + 0.3 * cell, 0.1 + 0.3 * cell, 0.7});
    needle.velocity = {0, 0, -1};
    m.drains.clear();
    m.sources.push_back(needle);
    ASSERT_EQ(placement_warnings(m).size(), 1U);
    EXPECT_NE(placement_warnings(m)[0].find("sources.needle is"), std::string::npos);
}

TEST(Placement, LiquidInsideOfAnObstacleIsWarnedOf)
{
    Model m = tank_with_post();
    m.bodies.push_back(ball({0.5, 0.5, 0.5}, 0.09));
    EXPECT_EQ(placement_warnings(m), Lines{"bodies.ball holds no liquid: it lies wholly inside of obstacles"});
}

TEST(Placement, LiquidOutsideOfTheDomainIsWarnedOf)
{
    Model m = tank_with_post();
    m.bodies.push_back(ball({1.2, 0.5, 0.5}, 0.1));
    m.bodies.push_back(ball({1.08, 1.08, 0.5}, 0.1)); // its box overlaps the tank, it does not
    const std::string line =
        "bodies.ball holds no liquid: nothing of it lies in the domain, or it is thinner than 0.00156 m";
    EXPECT_EQ(placement_warnings(m), (Lines{line, line}));
}

TEST(Placement, FilmsThinnerThanTheLatticeHoldTheirVolumeAndAreNotWarnedOf)
{
    Model m = tank_with_post();
    m.obstacles.clear();
    for (const double thickness : {0.02, 0.005, 0.0025}) { // of cubes of 0.025
        LiquidBody film;
        film.name = "film";
        film.shape = make_box(Vec3::Zero(), Vec3(1, 1, thickness));
        film.pose.position = {0, 0, 0.011}; // body_volume() has its lattice begin at the film
        m.bodies = {film};
        EXPECT_EQ(placement_warnings(m), Lines()) << thickness;
        const double bound = thickness < 0.005 ? 0.15 : 1e-3; // a tenth of a cube; measured 0.11
        EXPECT_NEAR(body_volume(m, film) / thickness, 1, bound) << thickness;
        State state;
        state.ledger.initial.resize(1);
        seed_body(m, film, {}, state);
        double seeded = 0;
        for (const double v : state.liquid.volume) seeded += v;
        EXPECT_NEAR(seeded / thickness, 1, bound) << thickness;
    }
}

TEST(Placement, WhatASourceGivesIsForeseenForMouthsThinnerThanTheLattice)
{
    Model m = tank_with_post();
    Source slit;
    slit.shape = make_box(Vec3(-0.2, -0.004, -0.01), Vec3(0.2, 0.004, 0.01));
    for (const Vec3& velocity : {Vec3(0, 0, -2), Vec3(0, -1.2, -1.6)}) {
        slit.velocity = velocity;
        const double side = std::abs(velocity.z()) * 0.008 + std::abs(velocity.y()) * 0.02; // |v| times the silhouette
        EXPECT_NEAR(source_volume(m, slit, 3), 0.4 * 0.008 * 0.02 + 3 * 0.4 * side, 0.05 * 3 * 0.4 * side);
    }
}

TEST(Placement, StrandsThatBeginWhereTheyCannotAreWarnedOf)
{
    Model m = tank_with_post();
    add_rod(m, {0.2, 0.5, 0.5}, -1);
    add_rod(m, {0.5, 0.5, 0.5}, 0); // held by the post that it begins in
    EXPECT_EQ(placement_warnings(m), Lines());
    add_rod(m, {0.5, 0.55, 0.5}, -1);
    add_rod(m, {-0.5, 0.5, 0.5}, -1);
    EXPECT_EQ(placement_warnings(m),
              (Lines{"strands.rod: 1 of 1 begin inside of obstacles.post, which does not hold them",
                     "strands.rod: 1 of 1 begin outside of the domain"}));
}

TEST(Placement, StrandsThatReachDeepIntoWhatHoldsThemAreWarnedOf)
{
    Model m = tank_with_post();
    m.strands.materials.emplace_back();
    const auto grow = [&](double depth) { // from the post's side, upwards, and back into it
        const std::vector<Vec3> points{
            {0.395, 0.5, 0.5}, {0.385, 0.5, 0.5}, {0.39, 0.5, 0.51}, {0.4 + depth, 0.5, 0.52}, {0.38, 0.5, 0.53}};
        const std::int32_t strand = add_strand(m.strands, m.strands_at_start, points, 0, Vec3::UnitZ());
        m.strands.pins.push_back({.vertex = m.strands.first[static_cast<std::size_t>(strand)], .body = 0});
        m.strand_groups = {{.name = "fur", .n_strands = strand + 1, .is_random = true}};
    };
    grow(0.009);
    EXPECT_EQ(placement_warnings(m), Lines());
    grow(0.011);
    EXPECT_EQ(placement_warnings(m), Lines{"strands.fur: 1 of 2 reach deep into obstacles.post, which holds them"});
    m.options.strand_contact = StrandContactLaw::None;
    EXPECT_EQ(placement_warnings(m), Lines());
}

/// What holds a strand does not push it out where it begins inside; only one that never comes out is told of.
TEST(Placement, StrandsThatNeverComeOutOfWhatHoldsThemAreWarnedOf)
{
    Model m = tank_with_post();
    m.strands.materials.emplace_back();
    const auto grow = [&](double length) { // from 4 cm inside of the post's side
        std::vector<Vec3> points;
        for (int k = 0; k <= 4; ++k) points.emplace_back(0.44 - 0.25 * k * length, 0.5, 0.5);
        const std::int32_t strand = add_strand(m.strands, m.strands_at_start, points, 0, Vec3::UnitZ());
        m.strands.pins.push_back({.vertex = m.strands.first[static_cast<std::size_t>(strand)], .body = 0});
        m.strand_groups = {{.name = "fur", .n_strands = strand + 1, .is_random = true}};
        const StrandObstacle post{m.obstacles[0].shape.get(), m.obstacles[0].motion.pose(0), {}, {}};
        m.strands.held_inside = find_held_inside(m.strands, m.strands_at_start.position, std::span(&post, 1));
    };
    grow(0.08);
    EXPECT_EQ(placement_warnings(m), Lines());
    grow(0.03);
    EXPECT_EQ(placement_warnings(m), Lines{"strands.fur: 1 of 2 lie wholly inside of obstacles.post, which holds them "
                                           "and does not push them out"});
}

TEST(Placement, StrandsThatReachIntoAnObstacleThatDoesNotHoldThemAreWarnedOf)
{
    Model m = tank_with_post();
    m.strands.materials.emplace_back();
    const double thick = m.strands.materials[0].radius_a + m.strands.materials[0].radius_b;
    const auto grow = [&](double depth) { // towards the post and away again
        const std::vector<Vec3> points{{0.36, 0.5, 0.5}, {0.37, 0.5, 0.5}, {0.4 + depth, 0.5, 0.52}, {0.38, 0.5, 0.54}};
        (void)add_strand(m.strands, m.strands_at_start, points, 0, Vec3::UnitZ());
        m.strand_groups = {{.name = "fur", .n_strands = m.strands.n_strands(), .is_random = true}};
    };
    grow(0.5 * thick);
    EXPECT_EQ(placement_warnings(m), Lines());
    grow(2 * thick);
    EXPECT_EQ(placement_warnings(m),
              Lines{"strands.fur: 1 of 2 reach deep into obstacles.post, which does not hold them"});
}

TEST(Placement, StrandsThatReachThroughClosedWallsAreWarnedOf)
{
    Model m = tank_with_post();
    add_rod(m, {0.2, 0.5, 0.5}, -1);
    m.domain.box.upper = m.strands_at_start.position[1] + Vec3::Constant(1e-9); // the rod goes on from there
    m.obstacles.clear();
    EXPECT_EQ(placement_warnings(m), Lines{"strands.rod: 1 of 1 reach through closed walls of the domain"});
    m.domain.walls.fill(Wall::Open);
    EXPECT_EQ(placement_warnings(m), Lines());
}

TEST(Placement, ContactAnglesThatTheGridCannotHoldAreWarnedOf)
{
    Model m = tank_with_post();
    m.options.surface_tension = true;
    m.liquids = {{.name = "soap", .surface_tension = 0.03, .contact_angle = 30 * std::numbers::pi / 180}};
    EXPECT_EQ(placement_warnings(m),
              Lines{"liquids.soap has a contact angle of 30 degrees: below 75, thin films may leave its edge on "
                    "obstacles that are not along the axes"});
    m.obstacles.clear();
    EXPECT_EQ(placement_warnings(m), Lines());
    m.liquids[0].contact_angle = 10 * std::numbers::pi / 180;
    EXPECT_EQ(placement_warnings(m),
              Lines{"liquids.soap has a contact angle of 10 degrees: below 15 its edge is thinner than the grid can "
                    "tell and may go on spreading"});
    m.options.surface_tension = false;
    EXPECT_EQ(placement_warnings(m), Lines());
}

TEST(Placement, LiquidsThatDoNotWetStrandsAreWarnedOf)
{
    Model m = tank_with_post();
    m.liquids = {{.name = "mercury"}};
    m.wetting = Wetting{};
    m.wetting->contact_angle = 90 * std::numbers::pi / 180;
    EXPECT_EQ(placement_warnings(m), Lines());
    m.wetting->contact_angle = 140 * std::numbers::pi / 180;
    EXPECT_EQ(
        placement_warnings(m),
        Lines{"wetting: mercury has a contact angle of 140 degrees on strands: above 90 it would roll off, but "
              "strands catch and hold it as if they were wetted. Only the bridges between them know of the angle"});
}

TEST(Placement, StrandsInsideOfEachOtherAreWarnedOfUnlessTheyJustTouchOrDoNotFeelIt)
{
    Model m = tank_with_post();
    add_rod(m, {0.2, 0.5, 0.5}, -1);
    const double radius = StrandEdges(m.strands).radius[0];
    add_rod(m, {0.2, 0.5, 0.5 + 1.9 * radius}, -1);
    EXPECT_EQ(placement_warnings(m), Lines());
    add_rod(m, {0.2, 0.5, 0.5 - 1.7 * radius}, -1);
    ASSERT_EQ(placement_warnings(m).size(), 1u);
    EXPECT_EQ(placement_warnings(m)[0].find("a pair of strands lie inside of each other at the start, such as strand 0 "
                                            "of strands.rod and strand 0 of strands.rod near 0."),
              0u);
    m.strand_groups = {{.name = "fur", .first_strand = 0, .n_strands = 3, .is_random = true}};
    EXPECT_EQ(placement_warnings(m), Lines()); // may be chance
    add_rod(m, {0.2, 0.5, 0.5}, -1);
    EXPECT_EQ(placement_warnings(m).size(), 1u); // with another group it is not
    m.options.strand_contact = StrandContactLaw::None;
    EXPECT_EQ(placement_warnings(m), Lines());
}

} // namespace
} // namespace rivulet
