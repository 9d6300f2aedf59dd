#include "bench.h"

#include "base/hash.h"
#include "base/parallel.h"
#include "base/timers.h"
#include "geometry/shapes.h"
#include "io/hdf5_file.h"
#include "sim/advance.h"

#include <cstring>
#include <numeric>

namespace rivulet {
namespace {

constexpr std::size_t kDoubles = 1 << 22; // 32 MB: beyond the caches

std::vector<double> ramp()
{
    std::vector<double> values(kDoubles);
    std::iota(values.begin(), values.end(), 0.5);
    return values;
}

double copy_seconds(const std::vector<double>& values)
{
    std::vector<double> copy(values.size());
    return best_seconds(5, wall_seconds_now,
                        [&] { std::memcpy(copy.data(), values.data(), values.size() * sizeof(double)); });
}

/// Few particles, so that a step is short: the timers cost the same in any.
Model still_pool()
{
    Model m;
    m.options.cell_size = 0.05;
    m.domain.box = {Vec3::Zero(), Vec3::Ones()};
    m.liquids.push_back({"water", 1000, 1e-3, 0, 0, {0.1, 0.3, 0.6}});
    LiquidBody body;
    body.name = "pool";
    body.shape = make_box(Vec3::Zero(), Vec3(1, 1, 0.5));
    m.bodies.push_back(body);
    return m;
}

/// Time that it takes to time nothing, as often as each stage was timed and among as many names.
double pass_seconds(const StageTimers& timed)
{
    StageTimers timers;
    return best_seconds(7, wall_seconds_now, [&] {
        for (const auto& stage : timed.stages())
            for (std::int64_t i = 0; i < stage->calls; ++i) const StageTimers::Scope scope(timers, stage->name.c_str());
    });
}

} // namespace

std::vector<BenchFigure> bench_hash(bool)
{
    const std::vector<double> values = ramp();
    volatile std::uint64_t sink = 0; // keeps the hash from being optimised away
    const double seconds = best_seconds(5, wall_seconds_now, [&] {
        Hasher hasher;
        hasher.bytes(std::as_bytes(std::span(values)));
        sink = hasher.value();
    });
    return {time_figure("hash", seconds, copy_seconds(values), 1.0 / 12)};
}

std::vector<BenchFigure> bench_checkpoint(bool)
{
    const std::vector<double> values = ramp();
    const double seconds = best_seconds(3, wall_seconds_now, [&] {
        Hdf5Writer writer(kDoubles * sizeof(double) + (1 << 20));
        writer.dataset("values", {Hdf5Type::Float64, static_cast<std::int64_t>(kDoubles) / 4, 4}, values.data());
        (void)writer.image();
    });
    return {time_figure("checkpoint", seconds, copy_seconds(values), 1.0 / 20)};
}

std::vector<BenchFigure> bench_timers(bool)
{
    constexpr int kTimedSteps = 10, kTimedRounds = 3;
    const ThreadPool pool(1);
    const Model model = still_pool();
    State state = initial_state(model);
    Workspace workspace;
    advance(model, state, workspace);
    workspace.timers = {};
    const double step = best_seconds(kTimedRounds, wall_seconds_now,
                                     [&] {
                                         for (int i = 0; i < kTimedSteps; ++i) advance(model, state, workspace);
                                     }) /
                        kTimedSteps;
    const double timing = pass_seconds(workspace.timers) / (kTimedRounds * kTimedSteps);
    return {time_figure("timers", step, step - timing, 1 / 1.01)};
}

} // namespace rivulet
