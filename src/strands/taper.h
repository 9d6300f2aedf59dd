#pragma once

#include <cstddef>
#include <vector>

namespace rivulet {

struct StrandModel;

/// Strands whose thickness goes linearly from vertex to vertex: edges are truncated cones. Here `a` and `b` are the
/// thicknesses at the ends of a piece, as parts of its material's half axes; every function is 1 for a = b = 1 and says
/// what the piece has more, or less, than one of its material's thickness.

/// Volume: the mean of s^2.
[[nodiscard]] constexpr double cone_volume(double a, double b) { return (a * a + a * b + b * b) / 3; }
/// Moment of inertia about the axis: the mean of s^4.
[[nodiscard]] constexpr double cone_inertia(double a, double b)
{
    return (a * a * a * (a + b) + a * a * b * b + b * b * b * (a + b)) / 5;
}
/// Stiffness against stretching: 1 over the mean of 1/s^2.
[[nodiscard]] constexpr double cone_stiffness(double a, double b) { return a * b; }
/// How far equal moments bend or twist it: the mean of 1/s^4.
[[nodiscard]] constexpr double cone_compliance(double a, double b)
{
    return (a * a + a * b + b * b) / (3 * a * a * a * b * b * b);
}

/// vertex_masses() where strands taper.
[[nodiscard]] std::vector<double> tapered_masses(const StrandModel& model);
/// Length of a strand of the section of its thinnest edge that has the volume of the one from vertex `begin` to `end`
/// [m].
[[nodiscard]] double thinnest_length(const StrandModel& model, std::size_t begin, std::size_t end);

} // namespace rivulet
