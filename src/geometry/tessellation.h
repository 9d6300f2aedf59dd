#pragma once

#include "base/vec.h"
#include "geometry/triangle_mesh.h"

#include <span>

namespace rivulet {

/// Right-handed frame for surfaces of revolution: `w` is the axis.
struct AxisFrame {
    Vec3 origin = Vec3::Zero(); ///< [m]
    Vec3 u = Vec3::UnitX();
    Vec3 v = Vec3::UnitY();
    Vec3 w = Vec3::UnitZ();
};

/// Frame about a unit axis; u is chosen away from the axis.
[[nodiscard]] AxisFrame make_axis_frame(const Vec3& origin, const Vec3& unit_axis);

/// Point of a profile that is turned about the axis.
struct ProfilePoint {
    double radius; ///< [m]; exactly 0 on the axis
    double height; ///< along the axis from the frame's origin [m]
};

/// Number of pieces of about `edge` along `length`, within [fewest, 1024].
[[nodiscard]] int count_pieces(double length, double edge, int fewest);

/// Surface of revolution with `n_around` columns. The solid lies to the left of the profile seen with the axis upward
/// and the radius to the right. Not closed: both ends on the axis. Closed: the last point joins the first.
[[nodiscard]] TriangleMesh revolve(const AxisFrame& frame, std::span<const ProfilePoint> profile, bool is_closed,
                                   int n_around);

/// Box with its faces cut into pieces of about `edge`.
[[nodiscard]] TriangleMesh tessellate_box(const Aabb& box, double edge);

} // namespace rivulet
