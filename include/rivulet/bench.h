#pragma once

#include <functional>
#include <string>
#include <vector>

namespace rivulet {

/// One figure of a benchmark: a ratio to a reference measured in the same run, against a bar.
struct BenchFigure {
    std::string bench;
    double value = 0; ///< what was measured, in `unit`
    std::string unit;
    double reference = 0; ///< the reference in the same unit
    double ratio = 0;     ///< value / reference
    double bar = 0;       ///< the ratio must not exceed this
    bool meets = false;
};

/// Names and one-sentence descriptions of all benchmarks.
struct BenchName {
    std::string name, sentence;
};
[[nodiscard]] std::vector<BenchName> benches();

/// Runs one benchmark, or all for an empty name; `report` gets each figure as it is known. InputError for an unknown
/// name.
void run_benches(const std::string& name, int threads, const std::function<void(const BenchFigure&)>& report);

/// {"bench": ..., "value": ..., "unit": ..., "reference": ..., "ratio": ..., "bar": ..., "meets": ...}
[[nodiscard]] std::string to_json(const BenchFigure& figure);

} // namespace rivulet
