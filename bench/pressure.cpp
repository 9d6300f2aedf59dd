#include "bench.h"

#include "base/parallel.h"
#include "pressure_problem.h"
#include "pressure_reference.h"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>

namespace rivulet {
namespace {

constexpr double kRelativeTolerance = 1e-6;

/// Shortest time of several solves from zero, and the result of the last.
template <class Clock, class Solve>
double best_time(const PressureProblem& problem, int repeats, Clock&& seconds, PoissonResult& result, Solve&& solve)
{
    std::vector<double> x(problem.b.size());
    return best_seconds(repeats, seconds, [&] {
        std::fill(x.begin(), x.end(), 0.0);
        result = solve(x);
    });
}

BenchFigure ratio_figure(std::string name, double value, double reference, double bar, bool valid)
{
    BenchFigure figure = time_figure(std::move(name), value, reference, bar);
    figure.meets = figure.meets && valid;
    return figure;
}

/// What hypre needs for the same problem, by the program that is built where hypre is there.
struct HypreTime {
    double seconds = 0;   ///< set-up and solve
    double hand_over = 0; ///< giving it the matrix, before
    int iterations = 0;
};

std::optional<HypreTime> time_of_hypre(int n, int repeats)
{
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    const auto program = self.parent_path() / "rivulet_hypre";
    if (error || !std::filesystem::exists(program, error)) return {};
    const std::string command = "OMP_NUM_THREADS=1 '" + program.string() + "' " + std::to_string(n) + " " +
                                std::to_string(kRelativeTolerance) + " " + std::to_string(repeats);
    std::FILE* output = popen(command.c_str(), "r");
    if (output == nullptr) return {};
    double setup = 0, solve = 0, residual = 0;
    HypreTime time;
    const int read =
        std::fscanf(output, "%lf %lf %d %lf %lf", &setup, &solve, &time.iterations, &residual, &time.hand_over);
    time.seconds = setup + solve;
    const bool ended_well = pclose(output) == 0;
    if (read != 5 || !ended_well || !(residual <= kRelativeTolerance)) return {};
    return time;
}

void bench_size(int n, std::vector<BenchFigure>& figures)
{
    using Kind = ReferenceSolver::Preconditioner;
    const PressureProblem problem(n);
    const PoissonSystem system = problem.system();
    const double tolerance = kRelativeTolerance * problem.largest_b();
    const std::string name = "pressure_" + std::to_string(n);
    const int repeats = n <= 64 ? 20 : (n <= 128 ? 8 : 3);

    PoissonSolver solver;
    const auto solve = [&](std::vector<double>& x) { return solver.solve(system, problem.b, x, tolerance, 100); };
    const auto reference = [&](Kind kind) {
        ReferenceSolver plain(system);
        PoissonResult result;
        const double time = best_time(problem, n <= 64 ? 3 : 1, cpu_seconds_now, result, [&](std::vector<double>& x) {
            return plain.solve(problem.b, x, tolerance, 5000, kind);
        });
        return std::pair(time, result);
    };

    PoissonResult result;
    double cpu_one = 0, wall_one = 0;
    {
        const ThreadPool pool(1);
        cpu_one = best_time(problem, repeats, cpu_seconds_now, result, solve);
        wall_one = best_time(problem, repeats, wall_seconds_now, result, solve);
    }
    const auto [cholesky, cholesky_result] = reference(Kind::ModifiedIncompleteCholesky);
    const auto [jacobi, jacobi_result] = reference(Kind::Jacobi);
    const bool valid = result.converged && cholesky_result.converged && jacobi_result.converged;
    figures.push_back(ratio_figure(name + "_cholesky", cpu_one, cholesky, n == 128 ? 6 : 0, valid));
    figures.push_back(ratio_figure(name + "_jacobi", cpu_one, jacobi, 0, valid));

    if (const auto hypre = time_of_hypre(n, n <= 128 ? 3 : 1)) {
        figures.push_back(ratio_figure(name + "_hypre", cpu_one, hypre->seconds, n >= 128 ? 3 : 0, valid));
        figures.push_back(ratio_figure(name + "_hypre_handed", cpu_one, hypre->seconds + hypre->hand_over, 0, valid));
        figures.push_back(
            {name + "_hypre_iterations", static_cast<double>(hypre->iterations), "iterations", 0, 0, 0, true});
    }

    const double iterations = result.iterations;
    const double reference_iterations = cholesky_result.iterations;
    figures.push_back({name + "_iterations", iterations, "iterations", reference_iterations,
                       reference_iterations / iterations, 12, valid && iterations <= 12});
    const double bytes = static_cast<double>(solver.bytes()) / result.n_unknowns;
    figures.push_back({name + "_memory", bytes, "B/cell", 0, 0, 150, bytes <= 150});

    const ThreadPool pool(2);
    const double wall_two = best_time(problem, repeats, wall_seconds_now, result, solve);
    figures.push_back(ratio_figure(name + "_two_threads", wall_two, wall_one, 0, result.converged));
}

} // namespace

std::vector<BenchFigure> bench_pressure(bool full)
{
    std::vector<BenchFigure> figures;
    bench_size(64, figures);
    bench_size(128, figures);
    if (full) bench_size(256, figures);
    return figures;
}

} // namespace rivulet
