#include "fluid/poisson.h"

#include "../../bench/pressure_problem.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "fluid/poisson_problem.h"

#include <gtest/gtest.h>

#include <limits>

namespace rivulet {
namespace {

TEST(Poisson, AgreesWithADenseFactorisationOnAnIrregularDomain)
{
    Problem problem({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}});
    problem.randomise(0.7);
    for (double& d : problem.diagonal) d += 0.01; // regular, so that the solution is unique
    const PoissonResult result = problem.solve(1e-11, 200);
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.n_singular_components, 0);
    const Eigen::VectorXd exact = dense_matrix(problem).ldlt().solve(values_of(problem, problem.b));
    EXPECT_EQ(result.n_unknowns, exact.size());
    EXPECT_LT((values_of(problem, problem.x) - exact).cwiseAbs().maxCoeff(), 1e-8 * exact.cwiseAbs().maxCoeff());
}

TEST(Poisson, TwoCellsHaveTheSolutionComputedByHand)
{
    Problem problem({{0, 0, 0}, {1, 0, 0}});
    const std::size_t left = problem.grid.index(0, 7, 3, 3), right = problem.grid.index(0, 8, 3, 3);
    problem.unknown[left] = problem.unknown[right] = 1;
    problem.coefficient[0][right] = 2; // the only face that counts lies between two tiles
    problem.coefficient[0][left] = problem.coefficient[1][left] = 7;
    problem.diagonal[left] = 1;
    problem.b[left] = 1;
    problem.b[right] = 4; // 3 l - 2 r = 1, 2 r - 2 l = 4
    EXPECT_TRUE(problem.solve(1e-13).converged);
    EXPECT_NEAR(problem.x[left], 5, 1e-12);
    EXPECT_NEAR(problem.x[right], 7, 1e-12);
}

/// Largest error of the discrete solution of -laplace u = f in the unit cube, u = 0 on its boundary.
double manufactured_error(int n)
{
    using std::numbers::pi;
    Problem problem(box_of_tiles(n / 8, n / 8, n / 8));
    problem.fill_box(Vec3i::Zero(), Vec3i::Constant(n));
    const auto exact = [&](const Vec3i& cell) {
        const Vec3 p = (cell.cast<double>() + Vec3::Constant(0.5)) / n;
        return std::sin(pi * p.x()) * std::sin(2 * pi * p.y()) * std::sin(pi * p.z());
    };
    problem.for_cells([&](const Vec3i& cell, std::size_t c) {
        for (int a = 0; a < 3; ++a) problem.diagonal[c] += cell[a] == 0 || cell[a] == n - 1 ? 2 : 0;
        problem.b[c] = 6 * pi * pi * exact(cell) / (n * n);
    });
    EXPECT_TRUE(problem.solve(1e-12).converged);
    double error = 0;
    problem.for_cells(
        [&](const Vec3i& cell, std::size_t c) { error = std::max(error, std::abs(problem.x[c] - exact(cell))); });
    return error;
}

TEST(Poisson, ManufacturedSolutionConvergesWithSecondOrder)
{
    const double coarse = manufactured_error(16), fine = manufactured_error(32);
    EXPECT_LT(fine, 5e-3);
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.15);
}

TEST(Poisson, ClosedBoxIsSolvedUpToAConstant)
{
    Problem problem(box_of_tiles(2, 2, 2));
    problem.fill_box(Vec3i::Zero(), Vec3i::Constant(16));
    const auto exact = [](const Vec3i& cell) { return std::cos(std::numbers::pi * (cell.x() + 0.5) / 16); };
    const double eigenvalue = 2 - 2 * std::cos(std::numbers::pi / 16); // of the chain of 16 cells with closed ends
    for (const double offset : {0.0, 0.3}) {                           // compatible, incompatible
        problem.for_cells([&](const Vec3i& cell, std::size_t n) { problem.b[n] = eigenvalue * exact(cell) + offset; });
        std::fill(problem.x.begin(), problem.x.end(), 0.5);
        const PoissonResult result = problem.solve(1e-10);
        EXPECT_TRUE(result.converged);
        EXPECT_EQ(result.n_singular_components, 1);
        EXPECT_LE(result.iterations, 20);
        problem.for_cells(
            [&](const Vec3i& cell, std::size_t n) { ASSERT_NEAR(problem.x[n], exact(cell), 1e-7) << cell; });
    }
}

