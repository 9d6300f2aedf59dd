#include "strands/sag_free.h"

#include "effort.h"
#include "strands/hair.h"
#include "strands/strand_stability.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

namespace rivulet {
namespace {

/// Largest way of a vertex in one step of so long, over the strand's length.
double moved_in_a_step(Strands& s, double dt)
{
    const Clamp clamp(s.state);
    StrandStep step{.dt = dt, .gravity = Vec3(0, 0, -9.81)};
    step.tolerance = 1e-12;
    clamp.apply(step);
    const std::vector<Vec3> start = s.state.position;
    StrandUpdate update;
    EXPECT_TRUE(advance(s, step, update));
    double most = 0, length = 0;
    for (std::size_t v = 0; v < start.size(); ++v) {
        most = std::max(most, (s.state.position[v] - start[v]).norm());
        length += s.model.rest_length[v];
    }
    return most / length;
}

RodMaterial ribbon()
{
    RodMaterial m = human_hair();
    m.radius_a = 60e-6;
    return m;
}

/// Horizontal and curled strands, round and flat, start to fall with g when they rest as they are, and stay when they
/// rest otherwise.
TEST(SagFree, StrandsStayWhereTheyAre)
{
    for (const RodMaterial& material : {human_hair(), ribbon()})
        for (const auto& points : {straight_line(20, 0.05, Vec3::UnitX()), helix(60, 0.1, 0.006, 0.03)}) {
            Strands sagging = one_strand(points, material), balanced = one_strand(points, material);
            balance_gravity(balanced.model, balanced.state, 0, Vec3(0, 0, -9.81));
            EXPECT_GT(moved_in_a_step(sagging, 5e-3), 1e-3);
            EXPECT_LT(moved_in_a_step(balanced, 5e-3), 1e-9);
        }
}

/// A horizontal cantilever is straight under its weight if it rests with the curvature w (L - s)^2/(2 EI) upwards; at
/// the first bend, s = l/2 from the clamp, a straight rod of n edges of length l has (n - 1) l beyond: the moment of
/// the weight there is w l^2 (n - 1)^2/2.
TEST(SagFree, RestCurvatureIsTheMomentOfTheWeight)
{
    const RodMaterial hair = human_hair();
    Strands s = one_strand(straight_line(10, 0.05, Vec3::UnitX()), hair);
    balance_gravity(s.model, s.state, 0, Vec3(0, 0, -9.81));
    const double l = 0.005, weight = 9.81 * hair.density * hair.area();
    const double stiffness = hair.youngs_modulus * hair.bending_moment_1();
    const Vec3 m1 = s.state.director[1], m2 = Vec3::UnitX().cross(m1);
    const Vec3 binormal = s.model.rest_curvature[1][0] * m2 - s.model.rest_curvature[1][1] * m1;
    // Turns x towards +z: about -y. The integrated curvature is curvature times l.
    const double exact = weight * l * l * 81 / 2 / stiffness * l;
    EXPECT_NEAR(binormal.y() / -exact, 1, 1e-3);
    EXPECT_NEAR(binormal.z() / exact, 0, 1e-9);
    EXPECT_NEAR(s.model.rest_twist[1], 0, 1e-12);
}

/// A straight rod that stands on its clamp falls over when it is longer than the cube root of 7.8373 EI/w (Greenhill
/// 1881); the discrete one is held in the middle of its first edge. Stiffness grows with the cube of the length.
TEST(SagFree, StandingHairNeedsTheStiffnessOfGreenhill)
{
    const RodMaterial hair = human_hair();
    const double weight = 9.81 * hair.density * hair.area();
    const double limit = std::cbrt(7.8373 * hair.youngs_modulus * hair.bending_moment_1() / weight); // 8.99 cm
    const auto stability = [&](double length, int n_edges) {
        const double drawn = length * n_edges / (n_edges - 0.5);
        Strands s = one_strand(straight_line(n_edges, drawn, Vec3::UnitZ()), hair);
        balance_gravity(s.model, s.state, 0, Vec3(0, 0, -9.81));
        return strand_stability(s.model, s.state, 0);
    };
    EXPECT_EQ(stability(0.98 * limit, 40).stiffer, 1);
    EXPECT_EQ(stability(0.98 * limit, 40).growth, 0);
    EXPECT_GT(stability(1.02 * limit, 40).stiffer, 1);
    EXPECT_NEAR(stability(2 * limit, 40).stiffer, 8, 0.04 * 8); // found to 2 %: measured 8.01
}

/// How far a nudged strand gets from where it balances gravity within some steps, until it has left it for good.
struct Nudged {
    Nudged(const std::vector<Vec3>& points, double dt)
        : strand(one_strand(points, human_hair())), start(points), clamp(strand.state)
    {
        balance_gravity(strand.model, strand.state, 0, Vec3(0, 0, -9.81));
        told = strand_stability(strand.model, strand.state, 0);
        step = {.dt = dt, .gravity = Vec3(0, 0, -9.81)};
        clamp.apply(step);
    }
    void nudge(double speed)
    {
        for (std::size_t v = 2; v < start.size(); ++v) strand.state.velocity[v] = speed * Vec3(1, 2, 1);
    }
    double moved_after(int steps)
    {
        for (int i = 0; i < steps && moved < 1e-2; ++i) {
            const bool is_found = advance(strand, step, update);
            EXPECT_TRUE(is_found || told.growth > 0);
            moved = 0;
            for (std::size_t v = 0; v < start.size(); ++v)
                moved = std::max(moved, (strand.state.position[v] - start[v]).norm());
        }
        return moved;
    }

