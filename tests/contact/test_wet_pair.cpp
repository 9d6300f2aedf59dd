#include "base/assert.h"
#include "contact/bridge_curve.h"
#include "contact/bridge_table.h"
#include "contact/penalty_curve.h"
#include "random_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace rivulet {
namespace {

constexpr double kAngle = std::numbers::pi / 3, kHair = 5e-5, kTension = 0.072;
const BridgeSides kHairs{{kHair, kAngle}, {kHair, kAngle}};
const PenaltyCurve kWetCurve({.stiffness = 1000, .range = 1.5}, 2 * kHair);

/// The law itself.
struct ExactBridge final : PairAttraction {
    explicit ExactBridge(double in_square_radii) : area(in_square_radii * kHair * kHair) {}
    [[nodiscard]] double force(double d) const override { return kTension * cohesion(kHairs, d - 2 * kHair, area); }
    [[nodiscard]] double slope(double d) const override
    {
        const double h = 1e-6 * kHair;
        return (force(d + h) - force(d - h)) / (2 * h);
    }
    [[nodiscard]] double energy(double d) const override
    {
        return kTension * bridge_of_area(kHairs, d - 2 * kHair, area).value().energy;
    }
    [[nodiscard]] double rupture() const override { return rupture_gap(kHairs, area) + 2 * kHair; }

