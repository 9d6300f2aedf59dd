// Liquid without a free surface, and liquids of two densities: laws that need no simulation to know.
#include "sim/models.h"
#include "sim/packing.h"
#include "sim/scratch.h"
#include "sim/seed.h"
#include "sim/stages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace rivulet {
namespace {

constexpr double kPocketCell = 0.02;

double bulk_volume(const State& state)
{
    double sum = 0;
    for (const double v : state.liquid.volume) sum += v;
    return sum;
}

TEST(ClosedPocket, LiquidFlowsBackAsMuchAsABodyInItMovesOn)
{
    // Through every plane across a full closed tank passes as much liquid backwards as solid forwards: the integral of
    // the liquid's velocity is -U times the volume of the ball.
    const Vec3 size(0.48, 0.32, 0.32), speed(0.2, 0, 0);
    const double radius = 0.08, solid = 4 * std::numbers::pi / 3 * radius * radius * radius;
    Model model = test::tank(size, size, kPocketCell);
    Obstacle ball;
    ball.name = "ball";
    ball.shape = make_sphere(Vec3::Zero(), radius);
    ball.motion.keyframes = {{.time = 0, .position = {0.2, 0.16, 0.16}}};
    ball.motion.drift = speed;
    model.obstacles.push_back(ball);
    State state = initial_state(model);
    const double full = bulk_volume(state);
    EXPECT_NEAR(full, size.prod() - solid, 0.01 * solid);
    Workspace workspace;
    for (int step = 0; step < 12; ++step) advance(model, state, workspace);
    Vec3 flow = Vec3::Zero();
    for (std::size_t p = 0; p < state.liquid.volume.size(); ++p)
        flow += state.liquid.volume[p] * state.liquid.velocity[p];
    EXPECT_NEAR(flow.x(), -solid * speed.x(), 0.05 * solid * speed.x()); // measured -0.975
    EXPECT_LT(flow.tail<2>().norm(), 1e-3 * solid * speed.x());          // measured below 1e-4
    EXPECT_NEAR(bulk_volume(state), full, 1e-12 * full);
}

// Its pressure is known up to a constant alone, whose mean was zero: the lid was drawn down by half of the weight.
TEST(ClosedPocket, FloorOfAFullVesselBearsTheWeightAndItsLidNothing)
{
    const Vec3 size(0.2, 0.16, 0.12);
    Model model = test::tank(size, size, kPocketCell);
    Obstacle lid, floor;
    lid.shape = make_box({-1, -1, 0.1}, {1, 1, 2});
    floor.shape = make_box({-1, -1, -1}, {1, 1, 0.02});
    model.obstacles = {lid, floor};
    State state = initial_state(model);
    test::run_until(model, state, 0.1);
    const double layer = 1000 * 9.81 * 0.2 * 0.16 * kPocketCell; // weight of one layer of cells, of four
    EXPECT_NEAR(state.loads.force[0].z(), 0, 0.01 * layer);
    EXPECT_NEAR(state.loads.force[1].z(), -4 * layer, 0.01 * layer);
    EXPECT_NEAR(state.loads.force[0].z() + state.loads.force[1].z(), -4 * layer, 0.01 * layer);
}

// The density of the first liquid was taken, whatever was in the vessel.
TEST(ClosedPocket, FloorBearsTheWeightOfAllLiquidsInTheVessel)
{
    const Vec3 size(0.16, 0.16, 0.24);
    Model model = test::tank(size, {0.16, 0.16, 0.12}, kPocketCell);
    model.liquids.insert(model.liquids.begin(), {"ether", 700, 1e-3, 0, 0, {0.8, 0.6, 0.1}}); // there is none of it
    model.liquids.push_back({"oil", 800, 1e-2, 0, 0, {0.8, 0.6, 0.1}});
    model.bodies[0].liquid = 1;
    LiquidBody oil;
    oil.name = "oil";
    oil.shape = make_box({0, 0, 0.12}, size);
    oil.liquid = 2;
    model.bodies.push_back(oil);
    State state = initial_state(model);
    test::run_until(model, state, 0.05);
    double worst = 0;
    for (std::size_t p = 0; p < state.liquid.volume.size(); ++p) {
        const double z = kPocketCell * (std::floor(state.liquid.position[p].z() / kPocketCell) + 0.5);
        const double expected = 9.81 * (z > 0.12 ? 800 * (0.24 - z) : 800 * 0.12 + 1000 * (0.12 - z));
        worst = std::max(worst, std::abs(double(state.liquid.pressure[p]) - expected));
    }
    EXPECT_LT(worst, 1e-4 * 9.81 * 216);
}

TEST(ClosedPocket, FullTankStaysAtRestUnderItsWeight)
{
    const Vec3 size(0.2, 0.2, 0.2);
    const Model model = test::tank(size, size, kPocketCell);
    State state = initial_state(model);
    test::run_until(model, state, 0.1);
    double fastest = 0;
    for (const Vec3& v : state.liquid.velocity) fastest = std::max(fastest, v.norm());
    EXPECT_LT(fastest, 1e-6); // measured 4e-8
}

/// What a run until a time says when liquid has nowhere to go; nothing if it has.
std::string error_until(double time, const Model& model, State& state)
{
    try {
        test::run_until(model, state, time);
    } catch (const NoRoomError& e) {
        return e.what();
    }
    return {};
}

// A closed tank fills up to the last drop; then the run stops, and names what fills what.
TEST(ClosedPocket, ASourceThatFillsATankStopsTheRunWhenItIsFull)
{
    Model model = test::tank({0.24, 0.24, 0.24}, {0.24, 0.24, 0.12}, kPocketCell);
    Source tap;
    tap.name = "tap";
    tap.shape = make_sphere(Vec3::Zero(), 0.04);
    tap.motion.keyframes = {{.time = 0, .position = {0.12, 0.12, 0.14}}};
    tap.velocity = {0, 0, -0.8};
    model.sources.push_back(tap);
    State state = initial_state(model);
    const double room = 0.24 * 0.24 * 0.24;
    const std::string error = error_until(4, model, state);
    EXPECT_NE(error.find("sources.tap"), std::string::npos) << error;
    EXPECT_NE(error.find("0.01382 m3"), std::string::npos) << error; // of room
    EXPECT_NEAR(bulk_volume(state), room, 0.015 * room);             // measured 1.1 % more
}

TEST(ClosedPocket, APistonThatPressesAFullTankStopsTheRunBeforeItHasPressedMuch)
{
    const Vec3 size(0.24, 0.24, 0.24);
    Model model = test::tank(size, size, kPocketCell);
    Obstacle piston;
    piston.name = "piston";
    piston.shape = make_box({-0.08, -1, -1}, {0, 1, 1});
    piston.motion.keyframes = {{.time = 0, .position = Vec3::Zero()}, {.time = 1, .position = {0.06, 0, 0}}};
    model.obstacles.push_back(piston);
    State state = initial_state(model);
    const std::string error = error_until(1, model, state);
    EXPECT_NE(error.find("obstacles.piston"), std::string::npos) << error;
    EXPECT_LT(0.06 * state.clock.time, 0.06 * size.x()); // how far it came
}

TEST(TwoLiquids, PressureUnderALayerOfOilIsTheWeightOfBoth)
{
    Model model = test::tank({0.16, 0.16, 0.32}, {0.16, 0.16, 0.12}, kPocketCell);
    model.liquids.push_back({"oil", 800, 1e-2, 0, 0, {0.8, 0.6, 0.1}});
    LiquidBody oil;
    oil.name = "oil";
    oil.shape = make_box({0, 0, 0.12}, {0.16, 0.16, 0.24});
    oil.liquid = 1;
    model.bodies.push_back(oil);
    State state = initial_state(model);
    test::run_until(model, state, 0.05);
    const double g = model.options.gravity.norm();
    double worst = 0, fastest = 0;
    for (std::size_t p = 0; p < state.liquid.volume.size(); ++p) {
        // A particle has the pressure in the middle of its cell.
        const double z = kPocketCell * (std::floor(state.liquid.position[p].z() / kPocketCell) + 0.5);
        const double expected = g * (z > 0.12 ? 800 * (0.24 - z) : 800 * 0.12 + 1000 * (0.12 - z));
        worst = std::max(worst, std::abs(double(state.liquid.pressure[p]) - expected));
        fastest = std::max(fastest, state.liquid.velocity[p].norm());
    }
    EXPECT_LT(worst, 1e-4 * g * 216); // measured 1e-7
    EXPECT_LT(fastest, 1e-6);         // measured 5e-9
}

TEST(TwoLiquids, AGapHasTheDensityOfTheLiquidAroundIt)
{
    Model model = test::tank({0.2, 0.2, 0.2}, {0.2, 0.2, 0.2}, kPocketCell);
    model.liquids.insert(model.liquids.begin(), {"oil", 800, 1e-2, 0, 0, {0.8, 0.6, 0.1}});
    model.bodies[0].liquid = 1; // of water, 1000 kg/m3
    State state = initial_state(model);
    const Vec3 middle(0.09, 0.09, 0.09);
    std::vector<std::uint8_t> keep;
    for (const Vec3& x : state.liquid.position)
        keep.push_back((x - middle).cwiseAbs().maxCoeff() > 0.5 * kPocketCell ? 1 : 0);
    remove_particles(keep, state.liquid);
    Workspace workspace;
    Workspace::Scratch& scratch = workspace.scratch();
    build_grid(model, state, scratch);
    place_solids(model, state, scratch, 1e-3);
    find_surface(model, state, scratch);
    const std::size_t cell = scratch.grid.index(scratch.grid.find(Vec3i::Zero()), 4, 4, 4);
    ASSERT_LT(scratch.liquid_distance[cell], 0);
    EXPECT_NEAR(scratch.density[cell], 1000, 1e-9);
}

} // namespace
} // namespace rivulet
