#include "fluid/filled_volume.h"

#include "base/parallel.h"
#include "grid/lanes.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rivulet {
namespace {

/// Volume of a tile's particles, B-spline weighted to the centres of the tile's and the bordering cells: one layer of
/// them, and a second for particles that rounding puts on the tile's far side.
struct Patch {
    static constexpr int kFirst = -2;
    static constexpr int kEdge = kTileEdge + 4;
    std::array<double, kEdge * kEdge * kEdge + 1> value{}; // one more: rows of three are added to as four, the last + 0
    static std::size_t at(int i, int j, int k)
    {
        return static_cast<std::size_t>(i - kFirst + kEdge * (j - kFirst + kEdge * (k - kFirst)));
    }
};

/// Quadratic B-spline of a point near a tile, the three axes side by side.
struct PointShares {
    alignas(32) double weight[3][4]; ///< of the three cells along each axis
    int first[4];                    ///< the lowest of them

    explicit PointShares(const Vec3& x) noexcept
    {
        using FourInts [[gnu::vector_size(16)]] = int;
        constexpr int kShift = 16; // conversion rounds towards zero
        const Lanes<double> place{x[0], x[1], x[2], 0};
        const FourInts lowest = __builtin_convertvector(place + (kShift - 0.5), FourInts) - kShift;
        const Lanes<double> s = place - __builtin_convertvector(lowest, Lanes<double>);
        const Lanes<double> a = 1.5 - s, b = s - 1.0, c = s - 0.5;
        store_lanes<double>(weight[0], 0.5 * a * a);
        store_lanes<double>(weight[1], 0.75 - b * b);
        store_lanes<double>(weight[2], 0.5 * c * c);
        __builtin_memcpy(first, &lowest, sizeof lowest);
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
        const PointShares shares((position[p] - corner) * inverse);
        const double share = volume[p] * per_cell;
        const Lanes<double> along{shares.weight[0][0], shares.weight[1][0], shares.weight[2][0], 0};
        double* first = &patch.value[Patch::at(shares.first[0], shares.first[1], shares.first[2])];
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < 3; ++j) {
                double* row = first + Patch::kEdge * (j + Patch::kEdge * k);
                store_lanes<double>(row, load_lanes(row) + along * (shares.weight[j][1] * shares.weight[k][2] * share));
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

double depth_of_share(double share) noexcept
{
    const double from_half = std::min(std::abs(share - 0.5), 0.5);
    // Beyond half a cell what is missing is a third power; below it 3/4 d - d^3/3, whose root is a sine of a third.
    const double depth = from_half >= 1.0 / 3
                             ? 1.5 - std::cbrt(6 * (0.5 - from_half))
                             : std::sqrt(3.0) * std::sin(std::asin(from_half * 4 / std::sqrt(3.0)) / 3);
    return std::copysign(depth, share - 0.5);
}

} // namespace rivulet
