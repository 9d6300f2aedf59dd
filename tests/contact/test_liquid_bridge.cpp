#include "contact/liquid_bridge.h"

#include "random_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace rivulet {
namespace {

constexpr double kPi = std::numbers::pi, kInfinity = std::numeric_limits<double>::infinity();

BridgeSides equal_strands(double radius, double contact_angle)
{
    return {{radius, contact_angle}, {radius, contact_angle}};
}

/// Area of the liquid, by slices across the line of centres: the meniscus's circle from the centre (x_c, y_c) of
/// formula (5) of Fei 2017, the sides' circles from themselves. The integrand has square roots at its ends, which
/// x = (1 - cos t)/2 makes smooth.
double area_by_slices(double r, double theta, double alpha, double d)
{
    const double radius = (d - 2 * r * std::cos(alpha)) / (2 * std::cos(theta + alpha));
    const double y_c = r * std::sin(alpha) + radius * std::sin(theta + alpha);
    const auto half_height = [&](double x) { // x from the middle between the strands, the liquid's upper surface
        const double root = std::sqrt(radius * radius - x * x);
        return radius > 0 ? y_c - root : y_c + root;
    };
    const double reach = 0.5 * d - r * std::cos(alpha);
    const int n = 4000;
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        const double t = kPi * (i + 0.5) / n;
        const double x = -reach * std::cos(t);
        sum += 2 * half_height(x) * reach * std::sin(t) * kPi / n;
    }
    // Less the caps of the two strands, cut off by the chord of their wetted arcs; by slices too.
    for (int i = 0; i < n; ++i) {
        const double a = alpha * (i + 0.5) / n; // x = r cos a, height 2 r sin a, dx = r sin a da
        sum -= 2 * 2 * r * std::sin(a) * r * std::sin(a) * alpha / n;
    }
    return sum;
}

TEST(LiquidBridge, AreaIsThatOfItsSlices) // H1
{
    RandomNumbers random(7);
    int n_convex = 0;
    for (int i = 0; i < 50; ++i) {
        const double theta = random.number(0.1, 1.4), d = random.number(2.05, 8);
        // A bulging meniscus beyond a half circle is no graph over the line of centres: psi < pi keeps it one.
        const double alpha = random.number(0.05, 0.98 * (kPi - theta));
        if (std::abs(theta + alpha - kPi / 2) < 1e-3) continue; // slices need R; the next test is for that
        n_convex += theta + alpha > kPi / 2;
        const BridgeShape shape = bridge_at_angle(equal_strands(1, theta), d - 2, alpha).value();
        EXPECT_NEAR(shape.area, area_by_slices(1, theta, alpha, d), 1e-6 * (1 + std::abs(shape.area))); // measured 5e-8
    }
    EXPECT_GT(n_convex, 15);
}

TEST(LiquidBridge, PassesSmoothlyThroughFlatMenisci) // H1: theta + alpha = pi/2
{
    const double theta = 1.0, d = 4, flat = kPi / 2 - theta;
    const auto area = [&](double alpha) { return bridge_at_angle(equal_strands(1, theta), d - 2, alpha)->area; };
    // Between two flat menisci there is a rectangle less two caps of the strands.
    const double caps = 2 * (flat - std::sin(flat) * std::cos(flat));
    EXPECT_NEAR(area(flat), 2 * std::sin(flat) * (d - 2 * std::cos(flat)) - caps, 1e-14);
    EXPECT_NEAR(bridge_at_angle(equal_strands(1, theta), d - 2, flat)->force, 2, 1e-14);
    const double s = std::sin(flat), c = std::cos(flat), w = 0.5 * d - c,
                 exact = 4 * s * c + 4.0 / 3 * w * s; // by hand
    for (const double h : {1e-1, 1e-2, 1e-4, 1e-6})
        EXPECT_NEAR((area(flat + h) - 2 * area(flat) + area(flat - h)) / (h * h), exact, h * h + 4e-15 / (h * h)) << h;
}

TEST(LiquidBridge, AreaRisesWithTheWettedArcAndIsInverted) // H1
{
    for (const double theta : {0.0, 0.7156, kPi / 4, kPi / 3, kPi / 2, 2.0})
        for (const double d : {2.0, 2.05, 2.5, 3.0, 5.0, 12.0}) {
            double before = -kInfinity;
            for (int i = 1; i < 200; ++i) {
                const double alpha = (kPi - theta) * i / 200;
                const double area = bridge_at_angle(equal_strands(1, theta), d - 2, alpha)->area;
                EXPECT_GT(area, before) << theta << " " << d << " " << alpha;
                before = area;
                const auto found = bridge_of_area(equal_strands(1, theta), d - 2, area);
                ASSERT_TRUE(found) << theta << " " << d << " " << alpha;
                EXPECT_NEAR(found->angle_a, alpha, 1e-9); // measured 2e-14
            }
        }
}

struct ForceRow {
    double area;
    std::vector<double> force; // at d/r = 3, 4, 5, 6, 8, 10; 99 = no bridge holds so much
};
constexpr double kNone = 99;

