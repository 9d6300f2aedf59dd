#include "wetting/strand_film.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "wetting/one_film.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

/// Part of the section at one end of an edge below which the other end counts as dry beside it.
constexpr double kStalledShare = 0.02;
/// Of parts_of(): the part of an edge that liquid goes in a part of a step; part of sqrt(rho l^3 / sigma), in which
/// waves of an edge rise; and the most parts: longer ones are as stable, but damp more.
constexpr double kCourant = 0.3, kWave = 0.25, kMostParts = 32;
/// Then so are both its edges.
bool is_moist_at(const OneFilm& film, const FilmScratch& s, std::size_t j)
{
    return film_thickness(s.area[j], film.radius_at(j)) > 2 * kMoist * film.radius_at(j);
}

/// g - a as the film of a vertex feels it.
Vec3 felt_at(const OneFilm& film, const FilmStep& step, std::size_t j)
{
    const Vec3 weight = weight_at(film, step, j);
    return film.acceleration.empty() ? weight : Vec3(weight - lagging(step, film.acceleration[j]));
}

/// Gives an impulse to both ends of an edge, by the liquid that they have there: a bare vertex beside a drop is light
/// and would be thrown past its neighbours.
void owe(const OneFilm& film, const FilmScratch& s, std::size_t e, const Vec3& impulse)
{
    if (film.owed.empty()) return;
    const double part = s.edge_volume[e] > 0 ? share(s, e, 0) / s.edge_volume[e] : 0.5;
    film.owed[e] += part * impulse;
    film.owed[e + 1] += (1 - part) * impulse;
}
/// Momentum that goes from edge `from` to its neighbour `to` is turned at the vertex between.
void owe_turning(const OneFilm& film, const FilmScratch& s, std::size_t from, std::size_t to, double momentum)
{
    if (!film.owed.empty()) film.owed[std::max(from, to)] += momentum * (s.tangent[from] - s.tangent[to]);
}

/// An edge whose flow comes from an end that is as good as dry has all of its liquid at the other: that is one parcel
/// with what the next edge has there, and all edges that are joined so get one velocity; at a closed end it has
/// arrived, and so it has where the next film does not flow. Otherwise parts of a drop would speed up forever without
/// moving.
void join_stalled_edges(const OneFilm& film, const FilmStep& step, FilmScratch& s)
{
    const double density = step.liquid.density;
    const std::size_t last = s.flow.size() - 1;
    const auto stop = [&](std::size_t e) {
        owe(film, s, e, density * s.edge_volume[e] * s.flow[e] * s.tangent[e]);
        s.flow[e] = s.mean[e] = 0;
    };
    s.is_joined.assign(s.flow.size(), 0); // with the next
    for (std::size_t e = 0; e <= last; ++e) {
        const double left = s.area[e], right = s.area[e + 1], dry = dry_area(film, e);
        if (std::max(left, right) <= dry) continue;
        if (s.flow[e] > 0 && left <= std::max(dry, kStalledShare * right)) {
            const bool arrives = e < last ? !(sliding_of(film, e + 1) > 0) : !step.has_open_tip;
            if (arrives)
                stop(e);
            else if (e < last)
                s.is_joined[e] = 1;
        }
        if (s.flow[e] < 0 && right <= std::max(dry, kStalledShare * left)) {
            const bool arrives = e == 0 || !(sliding_of(film, e - 1) > 0);
            if (arrives)
                stop(e);
            else
                s.is_joined[e - 1] = 1;
        }
    }
    for (std::size_t begin = 0; begin <= last; ++begin) {
        std::size_t end = begin;
        double volume = s.edge_volume[begin], momentum = volume * s.flow[begin], moved = volume * s.mean[begin];
        while (s.is_joined[end] != 0) {
            ++end;
            volume += s.edge_volume[end];
            momentum += s.edge_volume[end] * s.flow[end];
            moved += s.edge_volume[end] * s.mean[end];
        }
        double handed_on = 0;
        for (std::size_t e = begin; end > begin && e <= end; ++e) {
            handed_on += density * s.edge_volume[e] * (s.flow[e] - momentum / volume);
            if (e < end) owe_turning(film, s, e, e + 1, handed_on);
            s.flow[e] = momentum / volume;
            s.mean[e] = moved / volume;
        }
        begin = end;
    }
}

