#include "base/parallel.h"
#include "base/rng.h"
#include "geometry/shapes.h"
#include "sim/diagnostics.h"
#include "sim/film_stages.h"
#include "sim/models.h"
#include "sim/scratch.h"
#include "sim/seed.h"
#include "sim/strand_stages.h"
#include "sim/wet_hair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

using test::held;
using test::kHair;
using test::momentum_of;
using test::volume_of;
using test::wet_hair;
using test::with_drops;
constexpr double kUnit = 2.5e-3 * 2.5e-3 * 2.5e-3 / 32; // of drops: a quarter of a particle

TEST(Films, StrandsThatMoveSteadilyGoOnWhileDropsSlideDownThem)
{
    // H11, the published test of momentum transport: 20 cm/s sideways for 0.3 s, and the drop's way must not show.
    for (const FilmMomentum law : {FilmMomentum::Transport, FilmMomentum::Rescale}) {
        Model m = with_drops(wet_hair(-Vec3::UnitZ()));
        m.wetting->momentum = law;
        m.wetting->drags = m.wetting->floats = false; // what has fallen off would still pull at the tip
        m.options.frame_interval = 0.15;
        Obstacle bar;
        bar.name = "bar";
        bar.shape = make_box(Vec3::Constant(-1e-3), Vec3::Constant(1e-3));
        bar.motion.drift = Vec3(0.2, 0, 0);
        m.obstacles.push_back(bar);
        for (StrandPin& pin : m.strands.pins) pin.body = 0;
        for (Vec3& v : m.strands_at_start.velocity) v = bar.motion.drift;
        State state = initial_state(m);
        Workspace workspace;
        double worst = 0, off = 0; // at any time
        while (state.clock.time < 0.3 - 1e-12) {
            advance(m, state, workspace);
            for (const Vec3& v : state.strands.velocity) worst = std::max(worst, std::abs(v.x() - 0.2));
            off = std::max(off, std::abs(state.strands.position[41].x() - state.strands.position[0].x()));
        }
        if (law == FilmMomentum::Transport) {
            EXPECT_LT(worst, 1e-8);                                                     // asked for: 1e-6 cm/s
            EXPECT_LT(off, 1e-7);                                                       // 1e-5 cm
            EXPECT_LT(ledger_balance(state).film, 0.1 * ledger_balance(state).initial); // the drop has left
        } else {
            EXPECT_GT(off, 1e-3); // the naive way: over 0.1 cm
        }
    }
}

TEST(Films, SurfaceHasTheEnergyOfTheRingThatItAdds)
{
    // Around 4.7 cm of hair, 0.3 mm thick: 2 pi 0.3 mm 4.7 cm 0.0206 N/m, by hand; under water there is no surface.
    Model m = wet_hair(Vec3::UnitX());
    m.film_at_start.assign(42, 3e-4);
    State state = initial_state(m);
    EXPECT_NEAR(diagnose(m, state).surface_energy, 1.825014e-6, 1e-11);
    EXPECT_EQ(diagnose(m, state).surface_energy, sum_strands(m, state).surface_energy);
    state.immersion.exposure.assign(42, 0.25);
    EXPECT_NEAR(diagnose(m, state).surface_energy, 0.25 * 1.825014e-6, 1e-11);
    state.film.volume.assign(42, 0.0);
    EXPECT_NEAR(diagnose(m, state).surface_energy, 0, 1e-20);
}