void expect_forces(double theta, const std::vector<ForceRow>& rows)
{
    const double r = 5e-5;
    const std::vector<double> distances = {3, 4, 5, 6, 8, 10};
    for (const ForceRow& row : rows)
        for (std::size_t i = 0; i < distances.size(); ++i) {
            const auto shape = bridge_of_area(equal_strands(r, theta), (distances[i] - 2) * r, row.area * r * r);
            ASSERT_EQ(shape.has_value(), row.force[i] != kNone) << row.area << " " << distances[i];
            if (shape) {
                EXPECT_NEAR(shape->force, row.force[i], 5.1e-5) << row.area << " " << distances[i];
            }
        }
}

TEST(LiquidBridge, ForcesAreThoseOfAnIndependentTable) // H2: computed apart from this code, four decimals
{
    expect_forces(kPi / 3, {{1, {2.0480, 2.0803, 2.0321, 2.0107, 1.9967, 1.9939}},
                            {3, {0.8474, 1.8165, 2.0056, 2.0266, 2.0155, 2.0064}},
                            {10, {-0.5747, 0.3184, 1.1000, 1.5731, 1.9116, 1.9839}},
                            {20, {kNone, -0.5446, 0.0788, 0.6766, 1.4731, 1.8000}},
                            {40, {kNone, kNone, kNone, -0.3342, 0.5299, 1.1858}}});
    expect_forces(kPi / 4, {{3, {1.2816, 2.0157, 2.0861, 2.0601, 2.0195, 2.0034}},
                            {10, {-0.2297, 0.6210, 1.3246, 1.7224, 1.9738, 2.0118}},
                            {20, {kNone, -0.2873, 0.3152, 0.8766, 1.5925, 1.8661}}});
}

/// Largest error of the force against differences of the energy at constant area, and of the force on a against that
/// on b: 2 (sin psi_b + y_b / R).
void expect_force_is_slope(const BridgeSides& sides, double gap, double area)
{
    const auto shape = bridge_of_area(sides, gap, area);
    ASSERT_TRUE(shape);
    const double h = 1e-4 * gap;
    const auto energy = [&](double g) { return bridge_of_area(sides, g, area).value().energy; };
    const double slope =
        (8 * (energy(gap + h) - energy(gap - h)) - (energy(gap + 2 * h) - energy(gap - 2 * h))) / (12 * h);
    const double alpha_b = std::isinf(sides.b.radius) ? 0 : shape->arc_b / sides.b.radius;
    const double y_b = std::isinf(sides.b.radius) ? shape->arc_b : sides.b.radius * std::sin(alpha_b);
    const double on_b = 2 * (std::sin(sides.b.contact_angle + alpha_b) + shape->curvature * y_b);
    EXPECT_NEAR(shape->force, slope, 1e-5) << sides.b.radius << " " << gap << " " << area; // measured 1.4e-10
    EXPECT_NEAR(shape->force, on_b, 1e-10) << sides.b.radius << " " << gap << " " << area; // measured 9e-16
}

TEST(LiquidBridge, ForceIsTheSlopeOfTheEnergyAndOppositeOnBothSides) // H2
{
    for (const double r_b : {1.0, 1.5, 5.0, 100.0, kInfinity})
        for (const double theta_b : {0.3, kPi / 3, 1.4})
            for (const double gap : {0.3, 1.0, 2.5})
                for (const double area : {1.0, 3.0, 10.0}) {
                    const BridgeSides sides{{1, kPi / 3}, {r_b, theta_b}};
                    if (bridge_of_area(sides, 1.0003 * gap, area) && bridge_of_area(sides, 0.9997 * gap, area))
                        expect_force_is_slope(sides, gap, area);
                }
}

TEST(LiquidBridge, LargeCylindersTendToThePlane) // H2
{
    const BridgeSides plane{{1, 0.9}, {kInfinity, 0.5}};
    for (const double area : {0.5, 3.0, 8.0}) {
        const BridgeShape flat = bridge_of_area(plane, 0.8, area).value();
        double before = 6;
        for (const double r_b : {1e2, 1e4, 1e6}) {
            const BridgeShape round = bridge_of_area({{1, 0.9}, {r_b, 0.5}}, 0.8, area).value();
            const double error = std::abs(round.force - flat.force) + std::abs(round.energy - flat.energy);
            EXPECT_LT(error, 0.02 * before) << r_b;
            before = error;
        }
        EXPECT_LT(before, 1e-4); // measured 1.1e-5
    }
}

/// Formula of the area of a bridge to a plane in terms of R, as public programs have it.
double plane_area(double r, double theta, double theta_2, double alpha, double d)
{
    const double psi = theta + alpha, radius = (d - r * std::cos(alpha)) / (std::cos(psi) + std::cos(theta_2));
    return r * r * std::sin(alpha) * std::cos(alpha) + 2 * r * radius * std::sin(alpha) * std::cos(psi) +
           radius * radius * std::sin(psi) * std::cos(psi) +
           2 * radius * std::cos(theta_2) *
               (radius * std::sin(psi) - radius * std::sin(theta_2) + r * std::sin(alpha)) +
           radius * radius * std::sin(theta_2) * std::cos(theta_2) - alpha * r * r -
           radius * radius * (kPi - theta - theta_2 - alpha);
}

