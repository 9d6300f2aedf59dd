// Liquid at the start and from sources: as much as shapes, areas and speeds say, where they say.
#include "geometry/shapes.h"
#include "models.h"
#include "sim/advance.h"
#include "sim/resample.h"
#include "sim/seed.h"
#include "sim/sources.h"
#include "sim/step.h"

#include <gtest/gtest.h>

#include <numbers>

using namespace rivulet;
using test::tank;

namespace {

struct Held {
    double volume = 0;
    Vec3 centre = Vec3::Zero();
};

Held held(const State& state)
{
    Held sum;
    for (std::size_t p = 0; p < state.liquid.position.size(); ++p) {
        sum.volume += state.liquid.volume[p];
        sum.centre += state.liquid.volume[p] * state.liquid.position[p];
    }
    sum.centre /= sum.volume;
    return sum;
}

Model with_body(const Vec3& domain, ShapePtr shape, double cell)
{
    Model model = tank(domain, {0, 0, 0}, cell);
    LiquidBody body;
    body.shape = std::move(shape);
    model.bodies = {body};
    return model;
}

/// Share by which what a source emits in a second differs from area times speed.
double flux_error(ShapePtr mouth, const Vec3& velocity, double area, double dt = 6e-3)
{
    Model model = tank({4, 4, 4}, {0, 0, 0}, 0.02);
    Source source;
    source.shape = std::move(mouth);
    source.velocity = velocity;
    source.motion.keyframes = {{.time = 0, .position = {2, 2, 2}}};
    model.sources = {source};
    State state = initial_state(model);
    const double before = held(state).volume;
    constexpr double kTime = 0.6;
    std::vector<SourceColumns> columns;
    for (int n = 1; n * dt <= kTime * (1 + 1e-9); ++n) emit_sources(model, (n - 1) * dt, n * dt, state, columns);
    return (held(state).volume - before) / (area * velocity.norm() * kTime) - 1;
}

} // namespace

TEST(Seed, ABallHoldsItsVolumeAboutItsCentre)
{
    for (const double radius : {0.05, 0.1, 0.103}) {
        const Vec3 centre(0.203, 0.197, 0.21);
        const Held liquid = held(initial_state(with_body({0.4, 0.4, 0.4}, make_sphere(centre, radius), 0.02)));
        const double exact = 4.0 / 3 * std::numbers::pi * std::pow(radius, 3);
        EXPECT_NEAR(liquid.volume / exact, 1, 1e-4) << radius;
        EXPECT_LT((liquid.centre - centre).norm(), 1e-5) << radius;
    }
}

TEST(Seed, ATankHoldsItsVolumeWhateverItsSizeInCells)
{
    for (const double level : {0.193, 0.197, 0.2, 0.204}) {
        const Vec3 size(0.413, 0.407, 0.4);
        // The body ends at the walls: edges of it are edges of the tank.
        const Model model = with_body(size, make_box({0, 0, 0}, {size.x(), size.y(), level}), 0.02);
        const State state = initial_state(model);
        for (const Vec3& x : state.liquid.position) ASSERT_TRUE(model.domain.box.contains(x)) << x.transpose();
        const Held liquid = held(state);
        EXPECT_NEAR(liquid.volume / (size.x() * size.y() * level), 1, 1e-4) << level;
        EXPECT_LT((liquid.centre - Vec3(size.x() / 2, size.y() / 2, level / 2)).norm(), 1e-4 * size.x()) << level;
        const ParticleSizes sizes = particle_sizes(model, state);
        EXPECT_EQ(sizes.n_below_half, 0) << level;
        EXPECT_EQ(sizes.n_above_twice, 0) << level;
    }
}

