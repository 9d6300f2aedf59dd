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

/// NaN and Inf in a State that the end of the last step has seen, but that may have been changed since: all arrays but
/// those whose every bad value comes to the grid, where check_transferred finds it in less memory. What it throws makes
/// `advance` look for the array.
void check_begin(const State& state, const std::string& stage);
void check_transferred(const std::array<std::vector<double>, 3>& velocity, const std::string& stage);

/// Throws SimulationError if a face velocity is not finite or faster than `limit` [m/s].
void check_velocity(const std::array<std::vector<double>, 3>& velocity, double limit, const std::string& stage);

} // namespace rivulet
