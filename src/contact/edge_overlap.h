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
///
/// Where edges cross, what is near grows as the root of the room range^2 - d^2: with a jerk, as they come within range
/// at the least distance d. For a force that is not 0 there, `softness` e > 0 replaces the root of x = room/range^2 by
/// x sqrt((1 + e)/(x + e)), which begins with a finite slope and ends where the root does.
[[nodiscard]] std::optional<EdgeOverlap> edge_overlap(const Segment& p, const Segment& q, double range,
                                                      double softness = 0);

} // namespace rivulet
