#include "scene/strand_joints.h"

#include <algorithm>

namespace rivulet {

NearestPlace nearest_place(const Vec3& x, const Curves& curves, std::size_t except)
{
    NearestPlace nearest;
    for (std::size_t s = 0; s < curves.size(); ++s) {
        if (s == except) continue;
        const std::span<const Vec3> points = curves[s];
        for (std::size_t k = 0; k + 1 < points.size(); ++k) {
            const Vec3 edge = points[k + 1] - points[k];
            const double at = std::clamp(edge.dot(x - points[k]) / edge.squaredNorm(), 0.0, 1.0);
            const double distance = (points[k] + at * edge - x).norm();
            if (distance < nearest.distance) nearest = {s, k, at, distance};
        }
    }
    return nearest;
}

} // namespace rivulet
