#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <functional>
#include <string>

/// A command sets this to what the program returns when it has run.
using Action = std::function<int()>;

/// Each adds its commands to the program; a parsed command stores its action.
void add_run_commands(CLI::App& app, Action& action);
void add_scene_commands(CLI::App& app, Action& action);
void add_output_commands(CLI::App& app, Action& action);
void add_demo_command(CLI::App& app, Action& action);
void add_bench_command(CLI::App& app, Action& action);

/// Folder of the gallery: $RIVULET_SCENES, else the one that the program was built with.
[[nodiscard]] std::filesystem::path gallery_folder();
/// A scene file from a path or a name of the gallery.
[[nodiscard]] std::filesystem::path scene_file(const std::string& scene);

/// How the user called the program, for commands that we suggest: ./rivulet sets $RIVULET_COMMAND.
[[nodiscard]] std::string program_command();

/// The word as a shell would need it.
[[nodiscard]] std::string shell_quoted(const std::string& word);
/// Whether standard output did not take what was said; a reader that has gone is none of our concern.
[[nodiscard]] bool output_failed();
