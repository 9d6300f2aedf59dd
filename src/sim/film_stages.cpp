#include "sim/film_stages.h"

#include "base/parallel.h"
#include "sim/film_exchange.h"
#include "sim/film_thickness.h"
#include "sim/scratch.h"
#include "sim/wet_span.h"
#include "wetting/exchange.h"
#include "wetting/film_section.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

FilmStep film_step_of(const Model& model, double dt)
{
    const Wetting& wetting = *model.wetting;
    return {.dt = dt,
            .gravity = model.options.gravity,
            .liquid = wetting.film,
            .momentum = wetting.momentum,
            .inertia = wetting.inertia,
            .flows = wetting.flows};
}

FilmState film_state(State& state)
{
    return {mesh_volume(state), mesh_flow(state), state.strands.velocity, state.strands.spin, state.film.owed};
}

/// Calls body(v, l) for every vertex of the films' mesh, with the length that belongs to it, in their order; v is the
/// strand's vertex that it belongs to.
template <class Body>
void for_mesh(const Model& model, const State& state, std::size_t s, Body&& body)
{
    const WetSpan strand = span_of(model, state, s);
    for (std::size_t v = strand.begin; v < strand.end; ++v)
        strand.for_cell(v, [&](std::size_t j) { body(v, j, strand.mesh_length(j)); });
}

/// StrandModel::scale at a vertex of the films' mesh.
double mesh_scale(const Model& model, const State& state, std::size_t s, std::size_t j)
{
    if (model.strands.scale.empty()) return 1;
    const WetSpan strand = span_of(model, state, s);
    std::size_t past = 0;
    const std::size_t v = strand.behind(j, past);
    const double t = static_cast<double>(past) / static_cast<double>(strand.parts), a = model.strands.scale[v];
    return past == 0 ? a : (1 - t) * a + t * model.strands.scale[v + 1];
}

/// Length of strand that belongs to each vertex, as it lies [m].
std::vector<double> vertex_lengths(const Model& model, const State& state)
{
    std::vector<double> length(state.strands.position.size(), 0.0);
    const std::vector<Vec3>& x = state.strands.position;
    for (std::size_t s = 0; s < model.strands.material.size(); ++s)
        for (auto v = static_cast<std::size_t>(model.strands.first[s]);
             v + 1 < static_cast<std::size_t>(model.strands.first[s + 1]); ++v) {
            const double half = 0.5 * (x[v + 1] - x[v]).norm();
            length[v] += half;
            length[v + 1] += half;
        }
    return length;
}

std::size_t tip_of(const Model& model, std::size_t strand)
{
    return static_cast<std::size_t>(model.strands.first[strand + 1]) - 1;
}

/// What flowed out at a tip joins the drop that hangs there, and moves with it; what that takes is owed to the strand.
void hang_at_tips(const Model& model, State& state, const FilmScratchpad& pad)
{
    const double density = model.wetting->film.density;
    for (std::size_t s = 0; s < pad.outcome.size(); ++s) {
        const FilmOutcome& out = pad.outcome[s];
        const std::size_t tip = tip_of(model, s);
        double &pool = state.film.pool[s], &flow = state.film.pool_flow[s];
        Vec3 due = pad.pool_due[s];
        if (out.volume > 0) {
            flow = (pool * flow + out.volume * out.flow) / (pool + out.volume);
            pool += out.volume;
            due += out.momentum - density * out.volume * state.strands.velocity[tip];
        }
        state.film.owed[tip] += due - pool_momentum(model, state, s);
    }
}

/// What is held keeps the velocity of what holds it, which pays for that.
void hold_velocities(const Model& model, State& state, const Workspace::Scratch& scratch)
{
    const std::vector<double> liquid = film_masses(model, state);
    const std::vector<double> dry = vertex_masses(model.strands);
    for (std::size_t v = 0; v < liquid.size(); ++v) {
        if (scratch.strand_holds.hold[v] == Hold::Free) continue;
        const Vec3& held = scratch.strands.state.velocity[v];
        const Vec3 impulse = (dry[v] + liquid[v]) * (held - state.strands.velocity[v]);
        book(state.strand_ledger.support, impulse);
        state.strands.velocity[v] = held;
        if (scratch.strand_holds.hold[v] == Hold::VertexAndEdge) state.strands.spin[v] = scratch.strands.state.spin[v];
    }
}

