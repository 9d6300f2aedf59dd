#pragma once

#include "base/vec.h"

#include <cmath>

namespace rivulet {

/// Coulomb's law at one contact, in its own frame: component 0 along the normal, 1 and 2 across it. A force r lies in
/// the cone |r_T| <= friction r_N; with the relative motion v it must be one of
///   open:  r = 0, v_N >= 0;   stick: v = 0, r in the cone;   slide: v_N = 0, r on the cone, v_T against r_T.
/// All three are K(friction) contains r, orthogonal to v + friction |v_T| n, which the dual cone contains
/// [DeSaxce 1998].

/// The point of the cone about `normal` that is nearest to r.
[[nodiscard]] inline Vec3 project_on_cone(const Vec3& r, const Vec3& normal, double friction)
{
    const double along = normal.dot(r);
    const Vec3 across = r - along * normal;
    const double size = across.norm();
    if (size <= friction * along) return r;
    if (friction * size <= -along) return Vec3::Zero();
    const double projected = (along + friction * size) / (1 + friction * friction);
    return projected * normal + (friction * projected / size) * across;
}

/// v + friction |v_T| n.
[[nodiscard]] inline Vec3 shifted_motion(const Vec3& v, const Vec3& normal, double friction)
{
    return v + friction * (v - normal.dot(v) * normal).norm() * normal;
}

/// How far r and v are from the law, as a motion: |r - P(r - shifted(v) / compliance)| compliance with P the projection
/// on the cone. 0 exactly where the law holds.
[[nodiscard]] inline double coulomb_residual(const Vec3& r, const Vec3& v, const Vec3& normal, double friction,
                                             double compliance)
{
    const Vec3 wanted = r - shifted_motion(v, normal, friction) / compliance;
    return compliance * (r - project_on_cone(wanted, normal, friction)).norm();
}

/// The same in the contact's own frame.
[[nodiscard]] inline Vec3 project_on_cone(const Vec3& r, double friction)
{
    return project_on_cone(r, Vec3::UnitX(), friction);
}
[[nodiscard]] inline double coulomb_residual(const Vec3& r, const Vec3& v, double friction, double compliance)
{
    return coulomb_residual(r, v, Vec3::UnitX(), friction, compliance);
}

/// The force r that makes v = W r + b obey the law, for a symmetric positive definite compliance W: take off, stick,
/// or slide with the multiplier that puts r on the cone [Daviet 2011].
[[nodiscard]] Vec3 solve_coulomb(const Mat3& compliance, const Vec3& free_motion, double friction);

} // namespace rivulet