/// Velocity that moves the liquid: that of the edge, the mean of before and after forces acted, so that what falls has
/// fallen g t^2 / 2; on dry edges that of the nearest wet one. Liquid that arrives over
/// dry parts must not wait there for its speed.
void set_carrier(const OneFilm& film, FilmScratch& s)
{
    const std::size_t n = s.flow.size();
    const auto is_wet = [&](std::size_t e) { return s.edge_volume[e] > dry_area(film, e) * s.edge_length[e]; };
    s.carrier = s.mean;
    for (std::size_t begin = 0; begin < n; ++begin) {
        if (is_wet(begin)) continue;
        std::size_t end = begin;
        while (end < n && !is_wet(end)) ++end;
        const double from_left = begin > 0 ? s.mean[begin - 1] : 0, from_right = end < n ? s.mean[end] : 0;
        const std::size_t middle = begin == 0 ? 0 : end == n ? n : (begin + end) / 2;
        for (std::size_t e = begin; e < end; ++e) s.carrier[e] = e < middle ? from_left : from_right;
        begin = end;
    }
    for (std::size_t e = 0; e < n; ++e)
        if (is_barred(film, e, s.carrier[e])) s.carrier[e] = 0;
}

void move_volume(double dt, bool has_open_tip, std::span<double> volume, FilmScratch& s)
{
    set_film_rates({s.carrier, s.edge_length, s.vertex_length}, dt, has_open_tip, s.right, s.left);
    s.transport.move(volume, s.vertex_length, s.right, s.left);
}

/// The film in the middle of the step, as its flow at the beginning moves it, but no farther than over an edge. Where
/// there is no liquid yet none is foreseen: surface tension would act on it and not on the drop that it is part of.
void look_ahead(const OneFilm& film, const FilmStep& step, FilmScratch& s)
{
    s.carrier.assign(film.flow.begin(), film.flow.end() - 1);
    s.old_volume.assign(film.volume.begin(), film.volume.end());
    double ahead = 0.5 * step.dt;
    for (std::size_t e = 0; e < s.carrier.size(); ++e)
        if (std::abs(s.carrier[e]) * ahead > s.edge_length[e]) ahead = s.edge_length[e] / std::abs(s.carrier[e]);
    move_volume(ahead, step.has_open_tip, s.old_volume, s);
    for (std::size_t j = 0; j < film.n(); ++j) {
        s.area_ahead[j] = is_moist_at(film, s, j) ? s.old_volume[j] / s.vertex_length[j] : 0;
        s.radius_ahead[j] = film_outer_radius(s.area_ahead[j], film.radius_at(j));
    }
}

/// Momentum that the flow of an edge would have if nothing were owed to the strand.
Vec3 due_of(const OneFilm& film, const FilmStep& step, const FilmScratch& s, std::size_t e)
{
    const double mass = step.liquid.density * s.edge_volume[e];
    const Vec3 due = film.due.empty() ? Vec3(mass * film.flow[e] * s.tangent[e]) : film.due[e];
    return film.drawn.empty() ? due : Vec3(due + film.drawn[e]);
}

/// What gravity, the strand's acceleration and the liquid around do to the liquid of each edge [m/s^2]. It goes along
/// with the liquid: where a drop arrives within the step the strand has not been accelerated under its weight.
void find_pull(const OneFilm& film, const FilmStep& step, FilmScratch& s)
{
    for (std::size_t e = 0; e < s.pull.size(); ++e) {
        const double volume = s.edge_volume[e];
        Vec3 sum = share(s, e, 0) * felt_at(film, step, e) + share(s, e, 1) * felt_at(film, step, e + 1);
        if (!film.drawn.empty()) sum += film.drawn[e] / (step.liquid.density * step.dt);
        s.pull[e] = volume > 0 ? s.tangent[e].dot(sum) / volume : 0;
    }
}

