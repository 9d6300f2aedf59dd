#pragma once

#include "base/vec.h"

#include <vector>

namespace rivulet {

/// Rigid placement: x_world = rotation * x_body + position.
struct Pose {
    Vec3 position = Vec3::Zero(); ///< [m]
    Quat rotation = Quat::Identity();

    [[nodiscard]] Vec3 to_world(const Vec3& x) const { return rotation * x + position; }
    [[nodiscard]] Vec3 to_body(const Vec3& x) const { return rotation.conjugate() * (x - position); }
};

/// Rigid velocity: of the body's origin, and angular.
struct Twist {
    Vec3 linear = Vec3::Zero();  ///< [m/s], of the point `Pose::position`
    Vec3 angular = Vec3::Zero(); ///< [rad/s]

    [[nodiscard]] Vec3 velocity_at(const Vec3& x, const Pose& pose) const
    {
        return linear + angular.cross(x - pose.position);
    }
};

/// How a motion goes from one keyframe to the next. Smooth = 3s^2 - 2s^3; In/Out = quadratic; Step = jumps at the end
/// of the interval (velocity zero).
enum class Easing { Linear, Smooth, In, Out, Step };

struct Keyframe {
    double time = 0;                ///< [s]
    Vec3 position = Vec3::Zero();   ///< [m]
    Vec3 rotation = Vec3::Zero();   ///< rotation vector (axis * angle) [rad]; angles beyond pi are turned through
    Easing easing = Easing::Linear; ///< from this keyframe to the next
};

/// Scripted rigid motion: keyframes (held before the first and after the last), then a steady drift and spin on top.
/// No keyframe and no drift: at rest at the origin.
struct Motion {
    std::vector<Keyframe> keyframes; ///< times strictly increasing
    Vec3 drift = Vec3::Zero();       ///< steady linear velocity added to the keyframes' [m/s]
    Vec3 spin = Vec3::Zero();        ///< steady angular velocity about the body's origin, world axes [rad/s]

    [[nodiscard]] Pose pose(double time) const;
    /// Exact time derivative of pose(time) (from the right at a keyframe).
    [[nodiscard]] Twist twist(double time) const;
    [[nodiscard]] bool is_static() const;
};

} // namespace rivulet
