#pragma once

#include "grid/tile_grid.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace rivulet {

/// A symmetric positive (semi-)definite seven-point system on the cells of a sparse grid:
///   (A x)_c = diagonal_c x_c + sum over faces f of c: coefficient_f (x_c - x_n),   n the cell across f.
/// `unknown` marks the cells that take part; a face counts only where both of its cells are unknowns (what a free
/// surface or a compressible liquid adds goes into `diagonal`). All fields have TileGrid::field_size() entries.
struct PoissonSystem {
    const TileGrid* grid = nullptr;
    std::span<const std::uint8_t> unknown;
    std::array<std::span<const double>, 3> coefficient; ///< on the lower face of each cell, >= 0
    std::span<const double> diagonal;                   ///< >= 0
};

struct PoissonResult {
    int iterations = 0;
    double residual = 0; ///< largest |b - A x| over the unknowns, recomputed from x at the end
    bool converged = false;
    int n_unknowns = 0;
    int n_singular_components = 0; ///< connected sets of unknowns without any diagonal: solved up to a constant
};

/// Conjugate gradients in double, preconditioned by a matrix-free multigrid V-cycle in float. Keeps its memory between
/// solves; the result depends only on the arguments.
class PoissonSolver {
public:
    PoissonSolver();
    ~PoissonSolver();
    PoissonSolver(PoissonSolver&&) noexcept;
    PoissonSolver& operator=(PoissonSolver&&) noexcept;

    /// Solves A x = b from the guess in x until the largest residual is <= tolerance. On singular components (closed
    /// pockets) the mean of b is removed, so that a solution exists, and the mean of x is kept at zero. Entries of x
    /// that are no unknowns become zero. Coefficients must be finite everywhere, also on faces that do not count.
    /// Input that is not finite, or a negative coefficient, ends with converged = false and x = 0.
    PoissonResult solve(const PoissonSystem& system, std::span<const double> b, std::span<double> x, double tolerance,
                        int max_iterations);

    /// The same with the system of the last solve, whose fields must not have changed: it is not read again.
    PoissonResult solve_again(const PoissonSystem& system, std::span<const double> b, std::span<double> x,
                              double tolerance, int max_iterations);

    /// Singular components of the last system, on which any constant may be added to a solution.
    [[nodiscard]] int n_pockets() const noexcept;
    /// Calls visit(cell, number of the pocket) for their cells, in a fixed order.
    void for_pocket_cells(const std::function<void(std::size_t, std::size_t)>& visit) const;

    /// Memory held between solves.
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace rivulet
