#include "numerics/band_ldlt.h"

#include "base/rng.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <algorithm>

namespace rivulet {
namespace {

constexpr int kWidth = 10;

double random_entry(int i, int j)
{
    return random_unit(3, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)) - 0.5;
}

Eigen::MatrixXd random_band_matrix(int n, double diagonal)
{
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
    for (int i = 0; i < n; ++i)
        for (int j = std::max(0, i - kWidth); j <= i; ++j)
            a(i, j) = a(j, i) = random_entry(i, j) + (i == j ? diagonal : 0);
    return a;
}

BandLdlt<double, kWidth> in_band_storage(const Eigen::MatrixXd& a)
{
    BandLdlt<double, kWidth> band;
    band.reset(static_cast<int>(a.rows()));
    for (int i = 0; i < band.size(); ++i)
        for (int j = std::max(0, i - kWidth); j <= i; ++j) band.at(i, j) = a(i, j);
    return band;
}

TEST(BandLdlt, SolvesAsADenseFactorisationDoes)
{
    for (const int n : {1, 3, 11, 47, 199}) {
        const Eigen::MatrixXd a = random_band_matrix(n, 6);
        Eigen::VectorXd b(n);
        for (int i = 0; i < n; ++i) b[i] = random_entry(i, 1000);
        const Eigen::VectorXd exact = a.fullPivLu().solve(b);
        BandLdlt<double, kWidth> band = in_band_storage(a);
        EXPECT_GT(band.factor(), 0);
        band.solve(b.data());
        EXPECT_LT((b - exact).norm(), 1e-13 * exact.norm()) << n; // measured below 5e-16
    }
}

TEST(BandLdlt, BandOfTheInverse)
{
    for (const int n : {1, 3, 11, 47}) {
        const Eigen::MatrixXd a = random_band_matrix(n, 6), inverse = a.inverse();
        BandLdlt<double, kWidth> band = in_band_storage(a), found;
        EXPECT_GT(band.factor(), 0);
        band.inverse_band(found);
        for (int i = 0; i < n; ++i)
            for (int j = std::max(0, i - kWidth); j <= i; ++j) EXPECT_NEAR(found.at(i, j), inverse(i, j), 1e-14);
    }
}

TEST(BandLdlt, TheSmallestPivotTellsAnIndefiniteMatrix)
{
    Eigen::MatrixXd a = random_band_matrix(40, 6);
    a(17, 17) = -6;
    BandLdlt<double, kWidth> band = in_band_storage(a);
    EXPECT_LT(band.factor(), 0);
}

} // namespace
} // namespace rivulet
