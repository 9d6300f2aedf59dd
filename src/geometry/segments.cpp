#include "geometry/segments.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rivulet {
namespace {

/// Squared sine of the angle below which segments count as parallel.
constexpr double kParallel = 1e-10;
/// Part of the reach by which a touch may be reported early.
constexpr double kEarly = 0.01;
constexpr int kMaxAdvances = 200;
/// Halvings of the time in which segments go through each other, and how near they are then, as a part of their
/// lengths.
constexpr int kTimeHalvings = 60;
constexpr double kMeeting = 1e-7;

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

/// Volume that two moving segments span, a cubic in time: 0 when they lie in one plane.
class SpannedVolume {
public:
    SpannedVolume(const Segment& p0, const Segment& p1, const Segment& q0, const Segment& q1)
    {
        const std::array<Vec3, 2> u{p0.b - p0.a, p1.b - p1.a}, v{q0.b - q0.a, q1.b - q1.a}, w{p0.a - q0.a, p1.a - q1.a};
        const auto volume = [&](std::size_t i, std::size_t j, std::size_t k) { return u[i].cross(v[j]).dot(w[k]); };
        bernstein_ = {volume(0, 0, 0), (volume(1, 0, 0) + volume(0, 1, 0) + volume(0, 0, 1)) / 3,
                      (volume(1, 1, 0) + volume(1, 0, 1) + volume(0, 1, 1)) / 3, volume(1, 1, 1)};
    }
    [[nodiscard]] double at(double time) const
    {
        const double rest = 1 - time;
        return rest * rest * (rest * bernstein_[0] + 3 * time * bernstein_[1]) +
               time * time * (3 * rest * bernstein_[2] + time * bernstein_[3]);
    }
    /// Whether it surely keeps its sign.
    [[nodiscard]] bool keeps_sign() const
    {
        const auto [low, high] = std::minmax_element(bernstein_.begin(), bernstein_.end());
        return *low > 0 || *high < 0;
    }
    /// Calls visit(time, was_positive) for each time at which it changes sign, in order.
    template <class Visit>
    void each_change(Visit&& visit) const
    {
        // Its slope is a quadratic in time: between the zeros of that it rises or falls.
        const double d0 = bernstein_[1] - bernstein_[0], d1 = bernstein_[2] - bernstein_[1],
                     d2 = bernstein_[3] - bernstein_[2];
        const double a = d0 - 2 * d1 + d2, b = d1 - d0, root = b * b - a * d0;
        std::array<double, 4> ends{0, 0, 0, 1};
        if (root >= 0) {
            const double q = -(b + std::copysign(std::sqrt(root), b));
            ends[1] = a != 0 ? clamp01(q / a) : 0;
            ends[2] = q != 0 ? clamp01(d0 / q) : 0;
            if (ends[1] > ends[2]) std::swap(ends[1], ends[2]);
        }
        for (std::size_t i = 0; i + 1 < ends.size(); ++i)
            if (const bool was_positive = at(ends[i]) > 0; was_positive != (at(ends[i + 1]) > 0))
                visit(change_between(ends[i], ends[i + 1]), was_positive);
    }

private:
    [[nodiscard]] double change_between(double low, double high) const
    {
        const bool is_positive = at(low) > 0;
        for (int i = 0; i < kTimeHalvings; ++i) {
            const double middle = 0.5 * (low + high);
            ((at(middle) > 0) == is_positive ? low : high) = middle;
        }
        return high;
    }

    std::array<double, 4> bernstein_{};
};

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

std::optional<SegmentTouch> passed_through(const Segment& p0, const Segment& p1, const Segment& q0, const Segment& q1)
{
    const SpannedVolume volume(p0, p1, q0, q1);
    if (volume.keeps_sign()) return {};
    std::optional<SegmentTouch> passed;
    volume.each_change([&](double time, bool was_positive) {
        const Segment p = between(p0, p1, time), q = between(q0, q1, time);
        const NearestPoints nearest = nearest_points(p, q);
        const Vec3 u = p.b - p.a, v = q.b - q.a, across = u.cross(v);
        if (nearest.distance > kMeeting * (u.norm() + v.norm()) || !(across.norm() > 0)) return;
        if (passed) { // and back
            passed.reset();
            return;
        }
        passed = SegmentTouch{time, nearest.s, nearest.t, (was_positive ? 1 : -1) * across.normalized()};
    });
    return passed;
}

} // namespace rivulet
