#pragma once

#include "grid/tile_grid.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rivulet {

/// Tiles of a loop over the viscous system that are worth a task.
inline constexpr std::int64_t kSlotGrain = 2;

[[nodiscard]] constexpr std::size_t next(std::size_t axis) { return (axis + 1) % 3; }
[[nodiscard]] constexpr std::size_t previous(std::size_t axis) { return (axis + 2) % 3; }

/// Rows of eight values along x, in a tile and one step beyond it.
class TileRows {
public:
    TileRows(const TileGrid& grid, int t) : grid_(grid), t_(t) {}

    /// The row (j, k), at most one of which is outside of the tile.
    [[nodiscard]] const double* row(const std::vector<double>& field, int j, int k) const
    {
        const int tile = grid_.neighbour(t_, 0, j >> 3, k >> 3);
        return field.data() + std::size_t(tile) * kTileCells + cell_in_tile(0, j & 7, k & 7);
    }
    /// The row (j, k) shifted by one step along an axis: entry i is the value of cell i's neighbour.
    [[nodiscard]] const double* shifted(const std::vector<double>& field, int j, int k, std::size_t axis, int step,
                                        std::array<double, kTileEdge>& buffer) const
    {
        if (axis == 1) return row(field, j + step, k);
        if (axis == 2) return row(field, j, k + step);
        const double* own = row(field, j, k);
        const double* across =
            field.data() + std::size_t(grid_.neighbour(t_, step, 0, 0)) * kTileCells + cell_in_tile(0, j, k);
        if (step > 0) {
            std::copy(own + 1, own + kTileEdge, buffer.begin());
            buffer[kTileEdge - 1] = across[0];
        } else {
            std::copy(own, own + kTileEdge - 1, buffer.begin() + 1);
            buffer[0] = across[kTileEdge - 1];
        }
        return buffer.data();
    }

private:
    const TileGrid& grid_;
    int t_;
};

} // namespace rivulet
