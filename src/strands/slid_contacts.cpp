#include "strands/slid_contacts.h"

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

Segment segment_at(std::span<const Vec3> x, std::int32_t v)
{
    return {x[static_cast<std::size_t>(v)], x[static_cast<std::size_t>(v) + 1]};
}
double radius_of(const StrandEdges& edges, std::int32_t v)
{
    const auto e = std::lower_bound(edges.vertex.begin(), edges.vertex.end(), v) - edges.vertex.begin();
    return edges.radius[static_cast<std::size_t>(e)];
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

} // namespace rivulet
