#include "fluid/viscosity.h"

#include "base/hash.h"
#include "base/parallel.h"
#include "effort.h"
#include "fluid/viscosity_operator.h"
#include "fluid/viscosity_preconditioner.h"
#include "fluid/viscous_problem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

namespace rivulet {
namespace {

using std::numbers::pi;

/// Half of a lumpy blob on a slope, around a ball: a free surface, a cut wall and a moving, cut body.
struct CutViscousProblem : ViscousProblem {
    explicit CutViscousProblem(double number) : ViscousProblem(Vec3i::Zero(), Vec3i::Constant(4), 1.0 / 32)
    {
        add_body(make_plane({0.5, 0.5, 0.41}, Vec3(0.2, -0.1, 1).normalized()), {});
        add_body(make_sphere(Vec3::Zero(), 0.1), {{0.3, -0.2, 0.5}, {1, 2, -3}}, 1, {0.47, 0.52, 0.63});
        finish(blob, number);
    }
};

FaceField random_field(const ViscosityOperator& op, std::uint64_t seed)
{
    FaceField field;
    for (std::size_t a = 0; a < 3; ++a) {
        field[a].assign(op.grid().field_size(), 0);
        for (std::size_t n = 0; n < field[a].size(); ++n)
            if (op.kind(a, n) == FaceKind::Liquid) field[a][n] = random_unit(seed, a, n) - 0.5;
    }
    return field;
}

FaceField zero_field(const ViscosityOperator& op)
{
    FaceField field;
    for (auto& f : field) f.assign(op.grid().field_size(), 0);
    return field;
}

double dot(const FaceField& u, const FaceField& v)
{
    double sum = 0;
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t n = 0; n < u[a].size(); ++n) sum += u[a][n] * v[a][n];
    return sum;
}

/// Linear and angular momentum about the centre of the unit cube, divided by the volume of a cell.
std::pair<Vec3, Vec3> momentum(const ViscousProblem& problem, const ViscosityOperator& op)
{
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
    problem.for_faces([&](std::size_t a, std::size_t n, const Vec3& x) {
        const Vec3 p = op.mass()[a][n] * problem.velocity[a][n] * Vec3::Unit(int(a));
        linear += p;
        angular += (x - Vec3::Constant(0.5)).cross(p);
    });
    return {linear, angular};
}

TEST(ControlVolumes, OfEachKindAddUpToTheVolumeOfTheLiquid)
{
    ViscousProblem p(Vec3i::Zero(), Vec3i::Constant(4), 1.0 / 32);
    p.finish([](const Vec3& x) { return (x - Vec3::Constant(0.49)).norm() - 0.3; }, 1);
    ControlVolumes v;
    compute_control_volumes(p.input, v);
    const double cell = std::pow(1.0 / 32, 3), exact = 4.0 / 3 * pi * 0.027;
    const auto sum = [&](const std::vector<double>& field) {
        return cell * std::accumulate(field.begin(), field.end(), 0.0);
    };
    EXPECT_NEAR(sum(v.cell), exact, 0.01 * exact); // measured 0.0053: the surface is curved
    for (std::size_t a = 0; a < 3; ++a) {
        EXPECT_NEAR(sum(v.edge[a]), sum(v.cell), 1e-12);
        EXPECT_NEAR(sum(v.face[a]), sum(v.cell), 1e-7); // traces on faces are dropped
    }
}

TEST(ControlVolumes, FlatSurfacesAndWallsCutThemExactly)
{
    ViscousProblem p(Vec3i::Zero(), Vec3i::Constant(2), 1.0 / 16);
    p.add_body(make_plane({0, 0, 3.3 / 16}, Vec3::UnitZ()), {});
    p.finish([](const Vec3& x) { return x.z() - 9.2 / 16; }, 1);
    ControlVolumes v;
    compute_control_volumes(p.input, v);
    const auto at = [&](int k) { return p.grid.index(p.grid.find({0, 0, 0}), 4, 4, k); };
    EXPECT_NEAR(v.cell[at(3)], 0.7, 1e-12);
    EXPECT_NEAR(v.cell[at(5)], 1, 1e-12);
    EXPECT_NEAR(v.cell[at(9)], 0.2, 1e-12);
    EXPECT_NEAR(v.face[2][at(3)], 0.2, 1e-12);
    EXPECT_NEAR(v.face[0][at(9)], 0.2, 1e-12);
    EXPECT_NEAR(v.edge[0][at(9)], 0.7, 1e-12);
    EXPECT_EQ(v.kind[2][at(3)], FaceKind::Held);
    EXPECT_EQ(v.kind[0][at(3)], FaceKind::Liquid);
    EXPECT_EQ(v.kind[2][at(10)], FaceKind::Empty);
}

TEST(ControlVolumes, OfLiquidBetweenWallsOneCellApartAreFull)
{
    ViscousProblem p(Vec3i::Constant(-1), Vec3i::Constant(2), 1.0 / 16);
    p.finish([](const Vec3& x) { return x.z() - 0.25; }, 1);
    p.solids.box = {Vec3::Constant(-10), Vec3::Constant(10)};
    p.solids.box.lower.y() = 0;
    p.solids.box.upper.y() = 1.0 / 16;
    p.solids.closed = {false, false, true, true, false, false};
    rasterize_solids(p.grid, p.solids, p.fields);
    ControlVolumes v;
    compute_control_volumes(p.input, v);
    const std::size_t cell = p.grid.index(p.grid.find({0, 0, 0}), 4, 0, 1);
    EXPECT_NEAR(v.cell[cell], 1, 1e-12);
    EXPECT_NEAR(v.face[0][cell], 1, 1e-12);
    EXPECT_NEAR(v.face[1][cell], 0.5, 1e-12); // half of it is in the wall
    EXPECT_EQ(v.kind[0][cell], FaceKind::Liquid);
    EXPECT_EQ(v.kind[1][cell], FaceKind::Held);
    EXPECT_NEAR(v.solid_distance(0, cell), 0.5 / 16, 1e-12);
}

TEST(ViscosityOperator, IsSymmetricAndPositiveDefinite)
{
    for (const double number : {0.1, 500.0}) {
        CutViscousProblem problem(number);
        ViscosityOperator a;
        a.build(problem.input);
        EXPECT_NEAR(a.viscous_number(), number, 1e-12 * number);
        ViscosityPreconditioner preconditioner;
        preconditioner.build(a);
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            const FaceField u = random_field(a, seed), v = random_field(a, 100 + seed);
            FaceField au = zero_field(a), av = au, mu = au, mv = au;
            const double energy = a.apply(u, au);
            EXPECT_GT(energy, 0);
            EXPECT_NEAR(energy, dot(u, au), 1e-12 * energy);
            static_cast<void>(a.apply(v, av));
            EXPECT_NEAR(dot(u, av), dot(v, au), 1e-13 * energy);
            const double size = preconditioner.apply(a, u, mu).dot;
            EXPECT_GT(size, 0);
            static_cast<void>(preconditioner.apply(a, v, mv));
            EXPECT_NEAR(dot(u, mv), dot(v, mu), 1e-5 * size); // float in the V-cycle
        }
    }
}

