#include "base/parallel.h"
#include "base/rng.h"
#include "geometry/shapes.h"
#include "sim/film_stages.h"
#include "sim/models.h"
#include "sim/scratch.h"
#include "sim/strand_stages.h"
#include "sim/wet_hair.h"
#include "sim/wet_span.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

// Whole stages with films that have a mesh of their own.

Model with_parts(Model m, int parts)
{
    m.wetting->film_parts = parts;
    return m;
}

/// Every film of its mesh at random, strands too.
void stir(const Model& m, State& state, double volume)
{
    for (std::size_t j = 0; j < mesh_volume(state).size(); ++j) {
        mesh_volume(state)[j] = volume * random_unit(1, j, 0) / m.wetting->film_parts;
        mesh_flow(state)[j] = random_unit(1, j, 1) - 0.5;
    }
    for (std::size_t v = 0; v < state.strands.velocity.size(); ++v)
        for (int a = 0; a < 3; ++a)
            state.strands.velocity[v][a] = random_unit(1, v, static_cast<std::uint64_t>(a) + 2) - 0.5;
    if (m.wetting->film_parts == 1) return;
    for (std::size_t s = 0; s < m.strands.material.size(); ++s) sum_mesh(state, span_of(m, state, s));
}

/// Largest difference of the films of vertices and those of their mesh.
double gap_of_sums(const Model& m, const State& state)
{
    State summed = state;
    for (std::size_t s = 0; s < m.strands.material.size(); ++s) sum_mesh(summed, span_of(m, state, s));
    double gap = 0;
    for (std::size_t v = 0; v < state.film.volume.size(); ++v) {
        gap = std::max(gap, std::abs(summed.film.volume[v] - state.film.volume[v]));
        EXPECT_NEAR(summed.film.flow[v], state.film.flow[v], 1e-12) << v;
    }
    return gap;
}

Vec3 support_of(const State& state)
{
    Vec3 sum;
    for (int a = 0; a < 3; ++a) sum[a] = state.strand_ledger.support[static_cast<std::size_t>(a)].total();
    return sum;
}

TEST(FilmMeshes, BeginAsEvenAsTheirFilms)
{
    // Rings of 0.3 mm about two vertices, of 47/41 mm each: the mesh has a fifth of that, 5 x 2 times.
    Model m = with_parts(test::wet_hair(Vec3::UnitX()), 5);
    m.film_at_start[20] = m.film_at_start[21] = 3e-4;
    const State state = initial_state(m);
    ASSERT_EQ(state.film.mesh_volume.size(), 206U);
    const double ring = 0.047 / 41 / 5 * std::numbers::pi * (3.5e-4 * 3.5e-4 - 5e-5 * 5e-5);
    for (std::size_t j = 0; j < 206; ++j)
        EXPECT_NEAR(state.film.mesh_volume[j], j >= 98 && j < 108 ? ring : 0, 1e-12 * ring) << j;
    // Its surface: that of the ring, 2 pi 0.3 mm 0.0206 N/m over 2 x 1.146 mm, and less than two discs for its ends.
    const double length = 2 * 0.047 / 41, surface = 2 * std::numbers::pi * 3e-4 * 0.0206 * length;
    EXPECT_GT(diagnose(m, state).surface_energy, surface);
    EXPECT_LT(diagnose(m, state).surface_energy, surface + 2 * 0.0206 * std::numbers::pi * 3.5e-4 * 3.5e-4);
}

TEST(FilmMeshes, CatchingKeepsVolumeAndMomentum)
{
    for (const int parts : {1, 3, 7}) {
        Model m = with_parts(test::wet_hair(Vec3::UnitX(), 4), parts);
        m.wetting->captures = true;
        m.wetting->contact_angle = 1;
        LiquidBody body;
        body.name = "splash";
        body.shape = make_box(Vec3(-0.002, -0.005, -0.006), Vec3(0.03, 0.01, 0.004));
        body.velocity = Vec3(0.3, -0.2, 0.5);
        m.bodies.push_back(body);
        State state = initial_state(m);
        stir(m, state, 1e-12);
        state.clock.step = 1; // leads count from the first step on
        Workspace workspace;
        solve_strands(m, state, workspace.scratch(), 1e-3);
        const double volume = test::volume_of(state), film = ledger_balance(state).film;
        const Vec3 momentum = test::momentum_of(m, state), support = support_of(state);
        catch_liquid(m, state, workspace.scratch(), 1e-3);
        EXPECT_GT(ledger_balance(state).film, film + 1e-11);
        EXPECT_NEAR(test::volume_of(state), volume, 1e-13 * volume);
        const Vec3 missing = test::momentum_of(m, state) - momentum - (support_of(state) - support);
        EXPECT_LT(missing.norm(), 1e-13 * momentum.norm()) << parts;
        if (parts > 1) {
            EXPECT_LT(gap_of_sums(m, state), 1e-13 * volume);
        }
    }
}

