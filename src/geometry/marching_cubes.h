#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace rivulet {

/// Corner c of the unit cube has coordinates (c & 1, (c >> 1) & 1, (c >> 2) & 1).
/// Edge e = 4 axis + i runs along `axis` from corner `lower` (which has a zero on that axis).
struct CubeEdge {
    int lower;
    int upper;
    int axis;
};
[[nodiscard]] const std::array<CubeEdge, 12>& cube_edges();

/// Triangles (as cube edges) of each of the 256 sign patterns; bit c is set when corner c is inside. Counter-clockwise
/// seen from outside. On a face with two opposite inside corners these are kept apart, by the same rule in both cells
/// of the face, and no triangle has a chord within a face: meshes made of the table are closed manifolds.
using CubeCase = std::vector<std::array<std::int8_t, 3>>;
[[nodiscard]] const std::array<CubeCase, 256>& cube_cases();

} // namespace rivulet
