#include "fluid/filled_volume.h"

#include "base/parallel.h"
#include "grid/bspline.h"

#include <algorithm>
#include <utility>

namespace rivulet {
namespace {

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

void scatter_tile(const TileGrid& grid, const ParticleOrder& order, std::span<const Vec3> position,
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
        const double share = volume[p] * per_cell;
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < 3; ++j) {
                double* row = &patch.value[Patch::at(w[0].first, w[1].first + j, w[2].first + k)];
                const double weight = w[1].w[j] * w[2].w[k] * share;
                for (int i = 0; i < 3; ++i) row[i] += w[0].w[i] * weight;
            }
    }
    const std::size_t outside = static_cast<std::size_t>(grid.n_tiles()) * kTileCells;
    constexpr int last = Patch::kFirst + Patch::kEdge;
    for (int k = Patch::kFirst; k < last; ++k)
        for (int j = Patch::kFirst; j < last; ++j)
            for (const auto& [first, n] : {std::pair(-2, 2), std::pair(0, kTileEdge), std::pair(kTileEdge, 2)}) {
                const std::size_t cell = grid.index(t, first, j, k);
                if (cell >= outside) continue;
                for (int i = 0; i < n; ++i)
                    field[cell + static_cast<std::size_t>(i)] += patch.value[Patch::at(first + i, j, k)];
            }
}

} // namespace

void add_volume(const TileGrid& grid, const ParticleOrder& order, std::span<const Vec3> position,
                std::span<const double> volume, std::vector<double>& filled)
{
    coloured_for(grid.colours(), "filled volume",
                 [&](int t) { scatter_tile(grid, order, position, volume, t, filled); });
}

void scatter_volume(const TileGrid& grid, const ParticleOrder& order, std::span<const Vec3> position,
                    std::span<const double> volume, std::vector<double>& filled)
{
    filled.resize(grid.field_size());
    parallel_for(
        grid.n_tiles() + 1, "filled volume",
        [&](std::int64_t t) { std::fill_n(filled.begin() + t * kTileCells, kTileCells, 0.0); }, 8);
    add_volume(grid, order, position, volume, filled);
}

} // namespace rivulet
