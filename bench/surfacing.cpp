#include "bench.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "geometry/film_surface.h"
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
/// What nine times as many dry strands again may add to the time, as a factor.
constexpr double kDryStrandsBar = 1.5;

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

/// Processor time for the surface of films on strands of 0.1 mm with 16 vertices each, 1 mm apart: so many are wet
/// along their whole length, so many dry [s].
double film_seconds(int n_wet, int n_dry)
{
    constexpr int kVertices = 16;
    constexpr double kRadius = 1e-4, kSpacing = 1e-3;
    std::vector<Vec3> positions;
    std::vector<std::int32_t> first{0};
    std::vector<double> inner, outer, pools;
    const int n = n_wet + n_dry;
    for (int s = 0; s < n; ++s) { // wet ones evenly among the dry
        const bool is_wet = static_cast<std::int64_t>(s) * n_wet / n != static_cast<std::int64_t>(s + 1) * n_wet / n;
        for (int v = 0; v < kVertices; ++v) {
            const double wave = 1 + 0.2 * random_unit(2, static_cast<std::uint64_t>(s), static_cast<std::uint64_t>(v));
            positions.emplace_back(kSpacing * v, 2e-3 * (s % 100), 2e-3 * (s / 100));
            inner.push_back(kRadius);
            outer.push_back(is_wet ? 5 * wave * kRadius : kRadius);
        }
        first.push_back(static_cast<std::int32_t>(positions.size()));
        pools.push_back(0);
    }
    const ThreadPool one_thread(1);
    return best_seconds(10, cpu_seconds_now, [&] { (void)surface_films({positions, first, inner, outer, pools}, {}); });
}

void add_film_figures(std::vector<BenchFigure>& figures)
{
    constexpr int kFew = 1000, kMany = 8000;
    const double few = film_seconds(kFew, kFew), many = film_seconds(kMany, kFew), dry = film_seconds(kFew, 10 * kFew);
    figures.push_back({"surfacing_films", 1e6 * few / (16 * kFew), "us/vertex", 0, 0, 0, true});
    const double exponent = std::log(many / few) / std::log(double{kMany} / kFew), more = dry / few;
    figures.push_back({"surfacing_films_exponent", exponent, "exponent", 1, exponent, kSurfaceExponentBar,
                       exponent <= kSurfaceExponentBar});
    figures.push_back({"surfacing_films_dry_strands", more, "times", 1, more, kDryStrandsBar, more <= kDryStrandsBar});
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
    add_film_figures(figures);
    return figures;
}

} // namespace rivulet
