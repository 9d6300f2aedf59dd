// Surfaces of liquid at rest, at and between the planes of the grid.
#include "models.h"
#include "sim/advance.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rivulet {
namespace {

constexpr double kLevelCell = 0.01, kWaterWeight = 9810; // [m], [N/m^3]

double fastest_of(const State& state)
{
    double fastest = 0;
    for (const Vec3& u : state.liquid.velocity) fastest = std::max(fastest, u.norm());
    return fastest;
}

} // namespace

// A cell that holds particles was liquid up to its centre at least: levels just above a plane were 0.3 cells too high.
TEST(Levels, FloorBearsTheWaterAboveItWhereverTheLevelIs)
{
    for (double level = 0.08; level < 0.0905; level += 0.001) {
        Model model = test::tank({0.08, 0.08, 0.14}, {0.08, 0.08, level}, kLevelCell);
        State state = initial_state(model);
        test::run_until(model, state, 0.05);
        EXPECT_LT(fastest_of(state), 1e-6) << level;
        for (std::size_t p = 0; p < state.liquid.position.size(); ++p) {
            if (state.liquid.position[p].z() > kLevelCell) continue;
            const double found = state.liquid.pressure[p] / kWaterWeight + kLevelCell / 2; // a cell's, at its centre
            ASSERT_NEAR(found, level, 0.06 * kLevelCell) << level;                         // measured 0.05
        }
    }
}

// Of less than half a cell nothing is filled up to a cell's centre; on a plate between planes that centre is in the
// plate.
TEST(Levels, FilmsOnFloorsAndPlatesStayWhereTheyAre)
{
    for (const double floor : {0.0, 0.02})
        for (const double film : {0.003, 0.0055, 0.007, 0.009}) {
            Model model = test::tank({0.08, 0.08, 0.08}, {0.08, 0.08, floor + film}, kLevelCell);
            model.obstacles.resize(floor > 0 ? 1 : 0);
            if (floor > 0) model.obstacles[0].shape = make_box({-0.02, -0.02, -0.02}, {0.1, 0.1, floor});
            State state = initial_state(model);
            test::run_until(model, state, 0.2);
            EXPECT_LT(fastest_of(state), 1e-6) << floor << ' ' << film; // falling freely: 2 m/s
            double height = 0, volume = 0;
            for (std::size_t p = 0; p < state.liquid.position.size(); ++p) {
                height += state.liquid.volume[p] * state.liquid.position[p].z();
                volume += state.liquid.volume[p];
            }
            EXPECT_NEAR(height / volume, floor + film / 2, 0.02 * kLevelCell) << floor << ' ' << film;
        }
}

// All of it is in one layer of cells: what is less than half a particle above and below joins the rest.
TEST(Levels, WaterThatAPlateBetweenPlanesLeavesToOneLayerIsNotPressed)
{
    Model model = test::tank({0.08, 0.08, 0.08}, {0.08, 0.08, 0.0415}, kLevelCell);
    model.obstacles.resize(1);
    model.obstacles[0].shape = make_box({-0.02, -0.02, -0.02}, {0.1, 0.1, 0.0275});
    State state = initial_state(model);
    EXPECT_NO_THROW(test::run_until(model, state, 0.1));
    EXPECT_LT(fastest_of(state), 0.1);
}

// Faces of the box cut cells everywhere. Levels that were too high lifted them by 6 and 15 % too much.
TEST(Levels, BodiesThatPierceTheSurfaceAreLiftedByWhatTheyDisplace)
{
    const Vec3 lower(0.0423, 0.042, 0.043), upper(0.1023, 0.0947, 0.13), centre(0.073, 0.072, 0.091);
    const double radius = 0.033;
    for (const double level : {0.08, 0.0825, 0.085, 0.089}) {
        Model model = test::tank({0.15, 0.15, 0.15}, {0.15, 0.15, level}, kLevelCell);
        model.obstacles.resize(1);
        model.obstacles[0].shape = make_box(lower, upper);
        State state = initial_state(model);
        test::run_until(model, state, 0.1);
        const double box = kWaterWeight * (upper - lower).head<2>().prod() * (level - lower.z());
        EXPECT_NEAR(state.loads.force[0].z(), box, 0.02 * box) << level; // measured 1.5 %
        EXPECT_LT(fastest_of(state), 0.03) << level;

        model.obstacles[0].shape = make_sphere(centre, radius);
        state = initial_state(model);
        test::run_until(model, state, 0.1);
        const double h = level - (centre.z() - radius), ball = kWaterWeight * M_PI * h * h * (radius - h / 3);
        EXPECT_NEAR(state.loads.force[0].z(), ball, 0.05 * ball) << level; // 3.3 cells of radius; measured 4.2 %
        EXPECT_LT(fastest_of(state), 0.03) << level;
    }
}

} // namespace rivulet
