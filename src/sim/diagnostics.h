#pragma once

#include "sim/liquid_fields.h"
#include "sim/model.h"
#include "sim/state.h"

#include <string>
#include <vector>

namespace rivulet {

/// Whole-system sums for report.json: liquid and strands.
struct Diagnostics {
    double kinetic_energy = 0;            ///< including the affine part [J]
    double potential_energy = 0;          ///< in gravity, from the world's origin [J]
    double elastic_energy = 0;            ///< of the strands [J]
    double surface_energy = 0;            ///< of films on strands, less that of dry strands [J]
    Vec3 momentum = Vec3::Zero();         ///< [kg m/s]
    Vec3 angular_momentum = Vec3::Zero(); ///< about the world's origin [kg m^2/s]
    double max_speed = 0;                 ///< [m/s]
};
[[nodiscard]] Diagnostics diagnose(const Model& model, const State& state);

/// The worse of the relative errors of the liquids' ledger (volume) and of the strands' (momentum).
[[nodiscard]] double worst_ledger_error(const Model& model, const State& state);

/// Column names of a probe in probes.csv: its name, or name.x name.y name.z for vectors.
[[nodiscard]] std::vector<std::string> probe_columns(const Probe& probe);
/// In SI, of all its columns.
[[nodiscard]] std::string probe_unit(const Probe& probe);
/// The probe's values now, one per column; NaN where there is nothing to measure (an empty region).
[[nodiscard]] std::vector<double> sample_probe(const Model& model, const State& state, const Probe& probe);
/// Bytes that a run of this model will need at its peak, by part.
struct MemoryEstimate {
    double particles = 0, grid = 0, solver = 0, output = 0, base = 0, strands = 0; ///< [bytes]
    [[nodiscard]] double total() const { return particles + grid + solver + output + base + strands; }
};
[[nodiscard]] MemoryEstimate estimate_memory(const Model& model);

} // namespace rivulet
