#include "scene/problems.h"
#include "scene/scene.h"
#include "scene/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace rivulet {
namespace {

constexpr const char* kCompletePrefix = "complete_";

std::string json_text(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

std::string json_list(const std::vector<std::string>& words)
{
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : ", ") + json_text(word);
    return "[" + out + "]";
}

/// A number is a number in range, or a text that starts with one.
std::string number_schema(const Key& key)
{
    const Range& r = key.range;
    return fmt::format(
        R"("anyOf": [{{"type": "number", "{}": {}, "maximum": {}}}, {{"type": "string", "pattern": "^[ \\t]*[-+.0-9]"}}])",
        r.lower_excluded ? "exclusiveMinimum" : "minimum", r.lower, r.upper);
}

std::string vector_schema(const Key& key)
{
    std::string options =
        fmt::format(R"({{"type": "array", "minItems": 3, "maxItems": 3, "items": {{{}}}}}, {{"type": "string"}})",
                    number_schema(key));
    if (key.scalar_means_down) options += R"(, {"type": "number"})";
    return fmt::format(R"("anyOf": [{}])", options);
}

std::string record_reference(const Key& key) { return fmt::format(R"({{"$ref": "#/$defs/{}"}})", key.record); }

std::string value_schema(const Key& key)
{
    switch (key.kind) {
    case KeyKind::Number:
        return number_schema(key);
    case KeyKind::Integer:
        return fmt::format(R"("type": "integer", "minimum": {:.0f}, "maximum": {:.0f})", key.range.lower,
                           key.range.upper);
    case KeyKind::Boolean:
        return R"("type": "boolean")";
    case KeyKind::Text:
        return fmt::format(R"("type": "string", "maxLength": {})", key.range.upper);
    case KeyKind::Texts:
        return R"("type": "array", "items": {"type": "string"})";
    case KeyKind::Word:
        return fmt::format(R"("enum": {})", json_list(key.words));
    case KeyKind::Reference:
    case KeyKind::File:
        return R"("type": "string")";
    case KeyKind::Vector:
    case KeyKind::Colour:
        return vector_schema(key);
    case KeyKind::Table:
        return key.word_for_all ? fmt::format(R"("anyOf": [{}, {{"type": "string"}}])", record_reference(key))
                                : fmt::format(R"("allOf": [{}])", record_reference(key));
    case KeyKind::Tables:
        return fmt::format(R"("type": "array", "minItems": {}, "maxItems": {}, "items": {})", key.range.lower,
                           key.range.upper, record_reference(key));
    case KeyKind::NamedTables:
        return fmt::format(R"("type": "object", "additionalProperties": {})", record_reference(key));
    }
    return "";
}

std::string description_of(const Key& key)
{
    return key.documentation + " Allowed: " + allowed(key) +
           ". Default: " + (key.fallback_text.empty() ? "empty" : key.fallback_text) + ".";
}

/// Takes in what another key of the same name and JSON type allows.
void widen(Key& key, const Key& other)
{
    Range& r = key.range;
    const Range& o = other.range;
    r.lower_excluded = r.lower == o.lower ? r.lower_excluded && o.lower_excluded
                                          : (r.lower < o.lower ? r.lower_excluded : o.lower_excluded);
    r.lower = std::min(r.lower, o.lower);
    r.upper = std::max(r.upper, o.upper);
    for (const std::string& word : other.words)
        if (std::ranges::find(key.words, word) == key.words.end()) key.words.push_back(word);
}

/// A key that is listed several times, for different words of the selector, is described for each, and may be what
/// any of them allows: the editor does not know which applies.
std::string property(const Record& record, const std::string& name)
{
    std::optional<Key> widest;
    std::string description;
    const bool is_listed_often = std::ranges::count(record.keys, name, &Key::name) > 1;
    for (const Key& key : record.keys) {
        if (key.name != name) continue;
        if (!description.empty()) description += ' ';
        if (is_listed_often) description += fmt::format("{}: ", join_words(key.only_for));
        description += description_of(key);
        if (widest)
            widen(*widest, key);
        else
            widest = key;
    }
    return fmt::format("{}: {{\"description\": {}, {}}}", json_text(name), json_text(description),
                       value_schema(*widest));
}

std::string properties(const Record& record)
{
    std::string out;
    for (const std::string& name : record.key_names())
        out += fmt::format("{}\n        {}", out.empty() ? "" : ",", property(record, name));
    return out;
}

std::vector<std::string> required_keys(const Record& record, const std::string& selected)
{
    std::vector<std::string> names;
    for (const Key& key : record.keys) {
        const bool counts = selected.empty() ? key.only_for.empty() : !key.only_for.empty() && applies(key, selected);
        if (key.required && counts) names.push_back(key.name);
    }
    return names;
}

/// For each word of the selector: which keys must be there.
std::string selected_requirements(const Record& record)
{
    std::string out;
    for (const Key& selector : record.keys) {
        if (selector.name != record.selector) continue;
        for (const std::string& word : selector.words)
            out += fmt::format(R"({}{{"if": {{"properties": {{{}: {{"const": {}}}}}}}, "then": {{"required": {}}}}})",
                               out.empty() ? "\n        " : ",\n        ", json_text(selector.name), json_text(word),
                               json_list(required_keys(record, word)));
    }
    return out.empty() ? "" : fmt::format(",\n      \"allOf\": [{}]", out);
}

/// What a key holds, seen only for what must be there: empty for a key that holds no tables.
std::string nested_requirements(const Key& key)
{
    const std::string record = fmt::format(R"({{"$ref": "#/$defs/{}{}"}})", kCompletePrefix, key.record);
    switch (key.kind) {
    case KeyKind::Table:
        return key.word_for_all ? fmt::format(R"("anyOf": [{}, {{"type": "string"}}])", record)
                                : fmt::format(R"("allOf": [{}])", record);
    case KeyKind::Tables:
        return fmt::format(R"("items": {})", record);
    case KeyKind::NamedTables:
        return fmt::format(R"("additionalProperties": {})", record);
    default:
        return "";
    }
}

/// The keys that must be there: apart from the record itself, since in a file that includes others these may give them.
std::string complete_record_schema(const Record& record)
{
    std::string nested;
    for (const std::string& name : record.key_names()) {
        const auto key = std::ranges::find(record.keys, name, &Key::name);
        if (const std::string inside = nested_requirements(*key); !inside.empty())
            nested += fmt::format("{}\n        {}: {{{}}}", nested.empty() ? "" : ",", json_text(name), inside);
    }
    return fmt::format("{{\n      \"required\": {},\n      \"properties\": {{{}{}}}{}\n    }}",
                       json_list(required_keys(record, "")), nested, nested.empty() ? "" : "\n      ",
                       selected_requirements(record));
}

std::string record_schema(const Record& record)
{
    return fmt::format("{{\n      \"type\": \"object\",\n      \"description\": {},\n      \"additionalProperties\": "
                       "false,\n      \"properties\": {{{}\n      }}\n    }}",
                       json_text(record.documentation), properties(record));
}

} // namespace

std::string scene_json_schema()
{
    std::string definitions;
    for (const Record& record : scene_records()) {
        definitions += fmt::format("{}\n    {}: {}", definitions.empty() ? "" : ",", json_text(record.name),
                                   record_schema(record));
        definitions +=
            fmt::format(",\n    {}: {}", json_text(kCompletePrefix + record.name), complete_record_schema(record));
    }
    return fmt::format(
        "{{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"title\": "
        "\"Rivulet scene\",\n  \"allOf\": [\n    {{\"$ref\": \"#/$defs/scene\"}},\n    {{\"if\": {{\"required\": "
        "[\"include\"]}}, \"else\": {{\"$ref\": \"#/$defs/{}scene\"}}}}\n  ],\n  \"$defs\": "
        "{{{}\n  }}\n}}\n",
        kCompletePrefix, definitions);
}

} // namespace rivulet
