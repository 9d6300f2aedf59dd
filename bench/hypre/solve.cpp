// The pressure problem of `rivulet bench pressure` by hypre: conjugate gradients with its structured multigrid (PFMG).
// A program of its own, so that only this one starts MPI. Usage: rivulet_hypre N RELATIVE_TOLERANCE REPEATS; prints
// processor seconds of set-up and solve, iterations, the largest residual against the largest right side, and the
// seconds that handing the matrix over to hypre takes (set values, assemble), which are not part of the set-up.
#include "pressure_problem.h"

#include <HYPRE_struct_ls.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

using namespace rivulet;

double cpu_seconds()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The problem on the smallest box that holds its unknowns, x fastest; cells that are none have rows of the identity.
struct BoxSystem {
    static constexpr int kEntries = 7; ///< diagonal, then lower and upper along x, y, z
    std::array<HYPRE_Int, 3> lower{0, 0, 0}, upper;
    std::vector<double> matrix, b;

    explicit BoxSystem(const PressureProblem& problem)
    {
        Vec3i last = Vec3i::Zero();
        for_unknowns(problem, [&](std::size_t, int, const Vec3i&, const Vec3i& cell) { last = last.cwiseMax(cell); });
        for (int a = 0; a < 3; ++a) upper[static_cast<std::size_t>(a)] = last[a];
        const auto size = static_cast<std::size_t>(last.x() + 1) * static_cast<std::size_t>(last.y() + 1) *
                          static_cast<std::size_t>(last.z() + 1);
        matrix.assign(size * kEntries, 0);
        for (std::size_t n = 0; n < size; ++n) matrix[n * kEntries] = 1;
        b.assign(size, 0);
        for_unknowns(problem, [&](std::size_t c, int t, const Vec3i& local, const Vec3i& cell) {
            const std::size_t n = index(cell);
            b[n] = problem.b[c];
            double diagonal = problem.diagonal[c];
            for (int f = 0; f < 6; ++f) {
                const Vec3i at = local + (f % 2 == 0 ? -1 : 1) * Vec3i::Unit(f / 2);
                const std::size_t across = problem.grid.index(t, at.x(), at.y(), at.z());
                if (problem.unknown[across] == 0) continue;
                const double face = problem.coefficient[static_cast<std::size_t>(f / 2)][f % 2 == 0 ? c : across];
                matrix[n * kEntries + 1 + static_cast<std::size_t>(f)] = -face;
                diagonal += face;
            }
            matrix[n * kEntries] = diagonal;
        });
    }

    [[nodiscard]] std::size_t index(const Vec3i& cell) const
    {
        return static_cast<std::size_t>(cell.x() + (upper[0] + 1) * (cell.y() + (upper[1] + 1) * cell.z()));
    }
    /// Largest |b - A x| over the largest |b|.
    [[nodiscard]] double residual(const std::vector<double>& x) const
    {
        double largest = 0, scale = 0;
        const std::ptrdiff_t stride[3] = {1, upper[0] + 1, static_cast<std::ptrdiff_t>(upper[0] + 1) * (upper[1] + 1)};
        for (std::size_t n = 0; n < b.size(); ++n) {
            double r = b[n] - matrix[n * kEntries] * x[n];
            for (std::size_t f = 0; f < 6; ++f) {
                const double entry = matrix[n * kEntries + 1 + f];
                if (entry != 0) r -= entry * x[n + static_cast<std::size_t>((f % 2 == 0 ? -1 : 1) * stride[f / 2])];
            }
            largest = std::max(largest, std::abs(r));
            scale = std::max(scale, std::abs(b[n]));
        }
        return largest / scale;
    }

private:
    template <class Body>
    static void for_unknowns(const PressureProblem& problem, Body&& body)
    {
        for (int t = 0; t < problem.grid.n_tiles(); ++t)
            for (int c = 0; c < kTileCells; ++c) {
                const auto cell = static_cast<std::size_t>(t * kTileCells + c);
                const Vec3i local(c % 8, c / 8 % 8, c / 64);
                if (problem.unknown[cell] != 0) body(cell, t, local, kTileEdge * problem.grid.tile(t) + local);
            }
    }
};

struct Timing {
    double setup = 0, solve = 0; ///< [s]
    HYPRE_Int iterations = 0;
    double residual = 0; ///< largest, against the largest right side
};

