#pragma once

#include "rivulet/bench.h"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace rivulet {

/// A benchmark: measures its reference and itself in the same run and reports one or more figures.
struct Bench {
    std::string name;
    std::string sentence;
    std::function<void(const std::function<void(const BenchFigure&)>&)> run;
};

/// All benchmarks. A new one: a function in src/run/bench_<topic>.cpp and a line in src/run/bench_table.cpp.
[[nodiscard]] const std::vector<Bench>& bench_table();

/// The figure with ratio = value / reference and meets = (ratio <= bar).
[[nodiscard]] BenchFigure make_figure(std::string bench, double value, std::string unit, double reference, double bar);

/// Shortest wall time of `repeats` calls [s]: the least disturbed one.
template <class Action>
[[nodiscard]] double best_seconds(int repeats, Action&& action)
{
    double best = 1e300;
    for (int i = 0; i < repeats; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        action();
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        best = seconds < best ? seconds : best;
    }
    return best;
}

void bench_hash(const std::function<void(const BenchFigure&)>& report);
void bench_checkpoint(const std::function<void(const BenchFigure&)>& report);
void bench_timers(const std::function<void(const BenchFigure&)>& report);

} // namespace rivulet
