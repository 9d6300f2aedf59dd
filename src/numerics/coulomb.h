#pragma once

#include "base/vec.h"

namespace rivulet {

/// Coulomb's law at one contact, in its own frame: component 0 along the normal, 1 and 2 across it. A force r lies in
/// the cone |r_T| <= friction r_N; with the relative motion v it must be one of
///   open:  r = 0, v_N >= 0;   stick: v = 0, r in the cone;   slide: v_N = 0, r on the cone, v_T against r_T.
/// All three are K(friction) contains r, orthogonal to v + friction |v_T| n, which the dual cone contains
/// [DeSaxce 1998].

/// The point of the cone that is nearest to r.
[[nodiscard]] Vec3 project_on_cone(const Vec3& r, double friction);

/// v + friction |v_T| n.
[[nodiscard]] Vec3 shifted_motion(const Vec3& v, double friction);

/// How far r and v are from the law, as a motion: |r - P(r - shifted(v) / compliance)| compliance with P the projection
/// on the cone. 0 exactly where the law holds.
[[nodiscard]] double coulomb_residual(const Vec3& r, const Vec3& v, double friction, double compliance);

/// The force r that makes v = W r + b obey the law, for a symmetric positive definite compliance W: take off, stick,
/// or slide with the multiplier that puts r on the cone [Daviet 2011].
[[nodiscard]] Vec3 solve_coulomb(const Mat3& compliance, const Vec3& free_motion, double friction);

} // namespace rivulet
