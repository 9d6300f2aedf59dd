#pragma once

#include <cmath>
#include <numbers>

namespace rivulet {

/// The cross-section of a film: a ring of liquid about a strand of radius r, out to H = r + h.

/// H [m] of a ring of this area [m^2].
[[nodiscard]] inline double film_outer_radius(double area, double radius)
{
    return std::sqrt(area / std::numbers::pi + radius * radius);
}
/// h [m], without loss of digits for thin films.
[[nodiscard]] inline double film_thickness(double area, double radius)
{
    return area / (std::numbers::pi * (film_outer_radius(area, radius) + radius));
}
/// Area of a film of this thickness, pi h (h + 2 r) [m^2].
[[nodiscard]] inline double film_area(double thickness, double radius)
{
    return std::numbers::pi * thickness * (thickness + 2 * radius);
}
/// Polar moment J = pi/2 (H^4 - r^4) [m^4].
[[nodiscard]] inline double film_polar_moment(double area, double radius)
{
    return area * (0.5 * area / std::numbers::pi + radius * radius);
}
/// Mean speed of a film that creeps under a force f per volume is f/mu times this [m^2]: no slip at r, no shear at H,
///   beta = H^4 ln(H/r) / (2 (H^2 - r^2)) - (3 H^2 - r^2)/8,   h^2/3 for thin films.
[[nodiscard]] double film_mobility(double thickness, double radius);

} // namespace rivulet
