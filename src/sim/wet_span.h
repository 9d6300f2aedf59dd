#pragma once

#include "sim/model.h"
#include "sim/state.h"
#include "sim/workspace.h"

#include <vector>

namespace rivulet {

/// One strand as it lies, with half edges on either side of its vertices.
struct WetSpan {
    const std::vector<Vec3>& x;
    std::size_t begin, end;
    std::size_t mesh = 0, parts = 1; ///< where the mesh of its film begins, and of how many parts an edge is

    [[nodiscard]] bool has_before(std::size_t v) const { return v > begin; }
    [[nodiscard]] bool has_after(std::size_t v) const { return v + 1 < end; }
    [[nodiscard]] double length(std::size_t v) const
    {
        return 0.5 * ((has_before(v) ? (x[v] - x[v - 1]).norm() : 0) + (has_after(v) ? (x[v + 1] - x[v]).norm() : 0));
    }
    /// Calls body(e, direction of e, part of the vertex' liquid that lies on e) for the edges e at vertex v.
    template <class Body>
    void for_edges(std::size_t v, Body&& body) const
    {
        const double all = length(v);
        for (std::size_t e = has_before(v) ? v - 1 : v; e <= v && e + 1 < end; ++e) {
            const Vec3 edge = x[e + 1] - x[e];
            const double l = edge.norm();
            body(e, Vec3(edge / l), 0.5 * l / all);
        }
    }
    /// Calls body(j) for the vertices j of the film's mesh that lie on the half edges about v.
    template <class Body>
    void for_cell(std::size_t v, Body&& body) const
    {
        const std::size_t at = mesh + (v - begin) * parts, half = parts / 2;
        const std::size_t last = has_after(v) ? at + half : at;
        for (std::size_t j = has_before(v) ? at - half : at; j <= last; ++j) body(j);
    }
    /// The vertex of the strand at which, or behind which, one of the mesh lies, and how many parts of the edge behind.
    [[nodiscard]] std::size_t behind(std::size_t j, std::size_t& past) const
    {
        past = (j - mesh) % parts;
        return begin + (j - mesh) / parts;
    }
    [[nodiscard]] Vec3 place(std::size_t j) const
    {
        std::size_t past = 0;
        const std::size_t v = behind(j, past);
        return past == 0 ? x[v]
                         : Vec3(x[v] + static_cast<double>(past) / static_cast<double>(parts) * (x[v + 1] - x[v]));
    }
    [[nodiscard]] double mesh_length(std::size_t j) const
    {
        std::size_t past = 0;
        const std::size_t v = behind(j, past);
        return (past == 0 ? length(v) : (x[v + 1] - x[v]).norm()) / static_cast<double>(parts);
    }
    /// As for_edges(), on the mesh.
    template <class Body>
    void for_mesh_edges(std::size_t j, Body&& body) const
    {
        std::size_t past = 0;
        const std::size_t v = behind(j, past);
        if (past == 0) {
            for_edges(v, [&](std::size_t e, const Vec3& t, double part) { body(e < v ? j - 1 : j, t, part); });
        } else {
            const Vec3 t = (x[v + 1] - x[v]).normalized();
            body(j - 1, t, 0.5);
            body(j, t, 0.5);
        }
    }
    /// Distance of a point from the stretch of strand that belongs to vertex v.
    [[nodiscard]] double distance(std::size_t v, const Vec3& point) const;
};

[[nodiscard]] WetSpan span_of(const Model& model, const State& state, std::size_t strand);
/// The strand that each vertex belongs to.
[[nodiscard]] std::vector<std::int32_t> strand_of_vertices(const StrandModel& strands);

/// Volume and flow of the films on their mesh.
template <class StateLike>
[[nodiscard]] auto& mesh_volume(StateLike& state)
{
    return state.film.has_mesh() ? state.film.mesh_volume : state.film.volume;
}
template <class StateLike>
[[nodiscard]] auto& mesh_flow(StateLike& state)
{
    return state.film.has_mesh() ? state.film.mesh_flow : state.film.flow;
}
/// Volume of the vertices and flow of the edges of a strand, from those of its mesh.
void sum_mesh(State& state, const WetSpan& strand);

/// Velocity of the film at a vertex [m/s]: that of the strand, and its flow.
[[nodiscard]] Vec3 film_velocity(const State& state, const WetSpan& strand, std::size_t v);
/// Liquid leaves the film of a vertex, with that velocity [m^3].
void take_liquid(State& state, const WetSpan& strand, std::size_t v, double volume);
/// Liquid comes to the film of vertex v and brings momentum [kg m/s]. Across a strand all moves together; along it the
/// liquid flows with the film. `mass` is that of the vertex and what it carries, before [kg]. What holds the vertex
/// takes up what would change its velocity.
void receive_liquid(const Model& model, State& state, const Workspace::Scratch& scratch, const WetSpan& strand,
                    std::size_t v, double mass, double volume, const Vec3& momentum);

} // namespace rivulet