TEST(LiquidBridge, AreaOnAPlane) // H2
{
    for (const double alpha : {0.4, 1.0, 1.9}) {
        const auto shape = bridge_at_angle({{1, 0.9}, {kInfinity, 0.5}}, 0.7, alpha);
        EXPECT_NEAR(shape.value().area, plane_area(1, 0.9, 0.5, alpha, 1.7), 1e-12);
    }
}

TEST(LiquidBridge, AStrandMirroredInItsPlaneOfSymmetryIsHalfOfTwo)
{
    // A plane that the menisci meet at right angles (theta = pi/2) is the mirror of two equal strands.
    const BridgeShape pair = bridge_of_area(equal_strands(1, 0.8), 2, 5).value();
    const BridgeShape half = bridge_of_area({{1, 0.8}, {kInfinity, kPi / 2}}, 1, 2.5).value();
    EXPECT_NEAR(half.force, pair.force, 1e-12);
    EXPECT_NEAR(2 * half.energy, pair.energy, 1e-12);
    EXPECT_NEAR(half.angle_a, pair.angle_a, 1e-12);
}

TEST(LiquidBridge, OrderOfTheSidesDoesNotMatter)
{
    const BridgeShape ab = bridge_of_area({{1, 0.4}, {3, 1.1}}, 0.6, 2).value();
    const BridgeShape ba = bridge_of_area({{3, 1.1}, {1, 0.4}}, 0.6, 2).value();
    EXPECT_NEAR(ab.force, ba.force, 1e-11);
    EXPECT_NEAR(ab.energy, ba.energy, 1e-12);
    EXPECT_NEAR(ab.arc_b, 3 * ba.angle_a, 1e-11);
}

TEST(LiquidBridge, RoundDropsHoldNothingThatStillAttracts)
{
    // Two strands just fit into a round drop of area A + 2 pi r^2: d = 2 sqrt(A/pi + 2 r^2) - 2 r. The force there is 0
    // for perfect wetting and pushes for any larger angle, so leaving it out makes no jump.
    for (const double theta : {0.0, 0.2, 0.5, kPi / 4, kPi / 3})
        for (const double d : {2.1, 3.0, 6.0, 20.0}) {
            const double area = kPi * ((0.5 * d + 1) * (0.5 * d + 1) - 2);
            EXPECT_TRUE(fits_in_round_drop(equal_strands(1, theta), d - 2, 1.0001 * area));
            EXPECT_FALSE(fits_in_round_drop(equal_strands(1, theta), d - 2, 0.9999 * area));
            EXPECT_LT(cohesion(equal_strands(1, theta), d - 2, 0.9999 * area), 1e-3);
            EXPECT_EQ(cohesion(equal_strands(1, theta), d - 2, 1.0001 * area), 0);
        }
}

TEST(LiquidBridge, DryPairsDoNotAttract)
{
    EXPECT_EQ(cohesion(equal_strands(5e-5, 1), 1e-5, 0), 0);
    EXPECT_EQ(cohesion(equal_strands(5e-5, 1), 1e-5, 0.99e-16), 0);
    EXPECT_GT(cohesion(equal_strands(5e-5, 1), 1e-9, 1.01e-16), 0);
}

TEST(LiquidBridge, BreaksWhereLianSays)
{
    // (1 + 0.5 pi/3) sqrt(4e-8 m^2), by hand
    EXPECT_NEAR(rupture_gap(equal_strands(5e-5, kPi / 3), 4e-8), 3.047197551196598e-4, 1e-18);
}

TEST(LiquidBridge, LinksWhenFilmsTouchAndHoldsUntilItBreaks) // H25
{
    const double films = 2.4e-4, rupture = 6e-4;
    bool linked = false;
    double linked_at = 0, broken_at = 0;
    for (double d = 1e-3; d > 1e-4; d -= 1e-6) {
        const bool now = d <= link_distance(linked, films, rupture);
        if (now && !linked) linked_at = d;
        linked = now;
    }
    for (double d = 1e-4; d < 1e-3; d += 1e-6) {
        const bool now = d <= link_distance(linked, films, rupture);
        if (!now && linked) broken_at = d;
        linked = now;
    }
    EXPECT_NEAR(linked_at, films, 1.01e-6);
    EXPECT_NEAR(broken_at, rupture, 1.01e-6);
    EXPECT_LT(link_distance(false, 1.2e-4, 1e-4), 1.1e-4); // films touch, but such a bridge would break at once
    EXPECT_GT(link_distance(true, 1.2e-4, 1e-4), 1.1e-4);
}

} // namespace
} // namespace rivulet
