#pragma once

#include <Eigen/Dense>

#include <cstdint>

namespace rivulet {

using Vec3 = Eigen::Vector3d;
using Vec3i = Eigen::Vector3i;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;

/// Axis-aligned box [lower, upper]; empty when a lower bound exceeds its upper one.
struct Aabb {
    Vec3 lower = Vec3::Constant(1e300);  ///< [m]
    Vec3 upper = Vec3::Constant(-1e300); ///< [m]

    [[nodiscard]] bool is_empty() const { return (lower.array() > upper.array()).any(); }
    [[nodiscard]] Vec3 size() const { return upper - lower; }
    [[nodiscard]] Vec3 centre() const { return 0.5 * (lower + upper); }
    [[nodiscard]] bool contains(const Vec3& x) const
    {
        return (x.array() >= lower.array()).all() && (x.array() <= upper.array()).all();
    }
    [[nodiscard]] bool overlaps(const Aabb& b) const
    {
        return (lower.array() <= b.upper.array()).all() && (b.lower.array() <= upper.array()).all();
    }
    void include(const Vec3& x)
    {
        lower = lower.cwiseMin(x);
        upper = upper.cwiseMax(x);
    }
    [[nodiscard]] Aabb dilated(double margin) const
    {
        return {lower - Vec3::Constant(margin), upper + Vec3::Constant(margin)};
    }
};

} // namespace rivulet
