#include "wetting/strand_film.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "wetting/film_capillary.h"
#include "wetting/film_section.h"
#include "wetting/film_transport.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

/// Films thinner than half of this many radii (nanometres) count as dry.
constexpr double kDryShare = 1e-4;
/// Part of the section at one end of an edge below which the other end counts as dry beside it.
constexpr double kStalledShare = 0.02;
/// Below this many radii of thickness (less than an atom) forces are left out, for products of such numbers underflow;
/// friction stops such a film at once.
constexpr double kMoist = 1e-11;
/// Strands a task; also how many share one set of scratch arrays.
constexpr std::int64_t kStrandsPerTask = 16;

/// One strand of FilmStrands and FilmState.
struct OneFilm {
    double radius;
    std::span<const Vec3> position, acceleration, due, lift, drawn;
    std::span<const double> strand_mass, strand_inertia, exposure, sliding;
    std::span<double> volume, flow;
    std::span<Vec3> velocity;
    std::span<double> spin;
    std::span<Vec3> owed;

    [[nodiscard]] std::size_t n() const { return volume.size(); }
};

OneFilm film_of_strand(const FilmStrands& strands, const FilmState& state, std::size_t s)
{
    const auto begin = static_cast<std::size_t>(strands.first[s]);
    const std::size_t n = static_cast<std::size_t>(strands.first[s + 1]) - begin;
    const auto part = [&](auto span) { return span.empty() ? span : span.subspan(begin, n); };
    return {strands.radius[s],
            part(strands.position),
            part(strands.acceleration),
            part(strands.due),
            part(strands.lift),
            part(strands.drawn),
            part(strands.strand_mass),
            part(strands.strand_inertia),
            part(strands.exposure),
            part(strands.sliding),
            part(state.volume),
            part(state.flow),
            part(state.velocity),
            part(state.spin),
            part(state.owed)};
}

/// Arrays of one strand, used again for the next.
struct FilmScratch {
    std::vector<Vec3> tangent;                    ///< of edges
    std::vector<double> edge_length, edge_volume; ///< of edges; the volume is half of that of both ends
    std::vector<double> vertex_length;            ///< l_v
    std::vector<double> area, outer_radius;       ///< A, H of vertices
    std::vector<double> area_ahead, radius_ahead; ///< of vertices in the middle of the step
    std::vector<double> moment;                   ///< J l_v of vertices [m^5]
    std::vector<double> mass, flow, change;       ///< of edges: mass with friction, velocity
    std::vector<double> exposure;                 ///< of edges; none where all are in the air
    std::vector<double> mean;                     ///< velocity of edges over the step
    std::vector<double> carrier;                  ///< velocity that moves volume
    std::vector<double> right, left, passed;      ///< rates of the transport; volume that went over each edge
    std::vector<double> old_volume, carried_spin;
    std::vector<Vec3> carried;
    std::vector<std::uint8_t> is_joined; ///< edges: see join_stalled_edges()
    FilmTransport transport;
    CapillaryFlow capillary;

    void resize(std::size_t n)
    {
        tangent.resize(n - 1);
        carried.resize(n);
        for (auto* edges : {&edge_length, &edge_volume, &mass, &flow, &change, &mean, &carrier}) edges->resize(n - 1);
        for (auto* vertices : {&vertex_length, &area, &outer_radius, &area_ahead, &radius_ahead, &moment, &right, &left,
                               &passed, &old_volume, &carried_spin})
            vertices->resize(n);
    }
    [[nodiscard]] FilmProfile profile() const { return {area, outer_radius, vertex_length, edge_length}; }
    [[nodiscard]] FilmProfile profile_ahead() const { return {area_ahead, radius_ahead, vertex_length, edge_length}; }
};

double dry_area(const OneFilm& film) { return kDryShare * std::numbers::pi * film.radius * film.radius; }

