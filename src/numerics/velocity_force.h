#pragma once

#include "base/vec.h"

#include <array>

namespace rivulet {

/// A force that is linear in the velocity of what it acts on: push - drag v. `drag` holds xx xy xz yy yz zz of a
/// symmetric matrix.
struct VelocityForce {
    std::array<double, 6> drag{}; ///< [N s/m]
    Vec3 push = Vec3::Zero();     ///< [N]

    /// Adds c n n^T to the matrix.
    void add_drag(double c, const Vec3& n)
    {
        drag[0] += c * n.x() * n.x();
        drag[1] += c * n.x() * n.y();
        drag[2] += c * n.x() * n.z();
        drag[3] += c * n.y() * n.y();
        drag[4] += c * n.y() * n.z();
        drag[5] += c * n.z() * n.z();
    }
    void add_drag(double c)
    {
        for (const std::size_t i : {std::size_t{0}, std::size_t{3}, std::size_t{5}}) drag[i] += c;
    }
    [[nodiscard]] Vec3 times_drag(const Vec3& v) const
    {
        return {drag[0] * v.x() + drag[1] * v.y() + drag[2] * v.z(),
                drag[1] * v.x() + drag[3] * v.y() + drag[4] * v.z(),
                drag[2] * v.x() + drag[4] * v.y() + drag[5] * v.z()};
    }
    [[nodiscard]] Vec3 at(const Vec3& velocity) const { return push - times_drag(velocity); }
};

} // namespace rivulet