TEST(Seed, LiquidAroundABallFillsWhatTheBallLeaves)
{
    Model model = with_body({0.4, 0.4, 0.4}, make_box({0, 0, 0}, {1, 1, 0.3}), 0.02);
    Obstacle ball;
    ball.name = "ball";
    ball.shape = make_sphere({0.19, 0.21, 0.15}, 0.083);
    model.obstacles.push_back(ball);
    const double exact = 0.4 * 0.4 * 0.3 - 4.0 / 3 * std::numbers::pi * std::pow(0.083, 3);
    EXPECT_NEAR(held(initial_state(model)).volume / exact, 1, 1e-4);
}

TEST(Seed, ALaterBodyFillsWhatAnEarlierLeaves)
{
    Model model = with_body({0.4, 0.4, 0.4}, make_sphere({0.2, 0.2, 0.2}, 0.083), 0.02);
    LiquidBody pool;
    pool.shape = make_box({0, 0, 0}, {0.4, 0.4, 0.2});
    model.bodies.push_back(pool);
    const double half_ball = 2.0 / 3 * std::numbers::pi * std::pow(0.083, 3);
    EXPECT_NEAR(held(initial_state(model)).volume, 0.4 * 0.4 * 0.2 + half_ball, 1e-4 * 0.032);
}

/// After a resume nothing is known of the columns.
TEST(Seed, AnObliqueSourceGivesTheSameBitsWhateverIsKnownOfItsColumns)
{
    const Vec3 middle(0.2, 0.2, 0.2), half(0.05, 0.04, 0.0004);
    for (const ShapePtr& mouth : {make_sphere(middle, 0.05), make_box(middle - half, middle + half)}) {
        Model model = with_body({0.4, 0.4, 0.4}, make_sphere(middle, 0.01), 0.02);
        Source source;
        source.shape = mouth;
        source.velocity = {1, 0.4, 0.7};
        model.sources.push_back(source);
        State with, without;
        with.ledger.emitted.resize(1);
        without.ledger.emitted.resize(1);
        std::vector<SourceColumns> known;
        for (int n = 0; n < 12; ++n) {
            const double dt = 0.004;
            emit_sources(model, std::max(n - 1, 0) * dt, n * dt, with, known);
            std::vector<SourceColumns> nothing;
            emit_sources(model, std::max(n - 1, 0) * dt, n * dt, without, nothing);
        }
        EXPECT_GT(with.liquid.size(), 100);
        EXPECT_EQ(with.liquid.position, without.liquid.position);
        EXPECT_EQ(with.liquid.volume, without.liquid.volume);
    }
}

/// No face of the grid is inside of such a mouth: what it brings must be driven off the wall all the same.
TEST(Seed, AThinMouthInAWallBringsAStreamIntoTheTank)
{
    Model model = tank({0.4, 0.4, 0.4}, {0, 0, 0}, 0.02);
    model.options.gravity = Vec3::Zero();
    model.options.frame_interval = 0.01;
    model.options.max_step = 0.005;
    Source source;
    source.shape = make_box({0, 0.14, 0.14}, {0.004, 0.26, 0.26});
    source.velocity = {1, 0, 0};
    model.sources.push_back(source);
    State state = initial_state(model);
    Workspace workspace;
    while (state.clock.time < 0.199) advance(model, state, workspace);
    const Held stream = held(state);
    EXPECT_NEAR(stream.volume / (0.12 * 0.12 * 0.2), 1, 0.03);
    EXPECT_NEAR(stream.centre.x(), 0.1, 0.01); // as long as it is old, at 1 m/s
}

/// Also where steps end on it but for rounding: 0.5 less a step and a step more may be less than 0.5.
TEST(Seed, ASourceThatStartsOnAFrameFillsItsMouthOnce)
{
    for (const double start : {0.02, 0.3, 0.5, 1.0}) {
        Model model = with_body({0.4, 0.4, 0.4}, make_sphere({0.2, 0.2, 0.2}, 0.01), 0.02);
        model.options.frame_interval = 0.02;
        Source source;
        source.shape = make_box({0.1, 0.1, 0.1}, {0.2, 0.2, 0.2});
        source.start = start;
        model.sources.push_back(source);
        for (const double dt : {0.0005, 0.001, 0.002, 0.02 / 3}) {
            State state;
            state.ledger.emitted.resize(1);
            std::vector<SourceColumns> columns;
            while (state.clock.time < 1.1) {
                const double end = end_of_step(model, state.clock, dt);
                emit_sources(model, state.clock.time, end, state, columns);
                state.clock.time = end;
                while (static_cast<double>(state.clock.frame + 1) * 0.02 <= end) ++state.clock.frame;
            }
            EXPECT_NEAR(held(state).volume, 1e-3, 1e-9) << start << " " << dt;
        }
    }
}

