#pragma once

#include "io/csv.h"
#include "io/json.h"
#include "run/run_folder.h"
#include "scene/scene.h"

#include <string>
#include <vector>

namespace rivulet {

struct ExpectationResult {
    std::string name;
    double measured = 0; ///< NaN when nothing was measured
    double expected = 0;
    double tolerance = 0;
    bool met = false;
    /// "volume_end: measured 0.99, expected 1 +- 0.001, difference -0.01: missed"
    [[nodiscard]] std::string text() const;
};

/// InputError naming every expectation of the scene whose quantity is neither a probe column nor a number of the
/// report. `report` may be that of the initial state.
void require_known_quantities(const Scene& scene);

/// What a run recorded over time.
struct Records {
    CsvTable probes, ledger, energy;
};
[[nodiscard]] Records read_records(const RunFolder& folder);

/// The scene's [test] table against what the run recorded. Probes, "ledger.*" (all liquids) and "energy.*" are known
/// over time; other numbers of the report have their final value alone.
[[nodiscard]] std::vector<ExpectationResult> evaluate(const Scene& scene, const Records& records, const Json& report);

} // namespace rivulet
