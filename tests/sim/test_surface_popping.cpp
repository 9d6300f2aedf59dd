// What resampling does to the surface that is drawn.
#include "base/rng.h"
#include "geometry/mesh_distance.h"
#include "geometry/mesh_topology.h"
#include "geometry/shapes.h"
#include "geometry/surfacing.h"
#include "sim/diagnostics.h"
#include "sim/models.h"
#include "sim/resample.h"
#include "sim/seed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

constexpr double kDropCell = 0.02;

/// A drop in the middle of a tank.
Model drop_in_a_tank(double radius)
{
    Model model = test::tank({0.4, 0.4, 0.4}, {0, 0, 0}, kDropCell);
    LiquidBody body;
    body.name = "drop";
    body.shape = make_sphere(Vec3(0.203, 0.207, 0.211), radius);
    model.bodies = {body};
    return model;
}

TriangleMesh surface_of(const State& state)
{
    return surface_particles(state.liquid.position, state.liquid.volume, {}, {.cell_size = kDropCell});
}

/// Largest and root mean square distance of the vertices of either mesh from the other [cells].
struct Motion {
    double largest = 0, rms = 0;
};
Motion motion_between(const TriangleMesh& a, const TriangleMesh& b)
{
    const MeshDistance to_a(a), to_b(b);
    Motion motion;
    const auto add = [&](double d) {
        motion.largest = std::max(motion.largest, std::abs(d) / kDropCell);
        motion.rms += d * d / (kDropCell * kDropCell);
    };
    for (const Vec3& x : a.vertices) add(to_b.distance(x));
    for (const Vec3& x : b.vertices) add(to_a.distance(x));
    motion.rms = std::sqrt(motion.rms / double(a.vertices.size() + b.vertices.size()));
    return motion;
}

/// Number of a particle within 1.5 cells of the drop's surface; others are not seen.
std::size_t outer_particle(const Model& model, const State& state, std::uint64_t draw)
{
    auto p = static_cast<std::size_t>(random_unit(7, 0, draw) * double(state.liquid.size()));
    while (model.bodies[0].shape->distance(state.liquid.position[p]) < -1.5 * kDropCell)
        p = (p + 1) % state.liquid.volume.size();
    return p;
}

// A kernel of variance s^2 sees of a change that keeps the centre of volume only V d^2, by which it has become wider: a
// flat surface moves by at most sqrt(2 pi s^2) W(0) V d^2 / (2 s^2) = 0.8 V d^2, all in cells. A particle of two
// eighths of a cell that parts has d = 1/4 and moves it by 0.013; one of a sixteenth that joins an eighth a cell away,
// the farthest, has V d^2 = 1/24 and moves it by 0.034. On bumps, where the field is flatter, it is more.
TEST(SurfacePopping, OneMergeOrSplitMovesTheSurfaceByATwentiethOfACellAtMost)
{
    const Model model = drop_in_a_tank(3 * kDropCell);
    const State whole = initial_state(model);
    const double nominal = nominal_volume(model);
    for (std::uint64_t k = 0; k < 12; ++k) {
        State state = whole;
        const bool is_merge = k % 2 == 0;
        state.liquid.volume[outer_particle(model, state, k)] = (is_merge ? 0.499 : 2.001) * nominal;
        const TriangleMesh before = surface_of(state);
        resample_liquid(model, 0, state);
        ASSERT_EQ(state.liquid.size(), whole.liquid.size() + (is_merge ? -1 : 1));
        const TriangleMesh after = surface_of(state);
        EXPECT_LT(motion_between(before, after).largest, 0.05) << k; // measured 0.010 for merges, 0.034 for splits
        EXPECT_NEAR(enclosed_volume(after) / enclosed_volume(before), 1, 1.5e-3) << k; // measured 6e-4
    }
}

TEST(SurfacePopping, AllMergesAndSplitsAtOnceMoveTheSurfaceByATenthOfACellAtMost)
{
    const Model model = drop_in_a_tank(5 * kDropCell);
    State state = initial_state(model);
    double seeded = 0, held = 0;
    for (const double v : state.liquid.volume) seeded += v;
    for (std::size_t p = 0; p < state.liquid.volume.size(); ++p)
        held += state.liquid.volume[p] *= std::exp2(2.4 * random_unit(8, 0, p) - 1.2);
    for (double& v : state.liquid.volume) v *= seeded / held;
    const TriangleMesh before = surface_of(state);
    resample_liquid(model, 0, state);
    const TriangleMesh after = surface_of(state);
    const Motion motion = motion_between(before, after);
    EXPECT_GT(state.ledger.n_merges[0], 500); // 607 of 4186 particles
    EXPECT_GT(state.ledger.n_splits[0], 100);
    EXPECT_LT(motion.largest, 0.1);                                              // measured 0.031
    EXPECT_LT(motion.rms, 0.02);                                                 // measured 0.007
    EXPECT_NEAR(enclosed_volume(after), enclosed_volume(before), 3e-3 * seeded); // measured 5e-4
    // The level of one half lies s^2 / R inside of a ball of radius R, s^2 = 1.25 / 4 cells^2. At five cells drops get
    // half of what they lack.
    const double expected = 1 - 0.5 * 3 * 1.25 / 4 / 25;
    EXPECT_NEAR(enclosed_volume(before) / seeded, expected, 0.01); // measured -0.0016
    EXPECT_NEAR(enclosed_volume(after) / seeded, expected, 0.01);  // measured -0.0020
}

} // namespace
} // namespace rivulet
