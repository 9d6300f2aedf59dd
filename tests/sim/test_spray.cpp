#include "sim/spray.h"

#include "geometry/shapes.h"
#include "random_numbers.h"
#include "sim/diagnostics.h"
#include "sim/models.h"
#include "sim/scratch.h"
#include "sim/seed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

constexpr double kSprayCell = 4e-3;
constexpr double kHalfBox = 7.5e-3;

/// A box of 15 mm, turned at random, with nothing else around but what a few particles near it do.
class ThrownSet {
public:
    Model model = test::tank(Vec3::Constant(0.4), Vec3::Zero(), kSprayCell);
    State state;
    Vec3 drift;

    ThrownSet(std::uint64_t seed, double friction, const Vec3& gravity, const Vec3& box_drift = Vec3::Zero())
        : drift(box_drift), random_(seed + 1)
    {
        model.domain.walls.fill(Wall::Open);
        model.options.gravity = gravity;
        model.options.frame_interval = 1;
        model.options.max_step = 5e-4;
        Obstacle box;
        box.name = "box";
        box.shape = make_box(Vec3::Constant(-kHalfBox), Vec3::Constant(kHalfBox));
        box.friction = friction;
        const Vec3 turn = random_.vector(2);
        box.motion.keyframes = {{.time = 0, .position = Vec3::Constant(0.2) + random_.vector(2e-3), .rotation = turn}};
        box.motion.drift = box_drift;
        model.obstacles.push_back(box);
        state = initial_state(model);
        throw_particles(1 + static_cast<int>(seed % 5));
    }

    /// Of all particles relative to the box, by the larger of their velocity and their motion [J].
    [[nodiscard]] double energy() const
    {
        double sum = 0;
        for (std::size_t p = 0; p < state.liquid.position.size(); ++p) {
            const Vec3 slip = state.liquid.velocity[p] - drift;
            sum += 500 * state.liquid.volume[p] *
                   std::max(slip.squaredNorm(), (slip + state.liquid.lead[p].cast<double>()).squaredNorm());
        }
        return sum;
    }

private:
    void throw_particles(int n)
    {
        const Obstacle& box = model.obstacles.front();
        const Pose pose = box.motion.pose(0);
        for (int i = 0; i < n;) {
            const Vec3 x = random_.vector(kHalfBox + 3e-3);
            const double distance = box.shape->distance(x);
            if (distance < 1e-4 || distance > 3e-3) continue;
            append_particle(model, 0,
                            {pose.to_world(x), drift + random_.vector(1e-3), Mat3::Zero(),
                             random_.number(0.25, 1) * std::pow(kSprayCell, 3) / 8},
                            state);
            ++i;
        }
    }

    RandomNumbers random_;
};

/// Largest energy in a run, over that at its beginning.
double gain(ThrownSet& set, int steps)
{
    Workspace workspace;
    const double begin = set.energy();
    double most = 0;
    for (int i = 0; i < steps; ++i) {
        (void)advance(set.model, set.state, workspace);
        most = std::max(most, set.energy());
    }
    return most / begin;
}

TEST(Spray, AFewParticlesBesideABoxGainNoEnergyByThemselves)
{
    for (std::uint64_t seed = 0; seed < 60; ++seed) // before, some made 1e5 times of it
        for (const double friction : {0.0, 1.0}) {
            ThrownSet set(seed, friction, Vec3::Zero());
            EXPECT_LT(gain(set, 40), 1.02) << seed << " " << friction; // measured 1.00
        }
}

TEST(Spray, NorDoTheyBesideABoxThatMovesSeenFromIt)
{
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        ThrownSet set(seed, 0, Vec3::Zero(), Vec3(0.3, -0.2, 0.1));
        EXPECT_LT(gain(set, 40), 1.02) << seed; // measured 1.00
    }
}

/// Momentum along y of eight particles, four and four, that meet at 0.3 m/s beside a smooth cylinder of 1 cm that turns
/// about its own axis; `off`: how far from it they are [m].
double after_meeting(double off, double turns)
{
    Model model = test::tank(Vec3::Constant(0.4), Vec3::Zero(), kSprayCell);
    model.domain.walls.fill(Wall::Open);
    model.options.gravity = Vec3::Zero();
    model.options.frame_interval = 1;
    model.options.max_step = 1e-3;
    Obstacle roller;
    roller.name = "roller";
    roller.shape = make_cylinder({0, 0, -0.03}, {0, 0, 0.03}, 0.01);
    roller.motion.keyframes = {{.time = 0, .position = Vec3::Constant(0.2)},
                               {.time = 1, .position = Vec3::Constant(0.2), .rotation = {0, 0, turns}}};
    model.obstacles.push_back(roller);
    State state = initial_state(model);
    for (const double side : {-1.0, 1.0})
        for (const double out : {0.0, 2e-3})
            for (const double up : {0.0, 2e-3}) {
                const Vec3 x = Vec3::Constant(0.2) + Vec3(0.01 + off + out, 6e-3 * side, up);
                append_particle(model, 0, {x, Vec3(0, -0.3 * side, 0), Mat3::Zero(), std::pow(kSprayCell, 3) / 8},
                                state);
            }
    Workspace workspace;
    for (int i = 0; i < 40; ++i) (void)advance(model, state, workspace);
    return diagnose(model, state).momentum.y();
}

