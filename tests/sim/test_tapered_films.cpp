#include "base/parallel.h"
#include "geometry/shapes.h"
#include "sim/film_stages.h"
#include "sim/models.h"
#include "sim/scratch.h"
#include "sim/strand_stages.h"
#include "sim/wet_hair.h"
#include "sim/wet_span.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

// Whole stages and steps with films on strands that become thinner towards their tips.

Model tapered(Model m, double tip, int parts = 1)
{
    for (std::int32_t s = 0; s < m.strands.n_strands(); ++s) taper_strand(m.strands, s, tip);
    m.wetting->film_parts = parts;
    return m;
}

/// Radius of a hair at a vertex of its own mesh, n parts to each of its 41 edges [m].
double cone(double tip, std::size_t j, int parts = 1)
{
    return test::kHair * (1 + (tip - 1) * static_cast<double>(j) / (41 * parts));
}
double ring(double r, double outer) { return std::numbers::pi * (outer * outer - r * r); }

TEST(TaperedFilms, BeginAsRingsAboutTheCone)
{
    const double l = 0.047 / 41;
    for (const int parts : {1, 3}) {
        Model m = tapered(test::wet_hair(Vec3::UnitX()), 0.4, parts);
        m.film_at_start.assign(42, 3e-4);
        const State state = initial_state(m);
        double sum = 0;
        for (std::size_t v = 0; v < 42; ++v) {
            const double r = cone(0.4, v), volume = (v % 41 == 0 ? 0.5 : 1) * l * ring(r, r + 3e-4);
            EXPECT_NEAR(state.film.volume[v], volume, 1e-12 * volume) << v;
            sum += volume;
        }
        EXPECT_NEAR(ledger_balance(state).initial, sum, 1e-12 * sum);
        if (parts == 1) continue;
        ASSERT_EQ(state.film.mesh_volume.size(), 124U);
        for (std::size_t j = 2; j < 122; ++j) { // the section grows evenly, so that three of them have what one has
            const double r = cone(0.4, j, 3), volume = l / 3 * ring(r, r + 3e-4);
            EXPECT_NEAR(state.film.mesh_volume[j], volume, 1e-12 * volume) << j;
        }
        EXPECT_NEAR(state.film.mesh_volume[0] + state.film.mesh_volume[1], state.film.volume[0], 1e-24);
    }
}

TEST(TaperedFilms, AreDrawnToTheThickEnd)
{
    // A film as thick all along, without weight: p = sigma/H, so u = sigma/(rho H^2) dr/dx t towards the root.
    const double t = 1e-4, h = 2e-5;
    for (const int parts : {1, 3}) {
        Model m = test::held(tapered(test::wet_hair(Vec3::UnitX()), 0.4, parts));
        m.options.gravity.setZero();
        m.options.frame_interval = t;
        m.film_at_start.assign(42, h);
        State state = initial_state(m);
        test::run_until(m, state, t);
        for (std::size_t e = 4; e < 36; ++e) {
            const std::size_t j = e * static_cast<std::size_t>(parts) + static_cast<std::size_t>(parts / 2);
            const double outer = 0.5 * (cone(0.4, j, parts) + cone(0.4, j + 1, parts)) + h;
            const double u = -0.0206 / (950 * outer * outer) * 0.6 * test::kHair / 0.047 * t;
            EXPECT_NEAR(mesh_flow(state)[j] / u, 1, 0.01) << parts << " " << e;
        }
        EXPECT_LT(sum_strands(m, state).relative_error, 1e-9);
    }
}

TEST(TaperedFilms, HangAtTheTipAsTheTipIsThick)
{
    // Tate's law with the tip's own radius, 0.4 x 50 um: 2 pi r sigma/(rho g).
    const double hangs = 2 * std::numbers::pi * 2e-5 * 0.0206 / (950 * 9.81);
    for (const int parts : {1, 3})
        for (const double part : {0.99, 1.01}) {
            Model m = test::held(tapered(test::wet_hair(-Vec3::UnitZ()), 0.4, parts));
            m.options.cell_size = 1e-3;
            m.options.gravity = Vec3(0, 0, -9.81);
            State state = initial_state(m);
            Workspace workspace;
            state.film.pool[0] = part * hangs;
            solve_strands(m, state, workspace.scratch(), 1e-3);
            state.clock.step = 1; // leads count from the first step on
            shed_liquid(m, state, workspace.scratch(), 1e-3);
            EXPECT_EQ(state.film.pool[0], part < 1 ? part * hangs : 0);
            EXPECT_EQ(state.liquid.size() > 0, part > 1);
            EXPECT_NEAR(test::volume_of(state), part * hangs, 1e-13 * hangs);
        }
}

