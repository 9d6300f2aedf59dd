#include "geometry/shape.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>

namespace rivulet {

Vec3 Shape::normal(const Vec3& x) const
{
    // Step: small against the scale of the coordinates, large against their rounding.
    const double step = 1e-5 * std::max(1e-3, x.cwiseAbs().maxCoeff());
    Vec3 gradient;
    for (int axis = 0; axis < 3; ++axis) {
        const Vec3 offset = step * Vec3::Unit(axis);
        gradient[axis] = distance(x + offset) - distance(x - offset);
    }
    const double length = gradient.norm();
    if (length > 0) return gradient / length;
    return Vec3::UnitZ();
}

} // namespace rivulet