    Strands strand;
    std::vector<Vec3> start;
    Clamp clamp;
    StrandStability told;
    StrandStep step;
    StrandUpdate update;
    double moved = 0; ///< in the end [m]
};

/// As far up from hanging.
std::vector<Vec3> turned(std::vector<Vec3> points, double degrees)
{
    const double angle = (degrees - 90) * std::numbers::pi / 180;
    for (Vec3& x : points)
        x = {std::cos(angle) * x.x() - std::sin(angle) * x.z(), x.y(),
             std::sin(angle) * x.x() + std::cos(angle) * x.z()};
    return points;
}

TEST(SagFree, UnstableHairLeavesAtTheRateThatIsTold)
{
    constexpr double kStep = 1e-3;
    const std::vector<std::vector<Vec3>> hairs = {turned(straight_line(50, 0.25, Vec3::UnitX()), 180),
                                                  turned(helix(80, 0.25, 0.006, 0.03), 180),
                                                  turned(helix(25, 0.08, 0.006, 0.03), 135)};
    for (const auto& points : hairs) {
        Nudged hair(points, kStep);
        hair.nudge(1e-8);
        const int steps = static_cast<int>(4 / hair.told.growth / kStep);
        const double before = hair.moved_after(2 * steps), after = hair.moved_after(steps);
        EXPECT_LT(after, 1e-3);
        EXPECT_NEAR(std::log(after / before) / (steps * kStep) / hair.told.growth, 1, 0.05);
    }
}

/// Straight and curled hair, short and long, in every direction.
TEST(SagFree, WhatIsSaidToBeStableStaysForHalfASecondAndOnlyThat)
{
    RIVULET_SKIP_IN_SLOW_BUILD();
    constexpr double kStep = 1e-3;
    int n_stable = 0, n_unstable = 0;
    for (const double length : {0.04, 0.08, 0.25})
        for (const bool is_curled : {false, true})
            for (const double degrees : {0.0, 45.0, 90.0, 135.0, 180.0}) {
                const auto points = is_curled ? helix(static_cast<int>(320 * length), length, 0.006, 0.03)
                                              : straight_line(static_cast<int>(200 * length), length, Vec3::UnitX());
                Nudged hair(turned(points, degrees), kStep);
                hair.nudge(1e-5);
                const bool is_stable = hair.told.growth == 0;
                const double moved = hair.moved_after(500);
                const auto which = fmt::format("{} m {} {} degrees, growth {}, moved {}", length,
                                               is_curled ? "curled" : "straight", degrees, hair.told.growth, moved);
                if (is_stable) {
                    EXPECT_LT(moved, 1e-5) << which;
                }
                if (!is_stable) {
                    EXPECT_GT(moved, 2e-5) << which; // measured 2.1e-5 for the slowest, 4/s; stable ones 3.2e-6
                }
                ++(is_stable ? n_stable : n_unstable);
            }
    EXPECT_EQ(n_stable, 19);
    EXPECT_EQ(n_unstable, 11);
}

} // namespace
} // namespace rivulet
