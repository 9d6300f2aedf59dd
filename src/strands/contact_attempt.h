#pragma once

#include "contact/edge_pairs.h"
#include "strands/contact_case.h"
#include "strands/contact_step.h"

#include <optional>
#include <vector>

namespace rivulet {

struct ContactWorkspace::Parts {
    std::optional<StrandEdges> edges;
    EdgePairs pairs, bridge_pairs, carried_pairs;
    std::vector<RodMatrix> factors;
};

/// What is done about strands that buckle. They may be far from rest where they are held, and then answer to forces
/// with motions of thousands of radii: there may be a step only if they are not held.
enum class Buckling {
    Hold,           ///< to the end
    HoldUnlessVain, ///< but the step is given up if its first round finds no forces
    Let
};

/// What has come of an attempt at a step; all else that it needed is free again.
enum class Attempt { Ended, FailedHolding, GaveUp };

[[nodiscard]] Attempt attempt(const ContactCase& given, ContactWorkspace::Parts& parts, Buckling buckling,
                              StrandUpdate& update, ContactUpdate& contact);

} // namespace rivulet
