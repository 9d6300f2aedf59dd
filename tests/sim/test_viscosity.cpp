#include "sim/advance.h"
#include "sim/diagnostics.h"
#include "sim/models.h"

#include "base/parallel.h"
#include "effort.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

using test::run_until;
using test::tank;

/// The tank's liquid becomes honey.
void fill_with_honey(Model& model, double viscosity = 10)
{
    model.liquids.front().density = 1400;
    model.liquids.front().viscosity = viscosity;
    model.options.max_step = 5e-3;
}

Vec3 angular_momentum(const Model& model, const State& state)
{
    const double dx2 = model.options.cell_size * model.options.cell_size;
    Vec3 sum = Vec3::Zero();
    for (std::size_t p = 0; p < state.liquid.position.size(); ++p) {
        const Mat3& c = state.liquid.affine[p];
        // The affine part of APIC: a particle is as wide as its weights, dx^2/4 along each axis.
        const Vec3 curl(c(2, 1) - c(1, 2), c(0, 2) - c(2, 0), c(1, 0) - c(0, 1));
        // The velocity belongs to where the particle was on the grid.
        const Vec3 x = state.liquid.position[p] - state.clock.previous_step * velocity_ahead(state, p, 1);
        sum += state.liquid.volume[p] * (x.cross(state.liquid.velocity[p]) + dx2 / 4 * curl);
    }
    return model.liquids.front().density * sum;
}

TEST(ViscousLiquid, HoneyStaysAtRestInATankThatHoldsIt)
{
    RIVULET_SKIP_IN_SLOW_BUILD();
    Model model = tank({0.24, 0.16, 0.24}, {0.24, 0.16, 0.16}, 0.01);
    fill_with_honey(model);
    model.domain.friction = 1;
    model.options.pressure_tolerance = 1e-10;
    Obstacle ball;
    ball.name = "ball";
    ball.shape = make_sphere({0.113, 0.082, 0.071}, 0.043);
    ball.friction = 1;
    model.obstacles.push_back(ball);
    State state = initial_state(model);
    run_until(model, state, 0.2);
    EXPECT_LT(diagnose(model, state).max_speed, 1e-6);
    const double displaced = 4.0 / 3 * std::numbers::pi * std::pow(0.043, 3) * 1400 * 9.81;
    EXPECT_NEAR(state.loads.force[0].z(), displaced, 0.03 * displaced);
}

TEST(ViscousLiquid, ParticleThatLeavesThickLiquidIsNotShotOffByThePressureItHadInThere)
{
    // In the corner of a cell it has hardly any volume there, and nothing viscous to hold it.
    constexpr double kSmallCell = 1e-3;
    for (const float remembered : {-20.0F, 20.0F}) {
        Model model = tank({0.016, 0.016, 0.016}, {0.016, 0.016, 0.008}, kSmallCell);
        fill_with_honey(model);
        model.domain.friction = 1;
        model.options.max_step = 2e-3;
        State state = initial_state(model);
        run_until(model, state, 0.004);
        state.liquid.position[0] = Vec3(0.008, 0.008, 0.008) + Vec3::Constant(0.05 * kSmallCell);
        state.liquid.pressure[0] = remembered;
        Workspace workspace;
        advance(model, state, workspace);
        EXPECT_LT(diagnose(model, state).max_speed, 2e-3)
            << remembered; // measured 1e-3; 5e-2 with all of it on its faces
    }
}

TEST(ViscousLiquid, SpinningColumnKeepsItsAngularMomentum)
{
    RIVULET_SKIP_IN_SLOW_BUILD();
    Model model = tank({0.4, 0.4, 0.4}, {0, 0, 0}, 0.01);
    fill_with_honey(model);
    model.options.gravity.setZero();
    LiquidBody column;
    column.shape = make_cylinder({0, 0, -0.06}, {0, 0, 0.06}, 0.09);
    column.pose.position = {0.2, 0.2, 0.2};
    column.angular_velocity = {0, 0, 1.5};
    model.bodies.push_back(column);
    model.options.max_step = 1e-2; // in first order each of the 20 steps would cost (omega dt)^2 / 2 of the momentum
    State state = initial_state(model);
    const Vec3 before = angular_momentum(model, state);
    run_until(model, state, 0.2);
    const Vec3 after = angular_momentum(model, state);
    EXPECT_LT((after - before).norm(), 1e-3 * before.norm()); // measured 4.8e-4
}