TEST(Viscosity, RigidMotionOfFreeLiquidStaysAsItIs)
{
    ViscousProblem problem(Vec3i::Zero(), Vec3i::Constant(4), 1.0 / 32);
    problem.finish(blob, 500);
    const Vec3 omega(3, -5, 7);
    const auto rigid = [&](const Vec3& x) -> Vec3 { return Vec3(1, 2, 3) + omega.cross(x - Vec3(0.4, 0.6, 0.5)); };
    problem.set_velocity(rigid);
    const ViscosityResult result = problem.solve(1e-12);
    EXPECT_TRUE(result.converged);
    EXPECT_GT(result.n_unknowns, 5000);
    EXPECT_LT(problem.error(rigid), 1e-10);
}

TEST(Viscosity, LiquidThatTurnsWithItsCupStaysAsItIs)
{
    ViscousProblem problem(Vec3i::Zero(), Vec3i::Constant(4), 1.0 / 32);
    const Vec3 axis(0.51, 0.48, 0.5);
    const ShapePtr cup =
        make_difference(make_cylinder({0, 0, -0.4}, {0, 0, 0.2}, 0.45), make_cylinder({0, 0, -0.3}, {0, 0, 0.3}, 0.33));
    problem.add_body(cup, {Vec3(0.1, 0, 0.3), Vec3(0.2, 0.1, 4)}, 1, axis);
    problem.finish([&](const Vec3& x) { return x.z() - 0.61; }, 300);
    const auto rigid = [&](const Vec3& x) { return problem.bodies[0].twist.velocity_at(x, problem.bodies[0].pose); };
    problem.set_velocity(rigid);
    EXPECT_TRUE(problem.solve(1e-12).converged);
    EXPECT_LT(problem.error(rigid), 1e-10);
}

