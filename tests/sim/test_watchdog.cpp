#include "sim/watchdog.h"

#include "base/error.h"
#include "base/rng.h"
#include "effort.h"
#include "sim/models.h"

#include <gtest/gtest.h>

#include <limits>

namespace rivulet {
namespace {

/// Where a bad value can come from: the step before (or a checkpoint), and the step's own update.
const char* const kStages[] = {"begin", "sources"};

/// Puts a bad value into one entry of one floating-point array, chosen by `trial`; returns the array's name.
std::string corrupt(State& state, std::uint64_t trial)
{
    std::vector<ArrayView> arrays;
    for (const ArrayView& a : state_arrays(state))
        if ((a.scalar == Scalar::Float64 || a.scalar == Scalar::Float32) && a.count > 0) arrays.push_back(a);
    const ArrayView& a = arrays[random_bits(1, trial, 0) % arrays.size()];
    const auto entry = random_bits(1, trial, 1) % std::uint64_t(a.count * a.components);
    const double bad[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                          -std::numeric_limits<double>::infinity()};
    const double value = bad[random_bits(1, trial, 2) % 3];
    if (a.scalar == Scalar::Float64)
        reinterpret_cast<double*>(a.data)[entry] = value;
    else
        reinterpret_cast<float*>(a.data)[entry] = static_cast<float>(value);
    return std::string(a.name);
}

TEST(Watchdog, NamesTheArrayThatABadValueCameThroughInTheSameStep)
{
    Model model = test::tank({0.2, 0.1, 0.2}, {0.1, 0.1, 0.1}, 0.02);
    Obstacle post;
    post.name = "post";
    post.shape = make_box({0.14, 0.04, 0}, {0.16, 0.06, 0.2});
    model.obstacles.push_back(post);
    const State start = initial_state(model);
    constexpr int kTrials = test::kIsSlowBuild ? 15 : 200;
    int caught = 0;
    for (std::uint64_t trial = 0; trial < kTrials; ++trial) {
        State state = start;
        Workspace workspace;
        const auto bad_step = std::int64_t(random_bits(2, trial, 0) % 4);
        const char* bad_stage = kStages[random_bits(2, trial, 1) % std::size(kStages)];
        std::string array;
        workspace.after_stage = [&](const char* stage, State& s) {
            if (s.clock.step == bad_step && array.empty() && std::string_view(stage) == bad_stage)
                array = corrupt(s, trial);
        };
        try {
            for (int n = 0; n < 6; ++n) advance(model, state, workspace);
            ADD_FAILURE() << "trial " << trial << ": " << array << " went unnoticed";
        } catch (const SimulationError& error) {
            EXPECT_EQ(state.clock.step, bad_step);
            // Bad values may have spread by the end of the step: the culprit or what it reached is named, never
            // nothing.
            caught += error.object() == array ? 1 : 0;
            EXPECT_FALSE(error.object().empty());
            EXPECT_FALSE(error.stage().empty());
        }
    }
    EXPECT_EQ(caught, kTrials);
}

TEST(Watchdog, NamesBrokenInvariants)
{
    const Model model = test::tank({0.2, 0.1, 0.2}, {0.1, 0.1, 0.1}, 0.02);
    const State good = initial_state(model);
    EXPECT_NO_THROW(check_state(model, good, "test"));
    const auto object_of = [&](auto&& spoil) -> std::string {
        State state = good;
        spoil(state);
        try {
            check_state(model, state, "test");
        } catch (const SimulationError& error) {
            EXPECT_EQ(error.stage(), "test");
            return error.object() + "[" + std::to_string(error.index()) + "]";
        }
        return "nothing";
    };
    EXPECT_EQ(object_of([](State& s) { s.liquid.volume[5] = 0; }), "liquid.volume[5]");
    EXPECT_EQ(object_of([](State& s) { s.liquid.liquid[7] = 1; }), "liquid.liquid[7]");
    EXPECT_EQ(object_of([](State& s) { s.liquid.id[3] = -1; }), "liquid.id[3]");
    EXPECT_EQ(object_of([](State& s) { s.liquid.position[2].z() = 9; }), "liquid.position[2]");
    EXPECT_EQ(object_of([](State& s) { s.liquid.colour.pop_back(); }), "liquid.colour[-1]");
}

TEST(Watchdog, TellsTheSpeedOfAFaceThatIsTooFast)
{
    std::array<std::vector<double>, 3> velocity;
    for (auto& u : velocity) u.assign(2 * kTileCells, 0.5);
    EXPECT_NO_THROW(check_velocity(velocity, 1, "test"));
    velocity[1][700] = -3;
    try {
        check_velocity(velocity, 1, "test");
        FAIL() << "a speed above the limit went unnoticed";
    } catch (const SimulationError& error) {
        EXPECT_EQ(error.object(), "grid velocity y");
        EXPECT_EQ(error.index(), 700);
        EXPECT_NE(std::string(error.what()).find("-3 m/s, more than 1 m/s"), std::string::npos) << error.what();
    }
}

TEST(Advance, RetriesWithSmallerStepsAndThenGivesUpWithTheStateUntouched)
{
    Model model = test::tank({0.2, 0.1, 0.2}, {0.1, 0.1, 0.1}, 0.02);
    model.options.max_pressure_iterations = 0; // cannot converge
    model.options.max_retries = 3;
    State state = initial_state(model);
    const State before = state;
    Workspace workspace;
    int attempts = 0;
    workspace.after_stage = [&](const char* stage, State&) { attempts += std::string_view(stage) == "gravity"; };
    try {
        advance(model, state, workspace);
        FAIL() << "a solver without iterations converged";
    } catch (const SimulationError& error) {
        EXPECT_EQ(error.stage(), "pressure");
    }
    EXPECT_EQ(attempts, 4);
    EXPECT_EQ(state.clock.step, 0);
    // Only the order of the particles may have changed.
    EXPECT_EQ(state.liquid.size(), before.liquid.size());
    EXPECT_EQ(ledger_balance(state).bulk, ledger_balance(before).bulk);
}

} // namespace
} // namespace rivulet