TEST(FilmMeshes, DrippingKeepsVolumeAndMomentum)
{
    for (const int parts : {1, 3, 7}) {
        const Model m = with_parts(test::held(test::wet_hair(Vec3::UnitX(), 4, 0.3e-3)), parts);
        State state = initial_state(m);
        stir(m, state, 2e-9);
        state.clock.step = 1;
        Workspace workspace;
        solve_strands(m, state, workspace.scratch(), 1e-3);
        const double volume = test::volume_of(state);
        const Vec3 momentum = test::momentum_of(m, state);
        shed_liquid(m, state, workspace.scratch(), 1e-3);
        EXPECT_GT(state.liquid.size(), 3);
        EXPECT_NEAR(test::volume_of(state), volume, 1e-13 * volume);
        EXPECT_LT((test::momentum_of(m, state) - momentum).norm(), 1e-12 * momentum.norm()) << parts;
        EXPECT_GE(*std::min_element(mesh_volume(state).begin(), mesh_volume(state).end()), 0);
        if (parts > 1) {
            EXPECT_LT(gap_of_sums(m, state), 1e-13 * volume);
        }
    }
}

/// A hair that hangs askew falls with its drop and swings, in a spray that it catches.
Model swinging_hair(int parts, int n_strands = 1)
{
    Model m = with_parts(test::with_drops(test::wet_hair(Vec3(0.8, 0, -0.6), n_strands)), parts);
    m.wetting->film.viscosity = 1e-3;
    m.wetting->captures = true;
    LiquidBody spray;
    spray.name = "spray";
    spray.shape = make_box(Vec3(0.015, -0.005, -0.02), Vec3(0.03, 0.005, -0.01));
    spray.velocity = Vec3(0.2, 0, 0);
    m.bodies.push_back(spray);
    return m;
}

TEST(FilmMeshes, HairsThatSwingCatchAndDripKeepTheirLedgers)
{
    for (const int parts : {3, 5}) {
        const Model m = swinging_hair(parts);
        State state = initial_state(m);
        test::run_until(m, state, 0.1);
        EXPECT_GT(ledger_balance(state).caught, 1e-10);
        EXPECT_GT(ledger_balance(state).shed, 1e-10);
        EXPECT_LT(ledger_balance(state).relative_error, 1e-13) << parts;
        EXPECT_LT(sum_strands(m, state).relative_error, 1e-9) << parts;
        EXPECT_LT(gap_of_sums(m, state), 1e-13 * ledger_balance(state).initial);
    }
}

TEST(FilmMeshes, HaveTheSameBitsOnAnyNumberOfThreadsAndWithANewWorkspace)
{
    const Model m = swinging_hair(3, 40); // more than one task
    std::vector<std::uint64_t> hashes;
    for (const int n : {1, 2, 3, 8}) {
        const ThreadPool pool(n);
        State state = initial_state(m);
        test::run_until(m, state, 0.01);
        test::run_until(m, state, 0.02);
        EXPECT_GT(ledger_balance(state).caught, 0);
        hashes.push_back(state_hash(state));
    }
    for (const std::uint64_t hash : hashes) EXPECT_EQ(hash, hashes[0]);
}

TEST(FilmMeshes, AreThrownOutwardsByTheirStrandsAcceleration)
{
    // s_0 cosh(omega t), without gravity and tension: H10.
    for (const int parts : {3, 5}) {
        Model m = with_parts(test::wet_hair(Vec3::UnitX()), parts);
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
        for (std::size_t v = 0; v < 42; ++v) {
            Vec3& x = m.strands_at_start.position[v];
            x += Vec3(5e-3, 0, 0);
            m.strands.pins.push_back({static_cast<std::int32_t>(v), 0, x});
            m.strands_at_start.velocity[v] = Vec3(0, omega * x.x(), 0);
            if (x.x() < 0.0100) m.film_at_start[v] = 1e-3;
        }
        State state = initial_state(m);
        const auto distance = [&] {
            double sum = 0, volume = 0;
            const WetSpan strand = span_of(m, state, 0);
            for (std::size_t j = 0; j < state.film.mesh_volume.size(); ++j) {
                sum += state.film.mesh_volume[j] * strand.place(j).norm();
                volume += state.film.mesh_volume[j];
            }
            return sum / volume;
        };
        const double start = distance(), exact = std::cosh(0.5 * std::numbers::pi);
        test::run_until(m, state, 0.25);
        EXPECT_NEAR(distance() / start, exact, 0.015 * exact) << parts;
        EXPECT_LT(sum_strands(m, state).relative_error, 1e-9);
    }
}

} // namespace
} // namespace rivulet
