#pragma once

#include "geometry/segments.h"
#include "strands/strand_contacts.h"

#include <optional>
#include <span>

namespace rivulet {

/// Where edges that touched with this normal are at the end of a motion in which they slid along each other and went
/// through each other at another place; none if they did not. The normal is from the side on which they were. Edges
/// that stayed apart by half of `reach`, at which they touch, went round each other.
[[nodiscard]] std::optional<SegmentTouch> slid_through(const Segment& p0, const Segment& p1, const Segment& q0,
                                                       const Segment& q1, const Vec3& normal, double reach);

/// The same of a contact of strands.
[[nodiscard]] std::optional<SegmentTouch> slid_through(const StrandEdges& edges, const StrandContact& contact,
                                                       const StrandMotion& motion);

/// Moves such contacts half the way to where their edges went through each other: held at either place alone, these
/// would turn about it. True if there are any. They keep their forces, under which the motion came about.
bool follow_slid(const StrandEdges& edges, const StrandMotion& motion, std::span<StrandContact> contacts);

/// Moves contacts between the ends of an edge and an obstacle to where a search for the motion found them deeper by
/// `allowed` than they are where they stand. True if there are any.
bool follow_on_obstacles(std::span<const StrandContact> found, const StrandMotion& motion, double allowed,
                         std::span<StrandContact> contacts);

/// Edges with such contacts, or with some at their ends, whose centre lines the motion took into an obstacle by more
/// than a part of their radius.
struct DeepEdges {
    std::int64_t n_missed = 0;     ///< by more than `missed`, or between two obstacles that leave them no room
    std::int64_t n_unbearable = 0; ///< by more than `bearable`; not among those
    double deepest = 0;            ///< of these [m]
};
/// Without those that are held, that were as deep before, or that set out deeper than is bearable: these are lost
/// already, and a shorter step does not bring them back.
[[nodiscard]] DeepEdges count_deep_edges(const StrandEdges& edges, const StrandMotion& motion,
                                         std::span<const StrandObstacle> obstacles,
                                         std::span<const StrandContact> contacts, double missed, double bearable);

} // namespace rivulet
