#include "sim/wet_span.h"

#include "sim/scratch.h"

#include <algorithm>

namespace rivulet {
namespace {

/// Liquid that lies on an edge of the mesh [m^3].
double volume_on_edge(const State& state, const WetSpan& strand, std::size_t e)
{
    double volume = 0;
    for (const std::size_t j : {e, e + 1})
        strand.for_mesh_edges(j, [&](std::size_t edge, const Vec3&, double part) {
            if (edge == e) volume += part * mesh_volume(state)[j];
        });
    return volume;
}

/// Mean of the mesh, by volume.
void sum_flow(State& state, const WetSpan& strand, std::size_t e)
{
    double volume = 0, moved = 0, plain = 0;
    for (std::size_t i = 0; i < strand.parts; ++i) {
        const std::size_t edge = strand.mesh + (e - strand.begin) * strand.parts + i;
        const double here = volume_on_edge(state, strand, edge);
        volume += here;
        moved += here * state.film.mesh_flow[edge];
        plain += state.film.mesh_flow[edge];
    }
    state.film.flow[e] = volume > 0 ? moved / volume : plain / static_cast<double>(strand.parts);
}

void sum_flows_at(State& state, const WetSpan& strand, std::size_t v)
{
    if (strand.has_before(v)) sum_flow(state, strand, v - 1);
    if (strand.has_after(v)) sum_flow(state, strand, v);
}

} // namespace

double WetSpan::distance(std::size_t v, const Vec3& point) const
{
    double nearest = (point - x[v]).norm();
    for (const std::size_t other : {has_before(v) ? v - 1 : v, has_after(v) ? v + 1 : v}) {
        const Vec3 half = 0.5 * (x[other] - x[v]);
        const double square = half.squaredNorm();
        if (!(square > 0)) continue;
        const double at = std::clamp(half.dot(point - x[v]) / square, 0.0, 1.0);
        nearest = std::min(nearest, (point - x[v] - at * half).norm());
    }
    return nearest;
}

WetSpan span_of(const Model& model, const State& state, std::size_t strand)
{
    const auto begin = static_cast<std::size_t>(model.strands.first[strand]);
    const auto parts = static_cast<std::size_t>(model.wetting ? model.wetting->film_parts : 1);
    return {state.strands.position, begin, static_cast<std::size_t>(model.strands.first[strand + 1]),
            (begin - strand) * parts + strand, parts};
}

std::vector<std::int32_t> strand_of_vertices(const StrandModel& strands)
{
    std::vector<std::int32_t> strand(static_cast<std::size_t>(strands.n_vertices()));
    for (std::int32_t s = 0; s < strands.n_strands(); ++s)
        std::fill(strand.begin() + strands.first[static_cast<std::size_t>(s)],
                  strand.begin() + strands.first[static_cast<std::size_t>(s) + 1], s);
    return strand;
}

void sum_mesh(State& state, const WetSpan& strand)
{
    for (std::size_t v = strand.begin; v < strand.end; ++v) {
        double volume = 0;
        strand.for_cell(v, [&](std::size_t j) { volume += state.film.mesh_volume[j]; });
        state.film.volume[v] = volume;
        if (strand.has_after(v)) sum_flow(state, strand, v);
    }
}

Vec3 film_velocity(const State& state, const WetSpan& strand, std::size_t v)
{
    Vec3 velocity = state.strands.velocity[v];
    const double all = state.film.volume[v];
    strand.for_cell(v, [&](std::size_t j) {
        const double share = strand.parts == 1 ? 1 : all > 0 ? mesh_volume(state)[j] / all : 0;
        strand.for_mesh_edges(
            j, [&](std::size_t e, const Vec3& t, double part) { velocity += share * part * mesh_flow(state)[e] * t; });
    });
    return velocity;
}

void take_liquid(State& state, const WetSpan& strand, std::size_t v, double volume)
{
    const double before = state.film.volume[v];
    state.film.volume[v] -= volume;
    if (!state.film.has_mesh()) return;
    const double left = before > 0 ? state.film.volume[v] / before : 0;
    strand.for_cell(v, [&](std::size_t j) { state.film.mesh_volume[j] *= left; });
    sum_flows_at(state, strand, v);
}

void receive_liquid(const Model& model, State& state, const Workspace::Scratch& scratch, const WetSpan& strand,
                    std::size_t v, double mass, double volume, const Vec3& momentum)
{
    const double density = model.wetting->film.density, more = density * volume;
    Vec3& velocity = state.strands.velocity[v];
    const Vec3 slip = momentum / more - velocity;
    Vec3 whole = mass * velocity + momentum;
    strand.for_cell(v, [&](std::size_t j) { // as thick everywhere
        const double share = strand.parts == 1 ? 1 : strand.mesh_length(j) / strand.length(v);
        strand.for_mesh_edges(j, [&](std::size_t e, const Vec3& t, double part) {
            const double there = density * volume_on_edge(state, strand, e), comes = part * (share * more);
            const double along = comes * slip.dot(t);
            double& flow = mesh_flow(state)[e];
            flow = (there * flow + along) / (there + comes);
            whole -= along * t;
        });
        mesh_volume(state)[j] += share * volume;
    });
    const Vec3 after = whole / (mass + more);
    if (scratch.strand_holds.hold[v] == Hold::Free)
        velocity = after;
    else
        book(state.strand_ledger.support, (mass + more) * (velocity - after));
    if (!state.film.has_mesh()) return;
    state.film.volume[v] += volume;
    sum_flows_at(state, strand, v);
}

} // namespace rivulet