/// What the liquid around does to films: its pressure carries them, and they have no surface in it.
void submerge_films(const Model& model, const State& state, Workspace::Scratch& scratch)
{
    FilmScratchpad& pad = scratch.films;
    const Immersion& m = scratch.immersion;
    pad.exposure.assign(state.film.volume.size(), 1.0);
    pad.lift.assign(state.film.volume.size(), Vec3::Zero());
    for (std::size_t i = 0; i < m.vertex.size(); ++i) {
        const auto v = static_cast<std::size_t>(m.vertex[i]);
        pad.exposure[v] = 1 - m.submersion[i];
        if (model.wetting->floats)
            pad.lift[v] = -m.submersion[i] / model.wetting->film.density * state.immersion.pressure_gradient[v];
    }
    pad.sliding.clear();
    for (const double exposure : pad.exposure)
        pad.sliding.push_back(std::max((exposure - kInWater) / (1 - kInWater), 0.0));
}

/// Gives the mesh of a film at the start rings as thick as at their strand's vertex about the cone where they are; what
/// a vertex has stays.
void taper_films(const Model& model, State& state, std::size_t s, double radius)
{
    const WetSpan strand = span_of(model, state, s);
    for (std::size_t v = strand.begin; v < strand.end; ++v) {
        if (!(state.film.volume[v] > 0)) continue;
        const auto ring = [&](std::size_t j) {
            return strand.mesh_length(j) * film_area(model.film_at_start[v], radius * mesh_scale(model, state, s, j));
        };
        double sum = 0;
        strand.for_cell(v, [&](std::size_t j) { sum += ring(j); });
        strand.for_cell(v, [&](std::size_t j) { state.film.mesh_volume[j] = state.film.volume[v] * ring(j) / sum; });
    }
}

} // namespace

void measure_strands(const Model& model, FilmScratchpad& pad)
{
    const StrandModel& strands = model.strands;
    pad.radius.clear();
    pad.mass = vertex_masses(strands);
    pad.inertia = edge_inertias(strands);
    for (std::size_t s = 0; s < strands.material.size(); ++s) pad.radius.push_back(round_radius(strands, s));
}

FilmState film_state(const State& state) { return film_state(const_cast<State&>(state)); }

FilmStrands film_strands(const Model& model, const State& state, const FilmScratchpad& pad)
{
    return {.first = model.strands.first,
            .radius = pad.radius,
            .position = state.strands.position,
            .acceleration = pad.acceleration,
            .strand_mass = pad.mass,
            .strand_inertia = pad.inertia,
            .due = pad.due,
            .lift = pad.lift,
            .exposure = pad.exposure,
            .drawn = pad.drawn,
            .sliding = pad.sliding,
            .parts = model.wetting->film_parts,
            .scale = model.strands.scale};
}

Vec3 pool_momentum(const Model& model, const State& state, std::size_t strand)
{
    const std::size_t tip = tip_of(model, strand);
    const Vec3 tangent = (state.strands.position[tip] - state.strands.position[tip - 1]).normalized();
    return model.wetting->film.density * state.film.pool[strand] * state.film.pool_flow[strand] * tangent;
}

std::vector<double> film_masses(const Model& model, const State& state)
{
    std::vector<double> mass = state.film.volume;
    if (mass.empty()) mass.assign(state.strands.position.size(), 0.0);
    for (std::size_t s = 0; s < state.film.pool.size(); ++s) mass[tip_of(model, s)] += state.film.pool[s];
    for (double& m : mass) m *= model.wetting ? model.wetting->film.density : 0;
    return mass;
}

