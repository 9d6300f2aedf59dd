#pragma once

#include "fluid/poisson.h"
#include "fluid/poisson_components.h"
#include "fluid/poisson_level.h"

namespace rivulet {

/// The system of PoissonSystem in double on its active tiles alone (those that hold unknowns), numbered as on the
/// finest multigrid level. Fields here have (n_tiles() + 1) * kTileCells entries, zero where there is no unknown.
class PoissonOperator {
public:
    /// Also fills the finest level (tiles, neighbours, coefficients, extra diagonal in x). Keeps pointers into the
    /// fields of the system, which must outlive the use of apply().
    void build(const PoissonSystem& system, PoissonLevel& finest);
    /// q = A p; returns p . A p.
    [[nodiscard]] double apply(std::span<const double> p, std::span<double> q);
    /// r = b - A x, where x and b are fields of the system's grid, x zero where there is no unknown.
    void residual(std::span<const double> x, std::span<const double> b, std::span<double> r) const;

    [[nodiscard]] int n_tiles() const noexcept { return static_cast<int>(grid_tiles_.size()); }
    /// Whether all coefficients and diagonals that count are finite and not negative.
    [[nodiscard]] bool is_valid() const noexcept { return is_valid_; }
    [[nodiscard]] std::int64_t n_unknowns() const noexcept { return n_unknowns_; }
    /// Tile of the system's grid for each active tile.
    [[nodiscard]] std::span<const std::int32_t> grid_tiles() const noexcept { return grid_tiles_; }
    [[nodiscard]] std::span<const TileConnections> connections() const noexcept { return connections_; }
    /// Whole diagonal of A.
    [[nodiscard]] std::span<const double> diagonal() const noexcept { return diagonal_; }
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    void find_tiles(PoissonLevel& finest);
    void build_tile(std::int32_t t, double scale, PoissonLevel& finest);
    template <class Body>
    void for_half_rows(std::int32_t t, const double* field, std::int32_t own, const FaceNeighbours& neighbours,
                       Body&& body) const;
    [[nodiscard]] double typical_coefficient() const;

    PoissonSystem system_;
    std::vector<std::int32_t> grid_tiles_;
    std::vector<std::int32_t> active_;            ///< active tile of each tile of the grid, or n_tiles()
    std::vector<FaceNeighbours> neighbours_;      ///< among active tiles
    std::vector<FaceNeighbours> grid_neighbours_; ///< among tiles of the grid
    std::vector<TileConnections> connections_;
    std::vector<double> uniform_;             ///< as PoissonLevel::uniform
    std::vector<std::uint64_t> uniform_rows_; ///< bit j + 8 k: all faces of the row (j, k) have that coefficient
    AlignedVector<double> diagonal_;
    std::vector<double> partial_; ///< one term a tile of the ordered sum
    std::int64_t n_unknowns_ = 0;
    bool is_valid_ = true;
};

} // namespace rivulet
