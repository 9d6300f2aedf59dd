#include "scene/scene.h"

#include "base/error.h"
#include "base/hash.h"
#include "scene/build.h"
#include "scene/document.h"
#include "scene/resolve.h"

#include <fmt/format.h>

namespace rivulet {
namespace {

/// A mesh counts by its name and content, not by where it lies.
std::string file_text(const std::filesystem::path& file)
{
    Hasher hasher;
    hasher.text(read_text(file, kMaxMeshBytes));
    return fmt::format("\"{}\" (content {})", file.filename().string(), hex(hasher.value()));
}

/// Calls body(key, value, path) for every leaf of a resolved table, which may change the value.
template <class Table, class Body>
void for_leaves(const Record& record, Table& table, const std::string& path, const Body& body)
{
    const Value* selector = table.find(record.selector);
    const std::string selected = selector ? *selector->template as<std::string>() : "";
    for (auto& [name, value] : *table.template as<Value::Table>()) {
        const Key& key = *record.find(name, selected);
        const std::string here = path.empty() ? name : path + "." + name;
        if (key.kind == KeyKind::NamedTables) {
            for (auto& [member_name, member] : *value.template as<Value::Table>())
                for_leaves(scene_record(key.record), member, here + "." + member_name, body);
        } else if (key.kind == KeyKind::Table) {
            for_leaves(scene_record(key.record), value, here, body);
        } else if (key.kind == KeyKind::Tables) {
            auto& list = *value.template as<Value::List>();
            for (std::size_t i = 0; i < list.size(); ++i)
                for_leaves(scene_record(key.record), list[i], fmt::format("{}[{}]", here, i), body);
        } else {
            body(key, value, here);
        }
    }
}

/// Every leaf as text, by its path.
std::map<std::string, std::string> leaf_texts(const Value& root)
{
    std::map<std::string, std::string> texts;
    for_leaves(scene_records().front(), root, "", [&](const Key& key, const Value& value, const std::string& path) {
        texts[path] = key.kind == KeyKind::File ? file_text(*value.as<std::string>()) : to_text(value);
    });
    return texts;
}

/// Gives every file that a resolved scene names the place of its copy in a run folder, "inputs/0/bunny.obj".
std::vector<SceneFile> name_copies(Value& root)
{
    std::vector<SceneFile> files;
    for_leaves(scene_records().front(), root, "", [&](const Key& key, Value& value, const std::string&) {
        if (key.kind != KeyKind::File) return;
        const std::filesystem::path original = *value.as<std::string>();
        const std::string copy = fmt::format("inputs/{}/{}", files.size(), original.filename().string());
        files.push_back({original, copy});
        value.data = copy;
    });
    return files;
}

std::uint64_t fingerprint_of(const std::map<std::string, std::string>& keys)
{
    Hasher hasher;
    for (const auto& [key, value] : keys) {
        if (!find_key(key)->affects_simulation) continue;
        hasher.text(key);
        hasher.text(value);
    }
    return hasher.value();
}

} // namespace

Scene parse_scene(const std::string& text, const std::filesystem::path& file, const std::vector<std::string>& overrides,
                  const ParseOptions& options)
{
    const Document document = read_document(text, file, overrides, options.files);
    Problems problems(document.sources);
    const Value root = resolve(document, options.files, problems);
    const ShapeMap shapes = build_shapes(root, problems);
    // Strands take long to grow: not in a scene that is refused anyway.
    const CurveMap curves = problems.empty() ? build_curves(root, shapes, options, problems) : CurveMap{};
    check_meaning(root, shapes, problems);
    check_strands(root, curves, problems);
    problems.raise();

    Scene scene;
    scene.name = file.stem().string();
    scene.file = file;
    scene.model = build_model(root, shapes, curves);
    scene.render = build_render(root);
    scene.expectations = build_expectations(root, document.sources);
    scene.resolved_toml = to_toml(root);
    Value kept = root;
    scene.files = name_copies(kept);
    scene.kept_toml = to_toml(kept);
    scene.resolved_keys = leaf_texts(root);
    scene.fingerprint = fingerprint_of(scene.resolved_keys);
    return scene;
}

Scene load_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides)
{
    return parse_scene(read_text(file, kMaxSceneBytes), file, overrides);
}

std::vector<std::string> scene_differences(const Scene& before, const Scene& after)
{
    std::map<std::string, std::pair<std::string, std::string>> both;
    for (const auto& [key, value] : before.resolved_keys) both[key] = {value, "absent"};
    for (const auto& [key, value] : after.resolved_keys) {
        const auto [entry, is_new] = both.try_emplace(key, "absent", value);
        if (!is_new) entry->second.second = value;
    }
    std::vector<std::string> differences;
    for (const auto& [key, values] : both)
        if (values.first != values.second && find_key(key)->affects_simulation)
            differences.push_back(fmt::format("{}: {} -> {}", key, values.first, values.second));
    return differences;
}

} // namespace rivulet
