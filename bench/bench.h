#pragma once

#include "rivulet/bench.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace rivulet {

/// A benchmark: measures its reference and itself in the same run and returns one or more figures.
struct Bench {
    std::string name;
    std::string sentence;
    std::function<std::vector<BenchFigure>(bool full)> run;
};

/// All benchmarks. A new one: a function in bench/<topic>.cpp and a line in bench/bench_table.cpp.
[[nodiscard]] const std::vector<Bench>& bench_table();

/// A time against a reference time: ratio = reference / value, to reach `bar` (0: only informs).
[[nodiscard]] BenchFigure time_figure(std::string bench, double value, double reference, double bar);

/// A number without a reference or a bar.
[[nodiscard]] BenchFigure plain_figure(std::string bench, double value, std::string unit);

/// Processor and wall clock [s].
[[nodiscard]] double cpu_seconds_now();
[[nodiscard]] double wall_seconds_now();

/// Memory of this process [bytes].
[[nodiscard]] double resident_bytes();
/// From here on peak_resident_bytes() counts anew. False where the system does not allow it.
bool forget_peak_memory();

/// Shortest time of `repeats` calls by the given clock [s]: the least disturbed one.
template <class Clock, class Action>
[[nodiscard]] double best_seconds(int repeats, Clock&& now, Action&& action)
{
    double best = 1e300;
    for (int i = 0; i < repeats; ++i) {
        const double begin = now();
        action();
        best = std::min(best, now() - begin);
    }
    return best;
}

/// State hash and checkpoint image against a copy of the memory; a step against itself less what timing its stages
/// costs (measured apart: the difference of two steps would drown in noise).
[[nodiscard]] std::vector<BenchFigure> bench_hash(bool full);
[[nodiscard]] std::vector<BenchFigure> bench_checkpoint(bool full);
[[nodiscard]] std::vector<BenchFigure> bench_timers(bool full);
/// Particle to grid and back on a million particles (8 a cell, quadratic; staggered and collocated), beside plain
/// scalar loops over the same sorted particles, and against what is asked of this core; two threads against one. `full`
/// adds the cost at ten times the size.
[[nodiscard]] std::vector<BenchFigure> bench_transfers(bool full);
/// The pressure solver on a cut sphere under a ghost-fluid surface (pressure_problem.h), true relative residual 1e-6,
/// against conjugate gradients with incomplete Cholesky and with Jacobi, and with hypre's structured multigrid where
/// the program for it was built. Our time includes the whole set-up, that of the references only the factorisation or
/// the coarser grids. `full` adds 256^3 cells.
[[nodiscard]] std::vector<BenchFigure> bench_pressure(bool full);
/// Whole steps of a box of water at eight particles a cell, 110 thousand to a million of them (`full`: ten million):
/// how the cost grows with the particles, memory of a particle with grid and solver, where the time goes, and two
/// threads against one on a million.
[[nodiscard]] std::vector<BenchFigure> bench_liquid(bool full);
/// The mesh of the surface of balls of 20 to 160 cells diameter: time and memory of a cell of surface, and how both
/// grow with the surface between the two largest.
[[nodiscard]] std::vector<BenchFigure> bench_surfacing(bool full);
/// Elastic strands: factor and solve of a thousand strands of 50 vertices against LAPACK (where it was there when this
/// was built) and Eigen, force and Hessian against that solve, whole steps of dry hair on a head that nods, how their
/// cost grows from a thousand strands to a hundred thousand, two threads against one; then what strand_contact.h
/// and rubbing_bundles.h say.
[[nodiscard]] std::vector<BenchFigure> bench_strands(bool full);
/// Strands and liquid together: a hair drawn through a pool beside what the published program needs, where the time of
/// a wet shaking cylinder and of a wet hair flip goes, and how the cost grows with the strands. `full`: whole runs,
/// more strands.
[[nodiscard]] std::vector<BenchFigure> bench_wet_hair(bool full);
/// One linear system of wet hair in bundles (wet_bundles.h): conjugate gradients with factored strands against those
/// with the diagonal, to the same residual of 1e-7, and against a sparse direct solution. `full`: up to 8192 hairs.
[[nodiscard]] std::vector<BenchFigure> bench_wet_solver(bool full);

} // namespace rivulet
