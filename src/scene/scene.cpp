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

/// Collects path = value of every leaf.
class KeyCollector {
public:
    void collect(const Record& record, const Value& table, const std::string& path)
    {
        const Value* selector = table.find(record.selector);
        const std::string selected = selector ? *selector->as<std::string>() : "";
        for (const auto& [name, value] : *table.as<Value::Table>())
            visit(*record.find(name, selected), value, path.empty() ? name : path + "." + name);
    }

    std::map<std::string, std::string> keys;

private:
    void visit(const Key& key, const Value& value, const std::string& path)
    {
        if (key.kind == KeyKind::NamedTables) {
            for (const auto& [name, member] : *value.as<Value::Table>())
                collect(scene_record(key.record), member, path + "." + name);
        } else if (key.kind == KeyKind::Table) {
            collect(scene_record(key.record), value, path);
        } else if (key.kind == KeyKind::Tables) {
            const auto& list = *value.as<Value::List>();
            for (std::size_t i = 0; i < list.size(); ++i)
                collect(scene_record(key.record), list[i], fmt::format("{}[{}]", path, i));
        } else {
            keys[path] = key.kind == KeyKind::File ? file_text(*value.as<std::string>()) : to_text(value);
        }
    }
};

/// Gives every file that a resolved scene names the place of its copy in a run folder, "inputs/0/bunny.obj".
class FileKeeper {
public:
    void keep(const Record& record, Value& table)
    {
        const Value* selector = table.find(record.selector);
        const std::string selected = selector ? *selector->as<std::string>() : "";
        for (auto& [name, value] : *table.as<Value::Table>()) visit(*record.find(name, selected), value);
    }

    std::vector<SceneFile> files;

private:
    void visit(const Key& key, Value& value)
    {
        if (key.kind == KeyKind::NamedTables) {
            for (auto& [name, member] : *value.as<Value::Table>()) keep(scene_record(key.record), member);
        } else if (key.kind == KeyKind::Table) {
            keep(scene_record(key.record), value);
        } else if (key.kind == KeyKind::Tables) {
            for (Value& item : *value.as<Value::List>()) keep(scene_record(key.record), item);
        } else if (key.kind == KeyKind::File) {
            const std::filesystem::path original = *value.as<std::string>();
            const std::string copy = fmt::format("inputs/{}/{}", files.size(), original.filename().string());
            files.push_back({original, copy});
            value.data = copy;
        }
    }
};

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
                  FileAccess access)
{
    const Document document = read_document(text, file, overrides, access);
    Problems problems(document.sources);
    const Value root = resolve(document, access, problems);
    const ShapeMap shapes = build_shapes(root, problems);
    check_meaning(root, shapes, problems);
    problems.raise();

    Scene scene;
    scene.name = file.stem().string();
    scene.file = file;
    scene.model = build_model(root, shapes);
    scene.render = build_render(root);
    scene.expectations = build_expectations(root, document.sources);
    scene.resolved_toml = to_toml(root);
    Value kept = root;
    FileKeeper keeper;
    keeper.keep(scene_records().front(), kept);
    scene.kept_toml = to_toml(kept);
    scene.files = std::move(keeper.files);
    KeyCollector collector;
    collector.collect(scene_records().front(), root, "");
    scene.resolved_keys = std::move(collector.keys);
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