/// That, friction and capillary pressure; film.flow to s.flow. What of this the strand has not felt yet is owed to it.
void push(const OneFilm& film, const FilmStep& step, FilmScratch& s)
{
    const FilmLiquid& liquid = step.liquid;
    for (std::size_t e = 0; e < s.flow.size(); ++e) {
        const double mass = liquid.density * s.edge_volume[e];
        const double rubbing = rubbing_of(film, step, s, e);
        const bool held = is_held(film, s, e, rubbing), moist = !held && is_moist(film, s, e);
        s.flow[e] = mass > 0 ? film.flow[e] + step.dt * s.pull[e] : 0;
        s.mass[e] = moist ? mass + rubbing : 0;
        s.change[e] = moist ? -rubbing * s.flow[e] : 0;
        if (held) s.flow[e] = 0;
    }
    if (liquid.surface_tension > 0) {
        const CapillaryOptions tension{liquid.surface_tension, liquid.density, liquid.axial_tension,
                                       liquid.azimuthal_tension, step.has_open_tip};
        look_ahead(film, step, s);
        s.exposure.clear();
        for (std::size_t e = 0; e < s.flow.size() && !film.exposure.empty(); ++e)
            s.exposure.push_back(0.5 * (film.exposure[e] + film.exposure[e + 1]));
        s.capillary.solve(s.profile_ahead(), tension, step.dt, s.exposure, s.mass, s.flow, s.change);
    } else {
        for (std::size_t e = 0; e < s.flow.size(); ++e) s.change[e] = s.mass[e] > 0 ? s.change[e] / s.mass[e] : 0;
    }
    for (std::size_t e = 0; e < s.flow.size(); ++e) {
        s.flow[e] += s.change[e];
        const bool stays = is_barred(film, e, s.flow[e]);
        if (stays) s.flow[e] = 0;
        s.mean[e] = stays ? 0 : 0.5 * (film.flow[e] + s.flow[e]);
        const double volume = liquid.density * s.edge_volume[e];
        owe(film, s, e, due_of(film, step, s, e) - volume * s.flow[e] * s.tangent[e]);
    }
}

/// For films that do not flow: what they caught along the strand is the strand's.
void stop(const OneFilm& film, const FilmStep& step, const FilmScratch& s)
{
    for (std::size_t e = 0; e < s.flow.size(); ++e) {
        owe(film, s, e, due_of(film, step, s, e));
        film.flow[e] = 0;
    }
}

/// The edge whose spin the film of a vertex has: the one that begins there, or the last.
std::size_t spinning_edge(std::size_t j, std::size_t n) { return std::min(j, n - 2); }

