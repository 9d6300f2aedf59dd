#pragma once

#include "strands/strands.h"

namespace rivulet {

/// Gives a strand that is held by its clamped first edge alone the rest shape with which it is in equilibrium under
/// gravity as it is in `state`: what hangs from each vertex is known, so the forces and moments in the rod are, from
/// the tip on, and with them how far it must be from its rest shape. Such an equilibrium may be unstable (a long hair
/// that stands up). docs/theory/strands.md.
void balance_gravity(StrandModel& model, const StrandState& state, std::int32_t strand, const Vec3& gravity);

} // namespace rivulet
