#include "fluid/solids.h"
#include "geometry/shapes.h"
#include "sim/models.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rivulet {
namespace {

using test::run_until;
using test::tank;

/// How a slab of liquid slides over a plate, without gravity and with all other sides open.
struct Slide {
    double friction = 0;
    double viscosity = 0; ///< [Pa s]
    double step = 5e-3;   ///< [s]
    double cell = 0.01;   ///< [m]
    double plate = 0;     ///< its surface, in cells above a plane of the grid

    static constexpr double kSpeed = 0.5, kTime = 0.1, kDepth = 0.04;

    /// What the plate takes of the slab's momentum, as a part of it.
    [[nodiscard]] double loss() const
    {
        const double floor = plate * cell;
        Model model = tank({0.32, 0.08, 0.08}, {0, 0, 0}, cell);
        model.domain.walls.fill(Wall::Open);
        model.options.gravity.setZero();
        model.options.max_step = step;
        model.liquids.front().viscosity = viscosity;
        Obstacle solid;
        solid.shape = make_box({-1, -1, -1}, {2, 1, floor});
        solid.friction = friction;
        model.obstacles.push_back(solid);
        LiquidBody slab;
        slab.shape = make_box({0.04, 0, floor}, {0.24, 0.08, floor + kDepth});
        slab.velocity = {kSpeed, 0, 0};
        model.bodies.push_back(slab);
        State state = initial_state(model);
        run_until(model, state, kTime);
        double moment = 0, volume = 0;
        for (std::size_t p = 0; p < state.liquid.position.size(); ++p) {
            moment += state.liquid.volume[p] * state.liquid.velocity[p].x();
            volume += state.liquid.volume[p];
        }
        return 1 - moment / (volume * kSpeed);
    }
};

TEST(WallFriction, TakesTheStressItSaysFromLiquidWithoutViscosity)
{
    // density * kWallSpeed * f * (speed) over the time, from a layer of a cell that slows down by it. How much of the
    // layer is above the wall depends on where the wall cuts the cells.
    const double rate = 0.2 * kWallSpeed / 0.01;
    const double expected = 0.01 / Slide::kDepth * (1 - std::exp(-rate * Slide::kTime));
    double mean = 0;
    for (const double plate : {0.0, 0.2, 0.4, 0.6, 0.8}) {
        const double loss = Slide{.friction = 0.2, .plate = plate}.loss();
        EXPECT_NEAR(loss, expected, 0.6 * expected) << plate; // measured 0.45 to 1.17 of it
        mean += loss / 5;
    }
    EXPECT_NEAR(mean, expected, 0.2 * expected); // measured 0.83 of it
}

TEST(WallFriction, DoesNotDependOnTheStep)
{
    for (const double viscosity : {0.0, 10.0})
        for (const double friction : {0.1, 0.5}) {
            const double one = Slide{friction, viscosity, 1e-2}.loss(), half = Slide{friction, viscosity, 5e-3}.loss();
            EXPECT_NEAR(half, one, 0.1 * one) << viscosity << ' ' << friction; // measured 4 %
        }
}

TEST(WallFriction, GrowsWithoutJumpsFromFreeSlipToNone)
{
    for (const double viscosity : {0.0, 10.0}) {
        const auto loss = [&](double friction) { return Slide{friction, viscosity}.loss(); };
        const double none = loss(0), all = loss(1);
        EXPECT_LT(none, 1e-6);
        EXPECT_NEAR(loss(1e-6), none, 1e-5);
        EXPECT_NEAR(loss(1 - 1e-6), all, 1e-5);
        double last = none;
        for (const double friction : {0.05, 0.2, 0.5, 0.9, 1.0}) {
            const double now = loss(friction);
            EXPECT_GT(now, last + 0.005) << viscosity << ' ' << friction;
            last = now;
        }
    }
}

} // namespace
} // namespace rivulet
