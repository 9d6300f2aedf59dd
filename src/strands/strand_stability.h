#pragma once

#include "strands/strands.h"

namespace rivulet {

/// How a strand that is in balance answers to being nudged.
struct StrandStability {
    double stiffer = 1; ///< least factor on both moduli with which it returns, found to 2 %; 1: it does as it is
    double growth = 0;  ///< rate at which it leaves its place as it is [1/s]
};

/// Of a strand that is held by its clamped first edge alone and that is in balance in `state` (balance_gravity()): the
/// second derivative of its energy, of which the forces and moments of the balance are part whatever the stiffness, is
/// positive or not. docs/theory/strands.md.
[[nodiscard]] StrandStability strand_stability(const StrandModel& model, const StrandState& state, std::int32_t strand);

} // namespace rivulet
