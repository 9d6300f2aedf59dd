// Mouths of sources and drains of any thickness: velocities, volumes and rates that are known by hand.
#include "models.h"
#include "sim/active_mouths.h"
#include "sim/diagnostics.h"
#include "sim/mouth.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rivulet {
namespace {

using test::run_until;
using test::tank;

constexpr double kGravity = 9.81;

Source mouth(const Vec3& lower, const Vec3& upper, const Vec3& velocity)
{
    Source source;
    source.name = "mouth";
    source.shape = make_box(lower, upper);
    source.velocity = velocity;
    return source;
}

/// Mean velocity of the liquid in a box.
Vec3 mean_velocity(const State& state, const Aabb& box)
{
    Vec3 sum = Vec3::Zero();
    double volume = 0;
    for (std::size_t p = 0; p < state.liquid.position.size(); ++p) {
        if (!box.contains(state.liquid.position[p])) continue;
        sum += state.liquid.volume[p] * velocity_ahead(state, p, 2);
        volume += state.liquid.volume[p];
    }
    EXPECT_GT(volume, 0);
    return sum / volume;
}

TEST(Mouth, InTheFloorOfAPoolGivesAJetOfItsSpeedWhateverItsThickness)
{
    for (const double cells : {0.05, 1.0, 2.0, 3.0})
        for (const double speed : {0.05, 0.5, 3.0}) {
            Model model = tank({0.4, 0.4, 0.5}, {0.4, 0.4, 0.24}, 0.02);
            model.sources = {mouth({0.14, 0.14, 0}, {0.26, 0.26, 0.02 * cells}, {0, 0, speed})};
            State state = initial_state(model);
            EXPECT_NEAR(ledger_balance(state).emitted, 0, 1e-12); // the mouth is full
            const double time = std::min(0.3, 0.3 / speed);
            run_until(model, state, time);
            EXPECT_NEAR(ledger_balance(state).emitted / (0.12 * 0.12 * speed * state.clock.time), 1,
                        0.01 + 0.005 / speed / time);
            const double off = 0.02 * std::max(2.0, cells); // the core of the jet, from there on
            const Vec3 u = mean_velocity(state, {{0.16, 0.16, off}, {0.24, 0.24, off + 0.02}});
            EXPECT_NEAR(u.z() / speed, 1, 0.05) << cells << " cells, " << speed << " m/s";
            EXPECT_NEAR(u.x() / speed, 0, 0.05);
        }
}

TEST(Mouth, UpwardsGivesAStreamThatRisesAsAThrownStone)
{
    for (const double cells : {0.1, 1.0, 2.0}) {
        Model model = tank({0.2, 0.2, 0.6}, {0, 0, 0}, 0.01);
        for (Wall& wall : model.domain.walls) wall = Wall::Open;
        model.domain.walls[4] = Wall::Closed;
        model.sources = {mouth({0.08, 0.08, 0}, {0.12, 0.12, 0.01 * cells}, {0, 0, 3})};
        State state = initial_state(model);
        run_until(model, state, 0.15);
        const double off = 0.02; // where it is let go
        EXPECT_NEAR(mean_velocity(state, {{0.08, 0.08, 0.02}, {0.12, 0.12, 0.03}}).z(), 3, 0.05);
        for (const double z : {0.1, 0.2}) // v^2 = v0^2 - 2 g z
            EXPECT_NEAR(mean_velocity(state, {{0.05, 0.05, z - 0.005}, {0.15, 0.15, z + 0.005}}).z(),
                        std::sqrt(9 - 2 * kGravity * (z - off)), 0.05);
        const double emitted = ledger_balance(state).emitted;
        EXPECT_NEAR(emitted, 0.04 * 0.04 * (3 * state.clock.time + 0.01 * cells), 0.04 * 0.04 * 0.005);
    }
}

TEST(Mouth, InANozzleThatItFillsLetsItsLiquidOut)
{
    Model model = tank({0.2, 0.2, 0.3}, {0, 0, 0}, 0.01);
    for (Wall& wall : model.domain.walls) wall = Wall::Open;
    Obstacle nozzle;
    nozzle.name = "nozzle";
    nozzle.shape = make_difference(make_box({0.04, 0.04, 0.2}, {0.16, 0.16, 0.28}),
                                   make_box({0.07, 0.07, 0.1}, {0.13, 0.13, 0.25}));
    model.obstacles = {nozzle};
    model.sources = {mouth({0.07, 0.07, 0.23}, {0.13, 0.13, 0.25}, {0, 0, -0.3})}; // 2 cells, at its closed end
    State state = initial_state(model);
    run_until(model, state, 0.5);
    EXPECT_NEAR(ledger_balance(state).emitted, 0.06 * 0.06 * (0.3 * state.clock.time + 0.02), 0.06 * 0.06 * 0.006);
    EXPECT_NEAR(mean_velocity(state, {{0.07, 0.07, 0.2}, {0.13, 0.13, 0.23}}).z(), -0.3, 0.06);
}

TEST(Mouth, ThatStartsHalfUnderWaterFillsOnlyTheOtherHalf)
{
    for (const double start : {0.0, 0.1}) {
        Model model = tank({0.4, 0.4, 0.4}, {0.4, 0.4, 0.1}, 0.02);
        model.sources = {mouth({0.1, 0.1, 0.04}, {0.3, 0.3, 0.16}, {0, 0, 1e-6})};
        model.sources[0].start = start;
        State state = initial_state(model);
        run_until(model, state, 0.15);
        EXPECT_NEAR(ledger_balance(state).emitted / (0.2 * 0.2 * 0.06), 1, 0.06) << start;
    }
}

double volume_in(const State& state, const Aabb& box)
{
    double volume = 0;
    for (std::size_t p = 0; p < state.liquid.position.size(); ++p)
        if (box.contains(state.liquid.position[p])) volume += state.liquid.volume[p];
    return volume;
}

/// Sources in the air, or in a pool, of a tank of 16 cells of 1 cm with an open lid: runs for 0.2 s, and looks at what
/// was emitted and at how full the box around them is.
void expect_flux(const std::vector<Source>& sources, bool in_pool, double asked, const Aabb& around)
{
    Model model = tank({0.16, 0.16, 0.16}, in_pool ? Vec3(0.16, 0.16, 0.12) : Vec3::Zero(), 0.01);
    model.domain.walls[5] = Wall::Open;
    model.sources = sources;
    State state = initial_state(model);
    const double filled = ledger_balance(state).emitted;
    run_until(model, state, 0.2);
    const double layers = 0.2 * 0.5 / 0.005; // that came, at 0.5 m/s; the last one has or has not
    EXPECT_NEAR((ledger_balance(state).emitted - filled) / (asked * state.clock.time), 1, 1 / layers);
    EXPECT_LT(volume_in(state, around) / around.size().prod(), 1.15);
}

TEST(Mouth, ThatFacesAWallNearItGivesItsFluxWhichLeavesSideways)
{
    for (const double cells : {0.05, 1.0, 2.5})
        for (const double gap : {0.0, 0.25, 1.0})
            for (const bool in_pool : {false, true}) {
                SCOPED_TRACE(testing::Message() << cells << " cells thick, " << gap << " before the wall");
                const double end = 0.16 - 0.01 * gap, begin = end - 0.01 * cells;
                expect_flux({mouth({begin, 0.05, 0.04}, {end, 0.11, 0.1}, {0.5, 0, 0})}, in_pool, 0.06 * 0.06 * 0.5,
                            {{0.12, 0.05, 0.04}, {0.16, 0.11, 0.1}});
            }
}

TEST(Mouth, ThatFacesAnotherOneNearItGivesItsFluxWhichLeavesSideways)
{
    for (const double gap : {0.5, 2.0, 4.0})
        for (const bool in_pool : {false, true}) {
            SCOPED_TRACE(testing::Message() << gap << " cells between them");
            const double left = 0.083 - 0.005 * gap, right = 0.083 + 0.005 * gap;
            expect_flux({mouth({left - 0.005, 0.05, 0.04}, {left, 0.11, 0.1}, {0.5, 0, 0}),
                         mouth({right, 0.05, 0.04}, {right + 0.005, 0.11, 0.1}, {-0.5, 0, 0})},
                        in_pool, 2 * 0.06 * 0.06 * 0.5, {{0.05, 0.05, 0.04}, {0.11, 0.11, 0.1}});
        }
}

TEST(Mouth, ThatOverlapsAnotherOneGivesItsFluxToo)
{
    for (const double speed : {0.5, -0.5})
        for (const double aside : {0.0, 0.03})
            for (const bool in_pool : {false, true}) {
                SCOPED_TRACE(testing::Message() << speed << " m/s, " << aside << " m aside");
                expect_flux({mouth({0.06, 0.03, 0.04}, {0.08, 0.09, 0.1}, {0.5, 0, 0}),
                             mouth({0.06, 0.03 + aside, 0.04}, {0.08, 0.09 + aside, 0.1}, {speed, 0, 0})},
                            in_pool, 2 * 0.06 * 0.06 * 0.5, {{0.04, 0.03, 0.04}, {0.1, 0.09 + aside, 0.1}});
            }
}

TEST(Mouth, ThatBeginsInAWallGivesItsFluxWhereItComesOutOfIt)
{
    for (const bool in_pool : {false, true})
        expect_flux({mouth({0.05, 0.05, -0.013}, {0.11, 0.11, 0.004}, {0, 0, 0.5})}, in_pool, 0.06 * 0.06 * 0.5,
                    {{0.05, 0.05, 0}, {0.11, 0.11, 0.04}});
}

/// A ball about a wide, flat mouth would reach the stone that lies far below it: what it drives would then be found
/// anew in every step in which the stone moves.
TEST(Mouth, KnowsWhetherASolidIsNearHoweverWideItIs)
{
    Model model = tank({1, 1, 1}, {0, 0, 0}, 0.02);
    for (Wall& wall : model.domain.walls) wall = Wall::Open;
    Obstacle& stone = model.obstacles.emplace_back();
    stone.name = "stone";
    stone.shape = make_sphere({0.5, 0.5, 0.3}, 0.1); // its top is at 0.4, three cells are 0.06
    const auto is_near = [&](double height) {
        model.sources = {mouth({0.1, 0.46, height}, {0.9, 0.54, height + 0.04}, {0, 0, -1})};
        return ActiveMouths(model, 0, 0).all()[0].has_solids;
    };
    EXPECT_FALSE(is_near(0.7));
    EXPECT_FALSE(is_near(0.49));
    EXPECT_TRUE(is_near(0.45));
    EXPECT_TRUE(is_near(0.3));
}

TEST(Mouth, KnowsItsThicknessAlongTheFlow)
{
    const double dx = 0.02;
    EXPECT_NEAR(Mouth(mouth({0, 0, 0}, {0.1, 0.1, 0.004}, {0, 0, 1}), dx).thickness(), 0.004, 5e-4);
    EXPECT_NEAR(Mouth(mouth({0, 0, 0}, {0.1, 0.1, 0.004}, {1, 0, 0}), dx).thickness(), 0.1, 5e-4);
    const Mouth thin(mouth({0, 0, 0}, {0.1, 0.1, 0.004}, {0, 0, 1}), dx),
        thick(mouth({0, 0, 0}, {0.1, 0.1, 0.06}, {0, 0, 1}), dx);
    EXPECT_TRUE(thin.holds({0.05, 0.05, 0.038})); // two cells in all
    EXPECT_FALSE(thin.holds({0.05, 0.05, 0.045}));
    EXPECT_FALSE(thin.holds({0.05, 0.05, -0.001}));
    EXPECT_TRUE(thick.holds({0.05, 0.05, 0.059}));
    EXPECT_FALSE(thick.holds({0.05, 0.05, 0.061}));
}

Drain plate(const Vec3& lower, const Vec3& upper)
{
    Drain drain;
    drain.name = "plate";
    drain.shape = make_box(lower, upper);
    return drain;
}

double level(const State& state) { return ledger_balance(state).bulk / (0.4 * 0.4); }

TEST(Drain, InTheFloorOfAPoolEmptiesItByTorricellisLawHoweverThin)
{
    for (const double cells : {0.01, 0.3, 0.9}) {
        Model model = tank({0.4, 0.4, 0.4}, {0.4, 0.4, 0.24}, 0.02);
        model.drains = {plate({0.14, 0.14, 0}, {0.26, 0.26, 0.02 * cells})};
        State state = initial_state(model);
        run_until(model, state, 0.2); // by then it flows
        const double begin = state.clock.time, high = level(state);
        run_until(model, state, 0.6);
        // d/dt sqrt(H) = -A / floor sqrt(g / 2)
        const double fall = std::sqrt(high) - std::sqrt(level(state));
        const double area = 0.12 * 0.12 + 4 * 0.12 * 0.02 * cells; // with its sides
        const double law = area / (0.4 * 0.4) * std::sqrt(kGravity / 2) * (state.clock.time - begin);
        EXPECT_NEAR(fall / law, 0.9, 0.1) << cells << " cells";
        EXPECT_LE(ledger_balance(state).relative_error, 1e-12);
    }
}

TEST(Drain, ThatGoesDeepIntoTheFloorAndShowsLittleOfItselfIsAHoleThere)
{
    for (const double deep : {-0.1, -0.03}) {
        Model model = tank({0.4, 0.4, 0.4}, {0.4, 0.4, 0.24}, 0.02);
        model.drains = {plate({0.14, 0.14, deep}, {0.26, 0.26, 0.002})};
        State state = initial_state(model);
        run_until(model, state, 0.2);
        const double begin = state.clock.time, high = level(state);
        run_until(model, state, 0.6);
        const double fall = std::sqrt(high) - std::sqrt(level(state));
        const double law = 0.12 * 0.12 / (0.4 * 0.4) * std::sqrt(kGravity / 2) * (state.clock.time - begin);
        EXPECT_NEAR(fall / law, 0.9, 0.1) << deep; // nothing at all, once
    }
}

// Sampson: a round hole of radius a in a thin wall lets a^3 dp / (3 viscosity) through; at most twice that where there
// is air on the other side. A square lies between the circles in it and around it.
TEST(Drain, OfViscousLiquidIsAThinHole)
{
    const double viscosity = 10, density = 1400, edge = 0.04, depth = 0.12;
    Model model = tank({0.16, 0.16, 0.16}, {0.16, 0.16, depth}, 0.01);
    model.liquids[0].density = density;
    model.liquids[0].viscosity = viscosity;
    model.domain.friction = 1;
    model.drains = {plate({0.06, 0.06, 0}, {0.06 + edge, 0.06 + edge, 0.001})};
    State state = initial_state(model);
    run_until(model, state, 0.2);
    const auto sampson = [&](double a) { return a * a * a * density * kGravity * depth / (3 * viscosity); };
    const double flow = ledger_balance(state).drained / state.clock.time;
    EXPECT_GT(flow, sampson(0.5 * edge)); // a tenth of it, when walls held the liquid in the hole
    EXPECT_LT(flow, 2 * sampson(std::sqrt(0.5) * edge));
}

TEST(Drain, ThatStopsLeavesAWholeFloor)
{
    Model model = tank({0.4, 0.4, 0.4}, {0.4, 0.4, 0.1}, 0.02);
    model.drains = {plate({0.14, 0.14, 0}, {0.26, 0.26, 0.002})};
    model.drains[0].stop = 0.1;
    State state = initial_state(model);
    run_until(model, state, 0.1);
    const double drained = ledger_balance(state).drained;
    EXPECT_GT(drained, 0);
    run_until(model, state, 0.3);
    EXPECT_EQ(ledger_balance(state).drained, drained);
}

TEST(Drain, ThinInTheAirTakesAllThatFallsThroughIt)
{
    Model model = tank({0.3, 0.3, 0.6}, {0, 0, 0}, 0.02);
    LiquidBody drop;
    drop.name = "drop";
    drop.shape = make_box({0.1, 0.1, 0.4}, {0.2, 0.2, 0.5});
    model.bodies = {drop};
    model.drains = {plate({0.05, 0.05, 0.1}, {0.25, 0.25, 0.1001})}; // 2 m/s there, 20 mm a step
    State state = initial_state(model);
    run_until(model, state, 0.4);
    EXPECT_NEAR(ledger_balance(state).drained, 0.001, 1e-9);
}

} // namespace
} // namespace rivulet
