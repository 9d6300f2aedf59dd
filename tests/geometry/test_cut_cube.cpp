#include "base/rng.h"
#include "geometry/cut_cube.h"

#include <gtest/gtest.h>

#include <numbers>

using namespace rivulet;

TEST(CutCube, APlaneCutsWhatItsFormulaSays)
{
    EXPECT_DOUBLE_EQ(cut_share(0.2, Vec3(0, 0, 1)), 0.3);
    EXPECT_DOUBLE_EQ(cut_share(-0.2, Vec3(0, -2, 0)), 0.6);
    EXPECT_DOUBLE_EQ(cut_share(-0.6, Vec3(1, 0, 0)), 1);
    EXPECT_NEAR(cut_share(0, Vec3(0.3, -0.4, 0.5)), 0.5, 1e-14);
    EXPECT_NEAR(cut_share(0.5, Vec3(1, 1, 0)), 0.125, 1e-5);    // a prism over a triangle with legs of a half
    EXPECT_NEAR(cut_share(1, Vec3(1, 1, 1)), 0.125 / 6, 1e-14); // a corner with legs of a half
    EXPECT_NEAR(cut_share(-1, Vec3(-1, 1, 1)), 1 - 0.125 / 6, 1e-14);
    EXPECT_EQ(cut_share(0.1, Vec3::Zero()), 0);
}

TEST(CutCube, APlaneCutsWhatCountingSays)
{
    for (std::uint64_t n = 0; n < 20; ++n) {
        const auto random = [&](std::uint64_t c) { return 2 * random_unit(7, n, c) - 1; };
        const Vec3 gradient(random(0), random(1), random(2));
        const double offset = 0.5 * random(3);
        constexpr int kPoints = 40;
        int inside = 0;
        for (int i = 0; i < kPoints; ++i)
            for (int j = 0; j < kPoints; ++j)
                for (int k = 0; k < kPoints; ++k)
                    inside +=
                        offset + gradient.dot((Vec3(i, j, k) + Vec3::Constant(0.5)) / kPoints - Vec3::Constant(0.5)) <
                        0;
        EXPECT_NEAR(cut_share(offset, gradient), inside / std::pow(kPoints, 3), 3e-3);
    }
}

/// Volume and centre of a ball, by cubes of edge 1.
CubePart ball(double radius, const Vec3& centre)
{
    CubePart sum;
    const int reach = static_cast<int>(radius) + 2;
    for (int i = -reach; i <= reach; ++i)
        for (int j = -reach; j <= reach; ++j)
            for (int k = -reach; k <= reach; ++k) {
                const CubePart part =
                    cut_cube(Vec3(i, j, k), 1, [&](const Vec3& x) { return (x - centre).norm() - radius; });
                sum.share += part.share;
                sum.centre += part.share * part.centre;
            }
    return {sum.share, sum.centre / sum.share};
}

TEST(CutCube, PartsOfABallSumToItsVolumeAndCentre)
{
    const Vec3 centre(0.13, -0.31, 0.42);
    for (const double radius : {2.0, 3.3, 10.0}) {
        const CubePart sum = ball(radius, centre);
        const double exact = 4.0 / 3 * std::numbers::pi * std::pow(radius, 3);
        EXPECT_NEAR(sum.share / exact, 1, 1e-2 / std::pow(radius, 4) + 1e-5) << radius;
        EXPECT_NEAR((sum.centre - centre).norm(), 0, 1e-3) << radius;
    }
}

TEST(CutCube, ALayerAlongAnAxisIsExact)
{
    const CubePart part = cut_cube(Vec3(1, 1, 1), 2, [](const Vec3& x) { return x.z() - 0.7; });
    EXPECT_NEAR(part.share, 0.35, 1e-15);
    EXPECT_NEAR((part.centre - Vec3(1, 1, 0.35)).norm(), 0, 1e-15);
    EXPECT_EQ(cut_cube(Vec3(1, 1, 1), 2, [](const Vec3& x) { return x.z() - 2; }).share, 1);
    EXPECT_EQ(cut_cube(Vec3(1, 1, 1), 2, [](const Vec3& x) { return x.z(); }).share, 0);
}

// A tank filled to a height that is no multiple of the lattice: planes along the axes that meet at edges.
TEST(CutCube, PartsOfABoxSumToItsVolume)
{
    const Vec3 size(4, 3, 2.3);
    const auto distance = [&](const Vec3& x) { return std::max((x - size).maxCoeff(), (-x).maxCoeff()); };
    double sum = 0;
    for (int i = -1; i <= 4; ++i)
        for (int j = -1; j <= 3; ++j)
            for (int k = -1; k <= 3; ++k) {
                const double share = cut_cube(Vec3(i, j, k) + Vec3::Constant(0.5), 1, distance).share;
                const bool is_inside = i >= 0 && i < 4 && j >= 0 && j < 3 && k >= 0 && k <= 2;
                const double expected = !is_inside ? 0 : k < 2 ? 1 : 0.3;
                EXPECT_NEAR(share, expected, expected == 0.3 ? 2e-3 : 0) << i << " " << j << " " << k;
                sum += share;
            }
    EXPECT_NEAR(sum, size.prod(), 1e-4 * size.prod());
}
