#include "fluid/viscosity.h"

#include "effort.h"
#include "fluid/viscous_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

using std::numbers::pi;

/// A channel of 32 cells between planes across y, 172 cells long, open at its ends, four cells deep with free sides.
struct Channel {
    static constexpr double kLower = 0.3, kUpper = 32.3; ///< the walls, in cells: they cut the cells
    ViscousProblem problem{{-11, -1, -1}, {11, 6, 2}, 1.0};

    explicit Channel(double speed, double friction = 1)
    {
        problem.add_body(make_plane({0, kLower, 0}, Vec3::UnitY()), {}, friction);
        problem.add_body(make_plane({0, kUpper, 0}, -Vec3::UnitY()), {{speed, 0, 0}, Vec3::Zero()}, friction);
        problem.finish([](const Vec3& x) { return std::max(std::abs(x.x()) - 86, std::abs(x.z() - 4) - 2); }, 1e5);
    }
    static bool in_the_middle(const Vec3& x) { return std::abs(x.x()) < 2; }
};

TEST(Viscosity, CouetteFlowBetweenCutWallsIsLinear)
{
    Channel channel(2);
    for (int n = 0; n < 3; ++n) EXPECT_TRUE(channel.problem.solve(1e-7).converged);
    const auto exact = [](const Vec3& x) -> Vec3 { return {2 * (x.y() - 0.3) / 32, 0, 0}; };
    EXPECT_LT(channel.problem.error(exact, Channel::in_the_middle), 0.01 * 2);
}

TEST(Viscosity, PoiseuilleFlowBetweenCutWallsIsAParabola)
{
    RIVULET_SKIP_IN_SLOW_BUILD();
    Channel channel(0);
    ViscousProblem& p = channel.problem;
    const double g = 1e3;
    for (int n = 0; n < 2; ++n) {
        for (double& u : p.velocity[0]) u += p.input.dt * g;
        EXPECT_TRUE(p.solve(1e-7).converged);
    }
    const double nu = p.input.uniform_viscosity / p.input.uniform_density;
    const auto exact = [&](const Vec3& x) -> Vec3 { return {g / (2 * nu) * (x.y() - 0.3) * (32.3 - x.y()), 0, 0}; };
    const double top = g / (8 * nu) * 32 * 32;
    EXPECT_LT(p.error(exact, Channel::in_the_middle), 0.01 * top);
}

/// Friction that makes liquid slip over this length [m].
double friction_of(double slip_length) { return kSlipLength / (kSlipLength + slip_length); }

TEST(Viscosity, CouetteFlowThatSlipsIsAStraightLineToBehindTheWalls)
{
    constexpr double kSlip = 4;
    Channel channel(2, friction_of(kSlip));
    for (int n = 0; n < 3; ++n) EXPECT_TRUE(channel.problem.solve(1e-7).converged);
    const auto exact = [](const Vec3& x) -> Vec3 { return {2 * (x.y() - 0.3 + kSlip) / (32 + 2 * kSlip), 0, 0}; };
    EXPECT_LT(channel.problem.error(exact, Channel::in_the_middle), 1e-3 * 2);
}

TEST(Viscosity, PoiseuilleFlowThatSlipsHasNaviersFlux)
{
    RIVULET_SKIP_IN_SLOW_BUILD();
    constexpr double kSlip = 4, kHeight = 32, kPush = 1e3;
    Channel channel(0, friction_of(kSlip));
    ViscousProblem& p = channel.problem;
    for (int n = 0; n < 2; ++n) {
        for (double& u : p.velocity[0]) u += p.input.dt * kPush;
        EXPECT_TRUE(p.solve(1e-7).converged);
    }
    const double nu = p.input.uniform_viscosity / p.input.uniform_density;
    // u = G/(2 mu) ((y - y0) (y1 - y) + b H), whose flux is H^3/(12 mu) G (1 + 6 b/H).
    const auto exact = [&](const Vec3& x) -> Vec3 {
        return {kPush / (2 * nu) * ((x.y() - 0.3) * (32.3 - x.y()) + kSlip * kHeight), 0, 0};
    };
    EXPECT_LT(p.error(exact, Channel::in_the_middle), 0.01 * kPush / (8 * nu) * kHeight * kHeight);
    double flux = 0;
    p.for_faces([&](std::size_t a, std::size_t n, const Vec3& x) {
        if (a == 0 && x.x() == 0 && x.z() == 3.5 && x.y() > 0.3 && x.y() < 32.3)
            flux += p.velocity[0][n] * (std::min(x.y() + 0.5, 32.3) - std::max(x.y() - 0.5, 0.3));
    });
    const double navier = kHeight * kHeight * kHeight / (12 * nu) * kPush * (1 + 6 * kSlip / kHeight);
    EXPECT_NEAR(flux, navier, 0.01 * navier); // measured 0.6 % less
}

