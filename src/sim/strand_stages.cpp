#include "sim/strand_stages.h"

#include "base/error.h"
#include "base/parallel.h"
#include "geometry/shapes.h"
#include "sim/film_stages.h"
#include "sim/immersion_stages.h"
#include "sim/scratch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

Pose pose_of(const Model& model, const StrandPin& pin, double time)
{
    return pin.body < 0 ? Pose{} : model.obstacles[static_cast<std::size_t>(pin.body)].motion.pose(time);
}

Vec3 total(const std::vector<Account>& account) { return {account[0].total(), account[1].total(), account[2].total()}; }

/// What was done to all strands, summed in their order.
StrandOutcome sum_outcomes(const std::vector<StrandOutcome>& outcomes)
{
    const auto add = [](StrandOutcome a, const StrandOutcome& b) {
        a.support += b.support;
        a.drag += b.drag;
        a.load += b.load;
        a.contact += b.contact;
        a.support_work += b.support_work;
        a.drag_work += b.drag_work;
        a.load_work += b.load_work;
        a.coupling_work += b.coupling_work;
        return a;
    };
    return ordered_reduce(
        static_cast<std::int64_t>(outcomes.size()), "strand impulses", StrandOutcome{},
        [&](std::int64_t begin, std::int64_t end) {
            StrandOutcome sum;
            for (std::int64_t i = begin; i < end; ++i) sum = add(sum, outcomes[static_cast<std::size_t>(i)]);
            return sum;
        },
        add);
}

/// Sum of value(v) over the vertices.
template <class Value>
Vec3 sum_vectors(std::int64_t n, Value&& value)
{
    return ordered_reduce(
        n, "strand sum", Vec3(Vec3::Zero()),
        [&](std::int64_t begin, std::int64_t end) {
            Vec3 sum = Vec3::Zero();
            for (std::int64_t v = begin; v < end; ++v) sum += value(static_cast<std::size_t>(v));
            return sum;
        },
        [](const Vec3& a, const Vec3& b) { return Vec3(a + b); });
}

/// The strands pull with the opposite of what holds them.
void add_loads(const Model& model, const StrandUpdate& update, const StrandHolds& holds, double end, Loads& loads)
{
    for (const StrandPin& pin : model.strands.pins) {
        const auto v = static_cast<std::size_t>(pin.vertex);
        if (pin.body < 0 || holds.hold[v] == Hold::Free) continue;
        const auto b = static_cast<std::size_t>(pin.body);
        const Vec3 force = -update.support_force[v];
        loads.force[b] += force;
        loads.torque[b] += (update.state.position[v] - pose_of(model, pin, end).position).cross(force);
        if (!pin.clamps_edge) continue;
        const Vec3 tangent = (update.state.position[v + 1] - update.state.position[v]).normalized();
        loads.torque[b] -= update.support_moment[v] * tangent;
    }
}

/// What strands meet in a step: the obstacles in their order, then the closed walls.
struct StrandSurroundings {
    StrandSurroundings(const Model& model, double time, double dt)
    {
        for (const Obstacle& o : model.obstacles)
            solids.push_back({o.shape.get(), o.motion.pose(time), o.motion.pose(time + dt), o.strand_friction});
        const Domain& domain = model.domain;
        for (std::size_t side = 0; side < domain.walls.size(); ++side) {
            if (domain.walls[side] == Wall::Open) continue;
            const bool is_upper = side % 2 == 1;
            const Vec3 inwards = (is_upper ? -1 : 1) * Vec3::Unit(static_cast<Eigen::Index>(side / 2));
            walls.push_back(make_plane(is_upper ? domain.box.upper : domain.box.lower, inwards));
            solids.push_back({walls.back().get(), {}, {}, domain.strand_friction});
        }
    }

    std::vector<ShapePtr> walls;
    std::vector<StrandObstacle> solids;
};

