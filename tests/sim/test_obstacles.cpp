#include "sim/obstacles.h"

#include "models.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rivulet {
namespace {

/// A tank of 1 m with cells of 5 cm, and an obstacle that moves.
Model tank_with(ShapePtr shape, const Vec3& position, const Vec3& drift, const Vec3& spin)
{
    Model model = test::tank({1, 1, 1}, {1, 1, 0.2}, 0.05);
    Obstacle o;
    o.name = "o";
    o.shape = std::move(shape);
    o.motion.keyframes = {{.time = 0, .position = position}};
    o.motion.drift = drift;
    o.motion.spin = spin;
    model.obstacles.push_back(o);
    return model;
}

double mean_height(const State& state)
{
    double sum = 0, volume = 0;
    for (std::size_t p = 0; p < state.liquid.position.size(); ++p) {
        sum += state.liquid.volume[p] * state.liquid.position[p].z();
        volume += state.liquid.volume[p];
    }
    return sum / volume;
}

TEST(Obstacles, BeyondTheDomainLimitNoStep)
{
    const ShapePtr slab = make_box({-5, -0.1, -5}, {5, 0.1, 5});
    EXPECT_EQ(fastest_obstacle(tank_with(slab, {0, 2, 0}, {30, 0, 0}, {0, 0, 0}), 0), 0); // passes by
    EXPECT_EQ(fastest_obstacle(tank_with(slab, {0, 2, 0}, {30, 0, 0}, {0, 8, 0}), 0), 0); // and turns
    EXPECT_EQ(fastest_obstacle(tank_with(slab, {0, 1.05, 0}, {30, 0, 0}, {0, 0, 0}), 0), 30);
    // At 50 m/s it comes 0.5 m closer in the largest step, of 10 ms: 0.4 m away it has to be met in small ones.
    EXPECT_EQ(fastest_obstacle(tank_with(slab, {0, 1.5, 0}, {0, -50, 0}, {0, 0, 0}), 0), 50);
    EXPECT_EQ(fastest_obstacle(tank_with(slab, {0, 1.5, 0}, {0, 50, 0}, {0, 0, 0}), 0), 0); // it leaves
}

TEST(Obstacles, CountAsFastAsWhatTheyHaveInTheDomain)
{
    // An arm of 20 m turns at 1 rad/s about the middle of the floor: its end at 20 m/s, what of it is in the domain at
    // 0.51, and at sqrt(0.5) when it reaches into a corner.
    const ShapePtr arm = make_box({0, -0.1, 0}, {20, 0.1, 0.2});
    const double of_arm = fastest_obstacle(tank_with(arm, {0.5, 0.5, 0}, {0, 0, 0}, {0, 0, 1}), 0);
    EXPECT_GE(of_arm, std::hypot(0.5, 0.1));
    EXPECT_LE(of_arm, std::sqrt(0.5)); // measured 0.61
    // A ball on a string of 20 m moves at 20 m/s, though the domain is 1.7 m across.
    const ShapePtr ball = make_sphere({0, 0, -20}, 0.1);
    EXPECT_NEAR(fastest_obstacle(tank_with(ball, {0.5, 0.5, 20.5}, {0, 0, 0}, {1, 0, 0}), 0), 20.1, 0.01);
    // A paddle that lies in the domain counts to its tip.
    const ShapePtr paddle = make_box({-0.3, -0.01, -0.1}, {0.3, 0.01, 0.1});
    EXPECT_NEAR(fastest_obstacle(tank_with(paddle, {0.5, 0.5, 0.5}, {0, 0, 0}, {0, 0, 2}), 0), 0.63, 0.01); // tip: 0.6
}

TEST(Obstacles, FarBeyondTheDomainChangeNothing)
{
    Model with = tank_with(make_box({-5, -0.1, -5}, {5, 0.1, 5}), {0, 3, 0}, {40, 0, 0}, {0, 0, 0});
    Model without = with;
    without.obstacles.clear();
    for (Model* model : {&with, &without}) model->domain.walls.fill(Wall::Open);
    EXPECT_EQ(solids_at(with, 0, 0.01).view().nearest({0.5, 0.5, 0.5}).body, -1); // it is not even asked
    State a = initial_state(with), b = initial_state(without);
    test::run_until(with, a, 0.05);
    test::run_until(without, b, 0.05);
    EXPECT_EQ(a.clock.step, b.clock.step);
    EXPECT_EQ(a.liquid.position, b.liquid.position);
}

TEST(Obstacles, BeyondTheDomainComeIn)
{
    Model model = tank_with(make_sphere({0, 0, 0}, 0.2), {0.5, 0.5, 2.2}, {0, 0, -10}, {0, 0, 0});
    EXPECT_EQ(solids_at(model, 0, 0.01).view().nearest({0.5, 0.5, 0.9}).body, -1);
    EXPECT_EQ(solids_at(model, 0.15, 0.01).view().nearest({0.5, 0.5, 0.7}).body, 0);
    EXPECT_NEAR(solids_at(model, 0.15, 0.01).view().nearest({0.5, 0.5, 0.7}).distance, -0.2, 1e-12);
}

// The velocities of a step are those at its begin, where the particles are; their leads add what half a step changes
// them by. With obstacles' velocities from the middle of the step, liquid on a floor ran 2 mm ahead, a dt t / 2.
TEST(Obstacles, CarryLiquidAlongAsTheySpeedUp)
{
    constexpr double kAcceleration = 2, kEnd = 0.4;
    Model model = test::tank({0.08, 0.08, 0.3}, {0.08, 0.08, 0.062}, 0.01);
    model.options.max_step = 0.005;
    Obstacle floor;
    floor.shape = make_box({-0.02, -0.02, -0.05}, {0.1, 0.1, 0.05});
    floor.motion.keyframes = {{.time = 0, .position = {0, 0, 0}, .easing = Easing::In},
                              {.time = kEnd, .position = {0, 0, kAcceleration / 2 * kEnd * kEnd}}};
    model.obstacles.push_back(floor);
    State state = initial_state(model);
    const double before = mean_height(state);
    test::run_until(model, state, kEnd);
    const double risen = mean_height(state) - before;
    EXPECT_NEAR(risen, floor.motion.pose(state.clock.time).position.z(), 3e-4);
}

} // namespace
} // namespace rivulet