TEST(Films, LoseNothingAtTheTip)
{
    for (const bool drips : {false, true}) {
        Model m = with_drops(held(wet_hair(-Vec3::UnitZ())));
        m.wetting->drips = drips;
        m.domain.walls.fill(Wall::Closed);
        State state = initial_state(m);
        const double before = volume_of(state);
        EXPECT_NEAR(before, 6 * 0.047 / 41 * std::numbers::pi * (1.05e-3 * 1.05e-3 - kHair * kHair), 1e-12 * before);
        test::run_until(m, state, 0.2);
        EXPECT_NEAR(volume_of(state), before, 1e-13 * before);
        EXPECT_EQ(*std::min_element(state.film.volume.begin(), state.film.volume.end()) < 0, false);
        if (drips) {
            EXPECT_GT(state.liquid.size(), 5);
            const double hangs = 2 * std::numbers::pi * kHair * 0.0206 / (950 * 9.81), unit = kUnit;
            EXPECT_GT(hangs, unit);
            EXPECT_LT(state.film.pool[0], hangs);
            EXPECT_GE(*std::min_element(state.liquid.volume.begin(), state.liquid.volume.end()), unit);
        } else {
            EXPECT_EQ(state.liquid.size(), 0);
            EXPECT_GT(state.film.pool[0], 0.99 * before);
        }
        EXPECT_LT(ledger_balance(state).relative_error, 1e-13);
        EXPECT_LT(sum_strands(m, state).relative_error, 1e-9);
    }
}

/// A drop on a strand that turns once a second, without gravity.
Model turning_strand(int n)
{
    Model m = wet_hair(Vec3::UnitX(), 1, 0, n);
    m.options.gravity.setZero();
    m.options.frame_interval = 0.25;
    m.wetting->film.surface_tension = 0;
    m.wetting->drips = false;
    const double omega = 2 * std::numbers::pi;
    Obstacle axle;
    axle.name = "axle";
    axle.shape = make_sphere(Vec3::Zero(), 1e-3);
    axle.motion.spin = Vec3(0, 0, omega);
    m.obstacles.push_back(axle);
    m.strands.pins.clear();
    for (std::int32_t v = 0; v < n; ++v) {
        Vec3& x = m.strands_at_start.position[static_cast<std::size_t>(v)];
        x += Vec3(5e-3, 0, 0);
        m.strands.pins.push_back({v, 0, x});
        m.strands_at_start.velocity[static_cast<std::size_t>(v)] = Vec3(0, omega * x.x(), 0);
        if (x.x() < 0.0100) m.film_at_start[static_cast<std::size_t>(v)] = 1e-3;
    }
    return m;
}

/// Distance of the middle of the films from the origin [m].
double film_distance(const State& state)
{
    double sum = 0, volume = 0;
    for (std::size_t v = 0; v < state.film.volume.size(); ++v) {
        sum += state.film.volume[v] * state.strands.position[v].norm();
        volume += state.film.volume[v];
    }
    return sum / volume;
}

/// How often as far the drop is after a quarter of a turn.
double way_on_turning_strand(const Model& m)
{
    State state = initial_state(m);
    const double start = film_distance(state);
    test::run_until(m, state, 0.25);
    EXPECT_LT(sum_strands(m, state).relative_error, 1e-9);
    return film_distance(state) / start;
}

TEST(Films, AreThrownOutwardsByTheirStrandsAcceleration)
{
    const double exact = std::cosh(0.5 * std::numbers::pi);                       // s_0 cosh(omega t)
    EXPECT_NEAR(way_on_turning_strand(turning_strand(42)), exact, 0.015 * exact); // asked for: 0.03
    EXPECT_NEAR(way_on_turning_strand(turning_strand(83)), exact, 0.015 * exact);
    for (const bool flows : {true, false}) {
        Model m = turning_strand(42);
        m.wetting->flows = flows;
        m.wetting->inertia = !flows;
        EXPECT_NEAR(way_on_turning_strand(m), 1, 1e-8 / 7e-3); // 1e-8 m
    }
}

