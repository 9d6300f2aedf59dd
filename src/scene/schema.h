#pragma once

#include "scene/units.h"
#include "scene/value.h"

#include <optional>
#include <string>
#include <vector>

namespace rivulet {

enum class KeyKind {
    Number,      ///< SI number, or text with a unit
    Integer,     ///< whole number
    Boolean,     ///< true or false
    Text,        ///< free text
    Texts,       ///< list of texts
    Word,        ///< one of `words`
    Reference,   ///< name of an object of one of the groups in `words`
    File,        ///< path, relative to the file that names it
    Vector,      ///< list of three numbers, or text "1 2 3 cm"
    Colour,      ///< linear RGB in 0..1, or "#rrggbb" (sRGB)
    Table,       ///< the record `record`
    Tables,      ///< list of such records
    NamedTables, ///< such records by name
};

/// Bounds of a number, or of each component of a vector, in SI; of the length of a list.
struct Range {
    double lower = 0, upper = 0;
    bool lower_excluded = false;
};

/// One key of the scene language: all that the parser, the checks, the documentation and the tests know about it.
struct Key {
    std::string name;
    KeyKind kind = KeyKind::Text;
    std::string documentation; ///< one sentence
    std::string unit;          ///< SI unit as written in scenes; empty = none
    Dimension dimension;       ///< of `unit`
    bool any_dimension = false;
    Range range;
    std::vector<std::string> words; ///< allowed words; groups of a Reference
    std::string record;             ///< of Table, Tables, NamedTables
    bool required = false;
    std::optional<Value> fallback;       ///< as a user would write it; none: the key may be absent
    std::string fallback_text;           ///< how the documentation puts the default
    std::vector<std::string> only_for;   ///< values of the record's selector that know this key; empty = all
    std::vector<std::string> instead_of; ///< keys that must be absent when this one is given
    bool scalar_means_down = false;      ///< a Vector given as one number s means (0, 0, -s)
    bool is_direction = false;           ///< a Vector that may not be zero; only where it points counts
    bool word_for_all = false;           ///< a Table given as one word gives that word to all its keys
    bool affects_simulation = true;      ///< false: only pictures, tests, titles

    // The table in schema.cpp reads as sentences with these.
    Key&& between(double lower, double upper) &&;
    Key&& above(double lower, double upper) &&; ///< lower excluded
    Key&& mandatory() &&;
    Key&& otherwise(const char* text) &&;
    Key&& otherwise(bool value) &&;
    Key&& otherwise(std::int64_t value) &&;
    Key&& otherwise(Value value, std::string text) &&;
    Key&& absent(std::string text) &&; ///< no default; `text` says what absence means
    Key&& only(std::vector<std::string> selected) &&;
    Key&& replaces(std::vector<std::string> keys) &&;
    Key&& down() &&;
    Key&& all_at_once() &&;
    Key&& any_unit() &&;
    Key&& for_pictures() &&; ///< or anything else that leaves the simulation as it is
};

/// The keys that a table may have.
struct Record {
    std::string name;
    std::string documentation;
    std::string selector; ///< Word key that decides which other keys apply; empty = none
    std::vector<Key> keys;

    /// A key may be listed twice, for different values of the selector; null when none applies.
    [[nodiscard]] const Key* find(std::string_view key, const std::string& selected) const;
    [[nodiscard]] bool has(std::string_view key) const;
    [[nodiscard]] std::vector<std::string> key_names() const;
};

/// Record of schema_probes.cpp.
[[nodiscard]] Record probe_record();
/// Records of schema_strands.cpp.
[[nodiscard]] Record strands_record();
[[nodiscard]] Record strand_point_record();
[[nodiscard]] Record strand_pin_record();
[[nodiscard]] Record strand_load_record();
[[nodiscard]] Record strand_joint_record();
[[nodiscard]] Record air_record();
[[nodiscard]] Record wetting_record();
[[nodiscard]] Record film_record();

/// THE schema; records()[0] is the scene itself.
[[nodiscard]] const std::vector<Record>& scene_records();
[[nodiscard]] const Record& scene_record(std::string_view name);

/// A key of the schema found by a path such as "obstacles.cup.shape.shapes[2].radius" ("*" or any word for a name).
struct FoundKey {
    const Key* key = nullptr;
    const Record* record = nullptr; ///< that the key belongs to
    bool affects_simulation = true; ///< with all keys above it
};
/// Empty when there is no such key.
[[nodiscard]] std::optional<FoundKey> find_key(std::string_view path);

/// Whether `key` applies in a table of `record` whose selector says `selected`.
[[nodiscard]] bool applies(const Key& key, const std::string& selected);
/// "a length from 1e-06 to 1000 m", "closed or open": what messages and documentation say is allowed.
[[nodiscard]] std::string allowed(const Key& key);

} // namespace rivulet
