#pragma once

#include "grid/tile_grid.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace rivulet {

/// Tiles of a parallel loop that are worth a task.
inline constexpr std::int64_t kTileGrain = 4;

/// Tiles across the six faces, in the order -x, +x, -y, +y, -z, +z.
using FaceNeighbours = std::array<std::int32_t, 6>;

/// A tile and the layer of cells around its faces (edges and corners are not filled), so that a seven-point stencil
/// runs over rows of eight cells without a case for the border.
template <class T>
struct alignas(64) PaddedBlock {
    static constexpr int kRow = 16; ///< one cache line of floats: the shifted rows of a stencil stay within it
    static constexpr int kPlane = 10 * kRow;

    std::array<T, 10 * kPlane> values;

    [[nodiscard]] T* row(int j, int k) noexcept { return values.data() + (k + 1) * kPlane + (j + 1) * kRow + 4; }
    [[nodiscard]] const T* row(int j, int k) const noexcept
    {
        return values.data() + (k + 1) * kPlane + (j + 1) * kRow + 4;
    }
};

template <class T, class S>
void copy_row(const S* from, T* to) noexcept
{
    for (int i = 0; i < kTileEdge; ++i) to[i] = static_cast<T>(from[i]);
}

/// Fills the cells of tile t of `field`.
template <class T, class S>
void load_tile(PaddedBlock<T>& block, const S* field, std::int32_t t) noexcept
{
    const S* own = field + std::size_t(t) * kTileCells;
    for (int k = 0; k < kTileEdge; ++k)
        for (int j = 0; j < kTileEdge; ++j) copy_row(own + cell_in_tile(0, j, k), block.row(j, k));
}

/// Fills the layer around the tile whose neighbours are given.
template <class T, class S>
void load_halo(PaddedBlock<T>& block, const S* field, const FaceNeighbours& neighbours) noexcept
{
    const auto tile = [&](int face) { return field + std::size_t(neighbours[std::size_t(face)]) * kTileCells; };
    const S *x0 = tile(0), *x1 = tile(1), *y0 = tile(2), *y1 = tile(3), *z0 = tile(4), *z1 = tile(5);
    for (int k = 0; k < kTileEdge; ++k) {
        for (int j = 0; j < kTileEdge; ++j) {
            block.row(j, k)[-1] = static_cast<T>(x0[cell_in_tile(7, j, k)]);
            block.row(j, k)[8] = static_cast<T>(x1[cell_in_tile(0, j, k)]);
        }
        copy_row(y0 + cell_in_tile(0, 7, k), block.row(-1, k));
        copy_row(y1 + cell_in_tile(0, 0, k), block.row(8, k));
        copy_row(z0 + cell_in_tile(0, k, 7), block.row(k, -1));
        copy_row(z1 + cell_in_tile(0, k, 0), block.row(k, 8));
    }
}

/// Face coefficients around the cells of one tile. Lower faces are the tile's own; upper faces at the border are lower
/// faces of the next tile. Only the x faces need a copy: the shifted row crosses the tile.
template <class T>
class TileFaces {
public:
    void load(const T* x, const T* y, const T* z, std::int32_t t, std::int32_t next_x, std::int32_t next_y,
              std::int32_t next_z) noexcept
    {
        const T* own_x = x + std::size_t(t) * kTileCells;
        const T* up_x = x + std::size_t(next_x) * kTileCells;
        for (int row = 0; row < kTileEdge * kTileEdge; ++row) {
            copy_row(own_x + row * kTileEdge, &x_[std::size_t(row * kRow)]);
            x_[std::size_t(row * kRow + kTileEdge)] = up_x[row * kTileEdge];
        }
        y_ = y + std::size_t(t) * kTileCells;
        z_ = z + std::size_t(t) * kTileCells;
        up_y_ = y + std::size_t(next_y) * kTileCells;
        up_z_ = z + std::size_t(next_z) * kTileCells;
    }

    /// Lower faces of the row (j, k) along x; the upper ones start one entry later.
    [[nodiscard]] const T* x(int j, int k) const noexcept { return &x_[std::size_t((j + kTileEdge * k) * kRow)]; }
    [[nodiscard]] const T* y(int j, int k) const noexcept { return y_ + cell_in_tile(0, j, k); }
    [[nodiscard]] const T* z(int j, int k) const noexcept { return z_ + cell_in_tile(0, j, k); }
    [[nodiscard]] const T* upper_y(int j, int k) const noexcept
    {
        return j < kTileEdge - 1 ? y(j + 1, k) : up_y_ + cell_in_tile(0, 0, k);
    }
    [[nodiscard]] const T* upper_z(int j, int k) const noexcept
    {
        return k < kTileEdge - 1 ? z(j, k + 1) : up_z_ + cell_in_tile(0, j, 0);
    }

private:
    static constexpr int kRow = 12;
    alignas(64) std::array<T, kTileEdge * kTileEdge * kRow> x_;
    const T *y_ = nullptr, *z_ = nullptr, *up_y_ = nullptr, *up_z_ = nullptr;
};

} // namespace rivulet
