#pragma once

#include "geometry/curves.h"

#include <cstddef>
#include <limits>

namespace rivulet {

/// The place of a group of strands that is nearest to a point.
struct NearestPlace {
    std::size_t strand = 0;
    std::size_t edge = 0;                                      ///< number of the vertex at which it begins
    double at = 0;                                             ///< along the edge, 0 to 1
    double distance = std::numeric_limits<double>::infinity(); ///< [m]
};
/// Among all strands but number `except`.
[[nodiscard]] NearestPlace nearest_place(const Vec3& x, const Curves& curves, std::size_t except);

inline constexpr std::size_t kNoStrand = std::numeric_limits<std::size_t>::max();

} // namespace rivulet
