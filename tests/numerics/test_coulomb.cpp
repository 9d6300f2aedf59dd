#include "numerics/coulomb.h"

#include "random_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

class CoulombTest : public ::testing::Test {
protected:
    double number(double low, double high) { return random_.number(low, high); }
    Vec3 vector() { return random_.vector(); }
    Mat3 compliance()
    {
        Mat3 a;
        for (int i = 0; i < 3; ++i) a.col(i) = vector();
        return a * a.transpose() + 1e-3 * Mat3::Identity();
    }

private:
    RandomNumbers random_{7};
};

TEST_F(CoulombTest, ProjectionIsTheNearestPointOfTheCone)
{
    for (int i = 0; i < 2000; ++i) {
        const double friction = number(0, 2);
        const Vec3 r = vector(), p = project_on_cone(r, friction);
        EXPECT_LE(std::hypot(p[1], p[2]), friction * p[0] + 1e-15);
        // The rest is orthogonal to p and in the polar cone: at no point of the cone is it positive.
        const Vec3 rest = r - p;
        EXPECT_NEAR(rest.dot(p), 0, 1e-14);
        EXPECT_LE(rest[0] + friction * std::hypot(rest[1], rest[2]), 1e-14);
    }
}

/// A9 of the specification.
TEST_F(CoulombTest, LocalSolveObeysTheLaw)
{
    int n_open = 0, n_stick = 0, n_slide = 0;
    for (int i = 0; i < 20000; ++i) {
        const Mat3 w = compliance();
        const Vec3 b = vector();
        const double friction = number(0, 1.5);
        const Vec3 r = solve_coulomb(w, b, friction), v = w * r + b;
        ASSERT_LT(coulomb_residual(r, v, friction, w.trace() / 3), 1e-10);
        if (r == Vec3::Zero()) {
            ++n_open;
            EXPECT_GE(v[0], 0);
        } else if (v.norm() < 1e-10) {
            ++n_stick;
        } else {
            ++n_slide;
            EXPECT_NEAR(v[0], 0, 1e-10);
            EXPECT_NEAR(std::hypot(r[1], r[2]), friction * r[0], 1e-9 * r[0]);
            EXPECT_LT(v[1] * r[1] + v[2] * r[2], 1e-12);
        }
    }
    EXPECT_GT(n_open, 1000);
    EXPECT_GT(n_stick, 1000);
    EXPECT_GT(n_slide, 1000);
}

TEST_F(CoulombTest, ResidualTellsWhatIsWrong)
{
    const double w = 2, friction = 0.5;
    EXPECT_EQ(coulomb_residual({0, 0, 0}, {1, 3, 0}, friction, w), 0);             // open
    EXPECT_EQ(coulomb_residual({1, 0.3, 0}, {0, 0, 0}, friction, w), 0);           // sticks
    EXPECT_NEAR(coulomb_residual({1, 0.5, 0}, {0, -3, 0}, friction, w), 0, 1e-15); // slides
    EXPECT_GT(coulomb_residual({1, 0.5, 0}, {0, 3, 0}, friction, w), 0.1);         // pushes the way it slides
    EXPECT_NEAR(coulomb_residual({0, 0, 0}, {-1, 0, 0}, friction, w), 1, 1e-15);   // sinks in
    EXPECT_GT(coulomb_residual({1, 0, 0}, {1, 0, 0}, friction, w), 0.1);           // pushes from afar
}

} // namespace
} // namespace rivulet
