#include "wetting/bridge_table.h"
#include "wetting/pair_law.h"

#include "random_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

constexpr double kAngle = std::numbers::pi / 3, kRadius = 5e-5, kTension = 0.072;
const BridgeSides kHairs{{kRadius, kAngle}, {kRadius, kAngle}};
const PairLaw kLaw{2 * kRadius, 1.5, 1000};

struct WetPair {
    double area;
    PairLaw law = kLaw;

    [[nodiscard]] double rupture() const { return rupture_gap(kHairs, area) + 2 * kRadius; }
    [[nodiscard]] double cohesion(double d) const
    {
        return kTension * rivulet::cohesion(kHairs, d - 2 * kRadius, area);
    }
    [[nodiscard]] PairForce force(double d) const
    {
        return pair_force(law, d, rupture(), [&](double x) { return cohesion(x); });
    }
    [[nodiscard]] double integral(double from, double to, int n) const // by Gauss, two points a panel
    {
        double sum = 0;
        const double h = (to - from) / n, offset = 0.5 / std::sqrt(3.0);
        for (int i = 0; i < n; ++i)
            for (const double s : {0.5 - offset, 0.5 + offset}) sum += 0.5 * h * force(from + h * (i + s)).force;
        return sum;
    }
};
const WetPair kWet{3 * kRadius * kRadius};

TEST(PairLaw, IsContinuousAndSmoothAtRest) // H3
{
    const double tiny = 1e-13 * kRadius;
    for (const double d : {2 * kRadius, 3 * kRadius, 4 * kRadius})
        EXPECT_NEAR(kWet.force(d - tiny).force, kWet.force(d + tiny).force, 1e-12 * 1000 * kRadius) << d / kRadius;
    const double h = 1e-5 * kRadius, rest = 3 * kRadius;
    const double left = -kWet.force(rest - h).force / h, right = kWet.force(rest + h).force / h;
    EXPECT_NEAR(left / right, 1, 1e-3);                                  // K is linear to the left
    EXPECT_NEAR(right, kTension * 1.8165 / kRadius, 1e-4 * left);        // f_s(B)/(B - d_0), the tabulated number
    EXPECT_NEAR(kWet.force(4 * kRadius).force, kTension * 1.8165, 1e-5); // and f_s(B) itself
}

TEST(PairLaw, PushesNearerThanRestAndPullsBeyond) // H3
{
    for (double d = 0.5 * kRadius; d < 6 * kRadius; d += 0.01 * kRadius) {
        const PairForce f = kWet.force(d);
        EXPECT_GE(f.stiffness, 0);
        EXPECT_DOUBLE_EQ(f.force, f.stiffness * (d - 3 * kRadius));
        if (d < 2.99 * kRadius) {
            EXPECT_LT(f.force, 0);
        }
    }
    EXPECT_EQ(kWet.force(1.0001 * kWet.rupture()).force, 0);
    EXPECT_GT(kWet.force(0.9999 * kWet.rupture()).force, 0);
    EXPECT_NEAR(kWet.force(kRadius).force, -1000 * 2 * kRadius, 1e-15);
}

TEST(PairLaw, IsTheBlendOfThePaper) // (10), (11) of Fei 2017 between contact and rest
{
    const double d_min = 2 * kRadius, d_0 = 3 * kRadius, b = 4 * kRadius, k = 1000, f_b = kWet.cohesion(b);
    for (const double d : {2.0, 2.2, 2.5, 2.9}) {
        const double x = d * kRadius;
        const double blend = ((x - d_min) * f_b + k * ((x + b - d_0) * d_0 - x * b)) / (d_0 - d_min);
        EXPECT_NEAR(kWet.force(x).force, (x - d_0) / (b - d_0) * blend, 1e-14);
    }
}

TEST(PairLaw, DryPairsOnlyRepel) // H3
{
    const WetPair dry{0};
    for (double d = 0.5 * kRadius; d < 6 * kRadius; d += 0.05 * kRadius) {
        const double k = d < 2 * kRadius ? 1000 : 1000 * std::max(0.0, 3 - d / kRadius);
        EXPECT_NEAR(dry.force(d).force, k * (d - 3 * kRadius), 1e-12);
    }
}

