#pragma once

#include "geometry/segments.h"
#include "geometry/shape.h"

#include <optional>

namespace rivulet {

/// Where a thick edge of a strand meets a shape, in the frame of that.
struct EdgePlace {
    double s = 0;                ///< place on the edge
    double distance = 0;         ///< of the centre line there, along the normal; negative inside [m]
    Vec3 normal = Vec3::UnitZ(); ///< unit, out of the shape
};

/// Where between its ends an edge is deepest in the shape; 0 if at an end. Ends that are as deep, to a part of the
/// radius, count as deepest, so that an edge that lies flat touches at its ends. For shapes that are convex as far as
/// the edge reaches.
[[nodiscard]] double deepest_between_ends(const Shape& shape, const Segment& edge, double radius);

/// The shape as the edge meets it at its deepest place near `s`. An edge leaves a shape at a right angle to itself: its
/// normal has no part along it, also where the shape has a sharp edge of its own, and the distance is that along this
/// normal.
[[nodiscard]] EdgePlace place_across(const Shape& shape, const Segment& edge, double s);

/// The same where the edge is deepest, ends included, for which the normal is that of the shape.
[[nodiscard]] EdgePlace deepest_place(const Shape& shape, const Segment& edge, double radius);

/// When an edge whose ends move on straight lines first comes to touch the shape, but for a gap of at most `near`, and
/// where between its ends (0: at an end). However thin a convex shape is, it is not missed.
struct EdgeTouch {
    double time = 0; ///< part of the motion, in [0, 1]
    double s = 0;
};
[[nodiscard]] std::optional<EdgeTouch> first_touch(const Shape& shape, const Segment& start, const Segment& end,
                                                   double radius, double near);

} // namespace rivulet