void measure(const OneFilm& film, FilmScratch& s)
{
    std::fill(s.vertex_length.begin(), s.vertex_length.end(), 0.0);
    for (std::size_t e = 0; e + 1 < film.n(); ++e) {
        const Vec3 edge = film.position[e + 1] - film.position[e];
        const double length = edge.norm();
        s.tangent[e] = edge / length;
        s.edge_length[e] = length;
        s.vertex_length[e] += 0.5 * length;
        s.vertex_length[e + 1] += 0.5 * length;
    }
}

void measure_liquid(const OneFilm& film, FilmScratch& s)
{
    for (std::size_t j = 0; j < film.n(); ++j) {
        s.area[j] = film.volume[j] / s.vertex_length[j];
        s.outer_radius[j] = film_outer_radius(s.area[j], film.radius);
        s.moment[j] = film_polar_moment(s.area[j], film.radius) * s.vertex_length[j];
    }
    for (std::size_t e = 0; e + 1 < film.n(); ++e)
        s.edge_volume[e] = 0.5 * s.edge_length[e] * (s.area[e] + s.area[e + 1]);
}

/// Half of an edge's liquid belongs to either end: that of `end` (0 or 1) [m^3].
double share(const FilmScratch& s, std::size_t e, std::size_t end) { return 0.5 * s.edge_length[e] * s.area[e + end]; }

/// Part of its mobility that the film of an edge has.
double sliding_of(const OneFilm& film, std::size_t e)
{
    return film.sliding.empty() ? 1 : 0.5 * (film.sliding[e] + film.sliding[e + 1]);
}
/// Whether nothing flows over an edge, at all or in this direction: what does not slide does not leave its vertex.
bool is_barred(const OneFilm& film, std::size_t e, double flow)
{
    return !film.sliding.empty() && (!(sliding_of(film, e) > 0) || !(film.sliding[flow > 0 ? e : e + 1] > 0));
}

/// Friction of an edge in a step, per velocity [kg]; the whole of a film too thin to reckon with is held.
double rubbing_of(const OneFilm& film, const FilmStep& step, const FilmScratch& s, std::size_t e)
{
    if (!(step.liquid.viscosity > 0)) return 0;
    const double mobility =
        sliding_of(film, e) *
        film_mobility(film_thickness(s.edge_volume[e] / s.edge_length[e], film.radius), film.radius);
    return mobility > 0 ? s.edge_volume[e] * step.dt * step.liquid.viscosity / mobility : 0;
}
bool is_moist(const OneFilm& film, const FilmScratch& s, std::size_t e)
{
    return film_thickness(s.edge_volume[e] / s.edge_length[e], film.radius) > kMoist * film.radius;
}
/// Whether the film of an edge, with this friction, moves with the strand.
bool is_held(const OneFilm& film, const FilmScratch& s, std::size_t e, double rubbing)
{
    return !(sliding_of(film, e) > 0) || (rubbing > 0 && !is_moist(film, s, e));
}

/// What acts on the liquid of a vertex besides what is done to its strand.
Vec3 weight_at(const OneFilm& film, const FilmStep& step, std::size_t j)
{
    return film.lift.empty() ? step.gravity : Vec3(step.gravity + film.lift[j]);
}

/// Of the strand's motion, what its film lags behind.
Vec3 lagging(const FilmStep& step, const Vec3& motion) { return step.inertia ? motion : Vec3(Vec3::Zero()); }

/// Gives an impulse to both ends of an edge.
void owe(const OneFilm& film, std::size_t e, const Vec3& impulse)
{
    if (film.owed.empty()) return;
    film.owed[e] += 0.5 * impulse;
    film.owed[e + 1] += 0.5 * impulse;
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
    const double density = step.liquid.density, dry = dry_area(film);
    const std::size_t last = s.flow.size() - 1;
    const auto stop = [&](std::size_t e) {
        owe(film, e, density * s.edge_volume[e] * s.flow[e] * s.tangent[e]);
        s.flow[e] = s.mean[e] = 0;
    };
    s.is_joined.assign(s.flow.size(), 0); // with the next
    for (std::size_t e = 0; e <= last; ++e) {
        const double left = s.area[e], right = s.area[e + 1];
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
    const auto is_wet = [&](std::size_t e) { return s.edge_volume[e] > dry_area(film) * s.edge_length[e]; };
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
        s.area_ahead[j] = film.volume[j] > 0 ? s.old_volume[j] / s.vertex_length[j] : 0;
        s.radius_ahead[j] = film_outer_radius(s.area_ahead[j], film.radius);
    }
}

