#include "base/error.h"
#include "base/parallel.h"
#include "sim/diagnostics.h"
#include "sim/models.h"
#include "sim/strand_stages.h"
#include "sim/watchdog.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rivulet {
namespace {

/// A box that shakes and turns, with curly hair clamped in it; no liquid.
Model hairy_box(int n_strands)
{
    Model m;
    m.options.cell_size = 0.05;
    m.options.frame_interval = 0.02;
    m.options.strand_step = 2e-3;
    m.domain.box = {Vec3::Constant(-1), Vec3::Constant(1)};
    m.air = {1.2, 1.8e-5, Vec3(0.5, 0, 0)};
    Obstacle box;
    box.name = "box";
    box.shape = make_box(Vec3::Constant(-0.05), Vec3::Constant(0.05));
    box.motion.keyframes = {{0, Vec3(0.1, 0, 0), Vec3::Zero(), Easing::Smooth},
                            {0.2, Vec3(0.2, 0.1, 0), Vec3(0, 0, 2), Easing::Smooth}};
    m.obstacles.push_back(box);
    m.strands.materials = {{1300, 3.9e9, 1.4e9, 0, 35e-6, 35e-6}};
    const Pose pose = box.motion.pose(0);
    for (int i = 0; i < n_strands; ++i) {
        std::vector<Vec3> points;
        for (int k = 0; k <= 12 + i % 2; ++k)
            points.push_back(
                pose.to_world(Vec3(0.05 + 0.01 * k, 0.01 * i + 0.003 * std::cos(0.8 * k), 0.003 * std::sin(0.8 * k))));
        const std::int32_t s = add_strand(m.strands, m.strands_at_start, points, 0, Vec3::UnitZ());
        const std::int32_t v = m.strands.first[static_cast<std::size_t>(s)];
        const auto root = static_cast<std::size_t>(v);
        m.strands.pins.push_back(
            {v, 0, pose.to_body(points[0]), true, pose.rotation.conjugate() * m.strands_at_start.director[root]});
        m.strands.pins.push_back({v + 1, 0, pose.to_body(points[1])});
    }
    group_strands(m.strands);
    m.strand_groups = {{"hair", 0, n_strands}};
    return m;
}

TEST(StrandStage, RootsFollowTheirBodyAndMomentumIsBooked)
{
    const Model m = hairy_box(5);
    State state = initial_state(m);
    test::run_until(m, state, 0.2);
    const Pose pose = m.obstacles[0].motion.pose(0.2);
    for (const StrandPin& pin : m.strands.pins) {
        const auto v = static_cast<std::size_t>(pin.vertex);
        EXPECT_LT((state.strands.position[v] - pose.to_world(pin.position)).norm(), 1e-12);
        if (!pin.clamps_edge) continue;
        EXPECT_LT((state.strands.director[v] - pose.rotation * pin.director).norm(), 1e-9);
    }
    const StrandSums sums = sum_strands(m, state);
    EXPECT_LT(sums.relative_error, 1e-10); // measured 7e-12: rounding of stiff forces
    EXPECT_LT(sums.largest_strain, 1e-3);
    EXPECT_GT(sums.dissipated, 0);
    EXPECT_GT(state.loads.force[0].norm(), 0);
}

/// A straight rod is held at one end and twisted at the other, without weight and air: all momenta are rounding, and
/// the ledger says so. An impulse that nobody booked, of a hundredth of a weight for a tenth of a second, still shows.
TEST(StrandStage, RoundingIsNotTakenForAnErrorOfTheLedger)
{
    Model m = hairy_box(0);
    m.options.gravity = Vec3::Zero();
    m.air = {};
    m.strands.materials = {{1300, 1e8, 3.5e7, 1e5, 1e-3, 1e-3}};
    m.obstacles[0].motion.keyframes = {{0, Vec3::Zero(), Vec3::Zero(), Easing::Linear},
                                       {0.2, Vec3::Zero(), Vec3(1, 0, 0), Easing::Linear}};
    std::vector<Vec3> points;
    for (int k = 0; k <= 50; ++k) points.emplace_back(0.06 + 0.0021 * k, 0, 0);
    add_strand(m.strands, m.strands_at_start, points, 0, Vec3::UnitZ());
    group_strands(m.strands);
    for (const std::int32_t v : {0, 1, 49, 50}) {
        const auto i = static_cast<std::size_t>(v);
        const bool is_first = v % 49 == 0;
        m.strands.pins.push_back({v, v < 49 ? -1 : 0, points[i], is_first, m.strands_at_start.director[i]});
    }
    State state = initial_state(m);
    test::run_until(m, state, 0.2);
    const StrandSums sums = sum_strands(m, state);
    EXPECT_LT(sums.relative_error, 1e-9);
    const double mass = 1300 * 3.14159265358979e-6 * 0.11;
    state.strand_ledger.load[0].add(0.01 * mass * 9.81 * 0.1);
    EXPECT_GT(sum_strands(m, state).relative_error, 1e-2);
}

TEST(StrandStage, HangingHairPullsOnItsBodyWithItsWeight)
{
    Model m = hairy_box(1);
    m.obstacles[0].motion = {};
    for (Vec3& x : m.strands_at_start.position) x -= Vec3(0.1, 0, 0);
    m.air.velocity.setZero();
    m.strands.materials[0].viscosity = 1e6; // comes to rest
    m.options.strand_step = 0.02;
    State state = initial_state(m);
    test::run_until(m, state, 3);
    double mass = 0;
    for (const double v : vertex_masses(m.strands)) mass += v;
    EXPECT_NEAR(state.loads.force[0].z() / (-9.81 * mass), 1, 1e-3);
    EXPECT_NEAR(state.loads.force[0].x() / (9.81 * mass), 0, 1e-3);
}

/// A straight strand along x, stretched by 1 % in its last edge and moving at 2 m/s.
TEST(StrandStage, StepsTellOfStrandsWithoutLettingThemLimitTheLiquid)
{
    Model m = hairy_box(2);
    for (Vec3& v : m.strands_at_start.velocity) v = Vec3(0, 0, 100); // 0.2 m in a step of theirs: four cells
    State state = initial_state(m);
    Workspace workspace;
    const StepInfo info = advance(m, state, workspace);
    EXPECT_EQ(info.max_speed, 100);
    EXPECT_EQ(info.limiter, "strands");
    EXPECT_EQ(info.dt, 2e-3);
    EXPECT_GE(info.strand_iterations, 2); // one of each strand at least
    EXPECT_EQ(info.pressure_iterations, 0);
}

TEST(StrandStage, TheWorseOfTheLedgersIsTold)
{
    const Model m = hairy_box(2);
    State state = initial_state(m);
    EXPECT_LT(worst_ledger_error(m, state), 1e-12);
    state.strand_ledger.initial[1].add(1);
    EXPECT_EQ(worst_ledger_error(m, state), sum_strands(m, state).relative_error);
    EXPECT_GT(worst_ledger_error(m, state), 0.1);
    State spilled = initial_state(test::tank(Vec3::Ones(), Vec3::Constant(0.5), 0.1));
    spilled.ledger.left[0].add(0.0625); // half of what is there
    EXPECT_NEAR(worst_ledger_error(test::tank(Vec3::Ones(), Vec3::Constant(0.5), 0.1), spilled), 0.5, 1e-9);
}

TEST(StrandProbes, MeasureWhatTheyAreNamedFor)
{
    Model m;
    m.strands.materials = {{1000, 1e6, 1e6, 0, 1e-3, 1e-3}};
    for (int i = 0; i < 2; ++i) {
        std::vector<Vec3> points;
        for (int k = 0; k < 5; ++k) points.emplace_back(0.1 * k, i, 0);
        add_strand(m.strands, m.strands_at_start, points, 0, Vec3::UnitZ());
    }
    m.strand_groups = {{"one", 0, 1}, {"two", 1, 1}};
    State state;
    state.strands = m.strands_at_start;
    state.strands.position[9].x() += 1e-3;
    for (std::size_t v = 5; v < 10; ++v) state.strands.velocity[v] = Vec3(0, 0, 2);
    state.strands.twist = {0, 0.5, 0.25, 0, 0, 0, 0, 0, 0, 0};
    const auto value = [&](ProbeKind kind, const char* group, int vertex) {
        Probe probe;
        probe.kind = kind;
        probe.object = group;
        probe.vertex = vertex;
        EXPECT_EQ(sample_probe(m, state, probe).size(), probe_columns(probe).size());
        return sample_probe(m, state, probe)[0];
    };
    EXPECT_DOUBLE_EQ(value(ProbeKind::StrandPosition, "two", -1), 0.401);
    EXPECT_DOUBLE_EQ(value(ProbeKind::StrandPosition, "two", 1), 0.1);
    EXPECT_NEAR(value(ProbeKind::StrandTension, "two", 3), 1e6 * M_PI * 1e-6 * 0.01, 1e-12); // E A strain
    EXPECT_NEAR(value(ProbeKind::StrandTension, "two", -5), 0, 1e-12);
    EXPECT_NEAR(value(ProbeKind::StrandLength, "two", -1), 0.401, 1e-15);
    EXPECT_NEAR(value(ProbeKind::StrandTwist, "one", -1), 0.75, 1e-15);
    EXPECT_NEAR(value(ProbeKind::StrandStrain, "two", -1), 0.01, 1e-14);
    EXPECT_NEAR(value(ProbeKind::StrandStrain, "one", -1), 0, 1e-14);
    EXPECT_NEAR(value(ProbeKind::StrandKinetic, "two", -1), 0.5 * 1000 * M_PI * 1e-6 * 0.4 * 4, 1e-15);
    EXPECT_EQ(value(ProbeKind::StrandKinetic, "one", -1), 0);
}

TEST(StrandStage, ReleasedHairFallsFreely)
{
    Model m = hairy_box(1);
    m.obstacles[0].motion = {};
    for (Vec3& x : m.strands_at_start.position) x -= Vec3(0.1, 0, 0);
    m.air.density = 0;
    for (StrandPin& pin : m.strands.pins) pin.release = 0;
    m.options.strand_integrator = StrandIntegrator::Midpoint; // exact for free fall
    m.options.strand_contact = StrandContactLaw::None;
    State state = initial_state(m);
    const std::vector<Vec3> start = state.strands.position;
    test::run_until(m, state, 0.1);
    for (std::size_t v = 0; v < start.size(); ++v)
        EXPECT_LT((state.strands.position[v] - start[v] - Vec3(0, 0, -0.5 * 9.81 * 0.01)).norm(), 1e-9);
    EXPECT_EQ(state.loads.force[0], Vec3(Vec3::Zero()));
}

/// A hair falls on a box that goes up steadily, and comes to rest on it.
TEST(StrandStage, PushOfThePenaltyIsBookedAndLoadsTheObstacle)
{
    Model m = hairy_box(0);
    m.options.strand_contact = StrandContactLaw::Penalty;
    m.air.density = 0;
    m.obstacles[0].motion.keyframes = {{0, Vec3::Zero()}, {0.4, Vec3(0, 0, 0.04)}};
    std::vector<Vec3> points;
    for (int k = 0; k <= 8; ++k) points.emplace_back(-0.02 + 0.005 * k, 0, 0.0503);
    add_strand(m.strands, m.strands_at_start, points, 0, Vec3::UnitZ());
    group_strands(m.strands);
    m.strand_groups = {{"hair", 0, 1}};
    State state = initial_state(m);
    test::run_until(m, state, 0.38);
    double mass = 0;
    for (const double v : vertex_masses(m.strands)) mass += v;
    EXPECT_NEAR(state.loads.force[0].z() / (-9.81 * mass), 1, 0.02);
    EXPECT_GT(state.strands.position[4].z(), 0.088 + 35e-6);
    EXPECT_LT(state.strands.position[4].z(), 0.088 + 1.5 * 35e-6);
    const StrandSums sums = sum_strands(m, state);
    EXPECT_LT(sums.relative_error, 1e-10);
    EXPECT_GT(state.strand_ledger.contact_work.total(), 9.81 * mass * 0.0375); // lifts it by 38 mm, less the fall
    EXPECT_EQ(state.strand_contacts.n_missed, 0);
}

/// A rod of 1 mm, 4 cm long, in a closed box of 2 m without anything else.
Model rod_in_box(const Vec3& middle, const Vec3& velocity)
{
    Model m = hairy_box(0);
    m.obstacles.clear();
    m.air.density = 0;
    m.options.strand_step = 1e-3;
    m.strands.materials = {{1300, 3.9e9, 1.4e9, 0, 1e-3, 1e-3}};
    std::vector<Vec3> points;
    for (int k = 0; k <= 8; ++k) points.push_back(middle + Vec3(0, -0.02 + 0.005 * k, 0));
    add_strand(m.strands, m.strands_at_start, points, 0, Vec3::UnitZ());
    group_strands(m.strands);
    for (Vec3& v : m.strands_at_start.velocity) v = velocity;
    m.strand_groups = {{"rod", 0, 1}};
    return m;
}

/// On the floor friction sqrt(0.5 * 0.2) slows it by 0.316228 * 9.81 = 3.1022 m/s^2.
TEST(StrandStage, ClosedWallsBearStrandsWithTheirFriction)
{
    Model m = rod_in_box({0, 0, -1 + 1e-3}, {0.4, 0, 0});
    m.strands.materials[0].friction = 0.2;
    m.domain.strand_friction = 0.5;
    double mass = 0;
    for (const double v : vertex_masses(m.strands)) mass += v;
    State state = initial_state(m);
    test::run_until(m, state, 0.1);
    const auto speed = [&] { return sum_strands(m, state).momentum.x() / mass; };
    EXPECT_NEAR(speed(), 0.4 - 0.31022, 0.02 * 0.31022); // measured 1e-3 off
    for (const Vec3& x : state.strands.position) EXPECT_GT(x.z(), -1 + 0.95e-3);
    test::run_until(m, state, 0.2);
    EXPECT_LT(std::abs(speed()), 0.01); // a hundredth of a radius in a step, to which contacts are solved
    EXPECT_LT(sum_strands(m, state).relative_error, 1e-10);
    EXPECT_EQ(state.strand_contacts.n_missed, 0);
}

/// It flies into the corner of three walls at 5 m/s.
TEST(StrandStage, CornersOfClosedWallsHoldStrandsUnderBothLaws)
{
    for (const StrandContactLaw law : {StrandContactLaw::Cone, StrandContactLaw::Penalty}) {
        Model m = rod_in_box({0.9, 0.9, 0.9}, Vec3(5, 5, 5));
        m.options.strand_contact = law;
        m.options.strand_penalty.stiffness = 1e7;
        State state = initial_state(m);
        test::run_until(m, state, 0.1);
        for (const Vec3& x : state.strands.position)
            for (int a = 0; a < 3; ++a) EXPECT_LT(x[a], 1 - 0.9e-3) << static_cast<int>(law);
        EXPECT_LT(sum_strands(m, state).relative_error, 1e-10);
        EXPECT_EQ(state.strand_contacts.n_missed, 0);
        m.domain.walls[1] = Wall::Open;
        State gone = initial_state(m);
        test::run_until(m, gone, 0.1);
        for (const Vec3& x : gone.strands.position) {
            EXPECT_GT(x.x(), 1.2); // 0.9 + 5 * 0.1 = 1.4 without friction at the other walls
            EXPECT_LT(x.y(), 1 - 0.9e-3);
        }
    }
}

TEST(StrandStage, HasTheSameBitsOnAnyNumberOfThreads)
{
    const Model m = hairy_box(9);
    State one = initial_state(m);
    with_threads(1, [&](int) { test::run_until(m, one, 0.04); });
    for (const int threads : {2, 3, 8}) {
        State many = initial_state(m);
        with_threads(threads, [&](int) { test::run_until(m, many, 0.04); });
        EXPECT_EQ(first_difference(one, many), "");
    }
}

TEST(StrandStage, ADirectionThatIsNoneIsNamed)
{
    const Model m = hairy_box(1);
    State state = initial_state(m);
    state.strands.director[3] *= 1.1;
    try {
        check_state(m, state, "a test");
        FAIL() << "not noticed";
    } catch (const SimulationError& error) {
        EXPECT_EQ(error.object(), "strands.director");
        EXPECT_EQ(error.index(), 3);
    }
}

} // namespace
} // namespace rivulet