TEST(Seed, ASourceGivesTheAreaOfItsMouthTimesItsSpeed)
{
    for (const double cells : {0.6, 0.75, 1.5, 3.2}) {
        const double radius = cells * 0.02, area = std::numbers::pi * radius * radius;
        const ShapePtr pipe = make_cylinder({0, 0, -0.05}, {0, 0, 0.05}, radius);
        EXPECT_NEAR(flux_error(pipe, {0, 0, -1}, area), 0, 0.02) << cells << " cells, along an axis";
        EXPECT_NEAR(flux_error(make_sphere({0, 0, 0}, radius), {0.3, -0.5, 0.7}, area), 0, 0.02) << cells << ", ball";
    }
    EXPECT_NEAR(flux_error(make_box({-0.033, -0.047, -0.05}, {0.033, 0.047, 0.05}), {0, 0, 2}, 0.066 * 0.094), 0, 0.01);
}

// Also through mouths that liquid crosses in a part of a step: cells of 2 cm, 12 mm in a step at 2 m/s.
TEST(Seed, ASourceGivesTheAreaOfItsMouthTimesItsSpeedHoweverThinItIs)
{
    const Vec3 oblique = 2 * Vec3(0.3, -0.5, 0.7).normalized();
    for (const double thickness : {3e-2, 5e-3, 1e-3, 1e-5, 1e-9}) {
        const double radius = 0.05, area = std::numbers::pi * radius * radius;
        const ShapePtr disc = make_cylinder({0, 0, -thickness / 2}, {0, 0, thickness / 2}, radius);
        const ShapePtr plate = make_box({-0.033, -0.047, 0}, {0.033, 0.047, thickness});
        for (const double dt : {6e-3, 5e-3, 1e-3}) {
            EXPECT_NEAR(flux_error(disc, {0, 0, -2}, area, dt), 0, 0.002) << thickness << " m, " << dt << " s";
            EXPECT_NEAR(flux_error(plate, {0, 0, 2}, 0.066 * 0.094, dt), 0, 0.01) << thickness << " m, " << dt << " s";
        }
        // A plate's silhouette is the sum of those of its sides.
        const double shown = (0.094 * thickness * std::abs(oblique.x()) + 0.066 * thickness * std::abs(oblique.y()) +
                              0.066 * 0.094 * std::abs(oblique.z())) /
                             2;
        EXPECT_NEAR(flux_error(plate, oblique, shown), 0, 0.01) << thickness << " m, oblique";
    }
}

TEST(Seed, ASourceGivesNoMoreAndNoLessWhereItStartsAndStopsWithinAStep)
{
    Model model = tank({4, 4, 4}, {0, 0, 0}, 0.02);
    Source source;
    source.shape = make_box({-0.05, -0.05, -0.02}, {0.05, 0.05, 0.02});
    source.velocity = {0, 0, 2};
    source.motion.keyframes = {{.time = 0, .position = {2, 2, 2}}};
    source.start = 0.0213;
    source.stop = 0.0757;
    model.sources = {source};
    State state = initial_state(model);
    std::vector<SourceColumns> columns;
    for (int n = 1; n <= 20; ++n) emit_sources(model, (n - 1) * 0.01, n * 0.01, state, columns);
    EXPECT_NEAR(held(state).volume, 0.01 * (0.04 + 2 * (source.stop - source.start)), 0.01 * 0.01); // a layer of cubes
}
