#pragma once

#include "base/vec.h"

#include <cmath>

namespace rivulet {

/// Rows: the normal and two directions across it, so that local = frame * world.
[[nodiscard]] inline Mat3 contact_frame(const Vec3& n)
{
    const Vec3 across = n.cross(std::abs(n.x()) < 0.6 ? Vec3::UnitX() : Vec3::UnitY()).normalized();
    Mat3 frame;
    frame << n.transpose(), across.transpose(), n.cross(across).transpose();
    return frame;
}

} // namespace rivulet