void start_films(const Model& model, State& state)
{
    if (!model.wetting) return;
    const std::size_t n = state.strands.position.size();
    const std::vector<double> length = vertex_lengths(model, state);
    FilmScratchpad pad;
    measure_strands(model, pad);
    state.film.liquid = model.wetting->liquid;
    state.film.volume.assign(n, 0.0);
    state.film.flow.assign(n, 0.0);
    state.film.owed.assign(n, Vec3::Zero());
    state.film.pool.assign(pad.radius.size(), 0.0);
    for (auto* of_strands : {&state.film.pool_flow, &state.film.shed, &state.film.shed_before})
        of_strands->assign(pad.radius.size(), 0.0);
    Account& initial = state.ledger.initial[static_cast<std::size_t>(model.wetting->liquid)];
    for (std::size_t s = 0; s < pad.radius.size(); ++s)
        for (auto v = static_cast<std::size_t>(model.strands.first[s]);
             v < static_cast<std::size_t>(model.strands.first[s + 1]); ++v) {
            state.film.volume[v] =
                length[v] * film_area(model.film_at_start[v], pad.radius[s] * model.strands.scale_at(v));
            initial.add(state.film.volume[v]);
        }
    if (model.wetting->film_parts == 1) return;
    for (auto* of_mesh : {&state.film.mesh_volume, &state.film.mesh_flow})
        of_mesh->assign(static_cast<std::size_t>(film_entries(model, "film.mesh_volume")), 0.0);
    for (std::size_t s = 0; s < pad.radius.size(); ++s) {
        for_mesh(model, state, s, [&](std::size_t v, std::size_t j, double l) {
            state.film.mesh_volume[j] = state.film.volume[v] * l / length[v];
        });
        if (!model.strands.scale.empty()) taper_films(model, state, s, pad.radius[s]);
    }
}

void weigh_films(const Model& model, const State& state, Workspace::Scratch& scratch, double dt)
{
    FilmScratchpad& pad = scratch.films;
    measure_strands(model, pad);
    pad.added_mass = film_masses(model, state);
    for (std::size_t s = 0; s < state.film.pool.size(); ++s)
        pad.mass[tip_of(model, s)] += model.wetting->film.density * state.film.pool[s];
    // Spin of the film about the strand: what a vertex has goes with the edge that begins there, as in the film's step.
    const std::vector<double> length = vertex_lengths(model, state);
    pad.added_inertia.assign(pad.added_mass.size(), 0.0);
    for (std::size_t s = 0; s < pad.radius.size(); ++s) {
        const auto add = [&](std::size_t v, double volume, double l, double scale) {
            pad.added_inertia[std::min(v, tip_of(model, s) - 1)] +=
                model.wetting->film.density * l * film_polar_moment(volume / l, pad.radius[s] * scale);
        };
        if (state.film.has_mesh())
            for_mesh(model, state, s, [&](std::size_t v, std::size_t j, double l) {
                add(v, state.film.mesh_volume[j], l, mesh_scale(model, state, s, j));
            });
        else
            for (auto v = static_cast<std::size_t>(model.strands.first[s]); v <= tip_of(model, s); ++v)
                add(v, state.film.volume[v], length[v], model.strands.scale_at(v));
    }
    pad.due.clear();
    pad.acceleration.clear();
    pad.drawn.clear();
    submerge_films(model, state, scratch);
    film_coupling(film_strands(model, state, pad), film_step_of(model, dt), film_state(state), pad.coupling);
    const std::vector<Vec3>& load = scratch.strand_holds.force;
    pad.force.resize(state.film.owed.size());
    for (std::size_t v = 0; v < pad.force.size(); ++v)
        pad.force[v] = state.film.owed[v] / dt + (load.empty() ? Vec3(Vec3::Zero()) : load[v]);
}

