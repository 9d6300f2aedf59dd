#pragma once

#include "sim/model.h"
#include "sim/state.h"

#include <string>
#include <vector>

namespace rivulet {

/// Probes of strands: all of a group, or one strand of it, from the State alone.
[[nodiscard]] bool is_strand_probe(ProbeKind kind);
/// In SI, of all its columns.
[[nodiscard]] std::string strand_probe_unit(ProbeKind kind);
/// The probe's values now, one per column.
[[nodiscard]] std::vector<double> sample_strand_probe(const Model& model, const State& state, const Probe& probe);

} // namespace rivulet
