#include "geometry/segments.h"
#include "strands/strand_contacts.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace rivulet {
namespace {

Segment root_at(std::span<const Vec3> x, std::int32_t v)
{
    return {x[static_cast<std::size_t>(v)], x[static_cast<std::size_t>(v) + 1]};
}

/// Roots nearer than this part of the sum of their radii have grown together.
constexpr double kSharedRoot = 0.98;

/// Held first edges of strands, in the frame of what holds them.
struct Roots {
    std::vector<std::int32_t> vertex, strand, place; ///< place: of the edge's beginning in `position`
    std::vector<double> radius;
    std::vector<Vec3> position;
};

std::map<std::int32_t, Roots> find_roots(const StrandModel& model)
{
    std::map<std::int32_t, const StrandPin*> pinned; // by vertex
    for (const StrandPin& pin : model.pins) pinned.emplace(pin.vertex, &pin);
    std::map<std::int32_t, Roots> by_body;
    for (std::int32_t s = 0; s < model.n_strands(); ++s) {
        const auto i = static_cast<std::size_t>(s);
        const auto a = pinned.find(model.first[i]), b = pinned.find(model.first[i] + 1);
        if (a == pinned.end() || b == pinned.end() || a->second->body != b->second->body) continue;
        const RodMaterial& m = model.materials[static_cast<std::size_t>(model.material[i])];
        Roots& roots = by_body[a->second->body];
        roots.place.push_back(static_cast<std::int32_t>(roots.position.size()));
        roots.position.push_back(a->second->position);
        roots.position.push_back(b->second->position);
        roots.vertex.push_back(model.first[i]);
        roots.strand.push_back(s);
        roots.radius.push_back(0.5 * (m.radius_a + m.radius_b) *
                               model.mean_scale(static_cast<std::size_t>(model.first[i])));
    }
    return by_body;
}

/// Beginnings of strands that are held inside of each other, by their vertices: nothing can part them there.
std::vector<EdgePair> shared_roots(const StrandModel& model)
{
    std::vector<EdgePair> shared;
    for (const auto& [body, roots] : find_roots(model)) {
        EdgePairs near;
        near.update({roots.place, roots.strand, roots.radius, roots.position, roots.position}, 0);
        for (const auto& [e, f] : near.pairs()) {
            const auto i = static_cast<std::size_t>(e), j = static_cast<std::size_t>(f);
            const double distance =
                nearest_points(root_at(roots.position, roots.place[i]), root_at(roots.position, roots.place[j]))
                    .distance;
            if (distance < kSharedRoot * (roots.radius[i] + roots.radius[j]))
                shared.push_back({roots.vertex[i], roots.vertex[j]});
        }
    }
    return shared;
}

/// Ends of knots on a strand that are no farther from the first of them, in edges, are at one place.
constexpr double kOneKnot = 0.5;

/// Vertices of edges that knots tie to one place, whether directly or through others.
std::vector<std::vector<std::int32_t>> knots_of(const StrandModel& model)
{
    struct End {
        double place; // along all strands; the ends of two strands are a whole edge apart
        std::int32_t vertex;
        std::size_t joint;
    };
    std::vector<End> ends;
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
        const StrandJoint& joint = model.joints[j];
        ends.push_back({joint.a + joint.s, joint.a, j});
        ends.push_back({joint.b + joint.t, joint.b, j});
    }
    std::sort(ends.begin(), ends.end(),
              [](const End& x, const End& y) { return std::pair(x.place, x.joint) < std::pair(y.place, y.joint); });
    std::vector<std::size_t> parent(model.joints.size());
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root_of = [&](std::size_t j) {
        while (parent[j] != j) j = parent[j] = parent[parent[j]];
        return j;
    };
    std::size_t first = 0; // of those at one place
    for (std::size_t k = 1; k < ends.size(); ++k)
        if (ends[k].place - ends[first].place <= kOneKnot)
            parent[root_of(ends[k].joint)] = root_of(ends[first].joint);
        else
            first = k;
    std::vector<std::vector<std::int32_t>> knots(model.joints.size());
    for (const End& end : ends) knots[root_of(end.joint)].push_back(end.vertex);
    return knots;
}

} // namespace

StrandEdges::StrandEdges(const StrandModel& model)
{
    for (std::int32_t s = 0; s < model.n_strands(); ++s) {
        const auto i = static_cast<std::size_t>(s);
        const RodMaterial& m = model.materials[static_cast<std::size_t>(model.material[i])];
        for (std::int32_t v = model.first[i]; v + 1 < model.first[i + 1]; ++v) {
            vertex.push_back(v);
            strand.push_back(s);
            radius.push_back(0.5 * (m.radius_a + m.radius_b) * model.mean_scale(static_cast<std::size_t>(v)));
            friction.push_back(m.friction);
        }
    }
    for (const std::int32_t v : vertex)
        held_inside.push_back(model.held_inside.empty() ? -1 : model.held_inside[static_cast<std::size_t>(v)]);
    // Edges of the strand of an edge, and near it, by their vertices.
    const auto near = [&](std::int32_t v) {
        const auto after = std::upper_bound(model.first.begin(), model.first.end(), v);
        return std::pair(std::max(v - kChainNeighbours + 1, after[-1]), std::min(v + kChainNeighbours, *after - 1));
    };
    const auto tie = [&](std::int32_t at_a, std::int32_t at_b) {
        const auto [a_begin, a_end] = near(at_a);
        const auto [b_begin, b_end] = near(at_b);
        for (std::int32_t a = a_begin; a < a_end; ++a)
            for (std::int32_t b = b_begin; b < b_end; ++b) tied.push_back({std::min(a, b), std::max(a, b)});
    };
    for (const std::vector<std::int32_t>& knot : knots_of(model))
        for (std::size_t i = 0; i < knot.size(); ++i)
            for (std::size_t j = i + 1; j < knot.size(); ++j) tie(knot[i], knot[j]);
    for (const auto& [a, b] : shared_roots(model)) tie(a, b);
    std::sort(tied.begin(), tied.end());
    tied.erase(std::unique(tied.begin(), tied.end()), tied.end());
}

bool StrandEdges::are_tied(std::int32_t a, std::int32_t b) const
{
    return std::binary_search(tied.begin(), tied.end(), EdgePair{a, b});
}

} // namespace rivulet
