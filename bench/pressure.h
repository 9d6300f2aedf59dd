#pragma once

#include "figure.h"

#include <vector>

namespace rivulet {

/// The pressure solver on a cut sphere under a ghost-fluid surface (pressure_problem.h), true relative residual 1e-6,
/// against conjugate gradients with incomplete Cholesky and with Jacobi. Our time includes the whole set-up, that of
/// the references only the factorisation. `full` adds 256^3 cells.
[[nodiscard]] std::vector<BenchFigure> bench_pressure(bool full);

} // namespace rivulet
