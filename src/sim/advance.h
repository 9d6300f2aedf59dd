#pragma once

#include "sim/model.h"
#include "sim/state.h"
#include "sim/workspace.h"

#include <string>

namespace rivulet {

/// Limiter of the steps that end with a frame, or share what is left of it.
inline constexpr const char* kFrameLimiter = "frame";

/// What one step did, for progress, log and report.
struct StepInfo {
    double dt = 0;       ///< [s]
    std::string limiter; ///< what kept dt from being larger: "cfl", "max_step", "frame", "retry", ...
    int retries = 0;     ///< failed attempts before this one
    int pressure_iterations = 0;
    std::int64_t strand_iterations = 0; ///< Newton's of all strands, and those of the solver for contact forces
    double pressure_residual = 0;       ///< largest divergence left, as Options::pressure_tolerance
    double max_speed = 0;               ///< of particles and vertices of strands, as the step began [m/s]
    StretchedEdges stretched;           ///< of the strands as the step ended
    bool frame_completed = false;       ///< the step ended exactly on a frame time; clock.frame was advanced
};

/// The State at time 0: seeds the liquid bodies and opens the ledger.
[[nodiscard]] State initial_state(const Model& model);

/// One step of the method, never across a frame time. A step that fails is retried from the state it began with at
/// half the step, Options::max_retries times; then SimulationError, with `state` as it was before the step.
StepInfo advance(const Model& model, State& state, Workspace& workspace);

} // namespace rivulet
