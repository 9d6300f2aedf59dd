#pragma once

#include "rivulet/run.h"
#include "run/report.h"
#include "run/run_folder.h"
#include "run/run_log.h"
#include "run/signals.h"
#include "run/tables.h"
#include "scene/scene.h"
#include "sim/advance.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>

namespace rivulet {

/// Number of the first frame at or after `time`.
[[nodiscard]] std::int64_t frame_at(double time, double interval);

/// One run of a scene from its start or a checkpoint to its end: the time loop and everything it writes.
class Session {
public:
    /// Prepares the run folder, resumes where asked. `n_frames`: the frame to end with.
    Session(const Scene& scene, const RunOptions& options, std::int64_t n_frames, int n_threads, SignalGuard& signals);

    /// Runs until the last frame, a signal or a failure of the simulation.
    [[nodiscard]] RunOutcome run();

private:
    void start_new();
    void require_scene_stays() const;
    [[nodiscard]] bool try_resume();
    void recall_steps();
    void prepare_for_signals();
    [[nodiscard]] std::string last_checkpoint_text() const;
    void loop();
    void finish_frame();
    void log_frame();
    void note_limit(const StepInfo& info);
    void write_checkpoint_now();
    void tell_progress(const StepInfo& info) const;
    void fail(const std::string& reason);
    void note_strains(const StepInfo& info);
    void warn_of_missed_contacts() const;
    void warn_of_stretched_edges() const;
    void check_expectations();
    void keep_scene() const;
    void write_report();
    [[nodiscard]] double wall() const;

    SignalGuard& signals_;
    const Scene& scene_;
    const RunOptions& options_;
    std::int64_t n_frames_;
    int n_threads_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    RunFolder folder_;
    std::unique_ptr<Descriptor> lock_; ///< on the folder
    std::unique_ptr<RunLog> log_;
    State state_;
    Workspace workspace_;
    std::unique_ptr<RunTables> tables_;
    std::int64_t first_step_ = 0; ///< where this process began
    double first_time_ = 0;       ///< [s]
    std::int64_t checkpoint_step_ = -1;
    bool state_is_good_ = true;           ///< fit for a checkpoint
    std::map<std::string, int> limiters_; ///< of the steps since the last frame
    StepInfo tightest_;                   ///< of these: the smallest that the frame's end did not cut, if there is one
    RunFigures figures_;                  ///< those that are gathered step by step, until the end
    RunOutcome outcome_;
};

} // namespace rivulet
