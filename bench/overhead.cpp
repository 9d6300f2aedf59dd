#include "bench.h"

#include "base/hash.h"
#include "base/timers.h"
#include "io/hdf5_file.h"

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
    // A stage of about a tenth of a millisecond, the shortest that a step has.
    std::vector<double> values(20000, 1.0);
    const auto work = [&] {
        for (double& v : values) v = 1 / (v + 0.5) + 0.25;
    };
    StageTimers timers;
    constexpr int kCalls = 500;
    const double plain = best_seconds(7, wall_seconds_now, [&] {
        for (int i = 0; i < kCalls; ++i) work();
    });
    const double timed = best_seconds(7, wall_seconds_now, [&] {
        for (int i = 0; i < kCalls; ++i) {
            const StageTimers::Scope scope(timers, "stage");
            work();
        }
    });
    return {time_figure("timers", timed, plain, 1 / 1.01)};
}

} // namespace rivulet