TEST(PairLaw, ThinFilmsBreakInsideOfTheBlend) // H3
{
    const WetPair thin{kRadius * kRadius}; // breaks at 3.52 r, between rest (3) and the blend's end (4)
    EXPECT_NEAR(thin.rupture(), 3.5235987755982986 * kRadius, 1e-18);
    EXPECT_NEAR(thin.force(0.999999 * thin.rupture()).force, thin.cohesion(thin.rupture()), 2e-6);
    EXPECT_EQ(thin.force(1.000001 * thin.rupture()).force, 0);
    EXPECT_NEAR(thin.force(3 * kRadius).stiffness, thin.cohesion(thin.rupture()) / (thin.rupture() - 3 * kRadius),
                1e-9);
    const WetPair thinner{0.3 * kRadius * kRadius}; // breaks at 2.83 r
    for (const double d : {1.5, 2.5, 2.9, 3.1})
        EXPECT_EQ(thinner.force(d * kRadius).force, WetPair{0}.force(d * kRadius).force);
}

TEST(PairLaw, IntegralOfTheForceIsTheEnergy) // H3
{
    const double b = 4 * kRadius, k_hat = kWet.cohesion(b) / kRadius, r2 = kRadius * kRadius;
    const auto energy = [&](double d) {
        return kTension * bridge_of_area(kHairs, d - 2 * kRadius, kWet.area).value().energy;
    };
    const double to = 0.999 * kWet.rupture();
    EXPECT_NEAR(kWet.integral(b, to, 40), energy(to) - energy(b), 1e-9 * energy(b)); // measured 2.8e-12
    EXPECT_NEAR(kWet.integral(3 * kRadius, b, 4), 0.5 * k_hat * r2, 1e-14 * k_hat * r2);
    // From contact to rest K is linear: integral of (k + (k_hat - k) s) (s - 1) r^2 ds = -(k/3 + k_hat/6) r^2.
    EXPECT_NEAR(kWet.integral(2 * kRadius, 3 * kRadius, 4), -(1000.0 / 3 + k_hat / 6) * r2, 1e-12 * k_hat * r2);
}

TEST(PairLaw, AStrandOnAPlane)
{
    const PairLaw law{kRadius, 1.1, 1000}; // contact at r, rest at 1.1 r, blend to 1.2 r
    const BridgeTable table(kAngle, BridgeTable::Other::Plane);
    const double area = kRadius * kRadius, rupture = kRadius + (1 + 0.5 * kAngle) * kRadius;
    const auto pull = [&](double d) { return kTension * table.cohesion(kRadius, d - kRadius, area); };
    EXPECT_NEAR(pair_force(law, 1.2 * kRadius, rupture, pull).force, pull(1.2 * kRadius), 1e-14);
    EXPECT_NEAR(pair_force(law, 1.05 * kRadius, rupture, pull).force,
                -0.05 * kRadius * 0.5 * (1000 + pull(1.2 * kRadius) / (0.1 * kRadius)), 1e-12);
    EXPECT_NEAR(pull(1.2 * kRadius), kTension * cohesion({{1, kAngle}, {INFINITY, kAngle}}, 0.2, 1), 1e-5 * kTension);
}

TEST(BridgeTable, InterpolatesTheLaw)
{
    RandomNumbers random(3);
    for (const auto other : {BridgeTable::Other::Strand, BridgeTable::Other::Plane})
        for (const double theta : {0.0, 0.5, kAngle, 1.5}) {
            const BridgeTable table(theta, other);
            const double r_b = other == BridgeTable::Other::Plane ? INFINITY : kRadius;
            const BridgeSides sides{{kRadius, theta}, {r_b, theta}};
            double worst = 0;
            for (int i = 0; i < 4000; ++i) {
                const double area = kRadius * kRadius * std::exp(random.number(std::log(1e-2), std::log(4e3)));
                const double gap = random.number(0, 1) * rupture_gap(sides, area);
                worst = std::max(worst, std::abs(table.cohesion(kRadius, gap, area) - cohesion(sides, gap, area)));
            }
            EXPECT_LT(worst, 1e-5) << theta; // measured 1.8e-6 between strands, 8.1e-6 on planes
        }
}

TEST(BridgeTable, IsTheLawItselfOutsideOfItsRange)
{
    const BridgeTable table(kAngle);
    for (const double area : {1e-3, 5e3})
        for (const double gap : {0.001, 0.005, 60.0})
            EXPECT_EQ(table.cohesion(kRadius, gap * kRadius, area * kRadius * kRadius),
                      cohesion(kHairs, gap * kRadius, area * kRadius * kRadius));
    EXPECT_EQ(table.cohesion(kRadius, kRadius, 0), 0);
}

} // namespace
} // namespace rivulet
