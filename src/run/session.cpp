#include "run/session.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/log.h"
#include "io/atomic_file.h"
#include "io/csv.h"
#include "rivulet/error.h"
#include "run/expectations.h"
#include "run/frame.h"
#include "run/process.h"
#include "run/report.h"
#include "run/resume.h"
#include "scene/balance.h"
#include "sim/diagnostics.h"
#include "sim/placement.h"
#include "sim/watchdog.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Where the scene ends by itself, and its [test] is meant.
std::int64_t last_frame_of(const Scene& scene)
{
    return frame_at(scene.model.options.end_time, scene.model.options.frame_interval);
}

void say(const RunOptions& options, const std::string& line)
{
    if (options.message) options.message(line);
}

} // namespace

std::int64_t frame_at(double time, double interval)
{
    return static_cast<std::int64_t>(std::ceil(time / interval * (1 - 1e-12)));
}

Session::Session(const Scene& scene, const RunOptions& options, std::int64_t n_frames, int n_threads,
                 SignalGuard& signals)
    : signals_(signals), scene_(scene), options_(options), n_frames_(n_frames), n_threads_(n_threads),
      folder_(options.out.empty() ? std::filesystem::path("runs") / scene.name : options.out)
{
    outcome_.folder = folder_.path();
    prepare_for_signals();
    if (folder_.is_run()) lock_ = folder_.lock();
    if (!options.resume || !try_resume()) start_new();
    first_step_ = state_.clock.step;
    first_time_ = state_.clock.time;
}

/// A scene that an earlier run has kept would be gone before it is read.
void Session::require_scene_stays() const
{
    std::vector<std::filesystem::path> needed{scene_.file};
    for (const SceneFile& file : scene_.files) needed.push_back(file.original);
    for (const std::filesystem::path& file : needed)
        if (folder_.would_replace(file))
            throw InputError(fmt::format("{}: lies in the run folder {} that would be replaced, and the new run needs "
                                         "it; choose another folder with --out, or copy the scene and its files out of "
                                         "this one first",
                                         file.string(), folder_.path().string()));
}

void Session::start_new()
{
    if (options_.force || options_.resume) require_scene_stays();
    folder_.create(options_.force || options_.resume); // try_resume has seen that there is nothing to lose
    if (!lock_) lock_ = folder_.lock();
    log_ = std::make_unique<RunLog>(folder_, false, options_.message);
    log_info("rivulet {}: {} on {} threads", RIVULET_VERSION, scene_.file.string(), n_threads_);
    for (const std::string& warning : placement_warnings(scene_.model)) log_warning("{}", warning);
    for (const std::string& warning : balance_warnings(scene_)) log_warning("{}", warning);
    log_->flush(); // the first step may be a long one
    keep_scene();
    state_ = initial_state(scene_.model);
    tables_ = std::make_unique<RunTables>(folder_, scene_.model, state_);
    write_frame(folder_.frame(0), scene_.model, state_);
    write_checkpoint_now();
    log_info("begins with {} particles, {} vertices of strands", state_.liquid.size(), state_.strands.size());
    log_->flush(); // the first step may be a long one
}

/// The scene and the files that it names, so that the folder is all that pictures and later runs need.
void Session::keep_scene() const
{
    for (const SceneFile& file : scene_.files) {
        const std::filesystem::path copy = folder_.path() / file.copy;
        make_folder(copy.parent_path());
        write_file_atomically(copy, read_text(file.original));
    }
    write_file_atomically(folder_.file("scene.toml"), scene_.kept_toml);
}

bool Session::try_resume()
{
    std::optional<ResumePoint> point;
    if (folder_.is_run()) point = find_resume_point(folder_, scene_, options_.message);
    if (!point && !folder_.frames().empty() && folder_.frames().back() > 0)
        throw InputError(folder_.path().string() +
                         ": holds frames but no checkpoint to resume from; replace the run with --force, or choose "
                         "another folder with --out");
    if (!point) {
        say(options_, "nothing to resume in " + folder_.path().string() + ": starting from the beginning");
        return false;
    }
    require_rows(folder_, point->covered); // before anything of the earlier part is touched
    log_ = std::make_unique<RunLog>(folder_, true, options_.message);
    log_info("resumed from {}", point->checkpoint.string());
    say(options_, "resuming from " + point->checkpoint.string());
    for (const std::string& line : damaged_frames(folder_, point->state.clock.frame)) log_warning("{}", line);
    drop_temporary_files(folder_);
    keep_scene();          // what may change: camera, title, tests
    folder_.drop_report(); // of the part that is done: until this one ends, the run is not finished
    state_ = std::move(point->state);
    folder_.drop_frames_after(state_.clock.frame);
    tables_ = std::make_unique<RunTables>(folder_, scene_.model, point->covered);
    recall_steps();
    checkpoint_step_ = state_.clock.step;
    outcome_.checkpoint = point->checkpoint;
    prepare_for_signals();
    log_->flush();
    return true;
}