TEST(Poisson, SingularAndRegularComponentsConvergeTogether)
{
    Problem problem(box_of_tiles(4, 2, 2));
    problem.fill_box({1, 1, 1}, {13, 15, 12});  // closed
    problem.fill_box({14, 0, 0}, {20, 16, 16}); // with a surface
    problem.fill_box({22, 3, 3}, {23, 4, 4});   // one cell alone, closed
    problem.fill_box({24, 3, 3}, {32, 11, 11}); // closed, exactly a tile wide but across tiles
    problem.for_cells([&](const Vec3i& cell, std::size_t n) {
        if (cell.x() == 17 && problem.unknown[n] != 0) problem.diagonal[n] = 1;
        problem.b[n] = random_unit(7, 0, n);
    });
    const PoissonResult result = problem.solve(1e-10);
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.n_singular_components, 3);
    double closed = 0, pocket = 0;
    problem.for_cells([&](const Vec3i& cell, std::size_t n) {
        if (cell.x() < 13) closed += problem.x[n];
        if (cell.x() >= 24) pocket += problem.x[n];
        if (cell.x() == 22) {
            EXPECT_EQ(problem.x[n], 0);
        }
    });
    EXPECT_NEAR(closed, 0, 1e-9);
    EXPECT_NEAR(pocket, 0, 1e-9);
}

TEST(Poisson, FacesWithoutCoefficientSeparateComponents)
{
    Problem problem(box_of_tiles(1, 1, 1));
    problem.fill_box(Vec3i::Zero(), Vec3i::Constant(8));
    problem.for_cells([&](const Vec3i& cell, std::size_t n) {
        if (cell.y() == 3) problem.coefficient[1][n] = 0;
        problem.b[n] = cell.y() < 3 ? 1 : -1;
    });
    const PoissonResult result = problem.solve(1e-12);
    EXPECT_EQ(result.n_singular_components, 2);
    EXPECT_TRUE(result.converged);
    for (const double x : problem.x) EXPECT_EQ(x, 0); // the mean is all there is
}

/// Cut faces of a problem closed by up to four orders more, and its surface up to fifty times closer.
void add_slivers(PressureProblem& problem)
{
    for (std::size_t n = 0; n < problem.b.size(); ++n) {
        for (int a = 0; a < 3; ++a) {
            double& face = problem.coefficient[a][n];
            const bool is_cut = face > 0 && face != 1 && face != 1 / problem.density_ratio;
            if (is_cut && random_unit(21, a, n) < 0.5) face *= std::pow(10, -4 * random_unit(22, a, n));
        }
        problem.diagonal[n] *= 1 + 50 * random_unit(23, 0, n);
    }
}

TEST(Poisson, SliversAtSolidsAndAtTheSurfaceConverge)
{
    for (const double ratio : {1.0, 1000.0}) {
        PressureProblem problem(48, ratio);
        add_slivers(problem);
        std::vector<double> x(problem.b.size(), 0.0);
        PoissonSolver solver;
        const PoissonResult result = solver.solve(problem.system(), problem.b, x, 1e-6 * problem.largest_b(), 100);
        EXPECT_TRUE(result.converged);
        EXPECT_LE(result.iterations, 12) << ratio; // measured 7 and 9
    }
}

TEST(Poisson, CoefficientsOfThreeOrdersAtRandomConverge)
{
    Problem problem(box_of_tiles(4, 4, 4));
    problem.randomise(0.9);
    problem.make_slivers();
    const PoissonResult result = problem.solve(0.5e-6, 100);
    EXPECT_TRUE(result.converged);
    EXPECT_LE(result.iterations, 20); // measured 16
}

TEST(Poisson, IterationsDoNotGrowWithSize)
{
    for (const int n : {32, 64, 96}) {
        const PressureProblem problem(n);
        std::vector<double> x(problem.b.size(), 0.0);
        PoissonSolver solver;
        const PoissonResult result = solver.solve(problem.system(), problem.b, x, 1e-6 * problem.largest_b(), 100);
        EXPECT_TRUE(result.converged);
        EXPECT_LE(result.residual, 1e-6 * problem.largest_b());
        EXPECT_LE(result.iterations, 8) << n; // measured 6, 7 and 6; 12 asked for
        const double cells = static_cast<double>(result.n_unknowns);
        if (n == 64) {
            EXPECT_LE(static_cast<double>(solver.bytes()) / cells, 150);
        } // measured 77
    }
}

TEST(Poisson, TwoLiquidsOfDensityRatioAThousandConverge)
{
    const PressureProblem problem(64, 1000);
    std::vector<double> x(problem.b.size(), 0.0);
    PoissonSolver solver;
    const PoissonResult result = solver.solve(problem.system(), problem.b, x, 1e-6 * problem.largest_b(), 100);
    EXPECT_TRUE(result.converged);
    EXPECT_LE(result.iterations, 15); // measured 9
}

TEST(Poisson, StartingFromTheSolutionTakesNoIteration)
{
    const PressureProblem problem(32);
    std::vector<double> x(problem.b.size(), 0.0);
    PoissonSolver solver;
    const double tolerance = 1e-8 * problem.largest_b();
    EXPECT_GT(solver.solve(problem.system(), problem.b, x, tolerance, 100).iterations, 0);
    const std::vector<double> solution = x;
    EXPECT_EQ(solver.solve(problem.system(), problem.b, x, tolerance, 100).iterations, 0);
    EXPECT_EQ(x, solution);
}

