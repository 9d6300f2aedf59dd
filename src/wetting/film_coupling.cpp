#include "wetting/strand_film.h"

#include "base/parallel.h"
#include "wetting/one_film.h"

#include <algorithm>
#include <numbers>

namespace rivulet {
namespace {

/// Calls body(film, scratch, first vertex, first one of the mesh) for every wet strand, with the scratch measured.
template <class Body>
void for_wet_strands(const FilmStrands& strands, const FilmState& state, Body&& body)
{
    const auto n = static_cast<std::int64_t>(strands.radius.size());
    parallel_for((n + kStrandsPerTask - 1) / kStrandsPerTask, "films", [&](std::int64_t task) {
        FilmScratch scratch;
        for (std::int64_t i = task * kStrandsPerTask; i < std::min(n, (task + 1) * kStrandsPerTask); ++i) {
            const auto s = static_cast<std::size_t>(i);
            const OneFilm film = film_of_strand(strands, state, s, scratch.refined);
            if (is_dry(film)) continue;
            scratch.resize(film.n());
            measure(film, scratch);
            measure_liquid(film, scratch);
            body(film, scratch, static_cast<std::size_t>(strands.first[s]), film_begin(strands, s));
        }
    });
}

} // namespace

void film_coupling(const FilmStrands& strands, const FilmStep& step, const FilmState& state, FilmCoupling& coupling)
{
    coupling.force.assign(strands.position.size(), {});
    coupling.held.assign(state.volume.size(), 1.0);
    const double density = step.liquid.density, rate = 1 / step.dt;
    for_wet_strands(
        strands, state, [&](const OneFilm& film, const FilmScratch& s, std::size_t begin, std::size_t mesh) {
            for (std::size_t e = 0; e + 1 < film.n(); ++e) {
                const double mass = density * s.edge_volume[e], rubbing = rubbing_of(film, step, s, e);
                if (!(mass > 0)) continue;
                const double held = !step.flows || is_held(film, s, e, rubbing) ? 1 : rubbing / (mass + rubbing);
                coupling.held[mesh + e] = held;
                const Vec3& t = s.tangent[e];
                for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
                    const std::size_t j = e + end;
                    const double part = rate * density * share(s, e, end), sliding = part * (1 - held);
                    VelocityForce& force = coupling.force[begin + film.owner_of(j)];
                    if (step.inertia) force.add_drag(-sliding, t);
                    const Vec3 start = lagging(step, film.velocity[j]);
                    force.push +=
                        (part * held * film.flow[e] - sliding * t.dot(start + step.dt * weight_at(film, step, j))) * t;
                }
            }
        });
}

void due_momentum(const FilmStrands& strands, const FilmStep& step, const FilmState& state,
                  const FilmCoupling& coupling, std::span<const Vec3> end_velocity, std::vector<Vec3>& due)
{
    due.assign(state.volume.size(), Vec3::Zero());
    const double density = step.liquid.density;
    for_wet_strands(
        strands, state, [&](const OneFilm& film, const FilmScratch& s, std::size_t begin, std::size_t mesh) {
            for (std::size_t e = 0; e + 1 < film.n(); ++e) {
                const double held = coupling.held[mesh + e];
                double slid = 0;
                for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
                    const Vec3 v = lagging(step, end_velocity[begin + film.owner_of(e + end)] - film.velocity[e + end]);
                    slid += share(s, e, end) * s.tangent[e].dot(step.dt * weight_at(film, step, e + end) - v);
                }
                due[mesh + e] = density * (1 - held) * (s.edge_volume[e] * film.flow[e] + slid) * s.tangent[e];
            }
        });
}

FilmEnergy film_energy(const FilmStrands& strands, const FilmLiquid& liquid, const FilmState& state)
{
    FilmEnergy energy;
    FilmScratch s;
    for (std::size_t i = 0; i < strands.radius.size(); ++i) {
        const OneFilm film = film_of_strand(strands, state, i, s.refined);
        s.resize(film.n());
        measure(film, s);
        measure_liquid(film, s);
        energy.surface += surface_energy(s.profile(), liquid.surface_tension, film.exposure);
        if (!s.core.empty())
            energy.surface -= surface_energy({s.area, s.core, s.vertex_length, s.edge_length, s.core},
                                             liquid.surface_tension, film.exposure);
        for (std::size_t e = 0; e + 1 < film.n(); ++e) {
            const double part = film.exposure.empty() ? 1 : 0.5 * (film.exposure[e] + film.exposure[e + 1]);
            if (s.core.empty())
                energy.surface -=
                    part * 2 * std::numbers::pi * film.radius_on(e) * liquid.surface_tension * s.edge_length[e];
            energy.flow += 0.5 * liquid.density * s.edge_volume[e] * film.flow[e] * film.flow[e];
        }
    }
    return energy;
}

FilmMotion film_motion(const FilmStrands& strands, const FilmLiquid& liquid, const FilmState& state)
{
    FilmMotion sum;
    FilmScratch s;
    for (std::size_t i = 0; i < strands.radius.size(); ++i) {
        const OneFilm film = film_of_strand(strands, state, i, s.refined);
        if (is_dry(film)) continue;
        s.resize(film.n());
        measure(film, s);
        measure_liquid(film, s);
        for (std::size_t e = 0; e + 1 < film.n(); ++e) {
            const double u = film.flow[e], mass = liquid.density * s.edge_volume[e];
            const Vec3 carrying =
                (share(s, e, 0) * film.velocity[e] + share(s, e, 1) * film.velocity[e + 1]) * liquid.density;
            sum.momentum += mass * u * s.tangent[e];
            sum.energy += 0.5 * mass * u * u + u * carrying.dot(s.tangent[e]);
        }
    }
    return sum;
}

} // namespace rivulet
