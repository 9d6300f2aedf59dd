#include "numerics/semidefinite_cholesky.h"

#include <gtest/gtest.h>

#include <array>

namespace rivulet {
namespace {

TEST(SemidefiniteCholesky, SolvesAHandComputedSystem)
{
    const std::array<double, 9> a{4, 0, 0, 2, 5, 0, 0, 3, 6}; // lower triangle of [4 2 0; 2 5 3; 0 3 6]
    SemidefiniteCholesky cholesky;
    cholesky.factor(a, 3);
    std::array<double, 3> b{8, 21, 24}; // A (1, 2, 3)
    cholesky.solve(b);
    EXPECT_EQ(cholesky.n_fixed(), 0);
    EXPECT_NEAR(b[0], 1, 1e-14);
    EXPECT_NEAR(b[1], 2, 1e-14);
    EXPECT_NEAR(b[2], 3, 1e-14);
}

TEST(SemidefiniteCholesky, ConsistentSingularSystemIsSolvedUpToTheNullSpace)
{
    // Two chains of springs without anchor: x0-x1-x2 and x3-x4; the null space has two dimensions.
    std::array<double, 25> a{};
    const auto spring = [&](int i, int j, double k) {
        a[i * 5 + i] += k;
        a[j * 5 + j] += k;
        a[j * 5 + i] -= k;
    };
    spring(0, 1, 2);
    spring(1, 2, 0.5);
    spring(3, 4, 10);
    SemidefiniteCholesky cholesky;
    cholesky.factor(a, 5);
    EXPECT_EQ(cholesky.n_fixed(), 2);
    std::array<double, 5> b{2, 0, -2, 5, -5}; // the springs stretch by 2/2, 2/0.5 and 5/10
    cholesky.solve(b);
    EXPECT_NEAR(b[0] - b[1], 1, 1e-14);
    EXPECT_NEAR(b[1] - b[2], 4, 1e-14);
    EXPECT_NEAR(b[3] - b[4], 0.5, 1e-14);
}

TEST(SemidefiniteCholesky, SolveIsSymmetricOnASingularMatrix)
{
    const std::array<double, 9> a{1, 0, 0, -1, 3, 0, 0, -2, 2}; // chain with stiffness 1 and 2
    SemidefiniteCholesky cholesky;
    cholesky.factor(a, 3);
    std::array<std::array<double, 3>, 3> g{};
    for (int i = 0; i < 3; ++i) {
        g[i][i] = 1;
        cholesky.solve(g[i]);
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < i; ++j) EXPECT_NEAR(g[i][j], g[j][i], 1e-15);
}

} // namespace
} // namespace rivulet
