#pragma once

#include "contact/penalty_curve.h"
#include "strands/strand_contacts.h"

#include <span>
#include <vector>

namespace rivulet {

/// Where a strand is within reach of the push of a strand or an obstacle. `contact.b` against obstacle o: -1 - 3 o for
/// the first half of the edge, -2 - 3 o for the second.
struct StrandPenalty {
    StrandContact contact;
    double distance = 0; ///< along the normal, at the end of the step [m]
    double length = 0;   ///< of strand that it stands for [m]
    PenaltyCurve curve;
    const PairAttraction* attraction = nullptr; ///< null: dry
};
[[nodiscard]] inline bool operator<(const StrandPenalty& x, const StrandPenalty& y) { return x.contact < y.contact; }

/// What is within reach at the end of the motion, and strands that have passed through each other in it, sorted.
/// `pairs` is updated.
[[nodiscard]] std::vector<StrandPenalty> find_penalties(const StrandEdges& edges, const StrandMotion& motion,
                                                        std::span<const StrandObstacle> obstacles,
                                                        const PenaltyLaw& law, EdgePairs& pairs);

/// Edges whose centre lines go through each other in the motion. `pairs` is updated.
[[nodiscard]] std::int64_t count_passed(const StrandEdges& edges, const StrandMotion& motion, const PenaltyLaw& law,
                                        EdgePairs& pairs);

/// a less b of contacts between strands; a alone of those with obstacles [m].
[[nodiscard]] Vec3 contact_offset(const StrandContact& contact, std::span<const Vec3> position);

} // namespace rivulet
