#include "commands.h"

#include "rivulet/error.h"
#include "rivulet/scene.h"

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>

namespace {

std::string environment(const char* name, const char* otherwise)
{
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : otherwise;
}

/// The first argument where it is meant as a command and is none; CLI11 would say that one is missing.
const char* unknown_command(const CLI::App& app, int argc, char** argv)
{
    if (argc < 2 || *argv[1] == '\0' || *argv[1] == '-') return nullptr;
    const auto has_its_name = [&](const CLI::App* command) { return command->check_name(argv[1]); };
    return app.get_subcommands(has_its_name).empty() ? argv[1] : nullptr;
}

/// The first of the words that no option took, where it looks like one.
std::string unknown_flag(const CLI::App& app)
{
    for (const std::string& word : app.remaining(true))
        if (word.starts_with('-') && word != "--") return word;
    return "";
}

/// The program behind the pipe has ended, as `| head -1` does: it has read all that it wanted.
bool reader_has_gone()
{
    pollfd output{STDOUT_FILENO, 0, 0};
    return poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

/// What a command ends with when it has said all: its code, unless standard output did not take what was said.
int after_output(int code)
{
    if (!output_failed()) return code;
    std::fputs("rivulet: cannot write to standard output\n", stderr);
    return rivulet::kExitIo;
}

/// The tests belong to a clone, where ./rivulet runs them without this program: it may have to be built first.
void add_test_command(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand("test", "build and run the tests (./rivulet test, in a clone)");
    command->allow_extras();
    command->callback([&action] {
        action = [] {
            std::fputs("rivulet: the tests are run in a clone, by ./rivulet test\n", stderr);
            return rivulet::kExitInput;
        };
    });
}

} // namespace

bool output_failed()
{
    const bool is_written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    return !is_written && !reader_has_gone();
}

std::filesystem::path gallery_folder() { return environment("RIVULET_SCENES", RIVULET_GALLERY); }

std::string program_command() { return shell_quoted(environment("RIVULET_COMMAND", "rivulet")); }

std::filesystem::path scene_file(const std::string& scene) { return rivulet::find_scene(scene, gallery_folder()); }

std::string shell_quoted(const std::string& word)
{
    const bool plain = !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                               "0123456789_-+=:,./@%") == std::string::npos;
    if (plain) return word;
    std::string quoted = "'";
    for (const char c : word) {
        if (c == '\'')
            quoted += "'\\''";
        else
            quoted += c;
    }
    return quoted + "'";
}

int main(int argc, char** argv)
{
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error like a full disk
    std::signal(SIGPIPE, SIG_IGN); // a reader that has had enough does not end a run
    CLI::App app("Rivulet: liquids meeting thin structures", "rivulet");
    app.set_version_flag("--version", rivulet::version());
    app.require_subcommand(1);
    Action action;
    add_demo_command(app, action);
    add_run_commands(app, action);
    add_scene_commands(app, action);
    add_output_commands(app, action);
    add_bench_command(app, action);
    add_test_command(app, action);
    if (const char* word = unknown_command(app, argc, argv)) {
        std::fprintf(stderr, "rivulet: '%s' is not a command; `rivulet --help` lists them\n", word);
        return rivulet::kExitInput;
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::RequiredError& error) {
        if (const std::string flag = unknown_flag(app); !flag.empty()) { // the likelier mistake
            std::fprintf(stderr, "rivulet: unknown option %s; `rivulet COMMAND --help` lists them\n", flag.c_str());
            return rivulet::kExitInput;
        }
        app.exit(error);
        return rivulet::kExitInput;
    } catch (const CLI::ParseError& error) {
        std::ostringstream help, mistake;
        const int code = app.exit(error, help, mistake) == 0 ? rivulet::kExitDone : rivulet::kExitInput;
        std::fputs(help.str().c_str(), stdout);
        std::fputs(mistake.str().c_str(), stderr);
        return after_output(code);
    }
    try {
        return after_output(action());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "rivulet: %s\n", error.what());
        return rivulet::exit_code(error);
    }
}
