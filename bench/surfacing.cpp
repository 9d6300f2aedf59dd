#include "bench.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "geometry/surfacing.h"
#include "run/process.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace rivulet {
namespace {

constexpr double kCell = 0.01; ///< [m]
constexpr int kTile = 8;       ///< cells along the edge of a tile of the simulation
constexpr double kSurfaceExponentBar = 1.1;

struct Body {
    std::vector<Vec3> positions;
    std::vector<double> volumes;
    double surface = 0; ///< [cells]
};

/// Particles anywhere in their cubes of half a cell where is_liquid says so, by tiles and cells as the simulation keeps
/// them.
template <class IsLiquid>
Body body_of(int n_cells, IsLiquid&& is_liquid)
{
    Body body;
    const double h = 0.5 * kCell;
    const int n_tiles = (n_cells + kTile - 1) / kTile;
    std::uint64_t n = 0;
    for (int tile = 0; tile < n_tiles * n_tiles * n_tiles; ++tile) {
        const Vec3i first = 2 * kTile * Vec3i(tile % n_tiles, tile / n_tiles % n_tiles, tile / n_tiles / n_tiles);
        for (int k = 0; k < 8 * kTile * kTile * kTile; ++k, ++n) {
            const int cell = k / 8;
            const Vec3i cube = first + 2 * Vec3i(cell % kTile, cell / kTile % kTile, cell / (kTile * kTile)) +
                               Vec3i(k & 1, (k >> 1) & 1, (k >> 2) & 1);
            const Vec3 x =
                h * (cube.cast<double>() + Vec3(random_unit(1, 0, n), random_unit(1, 1, n), random_unit(1, 2, n)));
            if (!is_liquid(x)) continue;
            body.positions.push_back(x);
            body.volumes.push_back(h * h * h);
        }
    }
    return body;
}

Body ball(int diameter)
{
    const double radius = 0.5 * diameter * kCell;
    Body body = body_of(diameter, [&](const Vec3& x) { return (x - Vec3::Constant(radius)).norm() < radius; });
    body.surface = std::numbers::pi * diameter * diameter;
    return body;
}

struct Cost {
    double surface = 0;     ///< [cells]
    double seconds = 1e300; ///< processor time
    double bytes = 0;       ///< at the peak, beside the particles; 0: not known
};
Cost cost_of(const Body& body)
{
    const ThreadPool one_thread(1);
    Cost cost;
    cost.surface = body.surface;
    const int repeats = std::clamp(static_cast<int>(4e6 / double(body.positions.size())), 2, 20);
    for (int i = 0; i < repeats; ++i) {
        const bool knows_memory = forget_peak_memory();
        const double before = resident_bytes();
        const double time = best_seconds(1, cpu_seconds_now, [&] {
            (void)surface_particles(body.positions, body.volumes, {}, {.cell_size = kCell});
        });
        cost.seconds = std::min(cost.seconds, time);
        if (knows_memory) cost.bytes = std::max(cost.bytes, peak_resident_bytes() - before);
    }
    return cost;
}

/// Slope of log value over log surface between two bodies.
BenchFigure exponent_figure(const std::string& name, const Cost& small, const Cost& large, double Cost::*value)
{
    const double exponent = std::log(large.*value / (small.*value)) / std::log(large.surface / small.surface);
    return {name, exponent, "exponent", 1, exponent, kSurfaceExponentBar, exponent <= kSurfaceExponentBar};
}

} // namespace

std::vector<BenchFigure> bench_surfacing(bool /*full*/)
{
    std::vector<BenchFigure> figures;
    std::vector<Cost> costs;
    for (const int diameter : {20, 40, 80, 160}) {
        const Cost& cost = costs.emplace_back(cost_of(ball(diameter)));
        const std::string name = "surfacing_ball_" + std::to_string(diameter);
        figures.push_back({name, 1e6 * cost.seconds / cost.surface, "us/cell", 0, 0, 0, true});
        figures.push_back({name + "_memory", cost.bytes / cost.surface, "B/cell", 0, 0, 0, true});
    }
    const Cost &small = costs[costs.size() - 2], &large = costs.back();
    figures.push_back(exponent_figure("surfacing_exponent", small, large, &Cost::seconds));
    if (small.bytes > 0) figures.push_back(exponent_figure("surfacing_memory_exponent", small, large, &Cost::bytes));
    return figures;
}

} // namespace rivulet
