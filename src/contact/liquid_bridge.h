#pragma once

#include <optional>

namespace rivulet {

/// Liquid between two parallel cylinders, or a cylinder and a plane, per length of them: both menisci are arcs of one
/// radius R, for gravity does not count at this size. Derivation, figures: docs/theory/wetting.md. Model [Fei 2017],
/// with what docs/theory/wetting.md corrects.
///
///   alpha_i  half angle of the wetted arc of cylinder i, counted from the line of centres
///   psi_i = theta_i + alpha_i,  beta = (pi - psi_a - psi_b)/2,  delta = (psi_a - psi_b)/2
///   X = gap + sum r_i (1 - cos alpha_i)      distance of the two ends of a meniscus along the line of centres
///   1/R = (cos psi_a + cos psi_b) / X        positive = concave: the liquid is under suction
///
/// The pressure has one value, so both ends of a meniscus lie on one circle: r_b sin alpha_b = r_a sin alpha_a +
/// X tan delta. Nothing here is singular where the menisci are flat (beta = 0).
struct BridgeSide {
    double radius = 0;        ///< r [m]; infinity = plane
    double contact_angle = 0; ///< theta [rad], 0 ... pi
};
/// a is a strand, so its radius is finite; b a strand, a solid or a plane.
struct BridgeSides {
    BridgeSide a, b;
};

struct BridgeShape {
    double angle_a = 0;   ///< alpha_a [rad]
    double arc_b = 0;     ///< half of the wetted contour of b, r_b alpha_b [m]
    double curvature = 0; ///< 1/R [1/m]
    double area = 0;      ///< of the cross-section A_L [m^2]; negative = the menisci would cross
    double energy = 0;    ///< of surfaces, less that of the dry pair, per length and surface tension [m]
    double force = 0;     ///< d energy / d gap at constant area, per length and surface tension [1]; > 0 = attraction
};

/// The bridge whose wetted half angle on `a` is alpha_a, at a gap >= 0 between the surfaces [m]; none if there is no
/// wetted arc on b that goes with it.
[[nodiscard]] std::optional<BridgeShape> bridge_at_angle(const BridgeSides& sides, double gap, double alpha_a);

/// The bridge of cross-section `area` [m^2]; none if so much liquid engulfs a side or so little does not reach.
[[nodiscard]] std::optional<BridgeShape> bridge_of_area(const BridgeSides& sides, double gap, double area);

/// The force of that bridge, continued smoothly by a little to where there is none because it is overfull (it pushes
/// there); for tables, whose interpolation needs values beyond the edge.
[[nodiscard]] double continued_force(const BridgeSides& sides, double gap, double area);

/// Gap at which a bridge breaks, (1 + theta/2) sqrt(A_L) [m] [Lian 1993], with the mean contact angle of both sides.
[[nodiscard]] double rupture_gap(const BridgeSides& sides, double area);

/// Whether both strands fit into one round drop: then nothing draws them together.
[[nodiscard]] bool fits_in_round_drop(const BridgeSides& sides, double gap, double area);

/// Attraction per length and surface tension [1], at least 0: that of the bridge, 0 where there is none, where it
/// would push, and for A_L below kDryArea. Does not know of rupture.
[[nodiscard]] double cohesion(const BridgeSides& sides, double gap, double area);
inline constexpr double kDryArea = 1e-16; ///< [m^2]

/// Distance up to which a pair is linked [m]: one that was not becomes so when the films touch; one that was stays so
/// until its bridge breaks. Distances of centre lines [m]: `films` = sum of the outer radii of both films, `rupture` =
/// rupture_gap() and radii.
[[nodiscard]] double link_distance(bool was_linked, double films, double rupture);

} // namespace rivulet
