#include "commands.h"
#include "print.h"

#include "rivulet/error.h"
#include "rivulet/info.h"
#include "rivulet/scene.h"

#include <memory>

namespace {

int list_scenes()
{
    for (const rivulet::GalleryEntry& entry : rivulet::gallery(gallery_folder()))
        print(stdout, "{:<20} {}\n", entry.name, entry.title);
    return rivulet::kExitDone;
}

void add_check(CLI::App& app, Action& action)
{
    struct Arguments {
        std::string scene;
        std::vector<std::string> overrides;
        bool estimate = false;
    };
    auto arguments = std::make_shared<Arguments>();
    CLI::App* command = app.add_subcommand("check", "validate a scene without running it");
    command->add_option("SCENE", arguments->scene, "scene file or name of the gallery")->required();
    command->add_option("--set", arguments->overrides, "path=value: change a key of the scene")
        ->allow_extra_args(false);
    command->add_flag("--estimate", arguments->estimate, "say how much memory a run will need");
    command->callback([arguments, &action] {
        action = [arguments] {
            print(stdout, "{}",
                  rivulet::check_scene(scene_file(arguments->scene), arguments->overrides, arguments->estimate));
            return rivulet::kExitDone;
        };
    });
}

void add_scenes(CLI::App& app, Action& action)
{
    auto name = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("scenes", "the gallery: list it, or copy a scene here");
    command->require_subcommand(0, 1);
    command->callback([command, &action] {
        if (command->get_subcommands().empty()) action = list_scenes;
    });
    command->add_subcommand("list", "names and titles")->callback([&action] { action = list_scenes; });
    CLI::App* copy = command->add_subcommand("copy", "copy a scene into the current folder");
    copy->add_option("NAME", *name, "name of the gallery")->required();
    copy->callback([name, &action] {
        action = [name] {
            print(stdout, "{}\n", rivulet::copy_scene(*name, gallery_folder(), ".").string());
            return rivulet::kExitDone;
        };
    });
}

int explain(const std::string& key, const std::string& format)
{
    std::string text = rivulet::explain_key(key); // an unknown key is refused in any format
    if (format != "text" && !key.empty()) {
        print(stderr, "rivulet: --format {} is about all keys; leave out '{}', or the format\n", format, key);
        return rivulet::kExitInput;
    }
    if (format != "text") text = format == "markdown" ? rivulet::reference_markdown() : rivulet::editor_schema();
    print(stdout, "{}{}", text, text.ends_with('\n') ? "" : "\n");
    return rivulet::kExitDone;
}

void add_explain(CLI::App& app, Action& action)
{
    auto key = std::make_shared<std::string>();
    auto format = std::make_shared<std::string>("text");
    CLI::App* command = app.add_subcommand("explain", "what a scene key means: unit, range, default");
    command->add_option("KEY", *key, "such as simulation.cell_size; all keys without");
    command->add_option("--format", *format, "text, markdown (the reference page) or schema (JSON schema for editors)")
        ->check(CLI::IsMember({"text", "markdown", "schema"}));
    command->callback([key, format, &action] { action = [key, format] { return explain(*key, *format); }; });
}

void add_info(CLI::App& app, Action& action)
{
    auto path = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("info", "a summary of a run, frame or checkpoint");
    command->add_option("PATH", *path, "run folder, frame or checkpoint")->required();
    command->callback([path, &action] {
        action = [path] {
            print(stdout, "{}", rivulet::describe(*path));
            return rivulet::kExitDone;
        };
    });
}

} // namespace

void add_scene_commands(CLI::App& app, Action& action)
{
    add_check(app, action);
    add_scenes(app, action);
    add_explain(app, action);
    add_info(app, action);
}
