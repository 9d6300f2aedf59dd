#include "numerics/coulomb.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

using Vec2 = Eigen::Vector2d;
using Mat2 = Eigen::Matrix2d;

constexpr int kMaxSteps = 100;
/// Of the multiplier; beyond it rounding only moves it to and fro.
constexpr double kPrecision = 1e-12;

double across(const Vec3& v) { return std::sqrt(v[1] * v[1] + v[2] * v[2]); }

/// Sliding forces as a function of the multiplier a in v_T = -a r_T, normal motion eliminated.
struct Sliding {
    Vec2 axis0, axis1;     ///< eigenvectors of the tangential compliance
    double value0, value1; ///< and its eigenvalues
    Vec2 motion;           ///< tangential, without tangential forces
    Vec2 coupling;         ///< of the normal motion to tangential forces
    double normal, w;      ///< free normal motion and compliance
    double friction;

    [[nodiscard]] Vec2 tangential(double a) const
    {
        return -(axis0.dot(motion) / (value0 + a)) * axis0 - (axis1.dot(motion) / (value1 + a)) * axis1;
    }
    [[nodiscard]] double normal_force(const Vec2& t) const { return -(normal + coupling.dot(t)) / w; }
    struct Excess {
        double value; ///< positive while the force is outside the cone
        double slope;
    };
    [[nodiscard]] Excess excess(double a) const
    {
        const double c0 = axis0.dot(motion) / (value0 + a), c1 = axis1.dot(motion) / (value1 + a);
        const Vec2 t = -c0 * axis0 - c1 * axis1, change = (c0 / (value0 + a)) * axis0 + (c1 / (value1 + a)) * axis1;
        const double size = t.norm();
        return {size - friction * normal_force(t),
                (size > 0 ? t.dot(change) / size : 0) + friction * coupling.dot(change) / w};
    }
};

Sliding sliding(const Mat3& c, const Vec3& b, double friction)
{
    const Vec2 coupling = c.block<2, 1>(1, 0);
    const Mat2 m = c.block<2, 2>(1, 1) - coupling * coupling.transpose() / c(0, 0);
    const double half = 0.5 * (m(0, 0) - m(1, 1)), radius = std::hypot(half, m(0, 1));
    const double mean = 0.5 * (m(0, 0) + m(1, 1));
    const double angle = 0.5 * std::atan2(m(0, 1), half);
    const Vec2 axis(std::cos(angle), std::sin(angle));
    return {axis,
            Vec2(-axis.y(), axis.x()),
            mean + radius,
            std::max(mean - radius, 1e-15 * mean),
            Vec2(b.tail<2>() - coupling * (b[0] / c(0, 0))),
            coupling,
            b[0],
            c(0, 0),
            friction};
}

} // namespace

Vec3 solve_coulomb(const Mat3& compliance, const Vec3& free_motion, double friction)
{
    if (free_motion[0] >= 0) return Vec3::Zero();
    Vec3 stick = -compliance.ldlt().solve(free_motion);
    if (across(stick) <= friction * stick[0]) return stick;
    const Sliding s = sliding(compliance, free_motion, friction);
    // The excess is positive at 0 (else it would stick) and negative for large multipliers (else it would take off):
    // Newton between bounds that close in.
    double low = 0, high = 1e30 * s.value0, a = 0;
    for (int i = 0; i < kMaxSteps; ++i) {
        const Sliding::Excess e = s.excess(a);
        (e.value > 0 ? low : high) = a;
        const double next = a - e.value / e.slope;
        const bool is_inside = next > low && next < high;
        const double before = a;
        a = is_inside ? next : high < 1e29 * s.value0 ? 0.5 * (low + high) : 4 * low + s.value0;
        if (std::abs(a - before) <= kPrecision * a) break;
    }
    const Vec2 t = s.tangential(a);
    return {s.normal_force(t), t.x(), t.y()};
}

} // namespace rivulet
