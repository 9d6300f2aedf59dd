// Forces of liquid on obstacles.
#include "models.h"

#include <gtest/gtest.h>

using namespace rivulet;

namespace {

/// Force upwards on a box in a tank of water that is 20 cm deep and at rest, cells of 2 cm [N].
double force_at_rest(const Vec3& lower, const Vec3& upper, double viscosity)
{
    Model model = test::tank({0.24, 0.24, 0.3}, {0.24, 0.24, 0.2}, 0.02);
    model.liquids[0].viscosity = viscosity;
    Obstacle box;
    box.name = "box";
    box.shape = make_box(lower, upper);
    model.obstacles.push_back(box);
    State state = initial_state(model);
    test::run_until(model, state, 0.05);
    return state.loads.force[0].z();
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