/// The system in hypre's own objects.
class HypreSystem {
public:
    explicit HypreSystem(BoxSystem& system) : system_(system)
    {
        HYPRE_StructGridCreate(MPI_COMM_WORLD, 3, &grid_);
        HYPRE_StructGridSetExtents(grid_, system.lower.data(), system.upper.data());
        HYPRE_StructGridAssemble(grid_);
        HYPRE_StructStencilCreate(3, BoxSystem::kEntries, &stencil_);
        HYPRE_Int entries[BoxSystem::kEntries];
        for (int e = 0; e < BoxSystem::kEntries; ++e) {
            HYPRE_Int offset[3] = {0, 0, 0};
            if (e > 0) offset[(e - 1) / 2] = (e - 1) % 2 == 0 ? -1 : 1;
            HYPRE_StructStencilSetElement(stencil_, e, offset);
            entries[e] = e;
        }
        const double begin = cpu_seconds();
        HYPRE_StructMatrixCreate(MPI_COMM_WORLD, grid_, stencil_, &matrix_);
        HYPRE_StructMatrixInitialize(matrix_);
        HYPRE_StructMatrixSetBoxValues(matrix_, system.lower.data(), system.upper.data(), BoxSystem::kEntries, entries,
                                       system.matrix.data());
        HYPRE_StructMatrixAssemble(matrix_);
        hand_over_ = cpu_seconds() - begin;
        for (HYPRE_StructVector* v : {&b_, &x_}) {
            HYPRE_StructVectorCreate(MPI_COMM_WORLD, grid_, v);
            HYPRE_StructVectorInitialize(*v);
        }
        HYPRE_StructVectorSetBoxValues(b_, system.lower.data(), system.upper.data(), system.b.data());
        HYPRE_StructVectorAssemble(b_);
        HYPRE_StructVectorAssemble(x_);
    }
    HypreSystem(const HypreSystem&) = delete;
    HypreSystem& operator=(const HypreSystem&) = delete;
    ~HypreSystem()
    {
        HYPRE_StructVectorDestroy(x_);
        HYPRE_StructVectorDestroy(b_);
        HYPRE_StructMatrixDestroy(matrix_);
        HYPRE_StructStencilDestroy(stencil_);
        HYPRE_StructGridDestroy(grid_);
    }

    /// Time that it took to give the matrix to hypre [s].
    [[nodiscard]] double hand_over() const noexcept { return hand_over_; }
    /// From zero to a residual of `tolerance` in the norm of squares. `relaxation`: 1 weighted Jacobi, 2 red-black.
    [[nodiscard]] Timing solve(double tolerance, int relaxation)
    {
        constexpr int kMostIterations = 200;
        HYPRE_StructVectorSetConstantValues(x_, 0);
        HYPRE_StructSolver multigrid = nullptr, solver = nullptr;
        Timing timing;
        const double begin = cpu_seconds();
        HYPRE_StructPFMGCreate(MPI_COMM_WORLD, &multigrid);
        HYPRE_StructPFMGSetMaxIter(multigrid, 1);
        HYPRE_StructPFMGSetTol(multigrid, 0);
        HYPRE_StructPFMGSetZeroGuess(multigrid);
        HYPRE_StructPFMGSetRelaxType(multigrid, relaxation);
        HYPRE_StructPCGCreate(MPI_COMM_WORLD, &solver);
        HYPRE_StructPCGSetTol(solver, tolerance);
        HYPRE_StructPCGSetTwoNorm(solver, 1);
        HYPRE_StructPCGSetMaxIter(solver, kMostIterations);
        HYPRE_StructPCGSetPrecond(solver, HYPRE_StructPFMGSolve, HYPRE_StructPFMGSetup, multigrid);
        HYPRE_StructPCGSetup(solver, matrix_, b_, x_);
        const double between = cpu_seconds();
        HYPRE_StructPCGSolve(solver, matrix_, b_, x_);
        timing.setup = between - begin;
        timing.solve = cpu_seconds() - between;
        HYPRE_StructPCGGetNumIterations(solver, &timing.iterations);
        HYPRE_StructPCGDestroy(solver);
        HYPRE_StructPFMGDestroy(multigrid);
        std::vector<double> x(system_.b.size());
        HYPRE_StructVectorGetBoxValues(x_, system_.lower.data(), system_.upper.data(), x.data());
        timing.residual = system_.residual(x);
        return timing;
    }

private:
    BoxSystem& system_;
    HYPRE_StructGrid grid_ = nullptr;
    HYPRE_StructStencil stencil_ = nullptr;
    HYPRE_StructMatrix matrix_ = nullptr;
    HYPRE_StructVector b_ = nullptr, x_ = nullptr;
    double hand_over_ = 0;
};

/// The fastest of both relaxations and of several solves that leave no more than `tolerance` of the largest right side.
Timing fastest(HypreSystem& system, double tolerance, int repeats)
{
    Timing best{1e300, 0, 0, 1e300};
    for (const int relaxation : {1, 2}) {
        double norm = tolerance; // hypre's residual is another norm: ask for less until the largest is small enough
        Timing timing = system.solve(norm, relaxation);
        while (timing.residual > tolerance && norm > 1e-14) timing = system.solve(norm *= 0.5, relaxation);
        for (int n = 1; n < repeats; ++n) {
            const Timing again = system.solve(norm, relaxation);
            if (again.setup + again.solve < timing.setup + timing.solve) timing = again;
        }
        if (timing.residual <= tolerance && timing.setup + timing.solve < best.setup + best.solve) best = timing;
    }
    return best;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 4) return 2;
    MPI_Init(&argc, &argv);
    {
        const rivulet::PressureProblem problem(std::atoi(argv[1]));
        BoxSystem box(problem);
        const int repeats = std::atoi(argv[3]);
        double hand_over = HypreSystem(box).hand_over();
        for (int n = 1; n < repeats; ++n) hand_over = std::min(hand_over, HypreSystem(box).hand_over());
        HypreSystem system(box);
        const Timing best = fastest(system, std::atof(argv[2]), repeats);
        std::printf("%.9g %.9g %d %.3g %.9g\n", best.setup, best.solve, static_cast<int>(best.iterations),
                    best.residual, hand_over);
    }
    MPI_Finalize();
    return 0;
}