TEST(ViscousLiquid, HoneyOnWaterHasTheSameBitsOnAnyNumberOfThreads)
{
    std::uint64_t reference = 0;
    for (const int threads : test::thread_counts()) {
        const ThreadPool pool(threads);
        Model model = tank({0.2, 0.1, 0.2}, {0.2, 0.1, 0.06}, 0.01);
        model.domain.friction = 1;
        model.liquids.push_back({"honey", 1400, 10, 0, 0, {0.8, 0.5, 0.1}});
        LiquidBody drop;
        drop.shape = make_sphere({0.1, 0.05, 0.1}, 0.03);
        drop.liquid = 1;
        drop.velocity = {0, 0, -1};
        model.bodies.push_back(drop);
        State state = initial_state(model);
        run_until(model, state, 0.08);
        if (threads == 1) reference = state_hash(state);
        EXPECT_EQ(state_hash(state), reference) << threads << " threads";
        EXPECT_LE(ledger_balance(state).relative_error, 1e-12);
    }
}

TEST(ViscousLiquid, HoneyThatHangsFromAMouthStretchesAsTroutonSays)
{
    // A thread of length L whose upper end is held: a section carries what hangs from it, 3 mu dv/dz = rho g (z_end -
    // z), so that the end moves at rho g L^2 / (6 mu). It would have fallen to 0.2 m/s.
    constexpr double kLength = 0.008, kThread = 0.002, kTime = 0.02;
    Model model = tank({0.02, 0.02, 0.02}, {0, 0, 0}, 0.0005);
    fill_with_honey(model);
    model.options.max_step = 5e-4;
    Source mouth;
    mouth.name = "mouth";
    mouth.shape = make_cylinder({0, 0, 0}, {0, 0, 0.003}, kThread);
    mouth.motion.keyframes = {{0, {0.01, 0.01, 0.015}, Vec3::Zero(), Easing::Linear}};
    model.sources.push_back(mouth);
    LiquidBody thread;
    thread.shape = make_cylinder({0.01, 0.01, 0.015 - kLength}, {0.01, 0.01, 0.015}, kThread);
    model.bodies.push_back(thread);
    State state = initial_state(model);
    run_until(model, state, kTime);
    double speed = 0;
    int n = 0;
    for (std::size_t p = 0; p < state.liquid.position.size(); ++p) {
        if (state.liquid.position[p].z() > 0.015 - kLength + 5e-4) continue;
        speed -= state.liquid.velocity[p].z();
        ++n;
    }
    ASSERT_GT(n, 50);
    const double trouton = 1400 * 9.81 * kLength * kLength / (6 * 10);
    // Measured 1.49 times that, 1.25 with steps of 0.1 ms: viscosity and pressure act one after the other.
    EXPECT_GT(speed / n, 0.9 * trouton);
    EXPECT_LT(speed / n, 1.6 * trouton);
}

