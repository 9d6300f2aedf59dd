#pragma once

#include "fluid/poisson.h"

#include <cstdint>
#include <vector>

namespace rivulet {

/// What most liquid solvers ship: conjugate gradients on a list of unknowns, in double, written plainly.
class ReferenceSolver {
public:
    enum class Preconditioner { Jacobi, ModifiedIncompleteCholesky };

    explicit ReferenceSolver(const PoissonSystem& system);
    /// As PoissonSolver::solve, for systems without singular components; factorises on each call.
    PoissonResult solve(std::span<const double> b, std::span<double> x, double tolerance, int max_iterations,
                        Preconditioner preconditioner);

private:
    /// Neighbours and coefficients across the lower and the upper face of each axis; -1 where the face does not count.
    struct Row {
        std::array<std::int32_t, 6> neighbour;
        std::array<double, 6> face;
        double diagonal;
    };
    void factor();
    void precondition(Preconditioner kind);
    double apply();

    std::vector<std::size_t> cells_;
    std::vector<Row> rows_;
    std::vector<double> factor_; ///< inverse of the diagonal of the incomplete factor
    std::vector<double> x_, r_, z_, p_, q_;
};

} // namespace rivulet
