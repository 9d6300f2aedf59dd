#pragma once

#include "sim/model.h"
#include "sim/state.h"

#include <array>
#include <string>
#include <vector>

namespace rivulet {

/// Throws SimulationError naming the stage, the array and the entry if a registered array holds NaN or Inf, if arrays
/// of one object disagree in length, or if a value breaks what the step relies on (volumes > 0, liquids that exist).
void check_state(const Model& model, const State& state, const std::string& stage);

/// The first part of check_state alone: NaN and Inf.
void check_finite(const State& state, const std::string& stage);

/// Throws SimulationError if a face velocity is not finite or faster than `limit` [m/s].
void check_velocity(const std::array<std::vector<double>, 3>& velocity, double limit, const std::string& stage);

} // namespace rivulet
