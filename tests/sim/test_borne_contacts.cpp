#include "base/parallel.h"
#include "sim/diagnostics.h"
#include "sim/models.h"
#include "sim/strand_stages.h"
#include "sim/watchdog.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rivulet {
namespace {

constexpr double kPressedRadius = 50e-6, kPressSpeed = 1;

/// Hairs between two plates that come together at 1 m/s each and then go through each other: where they are one, no
/// force keeps a hair out of both.
Model closing_press()
{
    Model m;
    m.options.cell_size = 0.05;
    m.options.frame_interval = 1e-3;
    m.options.strand_step = 1e-3;
    m.options.gravity.setZero();
    m.domain.box = {Vec3::Constant(-1), Vec3::Constant(1)};
    m.air.density = 0;
    for (const double side : {-1.0, 1.0}) {
        Obstacle plate;
        plate.name = side < 0 ? "lower" : "upper";
        const double near = side * 2e-4, far = side * 0.02;
        plate.shape = make_box({-0.05, -0.05, std::min(near, far)}, {0.05, 0.05, std::max(near, far)});
        plate.motion.drift = Vec3(0, 0, -side * kPressSpeed);
        m.obstacles.push_back(plate);
    }
    m.strands.materials = {{1300, 3.9e9, 1.4e9, 1e4, kPressedRadius, kPressedRadius}};
    for (int i = 0; i < 9; ++i) {
        std::vector<Vec3> points;
        for (int k = 0; k <= 4; ++k) points.emplace_back(-0.01 + 0.005 * k, 0.002 * i - 0.008, 1e-6 * i);
        add_strand(m.strands, m.strands_at_start, points, 0, Vec3::UnitZ());
    }
    group_strands(m.strands);
    m.strand_groups = {{"hair", 0, 9}};
    return m;
}

/// The plates' faces touch after 0.2 ms. A step of 1/8 ms takes them through each other by 0.25 mm, five radii, of
/// which no more than half can be left to each: the step is halved three times, then goes on, and tells of what it
/// bears.
TEST(BorneContacts, AreCountedAfterThreeHalvings)
{
    const Model m = closing_press();
    State state = initial_state(m);
    Workspace workspace;
    int n_borne = 0;
    for (int i = 0; i < 3; ++i) {
        const std::int64_t before = state.strand_contacts.n_missed;
        const StepInfo info = advance(m, state, workspace);
        EXPECT_LE(info.retries, 3) << i; // five are allowed
        const bool is_borne = state.strand_contacts.residual > 2 * kPressedRadius;
        EXPECT_EQ(is_borne, state.strand_contacts.n_missed > before) << i;
        if (!is_borne) continue;
        EXPECT_EQ(info.retries, 3) << i;
        ++n_borne;
    }
    EXPECT_GT(n_borne, 0);
    EXPECT_EQ(state.strand_contacts.n_missed,
              n_borne * 9 * 5); // every vertex of every hair, against the plate that gave in
    const StrandSums sums = sum_strands(m, state);
    EXPECT_LT(sums.relative_error, 1e-10); // whatever was borne, what the plates gave is booked
    for (const Vec3& v : state.strands.velocity) EXPECT_LT(v.norm(), 2 * kPressSpeed);
}

/// Fewer halvings are tried if fewer are allowed; none: the first attempt is taken as it is.
TEST(BorneContacts, AreBorneAtOnceWhereNoHalvingIsAllowed)
{
    Model m = closing_press();
    m.options.max_retries = 0;
    State state = initial_state(m);
    Workspace workspace;
    const StepInfo info = advance(m, state, workspace);
    EXPECT_EQ(info.retries, 0);
    EXPECT_DOUBLE_EQ(info.dt, 1e-3);
    EXPECT_GT(state.strand_contacts.n_missed, 0);
    EXPECT_LT(sum_strands(m, state).relative_error, 1e-10);
}

TEST(BorneContacts, HaveTheSameBitsOnAnyNumberOfThreads)
{
    const Model m = closing_press();
    const auto run = [&](int n_threads) {
        State state = initial_state(m);
        with_threads(n_threads, [&](int) {
            Workspace workspace;
            for (int i = 0; i < 2; ++i) advance(m, state, workspace);
        });
        return state;
    };
    const State one = run(1);
    EXPECT_GT(one.strand_contacts.n_missed, 0);
    for (const int n_threads : {2, 3, 8}) EXPECT_EQ(first_difference(one, run(n_threads)), "") << n_threads;
}

} // namespace
} // namespace rivulet
