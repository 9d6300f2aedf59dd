#include "commands.h"
#include "print.h"
#include "progress.h"

#include "rivulet/error.h"
#include "rivulet/picture.h"
#include "rivulet/plot.h"
#include "rivulet/run.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

namespace {

constexpr const char* kDemoScene = "car_wash"; // less than a minute in all on two cores
constexpr const char* kFinerCell = "simulation.cell_size=0.004";
constexpr const char* kDemoFolder = "rivulet-demo";

constexpr const char* kDemoMarker = ".rivulet-demo"; // goes with the run, when another replaces it
constexpr const char* kRunMarker = ".rivulet-run";

struct DemoArguments {
    std::string out; ///< empty = kDemoFolder, or a name like it that is free
    bool force = false;
};

bool holds_something(const std::filesystem::path& folder)
{
    std::error_code error;
    return std::filesystem::exists(folder, error) && !std::filesystem::is_empty(folder, error);
}

bool holds(const std::filesystem::path& folder, const char* name)
{
    std::error_code error;
    return std::filesystem::exists(folder / name, error);
}

/// rivulet-demo, rivulet-demo-2, ...: the first that is not there or is empty.
std::string free_folder()
{
    std::string name = kDemoFolder;
    for (int n = 2; holds_something(name); ++n) name = fmt::format("{}-{}", kDemoFolder, n);
    return name;
}

/// Where the demo goes. An earlier demo is replaced only by --force, and other runs never.
std::string choose_folder(const DemoArguments& arguments)
{
    std::string out = arguments.out.empty() ? kDemoFolder : arguments.out;
    const bool is_demo = holds(out, kDemoMarker);
    if (!holds_something(out) || (arguments.force && is_demo)) return out;
    if (arguments.out.empty() && !arguments.force) {
        std::string other = free_folder();
        print(stderr, "rivulet: {} holds {}: this demo goes to {}{}\n", out,
              is_demo ? "an earlier demo" : "something else", other,
              is_demo ? "; --force would replace the earlier one" : "");
        return other;
    }
    print(stderr, "rivulet: {}: holds {} choose another folder with --out\n", out,
          is_demo                  ? "an earlier demo; replace it with --force, or"
          : holds(out, kRunMarker) ? "a run that is no demo, which is not replaced;"
                                   : "other things than a demo;");
    return "";
}

void say(const std::string& line)
{
    print(stdout, "{}\n", line);
    std::fflush(stdout);
}

rivulet::RunOutcome run_demo_scene(const DemoArguments& arguments)
{
    ProgressPrinter printer(ProgressPrinter::kind_from("auto"));
    rivulet::RunOptions options;
    options.out = arguments.out;
    options.force = arguments.force;
    bool is_marked = false;
    const auto mark = [&] {
        if (!is_marked) std::ofstream(options.out / kDemoMarker) << "This folder was made by rivulet demo.\n";
        is_marked = true;
    };
    options.progress = [&](const rivulet::Progress& progress) {
        mark();
        printer.show(progress);
    };
    options.message = [&](std::string_view line) {
        printer.finish_line();
        print(stderr, "rivulet: {}\n", line);
    };
    rivulet::RunOutcome outcome = rivulet::run_scene(scene_file(kDemoScene), options);
    mark(); // also where it was interrupted before its first step was done
    printer.finish_line();
    return outcome;
}

void draw(const DemoArguments& arguments, std::int64_t n_pictures)
{
    ProgressPrinter printer(ProgressPrinter::kind_from("auto"));
    std::int64_t n_drawn = 0;
    rivulet::PictureOptions pictures;
    pictures.movie = std::filesystem::path(arguments.out) / "demo.mp4";
    pictures.width = 480;
    pictures.height = 270;
    pictures.samples = 16; // with fewer the denoiser leaves blotches on plain walls
    say(fmt::format("drawing {} pictures of {} x {} and a movie of them", n_pictures, *pictures.width,
                    *pictures.height));
    pictures.message = [&](std::string_view) { // the movie is the last
        if (n_drawn < n_pictures) printer.show("picture", ++n_drawn, n_pictures);
    };
    rivulet::render_run(arguments.out, pictures);
    printer.finish_line();
    say("plotting ledger, energies, steps, stages and probes");
    rivulet::plot_run(arguments.out);
}

/// What to try next, a command and its purpose a line.
std::string suggestions(const std::string& out)
{
    const std::string folder = shell_quoted(out);
    std::string text = "what to try next\n";
    const auto suggest = [&](const std::string& arguments, const char* what) {
        text += fmt::format("  {:<58} {}\n", program_command() + " " + arguments, what);
    };
    suggest("scenes", "the gallery");
    suggest(fmt::format("run {} --set {}", kDemoScene, kFinerCell), "the same, finer");
    suggest(fmt::format("render {} --frame 12", folder), "a picture at full size");
    suggest(fmt::format("export {} --to usd", folder), "for another program");
    suggest("explain simulation.cell_size", "what a key of a scene means");
    return text;
}

void print_where(const std::string& out)
{
    print(stdout,
          "\nmovie     {0}/demo.mp4\npictures  {0}/preview/\nledger    {0}/plots/ledger.svg\n"
          "report    {0}/report.json\n\n{1}",
          shell_quoted(out), suggestions(out));
}

int demo(DemoArguments arguments)
{
    arguments.out = choose_folder(arguments);
    if (arguments.out.empty()) return rivulet::kExitInput;
    say(fmt::format("running the scene {}", kDemoScene));
    const rivulet::RunOutcome outcome = run_demo_scene(arguments);
    if (outcome.exit != rivulet::kExitDone) {
        print(stderr, "rivulet: the demo stopped early: {}; begin again with: {} demo --out {} --force\n",
              outcome.failure.empty() ? "interrupted" : outcome.failure, program_command(),
              shell_quoted(arguments.out));
        return outcome.exit;
    }
    say(fmt::format("{} frames in {}; the ledgers close to {:.2g}; state hash {}", outcome.frame,
                    duration_text(outcome.wall), outcome.ledger_error, outcome.state_hash));
    draw(arguments, outcome.frame + 1);
    print_where(arguments.out);
    return rivulet::kExitDone;
}

} // namespace

void add_demo_command(CLI::App& app, Action& action)
{
    auto arguments = std::make_shared<DemoArguments>();
    CLI::App* command = app.add_subcommand("demo", "a minute of simulation, pictures, a movie and a plot");
    command->add_option("--out", arguments->out, "folder [rivulet-demo, or rivulet-demo-2, ... where that is taken]");
    command->add_flag("--force", arguments->force, "replace an earlier demo in the folder");
    command->footer([] { return suggestions(kDemoFolder); });
    command->callback([arguments, &action] { action = [arguments] { return demo(*arguments); }; });
}
