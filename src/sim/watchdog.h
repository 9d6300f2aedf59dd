#pragma once

#include "grid/transfer.h"
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
/// the liquid's. Of those, bad velocities, leads, gradients and volumes come to the grid, where check_transferred finds
/// them in less memory; a bad position has no tile, a bad pressure spoils the first guess of the solver, and nothing
/// asks for a colour before the end of the step. What any of them throws makes `advance` look for the array.
void check_begin(const State& state, const std::string& stage);
void check_transferred(const FaceFields& faces, const std::string& stage);

/// Throws SimulationError if a face velocity is not finite or faster than `limit` [m/s].
void check_velocity(const std::array<std::vector<double>, 3>& velocity, double limit, const std::string& stage);

} // namespace rivulet
