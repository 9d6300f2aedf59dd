#include "commands.h"
#include "print.h"

#include "rivulet/error.h"
#include "rivulet/export.h"
#include "rivulet/picture.h"
#include "rivulet/plot.h"

#include <cstdio>
#include <memory>

namespace {

void print_line(std::string_view line)
{
    print(stdout, "{}\n", line);
    std::fflush(stdout);
}

void add_render(CLI::App& app, Action& action)
{
    struct Arguments {
        std::string run;
        rivulet::PictureOptions options;
    };
    auto arguments = std::make_shared<Arguments>();
    rivulet::PictureOptions& options = arguments->options;
    CLI::App* command = app.add_subcommand("render", "draw the frames of a run to preview/");
    command->add_option("DIR", arguments->run, "run folder")->required();
    command->add_option("--frame", options.frame, "this frame alone");
    command->add_option("--movie", options.movie, "a movie of the pictures, .mp4 or .gif");
    command->add_option("--width", options.width, "pixels [of the scene]")->check(CLI::Range(16, 16384));
    command->add_option("--height", options.height, "pixels [of the scene]")->check(CLI::Range(16, 16384));
    command->add_option("--samples", options.samples, "paths a pixel [of the scene]")->check(CLI::Range(1, 65536));
    command->add_option("--set", options.overrides, "path=value: change a key of the scene that only pictures know")
        ->allow_extra_args(false);
    command->add_option("--threads", options.threads, "threads [all cores]")->check(CLI::Range(0, 4096));
    command->callback([arguments, &action] {
        action = [arguments] {
            arguments->options.message = print_line;
            rivulet::render_run(arguments->run, arguments->options);
            return rivulet::kExitDone;
        };
    });
}

void add_plot(CLI::App& app, Action& action)
{
    auto run = std::make_shared<std::string>();
    CLI::App* command =
        app.add_subcommand("plot", "draw ledger, energies, steps, stages and probes of a run to plots/");
    command->add_option("DIR", *run, "run folder")->required();
    command->callback([run, &action] {
        action = [run] {
            for (const auto& file : rivulet::plot_run(*run)) print_line(file.string());
            return rivulet::kExitDone;
        };
    });
}

struct ExportArguments {
    std::string run, format;
    rivulet::ExportOptions options;
};

std::shared_ptr<ExportArguments> add_export_options(CLI::App& command)
{
    auto arguments = std::make_shared<ExportArguments>();
    arguments->options.message = print_line;
    command.add_option("DIR", arguments->run, "run folder")->required();
    command.add_option("--out", arguments->options.out, "folder to write to [inside the run folder]");
    command.add_option("--frame", arguments->options.frame, "this frame alone");
    command
        .add_option("--set", arguments->options.overrides,
                    "path=value: change a key of the scene that only pictures know")
        ->allow_extra_args(false);
    command.add_option("--threads", arguments->options.threads, "threads [all cores]")->check(CLI::Range(0, 4096));
    return arguments;
}

void add_mesh(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand("mesh", "the liquid's surface of each frame as PLY");
    auto arguments = add_export_options(*command);
    command->callback([arguments, &action] {
        action = [arguments] {
            rivulet::mesh_run(arguments->run, arguments->options);
            return rivulet::kExitDone;
        };
    });
}

void add_export(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand("export", "convert the frames of a run");
    auto arguments = add_export_options(*command);
    command->add_option("--to", arguments->format, "usd, vdb, ply (particles) or obj (surface)")
        ->required()
        ->check(CLI::IsMember({"usd", "vdb", "ply", "obj"}));
    command->callback([arguments, &action] {
        action = [arguments] {
            rivulet::export_run(arguments->run, arguments->format, arguments->options);
            return rivulet::kExitDone;
        };
    });
}

} // namespace

void add_output_commands(CLI::App& app, Action& action)
{
    add_render(app, action);
    add_plot(app, action);
    add_mesh(app, action);
    add_export(app, action);
}
