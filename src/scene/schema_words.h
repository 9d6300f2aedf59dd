#pragma once

#include "scene/schema.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

/// The words in which the tables of the schema are written.
namespace rivulet::schema_words {

inline constexpr double kFar = 1e5;         // positions [m]
inline constexpr double kFast = 1e4;        // speeds [m/s]
inline constexpr double kLong = 1e6;        // times [s]
inline constexpr double kTurn = 1e6;        // angles [rad]
inline constexpr double kMaxInteger = 9e15; // below 2^53: the same number as text, integer and double
inline constexpr double kMaxParts = 10000;

[[nodiscard]] inline Key make_key(std::string name, KeyKind kind, std::string documentation)
{
    Key key;
    key.name = std::move(name);
    key.kind = kind;
    key.documentation = std::move(documentation);
    return key;
}
[[nodiscard]] inline Key quantity(std::string name, KeyKind kind, const std::string& unit, std::string documentation)
{
    Key key = make_key(std::move(name), kind, std::move(documentation));
    key.unit = unit;
    key.dimension = parse_unit(unit).dimension;
    return key;
}
[[nodiscard]] inline Key number(std::string name, const std::string& unit, std::string documentation)
{
    return quantity(std::move(name), KeyKind::Number, unit, std::move(documentation));
}
[[nodiscard]] inline Key vector(std::string name, const std::string& unit, std::string documentation)
{
    return quantity(std::move(name), KeyKind::Vector, unit, std::move(documentation));
}
[[nodiscard]] inline Key direction(std::string name, std::string documentation)
{
    Key key = vector(std::move(name), "", std::move(documentation)).between(-1e3, 1e3);
    key.is_direction = true;
    return key;
}
[[nodiscard]] inline Key integer(std::string name, std::string documentation)
{
    return make_key(std::move(name), KeyKind::Integer, std::move(documentation));
}
[[nodiscard]] inline Key boolean(std::string name, std::string documentation)
{
    return make_key(std::move(name), KeyKind::Boolean, std::move(documentation));
}
[[nodiscard]] inline Key colour(std::string name, std::string documentation)
{
    return make_key(std::move(name), KeyKind::Colour, std::move(documentation)).between(0, 1);
}
[[nodiscard]] inline Key text(std::string name, std::string documentation)
{
    return make_key(std::move(name), KeyKind::Text, std::move(documentation)).between(0, 200);
}
[[nodiscard]] inline Key word(std::string name, std::vector<std::string> words, std::string documentation)
{
    Key key = make_key(std::move(name), KeyKind::Word, std::move(documentation));
    key.words = std::move(words);
    return key;
}
[[nodiscard]] inline Key reference(std::string name, std::vector<std::string> groups, std::string documentation)
{
    Key key = make_key(std::move(name), KeyKind::Reference, std::move(documentation));
    key.words = std::move(groups);
    return key;
}
[[nodiscard]] inline Key nested(std::string name, KeyKind kind, std::string record, std::string documentation)
{
    Key key = make_key(std::move(name), kind, std::move(documentation));
    key.record = std::move(record);
    return key;
}
[[nodiscard]] inline Key table(std::string name, std::string record, std::string documentation)
{
    return nested(std::move(name), KeyKind::Table, std::move(record), std::move(documentation))
        .otherwise(Value{Value::Table{}, {}, {}}, "all keys at their defaults");
}
[[nodiscard]] inline Key named_tables(std::string name, std::string record, std::string documentation)
{
    return nested(std::move(name), KeyKind::NamedTables, std::move(record), std::move(documentation))
        .otherwise(Value{Value::Table{}, {}, {}}, "none");
}

[[nodiscard]] inline std::vector<Key> operator+(std::vector<Key> a, std::vector<Key> b)
{
    std::ranges::move(b, std::back_inserter(a));
    return a;
}

[[nodiscard]] inline Key shape_key(std::string name, std::string documentation)
{
    return nested(std::move(name), KeyKind::Table, "shape", std::move(documentation));
}

} // namespace rivulet::schema_words
