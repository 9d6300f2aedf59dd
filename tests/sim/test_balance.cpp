// Momentum of a hair, the pool that it is drawn through and the walls around, stage by stage.
#include "effort.h"
#include "sim/diagnostics.h"
#include "sim/models.h"
#include "sim/scratch.h"
#include "sim/strand_stages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace rivulet {
namespace {

constexpr double kPoolDensity = 1000;

/// H18: a box of 7 x 0.25 x 6 cm, half full of water. Cells of 1.25 mm.
Model narrow_pool()
{
    Model m = test::tank(Vec3(0.07, 0.0025, 0.06), Vec3(0.07, 0.0025, 0.03), 1.25e-3);
    m.options.frame_interval = 1;
    m.options.max_step = m.options.strand_step = 4e-3;
    m.options.strand_contact = StrandContactLaw::None;
    return m;
}

/// In it, a hair of 5 cm whose root moves by 6 cm/s.
Model pool_and_hair()
{
    Model m = narrow_pool();
    Obstacle clip;
    clip.name = "clip";
    clip.shape = make_box(Vec3::Constant(-1e-4), Vec3::Constant(1e-4));
    clip.motion.keyframes = {{.time = 0, .position = {0.005, 0.00125, 0.055}},
                             {.time = 1, .position = {0.065, 0.00125, 0.055}}};
    m.obstacles.push_back(clip);
    m.strands.materials = {{1300, 3.9e9, 1.4e9, 0, 50e-6, 50e-6}};
    std::vector<Vec3> points;
    for (int k = 0; k < 42; ++k) points.emplace_back(0.005, 0.00125, 0.055 - 0.05 * k / 41);
    (void)add_strand(m.strands, m.strands_at_start, points, 0, Vec3::UnitY());
    for (const std::int32_t v : {0, 1})
        m.strands.pins.push_back({v, 0, points[static_cast<std::size_t>(v)] - points[0]});
    group_strands(m.strands);
    m.strand_groups = {{"hair", 0, 1}};
    m.wetting = Wetting{.film = {.density = kPoolDensity, .viscosity = 1e-3}, .captures = false, .drips = false};
    m.film_at_start.assign(42, 0.0);
    m.shortest_edge = 0.05 / 41;
    return m;
}

Vec3 account_sum(const std::vector<Account>& account)
{
    return {account[0].total(), account[1].total(), account[2].total()};
}

/// Force on the liquid of the closed faces beside it: pressure of the cells beside them, continued to the face by the
/// slope that it has one face further in, or by that of liquid at rest where there is none [N].
Vec3 wall_force(const Model& m, const Workspace::Scratch& s)
{
    const double dx = s.grid.cell_size();
    const auto is_wet = [&](std::size_t cell) { return s.pressure.unknown[cell] != 0; };
    Vec3 force = Vec3::Zero();
    for (int t = 0; t < s.grid.n_tiles(); ++t)
        for (int c = 0; c < kTileCells; ++c) {
            const auto cell = static_cast<std::size_t>(t * kTileCells + c);
            if (!is_wet(cell)) continue;
            for (int a = 0; a < 3; ++a) {
                const Vec3i at(c % 8, c / 8 % 8, c / 64), e = Vec3i::Unit(a);
                const std::vector<double>& open = s.solid_fields.open[static_cast<std::size_t>(a)];
                const std::size_t up = s.grid.index(t, at.x() + e.x(), at.y() + e.y(), at.z() + e.z());
                const std::size_t down = s.grid.index(t, at.x() - e.x(), at.y() - e.y(), at.z() - e.z());
                const double p = s.pressure.pressure[cell], rest = kPoolDensity * m.options.gravity[a] * dx;
                const double fall = is_wet(up) && open[up] > 0 ? p - s.pressure.pressure[up] : -rest;
                const double rise = is_wet(down) && open[cell] > 0 ? p - s.pressure.pressure[down] : rest;
                if (open[cell] == 0) force[a] += dx * dx * (p + 0.5 * fall);
                if (open[up] == 0) force[a] -= dx * dx * (p + 0.5 * rise);
            }
        }
    return force;
}

/// Of v + l, which forces change by (dt + dt of the step before)/2 of them, whatever the steps [kg m/s].
Vec3 momentum_of_motion(const State& state)
{
    Vec3 sum = Vec3::Zero();
    for (std::size_t p = 0; p < state.liquid.position.size(); ++p)
        sum += kPoolDensity * state.liquid.volume[p] * velocity_ahead(state, p, 1);
    return sum;
}

/// Impulses of a step [N s].
struct StepBalance {
    Vec3 drag, lift; ///< of the liquid on the hair
    Vec3 weight;     ///< of the liquid
    /// Change of momentum of liquid and hair, less the weight of both, what holds the hair, and what the walls do to
    /// the liquid: that of their pressure.
    Vec3 rest;
    /// Of it, what extrapolation does: faces in walls and beyond the surface take the velocity of those beside them
    /// instead of what particles brought to them.
    Vec3 carried;
};

/// Masses and velocities of faces in a step, to tell what extrapolation does.
struct FaceWatch {
    std::array<std::vector<double>, 3> mass, brought, found;

