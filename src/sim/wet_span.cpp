#include "sim/wet_span.h"

#include "sim/scratch.h"

#include <algorithm>

namespace rivulet {
namespace {

/// Liquid that lies on edge e [m^3].
double volume_on_edge(const State& state, const WetSpan& strand, std::size_t e)
{
    double volume = 0;
    for (const std::size_t v : {e, e + 1})
        strand.for_edges(v, [&](std::size_t edge, const Vec3&, double part) {
            if (edge == e) volume += part * state.film.volume[v];
        });
    return volume;
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
    return {state.strands.position, static_cast<std::size_t>(model.strands.first[strand]),
            static_cast<std::size_t>(model.strands.first[strand + 1])};
}

std::vector<std::int32_t> strand_of_vertices(const StrandModel& strands)
{
    std::vector<std::int32_t> strand(static_cast<std::size_t>(strands.n_vertices()));
    for (std::int32_t s = 0; s < strands.n_strands(); ++s)
        std::fill(strand.begin() + strands.first[static_cast<std::size_t>(s)],
                  strand.begin() + strands.first[static_cast<std::size_t>(s) + 1], s);
    return strand;
}

Vec3 film_velocity(const State& state, const WetSpan& strand, std::size_t v)
{
    Vec3 velocity = state.strands.velocity[v];
    strand.for_edges(v, [&](std::size_t e, const Vec3& t, double part) { velocity += part * state.film.flow[e] * t; });
    return velocity;
}

void receive_liquid(const Model& model, State& state, const Workspace::Scratch& scratch, const WetSpan& strand,
                    std::size_t v, double mass, double volume, const Vec3& momentum)
{
    const double density = model.wetting->film.density, more = density * volume;
    Vec3& velocity = state.strands.velocity[v];
    const Vec3 slip = momentum / more - velocity;
    Vec3 whole = mass * velocity + momentum;
    strand.for_edges(v, [&](std::size_t e, const Vec3& t, double part) {
        const double there = density * volume_on_edge(state, strand, e), along = part * more * slip.dot(t);
        state.film.flow[e] = (there * state.film.flow[e] + along) / (there + part * more);
        whole -= along * t;
    });
    const Vec3 after = whole / (mass + more);
    if (scratch.strand_holds.hold[v] == Hold::Free)
        velocity = after;
    else
        book(state.strand_ledger.support, (mass + more) * (velocity - after));
    state.film.volume[v] += volume;
}

} // namespace rivulet
