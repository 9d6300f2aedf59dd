#pragma once

#include "render/settings.h"
#include "scene/document.h"
#include "sim/model.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace rivulet {

/// An expected number of the scene's [test] table: `quantity` (a probe column, or a path of report.json such as
/// "ledger.relative_error" or "counts.particles"), reduced over the run, against a value.
struct Expectation {
    enum class When { Final, Minimum, Maximum, Mean, Cycles };
    std::string name;
    std::string quantity;
    When when = When::Final;
    double value = 0;
    double tolerance = 0; ///< absolute; a measured value within value +- tolerance passes
    double from = 0;      ///< earlier values of the run do not count [s]
    std::string place{};  ///< of its quantity: "file:line:column"
    /// A number of it as it was written, where that was text with a unit.
    struct Written {
        std::string key, text, place; ///< "value", "2 kg", "file:line:column"
    };
    std::vector<Written> written{}; ///< value and tolerance
};

/// A file that a scene names, and the name of its copy in a run folder.
struct SceneFile {
    std::filesystem::path original, copy;
};

/// A scene that has been parsed, checked and built.
struct Scene {
    std::string name; ///< file name without extension
    std::filesystem::path file;
    Model model;
    RenderSettings render;
    std::vector<Expectation> expectations;
    /// The scene with includes, overrides and defaults written out in SI: loads to the same Model on its own.
    std::string resolved_toml;
    /// The same with its files under the names that a run folder keeps them by.
    std::string kept_toml;
    std::vector<SceneFile> files;
    /// Every resolved key with its value as text: what a resume compares.
    std::map<std::string, std::string> resolved_keys;
    std::uint64_t fingerprint = 0; ///< hash of resolved_keys that affect the simulation (not pictures, tests, titles)
};

/// What reading a scene may do beyond its text.
struct ParseOptions {
    FileAccess files = FileAccess::Allowed;
    /// False: of strands only polylines are made, other groups stay empty; all else of the scene is checked and built.
    bool grows_strands = true;
};

/// Reads, validates and builds. `overrides` are "path.to.key=value" (--set). Throws InputError with
/// "file:line:column: key: what is wrong, what is allowed" (all problems of a file, one a line).
[[nodiscard]] Scene load_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});
/// The same from text (tests, fuzzing, resumed runs); `file` is used in messages and to find includes and meshes.
[[nodiscard]] Scene parse_scene(const std::string& text, const std::filesystem::path& file,
                                const std::vector<std::string>& overrides = {}, const ParseOptions& options = {});

/// "key: old -> new" for each key that differs and affects the simulation.
[[nodiscard]] std::vector<std::string> scene_differences(const Scene& before, const Scene& after);

/// What `rivulet explain` prints: the key's sentence, unit, range, default; without a key, the whole list. Throws
/// InputError with suggestions for an unknown key.
[[nodiscard]] std::string explain(const std::string& key);
/// docs/scene_reference.md and the JSON schema for editors, both from the one schema.
[[nodiscard]] std::string scene_reference_markdown();
[[nodiscard]] std::string scene_json_schema();

} // namespace rivulet
