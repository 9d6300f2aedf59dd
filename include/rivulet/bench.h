#pragma once

#include <functional>
#include <string>
#include <vector>

namespace rivulet {

/// One figure of a benchmark: what was measured, beside a reference measured in the same run.
struct BenchFigure {
    std::string bench;
    double value = 0; ///< in `unit`
    std::string unit;
    double reference = 0; ///< in the same unit; 0: none
    double ratio = 0;     ///< how many times better the value is than the reference; 0: none
    double bar = 0;       ///< what the ratio has to reach, or the value to stay below where there is no reference
    bool meets = true;    ///< true also where there is no bar
};

/// Names and one-sentence descriptions of all benchmarks.
struct BenchName {
    std::string name, sentence;
};
[[nodiscard]] std::vector<BenchName> benches();

/// Runs one benchmark, or all for an empty name (`full`: with its largest sizes); `report` gets each figure as it is
/// known. InputError for an unknown name.
void run_benches(const std::string& name, bool full, int threads,
                 const std::function<void(const BenchFigure&)>& report);

/// {"bench": ..., "value": ..., "unit": ..., "reference": ..., "ratio": ..., "bar": ..., "meets": ...}
[[nodiscard]] std::string to_json(const BenchFigure& figure);

} // namespace rivulet
