#pragma once

#include "strands/strand_contacts.h"

#include <vector>

namespace rivulet {

/// Edges of strands, by the vertices at which they begin, that place_contact() has a contact of.
struct NearEdges {
    std::int32_t a = 0, b = 0;
    float gap = 0; ///< 0 where they overlap [m]
};
/// All of them, sorted, among the pairs that find_contacts() left for a motion that begins as this one.
[[nodiscard]] std::vector<NearEdges> near_edges(const StrandEdges& edges, const StrandMotion& motion,
                                                const EdgePairs& pairs);

} // namespace rivulet
