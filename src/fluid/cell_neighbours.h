#pragma once

#include "grid/tile_grid.h"

#include <array>
#include <cstddef>

namespace rivulet {

/// Indices of a cell of tile t and of the six beside it; most are in the same tile and need no search.
struct CellNeighbours {
    std::size_t own;
    std::array<std::size_t, 3> up, down;

    CellNeighbours(const TileGrid& grid, int t, int i, int j, int k)
        : own(static_cast<std::size_t>(t) * kTileCells + static_cast<std::size_t>(cell_in_tile(i, j, k)))
    {
        constexpr int last = kTileEdge - 1;
        up = {i < last ? own + 1 : grid.index(t, i + 1, j, k), j < last ? own + 8 : grid.index(t, i, j + 1, k),
              k < last ? own + 64 : grid.index(t, i, j, k + 1)};
        down = {i > 0 ? own - 1 : grid.index(t, i - 1, j, k), j > 0 ? own - 8 : grid.index(t, i, j - 1, k),
                k > 0 ? own - 64 : grid.index(t, i, j, k - 1)};
    }
};

} // namespace rivulet
