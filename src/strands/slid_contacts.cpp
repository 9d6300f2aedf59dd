#include "strands/slid_contacts.h"

#include "base/parallel.h"
#include "strands/contact_case.h"
#include "strands/edge_in_shape.h"
#include "strands/pinched_contacts.h"

#include <algorithm>

namespace rivulet {
namespace {

/// Cosine of the angle to the other side beyond which edges have gone through each other, and not past each other.
constexpr double kAcross = 0.5;
/// Distance at the beginning, as a part of that of touching, below which edges were in each other already: on which
/// side says nothing.
constexpr double kInside = 0.25;
/// Distance on the way there, as a part of that of touching, below which they did.
constexpr double kThrough = 0.5;
/// As a part of the radius, by how much deeper an edge is than before if the step took it there.
constexpr double kDeeperThanBefore = 0.1;
constexpr std::int64_t kDeepGrain = 64;

Segment segment_at(std::span<const Vec3> x, std::int32_t v)
{
    return {x[static_cast<std::size_t>(v)], x[static_cast<std::size_t>(v) + 1]};
}
double radius_of(const StrandEdges& edges, std::int32_t v)
{
    const auto e = std::lower_bound(edges.vertex.begin(), edges.vertex.end(), v) - edges.vertex.begin();
    return edges.radius[static_cast<std::size_t>(e)];
}

/// How deep the centre line of an edge is in an obstacle [m].
double depth_in(const Shape& shape, const Pose& pose, const Segment& edge, double radius)
{
    const Segment inside{pose.to_body(edge.a), pose.to_body(edge.b)};
    const double s = deepest_between_ends(shape, inside, radius);
    if (s > 0) return shape.distance(inside.at(s)) >= 0 ? 0 : -place_across(shape, inside, s).distance;
    return -std::min(shape.distance(inside.a), shape.distance(inside.b));
}

/// Out of an obstacle where an edge is deepest at the end of a step, less what of it is along the edge.
Vec3 way_out(const StrandObstacle& obstacle, const Segment& edge, double radius)
{
    const Segment inside{obstacle.end.to_body(edge.a), obstacle.end.to_body(edge.b)};
    const Vec3 normal = obstacle.end.rotation * deepest_place(*obstacle.shape, inside, radius).normal;
    const Vec3 tangent = (edge.b - edge.a).normalized();
    return normal - normal.dot(tangent) * tangent;
}

/// Whether the edge has both obstacles at hand, on opposite sides.
bool is_between(const StrandObstacle& o, double depth, const StrandObstacle& other, const Segment& edge, double radius)
{
    if (depth + depth_in(*other.shape, other.end, edge, radius) < -2 * radius) return false;
    const Vec3 x = way_out(o, edge, radius), y = way_out(other, edge, radius);
    return x.dot(y) <= kOpposed * x.norm() * y.norm();
}

} // namespace

std::optional<SegmentTouch> slid_through(const Segment& p0, const Segment& p1, const Segment& q0, const Segment& q1,
                                         const Vec3& normal, double reach)
{
    const NearestPoints end = nearest_points(p1, q1);
    const bool is_between_ends = end.s > 0 && end.s < 1 && end.t > 0 && end.t < 1;
    if (!is_between_ends || !(normal.dot(end.offset) < -kAcross * end.distance)) return {};
    if (nearest_points(p0, q0).distance < kInside * reach) return {};
    if (!first_touch(p0, p1, q0, q1, kThrough * reach)) return {};
    return SegmentTouch{1, end.s, end.t, -end.offset / end.distance};
}

std::optional<SegmentTouch> slid_through(const StrandEdges& edges, const StrandContact& c, const StrandMotion& motion)
{
    if (c.is_with_obstacle() || c.is_joint) return {};
    return slid_through(segment_at(motion.start, c.a), segment_at(motion.end, c.a), segment_at(motion.start, c.b),
                        segment_at(motion.end, c.b), c.normal, radius_of(edges, c.a) + radius_of(edges, c.b));
}

bool follow_slid(const StrandEdges& edges, const StrandMotion& motion, std::span<StrandContact> contacts)
{
    bool any = false;
    for (StrandContact& c : contacts) {
        const auto touch = slid_through(edges, c, motion);
        if (!touch) continue;
        c.s = 0.5 * (c.s + touch->s);
        c.t = 0.5 * (c.t + touch->t);
        c.normal = (c.normal + touch->normal).normalized();
        const Segment p = segment_at(motion.start, c.a), q = segment_at(motion.start, c.b);
        const double reach = radius_of(edges, c.a) + radius_of(edges, c.b);
        // Of an overlap that they set out with no more is to be undone than in any other contact.
        const double overlap = std::min(0.0, nearest_points(p, q).distance - reach);
        c.gap = c.normal.dot(p.at(c.s) - q.at(c.t)) - reach - overlap + gap_to_close(overlap, reach, kNoPair, motion);
        any = true;
    }
    return any;
}

bool follow_on_obstacles(std::span<const StrandContact> found, const StrandMotion& motion, double allowed,
                         std::span<StrandContact> contacts)
{
    bool any = false;
    for (StrandContact& c : contacts) {
        if (!c.is_with_obstacle() || (-c.b - 1) % 3 == 0 || c.bridge >= 0) continue;
        const auto f = std::lower_bound(found.begin(), found.end(), c);
        if (f == found.end() || c < *f) continue;
        if (contact_depth(*f, motion) <= std::max(0.0, contact_depth(c, motion)) + allowed) continue;
        c.s = f->s;
        c.normal = f->normal;
        c.gap = f->gap;
        c.carried = f->carried;
        any = true;
    }
    return any;
}

DeepEdges count_deep_edges(const StrandEdges& edges, const StrandMotion& motion,
                           std::span<const StrandObstacle> obstacles, std::span<const StrandContact> contacts,
                           double missed, double bearable)
{
    const auto is_held = [&](std::int32_t v) {
        return !motion.hold.empty() && motion.hold[static_cast<std::size_t>(v)] != Hold::Free;
    };
    const auto is_looked_at = [&](std::size_t i) {
        const StrandContact& c = contacts[i];
        if (!c.is_with_obstacle() || c.bridge >= 0 || is_held(c.a) || is_held(c.a + 1)) return false;
        // Those of an edge and an obstacle follow each other.
        return i == 0 || contacts[i - 1].a != c.a || !contacts[i - 1].is_with_obstacle() ||
               contacts[i - 1].obstacle() != c.obstacle() || contacts[i - 1].bridge >= 0;
    };
    std::vector<double> depth(contacts.size(), 0.0); // as a part of the radius, of those that the step took there
    parallel_for(
        static_cast<std::int64_t>(contacts.size()), "deep edges",
        [&](std::int64_t i) {
            const auto k = static_cast<std::size_t>(i);
            if (!is_looked_at(k)) return;
            const StrandContact& c = contacts[k];
            const StrandObstacle& o = obstacles[c.obstacle()];
            const double radius = radius_of(edges, c.a);
            const double end = depth_in(*o.shape, o.end, segment_at(motion.end, c.a), radius) / radius;
            if (end <= missed) return;
            const double start = depth_in(*o.shape, o.start, segment_at(motion.start, c.a), radius) / radius;
            if (start > bearable || (start > missed && end <= start + kDeeperThanBefore)) return;
            // No force keeps it out of two solids that close on it: that is missed, and no reason to try again.
            const bool is_pinched = std::ranges::any_of(obstacles, [&](const StrandObstacle& other) {
                return &other != &o && is_between(o, end * radius, other, segment_at(motion.end, c.a), radius);
            });
            depth[k] = is_pinched ? std::min(end, bearable) : end;
        },
        kDeepGrain);
    DeepEdges deep;
    for (std::size_t k = 0; k < depth.size(); ++k) {
        const double d = depth[k];
        deep.n_unbearable += d > bearable ? 1 : 0;
        deep.n_missed += d > missed && d <= bearable ? 1 : 0;
        if (d > bearable) deep.deepest = std::max(deep.deepest, d * radius_of(edges, contacts[k].a));
    }
    return deep;
}

} // namespace rivulet
