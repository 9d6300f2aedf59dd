#include "rivulet/run.h"

#include "base/error.h"
#include "base/log.h"
#include "base/parallel.h"
#include "run/expectations.h"
#include "run/process.h"
#include "run/report.h"
#include "run/session.h"
#include "run/signals.h"
#include "scene/units.h"
#include "sim/diagnostics.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace rivulet {
namespace {

Quantity until_of(const std::string& text)
{
    try {
        return parse_quantity(text);
    } catch (const InputError& error) {
        throw InputError("--until: '" + text + "': " + error.what());
    }
}

std::int64_t last_frame(const Scene& scene, const RunOptions& options)
{
    const double interval = scene.model.options.frame_interval;
    if (options.frames && !options.until.empty()) throw InputError("--frames and --until exclude each other");
    if (options.frames) {
        if (*options.frames < 0) throw InputError("--frames: not less than 0 allowed");
        return *options.frames;
    }
    if (options.until.empty()) return frame_at(scene.model.options.end_time, interval);
    const Quantity until = until_of(options.until);
    if (until.has_unit && until.dimension != Dimension{.time = 1})
        throw InputError("--until: '" + options.until + "' is not a time");
    if (!(until.value >= 0 && until.value / interval < 1e9))
        throw InputError("--until: '" + options.until + "' is out of range");
    return frame_at(until.value, interval);
}

void require_memory(const Scene& scene, const RunOptions& options)
{
    const double needed = estimate_memory(scene.model).total();
    const double allowed = options.max_memory.value_or(available_bytes());
    if (needed <= allowed) return;
    throw InputError(
        fmt::format("{}: needs about {:.0f} MB of memory, {} {:.0f} MB; a larger simulation.cell_size needs less",
                    scene.file.string(), needed / 1e6, options.max_memory ? "--max-memory allows" : "this machine has",
                    allowed / 1e6));
}

} // namespace

RunOutcome run_scene(const std::filesystem::path& file, const RunOptions& options)
{
    if (options.checkpoint_every < 1) throw InputError("--checkpoint-every: at least 1 frame");
    if (options.resume && options.force) throw InputError("--resume and --force exclude each other");
    SignalGuard signals; // in force before anything is read or written
    if (options.message)
        signals.set_words("rivulet: ending when the scene has been read; once more to end at once\n",
                          "rivulet: ended at once, before the run began: nothing was written\n");
    return with_threads(options.threads, [&](int n_threads) {
        const Scene scene = load_scene(file, options.overrides);
        const std::int64_t n_frames = last_frame(scene, options);
        require_memory(scene, options);
        require_known_quantities(scene);
        if (signals.end_requested())
            throw InterruptedError("interrupted before the run began: nothing was written, there is nothing to resume");
        return Session(scene, options, n_frames, n_threads, signals).run();
    });
}

void amend_exit(const std::filesystem::path& run, int exit, const std::string& reason)
{
    const RunFolder folder = open_run(run);
    Json report;
    const Json earlier = read_report(folder);
    for (const auto& [name, value] : earlier.members()) report.set(name, name == "exit" ? Json(exit) : value);
    folder.replace_report(report);
    RunLog run_log(folder, true, {});
    log_warning("{}: exit {}", reason, exit);
    run_log.flush();
}

double parse_bytes(std::string_view text)
{
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    std::string_view unit(read.ptr, static_cast<std::size_t>(text.data() + text.size() - read.ptr));
    while (unit.starts_with(' ')) unit.remove_prefix(1);
    constexpr std::pair<std::string_view, double> kUnits[] = {
        {"", 1},    {"B", 1},   {"kB", 1e3}, {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},    {"TB", 1e12},
        {"K", 1e3}, {"M", 1e6}, {"G", 1e9},  {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}};
    if (read.ec == std::errc() && value > 0 && std::isfinite(value))
        for (const auto& [name, factor] : kUnits)
            if (unit == name) return value * factor;
    throw InputError("'" + std::string(text) +
                     "' is not a size: a positive number with B, kB, MB, GB, TB, KiB, MiB or GiB");
}

} // namespace rivulet
