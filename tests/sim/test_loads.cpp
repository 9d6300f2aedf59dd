// Forces of liquid on obstacles.
#include "models.h"

#include <gtest/gtest.h>

#include <numbers>
#include <utility>

using namespace rivulet;

namespace {

/// Force on a thing in a tank of water that is 20 cm deep and at rest, cells of 2 cm [N].
Vec3 forces_at_rest(ShapePtr shape, double viscosity)
{
    Model model = test::tank({0.24, 0.24, 0.3}, {0.24, 0.24, 0.2}, 0.02);
    model.liquids[0].viscosity = viscosity;
    Obstacle box;
    box.name = "box";
    box.shape = std::move(shape);
    model.obstacles.push_back(box);
    State state = initial_state(model);
    test::run_until(model, state, 0.05);
    return state.loads.force[0];
}
double force_at_rest(const Vec3& lower, const Vec3& upper, double viscosity)
{
    return forces_at_rest(make_box(lower, upper), viscosity).z();
}

} // namespace

// Wherever between the grid's planes its faces lie.
TEST(Loads, AFloorBearsTheWaterAboveIt)
{
    for (const double viscosity : {0.0, 1.0})
        for (const double top : {0.054, 0.06, 0.065}) {
            const double weight = 1000 * 9.81 * 0.24 * 0.24 * (0.2 - top);
            EXPECT_NEAR(force_at_rest({-0.1, -0.1, -0.1}, {0.4, 0.4, top}, viscosity), -weight, 0.015 * weight)
                << top << " m, " << viscosity << " Pa s";
        }
}

TEST(Loads, ABoxHalfInTheWaterIsPushedUpByWhatItDisplaces)
{
    for (const double bottom : {0.094, 0.1, 0.107}) {
        const double lift = 1000 * 9.81 * 0.12 * 0.12 * (0.2 - bottom);
        EXPECT_NEAR(force_at_rest({0.06, 0.06, bottom}, {0.18, 0.18, 0.27}, 0), lift, 0.015 * lift) << bottom;
    }
}

TEST(Loads, AreNotMeasuredWhereNothingReadsThem)
{
    Model model = test::tank({0.24, 0.24, 0.3}, {0.24, 0.24, 0.2}, 0.02);
    Obstacle box;
    box.shape = make_box({0.06, 0.06, 0.1}, {0.18, 0.18, 0.27});
    model.obstacles.push_back(box);
    model.measures_loads = false;
    State state = initial_state(model);
    test::run_until(model, state, 0.02);
    EXPECT_EQ(state.loads.force[0], Vec3(0, 0, 0));
}

// What stands on the floor has no water under it: it bears the water above it, whether it ends on the floor or goes
// through it, wherever its sides are between the grid's planes, and however thin it is.
TEST(Loads, ABoxOnTheFloorBearsTheWaterAboveIt)
{
    for (const double bottom : {0.0, -0.006, -0.05})
        for (const double shift : {0.0, 0.003, 0.016})
            for (const double top : {0.005, 0.094}) {
                const double weight = 1000 * 9.81 * 0.1 * 0.1 * (0.2 - top);
                const Vec3 lower(0.06 + shift, 0.06 + shift, bottom), upper(0.16 + shift, 0.16 + shift, top);
                const Vec3 force = forces_at_rest(make_box(lower, upper), 0);
                EXPECT_NEAR(force.z(), -weight, 0.01 * weight) // measured -0.7 %
                    << "from " << bottom << " to " << top << ", " << shift;
                EXPECT_LT(force.head<2>().norm(), 1e-5 * weight);
            }
}

// In a corner of the tank, against two walls and the floor: the water pushes it into it.
TEST(Loads, ABoxInACornerIsPushedByTheWaterBesideIt)
{
    for (const double viscosity : {0.0, 1.0})
        for (const double side : {0.1, 0.116})
            for (const double top : {0.094, 0.107}) {
                const double on_top = 1000 * 9.81 * side * side * (0.2 - top);
                const double on_side = 1000 * 9.81 * side * top * (0.2 - top / 2);
                const Vec3 force = forces_at_rest(make_box({0, 0, 0}, {side, side, top}), viscosity);
                EXPECT_NEAR(force.x(), -on_side, 0.005 * on_side) << side << ' ' << top; // measured -0.33 %
                EXPECT_NEAR(force.y(), -on_side, 0.005 * on_side) << side << ' ' << top;
                EXPECT_NEAR(force.z(), -on_top, 0.008 * on_top) << side << ' ' << top; // measured -0.52 %
            }
}

// Liquid at rest does not care whether it sticks.
TEST(Loads, ASmoothBallInHoneyIsLiftedByWhatItDisplaces)
{
    const double radius = 0.05, lift = 1000 * 9.81 * 4 / 3 * std::numbers::pi * radius * radius * radius;
    for (const double z : {0.1, 0.107, 0.094}) {
        const double force = forces_at_rest(make_sphere({0.123, 0.118, z}, radius), 10).z();
        EXPECT_NEAR(force, lift, 0.02 * lift) << z << " m"; // measured -1.4 %
    }
}
