#include "numerics/band_ldlt.h"

#include "base/rng.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace rivulet {
namespace {

constexpr int kWidth = 10;

double random_entry(int i, int j)
{
    return random_unit(3, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)) - 0.5;
}

/// Blocks of rows that begin at different columns.
struct Stairs {
    static constexpr int kRows = 4;
    static constexpr std::array<int, 4> kReach = {8, 8, 8, 4};
    static bool has(int i, int j) { return j >= i / kRows * kRows - kReach[static_cast<std::size_t>(i % kRows)]; }
};

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

TEST(BandLdlt, RowsInBlocksGiveWhatRowsOneByOneDo)
{
    for (const int n : {1, 3, 4, 7, 8, 11, 12, 47, 199}) {
        BandLdlt<double, kWidth> plain;
        BandLdlt<double, kWidth, Stairs> blocks;
        plain.reset(n);
        blocks.reset(n);
        std::vector<double> x(static_cast<std::size_t>(n));
        for (int i = 0; i < n; ++i) {
            for (int j = std::max(0, i - kWidth); j <= i; ++j)
                if (Stairs::has(i, j)) plain.at(i, j) = blocks.at(i, j) = random_entry(i, j) + (i == j ? 6 : 0);
            x[static_cast<std::size_t>(i)] = random_entry(i, 1000);
        }
        std::vector<double> y = x;
        EXPECT_NEAR(plain.factor(), blocks.factor(), 1e-14); // measured 0, here and below
        for (int i = 0; i < n; ++i)
            for (int j = std::max(0, i - kWidth); j <= i; ++j) EXPECT_NEAR(plain.at(i, j), blocks.at(i, j), 1e-14);
        plain.solve(x.data());
        blocks.solve(y.data());
        for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-14) << n;
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

TEST(BandLdlt, FactorsMultipliedOutAreTheMatrix)
{
    for (const int n : {1, 3, 11, 47}) {
        const Eigen::MatrixXd a = random_band_matrix(n, 6);
        BandLdlt<double, kWidth> band = in_band_storage(a), found;
        EXPECT_GT(band.factor(), 0);
        band.product(found);
        for (int i = 0; i < n; ++i)
            for (int j = std::max(0, i - kWidth); j <= i; ++j) EXPECT_NEAR(found.at(i, j), a(i, j), 1e-14);
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