TEST(ViscousLiquid, BetweenTurningCylindersBringsTheTorqueOfCouette)
{
    RIVULET_SKIP_IN_SLOW_BUILD();
    constexpr double kInner = 0.05, kOuter = 0.12, kOmega = 2, kDepth = 0.015;
    Model model = tank({0.28, 0.28, kDepth}, {0.28, 0.28, kDepth}, 0.005);
    fill_with_honey(model, 5);
    model.options.gravity.setZero();
    Obstacle inner, outer;
    inner.name = "inner";
    inner.shape = make_cylinder({0, 0, -1}, {0, 0, 1}, kInner);
    inner.motion.keyframes = {{0, {0.14, 0.14, 0}, Vec3::Zero(), Easing::Linear}};
    inner.motion.spin = {0, 0, kOmega};
    inner.friction = 1;
    outer.name = "outer";
    outer.shape = make_difference(make_box({-1, -1, -1}, {1, 1, 1}), make_cylinder({0, 0, -2}, {0, 0, 2}, kOuter));
    outer.motion.keyframes = inner.motion.keyframes; // torques are about the same axis
    outer.friction = 1;
    model.obstacles = {inner, outer};
    State state = initial_state(model);
    run_until(model, state, 0.8);
    const double a = kInner * kInner, b = kOuter * kOuter;
    const double torque = 4 * std::numbers::pi * 5 * kOmega * a * b / (b - a) * kDepth;
    // Measured -0.6 and 0.3 % on a gap of 14 cells, with 0.1 % from frame to frame; later -0.6 and 1.0 %. On one of ten
    // -0.4 and 2.0 % with 0.6 %, on one of 20 0.1 and 0.2 %, at the 32 of validation/couette 0.3 %.
    EXPECT_NEAR(state.loads.torque[0].z(), -torque, 0.015 * torque);
    EXPECT_NEAR(state.loads.torque[1].z(), torque, 0.015 * torque);
    double worst = 0;
    for (std::size_t p = 0; p < state.liquid.position.size(); ++p) {
        const Vec3 x = state.liquid.position[p] - Vec3(0.14, 0.14, 0);
        const double r2 = x.head<2>().squaredNorm();
        const Vec3 exact = kOmega * a * (b / r2 - 1) / (b - a) * Vec3(-x.y(), x.x(), 0);
        worst = std::max(worst, (state.liquid.velocity[p] - exact).norm() / (kOmega * kInner));
    }
    EXPECT_LT(worst, 0.05); // measured 0.027
}

// Stokes's drag in a spherical tank [Happel 1965]; the tank bears it the other way round. Were the pressure that
// viscosity makes necessary not there before viscosity acts, the drag would be 0.7 of this at this step.
TEST(Viscosity, BallInAFullSphericalTankIsHeldBackByStokesLaw)
{
    RIVULET_SKIP_IN_SLOW_BUILD();
    const double inner = 5e-3, outer = 12e-3, speed = 1e-3, mu = 10;
    Model model = tank(Vec3::Constant(28e-3), Vec3::Constant(28e-3), 1e-3);
    model.liquids[0].viscosity = mu;
    model.options.gravity.setZero();
    model.options.max_step = 1e-3;
    const Vec3 middle = Vec3::Constant(14e-3);
    Obstacle ball, shell;
    ball.name = "ball";
    ball.shape = make_sphere(Vec3::Zero(), inner);
    ball.friction = shell.friction = 1;
    ball.motion.keyframes = {{0, middle, Vec3::Zero(), Easing::Linear},
                             {1, middle - Vec3(0, 0, speed), Vec3::Zero(), Easing::Linear}};
    shell.name = "shell";
    shell.shape = make_difference(make_box(Vec3::Constant(-1), Vec3::Constant(1)), make_sphere(middle, outer));
    model.obstacles = {ball, shell};
    State state = initial_state(model);
    run_until(model, state, 0.012);
    const double l = inner / outer, l3 = std::pow(l, 3), l5 = std::pow(l, 5);
    const double exact =
        6 * M_PI * mu * inner * speed * (1 - l5) / (1 - 9 * l / 4 + 5 * l3 / 2 - 9 * l5 / 4 + std::pow(l, 6));
    EXPECT_NEAR(state.loads.force[0].z(), exact, 0.07 * exact);                     // measured -5.5 %
    EXPECT_NEAR(state.loads.force[1].z(), -state.loads.force[0].z(), 5e-3 * exact); // measured 0.22 %
}

} // namespace
} // namespace rivulet
