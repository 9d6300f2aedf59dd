#pragma once

#include "contact/penalty_solver.h"
#include "strands/contact_step.h"
#include "strands/penalty_contacts.h"

#include <optional>
#include <span>
#include <vector>

namespace rivulet {

struct PenaltyStepOptions {
    PenaltyLaw law;
    double tolerance = 1e-2; ///< correction by a round that ends the search, in radii of the thinnest strand
    int max_rounds = 6;      ///< of finding what is near, solving for forces, and moving the strands
    const BridgeInput* bridges = nullptr; ///< null = strands are dry
};

/// Memory that is kept from step to step only to save time.
struct PenaltyWorkspace {
    std::optional<StrandEdges> edges;
    EdgePairs pairs, bridge_pairs;
    std::vector<RodMatrix> factors;
};

/// One implicit step of all strands that push each other and obstacles away by the curve of contact/penalty_curve.h,
/// without friction: they move as if free, what is near then is found, the forces of all pairs are solved for with
/// strands that answer to them linearly, and the strands move again, with their full laws, under these forces; again
/// from there until that changes little. Liquid bridges between what was linked at the beginning of the step are part
/// of the curve, each with its own length and place. `contact.n_missed` counts pairs whose centre lines have passed
/// each other.
void step_strands(const StrandModel& model, const StrandState& state, const StrandStep& step,
                  std::span<const StrandObstacle> obstacles, const ContactMemory& memory,
                  const PenaltyStepOptions& options, PenaltyWorkspace& workspace, StrandUpdate& update,
                  ContactUpdate& contact);

} // namespace rivulet