/// Books what touching strands did to the obstacles and remembers the forces.
void commit_contacts(const Model& model, State& state, const Workspace::Scratch& s, double end)
{
    ContactMemory& memory = state.strand_contacts;
    memory = {.a = {},
              .b = {},
              .force = {},
              .residual = s.strand_contacts.residual,
              .n_missed = memory.n_missed + s.strand_contacts.n_missed};
    const StrandMotion motion{state.strands.position, s.strands.state.position, s.strand_holds.hold};
    const auto book_obstacle = [&](const StrandContact& c) {
        if (!c.is_with_obstacle()) return;
        const auto v = static_cast<std::size_t>(c.a);
        const auto at = [&](std::span<const Vec3> x) { return Vec3((1 - c.s) * x[v] + c.s * x[v + 1]); };
        const Vec3 carried = at(motion.end) - at(motion.start) - contact_motion(c, motion);
        state.strand_ledger.contact_work.add(c.force.dot(carried));
        const std::size_t o = c.obstacle();
        if (o >= model.obstacles.size()) return; // a wall
        state.loads.force[o] -= c.force;
        state.loads.torque[o] -= (at(motion.end) - model.obstacles[o].motion.pose(end).position).cross(c.force);
    };
    for (const StrandContact& c : s.strand_contacts.contacts) {
        if (c.force == Vec3::Zero()) continue;
        memory.a.push_back(c.a);
        memory.b.push_back(c.b);
        memory.force.push_back(c.force);
        book_obstacle(c);
    }
    for (const StrandContact& c : s.strand_contacts.bridges) book_obstacle(c);
    state.bridges = s.strand_contacts.links;
}

} // namespace

std::vector<double> edge_inertias(const StrandModel& model)
{
    std::vector<double> inertia(static_cast<std::size_t>(model.n_vertices()), 0);
    for (std::size_t s = 0; s < model.material.size(); ++s) {
        const RodMaterial& m = model.materials[static_cast<std::size_t>(model.material[s])];
        const double per_length = 0.25 * m.density * m.area() * (m.radius_a * m.radius_a + m.radius_b * m.radius_b);
        for (auto v = static_cast<std::size_t>(model.first[s]); v + 1 < static_cast<std::size_t>(model.first[s + 1]);
             ++v)
            inertia[v] = per_length * model.inertia_length(v);
    }
    return inertia;
}

void place_holds(const Model& model, double time, double dt, StrandHolds& holds)
{
    const auto n = static_cast<std::size_t>(model.strands.n_vertices());
    holds.hold.assign(n, Hold::Free);
    holds.target.assign(n, Vec3::Zero());
    holds.director.assign(n, Vec3::Zero());
    for (const StrandPin& pin : model.strands.pins) {
        if (time + dt > pin.release) continue;
        const auto v = static_cast<std::size_t>(pin.vertex);
        const Pose pose = pose_of(model, pin, time + dt);
        holds.hold[v] = pin.clamps_edge ? Hold::VertexAndEdge : Hold::Vertex;
        holds.target[v] = pose.to_world(pin.position);
        if (pin.clamps_edge) holds.director[v] = pose.rotation * pin.director;
    }
    holds.force.clear();
    if (model.strands.loads.empty()) return;
    holds.force.assign(n, Vec3::Zero());
    for (const StrandLoad& load : model.strands.loads)
        if (time + 0.5 * dt >= load.start && time + 0.5 * dt < load.stop)
            holds.force[static_cast<std::size_t>(load.vertex)] += load.force;
}

void start_strands(const Model& model, State& state)
{
    const StrandSums sums = sum_strands(model, state);
    book(state.strand_ledger.initial, sums.momentum);
    state.strand_ledger.initial_energy.add(sums.kinetic_energy + sums.potential_energy + sums.elastic_energy);
}

