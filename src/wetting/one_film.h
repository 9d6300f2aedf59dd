#pragma once

#include "wetting/film_capillary.h"
#include "wetting/film_mesh.h"
#include "wetting/film_section.h"
#include "wetting/film_transport.h"
#include "wetting/strand_film.h"

#include <algorithm>
#include <numbers>

namespace rivulet {

// For strand_film.cpp: what it knows of a single strand.

/// Films thinner than half of this many radii (nanometres) count as dry.
inline constexpr double kDryShare = 1e-4;

/// Below this many radii of thickness (less than an atom) forces are left out, for products of such numbers underflow;
/// friction stops such a film at once.
inline constexpr double kMoist = 1e-11;
/// Strands a task; also how many share one set of scratch arrays.
inline constexpr std::int64_t kStrandsPerTask = 16;

/// One strand of FilmStrands and FilmState, on the mesh of its film.
struct OneFilm {
    double radius;                 ///< of the strand; read it by radius_at() and radius_on()
    std::span<const double> scale; ///< of its vertices, as FilmStrands::scale
    std::span<const Vec3> position, acceleration, due, lift, drawn;
    std::span<const double> strand_mass, strand_inertia, exposure, sliding;
    std::span<double> volume, flow;
    std::span<Vec3> velocity;
    std::span<double> spin;
    std::span<Vec3> owed;
    std::span<const std::int32_t> owner; ///< vertices of the strand; none = the film's are those

    [[nodiscard]] std::size_t n() const { return volume.size(); }
    [[nodiscard]] std::size_t owner_of(std::size_t j) const
    {
        return owner.empty() ? j : static_cast<std::size_t>(owner[j]);
    }
    /// Of the strand at a vertex, and on an edge [m].
    [[nodiscard]] double radius_at(std::size_t j) const { return scale.empty() ? radius : radius * scale[j]; }
    [[nodiscard]] double radius_on(std::size_t e) const
    {
        return scale.empty() ? radius : 0.5 * (radius_at(e) + radius_at(e + 1));
    }
};

/// Arrays of one strand, used again for the next.
struct FilmScratch {
    std::vector<Vec3> tangent;                    ///< of edges
    std::vector<double> edge_length, edge_volume; ///< of edges; the volume is half of that of both ends
    std::vector<double> vertex_length;            ///< l_v
    std::vector<double> area, outer_radius;       ///< A, H of vertices
    std::vector<double> area_ahead, radius_ahead; ///< of vertices in the middle of the step
    std::vector<double> core;                     ///< r of vertices; none = the same all along
    std::vector<double> moment;                   ///< J l_v of vertices [m^5]
    std::vector<double> mass, flow, change;       ///< of edges: mass with friction, velocity
    std::vector<double> pull;                     ///< of edges: see find_pull() [m/s^2]
    std::vector<double> exposure;                 ///< of edges; none where all are in the air
    std::vector<double> mean;                     ///< velocity of edges over the step
    std::vector<double> carrier;                  ///< velocity that moves volume
    std::vector<double> right, left, passed;      ///< rates of the transport; volume that went over each edge
    std::vector<double> old_volume, carried_spin;
    std::vector<Vec3> carried;
    RefinedStrand refined;               ///< where the film has a mesh of its own
    std::vector<std::uint8_t> is_joined; ///< edges: see join_stalled_edges()
    FilmTransport transport;
    CapillaryFlow capillary;

