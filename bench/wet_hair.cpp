#include "bench.h"

#include "base/parallel.h"
#include "run/process.h"
#include "scene/scene.h"
#include "sim/advance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

namespace rivulet {
namespace {

/// A scene of the gallery with some keys changed.
Model gallery_model(const std::string& name, const std::vector<std::string>& changes = {})
{
    return load_scene(std::filesystem::path(RIVULET_GALLERY) / (name + ".toml"), changes).model;
}

struct WetRun {
    double cpu = 0;  ///< [s]
    double time = 0; ///< simulated [s]
    int steps = 0;
    double peak = 0; ///< memory of the program [bytes]
    StageTimers timers;
    std::int64_t particles = 0;
};

/// Runs on one thread to `end`, and counts what comes after `begin`.
WetRun run_wet(const Model& model, double begin, double end)
{
    const ThreadPool pool(1);
    forget_peak_memory();
    State state = initial_state(model);
    Workspace workspace;
    while (state.clock.time < begin) advance(model, state, workspace);
    workspace.timers = {};
    WetRun run;
    const double start = state.clock.time, cpu = cpu_seconds_now();
    while (state.clock.time < end) {
        advance(model, state, workspace);
        ++run.steps;
    }
    run.cpu = cpu_seconds_now() - cpu;
    run.time = state.clock.time - start;
    run.peak = peak_resident_bytes();
    run.timers = std::move(workspace.timers);
    run.particles = state.liquid.size();
    return run;
}

/// Of the time of all stages, those of a hundredth or more.
void add_wet_shares(const std::string& prefix, const WetRun& run, std::vector<BenchFigure>& figures)
{
    double total = 0;
    for (const auto& stage : run.timers.stages()) total += stage->wall_s;
    for (const auto& stage : run.timers.stages()) {
        const double share = 100 * stage->wall_s / total;
        if (share < 1) continue;
        std::string name = prefix + "_share_" + stage->name;
        std::replace(name.begin(), name.end(), ' ', '_');
        figures.push_back({name, share, "%", 0, 0, 0, true});
    }
}

void bench_shares(const std::string& name, const WetRun& run, std::vector<BenchFigure>& figures)
{
    figures.push_back({name, 1e3 * run.cpu / run.steps, "ms/step", 0, 0, 0, true});
    add_wet_shares(name, run, figures);
}

/// The wet cylinder, longer with more fur on it, so that a hair has as many neighbours.
Model longer_dog(int n_strands)
{
    constexpr int kStrands = 160;     ///< on the cylinder of the gallery,
    constexpr double kHalfLength = 8; ///< which is so long [cm],
    constexpr double kMargin = 7;     ///< and ends so far from the ends of the domain [cm],
    constexpr double kMouth = 0.625;  ///< and water is poured on so much of it
    const double half = kHalfLength * n_strands / kStrands;
    return gallery_model("shaking_dog", {fmt::format("strands.fur.count={}", n_strands),
                                         fmt::format("obstacles.body.shape.start={} 0 0 cm", -half),
                                         fmt::format("obstacles.body.shape.end={} 0 0 cm", half),
                                         fmt::format("strands.fur.region.lower={} -10 -10 cm", 0.1 - half),
                                         fmt::format("strands.fur.region.upper={} 10 10 cm", half - 0.1),
                                         fmt::format("sources.bucket.shape.lower={} -1 25 cm", -kMouth * half),
                                         fmt::format("sources.bucket.shape.upper={} 1 26.2 cm", kMouth * half),
                                         fmt::format("domain.lower={} -25 -2 cm", -half - kMargin),
                                         fmt::format("domain.upper={} 25 36 cm", half + kMargin)});
}

/// Cost of the same steps of a wet, shaking cylinder with more and more strands, at the same density of them: slope of
/// its logarithm over that of the number.
void bench_wet_growth(bool full, std::vector<BenchFigure>& figures)
{
    constexpr double kBegin = 0.04, kEnd = 0.08, kExponentBar = 1.1;
    std::vector<int> counts{50, 100, 200, 400};
    if (full) counts.insert(counts.end(), {800, 1600});
    double x = 0, y = 0, xx = 0, xy = 0, first = 0;
    for (const int n : counts) {
        const WetRun run = run_wet(longer_dog(n), kBegin, kEnd);
        const double cost = run.cpu / run.steps / n;
        if (first == 0) first = cost;
        figures.push_back(
            {fmt::format("wet_hair_step_{}", n), 1e6 * cost, "us/strand", 1e6 * first, first / cost, 0, true});
        const double log_n = std::log(n), log_cost = std::log(run.cpu / run.steps);
        x += log_n;
        y += log_cost;
        xx += log_n * log_n;
        xy += log_n * log_cost;
    }
    const auto count = static_cast<double>(counts.size());
    const double exponent = (count * xy - x * y) / (count * xx - x * x);
    figures.push_back({"wet_hair_exponent", exponent, "exponent", 1, exponent, kExponentBar, exponent <= kExponentBar});
}

/// One hair drawn through a pool. The reference is what the published program needs for the scene of the same size (42
/// vertices, 21.9 thousand particles, cells of 1.25 mm, steps of 4 ms) on one core of 3.2 GHz.
void bench_drag(std::vector<BenchFigure>& figures)
{
    constexpr double kReference = 221, kReferenceBytes = 78e6, kDragBar = 10;
    const WetRun run = run_wet(gallery_model("strand_drag"), 0, 1);
    const double cost = run.cpu / run.time, ratio = kReference / cost;
    figures.push_back({"wet_hair_drag", cost, "CPU s/s", kReference, ratio, kDragBar, ratio >= kDragBar});
    figures.push_back(
        {"wet_hair_drag_peak", 1e-6 * run.peak, "MB", 1e-6 * kReferenceBytes, kReferenceBytes / run.peak, 0, true});
    figures.push_back({"wet_hair_drag_particles", static_cast<double>(run.particles), "particles", 0, 0, 0, true});
    add_wet_shares("wet_hair_drag", run, figures);
}

} // namespace

std::vector<BenchFigure> bench_wet_hair(bool full)
{
    std::vector<BenchFigure> figures;
    bench_drag(figures); // first, while the program has no free memory of its own that would hide what this takes
    bench_shares("wet_hair_dog", run_wet(gallery_model("shaking_dog"), 0, full ? 0.5 : 0.2), figures);
    bench_shares("wet_hair_flip", run_wet(gallery_model("wet_flip"), 0, full ? 0.75 : 0.4), figures);
    bench_wet_growth(full, figures);
    return figures;
}

} // namespace rivulet