TEST(Films, ThatDoNotLagBehindOrDoNotFlowKeepTheMomentumOfTheWhole)
{
    // A hair that hangs askew falls with its drop and swings, in a spray that it catches.
    for (const bool flows : {true, false}) {
        Model m = with_drops(wet_hair(Vec3(0.8, 0, -0.6)));
        m.wetting->flows = flows;
        m.wetting->inertia = !flows;
        m.wetting->film.viscosity = 1e-2;
        m.wetting->captures = true;
        m.wetting->drips = false;
        LiquidBody spray;
        spray.name = "spray";
        spray.shape = make_box(Vec3(0.015, -0.005, -0.02), Vec3(0.03, 0.005, -0.01));
        spray.velocity = Vec3(0.2, 0, 0);
        m.bodies.push_back(spray);
        State state = initial_state(m);
        const std::vector<double> before = state.film.volume;
        test::run_until(m, state, 0.1);
        EXPECT_GT(ledger_balance(state).caught, 1e-10) << flows;
        EXPECT_LT(ledger_balance(state).relative_error, 1e-13) << flows;
        EXPECT_LT(sum_strands(m, state).relative_error, 1e-9) << flows; // measured 2e-13
        if (flows) continue;
        for (std::size_t v = 0; v < before.size(); ++v) EXPECT_GE(state.film.volume[v], before[v]) << v;
        EXPECT_EQ(state.film.pool[0], 0);
    }
}

TEST(Films, StrandsCatchLiquidAndKeepVolumeAndMomentum)
{
    Model m = wet_hair(Vec3::UnitX(), 4);
    m.wetting->captures = true;
    m.wetting->contact_angle = 1;
    LiquidBody body;
    body.name = "splash";
    body.shape = make_box(Vec3(-0.002, -0.005, -0.006), Vec3(0.03, 0.01, 0.004));
    body.velocity = Vec3(0.3, -0.2, 0.5);
    body.angular_velocity = Vec3(5, 0, 9);
    m.bodies.push_back(body);
    State state = initial_state(m);
    for (std::size_t v = 0; v < state.film.volume.size(); ++v) {
        state.film.volume[v] = 1e-12 * random_unit(1, v, 0);
        state.film.flow[v] = random_unit(1, v, 1) - 0.5;
        for (int a = 0; a < 3; ++a)
            state.strands.velocity[v][a] = random_unit(1, v, static_cast<std::uint64_t>(a) + 2) - 0.5;
    }
    state.clock.step = 1; // leads count from the first step on
    Workspace workspace;
    solve_strands(m, state, workspace.scratch(), 1e-3);
    const double volume = volume_of(state), film = ledger_balance(state).film;
    const Vec3 momentum = momentum_of(m, state);
    const StrandLedger before = state.strand_ledger;
    catch_liquid(m, state, workspace.scratch(), 1e-3);
    const double caught = ledger_balance(state).film - film;
    EXPECT_GT(caught, 1e-11);
    EXPECT_NEAR(volume_of(state), volume, 1e-13 * volume);
    EXPECT_NEAR(ledger_balance(state).caught, caught, 1e-12 * caught);
    Vec3 support;
    for (int a = 0; a < 3; ++a) {
        const auto i = static_cast<std::size_t>(a);
        support[a] = state.strand_ledger.support[i].total() - before.support[i].total();
    }
    EXPECT_GT(support.norm(), 0); // two vertices of each strand are held
    EXPECT_LT((momentum_of(m, state) - momentum - support).norm(), 1e-13 * momentum.norm());
}

/// What 400 hairs, each with a drop of this volume [m^3] on it and room for so much, ask a part of that room, catch in
/// a step; by hair.
std::vector<double> caught_from_lone_drops(double drop, double room, double part)
{
    constexpr int kHairs = 400;
    Model m = wet_hair(Vec3::UnitX(), kHairs, 3e-3, 3); // one vertex of each between its ends, with 2.35 cm of it
    m.wetting->captures = true;
    m.wetting->capture_time = -1e-3 / std::log(1 - part);
    m.wetting->thickest = std::sqrt(1 + room / (std::numbers::pi * kHair * kHair * 0.0235));
    State state = initial_state(m);
    for (int s = 0; s < kHairs; ++s)
        append_particle(m, 0, {Vec3(0.0235, 3e-3 * s, 0), Vec3::UnitZ(), Mat3::Zero(), drop, Vec3::Zero()}, state);
    Workspace workspace;
    solve_strands(m, state, workspace.scratch(), 1e-3);
    const double volume = volume_of(state);
    catch_liquid(m, state, workspace.scratch(), 1e-3);
    EXPECT_NEAR(volume_of(state), volume, 1e-13 * volume);
    std::vector<double> caught;
    for (int s = 0; s < kHairs; ++s) caught.push_back(state.film.volume[static_cast<std::size_t>(3 * s + 1)]);
    return caught;
}