void solve_strands(const Model& model, const State& state, Workspace::Scratch& s, double dt)
{
    if (model.strands.n_strands() == 0) return;
    place_holds(model, state.clock.time, dt, s.strand_holds);
    StrandStep step{.dt = dt,
                    .integrator = model.options.strand_integrator,
                    .gravity = model.options.gravity,
                    .air = model.air,
                    .hold = s.strand_holds.hold,
                    .target = s.strand_holds.target,
                    .target_director = s.strand_holds.director,
                    .force = s.strand_holds.force};
    if (state.film.is_there()) {
        weigh_films(model, state, s, dt);
        step.force = s.films.force;
        step.added_mass = s.films.added_mass;
        step.added_inertia = s.films.added_inertia;
        push_immersed(model, state, s, dt);
        step.coupling = s.immersion.coupling;
        step.exposure = s.films.exposure;
    }
    const StrandContactLaw law = model.options.strand_contact;
    const BridgeInput* bridges = find_bridges(model, state, s);
    const StrandSurroundings around(model, state.clock.time, dt);
    if (law == StrandContactLaw::Penalty)
        step_strands(model.strands, state.strands, step, around.solids, state.strand_contacts,
                     {.law = model.options.strand_penalty, .bridges = bridges}, s.strand_penalty_search, s.strands,
                     s.strand_contacts);
    else if (law == StrandContactLaw::Cone || !model.strands.joints.empty())
        step_strands(model.strands, state.strands, step, around.solids, state.strand_contacts,
                     {.only_joints = law == StrandContactLaw::None, .bridges = bridges}, s.strand_contact_search,
                     s.strands, s.strand_contacts);
    else
        step_strands(model.strands, state.strands, step, s.strands);
    if (s.strand_contacts.thrown >= 0)
        throw SimulationError("strands", "strand", s.strand_contacts.thrown, "would be thrown by what it touches");
    if (!s.strand_contacts.is_bearable && s.bears_contacts)
        s.strand_contacts.n_missed += s.strand_contacts.n_unbearable;
    else if (!s.strand_contacts.is_bearable)
        throw SimulationError("strands", "contacts", static_cast<std::int64_t>(s.strand_contacts.contacts.size()),
                              flaw_of(s.strand_contacts));
    s.solver_iterations = s.strands.iterations + s.strand_contacts.iterations;
    for (std::size_t i = 0; i < s.strands.outcome.size(); ++i)
        if (!s.strands.outcome[i].converged)
            throw SimulationError("strands", "strand", static_cast<std::int64_t>(i),
                                  fmt::format("did not converge in {} Newton steps", s.strands.outcome[i].iterations));
    if (state.film.is_there()) note_strand_motion(model, state, s, dt);
}

void commit_strands(const Model& model, State& state, const Workspace::Scratch& s, double dt)
{
    if (model.strands.n_strands() == 0) return;
    commit_contacts(model, state, s, state.clock.time + dt);
    state.strands = s.strands.state;
    const StrandOutcome sum = sum_outcomes(s.strands.outcome);
    StrandLedger& ledger = state.strand_ledger;
    double mass = 0;
    for (const double m : vertex_masses(model.strands)) mass += m;
    for (const double m : film_masses(model, state)) mass += m;
    Vec3 owed = Vec3::Zero();
    for (const Vec3& impulse : state.film.owed) owed += impulse;
    book(ledger.gravity, dt * mass * model.options.gravity);
    book(ledger.support, sum.support);
    book(ledger.drag, sum.drag);
    book(ledger.load, sum.load - owed);
    book(ledger.contact, sum.contact);
    ledger.support_work.add(sum.support_work);
    ledger.drag_work.add(sum.drag_work);
    ledger.load_work.add(sum.load_work);
    add_loads(model, s.strands, s.strand_holds, state.clock.time + dt, state.loads);
}

