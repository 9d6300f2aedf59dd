#pragma once

#include "contact/cone_solver.h"

namespace rivulet {

/// What solve_cones() finds, by Newton's method on the motion of the bodies: contacts are springs along three axes that
/// know their force from the step before (augmented Lagrangian), and bridges the slope of their curves. Where bridges
/// and contacts press against each other with forces that could move a body by a thousand times the tolerance, sweeps
/// over single contacts find their balance only little by little; here all of them give way at once.
///
/// `axes` is the compliance of the same places with every contact named once for each of its n_axes(), one after the
/// other. An iteration is a step of Newton's method.
ConeSolution spring_cones(std::span<const ConeContact> contacts, ContactCompliance& compliance, ContactCompliance& axes,
                          const ConeOptions& options, std::span<const Vec3> guess, std::span<Vec3> force,
                          std::span<Vec3> motion);

} // namespace rivulet