TEST(Poisson, ScalingTheSystemScalesTheSolution)
{
    const PressureProblem problem(32);
    std::vector<double> x(problem.b.size(), 0.0), scaled = x, b = problem.b;
    PoissonSolver solver;
    const double tolerance = 1e-6 * problem.largest_b();
    const int iterations = solver.solve(problem.system(), problem.b, x, tolerance, 100).iterations;
    constexpr double kFactor = 0x1p-180; // far outside of the range of float
    for (double& value : b) value *= kFactor;
    const PoissonResult result = solver.solve(problem.system(), b, scaled, kFactor * tolerance, 100);
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.iterations, iterations);
    for (std::size_t n = 0; n < x.size(); ++n) ASSERT_EQ(scaled[n], kFactor * x[n]);
}

TEST(Poisson, SameBitsOnAnyNumberOfThreads)
{
    const PressureProblem problem(64, 10);
    const auto hash = [&](int n_threads) {
        std::vector<double> x(problem.b.size(), 0.0);
        PoissonSolver solver;
        with_threads(n_threads, [&](int) {
            static_cast<void>(solver.solve(problem.system(), problem.b, x, 1e-6 * problem.largest_b(), 100));
        });
        Hasher hasher;
        hasher.bytes(std::as_bytes(std::span(x)));
        return hasher.value();
    };
    const std::uint64_t expected = hash(1);
    for (int repeat = 0; repeat < 3; ++repeat)
        for (const int n_threads : {1, 2, 3, 8}) EXPECT_EQ(hash(n_threads), expected) << n_threads << " threads";
}

TEST(Poisson, ASolverUsedBeforeGivesTheSameBits)
{
    const PressureProblem problem(32), other(48, 5);
    std::vector<double> x(problem.b.size(), 0.0), again = x, y(other.b.size(), 0.0);
    PoissonSolver solver, fresh;
    static_cast<void>(solver.solve(other.system(), other.b, y, 1e-6, 100));
    static_cast<void>(solver.solve(problem.system(), problem.b, x, 1e-6, 100));
    static_cast<void>(fresh.solve(problem.system(), problem.b, again, 1e-6, 100));
    EXPECT_EQ(x, again);
}

TEST(Poisson, ASystemSolvedAgainGivesTheBitsOfANewSolver)
{
    Problem problem({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
    problem.randomise(0.8);
    PoissonSolver solver, fresh;
    ASSERT_TRUE(solver.solve(problem.system(), problem.b, problem.x, 1e-9, 100).converged);
    for (double& b : problem.b) b = 0.3 - 2 * b;
    std::vector<double> again(problem.x.size(), 0), expected(problem.x.size(), 0);
    const PoissonResult result = solver.solve_again(problem.system(), problem.b, again, 1e-9, 100);
    EXPECT_TRUE(result.converged);
    EXPECT_GT(result.iterations, 1);
    EXPECT_EQ(fresh.solve(problem.system(), problem.b, expected, 1e-9, 100).iterations, result.iterations);
    EXPECT_EQ(again, expected);
}

TEST(Poisson, FailureIsReportedAndLeavesFiniteValues)
{
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const PressureProblem good(32);
    PoissonSolver solver;
    const auto attempt = [&](const PressureProblem& problem, double guess, int max_iterations) {
        std::vector<double> x(problem.b.size(), guess);
        const PoissonResult result = solver.solve(problem.system(), problem.b, x, 1e-9, max_iterations);
        EXPECT_TRUE(std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); }));
        return result.converged;
    };
    EXPECT_FALSE(attempt(good, 0, 2));     // too few iterations
    EXPECT_TRUE(attempt(good, kNan, 100)); // a useless guess is dropped
    PressureProblem bad = good;
    const auto cell = std::size_t(std::find(bad.unknown.begin(), bad.unknown.end(), 1) - bad.unknown.begin());
    bad.b[cell] = kNan;
    EXPECT_FALSE(attempt(bad, 0, 100));
    bad = good;
    bad.diagonal[cell] = kNan;
    EXPECT_FALSE(attempt(bad, 0, 100));
    bad = good;
    bad.coefficient[0][cell + 1] = -100; // indefinite
    EXPECT_FALSE(attempt(bad, 0, 100));
}

TEST(Poisson, WithoutUnknownsThereIsNothingToSolve)
{
    Problem empty(box_of_tiles(1, 1, 1));
    empty.x.assign(empty.x.size(), 3);
    const PoissonResult result = empty.solve(1e-9);
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.n_unknowns, 0);
    EXPECT_EQ(dot(empty.x, empty.x), 0);
    Problem no_tiles({});
    EXPECT_TRUE(no_tiles.solve(1e-9).converged);
}

} // namespace
} // namespace rivulet
