#include "wetting/exchange.h"

#include "random_numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

TEST(Drag, CoefficientsAtATenth) // by hand: -ln 0.1 = 2.302585093
{
    const StrandDrag drag = strand_drag(0.1);
    EXPECT_NEAR(drag.along, 4 * std::numbers::pi / (2.302585093 - 1.476 + 0.2 - 0.005), 1e-8);
    EXPECT_NEAR(drag.across, 8 * std::numbers::pi / (2.302585093 - 1.476 + 0.2 - 0.01774 + 0.004078), 1e-8);
    EXPECT_DOUBLE_EQ(strand_drag(0).along, strand_drag(1e-3).along);
    EXPECT_DOUBLE_EQ(strand_drag(0.9).across, strand_drag(0.4).across);
}

/// H18: k = pi r^2/(phi d) of a bed of fibres, against the permeabilities of fabric as they are written for a diameter.
TEST(Drag, CoefficientsAreThePermeabilitiesOfFabric)
{
    const double r = 5e-5, diameter = 2 * r;
    for (const double phi : {1e-3, 0.01, 0.1, 0.25, 0.4}) {
        const StrandDrag drag = strand_drag(phi);
        const double common = -std::log(phi) - 1.476 + 2 * phi;
        const double along = (common - 0.5 * phi * phi) / (16 * phi) * diameter * diameter;
        const double across = (common - 1.774 * phi * phi + 4.078 * phi * phi * phi) / (32 * phi) * diameter * diameter;
        EXPECT_NEAR(std::numbers::pi * r * r / (phi * drag.along), along, 1e-12 * along) << phi;
        EXPECT_NEAR(std::numbers::pi * r * r / (phi * drag.across), across, 1e-12 * across) << phi;
    }
}

TEST(Drag, ForceOnAStraightStrand) // H18, unit part: slip of 1 cm/s along and across, water
{
    const double r = 5e-5, rho = 1000, mu = 8.9e-4, u = 0.01;
    const StrandDrag drag{20, 30};
    const Vec3 e = Vec3(1, 2, 2) / 3, n = Vec3(2, 1, -2) / 3;
    // mu d u + 0.14288690166235207 rho r sqrt(d) u^2
    const double along = 8.9e-4 * 20 * 0.01 + 0.14288690166235207 * 1000 * 5e-5 * std::sqrt(20.0) * 1e-4;
    const double across = 8.9e-4 * 30 * 0.01 + 0.14288690166235207 * 1000 * 5e-5 * std::sqrt(30.0) * 1e-4;
    EXPECT_LT((drag_force(drag, r, rho, mu, e, u * e) - along * e).norm(), 1e-12 * along);
    EXPECT_LT((drag_force(drag, r, rho, mu, e, -u * n) + across * n).norm(), 1e-12 * across);
}

TEST(Dripping, StrandsHoldAsMuchAsThePaperSays) // H15
{
    const double r = 5e-5, sigma = 0.072, g = 9.81;
    const double one = held_volume(r * r, sigma, 1000, g);
    EXPECT_NEAR(one, 4.61e-9, 0.005e-9);
    EXPECT_NEAR(std::cbrt(0.75 * one / std::numbers::pi), 1.033e-3, 1e-6);
    EXPECT_NEAR(held_volume(16 * r * r, sigma, 1000, g), 1.845e-8, 0.005e-8);
    EXPECT_NEAR(held_volume(r * r, sigma, 1000, 10 * g), 4.61e-10, 0.005e-10);
    EXPECT_NEAR(held_volume(3.7e-5 * 3.7e-5, sigma, 1000, g), 3.41e-9, 0.005e-9);
    EXPECT_NEAR(held_volume(4 * r * r, sigma, 1000, g), 2 * one, 1e-14 * one);
    EXPECT_TRUE(std::isinf(held_volume(r * r, sigma, 1000, 0)));
}

TEST(Exchange, CatchingAndSheddingKeepMassAndMomentum) // H19
{
    RandomNumbers random(9);
    for (int i = 0; i < 1000; ++i) {
        const Vec3 e = random.vector().normalized();
        const WetVertex before{random.number(0.1, 1), i % 7 == 0 ? 0 : random.number(0, 3), random.vector(),
                               random.number(-2, 2)};
        const double mass = random.number(0.01, 1);
        const Vec3 caught = mass * random.vector(3);
        const WetVertex after = with_caught(before, e, mass, caught);
        EXPECT_LT((momentum(after, e) - momentum(before, e) - caught).norm(), 1e-13);
        EXPECT_EQ(after.film_mass, before.film_mass + mass);
        EXPECT_NEAR(after.velocity.dot(e), before.velocity.dot(e), 1e-14); // the strand feels nothing along itself

        Vec3 lost = Vec3::Zero();
        const WetVertex shed = with_shed(after, e, 0.3 * after.film_mass, lost);
        EXPECT_LT((momentum(shed, e) + lost - momentum(after, e)).norm(), 1e-13);
        EXPECT_EQ(shed.velocity, after.velocity);
    }
}

TEST(Exchange, LiquidThatMovesWithTheStrandChangesNothing)
{
    const Vec3 e = Vec3(0, 0.6, 0.8), v(1, 2, 3);
    const WetVertex after = with_caught({1, 2, v, 0.5}, e, 3, 3 * (v + 0.5 * e));
    EXPECT_LT((after.velocity - v).norm(), 1e-15);
    EXPECT_NEAR(after.flow, 0.5, 1e-14);
}

TEST(Exchange, DropsHangFromTipsAsTateSays)
{
    // Water at 1 g from a hair of 0.05 mm: 2.30 microlitres.
    EXPECT_NEAR(hanging_volume(5e-5, 0.07197, 1000, 9.81), 2.3048e-9, 1e-13);
    EXPECT_NEAR(hanging_volume(5e-5, 0.07197, 1000, 98.1), 2.3048e-10, 1e-14);
}

} // namespace
} // namespace rivulet
