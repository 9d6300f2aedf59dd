#pragma once

#include "strands/strand_contacts.h"

namespace rivulet {

/// For StrandModel::held_inside: from each held place along the strand, to both sides, the edges that begin inside of
/// the obstacle that holds it, and those beyond that leave its surface steeply until they are a radius away. What holds
/// them would push them out, but they cannot go. Obstacles as they stand at the start of a step, strands at `position`;
/// empty if there are none.
[[nodiscard]] std::vector<std::int32_t> find_held_inside(const StrandModel& model, std::span<const Vec3> position,
                                                         std::span<const StrandObstacle> obstacles);

} // namespace rivulet