    double area;
};
const ExactBridge kWet(3);

double wet_force(double d) { return kWetCurve.force(d, &kWet); }

/// By Gauss, two points a panel.
template <class Function>
double integral(double from, double to, int n, Function&& f)
{
    double sum = 0;
    const double h = (to - from) / n, offset = 0.5 / std::sqrt(3.0);
    for (int i = 0; i < n; ++i)
        for (const double s : {0.5 - offset, 0.5 + offset}) sum += 0.5 * h * f(from + h * (i + s));
    return sum;
}

TEST(WetPair, IsContinuousAndSmoothAtRest) // H3
{
    const double tiny = 1e-13 * kHair;
    for (const double d : {2 * kHair, 3 * kHair, 4 * kHair})
        EXPECT_NEAR(wet_force(d - tiny), wet_force(d + tiny), 1e-12 * 1000 * kHair) << d / kHair;
    const double h = 1e-5 * kHair, rest = 3 * kHair;
    const double left = -wet_force(rest - h) / h, right = wet_force(rest + h) / h;
    EXPECT_NEAR(left / right, 1, 1e-3);                         // K is linear to the left
    EXPECT_NEAR(right, kTension * 1.8165 / kHair, 1e-4 * left); // f_s(B)/(B - d_0), the tabulated number
    EXPECT_NEAR(wet_force(4 * kHair), kTension * 1.8165, 1e-5); // and f_s(B) itself
}

TEST(WetPair, PushesNearerThanRestAndPullsBeyond) // H3
{
    for (double d = 0.5 * kHair; d < 6 * kHair; d += 0.01 * kHair) {
        EXPECT_GE(kWetCurve.secant(d, &kWet), 0);
        if (d < 2.99 * kHair) {
            EXPECT_LT(wet_force(d), 0);
        }
    }
    EXPECT_EQ(wet_force(1.0001 * kWet.rupture()), 0);
    EXPECT_GT(wet_force(0.9999 * kWet.rupture()), 0);
    EXPECT_NEAR(wet_force(kHair), -1000 * 2 * kHair, 1e-15);
}

TEST(WetPair, IsTheBlendOfThePaper) // (10), (11) of Fei 2017 between contact and rest
{
    const double d_min = 2 * kHair, d_0 = 3 * kHair, b = 4 * kHair, k = 1000, f_b = kWet.force(b);
    for (const double d : {2.0, 2.2, 2.5, 2.9}) {
        const double x = d * kHair;
        const double blend = ((x - d_min) * f_b + k * ((x + b - d_0) * d_0 - x * b)) / (d_0 - d_min);
        EXPECT_NEAR(wet_force(x), (x - d_0) / (b - d_0) * blend, 1e-14);
    }
}

/// So a pair may be a dry contact and a bridge, each with a length of its own.
TEST(WetPair, IsTheSumOfTheDryPairAndAPairWithoutStiffness)
{
    const PenaltyCurve limp({.stiffness = 0, .range = 1.5}, 2 * kHair);
    for (double d = 0.5 * kHair; d < 5 * kHair; d += 0.01 * kHair)
        EXPECT_NEAR(wet_force(d), kWetCurve.force(d, nullptr) + limp.force(d, &kWet), 1e-15);
}

TEST(WetPair, ThinFilmsBreakInsideOfTheBlend) // H3
{
    const ExactBridge thin(1); // breaks at 3.52 r, between rest (3) and the blend's end (4)
    const auto force = [&](double d, const PairAttraction& bridge) { return kWetCurve.force(d, &bridge); };
    EXPECT_NEAR(thin.rupture(), 3.5235987755982986 * kHair, 1e-18);
    EXPECT_NEAR(force(0.999999 * thin.rupture(), thin), thin.force(thin.rupture()), 2e-6);
    EXPECT_EQ(force(1.000001 * thin.rupture(), thin), 0);
    EXPECT_NEAR(kWetCurve.secant(3 * kHair, &thin), thin.force(thin.rupture()) / (thin.rupture() - 3 * kHair), 1e-9);
    const ExactBridge thinner(0.3); // breaks at 2.83 r
    for (const double d : {1.5, 2.5, 2.9, 3.1})
        EXPECT_EQ(force(d * kHair, thinner), kWetCurve.force(d * kHair, nullptr));
}

TEST(WetPair, IntegralOfTheForceIsTheEnergy) // H3
{
    const double b = 4 * kHair, k_hat = kWet.force(b) / kHair, r2 = kHair * kHair, to = 0.999 * kWet.rupture();
    const double drawn = kWet.energy(to) - kWet.energy(b);
    EXPECT_NEAR(integral(b, to, 40, wet_force), drawn, 1e-9 * kWet.energy(b)); // measured 2.8e-12
    EXPECT_NEAR(integral(3 * kHair, b, 4, wet_force), 0.5 * k_hat * r2, 1e-14 * k_hat * r2);
    // From contact to rest K is linear: integral of (k + (k_hat - k) s) (s - 1) r^2 ds = -(k/3 + k_hat/6) r^2.
    EXPECT_NEAR(integral(2 * kHair, 3 * kHair, 4, wet_force), -(1000.0 / 3 + k_hat / 6) * r2, 1e-12 * k_hat * r2);
    EXPECT_NEAR(kWetCurve.energy(to, &kWet), 0.5 * k_hat * r2 + drawn, 1e-12 * k_hat * r2);
}

TEST(BridgeCurve, IsTheLawWithinAHundredthAndStaysWhatItIsBeyondItsEnds)
{
    for (const auto other : {BridgeTable::Other::Strand, BridgeTable::Other::Plane}) {
        const BridgeTable table(kAngle, other);
        const double touch = other == BridgeTable::Other::Plane ? kHair : 2 * kHair;
        const BridgeSides sides{{kHair, kAngle}, {other == BridgeTable::Other::Plane ? INFINITY : kHair, kAngle}};
        for (const double area : {0.1, 1.0, 3.0, 10.0, 30.0, 300.0}) {
            const double a = area * kHair * kHair;
            const BridgeCurve curve(table, {kHair, touch, a, kTension});
            EXPECT_NEAR(curve.rupture(), touch + rupture_gap(sides, a), 1e-18);
            double worst = 0;
            for (double share = 0; share <= 1; share += 0.003) {
                const double gap = share * rupture_gap(sides, a);
                worst = std::max(worst, std::abs(curve.force(touch + gap) - kTension * cohesion(sides, gap, a)));
            }
            EXPECT_LT(worst, 0.02 * kTension) << area; // measured 0.011, where overfull bridges begin to pull
            EXPECT_EQ(curve.force(0.5 * touch), curve.force(touch));
            EXPECT_EQ(curve.force(2 * curve.rupture()), curve.force(curve.rupture()));
        }
    }
}

TEST(BridgeCurve, EnergyIsTheIntegralOfTheForceAndSlopeItsDerivative)
{
    const BridgeTable table(kAngle);
    const BridgeCurve curve(table, {kHair, 2 * kHair, 10 * kHair * kHair, kTension});
    const double spacing = (curve.rupture() - 2 * kHair) / 32, h = 1e-4 * spacing;
    for (int i = -8; i < 40; ++i) {
        const double from = 2 * kHair + i * spacing, middle = from + 0.4 * spacing;
        const bool is_kink = curve.force(from) == 0 && curve.force(from + spacing) > 0;
        EXPECT_NEAR(curve.energy(from + spacing) - curve.energy(from),
                    integral(from, from + spacing, is_kink ? 3000 : 1, [&](double d) { return curve.force(d); }),
                    (is_kink ? 1e-11 : 1e-18) * kTension);
        EXPECT_NEAR(curve.slope(middle), (curve.force(middle + h) - curve.force(middle - h)) / (2 * h), 1e-4);
    }
}

TEST(BridgeCurve, ThinBridgesAreMadeToRiseAboutAnyDistance)
{
    const BridgeTable table(kAngle);
    for (const double area : {0.05, 0.5, 3.0}) {
        const BridgeCurve curve(table, {kHair, 2 * kHair, area * kHair * kHair, kTension});
        EXPECT_GT(area < 0.1 ? curve.force(2 * kHair) : 1, curve.force(curve.rupture())); // thin ones fall
        for (const double share : {0.0, 0.3, 0.77, 1.0}) {
            const double about = 2 * kHair + share * (curve.rupture() - 2 * kHair);
            const BridgeCurve rising = curve.rising_about(about);
            EXPECT_NEAR(rising.force(about), curve.force(about), 1e-6 * kTension);
            double before = 0;
            for (double d = 1.5 * kHair; d < 1.2 * curve.rupture(); d += 0.001 * kHair) {
                EXPECT_GE(rising.force(d), before - 1e-12);
                before = rising.force(d);
            }
        }
    }
}

TEST(BridgeCurve, SolvesForTheForceThatShortensIt)
{
    const BridgeTable table(kAngle);
    RandomNumbers random(5);
    for (int i = 0; i < 2000; ++i) {
        const double area = std::exp(random.number(std::log(0.02), std::log(100)));
        const BridgeCurve curve =
            BridgeCurve(table, {kHair, 2 * kHair, area * kHair * kHair, kTension}).rising_about(2 * kHair);
        const double length = 1e-3, compliance = std::exp(random.number(std::log(1e-3), std::log(1e3)));
        const double away = random.number(-5, 60) * kHair;
        const double force = curve.solve(away, compliance, length);
        EXPECT_NEAR(force, length * curve.force(away - compliance * force), 1e-9 * kTension * length);
    }
}

/// So that it cannot throw things at each other in a step that is long for them.
TEST(BridgeCurve, DrawsTogetherByNoMoreThanItMay)
{
    const BridgeTable table(kAngle);
    BridgeCurve curve(table, {kHair, 2 * kHair, 10 * kHair * kHair, kTension});
    const double start = 6 * kHair, way = 0.1 * kHair, length = 1e-3, full = length * curve.force(start);
    const double free = curve.solve(start, 100, length);
    EXPECT_GT(100 * free, kHair); // without a limit
    curve.limit_closing(start, way);
    double before = 0;
    for (double away = 5 * kHair; away < 9 * kHair; away += 0.01 * kHair) {
        const double force = curve.solve(away, 100, length), d = away - 100 * force;
        EXPECT_TRUE(force == 0 || d >= start - way - 1e-12 * kHair);
        if (d >= start) {
            EXPECT_NEAR(force, length * curve.force(d), 1e-9 * full); // held back as before
        }
        EXPECT_GE(force, before);
        before = force;
        // Its potential is that of the limited force.
        const double h = 1e-4 * kHair;
        const double slope = (curve.limited_energy(away + h) - curve.limited_energy(away - h)) / (2 * h);
        EXPECT_NEAR(slope, curve.solve(away, 0, 1), 2e-3 * full / length);
    }
}

TEST(BridgeTable, ThinnerFilmsThanItHoldPullLessInProportion)
{
    const BridgeTable table(kAngle);
    std::array<float, 33> least{}, thin{}, none{};
    table.sample(kHair, BridgeTable::kLeastArea * kHair * kHair, least);
    table.sample(kHair, 0.25 * BridgeTable::kLeastArea * kHair * kHair, thin);
    table.sample(kHair, 0, none);
    for (std::size_t i = 0; i < least.size(); ++i) {
        EXPECT_NEAR(thin[i], 0.25F * least[i], 1e-5F * least[i]);
        EXPECT_EQ(none[i], 0);
    }
}

TEST(BridgeTable, InterpolatesTheLaw)
{
    RandomNumbers random(3);
    for (const auto other : {BridgeTable::Other::Strand, BridgeTable::Other::Plane})
        for (const double theta : {0.0, 0.5, kAngle, 1.5}) {
            const BridgeTable table(theta, other);
            const double r_b = other == BridgeTable::Other::Plane ? INFINITY : kHair;
            const BridgeSides sides{{kHair, theta}, {r_b, theta}};
            double worst = 0;
            for (int i = 0; i < 4000; ++i) {
                const double area = kHair * kHair * std::exp(random.number(std::log(1e-2), std::log(4e3)));
                const double gap = random.number(0, 1) * rupture_gap(sides, area);
                worst = std::max(worst, std::abs(table.cohesion(kHair, gap, area) - cohesion(sides, gap, area)));
            }
            EXPECT_LT(worst, 1e-5) << theta; // measured 1.8e-6 between strands, 8.1e-6 on planes
        }
}

TEST(BridgeTable, IsTheLawItselfOutsideOfItsRange)
{
    const BridgeTable table(kAngle);
    for (const double area : {1e-3, 5e3})
        for (const double gap : {0.001, 0.005, 60.0})
            EXPECT_EQ(table.cohesion(kHair, gap * kHair, area * kHair * kHair),
                      cohesion(kHairs, gap * kHair, area * kHair * kHair));
    EXPECT_EQ(table.cohesion(kHair, kHair, 0), 0);
}

TEST(StrandBridgeTable, IsTheLawOfUnequalStrands) // H2
{
    RandomNumbers random(7);
    for (const double theta : {0.0, kAngle, 1.4}) {
        const StrandBridgeTable table(theta);
        for (const double ratio : {1.02, 1.5, 3.0, 5.0, 40.0}) {
            table.prepare(1 / ratio);
            const BridgeSides sides{{kHair, theta}, {ratio * kHair, theta}};
            const double mean = 0.5 * (1 + ratio) * kHair;
            const BridgeSides means{{mean, theta}, {mean, theta}};
            double worst = 0, overfull = 0, of_mean = 0;
            for (int i = 0; i < 40; ++i) {
                const double area = kHair * kHair * std::exp(random.number(std::log(0.1), std::log(1000)));
                std::array<float, 33> force{};
                table.sample(kHair, 1 / ratio, area, force);
                EXPECT_EQ(table.rupture_gap(area), rupture_gap(sides, area));
                for (std::size_t k = 1; k < force.size(); k += 5) {
                    const double gap = rupture_gap(sides, area) * static_cast<double>(k) / 32;
                    const double law = std::max(0.0, continued_force(sides, gap, area));
                    const double error = std::abs(std::max(0.0, static_cast<double>(force[k])) - law);
                    double& largest = law > 0.1 ? worst : overfull;
                    largest = std::max(largest, error);
                    of_mean = std::max(of_mean, std::abs(std::max(0.0, continued_force(means, gap, area)) - law));
                }
            }
            EXPECT_LT(worst, 0.01) << theta << " 1:" << ratio;
            EXPECT_LT(overfull, 0.06) << theta
                                      << " 1:" << ratio; // measured 0.046, where overfull bridges begin to pull
            EXPECT_GT(of_mean, ratio > 1.4 ? 0.02 : 0) << theta << " 1:" << ratio; // two of the mean radius
        }
    }
}

TEST(StrandBridgeTable, EqualStrandsHaveTheTableOfEqualStrands)
{
    const StrandBridgeTable table(kAngle);
    const BridgeTable equal(kAngle);
    std::array<float, 33> force{}, expected{};
    table.sample(kHair, 1, kHair * kHair, force);
    equal.sample(kHair, kHair * kHair, expected);
    EXPECT_EQ(force, expected);
    EXPECT_THROW(table.sample(kHair, 0.5, kHair * kHair, force), InternalError); // not prepared
}

TEST(SolidBridgeTable, InterpolatesTheLawForCurvedSolidsOfAnotherContactAngle) // H2
{
    RandomNumbers random(5);
    for (const auto& [strand, solid] : {std::pair(kAngle, kAngle), std::pair(1.2, 0.3), std::pair(0.2, 1.3)}) {
        const SolidBridgeTable table(strand, solid);
        table.prepare(1);
        double worst = 0, from_plane = 0, sum = 0;
        int n = 0;
        for (int i = 0; i < 300; ++i) {
            const double curvature = random.number(SolidBridgeTable::kLeastCurvature, 1);
            const double area = kHair * kHair * std::exp(random.number(std::log(0.1), std::log(100)));
            const BridgeSides sides{{kHair, strand}, {kHair / curvature, solid}};
            const BridgeSides plane{{kHair, strand}, {INFINITY, solid}};
            std::array<float, 33> force{};
            table.sample(kHair, curvature, area, force);
            for (std::size_t k = 1; k < force.size(); k += 5) {
                const double gap = rupture_gap(sides, area) * static_cast<double>(k) / 32;
                const double law = std::max(0.0, continued_force(sides, gap, area));
                const double error = std::abs(std::max(0.0, static_cast<double>(force[k])) - law);
                sum += error, n += 1;
                if (area < 7 * kHair * kHair) worst = std::max(worst, error);
                from_plane = std::max(from_plane, std::abs(std::max(0.0, continued_force(plane, gap, area)) - law));
            }
        }
        EXPECT_LT(worst, 0.02) << strand << " " << solid;
        EXPECT_LT(sum / n, 0.01) << strand << " " << solid; // bridges that nearly engulf a side are off by 0.6 at most
        EXPECT_GT(from_plane, 0.3) << strand << " " << solid; // what planes in their place would be off by
    }
}

TEST(SolidBridgeTable, NearlyPlaneSolidsArePlanes)
{
    const SolidBridgeTable table(kAngle, kAngle);
    const BridgeTable plane(kAngle, BridgeTable::Other::Plane);
    std::array<float, 33> force{}, expected{};
    table.sample(kHair, 0.9 * SolidBridgeTable::kLeastCurvature, kHair * kHair, force);
    plane.sample(kHair, kHair * kHair, expected);
    EXPECT_EQ(force, expected);
    EXPECT_THROW(table.sample(kHair, 0.5, kHair * kHair, force), InternalError); // not prepared
}

} // namespace
} // namespace rivulet
