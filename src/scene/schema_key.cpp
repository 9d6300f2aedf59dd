#include "base/assert.h"
#include "scene/problems.h"
#include "scene/schema.h"

#include <algorithm>
#include <fmt/format.h>

namespace rivulet {
namespace {

std::string range_text(const Key& key)
{
    const Range& r = key.range;
    const std::string unit = key.unit.empty() ? "" : " " + key.unit;
    if (r.lower_excluded) return fmt::format("above {} up to {}{}", r.lower, r.upper, unit);
    return fmt::format("from {} to {}{}", r.lower, r.upper, unit);
}

} // namespace

Key&& Key::between(double lower, double upper) &&
{
    range = {lower, upper, false};
    return std::move(*this);
}
Key&& Key::above(double lower, double upper) &&
{
    range = {lower, upper, true};
    return std::move(*this);
}
Key&& Key::mandatory() &&
{
    required = true;
    fallback_text = "none: must be given";
    return std::move(*this);
}
Key&& Key::otherwise(Value value, std::string text) &&
{
    fallback = std::move(value);
    fallback_text = std::move(text);
    return std::move(*this);
}
Key&& Key::otherwise(const char* text) && { return std::move(*this).otherwise(Value{std::string(text), {}, {}}, text); }
Key&& Key::otherwise(bool value) &&
{
    return std::move(*this).otherwise(Value{value, {}, {}}, value ? "true" : "false");
}
Key&& Key::otherwise(std::int64_t value) &&
{
    return std::move(*this).otherwise(Value{value, {}, {}}, std::to_string(value));
}
Key&& Key::absent(std::string text) &&
{
    fallback_text = std::move(text);
    return std::move(*this);
}
Key&& Key::only(std::vector<std::string> selected) &&
{
    only_for = std::move(selected);
    return std::move(*this);
}
Key&& Key::replaces(std::vector<std::string> keys) &&
{
    instead_of = std::move(keys);
    return std::move(*this);
}
Key&& Key::down() &&
{
    scalar_means_down = true;
    return std::move(*this);
}
Key&& Key::all_at_once() &&
{
    word_for_all = true;
    return std::move(*this);
}
Key&& Key::any_unit() &&
{
    any_dimension = true;
    return std::move(*this);
}
Key&& Key::for_pictures() &&
{
    affects_simulation = false;
    return std::move(*this);
}

const Key* Record::find(std::string_view key, const std::string& selected) const
{
    const auto found = std::ranges::find_if(keys, [&](const Key& k) { return k.name == key && applies(k, selected); });
    return found == keys.end() ? nullptr : &*found;
}

bool Record::has(std::string_view key) const { return std::ranges::find(keys, key, &Key::name) != keys.end(); }

std::vector<std::string> Record::key_names() const
{
    std::vector<std::string> names;
    for (const Key& key : keys)
        if (std::ranges::find(names, key.name) == names.end()) names.push_back(key.name);
    return names;
}

const Record& scene_record(std::string_view name)
{
    const auto& records = scene_records();
    const auto found = std::ranges::find(records, name, &Record::name);
    RIVULET_VERIFY(found != records.end());
    return *found;
}

std::optional<FoundKey> find_key(std::string_view path)
{
    if (path.ends_with('.')) return std::nullopt;
    FoundKey found{nullptr, &scene_records().front(), true};
    bool expects_name = false;
    while (!path.empty()) {
        const std::size_t dot = std::min(path.find('.'), path.size());
        const std::string_view part = path.substr(0, std::min(dot, path.find('[')));
        path.remove_prefix(std::min(dot + 1, path.size()));
        if (expects_name) {
            expects_name = false;
            continue;
        }
        const Record* inside =
            found.key ? (found.key->record.empty() ? nullptr : &scene_record(found.key->record)) : found.record;
        if (!inside || !inside->has(part)) return std::nullopt;
        const Key& key = *std::ranges::find(inside->keys, part, &Key::name);
        found = {&key, inside, found.affects_simulation && key.affects_simulation};
        expects_name = key.kind == KeyKind::NamedTables;
    }
    if (!found.key) return std::nullopt;
    return found;
}

bool applies(const Key& key, const std::string& selected)
{
    return key.only_for.empty() || std::ranges::find(key.only_for, selected) != key.only_for.end();
}

std::string allowed(const Key& key)
{
    const std::string unit_example =
        key.unit.empty() ? "" : fmt::format(", or text with a unit such as \"1 {}\"", key.unit);
    switch (key.kind) {
    case KeyKind::Number:
        if (key.any_dimension) return fmt::format("a number, or text with any unit, {}", range_text(key));
        return fmt::format("{} {}{}", dimension_phrase(key.dimension), range_text(key), unit_example);
    case KeyKind::Integer:
        return fmt::format("a whole number {}", range_text(key));
    case KeyKind::Boolean:
        return "true or false";
    case KeyKind::Text:
        return fmt::format("text of up to {} bytes", key.range.upper);
    case KeyKind::Texts:
        return "a list of texts";
    case KeyKind::Word:
        return join_words(key.words);
    case KeyKind::Reference:
        return fmt::format("the name of one of the scene's {}", join_words(key.words));
    case KeyKind::File:
        return "the name of a file, relative to the scene";
    case KeyKind::Vector:
        return fmt::format("a list of three numbers, or text such as \"1 2 3{}{}\", each {} {}",
                           key.unit.empty() ? "" : " ", key.unit, dimension_phrase(key.dimension), range_text(key)) +
               (key.is_direction ? ", not all zero" : "") +
               (key.scalar_means_down ? "; one such quantity means straight down" : "");
    case KeyKind::Colour:
        return "three numbers from 0 to 1 (linear red, green, blue), or text such as \"#336699\" (sRGB)";
    case KeyKind::Table:
        return fmt::format("a table with keys of {}{}", key.record,
                           key.word_for_all ? ", or one word for all of them" : "");
    case KeyKind::Tables:
        return fmt::format("a list of {} to {} tables with keys of {}", key.range.lower, key.range.upper, key.record);
    case KeyKind::NamedTables:
        return fmt::format("named tables with keys of {}", key.record);
    }
    RIVULET_VERIFY(false);
    return "";
}

} // namespace rivulet
