#include "contact/edge_overlap.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Part of an edge.
struct Part {
    double begin = 0, end = 1;

    [[nodiscard]] double size() const { return std::max(end - begin, 0.0); }
    [[nodiscard]] double middle() const { return 0.5 * (begin + end); }
    /// Where low <= offset + slope s <= high.
    void clip(double offset, double slope, double low, double high)
    {
        if (slope == 0) {
            if (offset < low || offset > high) end = begin;
            return;
        }
        const double first = (low - offset) / slope, second = (high - offset) / slope;
        begin = std::max(begin, std::min(first, second));
        end = std::min(end, std::max(first, second));
    }
};

/// Points s of p seen from q: at t0 + t1 s along it, |c0 + s c1| away from its line.
struct View {
    View(const Segment& p, const Segment& q)
    {
        const Vec3 v = q.b - q.a;
        const double scale = 1 / v.squaredNorm();
        t0 = scale * v.dot(p.a - q.a);
        t1 = scale * v.dot(p.b - p.a);
        c0 = p.a - q.a - t0 * v;
        c1 = p.b - p.a - t1 * v;
    }
    [[nodiscard]] Part near_part(double range, double softness) const
    {
        Part part;
        part.clip(t0, t1, 0, 1);
        // |c0 + s c1|^2 < range^2 about its least, at s = middle.
        const double cc = c1.squaredNorm();
        const double middle = cc > 0 ? -c0.dot(c1) / cc : 0;
        const double room = range * range - (c0 + middle * c1).squaredNorm();
        if (room <= 0) return {0, 0};
        if (cc > 0) {
            const double soft = (1 + softness) * room / (room + softness * range * range);
            const double half = std::sqrt(room / cc * soft);
            part.clip(0, 1, middle - half, middle + half);
        }
        return part;
    }

    double t0, t1;
    Vec3 c0, c1;
};

} // namespace

std::optional<EdgeOverlap> edge_overlap(const Segment& p, const Segment& q, double range, double softness)
{
    const View p_from_q(p, q), q_from_p(q, p);
    const Part on_p = p_from_q.near_part(range, softness), on_q = q_from_p.near_part(range, softness);
    const double length_p = on_p.size() * (p.b - p.a).norm(), length_q = on_q.size() * (q.b - q.a).norm();
    const double sum = length_p + length_q;
    if (sum <= 0) return {};
    const double share = length_p / sum;
    const double s = on_p.middle(), t = on_q.middle();
    const double s_other = q_from_p.t0 + q_from_p.t1 * t, t_other = p_from_q.t0 + p_from_q.t1 * s;
    EdgeOverlap overlap{0, 0, 0.5 * sum};
    if (share > 0) {
        overlap.s += share * s;
        overlap.t += share * t_other;
    }
    if (share < 1) {
        overlap.s += (1 - share) * s_other;
        overlap.t += (1 - share) * t;
    }
    overlap.s = std::clamp(overlap.s, 0.0, 1.0);
    overlap.t = std::clamp(overlap.t, 0.0, 1.0);
    return overlap;
}

} // namespace rivulet
