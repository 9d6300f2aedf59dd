#pragma once

#include "fluid/poisson_block.h"
#include "numerics/aligned.h"

#include <array>
#include <cstdint>
#include <vector>

namespace rivulet {

/// One grid of the multigrid hierarchy, in float. Fields have (n_tiles + 1) * kTileCells entries; the last tile stands
/// for all that do not exist and is zero. Coefficients are zero on faces that do not count.
struct PoissonLevel {
    int n_tiles = 0;
    std::vector<Vec3i> tiles;                          ///< coordinates, sorted (z, then y, then x), >= 0
    std::vector<FaceNeighbours> neighbours;            ///< n_tiles where there is none
    std::array<std::vector<std::int32_t>, 2> colours;  ///< tiles by parity of the sum of their coordinates
    std::vector<std::array<std::int32_t, 8>> children; ///< tiles of the next finer level, by octant (not on the finest)
    std::vector<std::int32_t> parents;                 ///< tile of the next coarser level (not on the coarsest)
    /// The coefficient of all faces of a tile whose cells are all unknowns, without extra diagonal; 0: they differ.
    std::vector<float> uniform;
    std::array<AlignedVector<float>, 3> coefficient; ///< on lower faces
    AlignedVector<float> inverse_diagonal;           ///< 0 where there is no unknown
    AlignedVector<float> x;                          ///< while the level is built: the diagonal beyond the faces' sum
    AlignedVector<float> b;

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

/// First cell of an octant within a tile.
[[nodiscard]] inline int octant_origin(int octant) noexcept
{
    return cell_in_tile(4 * (octant & 1), 4 * (octant >> 1 & 1), 4 * (octant >> 2));
}

/// Topology and coefficients of the next coarser level by 2x2x2 aggregation.
void coarsen(PoissonLevel& fine, PoissonLevel& coarse);

} // namespace rivulet
