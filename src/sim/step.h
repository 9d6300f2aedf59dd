#pragma once

#include "sim/model.h"
#include "sim/state.h"
#include "sim/workspace.h"

namespace rivulet {

/// Time at which a step of dt ends [s]: that of the frame which it completes to the last bit, whatever dt rounds to.
[[nodiscard]] double end_of_step(const Model& model, const Clock& clock, double dt);

/// One step of the method: the table of contents is the body of this function. Up to commit_liquid() the State is only
/// read (but for the order of its particles), so that a step that fails can be tried again with a smaller dt.
void step(const Model& model, State& state, Workspace& workspace, double dt);

} // namespace rivulet
