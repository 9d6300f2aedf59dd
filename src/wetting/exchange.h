#pragma once

#include "base/vec.h"

namespace rivulet {

/// What passes between a strand and the liquid around it: drag, drops that are caught, drops that fall off.

/// Resistance along a strand and across it.
struct StrandDrag {
    double along = 0, across = 0;
};
/// Drag on a strand among others of volume fraction phi, per length, viscosity and speed [1] [Fei 2017]. The fit is
/// good for phi from 1e-3 to 0.4, and phi is taken into that range.
[[nodiscard]] StrandDrag strand_drag(double volume_fraction);

/// Force of the liquid on the strand per length and slip [N s/m^2], at slips of this size: what the force is divided by
/// the slip, along and across the strand.
[[nodiscard]] StrandDrag drag_coefficients(const StrandDrag& drag, double radius, double density, double viscosity,
                                           double slip);

/// Force of the liquid on the strand per length [N/m], for the slip = velocity of the liquid less that of the strand:
///   f = mu A slip + r B |slip| slip,   A = across I + (along - across) e e^T,   B = 1.75/sqrt(150) rho A^(1/2)
[[nodiscard]] Vec3 drag_force(const StrandDrag& drag, double radius, double density, double viscosity,
                              const Vec3& tangent, const Vec3& slip);

/// The largest volume [m^3] that strands hold against an acceleration across them [Lorenceau 2004]:
///   V = 4 pi sigma sqrt(sum r^2) / (rho a)
/// `squares` is the sum of r^2 over the strands that hold it [m^2]. Infinite without acceleration.
[[nodiscard]] double held_volume(double squares, double surface_tension, double density, double acceleration);

/// The largest volume [m^3] that hangs from the tip of a strand: surface tension along its rim carries it, Tate's law
///   V = 2 pi r sigma / (rho a)
[[nodiscard]] double hanging_volume(double radius, double surface_tension, double density, double acceleration);

/// One vertex of a strand with its film.
struct WetVertex {
    double strand_mass = 0;       ///< [kg]
    double film_mass = 0;         ///< [kg]
    Vec3 velocity = Vec3::Zero(); ///< of the strand [m/s]
    double flow = 0;              ///< of the film along the tangent, relative to the strand [m/s]
};
[[nodiscard]] Vec3 momentum(const WetVertex& vertex, const Vec3& tangent);

/// The vertex after it caught liquid of this mass and momentum: across the strand all move together, along it only the
/// film changes. Mass and momentum of the whole stay what they were.
[[nodiscard]] WetVertex with_caught(const WetVertex& vertex, const Vec3& tangent, double mass, const Vec3& caught);

/// The vertex after liquid of this mass, at most that of the film, fell off with the film's velocity; `lost` is its
/// momentum.
[[nodiscard]] WetVertex with_shed(const WetVertex& vertex, const Vec3& tangent, double mass, Vec3& lost);

} // namespace rivulet
