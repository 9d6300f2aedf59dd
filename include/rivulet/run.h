#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rivulet {

/// Where a run is; given to RunOptions::progress after every step.
struct Progress {
    std::int64_t step = 0;
    std::int64_t frame = 0;    ///< completed
    std::int64_t n_frames = 0; ///< of the whole run
    double time = 0;           ///< simulated [s]
    double end_time = 0;       ///< simulated [s]
    /// Of the last step [s]; where that completed a frame, of the frame's smallest step that its end did not cut.
    double dt = 0;
    std::string_view limiter; ///< what kept dt from being larger
    std::int64_t particles = 0;
    std::int64_t strand_vertices = 0;
    double wall = 0;      ///< since this process began the run [s]
    double remaining = 0; ///< estimate [s]; negative = not known yet
    bool frame_completed = false;
};

struct RunOptions {
    std::filesystem::path out;          ///< run folder; empty = runs/<scene name>
    std::optional<std::int64_t> frames; ///< stop after this frame
    std::string until;                  ///< stop with the frame at or after this time ("0.5", "200 ms"); empty = scene
    int threads = 0;                    ///< 0 = all cores
    std::vector<std::string> overrides; ///< "path.to.key=value"
    bool resume = false;                ///< continue from the last good checkpoint of the folder
    bool force = false;                 ///< replace an earlier run in the folder
    std::int64_t checkpoint_every = 10; ///< [frames]; there is one at the end in any case
    std::optional<double> max_memory;   ///< refuse to start when the estimate exceeds this [bytes]
    bool ends_process = false;          ///< signals that come when the report is written change nothing any more
    std::function<void(const Progress&)> progress;
    std::function<void(std::string_view)> message; ///< warnings and notes, one line each
};

struct RunOutcome {
    int exit = 0; ///< 0, 3, 4 or 130; other failures are exceptions
    std::filesystem::path folder;
    std::filesystem::path checkpoint; ///< the last one
    std::string state_hash;
    std::string failure; ///< why exit is 3 or 4, one line a reason
    std::int64_t step = 0, frame = 0, particles = 0, strand_vertices = 0;
    double time = 0, wall = 0; ///< [s]
    double ledger_error = 0;   ///< relative; the worse of the liquid's and the strands'
    /// What was checked, one line each, or why not: a run that ends elsewhere than its scene is not judged.
    std::string expectations;
};

/// Runs a scene file into a run folder (docs/file_formats.md). SIGINT, SIGTERM and SIGHUP end it after the current step
/// with a checkpoint and exit 130; a second one, half a second or more later, ends the process at once. One that comes
/// while the scene is read is an exception of exit code 130, and nothing has been written.
[[nodiscard]] RunOutcome run_scene(const std::filesystem::path& scene, const RunOptions& options);

/// Writes another exit code to report.json, and why to log.txt, of a run that has ended: where the program cannot end
/// as the run did.
void amend_exit(const std::filesystem::path& run, int exit, const std::string& reason);

/// Bytes from "1500000", "512 MB", "2GB" (powers of 1000) or "2 GiB" (powers of 1024). InputError otherwise.
[[nodiscard]] double parse_bytes(std::string_view text);

} // namespace rivulet
