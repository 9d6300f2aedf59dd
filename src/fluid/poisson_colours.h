#pragma once

#include "grid/tile_grid.h"

#include <array>
#include <cstring>

namespace rivulet {

/// Cells of a tile on the levels of the multigrid: first the red ones (i + j + k even), then the black ones. A row of
/// eight has one cell for each i, from the rows j = 2 m and 2 m + 1 in turn. So the neighbours of a row are whole rows
/// of the other colour, and a Gauss-Seidel sweep over a colour neither wastes lanes nor waits for itself.
inline constexpr int kColourCells = kTileCells / 2;
inline constexpr int kPairRow = kTileEdge;       ///< from m to m + 1
inline constexpr int kPairPlane = 4 * kTileEdge; ///< from k to k + 1

[[nodiscard]] constexpr int pair_row(int colour, int m, int k) noexcept
{
    return kColourCells * colour + kPairPlane * k + kPairRow * m;
}
[[nodiscard]] constexpr int cell_in_level(int i, int j, int k) noexcept
{
    return pair_row((i + j + k) & 1, j >> 1, k) + i;
}

using Float4 = float __attribute__((vector_size(16)));
using Float8 = float __attribute__((vector_size(32)));

template <class V, class T>
[[nodiscard]] inline V load_vector(const T* p) noexcept
{
    V v;
    std::memcpy(&v, p, sizeof v);
    return v;
}
template <class T, class V>
inline void store_vector(T* p, V v) noexcept
{
    std::memcpy(p, &v, sizeof v);
}
[[nodiscard]] inline Float8 load8(const float* p) noexcept { return load_vector<Float8>(p); }
inline void store8(float* p, Float8 v) noexcept { store_vector(p, v); }

/// Lanes i with i + parity even from a, the others from b. Rows of colours become rows of cells and back:
/// red = alternate(k, even row, odd row), black = alternate(k + 1, even row, odd row), and the same the other way.
[[nodiscard]] inline Float8 alternate(int parity, Float8 a, Float8 b) noexcept
{
    return (parity & 1) == 0 ? __builtin_shufflevector(a, b, 0, 9, 2, 11, 4, 13, 6, 15)
                             : __builtin_shufflevector(a, b, 8, 1, 10, 3, 12, 5, 14, 7);
}
[[nodiscard]] inline Float4 alternate(int parity, Float4 a, Float4 b) noexcept
{
    return (parity & 1) == 0 ? __builtin_shufflevector(a, b, 0, 5, 2, 7) : __builtin_shufflevector(a, b, 4, 1, 6, 3);
}

/// The rows j = 2 m and 2 m + 1 of a tile on a level.
struct RowPair {
    Float8 even, odd;
};
[[nodiscard]] inline RowPair load_rows(const float* tile, int m, int k) noexcept
{
    const Float8 red = load8(tile + pair_row(0, m, k)), black = load8(tile + pair_row(1, m, k));
    return {alternate(k, red, black), alternate(k + 1, red, black)};
}
inline void store_rows(float* tile, int m, int k, const RowPair& rows) noexcept
{
    store8(tile + pair_row(0, m, k), alternate(k, rows.even, rows.odd));
    store8(tile + pair_row(1, m, k), alternate(k + 1, rows.even, rows.odd));
}

/// A tile of a level in the order of cell_in_tile, and back.
using TileValues = std::array<float, kTileCells>;
inline void to_cells(const float* level_tile, TileValues& cells) noexcept
{
    for (int k = 0; k < kTileEdge; ++k)
        for (int m = 0; m < kTileEdge / 2; ++m) {
            const RowPair rows = load_rows(level_tile, m, k);
            store8(&cells[cell_in_tile(0, 2 * m, k)], rows.even);
            store8(&cells[cell_in_tile(0, 2 * m + 1, k)], rows.odd);
        }
}
inline void to_level(const TileValues& cells, float* level_tile) noexcept
{
    for (int k = 0; k < kTileEdge; ++k)
        for (int m = 0; m < kTileEdge / 2; ++m)
            store_rows(level_tile, m, k,
                       {load8(&cells[cell_in_tile(0, 2 * m, k)]), load8(&cells[cell_in_tile(0, 2 * m + 1, k)])});
}

/// Sums of adjacent lanes: those of a in the lower half, those of b in the upper one.
[[nodiscard]] inline Float8 adjacent_sums(Float8 a, Float8 b) noexcept
{
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14) +
           __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
}

/// Four cells of rows 2 m and 2 m + 1 along an octant of a level's tile; `octant` points to its first red row.
inline void store_octant_rows(float* octant, int m, int k, Float8 rows) noexcept
{
    const Float4 even = __builtin_shufflevector(rows, rows, 0, 1, 2, 3);
    const Float4 odd = __builtin_shufflevector(rows, rows, 4, 5, 6, 7);
    store_vector(octant + pair_row(0, m, k), alternate(k, even, odd));
    store_vector(octant + pair_row(1, m, k), alternate(k + 1, even, odd));
}
[[nodiscard]] inline RowPair load_octant_rows_twice(const float* octant, int m, int k) noexcept
{
    const Float4 red = load_vector<Float4>(octant + pair_row(0, m, k));
    const Float4 black = load_vector<Float4>(octant + pair_row(1, m, k));
    const Float4 even = alternate(k, red, black), odd = alternate(k + 1, red, black);
    return {__builtin_shufflevector(even, even, 0, 0, 1, 1, 2, 2, 3, 3),
            __builtin_shufflevector(odd, odd, 0, 0, 1, 1, 2, 2, 3, 3)};
}

} // namespace rivulet
