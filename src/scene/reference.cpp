#include "base/error.h"
#include "scene/materials.h"
#include "scene/problems.h"
#include "scene/scene.h"
#include "scene/schema.h"
#include "scene/units.h"

#include <algorithm>
#include <fmt/format.h>

namespace rivulet {
namespace {

/// "obstacles.*." for the members of the key `obstacles`, "simulation." for those of a table.
std::string inner_prefix(const std::string& path, const Key& key)
{
    switch (key.kind) {
    case KeyKind::NamedTables: // unless the path has a name already
        return path + (path == key.name || path.ends_with("." + key.name) ? ".*." : ".");
    case KeyKind::Tables:
        return path + "[].";
    default:
        return path + ".";
    }
}

bool is_top_level(const std::string& record)
{
    const auto& keys = scene_records().front().keys;
    return std::ranges::any_of(keys, [&](const Key& key) { return key.record == record; });
}

/// Every key once: those of the scene's own tables by path, those of shared records (shape, motion, ...) by record.
std::vector<std::pair<std::string, const Key*>> all_keys()
{
    std::vector<std::pair<std::string, const Key*>> keys;
    for (const Key& top : scene_records().front().keys) {
        keys.emplace_back(top.name, &top);
        if (top.record.empty()) continue;
        for (const Key& key : scene_record(top.record).keys)
            keys.emplace_back(inner_prefix(top.name, top) + key.name, &key);
    }
    for (const Record& record : scene_records()) {
        if (&record == &scene_records().front() || is_top_level(record.name)) continue;
        for (const Key& key : record.keys) keys.emplace_back(record.name + "." + key.name, &key);
    }
    return keys;
}

std::string condition(const Key& key, const Record& record)
{
    return key.only_for.empty() ? "" : fmt::format("only where {} is {}", record.selector, join_words(key.only_for));
}

std::string describe(const std::string& path, const Key& key, const Record& record)
{
    std::string out = fmt::format("{}\n  {}\n", path, key.documentation);
    if (!key.unit.empty()) out += fmt::format("  unit:    {} ({})\n", key.unit, dimension_name(key.dimension));
    out += fmt::format("  allowed: {}\n  default: {}\n", allowed(key),
                       key.fallback_text.empty() ? "empty" : key.fallback_text);
    if (!key.only_for.empty()) out += fmt::format("  applies: {}\n", condition(key, record));
    if (!key.instead_of.empty()) out += fmt::format("  instead of: {}\n", join_words(key.instead_of));
    return out;
}

std::string list_record(const std::string& prefix, const Record& record)
{
    std::string out;
    for (const Key& key : record.keys) out += fmt::format("  {:40} {}\n", prefix + key.name, key.documentation);
    return out;
}

std::string list_all()
{
    std::string out = "Keys of a scene; `rivulet explain KEY` tells more about one.\n\n";
    for (const auto& [path, key] : all_keys()) out += fmt::format("  {:36} {}\n", path, key->documentation);
    return out;
}

/// "strands.*.count" for "strands.count", where the name of an object was left out.
std::string with_name(const std::string& path)
{
    const auto found = find_key(path);
    const std::size_t dot = path.find('.');
    if ((found && found->key->kind != KeyKind::NamedTables) || dot == std::string::npos) return path;
    const auto group = find_key(path.substr(0, dot));
    if (!group || group->key->kind != KeyKind::NamedTables) return path;
    const std::string named = path.substr(0, dot) + ".*" + path.substr(dot);
    return find_key(named) ? named : path;
}

/// A path from the scene, or one that starts at a record ("shape.radius").
std::optional<FoundKey> find_anywhere(const std::string& path)
{
    if (auto found = find_key(path)) return found;
    const std::size_t dot = path.find('.');
    for (const Record& record : scene_records()) {
        if (dot == std::string::npos || record.name != path.substr(0, dot) || !record.has(path.substr(dot + 1)))
            continue;
        return FoundKey{&*std::ranges::find(record.keys, path.substr(dot + 1), &Key::name), &record, true};
    }
    return std::nullopt;
}

std::string cell(std::string text)
{
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
    return text;
}

std::string record_markdown(const Record& record, const std::string& title)
{
    std::string out = fmt::format("## {}\n\n{}\n\n| key | what it is | allowed | default |\n|---|---|---|---|\n", title,
                                  record.documentation);
    for (const Key& key : record.keys) {
        const std::string only = condition(key, record);
        out += fmt::format("| `{}` | {}{} | {} | {} |\n", key.name, cell(key.documentation),
                           only.empty() ? "" : fmt::format(" ({})", only), cell(allowed(key)),
                           key.fallback_text.empty() ? "empty" : cell(key.fallback_text));
    }
    return out + "\n";
}

constexpr const char* kIntroduction =
    R"(# Scene reference

Generated from the schema that the program reads scenes with. Do not edit: see `src/scene/schema.cpp`.

A scene is a [TOML](https://toml.io) file. A bare number is in SI units (m, kg, s, rad). A text may carry a unit:
`"35 um"`, `"0.89 cP"`, `"72 dyn/cm"`, `"9.81 m/s2"`, `"20 deg"`. The dimension is checked. A vector is a list of three
numbers or texts, or one text `"1 2 3 cm"`. Objects are named tables: `[obstacles.cup]`. An unknown key is an error.

`include` and `--set` change single keys: the other keys of the table stay. Where they change the `type` of a shape, or the
`kind` of a probe or of strands, keys that the new one does not know are errors that name them. A table given as one,
`shape = { type = "sphere", radius = "1 cm" }`, replaces one of another type or kind as a whole.

)";

constexpr const char* kAboutUnits =
    R"(## Units

Symbols may be multiplied (`N s`, `N*s`), divided (`m/s`, `kg/(m s)`) and raised to whole powers (`m3`, `s^-1`).

)";

} // namespace

std::string explain(const std::string& written)
{
    if (written.empty()) return list_all();
    const std::string path = with_name(written);
    if (const auto found = find_anywhere(path)) {
        std::string out;
        for (const Key& key : found->record->keys)
            if (key.name == found->key->name) out += describe(path, key, *found->record);
        if (found->key->name == "material")
            out += found->record->name == "liquid" ? material_sources() : strand_material_sources();
        if (!found->key->record.empty())
            out += fmt::format("\n{}", list_record(inner_prefix(path, *found->key), scene_record(found->key->record)));
        return out;
    }
    std::vector<std::string> known, last_parts;
    for (const auto& [known_path, key] : all_keys()) {
        known.push_back(known_path);
        if (key->name == path.substr(path.rfind('.') + 1)) last_parts.push_back(known_path);
    }
    std::string hint = suggestion(path, known);
    if (hint.empty() && !last_parts.empty()) hint = fmt::format(" (did you mean {}?)", join_words(last_parts));
    throw InputError(fmt::format("{}: unknown key{}; `rivulet explain` lists all keys", path, hint));
}

std::string scene_reference_markdown()
{
    std::string out = kIntroduction;
    for (const Record& record : scene_records()) {
        const auto& top = scene_records().front().keys;
        const auto named = std::ranges::find(top, record.name, &Key::record);
        std::string title = record.name;
        if (&record == &scene_records().front())
            title = "The scene";
        else if (named != top.end())
            title = fmt::format("`[{}{}]`", named->name, named->kind == KeyKind::NamedTables ? ".NAME" : "");
        out += record_markdown(record, title);
    }
    out += kAboutUnits + unit_table_markdown();
    return out + "\n## Liquids of the library\n\n" + material_table_markdown() + "## Strands of the library\n\n" +
           strand_material_table_markdown();
}

} // namespace rivulet