TEST(Viscosity, LiquidThatHangsFromDrivenFacesIsHeldByThem)
{
    // The upper half is driven at rest, the lower half comes falling. Free, both would share the momentum.
    ViscousProblem problem(Vec3i::Zero(), Vec3i::Constant(4), 1.0 / 32);
    problem.finish(blob, 1e5);
    std::array<std::vector<std::uint8_t>, 3> driven;
    for (auto& d : driven) d.assign(problem.grid.field_size(), 0);
    problem.for_faces([&](std::size_t a, std::size_t n, const Vec3& x) { driven[a][n] = x.z() > 0.5; });
    problem.set_velocity([&](const Vec3& x) { return Vec3(0, 0, x.z() > 0.5 ? 0 : -1); });
    for (std::size_t a = 0; a < 3; ++a) problem.input.driven[a] = driven[a];
    EXPECT_TRUE(problem.solve(1e-8).converged);
    const auto at_rest = [](const Vec3&) { return Vec3(0, 0, 0); };
    EXPECT_LT(problem.error(at_rest, [](const Vec3& x) { return x.z() > 0.5; }), 1e-3);
    EXPECT_LT(problem.error(at_rest), 0.02);
}

TEST(Viscosity, APushThatItBalancesMovesNothing)
{
    // M push = K u: u is its own successor, also on the faces beyond the surface, which have nothing to balance it
    // with.
    ViscousProblem problem(Vec3i::Zero(), Vec3i::Constant(4), 1.0 / 32);
    problem.finish(blob, 50);
    problem.set_velocity([](const Vec3& x) { return Vec3(std::sin(9 * x.y()), x.x() * x.z(), std::cos(7 * x.x())); });
    ViscosityOperator op;
    op.build(problem.input);
    FaceField push = zero_field(op), liquid = push, stress = push;
    problem.for_faces([&](std::size_t a, std::size_t n, const Vec3&) {
        if (op.kind(a, n) == FaceKind::Liquid) liquid[a][n] = problem.velocity[a][n];
    });
    op.apply_stress(liquid, stress, [](int) {});
    problem.for_faces([&](std::size_t a, std::size_t n, const Vec3&) {
        push[a][n] = op.mass()[a][n] > 0 ? stress[a][n] / op.mass()[a][n] : 1;
    });
    for (std::size_t a = 0; a < 3; ++a) problem.input.push[a] = push[a];
    const FaceField before = problem.velocity;
    EXPECT_TRUE(problem.solve(1e-12).converged);
    double moved = 0, pushed = 0;
    problem.for_faces([&](std::size_t a, std::size_t n, const Vec3&) {
        moved = std::max(moved, std::abs(problem.velocity[a][n] - before[a][n]));
        if (op.mass()[a][n] > 0) pushed = std::max(pushed, std::abs(push[a][n]));
    });
    EXPECT_LT(moved, 1e-10);
    EXPECT_GT(pushed, 1);
}

TEST(Viscosity, FreeLiquidKeepsItsMomentumAndAngularMomentum)
{
    ViscousProblem problem(Vec3i::Zero(), Vec3i::Constant(4), 1.0 / 32);
    problem.finish(blob, 50);
    problem.randomise_velocity(3);
    ViscosityOperator op;
    op.build(problem.input);
    const auto [linear, angular] = momentum(problem, op);
    EXPECT_TRUE(problem.solve(1e-15).converged);
    const auto [linear_after, angular_after] = momentum(problem, op);
    double scale = 0;
    for (std::size_t a = 0; a < 3; ++a) scale += std::accumulate(op.mass()[a].begin(), op.mass()[a].end(), 0.0);
    EXPECT_LT((linear_after - linear).norm(), 1e-10 * scale);
    EXPECT_LT((angular_after - angular).norm(), 1e-10 * scale);
    EXPECT_GT(angular.norm(), 1e-5 * scale); // there was something to lose
}

TEST(Viscosity, WhatTheLiquidLosesTheBodiesGain)
{
    CutViscousProblem problem(20);
    problem.randomise_velocity(5);
    ViscosityOperator op;
    op.build(problem.input);
    const auto [before, angular_before] = momentum(problem, op);
    ViscositySolver solver;
    EXPECT_TRUE(solver.solve(problem.input, problem.velocity, 1e-14, 500).converged);
    const auto [after, angular_after] = momentum(problem, op);
    const double per_force = std::pow(problem.grid.cell_size(), 3) / problem.input.dt;
    Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
    for (std::size_t b = 0; b < 2; ++b) {
        const ViscousLoad& load = solver.loads()[b];
        EXPECT_GT(load.force.norm(), 0);
        force += load.force;
        torque += load.torque + (problem.bodies[b].pose.position - Vec3::Constant(0.5)).cross(load.force);
    }
    EXPECT_LT((force + per_force * (after - before)).norm(), 1e-9 * force.norm());
    EXPECT_LT((torque + per_force * (angular_after - angular_before)).norm(), 1e-9 * torque.norm());
}