/// The flow's own momentum goes with the volume that passed: what edge e holds, W, changes by G_e - G_(e+1), where G at
/// a vertex is a mean of what passed on both sides, and
///   (W_e + in_e) u_e = W_e u_e before + (inflow from e - 1) u_(e-1) + (inflow from e + 1) u_(e+1)
/// So each u is a mean of older ones, and the sum of W u is kept. No face lets both sides in, so that one sweep there
/// and one back solve it.
void transport_flow(const OneFilm& film, double density, FilmScratch& s)
{
    const std::size_t n = film.n(), n_edges = n - 1;
    const auto through = [&](std::size_t j) { // G of vertex j
        const double before = j > 0 ? s.edge_length[j - 1] * s.passed[j] : 0;
        const double after = j < n_edges ? s.edge_length[j] * (j > 0 ? s.passed[j - 1] : 0) : 0;
        return 0.5 * (before + after) / s.vertex_length[j];
    };
    for (std::size_t e = 0; e < n_edges; ++e) {
        const double from_left = std::max(through(e), 0.0);
        const double from_right = e + 1 < n_edges ? std::max(-through(e + 1), 0.0) : 0;
        const double content = s.edge_volume[e] + from_left + from_right;
        s.carrier[e] = content > 0 ? from_right / content : 0;
        for (auto* u : {&s.flow, &s.pull}) {
            double momentum = s.edge_volume[e] * (*u)[e];
            if (from_left > 0) momentum += from_left * (*u)[e - 1];
            (*u)[e] = content > 0 ? momentum / content : 0;
        }
    }
    for (std::size_t e = n_edges - 1; e-- > 0;)
        for (auto* u : {&s.flow, &s.pull}) (*u)[e] += s.carrier[e] * (*u)[e + 1];
    for (std::size_t j = 1; j < n_edges; ++j) {
        const double passing = density * through(j);
        if (passing > 0) owe_turning(film, s, j - 1, j, passing * s.flow[j - 1]);
        if (passing < 0) owe_turning(film, s, j, j - 1, -passing * s.flow[j]);
    }
}

/// Moves volume, momentum and angular momentum; s.moment is of before, film.volume of after.
void transport(const OneFilm& film, const FilmStep& step, FilmScratch& s, FilmOutcome& outcome)
{
    const std::size_t n = film.n();
    const double density = step.liquid.density;
    for (std::size_t j = 0; j < n; ++j) {
        s.old_volume[j] = film.volume[j];
        s.carried[j] = film.volume[j] * film.velocity[j];
        s.carried_spin[j] = s.moment[j] * film.spin[spinning_edge(j, n)];
    }
    move_volume(step.dt, step.has_open_tip, film.volume, s);
    s.transport.apply(std::span<Vec3>(s.carried));
    s.transport.apply(std::span<double>(s.carried_spin));
    for (std::size_t j = 0; j < n; ++j)
        s.passed[j] = s.right[j] * film.volume[j] - (j + 1 < n ? s.left[j + 1] * film.volume[j + 1] : 0);
    const double out = s.right[n - 1];
    outcome.volume = out * film.volume[n - 1];
    outcome.momentum = density * out * s.carried[n - 1];
    outcome.spin_momentum = density * out * s.carried_spin[n - 1];
    s.transport.sharpen({s.carrier, s.edge_length, s.vertex_length}, step.dt, s.old_volume, film.volume, s.passed);
    s.transport.carry_on(film.volume);
    s.transport.carry_on(std::span<Vec3>(s.carried));
    s.transport.carry_on(std::span<double>(s.carried_spin));
    transport_flow(film, density, s);
    outcome.flow = s.flow[n - 2];
    outcome.momentum += density * outcome.volume * outcome.flow * s.tangent[n - 2];
}

/// Velocities and spins of strands that carry what the transport brought.
void recombine(const OneFilm& film, const FilmStep& step, FilmScratch& s)
{
    const std::size_t n = film.n();
    const double density = step.liquid.density;
    for (std::size_t j = 0; j < n; ++j) {
        const double m = film.strand_mass[j], before = m + density * s.old_volume[j];
        const double after = m + density * film.volume[j];
        film.velocity[j] = step.momentum == FilmMomentum::Rescale
                               ? Vec3(film.velocity[j] * (before / after))
                               : Vec3((m * film.velocity[j] + density * s.carried[j]) / after);
    }
    if (step.momentum == FilmMomentum::Rescale) return;
    measure_liquid(film, s);
    for (std::size_t e = 0; e + 1 < n; ++e) {
        const bool is_last = e == n - 2;
        const double carried = s.carried_spin[e] + (is_last ? s.carried_spin[n - 1] : 0);
        const double moment = s.moment[e] + (is_last ? s.moment[n - 1] : 0);
        film.spin[e] =
            (film.strand_inertia[e] * film.spin[e] + density * carried) / (film.strand_inertia[e] + density * moment);
    }
}

