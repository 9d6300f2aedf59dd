#pragma once

#include "base/assert.h"
#include "scene/value.h"

#include <string>

namespace rivulet {

/// Member `key` of a resolved table, of type T; the schema guarantees that it is there.
template <class T>
[[nodiscard]] const T& get(const Value& table, std::string_view key)
{
    const Value* member = table.find(key);
    RIVULET_VERIFY(member && member->as<T>());
    return *member->as<T>();
}
/// The same, or `otherwise` where the schema lets the key be absent.
template <class T>
[[nodiscard]] T get_or(const Value& table, std::string_view key, T otherwise)
{
    const Value* member = table.find(key);
    return member ? get<T>(table, key) : otherwise;
}
[[nodiscard]] inline double number(const Value& table, std::string_view key) { return get<double>(table, key); }
[[nodiscard]] inline const Vec3& vector(const Value& table, std::string_view key) { return get<Vec3>(table, key); }
[[nodiscard]] inline const std::string& text(const Value& table, std::string_view key)
{
    return get<std::string>(table, key);
}
[[nodiscard]] inline int integer(const Value& table, std::string_view key)
{
    return static_cast<int>(get<std::int64_t>(table, key));
}

} // namespace rivulet
