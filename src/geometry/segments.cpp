#include "geometry/segments.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Squared sine of the angle below which segments count as parallel.
constexpr double kParallel = 1e-10;
/// Part of the reach by which a touch may be reported early.
constexpr double kEarly = 0.01;
constexpr int kMaxAdvances = 200;

double clamp01(double x) { return std::clamp(x, 0.0, 1.0); }

Segment between(const Segment& from, const Segment& to, double time)
{
    return {from.a + time * (to.a - from.a), from.b + time * (to.b - from.b)};
}

/// Direction from q to p; of lines that cross each other, the common perpendicular.
Vec3 normal_of(const Segment& p, const Segment& q, const NearestPoints& nearest)
{
    const Vec3 u = p.b - p.a, v = q.b - q.a;
    if (nearest.distance > 1e-9 * (u.norm() + v.norm())) return nearest.offset / nearest.distance;
    const Vec3 normal = u.cross(v);
    if (normal.squaredNorm() > kParallel * u.squaredNorm() * v.squaredNorm()) return normal.normalized();
    return u.cross(std::abs(u.x()) < 0.7 * u.norm() ? Vec3::UnitX() : Vec3::UnitY()).normalized();
}

} // namespace

NearestPoints nearest_points(const Segment& p, const Segment& q)
{
    const Vec3 u = p.b - p.a, v = q.b - q.a, w = p.a - q.a;
    const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v), uw = u.dot(w), vw = v.dot(w);
    const double determinant = uu * vv - uv * uv;
    NearestPoints n;
    if (determinant > kParallel * uu * vv) {
        n.s = clamp01((uv * vw - vv * uw) / determinant);
    } else { // q's ends seen from p, and the middle of what p and q share
        const double first = -uw / uu, second = (uv - uw) / uu;
        const double low = clamp01(std::min(first, second)), high = clamp01(std::max(first, second));
        n.s = 0.5 * (low + high);
    }
    n.t = vv > 0 ? (uv * n.s + vw) / vv : 0;
    if (n.t < 0 || n.t > 1) {
        n.t = clamp01(n.t);
        n.s = uu > 0 ? clamp01((uv * n.t - uw) / uu) : 0;
    }
    n.offset = w + n.s * u - n.t * v;
    n.distance = n.offset.norm();
    return n;
}

double largest_approach(const Segment& p0, const Segment& p1, const Segment& q0, const Segment& q1)
{
    // What all ends share does not change the distance.
    const Vec3 pa = p1.a - p0.a, pb = p1.b - p0.b, qa = q1.a - q0.a, qb = q1.b - q0.b;
    const Vec3 common = 0.25 * (pa + pb + qa + qb);
    return std::sqrt(std::max((pa - common).squaredNorm(), (pb - common).squaredNorm())) +
           std::sqrt(std::max((qa - common).squaredNorm(), (qb - common).squaredNorm()));
}

std::optional<SegmentTouch> first_touch(const Segment& p0, const Segment& p1, const Segment& q0, const Segment& q1,
                                        double reach)
{
    const double way = largest_approach(p0, p1, q0, q1);
    double time = 0;
    for (int i = 0; i < kMaxAdvances; ++i) {
        const Segment p = between(p0, p1, time), q = between(q0, q1, time);
        const NearestPoints nearest = nearest_points(p, q);
        const double room = nearest.distance - reach;
        if (room <= kEarly * reach) return SegmentTouch{time, nearest.s, nearest.t, normal_of(p, q, nearest)};
        if (room > (1 - time) * way) return std::nullopt;
        time += room / way;
    }
    const Segment p = between(p0, p1, time), q = between(q0, q1, time);
    const NearestPoints nearest = nearest_points(p, q);
    return SegmentTouch{time, nearest.s, nearest.t, normal_of(p, q, nearest)};
}

} // namespace rivulet