void draw_films(const Model& model, const State& state, Workspace::Scratch& scratch, double dt)
{
    FilmScratchpad& pad = scratch.films;
    const Immersion& m = scratch.immersion;
    const std::vector<Vec3>& x = state.strands.position;
    const Liquid& liquid = model.liquids[static_cast<std::size_t>(model.wetting->liquid)];
    pad.drawn.assign(mesh_volume(state).size(), Vec3::Zero());
    pad.taken.assign(x.size(), Vec3::Zero());
    for (std::size_t i = 0; i < m.vertex.size(); ++i) {
        const auto v = static_cast<std::size_t>(m.vertex[i]), strand = static_cast<std::size_t>(m.strand[i]);
        const Vec3 slip = m.flow[i] - scratch.strands.state.velocity[v];
        const WetSpan span = span_of(model, state, strand);
        span.for_cell(v, [&](std::size_t j) {
            const double volume = mesh_volume(state)[j], length = span.mesh_length(j);
            const double share = span.parts == 1 ? 1 : length / span.length(v);
            const double radius =
                film_outer_radius(volume / length, pad.radius[strand] * mesh_scale(model, state, strand, j));
            span.for_mesh_edges(j, [&](std::size_t e, const Vec3& t, double part) { // half of an edge's liquid belongs
                const double past = t.dot(slip) - mesh_flow(state)[e];              // to either end
                const double mass = part * liquid.density * volume;
                const StrandDrag drag = drag_coefficients(strand_drag(m.fraction[i]), radius, liquid.density,
                                                          liquid.viscosity, std::abs(past));
                const double pull = part * dt * (share * m.dragged[i]) * drag.along * (1 - pad.coupling.held[e]);
                if (!(mass > 0 && pull > 0)) return;
                const Vec3 impulse = pull * mass / (pull + mass) * past * t;
                pad.drawn[e] += impulse;
                pad.taken[v] += impulse;
            });
        });
    }
}

const BridgeInput* find_bridges(const Model& model, const State& state, Workspace::Scratch& scratch)
{
    if (!state.film.is_there() || !model.wetting->bridges) return nullptr;
    FilmScratchpad& pad = scratch.films;
    if (!pad.between_strands) {
        pad.between_strands.emplace(model.wetting->contact_angle);
        pad.to_solids.emplace(model.wetting->contact_angle,
                              model.liquids[static_cast<std::size_t>(model.wetting->liquid)].contact_angle);
    }
    pad.area = vertex_lengths(model, state);
    for (std::size_t v = 0; v < pad.area.size(); ++v) pad.area[v] = state.film.volume[v] / pad.area[v];
    pad.bridges = {.film_area = pad.area,
                   .in_air = pad.exposure,
                   .surface_tension = model.wetting->surface_tension,
                   .alike = model.wetting->bridges_alike,
                   .strands = &*pad.between_strands,
                   .solids = &*pad.to_solids,
                   .links = &state.bridges};
    return &pad.bridges;
}

void note_strand_motion(const Model& model, const State& state, Workspace::Scratch& scratch, double dt)
{
    FilmScratchpad& pad = scratch.films;
    const std::vector<Vec3>& end = scratch.strands.state.velocity;
    due_momentum(film_strands(model, state, pad), film_step_of(model, dt), film_state(state), pad.coupling, end,
                 pad.due);
    pad.pool_due.resize(pad.radius.size());
    for (std::size_t s = 0; s < pad.radius.size(); ++s) pad.pool_due[s] = pool_momentum(model, state, s);
    pad.acceleration.resize(end.size());
    for (std::size_t v = 0; v < end.size(); ++v) pad.acceleration[v] = (end[v] - state.strands.velocity[v]) / dt;
}

void flow_films(const Model& model, State& state, Workspace::Scratch& scratch, double dt)
{
    if (!state.film.is_there()) return;
    FilmScratchpad& pad = scratch.films;
    pad.outcome.assign(pad.radius.size(), {});
    std::fill(state.film.owed.begin(), state.film.owed.end(), Vec3::Zero());
    step_films(film_strands(model, state, pad), film_step_of(model, dt), film_state(state), pad.outcome);
    if (state.film.has_mesh())
        parallel_for(model.strands.n_strands(), "films",
                     [&](std::int64_t s) { sum_mesh(state, span_of(model, state, static_cast<std::size_t>(s))); });
    hang_at_tips(model, state, pad);
    hold_velocities(model, state, scratch);
}

} // namespace rivulet