    void resize(std::size_t n)
    {
        tangent.resize(n - 1);
        carried.resize(n);
        for (auto* edges : {&edge_length, &edge_volume, &mass, &flow, &change, &mean, &carrier, &pull})
            edges->resize(n - 1);
        for (auto* vertices : {&vertex_length, &area, &outer_radius, &area_ahead, &radius_ahead, &moment, &right, &left,
                               &passed, &old_volume, &carried_spin})
            vertices->resize(n);
    }
    [[nodiscard]] FilmProfile profile() const { return {area, outer_radius, vertex_length, edge_length, core}; }
    [[nodiscard]] FilmProfile profile_ahead() const
    {
        return {area_ahead, radius_ahead, vertex_length, edge_length, core};
    }
};

inline OneFilm film_of_strand(const FilmStrands& strands, const FilmState& state, std::size_t s, RefinedStrand& refined)
{
    const auto begin = static_cast<std::size_t>(strands.first[s]);
    const std::size_t n = static_cast<std::size_t>(strands.first[s + 1]) - begin;
    const auto part = [&](auto span) { return span.empty() ? span : span.subspan(begin, n); };
    if (strands.parts > 1) {
        refined.refine(strands, state, s);
        const auto of_mesh = [&](auto span) {
            return span.empty() ? span : span.subspan(film_begin(strands, s), refined.owner.size());
        };
        return {strands.radius[s],    refined.scale,    refined.position,       refined.acceleration,
                of_mesh(strands.due), refined.lift,     of_mesh(strands.drawn), refined.mass,
                refined.inertia,      refined.exposure, refined.sliding,        of_mesh(state.volume),
                of_mesh(state.flow),  refined.velocity, refined.spin,           refined.owed,
                refined.owner};
    }
    return {strands.radius[s],
            part(strands.scale),
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
            part(state.owed),
            {}};
}

/// Below this section an edge counts as dry.
inline double dry_area(const OneFilm& film, std::size_t e)
{
    return kDryShare * std::numbers::pi * film.radius_on(e) * film.radius_on(e);
}

inline void measure(const OneFilm& film, FilmScratch& s)
{
    std::fill(s.vertex_length.begin(), s.vertex_length.end(), 0.0);
    s.core.clear();
    for (std::size_t j = 0; j < film.scale.size(); ++j) s.core.push_back(film.radius_at(j));
    for (std::size_t e = 0; e + 1 < film.n(); ++e) {
        const Vec3 edge = film.position[e + 1] - film.position[e];
        const double length = edge.norm();
        s.tangent[e] = edge / length;
        s.edge_length[e] = length;
        s.vertex_length[e] += 0.5 * length;
        s.vertex_length[e + 1] += 0.5 * length;
    }
}

inline void measure_liquid(const OneFilm& film, FilmScratch& s)
{
    for (std::size_t j = 0; j < film.n(); ++j) {
        s.area[j] = film.volume[j] / s.vertex_length[j];
        s.outer_radius[j] = film_outer_radius(s.area[j], film.radius_at(j));
        s.moment[j] = film_polar_moment(s.area[j], film.radius_at(j)) * s.vertex_length[j];
    }
    for (std::size_t e = 0; e + 1 < film.n(); ++e)
        s.edge_volume[e] = 0.5 * s.edge_length[e] * (s.area[e] + s.area[e + 1]);
}

/// Half of an edge's liquid belongs to either end: that of `end` (0 or 1) [m^3].
inline double share(const FilmScratch& s, std::size_t e, std::size_t end)
{
    return 0.5 * s.edge_length[e] * s.area[e + end];
}

/// Part of its mobility that the film of an edge has.
inline double sliding_of(const OneFilm& film, std::size_t e)
{
    return film.sliding.empty() ? 1 : 0.5 * (film.sliding[e] + film.sliding[e + 1]);
}
/// Whether nothing flows over an edge, at all or in this direction: what does not slide does not leave its vertex.
inline bool is_barred(const OneFilm& film, std::size_t e, double flow)
{
    return !film.sliding.empty() && (!(sliding_of(film, e) > 0) || !(film.sliding[flow > 0 ? e : e + 1] > 0));
}

/// Friction of an edge in a step, per velocity [kg]; the whole of a film too thin to reckon with is held.
inline double rubbing_of(const OneFilm& film, const FilmStep& step, const FilmScratch& s, std::size_t e)
{
    if (!(step.liquid.viscosity > 0)) return 0;
    const double mobility =
        sliding_of(film, e) *
        film_mobility(film_thickness(s.edge_volume[e] / s.edge_length[e], film.radius_on(e)), film.radius_on(e));
    return mobility > 0 ? s.edge_volume[e] * step.dt * step.liquid.viscosity / mobility : 0;
}
inline bool is_moist(const OneFilm& film, const FilmScratch& s, std::size_t e)
{
    return film_thickness(s.edge_volume[e] / s.edge_length[e], film.radius_on(e)) > kMoist * film.radius_on(e);
}
/// Whether the film of an edge, with this friction, moves with the strand.
inline bool is_held(const OneFilm& film, const FilmScratch& s, std::size_t e, double rubbing)
{
    return !(sliding_of(film, e) > 0) || (rubbing > 0 && !is_moist(film, s, e));
}

/// What acts on the liquid of a vertex besides what is done to its strand.
inline Vec3 weight_at(const OneFilm& film, const FilmStep& step, std::size_t j)
{
    return film.lift.empty() ? step.gravity : Vec3(step.gravity + film.lift[j]);
}

/// Of the strand's motion, what its film lags behind.
inline Vec3 lagging(const FilmStep& step, const Vec3& motion) { return step.inertia ? motion : Vec3(Vec3::Zero()); }

inline bool is_dry(const OneFilm& film)
{
    return std::all_of(film.volume.begin(), film.volume.end(), [](double v) { return v == 0; });
}

} // namespace rivulet
