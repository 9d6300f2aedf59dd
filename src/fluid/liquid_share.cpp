#include "fluid/liquid_share.h"

#include "base/parallel.h"
#include "fluid/filled_volume.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

/// Passes of the [1 2 1]/4 filter over the volume of the particles: enough for the steps of the particles' lattice to
/// leave a scatter of 4 % in the curvature of a ball of ten cells radius.
constexpr int kPasses = 4;
/// Variance of the whole filter along an axis, in cells^2: that of the B-spline and of each pass.
constexpr double kVariance = 0.25 + 0.5 * kPasses;
/// Open part of a neighbourhood below which F means nothing.
constexpr double kLeastOpen = 1e-3;
/// Largest F around a cell below which the balls say where the surface is, and from which on F does.
constexpr double kByBalls = 0.5;
constexpr double kByShare = 0.7;
/// F that is as good as none.
constexpr double kNothing = 0.01;

/// What stands for the cells of tiles that do not exist.
enum class Beyond { Zero, NearestOfTile };

/// Filters one tile with [side, 1 - 2 side, side] along each axis.
void smooth_tile(const TileGrid& grid, int t, double side, Beyond beyond, const std::vector<double>& from, double* to)
{
    constexpr int n = kTileEdge;
    constexpr int wide = n + 2;
    const double middle = 1 - 2 * side;
    const std::size_t outside = static_cast<std::size_t>(grid.n_tiles()) * kTileCells;
    const auto cell = [&](int i, int j, int k) {
        const std::size_t c = grid.index(t, i, j, k);
        if (c < outside || beyond == Beyond::Zero) return c;
        return grid.index(t, std::clamp(i, 0, n - 1), std::clamp(j, 0, n - 1), std::clamp(k, 0, n - 1));
    };
    std::array<double, n * wide * wide> x;
    double* row = x.data();
    for (int k = -1; k <= n; ++k)
        for (int j = -1; j <= n; ++j, row += n) {
            const double* in = from.data() + cell(0, j, k);
            const double below = from[cell(-1, j, k)];
            const double above = from[cell(n, j, k)];
            for (int i = 0; i < n; ++i)
                row[i] = middle * in[i] + side * ((i > 0 ? in[i - 1] : below) + (i < n - 1 ? in[i + 1] : above));
        }
    std::array<double, n * n * wide> y;
    for (int k = 0; k < wide; ++k)
        for (int c = 0; c < n * n; ++c) {
            const double* in = x.data() + n * wide * k + c;
            y[static_cast<std::size_t>(n * n * k + c)] = middle * in[n] + side * (in[0] + in[2 * n]);
        }
    for (int c = 0; c < kTileCells; ++c) {
        const double* in = y.data() + c;
        to[c] = middle * in[n * n] + side * (in[0] + in[2 * n * n]);
    }
}

void smooth(const TileGrid& grid, double side, Beyond beyond, std::vector<double>& field)
{
    std::vector<double> result(field.size());
    parallel_for(grid.n_tiles(), "smooth", [&](std::int64_t t) {
        smooth_tile(grid, static_cast<int>(t), side, beyond, field, result.data() + t * kTileCells);
    });
    field.swap(result);
}

void smooth_much(const TileGrid& grid, Beyond beyond, std::vector<double>& field)
{
    for (int pass = 0; pass < kPasses; ++pass) smooth(grid, 0.25, beyond, field);
}

/// Open part of every cell; empty where no tile has solids.
std::vector<double> open_part(const TileGrid& grid, const SolidFields& solids)
{
    const auto is_open = [](TileSolidity s) { return s == TileSolidity::Open; };
    if (std::all_of(solids.tiles.begin(), solids.tiles.end(), is_open)) return {};
    std::vector<double> open(grid.field_size(), 0);
    set_cells(grid, "liquid share", open,
              [&](std::size_t c) { return static_cast<double>(solids.open_volume[c]) / kOpenCell; });
    return open;
}

double largest_around(const TileGrid& grid, const std::vector<double>& share, std::size_t cell)
{
    const int t = static_cast<int>(cell / kTileCells);
    const int c = static_cast<int>(cell % kTileCells);
    double most = 0;
    for (int n = 0; n < 27; ++n)
        most = std::max(most, share[grid.index(t, c % 8 + n % 3 - 1, c / 8 % 8 + n / 3 % 3 - 1, c / 64 + n / 9 - 1)]);
    return most;
}

} // namespace

std::vector<double> smoothed_volume(const TileGrid& grid, const ParticleOrder& order, std::span<const Vec3> position,
                                    std::span<const double> volume)
{
    std::vector<double> field;
    scatter_volume(grid, order, position, volume, field);
    smooth_much(grid, Beyond::Zero, field);
    return field;
}

void compute_liquid_share(const TileGrid& grid, const ParticleOrder& order, std::span<const Vec3> position,
                          std::span<const double> volume, const SolidFields& solids, std::vector<double>& share)
{
    share = smoothed_volume(grid, order, position, volume);
    const auto filter = [&](Beyond beyond, std::vector<double>& field) {
        smooth(grid, kFilledShare[0], beyond, field); // as the particles' own B-splines
        smooth_much(grid, beyond, field);
    };
    const std::vector<double> open = open_part(grid, solids);
    std::vector<double> weight = open;
    if (!open.empty()) {
        filter(Beyond::NearestOfTile, weight); // walls and open air go on beyond the tiles
        set_cells(grid, "liquid share", share,
                  [&](std::size_t c) { return weight[c] > kLeastOpen ? share[c] / weight[c] : 0; });
    }
    std::vector<double> twice = share;
    if (!open.empty()) set_cells(grid, "liquid share", twice, [&](std::size_t c) { return share[c] * open[c]; });
    filter(Beyond::Zero, twice);
    set_cells(grid, "liquid share", share, [&](std::size_t c) {
        if (open.empty()) return 2 * share[c] - twice[c];
        return weight[c] > kLeastOpen ? 2 * share[c] - twice[c] / weight[c] : 0;
    });
}

void refine_liquid_distance(const TileGrid& grid, const std::vector<double>& share, std::vector<double>& distance)
{
    const double dx = grid.cell_size();
    // Of a plane: F = 2 N(x / s) - N(x / (sqrt(2) s)) with the normal distribution N, s^2 the variance.
    const double per_share = dx * std::sqrt(2 * std::numbers::pi * kVariance) / (2 - std::numbers::sqrt2 / 2);
    set_cells(grid, "liquid share", distance, [&](std::size_t c) {
        if (share[c] < kNothing && distance[c] >= dx) return distance[c];
        const double most = share[c] >= kByShare ? share[c] : largest_around(grid, share, c);
        const double part = std::clamp((most - kByBalls) / (kByShare - kByBalls), 0.0, 1.0);
        return part * std::clamp(per_share * (0.5 - share[c]), -dx, dx) + (1 - part) * distance[c];
    });
}

} // namespace rivulet
