#include "fluid/poisson_operator.h"

#include "../../bench/pressure_problem.h"
#include "fluid/poisson_multigrid.h"
#include "fluid/poisson_problem.h"

#include <gtest/gtest.h>

namespace rivulet {
namespace {

TEST(PoissonOperator, IsSymmetricAndPositive)
{
    Problem problem({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {-1, 0, 2}});
    problem.randomise(0.8);
    PoissonLevel finest;
    PoissonOperator a;
    a.build(problem.system(), finest);
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const std::vector<double> u = random_field(a, 100 + seed), v = random_field(a, 200 + seed);
        std::vector<double> au(u.size()), av(u.size());
        const double energy = a.apply(u, au);
        static_cast<void>(a.apply(v, av));
        EXPECT_GT(energy, 0);
        EXPECT_NEAR(energy, dot(u, au), 1e-12 * energy);
        EXPECT_NEAR(dot(u, av), dot(v, au), 1e-13 * energy); // measured 2e-14
    }
}

/// The cycle of a system as a linear map on its unknowns.
class Cycle {
public:
    explicit Cycle(const PoissonSystem& system)
    {
        a_.build(system, multigrid_.finest());
        multigrid_.build();
    }
    [[nodiscard]] const PoissonOperator& a() const { return a_; }
    [[nodiscard]] int n_levels() const { return multigrid_.n_levels(); }
    [[nodiscard]] std::vector<double> apply(const std::vector<double>& v)
    {
        PoissonLevel& finest = multigrid_.finest();
        for (std::size_t n = 0; n < v.size(); ++n) finest.b[place(n)] = static_cast<float>(v[n]);
        multigrid_.apply();
        std::vector<double> result(v.size());
        for (std::size_t n = 0; n < v.size(); ++n) result[n] = finest.x[place(n)];
        return result;
    }

private:
    static std::size_t place(std::size_t n)
    {
        const int c = static_cast<int>(n % kTileCells);
        return n - n % kTileCells + std::size_t(cell_in_level(c % 8, c / 8 % 8, c / 64));
    }
    PoissonMultigrid multigrid_;
    PoissonOperator a_;
};

void expect_symmetric_and_positive(const PoissonSystem& system)
{
    Cycle cycle(system);
    EXPECT_GE(cycle.n_levels(), 2);
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        const std::vector<double> u = random_field(cycle.a(), 300 + seed), v = random_field(cycle.a(), 400 + seed);
        const std::vector<double> mu = cycle.apply(u), mv = cycle.apply(v);
        EXPECT_GT(dot(u, mu), 0);
        EXPECT_NEAR(dot(u, mv), dot(v, mu), 1e-5 * dot(u, mu)); // rounding of float
        for (std::size_t n = 0; n < u.size(); ++n) {
            const bool is_unknown = cycle.a().diagonal()[n] > 0;
            ASSERT_TRUE(is_unknown || mu[n] == 0) << n;
        }
    }
}

TEST(PoissonMultigrid, CycleIsSymmetricAndPositive)
{
    const PressureProblem problem(32, 1000);
    expect_symmetric_and_positive(problem.system());
    Problem irregular({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {2, 1, 1}, {2, 2, 1}});
    irregular.randomise(0.7);
    for (double& d : irregular.diagonal) d += 0.01;
    expect_symmetric_and_positive(irregular.system());
    irregular.make_slivers();
    expect_symmetric_and_positive(irregular.system());
}

/// Spectrum of cycle times operator, dense: eigenvalues near 1 are what makes conjugate gradients short.
TEST(PoissonMultigrid, EigenvaluesUnderASurfaceAreNearOne)
{
    constexpr int kSize =
        8; // a cube across tiles; three of its sides are walls, the others surfaces at several distances
    constexpr int kFirst = 4;
    Problem problem(box_of_tiles(2, 2, 2));
    problem.fill_box(Vec3i::Constant(kFirst), Vec3i::Constant(kFirst + kSize));
    problem.for_cells([&](const Vec3i& cell, std::size_t n) {
        for (int a = 0; a < 3; ++a)
            if (problem.unknown[n] != 0 && cell[a] == kFirst + kSize - 1) problem.diagonal[n] += 1 / (0.05 + 0.3 * a);
    });
    Cycle cycle(problem.system());
    const PoissonOperator& a = cycle.a();
    std::vector<std::size_t> cells;
    for (std::size_t n = 0; n < a.diagonal().size(); ++n)
        if (a.diagonal()[n] > 0) cells.push_back(n);
    const int size = static_cast<int>(cells.size());
    ASSERT_EQ(size, kSize * kSize * kSize);
    Eigen::MatrixXd m(size, size);
    for (int i = 0; i < size; ++i) {
        std::vector<double> unit(a.diagonal().size(), 0.0);
        unit[cells[i]] = 1;
        const std::vector<double> column = cycle.apply(unit);
        for (int j = 0; j < size; ++j) m(j, i) = column[cells[j]];
    }
    // M A and L^T M L have the same eigenvalues where A = L L^T.
    const Eigen::MatrixXd l = dense_matrix(problem).llt().matrixL();
    const Eigen::MatrixXd product = l.transpose() * (0.5 * (m + m.transpose())) * l;
    const Eigen::VectorXd eigenvalues =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(product, Eigen::EigenvaluesOnly).eigenvalues();
    EXPECT_GT(eigenvalues.minCoeff(), 0.88); // measured 0.913; 0.759 if coarser cells had all of the diagonal
    EXPECT_LT(eigenvalues.maxCoeff(), 1.2);  // measured 1.053
}

} // namespace
} // namespace rivulet
