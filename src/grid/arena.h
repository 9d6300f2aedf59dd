#pragma once

#include "grid/tile_grid.h"

#include <algorithm>
#include <array>
#include <vector>

namespace rivulet {

/// The values of one staggered component that particles of one tile can reach, copied around the tile so that inner
/// loops know no tile borders. Covers nodes from First on, counted from the tile's lower corner: Edge of them along the
/// component's own axis, where they lie on faces, OtherEdge along the others. The own axis runs fastest, whichever it
/// is, so that one kernel serves all three; rows are padded so that four numbers can be loaded from any third node.
template <int First, int Edge, int OtherEdge>
struct Arena {
    static constexpr int kRow = (Edge + 2) & ~1;
    static constexpr int kPlane = kRow * OtherEdge;
    alignas(32) std::array<double, static_cast<std::size_t>(kPlane* OtherEdge + 4)> value;

    /// Where a node is: `along` the component's axis, then along the lower and the higher of the other two.
    static constexpr int at(int along, int low, int high) noexcept
    {
        return (along - First) + kRow * (low - First) + kPlane * (high - First);
    }
    static constexpr bool holds(int first) noexcept { return first >= First && first + 2 < First + OtherEdge; }

    /// How far apart neighbours along x, y and z are.
    static constexpr std::array<int, 3> steps(int component) noexcept
    {
        if (component == 0) return {1, kRow, kPlane};
        if (component == 1) return {kRow, 1, kPlane};
        return {kRow, kPlane, 1};
    }

    void load(const TileGrid& grid, int t, int component, const std::vector<double>& field) noexcept
    {
        for_rows(grid, t, component, [&](std::size_t from, double* to, int step, int n) {
            for (int i = 0; i < n; ++i) to[i * step] = field[from + static_cast<std::size_t>(i)];
        });
    }

    /// Adds to the field, where it exists.
    void add_to(const TileGrid& grid, int t, int component, std::vector<double>& field) noexcept
    {
        const std::size_t outside = static_cast<std::size_t>(grid.n_tiles()) * kTileCells;
        for_rows(grid, t, component, [&](std::size_t to, const double* from, int step, int n) {
            if (to >= outside) return;
            for (int i = 0; i < n; ++i) field[to + static_cast<std::size_t>(i)] += from[i * step];
        });
    }

private:
    /// Calls body(index in the field, place in the arena, step there, length) for every run of nodes that lies in one
    /// row of one tile.
    template <class Body>
    [[gnu::always_inline]] void for_rows(const TileGrid& grid, int t, int component, Body&& body) noexcept
    {
        switch (component) {
        case 0:
            return for_rows_of<0>(grid, t, body);
        case 1:
            return for_rows_of<1>(grid, t, body);
        default:
            return for_rows_of<2>(grid, t, body);
        }
    }
    template <int Component, class Body>
    [[gnu::always_inline]] void for_rows_of(const TileGrid& grid, int t, Body&& body) noexcept
    {
        constexpr auto last = [](int axis) { return First + OtherEdge + (axis == Component) * (Edge - OtherEdge); };
        constexpr auto step = steps(Component);
        for (int k = First; k < last(2); ++k)
            for (int j = First; j < last(1); ++j) {
                double* row = value.data() + (j - First) * step[1] + (k - First) * step[2];
                body(grid.index(t, First, j, k), row, step[0], -First);
                body(grid.index(t, 0, j, k), row - First * step[0], step[0], kTileEdge);
                body(grid.index(t, kTileEdge, j, k), row + (kTileEdge - First) * step[0], step[0], last(0) - kTileEdge);
            }
    }
};

} // namespace rivulet
