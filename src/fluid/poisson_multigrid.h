#pragma once

#include "fluid/poisson_level.h"
#include "numerics/semidefinite_cholesky.h"

namespace rivulet {

/// One symmetric multigrid V-cycle in float for the system on its finest level: a symmetric positive (semi-)definite
/// approximation of the inverse.
///
/// Smoothing goes through the tiles of one parity, then of the other; a tile takes over-relaxed red-black Gauss-Seidel
/// sweeps while it sits in cache. After the coarse correction everything comes in reverse, which makes the cycle
/// symmetric. A tile reads only its face neighbours, which have the other parity, so the result does not depend on the
/// order of tiles within a pass.
class PoissonMultigrid {
public:
    /// The finest level, to be filled by the caller before build().
    [[nodiscard]] PoissonLevel& finest() noexcept { return levels_[0]; }
    [[nodiscard]] const PoissonLevel& finest() const noexcept { return levels_[0]; }
    /// Coarser levels from the finest one, whose coefficients and extra diagonal (in x) are set.
    void build();
    /// finest().x = M finest().b.
    void apply();

    [[nodiscard]] int n_levels() const noexcept { return n_levels_; }
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    void factor_coarsest();
    void solve_coarsest();
    void cycle(int l);

    std::vector<PoissonLevel> levels_ = std::vector<PoissonLevel>(1);
    int n_levels_ = 1;
    SemidefiniteCholesky coarsest_;
    std::vector<std::int32_t> coarsest_cells_; ///< unknowns of the coarsest level
    std::vector<double> coarsest_values_;
    std::vector<double> matrix_;
};

} // namespace rivulet