    void operator()(std::string_view stage, const Workspace::Scratch& s)
    {
        if (stage == "particles to grid") {
            mass = s.faces.mass;
            brought = s.faces.velocity;
        }
        if (stage == "wall friction") found = s.faces.velocity;
        if (stage != "extrapolation" || s.immersion.carrier[0].empty()) return;
        carried.setZero();
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t f = 0; f < mass[a].size(); ++f)
                carried[static_cast<Eigen::Index>(a)] += (mass[a][f] * (s.faces.velocity[a][f] - brought[a][f]) -
                                                          s.immersion.carrier[a][f] * (found[a][f] - brought[a][f])) /
                                                         s.lead.carried;
    }
    Vec3 carried = Vec3::Zero(); ///< [N s]
};

std::vector<StepBalance> balances(const Model& m, int n_steps)
{
    State state = initial_state(m);
    Workspace workspace;
    Vec3 walls = Vec3::Zero();
    FaceWatch watch;
    workspace.after_stage = [&](const char* stage, State&) {
        watch(stage, workspace.scratch());
        if (std::string_view(stage) == "pressure") walls = wall_force(m, workspace.scratch());
    };
    const double mass = kPoolDensity * ledger_balance(state).bulk;
    std::vector<StepBalance> steps;
    for (int i = 0; i < n_steps; ++i) {
        const StrandLedger before = state.strand_ledger;
        const Vec3 liquid = momentum_of_motion(state), hair = sum_strands(m, state).momentum;
        (void)advance(m, state, workspace);
        const LeadFactors& lead = workspace.scratch().lead;
        const double acting = lead.force * state.clock.previous_step / lead.carried;
        const StrandLedger& after = state.strand_ledger;
        const auto booked = [&](std::vector<Account> StrandLedger::*account) {
            return Vec3(account_sum(after.*account) - account_sum(before.*account));
        };
        StepBalance step{booked(&StrandLedger::flow), booked(&StrandLedger::buoyancy),
                         acting * mass * m.options.gravity, Vec3::Zero(), watch.carried};
        const Vec3 from_outside = booked(&StrandLedger::gravity) + booked(&StrandLedger::support) +
                                  booked(&StrandLedger::drag) + booked(&StrandLedger::contact);
        step.rest = momentum_of_motion(state) - liquid - step.weight - acting * walls + sum_strands(m, state).momentum -
                    hair - from_outside;
        if (i >= 10) steps.push_back(step); // the beginning: a jolt
    }
    return steps;
}

TEST(Balance, WallsBearTheWeightOfAPoolAtRest) // H18
{
    double worst = 0;
    for (const StepBalance& step : balances(narrow_pool(), 20))
        worst = std::max(worst, step.rest.norm() / step.weight.norm());
    EXPECT_LT(worst, 1e-8); // measured 2e-10
}

/// H18 asks for 1e-8, which is reached where no wall is near (LiquidExchange).
TEST(Balance, WallsTakeWhatAHairGivesToAPool)
{
    RIVULET_SKIP_IN_SLOW_BUILD();
    Vec3 drag = Vec3::Zero(), lift = Vec3::Zero(), rest = Vec3::Zero(), carried = Vec3::Zero();
    double worst = 0, largest = 0, weight = 0;
    for (const StepBalance& step : balances(pool_and_hair(), 60)) {
        drag += step.drag;
        lift += step.lift;
        rest += step.rest;
        carried += step.carried;
        worst = std::max(worst, std::abs(step.rest.x()));
        largest = std::max(largest, std::abs(step.drag.x()));
        weight += step.weight.norm();
    }
    EXPECT_GT(std::abs(drag.x()), 1e-7);
    EXPECT_LT(std::abs(rest.x()), 0.01 * std::abs(drag.x()));              // measured 0.4 %
    EXPECT_LT(worst, 0.01 * largest);                                      // measured 0.5 %
    EXPECT_LT(std::abs((rest - carried).x()), 0.002 * std::abs(drag.x())); // measured 0.0004
    EXPECT_LT(std::abs((rest - carried).x()), 1e-7 * weight);              // measured 5e-8
    // The pool has not risen by the hair's volume: the floor does not bear yet what lifts the hair.
    EXPECT_NEAR(rest.z(), lift.z(), 0.1 * lift.z()); // measured 0.2 %
    EXPECT_NEAR(rest.z(), lift.z(), 1e-6 * weight);  // measured 9e-8
}

} // namespace
} // namespace rivulet
