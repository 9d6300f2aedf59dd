#pragma once

#include "base/timers.h"
#include "io/json.h"
#include "run/run_folder.h"
#include "scene/scene.h"
#include "sim/state.h"

namespace rivulet {

/// What report.json says besides the state.
struct RunFigures {
    int threads = 1;
    double wall = 0;        ///< [s], this process
    double cpu = 0;         ///< [s], this process
    double peak_memory = 0; ///< [bytes], this process
    std::int64_t resumed_from_step = 0;
    int exit = 0;
    double worst_contact_residual = 0; ///< of the steps since the start [m]
    double worst_strain = 0;           ///< of edges of strands, in any step since the start
    std::int64_t stretched_edges = 0;  ///< most in one of these steps, as StretchedEdges::count
};

/// The content of report.json.
[[nodiscard]] Json make_report(const Scene& scene, const State& state, const StageTimers& timers,
                               const RunFigures& figures);

/// report.json of a run folder, which must be there; IoError with its path if it is no JSON.
[[nodiscard]] Json read_report(const RunFolder& folder);

} // namespace rivulet