/// Parts in which the step is made, so that liquid goes by a part of an edge only and waves of an edge are resolved:
/// fluxes are of second order in time for such steps, and the surface's energy changes by the work of its forces.
int parts_of(const OneFilm& film, const FilmStep& step, const FilmScratch& s)
{
    const FilmLiquid& liquid = step.liquid;
    double rate = 0; // [1/s]
    for (std::size_t e = 0; e + 1 < film.n(); ++e) {
        const double l = s.edge_length[e];
        if (!(s.edge_volume[e] > dry_area(film, e) * l)) continue;
        rate = std::max(rate, (std::abs(film.flow[e]) + step.dt * std::abs(s.pull[e])) / (kCourant * l));
        rate = std::max(rate, std::sqrt(liquid.surface_tension / (liquid.density * l * l * l)) / kWave);
    }
    return static_cast<int>(std::clamp(std::ceil(rate * step.dt), 1.0, kMostParts));
}

FilmOutcome step_part(const OneFilm& film, const FilmStep& step, FilmScratch& s)
{
    FilmOutcome outcome;
    push(film, step, s);
    join_stalled_edges(film, step, s);
    set_carrier(film, s);
    transport(film, step, s, outcome);
    std::copy(s.flow.begin(), s.flow.end(), film.flow.begin());
    if (step.momentum != FilmMomentum::MassOnly) recombine(film, step, s);
    return outcome;
}

void add(const FilmOutcome& part, FilmOutcome& sum)
{
    const double before = sum.volume;
    sum.volume += part.volume;
    if (sum.volume > 0) sum.flow = (before * sum.flow + part.volume * part.flow) / sum.volume;
    sum.momentum += part.momentum;
    sum.spin_momentum += part.spin_momentum;
}

FilmOutcome step_film(const OneFilm& film, const FilmStep& step, FilmScratch& s)
{
    const std::size_t n = film.n();
    RIVULET_ASSERT(n >= 2);
    FilmOutcome outcome;
    s.resize(n);
    if (is_dry(film)) {
        std::fill(film.flow.begin(), film.flow.end(), 0.0);
        return outcome;
    }
    measure(film, s);
    measure_liquid(film, s);
    if (!step.flows) {
        stop(film, step, s);
        return outcome;
    }
    find_pull(film, step, s);
    const int n_parts = parts_of(film, step, s);
    OneFilm now = film;
    FilmStep part = step;
    part.dt /= n_parts;
    for (int i = 0; i < n_parts; ++i) {
        if (i > 0) measure_liquid(now, s);
        add(step_part(now, part, s), outcome);
        now.due = now.drawn = {}; // what is left of it is owed as it comes
    }
    return outcome;
}

} // namespace

void step_films(const FilmStrands& strands, const FilmStep& step, const FilmState& state,
                std::span<FilmOutcome> outcome)
{
    const auto n = static_cast<std::int64_t>(strands.radius.size());
    RIVULET_VERIFY(strands.first.size() == strands.radius.size() + 1 && outcome.size() == strands.radius.size());
    parallel_for((n + kStrandsPerTask - 1) / kStrandsPerTask, "films", [&](std::int64_t task) {
        FilmScratch scratch;
        for (std::int64_t i = task * kStrandsPerTask; i < std::min(n, (task + 1) * kStrandsPerTask); ++i) {
            const auto s = static_cast<std::size_t>(i);
            const OneFilm film = film_of_strand(strands, state, s, scratch.refined);
            const bool was_wet = !is_dry(film);
            outcome[s] = step_film(film, step, scratch);
            if (strands.parts > 1 && was_wet)
                scratch.refined.gather(strands, state, s, step.liquid.density, film.radius);
        }
    });
}

double film_step_limit(const FilmLiquid& liquid, double shortest_edge)
{
    return 3 * std::sqrt(liquid.density * shortest_edge * shortest_edge * shortest_edge / liquid.surface_tension);
}

} // namespace rivulet
