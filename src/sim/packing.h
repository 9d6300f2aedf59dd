#pragma once

#include "base/error.h"
#include "sim/stages.h"

namespace rivulet {

/// Liquid has nowhere to go: no size of the step mends that.
class NoRoomError : public SimulationError {
public:
    using SimulationError::SimulationError;
};

/// Throws NoRoomError if a source that works or an obstacle that moves pushes into a closed space without air or drain
/// that holds more liquid than it has room for, or if all liquid is pressed together by more than drops that fell onto
/// each other may be. After the pressure was solved for.
void check_packing(const Model& model, const State& state, const Scratch& scratch);

} // namespace rivulet
