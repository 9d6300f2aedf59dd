#pragma once

#include "strands/strand_contacts.h"

#include <span>

namespace rivulet {

/// Cosine of the angle between normals, seen along the strand, beyond which it is pinched and not squeezed out.
inline constexpr double kOpposed = -0.7;

/// Where two obstacles leave a strand less room between them at the end of the step than it takes, no force keeps it
/// out of both: what it lacks is added to the gaps of both contacts, half to each, so that the strand is asked to the
/// middle. Where more than `most` [m] is lacking, the obstacles go through each other and nothing is shared. `contacts`
/// are sorted; what was given way already is not given again.
void share_lacking_room(const StrandMotion& motion, double most, std::span<StrandContact> contacts);

} // namespace rivulet