/// Momentum that the flow of an edge would have if nothing were owed to the strand.
Vec3 due_of(const OneFilm& film, const FilmStep& step, const FilmScratch& s, std::size_t e)
{
    const double mass = step.liquid.density * s.edge_volume[e];
    const Vec3 due = film.due.empty() ? Vec3(mass * film.flow[e] * s.tangent[e]) : film.due[e];
    return film.drawn.empty() ? due : Vec3(due + film.drawn[e]);
}

/// Gravity, the strand's acceleration, friction and capillary pressure; film.flow to s.flow. What of this the strand
/// has not felt yet is owed to it.
void push(const OneFilm& film, const FilmStep& step, FilmScratch& s)
{
    const FilmLiquid& liquid = step.liquid;
    for (std::size_t e = 0; e < s.flow.size(); ++e) {
        const double mass = liquid.density * s.edge_volume[e];
        const auto felt = [&](std::size_t j) {
            return film.acceleration.empty() ? weight_at(film, step, j)
                                             : Vec3(weight_at(film, step, j) - lagging(step, film.acceleration[j]));
        };
        const Vec3 pull = (share(s, e, 0) * felt(e) + share(s, e, 1) * felt(e + 1)) / s.edge_volume[e];
        const double rubbing = rubbing_of(film, step, s, e);
        const bool held = is_held(film, s, e, rubbing), moist = !held && is_moist(film, s, e);
        s.flow[e] = mass > 0 ? film.flow[e] + step.dt * s.tangent[e].dot(pull) : 0;
        if (!film.drawn.empty() && mass > 0) s.flow[e] += s.tangent[e].dot(film.drawn[e]) / mass;
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
        owe(film, e, due_of(film, step, s, e) - volume * s.flow[e] * s.tangent[e]);
    }
}

/// For films that do not flow: what they caught along the strand is the strand's.
void stop(const OneFilm& film, const FilmStep& step, const FilmScratch& s)
{
    for (std::size_t e = 0; e < s.flow.size(); ++e) {
        owe(film, e, due_of(film, step, s, e));
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
        double momentum = s.edge_volume[e] * s.flow[e];
        if (from_left > 0) momentum += from_left * s.flow[e - 1];
        s.flow[e] = content > 0 ? momentum / content : 0;
        s.carrier[e] = content > 0 ? from_right / content : 0;
    }
    for (std::size_t e = n_edges - 1; e-- > 0;) s.flow[e] += s.carrier[e] * s.flow[e + 1];
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
    transport_flow(film, density, s);
    const double out = s.right[n - 1];
    outcome.volume = out * film.volume[n - 1];
    outcome.momentum = density * (out * s.carried[n - 1] + outcome.volume * s.flow[n - 2] * s.tangent[n - 2]);
    outcome.flow = s.flow[n - 2];
    outcome.spin_momentum = density * out * s.carried_spin[n - 1];
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

bool is_dry(const OneFilm& film)
{
    return std::all_of(film.volume.begin(), film.volume.end(), [](double v) { return v == 0; });
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
    push(film, step, s);
    join_stalled_edges(film, step, s);
    set_carrier(film, s);
    transport(film, step, s, outcome);
    std::copy(s.flow.begin(), s.flow.end(), film.flow.begin());
    if (step.momentum != FilmMomentum::MassOnly) recombine(film, step, s);
    return outcome;
}

/// Calls body(film, scratch, first vertex) for every wet strand, with the scratch measured.
template <class Body>
void for_wet_strands(const FilmStrands& strands, const FilmState& state, Body&& body)
{
    const auto n = static_cast<std::int64_t>(strands.radius.size());
    parallel_for((n + kStrandsPerTask - 1) / kStrandsPerTask, "films", [&](std::int64_t task) {
        FilmScratch scratch;
        for (std::int64_t i = task * kStrandsPerTask; i < std::min(n, (task + 1) * kStrandsPerTask); ++i) {
            const auto s = static_cast<std::size_t>(i);
            const OneFilm film = film_of_strand(strands, state, s);
            if (is_dry(film)) continue;
            scratch.resize(film.n());
            measure(film, scratch);
            measure_liquid(film, scratch);
            body(film, scratch, static_cast<std::size_t>(strands.first[s]));
        }
    });
}

} // namespace