/// What the steps so far add to the figures.
void Session::recall_steps()
{
    const CsvTable steps = read_csv(folder_.file("steps.csv")); // cut to what the checkpoint covers
    const auto largest = [&](const char* name) {
        const int column = steps.column(name);
        if (column < 0)
            throw IoError(fmt::format("cannot continue {}: it was begun by an older version, without the column {}",
                                      folder_.file("steps.csv").string(), name));
        double most = 0;
        for (const double value : steps.numbers(column)) most = std::max(most, value);
        return most;
    };
    figures_.worst_contact_residual = largest("contact_residual");
    figures_.worst_strain = largest("largest_strain");
    figures_.stretched_edges = static_cast<std::int64_t>(largest("stretched_edges"));
}

RunOutcome Session::run()
{
    try {
        loop();
    } catch (const SimulationError& error) {
        fail(error.what());
    } catch (const InternalError& error) {
        const std::string what = fmt::format("{}\nin step {}, from t = {:.6g} s on; {}", error.what(),
                                             state_.clock.step + 1, state_.clock.time, last_checkpoint_text());
        log_warning("{}", what);
        log_->flush();
        throw InternalError(what);
    }
    if (state_is_good_) write_checkpoint_now();
    if (outcome_.exit == kExitDone) check_expectations();
    warn_of_missed_contacts();
    warn_of_stretched_edges();
    write_report();
    if (options_.ends_process) signals_.settle(outcome_.exit);
    return outcome_;
}

std::string Session::last_checkpoint_text() const
{
    if (outcome_.checkpoint.empty()) return "there is no checkpoint yet";
    return "the last checkpoint is " + outcome_.checkpoint.string() +
           "; the same command with --resume goes on from it";
}

void Session::prepare_for_signals()
{
    if (!options_.message) return;
    signals_.set_words("rivulet: ending after the current step, with a checkpoint; once more to end at once\n",
                       "rivulet: ended at once, in the middle of a step: " + last_checkpoint_text() + "\n");
}

void Session::loop()
{
    while (state_.clock.frame < n_frames_) {
        if (signals_.end_requested()) {
            log_info("interrupted at step {}, t = {} s", state_.clock.step, state_.clock.time);
            outcome_.exit = kExitInterrupted;
            return;
        }
        const StepInfo info = advance(scene_.model, state_, workspace_);
        note_limit(info);
        figures_.worst_contact_residual = std::max(figures_.worst_contact_residual, state_.strand_contacts.residual);
        note_strains(info);
        tables_->record(state_, info);
        if (info.frame_completed) finish_frame();
        tell_progress(info);
    }
}

void Session::note_limit(const StepInfo& info)
{
    const auto is_cut = [](const StepInfo& step) { return step.limiter == kFrameLimiter; };
    const bool is_first = limiters_.empty(), is_alike = is_cut(info) == is_cut(tightest_);
    if (is_first || (is_alike ? info.dt < tightest_.dt : is_cut(tightest_))) tightest_ = info;
    ++limiters_[info.limiter];
}

/// The first edge that is stretched is told of at once, with its place; what came of it at the end.
void Session::note_strains(const StepInfo& info)
{
    const StretchedEdges& stretched = info.stretched;
    figures_.worst_strain = std::max(figures_.worst_strain, stretched.largest_strain);
    if (figures_.stretched_edges == 0 && stretched.count > 0) {
        const std::vector<std::int32_t>& first = scene_.model.strands.first;
        const auto strand = std::upper_bound(first.begin(), first.end(), stretched.worst) - first.begin() - 1;
        const auto group = std::ranges::find_if(scene_.model.strand_groups, [&](const StrandGroup& g) {
            return strand < std::ptrdiff_t{g.first_strand} + g.n_strands;
        });
        log_warning(
            "step {} at {:.6g} s: edge {} of strand {} of {} is {} by {:.2g} %; edges that are by more than they "
            "may be: {}",
            state_.clock.step, state_.clock.time, stretched.worst - first[static_cast<std::size_t>(strand)],
            strand - group->first_strand, group->name, stretched.worst_strain > 0 ? "stretched" : "compressed",
            100 * std::abs(stretched.worst_strain), stretched.count);
    }
    figures_.stretched_edges = std::max(figures_.stretched_edges, stretched.count);
}

void Session::finish_frame()
{
    write_frame(folder_.frame(state_.clock.frame), scene_.model, state_);
    log_frame();
    tables_->flush();
    log_->flush();
    if (state_.clock.frame % options_.checkpoint_every == 0) write_checkpoint_now();
}

void Session::log_frame()
{
    std::string limited;
    int n_steps = 0;
    for (const auto& [name, count] : limiters_) {
        limited += fmt::format("{}{} {}", limited.empty() ? "" : ", ", name, count);
        n_steps += count;
    }
    limiters_.clear();
    log_info(
        "frame {}: t = {:.6g} s, {} steps limited by {}; {} particles, {} vertices of strands, ledger error {:.2g}",
        state_.clock.frame, state_.clock.time, n_steps, limited, state_.liquid.size(), state_.strands.size(),
        worst_ledger_error(scene_.model, state_));
}