TEST(Viscosity, ShearWaveDecaysByTheFactorOfImplicitEuler)
{
    constexpr double kNumber = 0.5, kWave = 2 * pi / 16;
    ViscousProblem p({0, 0, 0}, {6, 6, 2}, 1.0);
    p.finish(
        [](const Vec3& x) {
            return std::max({std::abs(x.x() - 24) - 23, std::abs(x.y() - 24) - 23, std::abs(x.z() - 8) - 3});
        },
        kNumber);
    const auto wave = [&](const Vec3& x) -> Vec3 { return {std::sin(kWave * x.y()), 0, 0}; };
    p.set_velocity(wave);
    EXPECT_TRUE(p.solve(1e-9).converged);
    const double factor = 1 / (1 + kNumber * 4 * std::pow(std::sin(kWave / 2), 2));
    EXPECT_NEAR(factor, 0.929264, 1e-6); // 1 / (2 - cos(pi/8)) = 1 / (2 - 0.9238795), by hand
    const auto middle = [](const Vec3& x) { return std::abs(x.x() - 24) < 4 && std::abs(x.y() - 24) < 9; };
    EXPECT_LT(p.error([&](const Vec3& x) -> Vec3 { return factor * wave(x); }, middle), 1e-6);
}

TEST(Viscosity, ShearWaveDecaysExponentially)
{
    RIVULET_SKIP_IN_SLOW_BUILD();
    constexpr double kNumber = 0.2, kWave = 2 * pi / 32;
    ViscousProblem p({0, 0, 0}, {4, 8, 1}, 1.0);
    p.finish(
        [](const Vec3& x) {
            return std::max({std::abs(x.x() - 16) - 15, std::abs(x.y() - 32) - 31, std::abs(x.z() - 4) - 2});
        },
        kNumber);
    const auto wave = [&](const Vec3& x) -> Vec3 { return {std::sin(kWave * x.y()), 0, 0}; };
    p.set_velocity(wave);
    for (int n = 0; n < 40; ++n) EXPECT_TRUE(p.solve(1e-7).converged);
    const double factor = std::exp(-kWave * kWave * kNumber * 40); // exp(-nu k^2 t) = 0.73
    const auto middle = [](const Vec3& x) { return std::abs(x.x() - 16) < 2 && std::abs(x.y() - 32) < 9; };
    EXPECT_LT(p.error([&](const Vec3& x) -> Vec3 { return factor * wave(x); }, middle), 0.003);
}

TEST(Viscosity, HoneyNeedsFewIterations)
{
    CutViscousProblem problem(500);
    problem.set_velocity([](const Vec3& x) -> Vec3 { return {std::sin(20 * x.z()), 0, -1}; });
    const ViscosityResult result = problem.solve(1e-6);
    EXPECT_TRUE(result.converged);
    EXPECT_LE(result.iterations, 40); // measured 17
}

TEST(Viscosity, EstimatedErrorIsTheErrorOfTheVelocity)
{
    for (const double number : {0.3, 500.0}) {
        CutViscousProblem problem(number);
        problem.set_velocity([](const Vec3& x) -> Vec3 { return {std::sin(20 * x.z()), 0, -1}; });
        CutViscousProblem exact(number);
        exact.velocity = problem.velocity;
        EXPECT_TRUE(problem.solve(1e-5).converged);
        EXPECT_TRUE(exact.solve(1e-12).converged);
        double error = 0;
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t n = 0; n < problem.velocity[a].size(); ++n)
                error = std::max(error, std::abs(problem.velocity[a][n] - exact.velocity[a][n]));
        EXPECT_LT(error, 3e-5) << number; // measured 9e-6
    }
}

TEST(Viscosity, SameBitsOnAnyNumberOfThreads)
{
    for (const double number : {0.1, 300.0}) {
        const auto hash = [&](int n_threads) {
            const ThreadPool pool(n_threads);
            CutViscousProblem problem(number);
            problem.randomise_velocity(9);
            EXPECT_TRUE(problem.solve(1e-6).converged);
            Hasher hasher;
            for (const auto& v : problem.velocity) hasher.bytes(std::as_bytes(std::span(v)));
            return hasher.value();
        };
        const std::uint64_t expected = hash(1);
        for (const int n_threads : {1, 2, 3, 8}) EXPECT_EQ(hash(n_threads), expected) << n_threads << " threads";
    }
}

TEST(Viscosity, WithoutConvergenceTheVelocityIsLeftAsItWas)
{
    CutViscousProblem problem(300);
    problem.randomise_velocity(9);
    const FaceField before = problem.velocity;
    EXPECT_FALSE(problem.solve(1e-9, 2).converged);
    EXPECT_EQ(problem.velocity, before);
    problem.input.uniform_viscosity = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(problem.solve(1e-9, 100).converged);
    EXPECT_EQ(problem.velocity, before);
}

} // namespace
} // namespace rivulet
