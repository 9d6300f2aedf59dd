#pragma once

#include "base/vec.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace rivulet {

/// Cells along the edge of a tile, and in a tile.
inline constexpr int kTileEdge = 8;
inline constexpr int kTileCells = kTileEdge * kTileEdge * kTileEdge;

/// Index of a cell within its tile; x runs fastest.
[[nodiscard]] constexpr int cell_in_tile(int i, int j, int k) noexcept { return i + kTileEdge * (j + kTileEdge * k); }

/// A sparse grid of cubic cells, stored as tiles of 8^3 cells that exist only where they were asked for.
///
/// Cell (i, j, k) spans origin + cell_size * [i, i+1) x [j, j+1) x [k, k+1). A staggered component of axis a lives on
/// the lower face of its cell along a. Fields are flat arrays of (n_tiles() + 1) * kTileCells entries: the tile with
/// index n_tiles() is the "outside" tile, which stands for every tile that does not exist and must stay zero.
class TileGrid {
public:
    TileGrid() = default;
    /// `tiles` in any order, duplicates allowed; they are sorted (z, then y, then x) so that the layout depends on the
    /// set alone.
    TileGrid(const Vec3& origin, double cell_size, std::vector<Vec3i> tiles);

    [[nodiscard]] double cell_size() const noexcept { return cell_size_; }
    [[nodiscard]] const Vec3& origin() const noexcept { return origin_; }
    [[nodiscard]] int n_tiles() const noexcept { return static_cast<int>(tiles_.size()); }
    [[nodiscard]] std::size_t field_size() const noexcept { return (tiles_.size() + 1) * kTileCells; }
    [[nodiscard]] const Vec3i& tile(int t) const { return tiles_[static_cast<std::size_t>(t)]; }
    [[nodiscard]] std::span<const Vec3i> tiles() const noexcept { return tiles_; }

    /// Index of the tile at these tile coordinates; n_tiles() (outside) if it does not exist.
    [[nodiscard]] int find(const Vec3i& tile) const noexcept;
    /// Index of the tile offset by (dx, dy, dz) in {-1, 0, 1} from tile t.
    [[nodiscard]] int neighbour(int t, int dx, int dy, int dz) const noexcept
    {
        return neighbours_[static_cast<std::size_t>(t)][static_cast<std::size_t>(dx + 1 + 3 * (dy + 1) + 9 * (dz + 1))];
    }
    /// Flat field index of the cell (i, j, k) relative to tile t; each in [-8, 16).
    [[nodiscard]] std::size_t index(int t, int i, int j, int k) const noexcept
    {
        const int n = neighbour(t, i >> 3, j >> 3, k >> 3);
        return static_cast<std::size_t>(n) * kTileCells + static_cast<std::size_t>(cell_in_tile(i & 7, j & 7, k & 7));
    }
    /// Centre of cell (i, j, k) of tile t [m].
    [[nodiscard]] Vec3 cell_centre(int t, int i, int j, int k) const { return node(t, i + 0.5, j + 0.5, k + 0.5); }
    [[nodiscard]] Vec3 cell_centre(std::size_t cell) const
    {
        const int c = static_cast<int>(cell % kTileCells);
        return cell_centre(static_cast<int>(cell / kTileCells), c % 8, c / 8 % 8, c / 64);
    }
    /// Centre of the lower face across `axis` of cell (i, j, k) of tile t [m].
    [[nodiscard]] Vec3 face_centre(int t, int axis, const Vec3i& cell) const
    {
        Vec3 at = cell.cast<double>() + Vec3::Constant(0.5);
        at[axis] -= 0.5;
        return node(t, at.x(), at.y(), at.z());
    }
    /// Point at (i, j, k) cells from the lower corner of tile t [m].
    [[nodiscard]] Vec3 node(int t, double i, double j, double k) const
    {
        const Vec3i& c = tile(t);
        return origin_ + cell_size_ * (Vec3(i, j, k) + kTileEdge * c.cast<double>());
    }

    /// Tile indices by parity of their coordinates: tiles of one of the eight colours are never neighbours.
    [[nodiscard]] const std::array<std::vector<int>, 8>& colours() const noexcept { return colours_; }

private:
    Vec3 origin_ = Vec3::Zero();
    double cell_size_ = 1;
    std::vector<Vec3i> tiles_;
    std::vector<std::array<std::int32_t, 27>> neighbours_;
    std::array<std::vector<int>, 8> colours_;
    std::vector<std::uint64_t> hash_keys_; ///< open addressing: tile key + 1, or 0 where empty
    std::vector<std::int32_t> hash_values_;
};

/// Order-preserving 63-bit key of tile coordinates (z, then y, then x), each in [-2^20, 2^20).
[[nodiscard]] std::uint64_t tile_key(const Vec3i& tile) noexcept;
[[nodiscard]] Vec3i tile_of_key(std::uint64_t key) noexcept;

} // namespace rivulet