void film_coupling(const FilmStrands& strands, const FilmStep& step, const FilmState& state, FilmCoupling& coupling)
{
    coupling.force.assign(state.volume.size(), {});
    coupling.held.assign(state.volume.size(), 1.0);
    const double density = step.liquid.density, rate = 1 / step.dt;
    for_wet_strands(strands, state, [&](const OneFilm& film, const FilmScratch& s, std::size_t begin) {
        for (std::size_t e = 0; e + 1 < film.n(); ++e) {
            const double mass = density * s.edge_volume[e], rubbing = rubbing_of(film, step, s, e);
            if (!(mass > 0)) continue;
            const double held = !step.flows || is_held(film, s, e, rubbing) ? 1 : rubbing / (mass + rubbing);
            coupling.held[begin + e] = held;
            const Vec3& t = s.tangent[e];
            for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
                const std::size_t j = e + end;
                const double part = rate * density * share(s, e, end), sliding = part * (1 - held);
                VelocityForce& force = coupling.force[begin + j];
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
    for_wet_strands(strands, state, [&](const OneFilm& film, const FilmScratch& s, std::size_t begin) {
        for (std::size_t e = 0; e + 1 < film.n(); ++e) {
            const double held = coupling.held[begin + e];
            double slid = 0;
            for (const std::size_t end : {std::size_t{0}, std::size_t{1}}) {
                const Vec3 v = lagging(step, end_velocity[begin + e + end] - film.velocity[e + end]);
                slid += share(s, e, end) * s.tangent[e].dot(step.dt * weight_at(film, step, e + end) - v);
            }
            due[begin + e] = density * (1 - held) * (s.edge_volume[e] * film.flow[e] + slid) * s.tangent[e];
        }
    });
}

void step_films(const FilmStrands& strands, const FilmStep& step, const FilmState& state,
                std::span<FilmOutcome> outcome)
{
    const auto n = static_cast<std::int64_t>(strands.radius.size());
    RIVULET_VERIFY(strands.first.size() == strands.radius.size() + 1 && outcome.size() == strands.radius.size());
    parallel_for((n + kStrandsPerTask - 1) / kStrandsPerTask, "films", [&](std::int64_t task) {
        FilmScratch scratch;
        for (std::int64_t i = task * kStrandsPerTask; i < std::min(n, (task + 1) * kStrandsPerTask); ++i) {
            const auto s = static_cast<std::size_t>(i);
            outcome[s] = step_film(film_of_strand(strands, state, s), step, scratch);
        }
    });
}

double film_step_limit(const FilmLiquid& liquid, double shortest_edge)
{
    return 3 * std::sqrt(liquid.density * shortest_edge * shortest_edge * shortest_edge / liquid.surface_tension);
}

FilmEnergy film_energy(const FilmStrands& strands, const FilmLiquid& liquid, const FilmState& state)
{
    FilmEnergy energy;
    FilmScratch s;
    for (std::size_t i = 0; i < strands.radius.size(); ++i) {
        const OneFilm film = film_of_strand(strands, state, i);
        s.resize(film.n());
        measure(film, s);
        measure_liquid(film, s);
        energy.surface += surface_energy(s.profile(), liquid.surface_tension, film.exposure);
        for (std::size_t e = 0; e + 1 < film.n(); ++e) {
            const double part = film.exposure.empty() ? 1 : 0.5 * (film.exposure[e] + film.exposure[e + 1]);
            energy.surface -= part * 2 * std::numbers::pi * film.radius * liquid.surface_tension * s.edge_length[e];
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
        const OneFilm film = film_of_strand(strands, state, i);
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