TEST(Viscosity, CylindersTurningInEachOtherFeelTheTorqueOfCouette)
{
    constexpr double kInner = 8.2, kOuter = 17.1, kOmega = 3;
    ViscousProblem p({-3, -3, -1}, {3, 3, 2}, 1.0);
    p.add_body(make_cylinder({0, 0, -100}, {0, 0, 100}, kInner), {Vec3::Zero(), Vec3(0, 0, kOmega)});
    p.add_body(
        make_difference(make_box({-50, -50, -90}, {50, 50, 90}), make_cylinder({0, 0, -100}, {0, 0, 100}, kOuter)), {});
    p.finish([](const Vec3& x) { return std::abs(x.z() - 4) - 2; }, 1e5);
    ViscositySolver solver;
    for (int n = 0; n < 3; ++n) EXPECT_TRUE(solver.solve(p.input, p.velocity, 1e-8, 500).converged);
    const double a = kInner * kInner, b = kOuter * kOuter;
    const auto exact = [&](const Vec3& x) -> Vec3 {
        const double r2 = x.head<2>().squaredNorm();
        return kOmega * a * (b / r2 - 1) / (b - a) * Vec3(-x.y(), x.x(), 0);
    };
    EXPECT_LT(p.error(exact), 0.02 * kOmega * kInner);
    const double torque = 4 * pi * p.input.uniform_viscosity * kOmega * a * b / (b - a) * 4; // 4 cells deep
    EXPECT_NEAR(solver.loads()[0].torque.z(), -torque, 0.02 * torque);
    EXPECT_NEAR(solver.loads()[1].torque.z(), torque, 0.02 * torque);
}

TEST(Viscosity, WhatTheSolverRemembersOfSolidsAtRestChangesNoBit)
{
    ViscositySolver with_memory;
    for (int step = 0; step < 4; ++step) { // a ball crosses a pipe, and tiles come and go
        ViscousProblem p({step % 2 == 0 ? -3 : -4, -3, -1}, {3, 3, 2}, 1.0);
        p.add_body(
            make_difference(make_box({-50, -50, -90}, {50, 50, 90}), make_cylinder({0, 0, -100}, {0, 0, 100}, 17.1)),
            {}, 0.5);
        p.bodies.back().is_static = true;
        p.add_body(make_sphere(Vec3::Zero(), 3), {{4, 0, 0}, Vec3(0, 0, 1)}, 1, {8.0 * step - 13, 0, 3});
        p.finish([](const Vec3& x) { return std::abs(x.z() - 4) - 4.3; }, 0.01);
        p.set_velocity([](const Vec3& x) -> Vec3 { return {std::sin(x.y()), std::cos(0.3 * x.x()), 0.1 * x.z()}; });
        FaceField fresh = p.velocity;
        ViscositySolver without;
        EXPECT_TRUE(without.solve(p.input, fresh, 1e-8, 500).converged);
        p.input.has_same_static_solids = step > 0;
        EXPECT_TRUE(with_memory.solve(p.input, p.velocity, 1e-8, 500).converged);
        EXPECT_TRUE(p.velocity == fresh) << step;
        EXPECT_EQ(with_memory.loads()[1].force, without.loads()[1].force);
    }
}

TEST(Viscosity, SolidsWithoutFrictionDoNotHoldTheLiquid)
{
    const auto slide = [](const Vec3&) -> Vec3 { return {1, 0.5, 0}; };
    for (const double friction : {0.0, 0.5}) {
        ViscousProblem problem(Vec3i::Zero(), Vec3i::Constant(4), 1.0 / 32);
        problem.add_body(make_plane({0.5, 0.5, 0.41}, Vec3(0, 0, 1)), {}, friction);
        problem.finish(blob, 100);
        problem.set_velocity(slide);
        EXPECT_TRUE(problem.solve(1e-10).converged);
        if (friction == 0)
            EXPECT_LT(problem.error(slide), 1e-8);
        else
            EXPECT_LT(problem.error([](const Vec3&) -> Vec3 { return Vec3::Zero(); }), 0.9); // held
    }
}

