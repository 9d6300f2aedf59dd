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

/// One contact whose motion is v = W r + b, with a symmetric positive definite compliance W: takes off, sticks, or
/// slides with the multiplier that puts r on the cone [Daviet 2011]. All that depends on W alone is worked out once.
class CoulombContact {
public:
    CoulombContact(const Mat3& compliance, double friction);

    /// The force r that makes the motion obey the law. A search for the multiplier begins at `multiplier`, where it is
    /// left for the next.
    [[nodiscard]] Vec3 solve(const Vec3& free_motion, double& multiplier) const;

private:
    using Vec2 = Eigen::Vector2d;

    double normal_;   ///< compliance along the normal [m/N]
    Vec2 axis_;       ///< in the tangent plane, of the larger compliance; the other is across it
    Vec2 tangential_; ///< compliances along both, normal motion eliminated [m/N]
    Vec2 coupling_;   ///< motion along the normal for forces along both [m/N]
    double friction_;
};

/// The same for a contact that is solved once.
[[nodiscard]] Vec3 solve_coulomb(const Mat3& compliance, const Vec3& free_motion, double friction);

} // namespace rivulet