void Session::write_checkpoint_now()
{
    if (checkpoint_step_ == state_.clock.step) return;
    const std::filesystem::path path = folder_.checkpoint(state_.clock.step);
    write_checkpoint(path, scene_, state_, tables_->sync());
    checkpoint_step_ = state_.clock.step;
    outcome_.checkpoint = path;
    prepare_for_signals();
    drop_old_checkpoints(folder_);
}

void Session::tell_progress(const StepInfo& info) const
{
    if (!options_.progress) return;
    Progress progress;
    progress.step = state_.clock.step;
    progress.frame = state_.clock.frame;
    progress.n_frames = n_frames_;
    progress.time = state_.clock.time;
    progress.end_time = static_cast<double>(n_frames_) * scene_.model.options.frame_interval;
    const StepInfo& shown = info.frame_completed ? tightest_ : info;
    progress.dt = shown.dt;
    progress.limiter = shown.limiter;
    progress.particles = state_.liquid.size();
    progress.strand_vertices = state_.strands.size();
    progress.wall = wall();
    const double done = state_.clock.time - first_time_;
    progress.remaining = done > 0 ? progress.wall * (progress.end_time - state_.clock.time) / done : -1;
    progress.frame_completed = info.frame_completed;
    options_.progress(progress);
}

void Session::fail(const std::string& reason)
{
    log_warning("the simulation failed in step {}: {}", state_.clock.step + 1, reason);
    outcome_.exit = kExitSimulation;
    outcome_.failure = reason;
    try {
        check_state(scene_.model, state_, "checkpoint");
    } catch (const SimulationError&) {
        state_is_good_ = false; // the failure was in the state itself: the last checkpoint is the last good one
    }
}

void Session::warn_of_missed_contacts() const
{
    const std::int64_t n_missed = state_.strand_contacts.n_missed;
    if (n_missed == 0) return;
    if (scene_.model.options.strand_contact == StrandContactLaw::Penalty) {
        log_warning(
            "strands went through each other {} times: simulation.strand_contact = \"cone\" stops them; with "
            "\"penalty\" fewer do with a larger strand_penalty_stiffness (now {:.4g} Pa), but strands that cross "
            "fast while they slide along each other still may",
            n_missed, scene_.model.options.strand_penalty.stiffness);
        return;
    }
    log_warning("{} contacts of strands were found too late in their steps to be opposed: strands may lie inside of "
                "each other or of obstacles; a smaller simulation.strand_step (now {:.4g} s) finds them in time",
                n_missed, scene_.model.options.strand_step);
}

void Session::warn_of_stretched_edges() const
{
    if (figures_.stretched_edges == 0) return;
    log_warning(
        "edges of strands were stretched or compressed by up to {:.2g} %, at once {} of them by more than they may "
        "be (1 %, or ten times what the strand's weight does to it). Where pins or loads do so that is as it should "
        "be; "
        "what sweeps through strands stretches them less with a smaller simulation.strand_step (now {:.4g} s)",
        100 * figures_.worst_strain, figures_.stretched_edges, scene_.model.options.strand_step);
}

void Session::check_expectations()
{
    if (scene_.expectations.empty()) return;
    if (const std::int64_t end = last_frame_of(scene_); state_.clock.frame != end) {
        outcome_.expectations = fmt::format(
            "[test] is not judged: the run ended with frame {}, its scene does with {}\n", state_.clock.frame, end);
        log_info("{}", std::string_view(outcome_.expectations).substr(0, outcome_.expectations.size() - 1));
        return;
    }
    const Json report = make_report(scene_, state_, workspace_.timers, figures_);
    for (const ExpectationResult& result : evaluate(scene_, read_records(folder_), report)) {
        log_info("test {}", result.text());
        outcome_.expectations += result.text() + "\n";
        if (result.met) continue;
        outcome_.exit = kExitExpectation;
        if (!outcome_.failure.empty()) outcome_.failure += '\n';
        outcome_.failure += result.text();
    }
}

void Session::write_report()
{
    outcome_.step = state_.clock.step;
    outcome_.frame = state_.clock.frame;
    outcome_.time = state_.clock.time;
    outcome_.particles = state_.liquid.size();
    outcome_.strand_vertices = state_.strands.size();
    outcome_.state_hash = hex(state_hash(state_));
    outcome_.ledger_error = worst_ledger_error(scene_.model, state_);
    outcome_.wall = wall();
    figures_.threads = n_threads_;
    figures_.wall = outcome_.wall;
    figures_.cpu = cpu_seconds();
    figures_.peak_memory = peak_resident_bytes();
    figures_.resumed_from_step = first_step_;
    figures_.exit = outcome_.exit;
    log_info("state hash {}, exit {}", outcome_.state_hash, outcome_.exit);
    log_->flush(); // before the report: that is there when all went well
    folder_.replace_report(make_report(scene_, state_, workspace_.timers, figures_));
}

double Session::wall() const
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

} // namespace rivulet