TEST(Viscosity, TwoLiquidsInAChannelShareTheStress)
{
    RIVULET_SKIP_IN_SLOW_BUILD();
    // Steady shear: mu du/dy is the same in both, so the slopes are as 1 to 10 and the interface moves at 10/11 U.
    ViscousProblem p{{-8, -1, -1}, {8, 6, 2}, 1.0};
    p.add_body(make_plane({0, 0, 0}, Vec3::UnitY()), {});
    p.add_body(make_plane({0, 32, 0}, -Vec3::UnitY()), {{1, 0, 0}, Vec3::Zero()});
    p.finish([](const Vec3& x) { return std::max(std::abs(x.x()) - 62, std::abs(x.z() - 4) - 2); }, 1e5);
    std::vector<double> mu(p.grid.field_size(), p.input.uniform_viscosity);
    p.for_cells([&](int t, const Vec3i& cell, std::size_t n) {
        if (p.grid.cell_centre(t, cell.x(), cell.y(), cell.z()).y() > 16) mu[n] *= 10;
    });
    p.input.viscosity = mu;
    for (int n = 0; n < 3; ++n) EXPECT_TRUE(p.solve(1e-7).converged);
    const auto exact = [](const Vec3& x) -> Vec3 {
        return {x.y() < 16 ? x.y() / 16 * 10 / 11 : 10.0 / 11 + (x.y() - 16) / 16 / 11, 0, 0};
    };
    EXPECT_LT(p.error(exact, Channel::in_the_middle), 0.01);
}

TEST(Viscosity, ShearIsContinuedThroughCutWallsAsAStraightLine)
{
    Channel channel(2);
    ViscousProblem& p = channel.problem;
    const auto line = [](const Vec3& x) -> Vec3 { return {2 * (x.y() - Channel::kLower) / 32, 0, 0}; };
    p.set_velocity(line);
    ViscositySolver solver;
    EXPECT_TRUE(solver.solve(p.input, p.velocity, 1, 500).converged); // so rough that nothing changes
    solver.extend_through_walls(p.velocity);
    int n_inside = 0;
    p.for_faces([&](std::size_t a, std::size_t n, const Vec3& x) {
        // The first faces inside are 0.8 cells behind the lower wall and 0.2 behind the upper one.
        if (a != 0 || std::abs(x.x()) > 40 || std::abs(x.z() - 4) > 1) return;
        if (std::abs(x.y() + 0.5) > 0.1 && std::abs(x.y() - 32.5) > 0.1) return;
        // The face beside the lower wall is 0.2 cells away: the line is flattened as if it were 0.25.
        const double expected = x.y() < 0 ? -3 * 0.2 / 16 : line(x).x();
        EXPECT_NEAR(p.velocity[0][n], expected, 1e-9) << x.transpose();
        ++n_inside;
    });
    EXPECT_GT(n_inside, 100);
}

TEST(Viscosity, VorticesBetweenSmoothWallsDecayByTheFactorOfImplicitEuler)
{
    // Discretely free of divergence and of shear stress, so only the normal stresses act, in the cells at walls as
    // well.
    constexpr double kNumber = 0.3, kWave = pi / 16;
    ViscousProblem p({-1, -1, -1}, {5, 5, 3}, 1.0);
    p.add_body(make_difference(make_box(Vec3::Constant(-9), Vec3::Constant(49)), make_box({0, 0, 0}, {32, 32, 16})), {},
               0);
    p.finish([](const Vec3&) { return -1.0; }, kNumber);
    const auto flow = [&](const Vec3& x) -> Vec3 {
        return {std::sin(kWave * x.x()) * std::cos(kWave * x.y()), -std::cos(kWave * x.x()) * std::sin(kWave * x.y()),
                0};
    };
    p.set_velocity(flow);
    EXPECT_TRUE(p.solve(1e-9).converged);
    const double factor = 1 / (1 + 2 * kNumber * 4 * std::pow(std::sin(kWave / 2), 2));
    EXPECT_NEAR(factor, 0.977463, 1e-6); // 1 / (1 + 1.2 (1 - cos(pi/16))) with cos(pi/16) = 0.9807853, by hand
    EXPECT_LT(p.error([&](const Vec3& x) -> Vec3 { return factor * flow(x); }), 1e-6);
}

} // namespace
} // namespace rivulet
