#include "commands.h"
#include "print.h"
#include "progress.h"

#include "rivulet/error.h"
#include "rivulet/run.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace {

struct RunArguments {
    std::string scene, until, max_memory, progress = "auto";
    rivulet::RunOptions options;
};

std::string resume_command(const RunArguments& arguments, const rivulet::RunOutcome& outcome)
{
    std::string command =
        program_command() + " run " + shell_quoted(arguments.scene) + " --out " + shell_quoted(outcome.folder.string());
    if (arguments.options.frames) command += fmt::format(" --frames {}", *arguments.options.frames);
    if (!arguments.until.empty()) command += " --until " + shell_quoted(arguments.until);
    if (arguments.options.threads != 0) command += fmt::format(" --threads {}", arguments.options.threads);
    if (arguments.options.checkpoint_every != rivulet::RunOptions().checkpoint_every)
        command += fmt::format(" --checkpoint-every {}", arguments.options.checkpoint_every);
    if (!arguments.max_memory.empty()) command += " --max-memory " + shell_quoted(arguments.max_memory);
    for (const std::string& change : arguments.options.overrides) command += " --set " + shell_quoted(change);
    return command + " --resume";
}

/// "event": "end" of a run that an exception ended: what was last told of it.
void print_json(const rivulet::Progress& last, const std::exception& error)
{
    print(stdout,
          R"({{"event": "end", "exit": {}, "frame": {}, "time_s": {}, "steps": {}, "particles": {}, )"
          R"("strand_vertices": {}, "wall_s": {}, "ledger_relative_error": null, "state_hash": null, "failure": {}}})"
          "\n",
          rivulet::exit_code(error), last.frame, last.time, last.step, last.particles, last.strand_vertices, last.wall,
          json_quoted(error.what()));
}

void print_json(const rivulet::RunOutcome& outcome)
{
    print(
        stdout,
        R"({{"event": "end", "exit": {}, "frame": {}, "time_s": {}, "steps": {}, "particles": {}, "strand_vertices": {}, "wall_s": {}, )"
        R"("ledger_relative_error": {}, "state_hash": "{}", "failure": {}}})"
        "\n",
        outcome.exit, outcome.frame, outcome.time, outcome.step, outcome.particles, outcome.strand_vertices,
        outcome.wall, outcome.ledger_error, outcome.state_hash,
        outcome.failure.empty() ? "null" : json_quoted(outcome.failure));
}

void print_text(const rivulet::RunOutcome& outcome)
{
    print(stdout, "{} frames, {:.6g} s in {} steps, {}, {} of wall time, ledgers close to {:.2g}\n", outcome.frame,
          outcome.time, outcome.step, amount_text(outcome.particles, outcome.strand_vertices),
          duration_text(outcome.wall), outcome.ledger_error);
    print(stdout, "{}", outcome.expectations);
    print(stdout, "state hash {}\n{}\n", outcome.state_hash, outcome.folder.string());
}

void print_failure(const RunArguments& arguments, const rivulet::RunOutcome& outcome)
{
    switch (outcome.exit) {
    case rivulet::kExitExpectation:
        print(stderr, "rivulet: the run missed its expectations:\n{}\n", outcome.failure);
        break;
    case rivulet::kExitSimulation:
        print(stderr, "rivulet: the simulation failed: {}\nlast good checkpoint: {}\n", outcome.failure,
              outcome.checkpoint.string());
        break;
    case rivulet::kExitInterrupted:
        print(stderr, "rivulet: interrupted; checkpoint {}\nresume with: {}\n", outcome.checkpoint.string(),
              resume_command(arguments, outcome));
        break;
    default:
        break;
    }
}

int run(RunArguments& arguments)
{
    ProgressPrinter printer(ProgressPrinter::kind_from(arguments.progress));
    rivulet::RunOptions& options = arguments.options;
    options.until = arguments.until;
    options.ends_process = true;
    rivulet::Progress last;
    options.progress = [&](const rivulet::Progress& progress) {
        last = progress;
        printer.show(progress);
    };
    options.message = [&](std::string_view line) {
        printer.finish_line();
        print(stderr, "rivulet: {}\n", line);
    };
    rivulet::RunOutcome outcome;
    try {
        if (!arguments.max_memory.empty()) options.max_memory = rivulet::parse_bytes(arguments.max_memory);
        outcome = rivulet::run_scene(scene_file(arguments.scene), options);
    } catch (const std::exception& error) {
        printer.finish_line();
        if (printer.kind() == ProgressPrinter::Kind::Json) print_json(last, error);
        throw;
    }
    printer.finish_line();
    if (printer.kind() == ProgressPrinter::Kind::Json)
        print_json(outcome);
    else
        print_text(outcome);
    if (output_failed()) // main() says so and ends with this code
        rivulet::amend_exit(outcome.folder, rivulet::kExitIo, "cannot write to standard output");
    print_failure(arguments, outcome);
    return outcome.exit;
}

} // namespace

void add_run_commands(CLI::App& app, Action& action)
{
    auto arguments = std::make_shared<RunArguments>();
    rivulet::RunOptions& options = arguments->options;
    CLI::App* command = app.add_subcommand("run", "run a scene");
    command->add_option("SCENE", arguments->scene, "scene file or name of the gallery")->required();
    command->add_option("--out", options.out, "run folder [runs/NAME]");
    command->add_option("--frames", options.frames, "stop after this frame")->check(CLI::Range(0, 1000000000));
    command->add_option("--until", arguments->until, "stop with the frame at or after this time");
    command->add_option("--threads", options.threads, "threads [all cores]")->check(CLI::Range(0, 4096));
    command->add_option("--set", options.overrides, "path=value: change a key of the scene")->allow_extra_args(false);
    command->add_flag("--resume", options.resume, "continue from the last checkpoint");
    command->add_flag("--force", options.force, "replace an earlier run in the folder");
    command->add_option("--checkpoint-every", options.checkpoint_every, "frames between checkpoints [10]");
    command->add_option("--max-memory", arguments->max_memory, "refuse to start beyond this, such as 4GB");
    command->add_option("--progress", arguments->progress, "auto, plain, json or none")
        ->check(CLI::IsMember({"auto", "plain", "json", "none"}));
    command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}
