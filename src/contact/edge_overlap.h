#pragma once

#include "geometry/segments.h"

#include <optional>

namespace rivulet {

/// What two edges have beside each other, as one point of quadrature.
struct EdgeOverlap {
    double s = 0, t = 0; ///< its middle, on both
    double length = 0;   ///< [m]
};
/// The part of each edge that is nearer than `range` to the other, seen at a right angle to the other: half of what
/// both parts say, so that neither edge is preferred. Length and middle change continuously with the ends; along
/// strands of many edges that lie side by side the lengths add up to what they share. None: nothing is near.
[[nodiscard]] std::optional<EdgeOverlap> edge_overlap(const Segment& p, const Segment& q, double range);

} // namespace rivulet