namespace {

/// The flow along the strands, on top of liquid that moves with them.
void add_films(const Model& model, const State& state, StrandSums& sums)
{
    FilmScratchpad pad;
    measure_strands(model, pad);
    pad.exposure = state.immersion.exposure;
    const FilmStrands strands = film_strands(model, state, pad);
    const FilmState films = film_state(state);
    const FilmMotion motion = film_motion(strands, model.wetting->film, films);
    sums.momentum += motion.momentum;
    sums.kinetic_energy += motion.energy;
    sums.surface_energy = film_energy(strands, model.wetting->film, films).surface;
    for (const Vec3& impulse : state.film.owed) sums.momentum += impulse;
    for (std::size_t s = 0; s < state.film.pool.size(); ++s) {
        const Vec3 momentum = pool_momentum(model, state, s);
        const Vec3& tip = state.strands.velocity[static_cast<std::size_t>(model.strands.first[s + 1]) - 1];
        sums.momentum += momentum;
        sums.kinetic_energy += momentum.dot(tip) + 0.5 * std::abs(state.film.pool_flow[s]) * momentum.norm();
    }
}

/// Rounding of an axial strain, 2^-52, is a part of 1e-9 of this.
constexpr double kLeastStrain = 0x1p-22;

/// What a strain so small that rounding shows in it would have given to strands since the start: where nothing else
/// acts on them their momentum is rounding, and is to be compared with that, not with itself [kg m/s].
double least_impulse(const Model& model, double time)
{
    double force = 0;
    for (const std::int32_t m : model.strands.material) {
        const RodMaterial& rod = model.strands.materials[static_cast<std::size_t>(m)];
        force += rod.youngs_modulus * std::numbers::pi * rod.radius_a * rod.radius_b;
    }
    return kLeastStrain * force * time;
}

} // namespace

StrandSums sum_strands(const Model& model, const State& state)
{
    const StrandState& s = state.strands;
    StrandSums sums;
    if (s.size() == 0) return sums;
    std::vector<double> mass = vertex_masses(model.strands);
    const std::vector<double> inertia = edge_inertias(model.strands), liquid = film_masses(model, state);
    for (std::size_t v = 0; v < mass.size(); ++v) mass[v] += liquid[v];
    const auto tangent = [&](std::size_t v) {
        return inertia[v] > 0 ? Vec3((s.position[v + 1] - s.position[v]).normalized()) : Vec3(Vec3::Zero());
    };
    sums.kinetic_energy = ordered_sum(s.size(), "strand sum", [&](std::int64_t i) {
        const auto v = static_cast<std::size_t>(i);
        return 0.5 * (mass[v] * s.velocity[v].squaredNorm() + inertia[v] * s.spin[v] * s.spin[v]);
    });
    sums.momentum = sum_vectors(s.size(), [&](std::size_t v) { return Vec3(mass[v] * s.velocity[v]); });
    if (state.film.is_there()) add_films(model, state, sums);
    sums.angular_momentum = sum_vectors(s.size(), [&](std::size_t v) {
        return Vec3(mass[v] * s.position[v].cross(s.velocity[v]) + inertia[v] * s.spin[v] * tangent(v));
    });
    const Vec3 moment = sum_vectors(s.size(), [&](std::size_t v) { return Vec3(mass[v] * s.position[v]); });
    sums.potential_energy = -model.options.gravity.dot(moment);
    sums.elastic_energy = elastic_energy(model.strands, s);
    sums.n_contacts = static_cast<std::int64_t>(state.strand_contacts.a.size());
    sums.largest_strain = largest_strain(model.strands, s);
    for (const Vec3& v : s.velocity) sums.max_speed = std::max(sums.max_speed, v.norm());
    const StrandLedger& l = state.strand_ledger;
    sums.dissipated = l.initial_energy.total() + l.support_work.total() + l.load_work.total() + l.contact_work.total() +
                      l.exchange_energy.total() + l.liquid_work.total() -
                      (sums.kinetic_energy + sums.potential_energy + sums.elastic_energy);
    Vec3 booked = Vec3::Zero();
    // What strands have of momentum, one against the other, counts too: nothing at all may come from outside.
    double magnitude = ordered_sum(s.size(), "strand sum", [&](std::int64_t i) {
        const auto v = static_cast<std::size_t>(i);
        return mass[v] * s.velocity[v].norm();
    });
    magnitude += least_impulse(model, state.clock.time) + 1e-300;
    for (const auto* account :
         {&l.initial, &l.gravity, &l.support, &l.drag, &l.load, &l.contact, &l.caught, &l.shed, &l.flow, &l.buoyancy}) {
        booked += total(*account);
        magnitude += total(*account).norm();
    }
    sums.relative_error = (sums.momentum - booked).norm() / magnitude;
    return sums;
}

} // namespace rivulet
