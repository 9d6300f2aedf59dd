#include "bench.h"

#include "base/parallel.h"
#include "contact/penalty_solver.h"
#include "strands/strand_compliance.h"
#include "wet_bundles.h"

#include <Eigen/Sparse>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace rivulet {
namespace {

constexpr double kSolverTolerance = 1e-7; ///< of the residual's Euclidean norm, against that of the right side
constexpr int kMostIterations = 50000;
constexpr double kBytesOfEntry = sizeof(double) + sizeof(int);
constexpr int kSolverRepeats = 3; ///< of the short solutions, of which the fastest counts

double dot_product(const std::vector<double>& x, const std::vector<double>& y)
{
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
}

struct SolverRun {
    std::vector<double> x;
    int iterations = 0;
    double cpu = 0;     ///< [s]
    double entries = 0; ///< of the factors, where they are of the whole
};

/// Conjugate gradients that the diagonal preconditions, from where the strands are without each other.
SolverRun solve_by_diagonal(const WetBundles& problem)
{
    SolverRun run;
    const double begin = cpu_seconds_now();
    std::vector<double> inverse = problem.diagonal(), r = problem.right_side(), z(r.size()), w(r.size());
    for (double& d : inverse) d = 1 / d;
    run.x.assign(r.size(), 0);
    const double goal = kSolverTolerance * std::sqrt(dot_product(r, r));
    for (std::size_t i = 0; i < r.size(); ++i) z[i] = inverse[i] * r[i];
    std::vector<double> p = z;
    double rz = dot_product(r, z);
    while (run.iterations < kMostIterations && std::sqrt(dot_product(r, r)) > goal) {
        problem.multiply(p, w);
        const double alpha = rz / dot_product(p, w);
        for (std::size_t i = 0; i < r.size(); ++i) {
            run.x[i] += alpha * p[i];
            r[i] -= alpha * w[i];
            z[i] = inverse[i] * r[i];
        }
        const double next = dot_product(r, z), beta = next / rz;
        for (std::size_t i = 0; i < r.size(); ++i) p[i] = z[i] + beta * p[i];
        rz = next;
        ++run.iterations;
    }
    run.cpu = cpu_seconds_now() - begin;
    return run;
}

/// Published: strands factored without the springs that they hang on. Own: with them. ByForces: where the strands go
/// under the forces that the own method found, which is how a step of the program goes on.
enum class StrandMethod { Published, Own, ByForces };

SolverRun solve_by_strands(WetBundles& problem, double tolerance, StrandMethod method)
{
    SolverRun run;
    const double begin = cpu_seconds_now();
    problem.factor();
    StrandCompliance compliance(problem.model, problem.hold, problem.factors, problem.contacts);
    std::vector<double> force(problem.contacts.size()), motion(force.size());
    const CompliantOptions options{.tolerance = tolerance, .max_iterations = kMostIterations};
    run.x.assign(problem.n_unknowns(), 0);
    if (method == StrandMethod::Published)
        run.iterations =
            solve_compliant(compliance, problem.normal, problem.stiffness, problem.b, options, force, motion)
                .iterations;
    else
        run.iterations = compliance.with_springs(problem.normal, problem.stiffness)
                             ->solve(problem.b, options, force, motion)
                             .iterations;
    if (method != StrandMethod::Own) {
        problem.add_forces(force, run.x);
        problem.solve_strands(run.x);
    } else {
        std::vector<Vec3> moved(problem.state.position.size(), Vec3::Zero());
        std::vector<double> spin(moved.size(), 0.0);
        compliance.add_found(moved, spin);
        for (std::size_t v = 0; v < moved.size(); ++v) {
            for (std::size_t a = 0; a < 3; ++a) run.x[4 * v + a] = moved[v][static_cast<Eigen::Index>(a)];
            run.x[4 * v + 3] = spin[v];
        }
    }
    run.cpu = cpu_seconds_now() - begin;
    return run;
}

SolverRun solve_directly(const WetBundles& problem)
{
    const auto n = static_cast<Eigen::Index>(problem.n_unknowns());
    std::vector<Eigen::Triplet<double>> entries;
    problem.for_entries([&](std::size_t i, std::size_t j, double a) {
        entries.emplace_back(static_cast<int>(i), static_cast<int>(j), a);
    });
    Eigen::SparseMatrix<double> matrix(n, n);
    matrix.setFromTriplets(entries.begin(), entries.end());
    const std::vector<double> right = problem.right_side();
    SolverRun run;
    run.x.resize(right.size());
    const double begin = cpu_seconds_now();
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower> factors(matrix);
    Eigen::Map<Eigen::VectorXd>(run.x.data(), n) = factors.solve(Eigen::Map<const Eigen::VectorXd>(right.data(), n));
    run.cpu = cpu_seconds_now() - begin;
    run.entries = static_cast<double>(factors.matrixL().nestedExpression().nonZeros());
    return run;
}

double relative_residual(const WetBundles& problem, const std::vector<double>& x)
{
    const std::vector<double> right = problem.right_side();
    std::vector<double> y(x.size());
    problem.multiply(x, y);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] -= right[i];
    return std::sqrt(dot_product(y, y) / dot_product(right, right));
}

