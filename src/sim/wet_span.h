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
    /// Distance of a point from the stretch of strand that belongs to vertex v.
    [[nodiscard]] double distance(std::size_t v, const Vec3& point) const;
};

[[nodiscard]] WetSpan span_of(const Model& model, const State& state, std::size_t strand);
/// The strand that each vertex belongs to.
[[nodiscard]] std::vector<std::int32_t> strand_of_vertices(const StrandModel& strands);

/// Velocity of the film at a vertex [m/s]: that of the strand, and its flow.
[[nodiscard]] Vec3 film_velocity(const State& state, const WetSpan& strand, std::size_t v);
/// Liquid comes to the film of vertex v and brings momentum [kg m/s]. Across a strand all moves together; along it the
/// liquid flows with the film. `mass` is that of the vertex and what it carries, before [kg]. What holds the vertex
/// takes up what would change its velocity.
void receive_liquid(const Model& model, State& state, const Workspace::Scratch& scratch, const WetSpan& strand,
                    std::size_t v, double mass, double volume, const Vec3& momentum);

} // namespace rivulet
