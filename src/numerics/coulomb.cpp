#include "numerics/coulomb.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

constexpr int kMaxSteps = 100;
/// Of the multiplier; beyond it rounding only moves it to and fro.
constexpr double kPrecision = 1e-12;

Eigen::Vector2d across(const Eigen::Vector2d& axis) { return {-axis.y(), axis.x()}; }

} // namespace

CoulombContact::CoulombContact(const Mat3& compliance, double friction) : normal_(compliance(0, 0)), friction_(friction)
{
    const Vec2 coupling = compliance.block<2, 1>(1, 0);
    const Eigen::Matrix2d m = compliance.block<2, 2>(1, 1) - coupling * coupling.transpose() / normal_;
    const double half = 0.5 * (m(0, 0) - m(1, 1)), mean = 0.5 * (m(0, 0) + m(1, 1));
    const double radius = std::hypot(half, m(0, 1)), angle = 0.5 * std::atan2(m(0, 1), half);
    axis_ = {std::cos(angle), std::sin(angle)};
    tangential_ = {mean + radius, std::max(mean - radius, 1e-15 * mean)};
    coupling_ = {axis_.dot(coupling), across(axis_).dot(coupling)};
}

Vec3 CoulombContact::solve(const Vec3& free_motion, double& multiplier) const
{
    const double normal_motion = free_motion[0];
    if (normal_motion >= 0) return Vec3::Zero();
    const Vec2 b = free_motion.tail<2>();
    // Tangential motion without tangential forces, in the axes of the compliance.
    const Vec2 motion = Vec2(axis_.dot(b), across(axis_).dot(b)) - (normal_motion / normal_) * coupling_;
    // With v_T = -a r_T, tangential forces are:
    const auto tangential = [&](double a) { return Vec2(-motion.array() / (tangential_.array() + a)); };
    const auto normal = [&](const Vec2& t) { return -(normal_motion + coupling_.dot(t)) / normal_; };
    const auto force = [&](const Vec2& t) {
        const Vec2 plane = t[0] * axis_ + t[1] * across(axis_);
        return Vec3(normal(t), plane.x(), plane.y());
    };
    const Vec2 stick = tangential(0);
    if (stick.norm() <= friction_ * normal(stick)) return force(stick);

    // The force is outside the cone at 0 (else it would stick) and inside for large multipliers (else it would take
    // off): Newton between bounds that close in.
    const double widest = 1e30 * tangential_[0];
    double low = 0, high = widest, a = multiplier > 0 && multiplier < widest ? multiplier : 0;
    for (int i = 0; i < kMaxSteps; ++i) {
        const Vec2 t = tangential(a), slope = -t.array() / (tangential_.array() + a);
        const double size = t.norm();
        const double excess = size - friction_ * normal(t);
        const double change = (size > 0 ? t.dot(slope) / size : 0) + friction_ * coupling_.dot(slope) / normal_;
        (excess > 0 ? low : high) = a;
        const double next = a - excess / change, before = a;
        const bool is_inside = next > low && next < high;
        a = is_inside ? next : high < 0.1 * widest ? 0.5 * (low + high) : 4 * low + tangential_[0];
        if (std::abs(a - before) <= kPrecision * a) break;
    }
    multiplier = a;
    return force(tangential(a));
}

Vec3 solve_coulomb(const Mat3& compliance, const Vec3& free_motion, double friction)
{
    double multiplier = 0;
    return CoulombContact(compliance, friction).solve(free_motion, multiplier);
}

} // namespace rivulet