double difference(const std::vector<double>& x, const std::vector<double>& exact)
{
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - exact[i]) * (x[i] - exact[i]);
    return std::sqrt(sum / dot_product(exact, exact));
}

/// Its own residual is measured in another norm: tightened until the solution is good enough.
template <class IsGood>
SolverRun tighten(WetBundles& problem, StrandMethod method, IsGood&& is_good)
{
    double tolerance = kSolverTolerance;
    SolverRun run = solve_by_strands(problem, tolerance, method);
    while (!is_good(run.x) && tolerance > 1e-14) {
        tolerance *= 0.7;
        run = solve_by_strands(problem, tolerance, method);
    }
    for (int i = 1; i < kSolverRepeats; ++i)
        run.cpu = std::min(run.cpu, solve_by_strands(problem, tolerance, method).cpu);
    return run;
}
/// Until the Euclidean residual is as small as the reference's.
SolverRun solve_as_well(WetBundles& problem, StrandMethod method)
{
    return tighten(problem, method,
                   [&](const std::vector<double>& x) { return relative_residual(problem, x) <= kSolverTolerance; });
}

void add_comparison(const std::string& name, const SolverRun& own, const SolverRun& other, double bar,
                    std::vector<BenchFigure>& figures)
{
    const double ratio = other.cpu / own.cpu;
    figures.push_back({name, own.cpu, "CPU s", other.cpu, ratio, bar, ratio >= bar});
    if (other.iterations > 0)
        figures.push_back({name + "_iterations", static_cast<double>(own.iterations), "",
                           static_cast<double>(other.iterations),
                           static_cast<double>(other.iterations) / own.iterations, 0, true});
}

void bench_size(int n_hairs, bool directly, std::vector<BenchFigure>& figures)
{
    constexpr double kDiagonalBar = 50, kAgreementBar = 1e-8;
    WetBundles problem(n_hairs / WetBundles::kHairs);
    const std::string name = fmt::format("wet_solver_{}", n_hairs);
    const SolverRun own = solve_as_well(problem, StrandMethod::Own), reference = solve_by_diagonal(problem);
    add_comparison(name, own, reference, kDiagonalBar, figures);
    figures.push_back({name + "_springs", static_cast<double>(problem.contacts.size()), "", 0, 0, 0, true});
    if (!directly) return;
    add_comparison(name + "_published", own, solve_as_well(problem, StrandMethod::Published), 0, figures);
    const SolverRun by_forces = solve_as_well(problem, StrandMethod::ByForces);
    add_comparison(name + "_by_forces", by_forces, reference, 0, figures);
    const SolverRun exact = solve_directly(problem);
    add_comparison(name + "_direct", own, exact, 0, figures);
    figures.push_back({name + "_direct_factors", 1e-6 * kBytesOfEntry * exact.entries, "MB", 0, 0, 0, true});
    const double error = difference(own.x, exact.x), other_error = difference(reference.x, exact.x);
    figures.push_back({name + "_error", error, "", other_error, other_error / error, 0, true});
    const double forces_error = difference(by_forces.x, exact.x);
    figures.push_back({name + "_by_forces_error", forces_error, "", other_error, other_error / forces_error, 0, true});
    const SolverRun as_near = tighten(problem, StrandMethod::Own, [&](const std::vector<double>& x) {
        return difference(x, exact.x) <= other_error;
    });
    add_comparison(name + "_equal_error", as_near, reference, 0, figures);
    const double apart = difference(solve_by_strands(problem, 1e-13, StrandMethod::Own).x, exact.x);
    figures.push_back({name + "_agrees", apart, "", 0, 0, kAgreementBar, apart <= kAgreementBar});
}

} // namespace

std::vector<BenchFigure> bench_wet_solver(bool full)
{
    const ThreadPool pool(1);
    std::vector<BenchFigure> figures;
    std::vector<int> sizes{256, 1024};
    if (full) sizes.insert(sizes.end(), {2048, 8192});
    for (const int n : sizes) bench_size(n, n <= (full ? 1024 : 256), figures);
    return figures;
}

} // namespace rivulet
