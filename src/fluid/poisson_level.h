#pragma once

#include "fluid/poisson_block.h"
#include "fluid/poisson_colours.h"
#include "numerics/aligned.h"

#include <array>
#include <cstdint>
#include <vector>

namespace rivulet {

/// One grid of the multigrid hierarchy, in float. Fields have (n_tiles + 1) * kTileCells entries, a tile's in the order
/// of cell_in_level; the last tile stands for all that do not exist and is zero. Coefficients are zero on faces that do
/// not count.
struct PoissonLevel {
    int n_tiles = 0;
    std::vector<Vec3i> tiles;                          ///< coordinates, sorted (z, then y, then x), >= 0
    std::vector<FaceNeighbours> neighbours;            ///< n_tiles where there is none
    std::array<std::vector<std::int32_t>, 2> colours;  ///< tiles by parity of the sum of their coordinates
    std::vector<std::array<std::int32_t, 8>> children; ///< tiles of the next finer level, by octant (not on the finest)
    std::vector<std::int32_t> parents;                 ///< tile of the next coarser level (not on the coarsest)
    std::vector<float> uniform;                        ///< the largest coefficient of faces along x in a tile
    /// Rows of a colour whose faces all have this coefficient, without extra diagonal: bit pair_row/8.
    std::vector<std::uint64_t> uniform_rows;
    std::array<AlignedVector<float>, 3> coefficient; ///< on lower faces
    AlignedVector<float> inverse_diagonal;           ///< 0 where there is no unknown
    AlignedVector<float> x;                          ///< while the level is built: the diagonal beyond the faces' sum
    AlignedVector<float> b;                          ///< while the level is built: part of the cell that is unknowns

    /// Sizes all arrays for the tiles listed in `tiles` and clears the last tile of each field.
    void resize();
    /// Sets `neighbours` by searching `tiles`.
    void find_neighbours();
    /// Sorts tiles into `colours`.
    void find_colours();
    /// inverse_diagonal and `uniform` from the coefficients and the extra diagonal in x.
    void finish_diagonal();
    [[nodiscard]] std::size_t bytes() const noexcept;
};

/// Octant of a tile within the tile of the next coarser level.
[[nodiscard]] inline int octant_of(const Vec3i& tile) noexcept
{
    return (tile.x() & 1) | (tile.y() & 1) << 1 | (tile.z() & 1) << 2;
}

/// First red row of an octant within a tile.
[[nodiscard]] inline int octant_origin(int octant) noexcept
{
    return pair_row(0, 2 * (octant >> 1 & 1), 4 * (octant >> 2)) + 4 * (octant & 1);
}

/// The faces of the cells of one tile of a level, by rows of a colour.
class LevelFaces {
public:
    LevelFaces(const PoissonLevel& level, std::int32_t t) noexcept;

    struct Row {
        Float8 x0, x1; ///< towards i - 1, i + 1
        Float8 same;   ///< towards the other row of the pair
        Float8 beyond; ///< towards row 2 m - 1 from row 2 m, row 2 m + 2 from row 2 m + 1
        Float8 z0, z1; ///< towards k - 1, k + 1
    };
    [[nodiscard, gnu::always_inline]] Row row(int colour, int m, int k) const noexcept
    {
        const int own = pair_row(colour, m, k), other = pair_row(1 - colour, m, k), parity = k + colour;
        const Float8 lower_y = load8(y_ + own);
        const float* const upper_y = m < 3 ? y_ + other + kPairRow : next_y_ + pair_row(1 - colour, 0, k);
        const float* const upper_z = k < 7 ? z_ + other + kPairPlane : next_z_ + pair_row(1 - colour, m, 0);
        return {load8(x_ + own),
                __builtin_shufflevector(load8(x_ + other), Float8{} + next_x_[other], 1, 2, 3, 4, 5, 6, 7, 8),
                alternate(parity, load8(y_ + other), lower_y),
                alternate(parity, lower_y, load8(upper_y)),
                load8(z_ + own),
                load8(upper_z)};
    }

private:
    const float *x_, *y_, *z_, *next_x_, *next_y_, *next_z_;
};

/// Topology and coefficients of the next coarser level by 2x2x2 aggregation.
void coarsen(PoissonLevel& fine, PoissonLevel& coarse);

} // namespace rivulet
