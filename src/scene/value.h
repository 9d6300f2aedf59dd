#pragma once

#include "base/vec.h"

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rivulet {

/// Where a value was written: an index into the sources of its document, and the place there (from 1).
struct Where {
    int source = 0;
    int line = 1;
    int column = 1;
};

/// A node of a scene: as read from TOML (never a Vec3), or resolved against the schema (numbers in SI, vectors whole).
struct Value {
    using List = std::vector<Value>;
    using Table = std::map<std::string, Value, std::less<>>;
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Vec3, List, Table> data;
    Where where;            ///< of the value
    Where key_where;        ///< of its key, where it has one
    std::string written{};  ///< text with a unit whose dimension the schema cannot know; else empty
    bool in_braces = false; ///< a table written as one, { ... }

    template <class T>
    [[nodiscard]] const T* as() const
    {
        return std::get_if<T>(&data);
    }
    template <class T>
    [[nodiscard]] T* as()
    {
        return std::get_if<T>(&data);
    }
    /// The member `key` of a table; null when this is no table or has no such member.
    [[nodiscard]] const Value* find(std::string_view key) const;
};

/// "text", "a table", "a whole number", ...: for messages.
[[nodiscard]] std::string kind_name(const Value& value);
/// One line of TOML that reads back to the same bits; long lists and texts are cut for messages when `brief`.
[[nodiscard]] std::string to_text(const Value& value, bool brief = false);
/// A document of tables: headers for tables, inline text inside lists.
[[nodiscard]] std::string to_toml(const Value& root);

} // namespace rivulet
