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

/// Rows of eight values along x, in a tile and one step beyond it. Tiles that are not wet read like the outside.
class TileRows {
public:
    TileRows(const TileGrid& grid, const std::vector<std::uint8_t>& is_wet, int t) : t_(t)
    {
        for (int side = 0; side < 6; ++side) {
            const Vec3i e = (side % 2 == 0 ? -1 : 1) * Vec3i::Unit(side / 2);
            const int tile = grid.neighbour(t, e.x(), e.y(), e.z());
            beside_[std::size_t(side)] = is_wet[std::size_t(tile)] != 0 ? tile : grid.n_tiles();
        }
    }

    /// The row (j, k) shifted by one step along an axis: entry i is the value of cell i's neighbour. values_of(tile)
    /// points to the field's values in a tile.
    template <class ValuesOf>
    [[nodiscard, gnu::always_inline]] const double* shifted_of(ValuesOf&& values_of, int j, int k, std::size_t axis,
                                                               int step, std::array<double, kTileEdge>& buffer) const
    {
        const int beside = beside_[2 * axis + (step > 0 ? 1 : 0)];
        if (axis == 0) {
            const double *own = values_of(t_) + cell_in_tile(0, j, k),
                         *across = values_of(beside) + cell_in_tile(0, j, k);
            if (step > 0) {
                std::copy(own + 1, own + kTileEdge, buffer.begin());
                buffer[kTileEdge - 1] = across[0];
            } else {
                std::copy(own, own + kTileEdge - 1, buffer.begin() + 1);
                buffer[0] = across[kTileEdge - 1];
            }
            return buffer.data();
        }
        (axis == 1 ? j : k) += step;
        return values_of((j | k) >> 3 == 0 ? t_ : beside) + cell_in_tile(0, j & 7, k & 7);
    }
    [[nodiscard, gnu::always_inline]] const double* shifted(const std::vector<double>& field, int j, int k,
                                                            std::size_t axis, int step,
                                                            std::array<double, kTileEdge>& buffer) const
    {
        return shifted_of([&](int tile) { return field.data() + std::size_t(tile) * kTileCells; }, j, k, axis, step,
                          buffer);
    }

private:
    int t_;
    std::array<int, 6> beside_; ///< tiles at -x, +x, -y, +y, -z, +z
};

} // namespace rivulet
