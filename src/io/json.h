#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rivulet {

/// A JSON value; members of objects keep the order in which they were added.
class Json {
public:
    using Array = std::vector<Json>;
    using Object = std::vector<std::pair<std::string, Json>>;

    Json() = default; ///< null
    Json(bool value) : value_(value) {}
    Json(double value) : value_(value) {}
    Json(std::int64_t value) : value_(value) {}
    Json(int value) : value_(std::int64_t{value}) {}
    Json(std::string value) : value_(std::move(value)) {}
    Json(const char* value) : value_(std::string(value)) {}
    Json(Array value) : value_(std::move(value)) {}
    Json(Object value) : value_(std::move(value)) {}

    [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
    [[nodiscard]] bool is_number() const;
    /// NaN unless it is a number.
    [[nodiscard]] double number() const;
    /// Empty unless it is text.
    [[nodiscard]] std::string text() const;
    /// Empty unless it is an object or array.
    [[nodiscard]] const Object& members() const;
    [[nodiscard]] const Array& items() const;
    /// Member by name, or by a path of names and indices ("momentum.linear.0"); null pointer when there is none.
    [[nodiscard]] const Json* find(std::string_view path) const;
    /// Appends a member; the value must be null (becomes an object) or an object.
    Json& set(std::string name, Json value);

    /// Numbers in the shortest form that reads back to the same bits; not-a-number and infinity become null.
    /// Indented by two spaces, or all on one line.
    [[nodiscard]] std::string dump(bool indented = true) const;

private:
    void dump_to(std::string& out, int depth, bool indented) const;
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

/// Reads JSON; InputError with the offset for anything else, and for more than 64 levels of nesting.
[[nodiscard]] Json parse_json(std::string_view text);

} // namespace rivulet
