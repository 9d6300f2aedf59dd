#pragma once

#include "geometry/curves.h"

namespace rivulet {

/// Strands side by side, in the closest packing about the line from start to end; each in a helix about its own line.
struct Bundle {
    std::int64_t count = 1;
    int n_vertices = 25;
    Vec3 start = Vec3::Zero(), end = Vec3::UnitX(); ///< [m]
    double spacing = 1e-3;                          ///< of neighbours [m]
    double curl_radius = 0;                         ///< [m]; 0 = straight
    double curl_pitch = 0.01;                       ///< [m]
};
[[nodiscard]] Curves bundle_curves(const Bundle& bundle);

/// Two directions across a unit vector, which with it make a right-handed frame.
[[nodiscard]] std::pair<Vec3, Vec3> directions_across(const Vec3& n);

} // namespace rivulet