TEST(Spray, DoesNotKnowHowASmoothSolidTurnsAboutItself)
{
    const double brought = 4 * 1000 * std::pow(kSprayCell, 3) / 8 * 0.3;
    for (const double off : {8e-3, 20e-3}) // 0.6 of it before, as far as eight cells away
        EXPECT_NEAR(after_meeting(off, 50), after_meeting(off, 0), 1e-9 * brought) << off;
    EXPECT_NEAR(after_meeting(2e-3, 50), 0, 0.02 * brought); // beside faces that it cuts; measured 0.013
}

TEST(Spray, WeightGivesThemNoMoreThanItsWork)
{
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        ThrownSet set(seed, 0, Vec3(0, 0, -9.81));
        const auto total = [&] {
            const Diagnostics d = diagnose(set.model, set.state);
            return d.kinetic_energy + d.potential_energy;
        };
        Workspace workspace;
        const Diagnostics begin = diagnose(set.model, set.state);
        for (int i = 0; i < 80; ++i) {
            (void)advance(set.model, set.state, workspace);
            const double fallen = begin.potential_energy - diagnose(set.model, set.state).potential_energy;
            EXPECT_LT(total() - begin.kinetic_energy - begin.potential_energy, 0.05 * (begin.kinetic_energy + fallen))
                << seed << " " << i;
        }
    }
}

TEST(Spray, FallsFreelyBesideAWall)
{
    Model m = test::tank(Vec3(0.1, 0.1, 4), Vec3::Zero(), 0.01);
    m.options.frame_interval = 1;
    m.options.max_step = 2e-3;
    State state = initial_state(m);
    append_particle(m, 0, {Vec3(0.043, 0.052, 3.5), Vec3::Zero(), Mat3::Zero(), 0.9e-6 / 8}, state);
    test::run_until(m, state, 0.3);
    const double t = state.clock.time;
    EXPECT_NEAR(state.liquid.position[0].z(), 3.5 - 0.5 * 9.81 * t * t, 1e-7);
    EXPECT_NEAR(state.liquid.velocity[0].z() + 2 * state.liquid.lead[0].z(), -9.81 * t, 1e-5);
}

TEST(Spray, StaysOnATable)
{
    Model m = test::tank(Vec3::Constant(0.1), Vec3::Zero(), 0.01);
    m.options.frame_interval = 1;
    State state = initial_state(m);
    for (const double x : {0.04, 0.047, 0.061})
        append_particle(m, 0, {Vec3(x, 0.052, 0.02), Vec3::Zero(), Mat3::Zero(), 0.9e-6 / 8}, state);
    test::run_until(m, state, 0.5);
    for (std::size_t p = 0; p < 3; ++p) {
        EXPECT_LT(state.liquid.velocity[p].norm(), 0.1) << p; // it is smooth; measured 0.05
        EXPECT_LT(state.liquid.position[p].z(), 0.005) << p;
    }
}

/// Velocity of four particles at rest after nine hairs have moved through them [m/s].
Vec3 swept_by_hairs(bool beside_wall)
{
    Model m = test::drop_and_hairs();
    m.bodies.clear();
    if (beside_wall) {
        Obstacle wall; // six cells away
        wall.name = "wall";
        wall.shape = make_box(Vec3(0.12, 0, 0), Vec3(0.14, 0.2, 0.2));
        m.obstacles.push_back(wall);
    }
    State state = initial_state(m);
    for (int i = 0; i < 4; ++i)
        append_particle(
            m, 0, {Vec3(0.095 + 1e-3 * (i % 2), 0.1 + 2e-3 * (i / 2), 0.1), Vec3::Zero(), Mat3::Zero(), 8e-9}, state);
    for (Vec3& v : state.strands.velocity) v = Vec3(-0.4, 0, 0);
    test::run_until(m, state, 0.03);
    Vec3 mean = Vec3::Zero();
    for (const Vec3& v : state.liquid.velocity) mean += v / 4;
    return mean;
}

TEST(Spray, IsDraggedBesideAWallAsItIsInTheOpen)
{
    const Vec3 open = swept_by_hairs(false), beside = swept_by_hairs(true);
    EXPECT_LT(open.x(), -0.02);
    // Measured 0.97 of it; 0.44 where drag counts only on the faces that it acts on.
    EXPECT_NEAR(beside.x(), open.x(), 0.1 * std::abs(open.x()));
}

TEST(Spray, IsNothingOfAPoolThatSloshes)
{
    Model m = test::tank(Vec3(0.16, 0.08, 0.16), Vec3(0.16, 0.08, 0.06), 0.01);
    m.options.gravity = Vec3(1, 0, -9.81);
    m.options.frame_interval = 1;
    State state = initial_state(m);
    Workspace workspace;
    workspace.after_stage = [&](const char*, const State&) {
        for (const auto& tile : workspace.scratch().spray.tiles) EXPECT_TRUE(tile.empty());
    };
    while (state.clock.time < 0.5) (void)advance(m, state, workspace);
}

} // namespace
} // namespace rivulet