TEST(TaperedFilms, HoldDropsBetweenTheEndsAsTheStrandIsThickThere)
{
    // V = 4 pi r sigma/(rho g) times the square of 0.5; at vertex 30 of 41, r = (1 - 0.6 x 30/41) 50 um.
    Model m = test::held(tapered(test::wet_hair(Vec3::UnitX()), 0.4));
    m.options.cell_size = 1e-3;
    m.options.gravity = Vec3(0, 0, -9.81);
    State state = initial_state(m);
    Workspace workspace;
    const double holds = 0.25 * 4 * std::numbers::pi * cone(0.4, 30) * 0.0206 / (950 * 9.81);
    state.film.volume[30] = holds + 1e-9;
    solve_strands(m, state, workspace.scratch(), 1e-3);
    state.clock.step = 1;
    shed_liquid(m, state, workspace.scratch(), 1e-3);
    EXPECT_NEAR(state.film.volume[30], holds, 0.01 * holds);
}

TEST(TaperedFilms, FillToThriceTheRadiusTheyLieOn)
{
    Model m = test::held(tapered(test::wet_hair(Vec3::UnitX()), 0.4));
    m.wetting->captures = true;
    m.wetting->capture_time = 1e-6;
    m.wetting->thickest = 3;
    m.options.gravity.setZero();
    LiquidBody pool;
    pool.name = "pool";
    pool.shape = make_box(Vec3(-0.01, -0.01, -0.01), Vec3(0.06, 0.01, 0.01));
    m.bodies.push_back(pool);
    State state = initial_state(m);
    Workspace workspace;
    solve_strands(m, state, workspace.scratch(), 1e-3);
    const double volume = test::volume_of(state);
    catch_liquid(m, state, workspace.scratch(), 1e-3);
    EXPECT_NEAR(test::volume_of(state), volume, 1e-13 * volume);
    for (std::size_t v = 1; v < 41; ++v) { // tips catch nothing
        const double r = cone(0.4, v), room = 0.047 / 41 * ring(r, 3 * r);
        EXPECT_NEAR(state.film.volume[v], room, 1e-9 * room) << v;
    }
}

/// Hairs side by side that hang askew, joined by bridges, fall with their drops and swing in a spray that they catch.
Model swinging_clump(int parts, int n_strands)
{
    Model m = tapered(test::with_drops(test::wet_hair(Vec3(0.8, 0, -0.6), n_strands, 0.25e-3)), 0.5, parts);
    m.options.strand_contact = StrandContactLaw::Cone;
    m.wetting->film.viscosity = 1e-3;
    m.wetting->captures = true;
    m.wetting->spreads = true;
    m.liquids[0].viscosity = 1e-3;
    LiquidBody spray;
    spray.name = "spray";
    spray.shape = make_box(Vec3(0.015, -0.005, -0.02), Vec3(0.03, 0.005, -0.01));
    spray.velocity = Vec3(0.2, 0, 0);
    m.bodies.push_back(spray);
    return m;
}

TEST(TaperedFilms, HairsThatSwingJoinCatchAndDripKeepTheirLedgers)
{
    for (const int parts : {1, 3}) {
        const Model m = swinging_clump(parts, 3);
        State state = initial_state(m);
        Workspace workspace;
        std::int64_t bridges = 0;
        while (state.clock.time < 0.1 - 1e-12) {
            advance(m, state, workspace);
            bridges += static_cast<std::int64_t>(state.bridges.size());
        }
        EXPECT_GT(bridges, 0);
        EXPECT_GT(ledger_balance(state).caught, 1e-10);
        EXPECT_GT(ledger_balance(state).shed, 1e-10);
        EXPECT_LT(ledger_balance(state).relative_error, 1e-12) << parts;
        EXPECT_LT(sum_strands(m, state).relative_error, 1e-9) << parts;
    }
}

TEST(TaperedFilms, HaveTheSameBitsOnAnyNumberOfThreadsAndWithANewWorkspace)
{
    for (const int parts : {1, 3}) {
        const Model m = swinging_clump(parts, 18); // more than one task
        std::vector<std::uint64_t> hashes;
        for (const int n : {1, 2, 3}) {
            const ThreadPool pool(n);
            State state = initial_state(m);
            test::run_until(m, state, 0.005);
            test::run_until(m, state, 0.01);
            EXPECT_GT(ledger_balance(state).caught, 0);
            EXPECT_GT(state.bridges.size(), 0U);
            hashes.push_back(state_hash(state));
        }
        State through = initial_state(m);
        test::run_until(m, through, 0.01);
        EXPECT_EQ(hashes[0], state_hash(through));
        EXPECT_EQ(hashes[0], hashes[1]);
        EXPECT_EQ(hashes[0], hashes[2]);
    }
}

} // namespace
} // namespace rivulet
