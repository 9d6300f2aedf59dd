#pragma once

#include "grid/tile_grid.h"

#include <cmath>
#include <span>
#include <vector>

namespace rivulet {

/// Particles listed by tile, and by cell within a tile: the order in which every transfer visits them.
struct ParticleOrder {
    std::vector<std::int32_t> order;      ///< particle indices, sorted by (tile, cell), ties by particle index
    std::vector<std::int32_t> tile_begin; ///< n_tiles + 1 offsets into `order`
    /// Offsets into `order` of the first particle of each cell, kTileCells + 1 per tile, for occupied tiles; empty
    /// tiles have none (cell_table < 0).
    std::vector<std::int32_t> cell_begin;
    std::vector<std::int32_t> cell_table; ///< per tile: index of its row in cell_begin, or -1

    /// Particles in cell c of tile t (t may be the outside tile) as a range of `order`.
    [[nodiscard]] std::span<const std::int32_t> cell(int t, int c) const noexcept
    {
        const std::int32_t row = cell_table[static_cast<std::size_t>(t)];
        if (row < 0) return {};
        const std::int32_t* begin = cell_begin.data() + static_cast<std::size_t>(row) * (kTileCells + 1) + c;
        return {order.data() + begin[0], static_cast<std::size_t>(begin[1] - begin[0])};
    }
    [[nodiscard]] int count(int t, int c) const noexcept { return static_cast<int>(cell(t, c).size()); }
};

/// Cell that holds x, in cells from the grid's origin. What is not a sane position (NaN, Inf, too far for a tile key)
/// lands in a cell that no grid can have.
[[nodiscard]] inline Vec3i cell_of(const Vec3& x, const Vec3& origin, double cell_size) noexcept
{
    constexpr double kLimit = 8e6;
    Vec3i cell;
    for (int a = 0; a < 3; ++a) {
        const double c = std::floor((x[a] - origin[a]) / cell_size);
        cell[a] = c >= -kLimit && c <= kLimit ? static_cast<int>(c) : -9'000'000;
    }
    return cell;
}

/// The grid of all tiles within `halo` cells (<= 8) of a particle.
[[nodiscard]] TileGrid tiles_around(std::span<const Vec3> positions, const Vec3& origin, double cell_size, int halo);

/// Sorts the particles into the tiles of the grid, all of which must exist.
void sort_particles(const TileGrid& grid, std::span<const Vec3> positions, ParticleOrder& order);

} // namespace rivulet
