#include "fluid/crowding.h"

#include "base/parallel.h"
#include "grid/bspline.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Differences that are left alone, in open liquid and where solids cut cells (whose volume is known only roughly).
constexpr double kNoise = 0.05;
constexpr double kNoiseAtCuts = 0.3;
/// Largest correction asked of one step.
constexpr double kLargest = 0.5;
/// What a regularly filled cell at distance -1, 0, 1 brings to the weighted volume, along one axis.
constexpr double kShare[3] = {0.15625, 0.6875, 0.15625};

/// Volume of a tile's particles, B-spline weighted to the centres of the tile's and the bordering cells: one layer of
/// them, and a second for particles that rounding puts on the tile's far side.
struct Patch {
    static constexpr int kFirst = -2;
    static constexpr int kEdge = kTileEdge + 4;
    std::array<double, kEdge * kEdge * kEdge> value{};
    static std::size_t at(int i, int j, int k)
    {
        return static_cast<std::size_t>(i - kFirst + kEdge * (j - kFirst + kEdge * (k - kFirst)));
    }
};

void scatter_volume(const TileGrid& grid, const ParticleOrder& order, std::span<const Vec3> position,
                    std::span<const double> volume, int t, std::vector<double>& field)
{
    const auto begin = static_cast<std::size_t>(order.tile_begin[static_cast<std::size_t>(t)]);
    const auto end = static_cast<std::size_t>(order.tile_begin[static_cast<std::size_t>(t) + 1]);
    if (begin == end) return;
    Patch patch;
    const Vec3 corner = grid.node(t, 0.5, 0.5, 0.5); // cell centres are the nodes
    const double inverse = 1 / grid.cell_size();
    const double per_cell = inverse * inverse * inverse;
    for (std::size_t n = begin; n < end; ++n) {
        const auto p = static_cast<std::size_t>(order.order[n]);
        const Vec3 x = (position[p] - corner) * inverse;
        const BSplineWeights w[3] = {quadratic_bspline(x.x()), quadratic_bspline(x.y()), quadratic_bspline(x.z())};
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < 3; ++j)
                for (int i = 0; i < 3; ++i)
                    patch.value[Patch::at(w[0].first + i, w[1].first + j, w[2].first + k)] +=
                        w[0].w[i] * w[1].w[j] * w[2].w[k] * volume[p] * per_cell;
    }
    const std::size_t outside = static_cast<std::size_t>(grid.n_tiles()) * kTileCells;
    constexpr int last = Patch::kFirst + Patch::kEdge;
    for (int k = Patch::kFirst; k < last; ++k)
        for (int j = Patch::kFirst; j < last; ++j)
            for (int i = Patch::kFirst; i < last; ++i) {
                const std::size_t cell = grid.index(t, i, j, k);
                if (cell < outside) field[cell] += patch.value[Patch::at(i, j, k)];
            }
}

struct Surroundings {
    double solid = 0; ///< share of solids in the neighbourhood
    bool has_air = false;
    bool has_cuts = false;
};

Surroundings look_around(const TileGrid& grid, const SolidFields& solids, std::span<const std::uint8_t> liquid, int t,
                         int c, bool open_tile)
{
    Surroundings s;
    for (int n = 0; n < 27; ++n) {
        const int i = c % 8 + n % 3 - 1;
        const int j = c / 8 % 8 + n / 3 % 3 - 1;
        const int k = c / 64 + n / 9 - 1;
        const std::size_t cell = grid.index(t, i, j, k);
        const double part = open_tile ? 0 : 1 - solids.open_eighths[cell] / 8.0;
        s.solid += kShare[n % 3] * kShare[n / 3 % 3] * kShare[n / 9] * part;
        s.has_cuts = s.has_cuts || (part > 0 && part < 1);
        s.has_air = s.has_air || (liquid[cell] == 0 && part < 1);
    }
    return s;
}

} // namespace

void compute_crowding(const TileGrid& grid, const ParticleOrder& order, std::span<const Vec3> position,
                      std::span<const double> volume, const SolidFields& solids, std::span<const std::uint8_t> liquid,
                      std::vector<double>& crowding)
{
    crowding.assign(grid.field_size(), 0); // how full a cell is, then by how much too full
    coloured_for(grid.colours(), "crowding",
                 [&](int t) { scatter_volume(grid, order, position, volume, t, crowding); });
    parallel_for(grid.n_tiles(), "crowding", [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        const bool open_tile = solids.tiles[static_cast<std::size_t>(t)] == TileSolidity::Open;
        for (int c = 0; c < kTileCells; ++c) {
            const auto cell = static_cast<std::size_t>(t * kTileCells + c);
            const double in_open = crowding[cell] - 1;
            crowding[cell] = 0;
            if (liquid[cell] == 0) continue;
            if (open_tile && std::abs(in_open) <= kNoise) continue;
            const Surroundings around = look_around(grid, solids, liquid, t, c, open_tile);
            const double error = in_open + around.solid;
            if (around.has_air && error < 0) continue;
            const double noise = around.has_cuts ? kNoiseAtCuts : kNoise;
            crowding[cell] = std::clamp(error - std::clamp(error, -noise, noise), -kLargest, kLargest);
        }
    });
}

} // namespace rivulet