TEST(Films, CatchingLeavesNoCrumbs)
{
    // A quarter of a particle is 4.88e-10 m^3. Of a whole one, part goes over, exactly.
    for (const double v : caught_from_lone_drops(4 * kUnit, 8e-10, 0.25)) EXPECT_NEAR(v, 2e-10, 1e-20);
    // Of drops of 6e-10 with 2e-10 asked of them a third goes over, whole.
    double sum = 0;
    for (const double v : caught_from_lone_drops(6e-10, 8e-10, 0.25)) {
        EXPECT_NEAR(v, v > 0 ? 6e-10 : 0, 1e-20);
        sum += v;
    }
    EXPECT_NEAR(sum, 400 * 2e-10,
                3 * 6e-10 * std::sqrt(400 * 2 / 9.0)); // three standard deviations; measured -5e-9 of 1.7e-8
    // None where there is no room for the whole.
    for (const double v : caught_from_lone_drops(6e-10, 5e-10, 0.4)) EXPECT_EQ(v, 0);
}

TEST(Films, AllLiquidIsCaughtByThirstyStrands)
{
    // A particle that is smaller than what its neighbours ask for disappears whole.
    Model m = wet_hair(Vec3::UnitX());
    m.wetting->captures = true;
    m.wetting->capture_time = 1e-6;
    m.wetting->thickest = 80;
    State state = initial_state(m);
    state.liquid = {};
    state.liquid.position = {Vec3(0.02, 1e-4, 0)};
    state.liquid.velocity = {Vec3(0, -1, 0)};
    state.liquid.lead = {Vec3f::Zero()};
    state.liquid.affine = {Mat3::Zero()};
    state.liquid.volume = {1e-10};
    state.liquid.pressure = {0};
    state.liquid.colour = {Vec3f::Zero()};
    state.liquid.liquid = {0};
    state.liquid.id = {0};
    state.next_id = 1;
    Workspace workspace;
    solve_strands(m, state, workspace.scratch(), 1e-3);
    catch_liquid(m, state, workspace.scratch(), 1e-3);
    EXPECT_EQ(state.liquid.size(), 0);
    EXPECT_NEAR(volume_of(state), 1e-10, 1e-24);
}

TEST(Films, DripDownToWhatSurfaceTensionHolds)
{
    // V = 4 pi r sigma / (rho g) = 4.61e-3 cm3 for one hair of r = 0.005 cm in water, times the square of the factor.
    const auto left = [](double total, int n_strands, double gravity) {
        Model m = held(wet_hair(Vec3::UnitX(), n_strands, 0.3e-3));
        m.wetting->film.density = 1000;
        m.wetting->surface_tension = 0.07197;
        m.liquids[0].density = 1000;
        m.options.gravity = Vec3(0, 0, -gravity);
        State state = initial_state(m);
        Workspace workspace;
        for (std::int32_t s = 0; s < n_strands; ++s)
            state.film.volume[static_cast<std::size_t>(42 * s + 20)] = total / n_strands;
        solve_strands(m, state, workspace.scratch(), 1e-3);
        const Vec3 before = momentum_of(m, state);
        state.clock.step = 1; // leads count from the first step on
        shed_liquid(m, state, workspace.scratch(), 1e-3);
        EXPECT_NEAR(volume_of(state), total, 1e-13 * total);
        EXPECT_LT((momentum_of(m, state) - before).norm(), 1e-20);
        return ledger_balance(state).film;
    };
    const double one = 0.25 * 4.61e-9, unit = kUnit;
    EXPECT_EQ(left(one, 1, 9.81), one);
    EXPECT_EQ(left(0.99 * (one + unit), 1, 9.81), 0.99 * (one + unit));
    EXPECT_NEAR(left(one + 3.5 * unit, 1, 9.81), one, 0.002 * one);
    EXPECT_NEAR(left(4 * one + 8 * unit, 4, 9.81), 2 * one, 0.004 * one);  // four hairs hold twice as much
    EXPECT_NEAR(left(one + 3.5 * unit, 1, 98.1), 0.1 * one, 0.0002 * one); // ten times the weight
}

