#pragma once

#include "io/append_file.h"
#include "run/checkpoint.h"
#include "run/run_folder.h"
#include "sim/advance.h"
#include "sim/diagnostics.h"

namespace rivulet {

/// The growing tables of a run: steps.csv, energy.csv, ledger.csv, probes.csv.
class RunTables {
public:
    /// New tables with their header lines and the rows of time 0.
    RunTables(const RunFolder& folder, const Model& model, const State& initial);
    /// The tables of an earlier run, cut to what a checkpoint covers.
    RunTables(const RunFolder& folder, const Model& model, const CoveredSizes& covered);

    /// Rows of the step just taken; when it completed a frame, those of the frame too.
    void record(const State& state, const StepInfo& info);
    /// Hands the rows to the system.
    void flush();
    /// Makes the rows durable; returns what a checkpoint of this moment covers.
    [[nodiscard]] CoveredSizes sync();

private:
    void record_step(const State& state, const StepInfo& info);
    void record_frame(const State& state);
    void record_probes(const State& state, bool at_frame);

    const Model& model_;
    AppendFile steps_, energy_, ledger_, probes_;
};

/// IoError, with the way out, unless every table has the rows that a checkpoint covers.
void require_rows(const RunFolder& folder, const CoveredSizes& covered);

/// Names of the columns of probes.csv after "step" and "time".
[[nodiscard]] std::vector<std::string> all_probe_columns(const Model& model);

} // namespace rivulet
