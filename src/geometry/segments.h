#pragma once

#include "base/vec.h"

#include <optional>

namespace rivulet {

struct Segment {
    Vec3 a = Vec3::Zero(), b = Vec3::Zero(); ///< [m]

    [[nodiscard]] Vec3 at(double s) const { return a + s * (b - a); }
};

/// Where two segments come nearest: at parameters s of the first and t of the second, both in [0, 1].
struct NearestPoints {
    double s = 0, t = 0;
    Vec3 offset = Vec3::Zero(); ///< from the point on the second to that on the first [m]
    double distance = 0;        ///< [m]
};
/// Among parallel ones, the middle of where they lie side by side.
[[nodiscard]] NearestPoints nearest_points(const Segment& p, const Segment& q);

/// Bound of the distance that segments can lose to each other while their ends move on straight lines from `p0`, `q0`
/// to `p1`, `q1` [m].
[[nodiscard]] double largest_approach(const Segment& p0, const Segment& p1, const Segment& q0, const Segment& q1);

/// When and where moving segments first come as near as `reach`.
struct SegmentTouch {
    double time = 0; ///< part of the motion, in [0, 1]
    double s = 0, t = 0;
    Vec3 normal = Vec3::Zero(); ///< unit, from the second to the first
};
/// Ends move on straight lines from `p0`, `q0` to `p1`, `q1`. Nothing is missed however fast they are: time advances by
/// what the distance surely allows [Li 2021].
[[nodiscard]] std::optional<SegmentTouch> first_touch(const Segment& p0, const Segment& p1, const Segment& q0,
                                                      const Segment& q1, double reach);

/// When and where moving segments, thin as lines, have gone through each other for good; none if they are on the same
/// side of each other as before. The normal is from the side on which they were.
[[nodiscard]] std::optional<SegmentTouch> passed_through(const Segment& p0, const Segment& p1, const Segment& q0,
                                                         const Segment& q1);

} // namespace rivulet
