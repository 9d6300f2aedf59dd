#pragma once

#include "grid/tile_grid.h"

#include <algorithm>
#include <array>
#include <vector>

namespace rivulet {

inline constexpr int kBorderedEdge = kTileEdge + 2;

/// Values of a tile's cells and a border of one.
template <class T>
using Bordered = std::array<T, kBorderedEdge * kBorderedEdge * kBorderedEdge>;

/// Where a cell's value is; the tile's own are 0 to 7 along each axis.
constexpr std::size_t bordered_index(int i, int j, int k) noexcept
{
    return static_cast<std::size_t>(i + 1 + kBorderedEdge * (j + 1 + kBorderedEdge * (k + 1)));
}

template <class T>
Bordered<T> with_border(const TileGrid& grid, const std::vector<T>& field, int t)
{
    Bordered<T> values;
    T* to = values.data();
    for (int k = -1; k <= kTileEdge; ++k)
        for (int j = -1; j <= kTileEdge; ++j, to += kBorderedEdge) {
            to[0] = field[grid.index(t, -1, j, k)];
            std::copy_n(field.data() + grid.index(t, 0, j, k), kTileEdge, to + 1);
            to[kTileEdge + 1] = field[grid.index(t, kTileEdge, j, k)];
        }
    return values;
}

/// combine(..) of the values of each cell's 27 neighbours, itself included: three passes, one along each axis.
template <class T, class Combine>
std::array<T, kTileCells> around(const Bordered<T>& values, Combine&& combine)
{
    constexpr int n = kBorderedEdge;
    std::array<T, kTileEdge * n * n> x;
    for (int row = 0; row < n * n; ++row)
        for (int i = 0; i < kTileEdge; ++i) {
            const T* v = values.data() + n * row + i;
            x[static_cast<std::size_t>(kTileEdge * row + i)] = combine(v[0], v[1], v[2]);
        }
    std::array<T, kTileEdge * kTileEdge * n> y;
    for (int k = 0; k < n; ++k)
        for (int c = 0; c < kTileEdge * kTileEdge; ++c) {
            const T* from = x.data() + kTileEdge * n * k + c;
            y[static_cast<std::size_t>(64 * k + c)] = combine(from[0], from[kTileEdge], from[2 * kTileEdge]);
        }
    std::array<T, kTileCells> z;
    for (std::size_t c = 0; c < kTileCells; ++c) z[c] = combine(y[c], y[c + 64], y[c + 128]);
    return z;
}
inline constexpr auto kSmallest = [](auto a, auto b, auto c) { return std::min({a, b, c}); };
inline constexpr auto kLargest = [](auto a, auto b, auto c) { return std::max({a, b, c}); };

} // namespace rivulet