TEST(Films, ForcesBetweenTheStrandsOfACellShakeNothingOff)
{
    // Two hairs hold sqrt(2) times what one does. Pulled to each other they hold as much as at rest; jerked together,
    // next to nothing: a drop would have to follow both.
    const auto left = [](double total, double jerk_a, double jerk_b) {
        Model m = held(wet_hair(Vec3::UnitX(), 2, 0.3e-3));
        m.wetting->film.density = m.liquids[0].density = 1000;
        m.wetting->surface_tension = 0.07197;
        m.options.gravity = Vec3(0, 0, -9.81);
        State state = initial_state(m);
        Workspace workspace;
        state.film.volume[20] = state.film.volume[62] = total / 2;
        solve_strands(m, state, workspace.scratch(), 1e-3);
        workspace.scratch().films.acceleration[20] += Vec3(0, 0, jerk_a);
        workspace.scratch().films.acceleration[62] += Vec3(0, 0, jerk_b);
        shed_liquid(m, state, workspace.scratch(), 1e-3);
        return ledger_balance(state).film;
    };
    const double one = 0.25 * 4.61e-9, total = 1.2 * one;
    EXPECT_EQ(left(total, 0, 0), total);
    EXPECT_EQ(left(total, 500, -500), total);
    EXPECT_NEAR(left(total, 500, 500), std::sqrt(2) * one * 9.81 / 509.81, 1e-3 * one);
}

TEST(Films, DripNoMoreThanThereIsRoomForAround)
{
    Model m = held(wet_hair(Vec3::UnitX()));
    State state = initial_state(m);
    Workspace workspace;
    const double cell = std::pow(m.options.cell_size, 3);
    state.film.volume[20] = 100 * cell;
    state.film.pool[0] = 50 * cell; // another cell
    solve_strands(m, state, workspace.scratch(), 1e-3);
    shed_liquid(m, state, workspace.scratch(), 1e-3);
    EXPECT_NEAR(ledger_balance(state).film, 99 * cell, 1e-9 * cell);
    EXPECT_NEAR(ledger_balance(state).pool, 49 * cell, 1e-9 * cell);
    EXPECT_EQ(state.liquid.size(), 64); // two cells of 32 drops
    EXPECT_NEAR(volume_of(state), 150 * cell, 1e-9 * cell);
    EXPECT_NEAR(state.film.shed[0], 2 * cell, 1e-12 * cell);
    for (Vec3& x : state.liquid.position) x = state.strands.position[20]; // none left
    shed_liquid(m, state, workspace.scratch(), 1e-3);
    EXPECT_NEAR(ledger_balance(state).film, 99 * cell - 2 * kUnit, 1e-9 * cell);
}

TEST(Films, HaveTheSameBitsOnAnyNumberOfThreads)
{
    Model m = with_drops(wet_hair(Vec3(1, 0, -1).normalized(), 9));
    m.wetting->captures = true;
    LiquidBody body;
    body.name = "splash";
    body.shape = make_box(Vec3(0.005, -0.002, -0.03), Vec3(0.03, 0.02, -0.01));
    body.velocity = Vec3(0, 0, 0.5);
    m.bodies.push_back(body);
    std::vector<std::uint64_t> hashes;
    for (const int n : {1, 2, 3}) {
        const ThreadPool pool(n);
        State state = initial_state(m);
        test::run_until(m, state, 0.02);
        EXPECT_GT(ledger_balance(state).caught, 0);
        hashes.push_back(state_hash(state));
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
}

} // namespace
} // namespace rivulet
