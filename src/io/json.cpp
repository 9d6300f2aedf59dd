#include "io/json.h"

#include "base/assert.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace rivulet {
namespace {

/// Bytes of the well-formed UTF-8 character that `text` begins with; 0 where it begins with none.
std::size_t character_length(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length == 0 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xC0u) != 0x80) return 0;
    const bool is_overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool is_surrogate = lead == 0xED && byte(1) >= 0xA0;
    const bool is_beyond_unicode = lead == 0xF4 && byte(1) >= 0x90;
    return is_overlong || is_surrogate || is_beyond_unicode ? 0 : length;
}

/// Names of files may be any bytes, JSON is UTF-8: what is none becomes U+FFFD, as editors show it.
std::string well_formed(std::string_view text)
{
    std::string out;
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        out += length > 0 ? text.substr(0, length) : std::string_view("\xef\xbf\xbd");
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

void dump_text(std::string& out, std::string_view text)
{
    out += '"';
    for (const char c : well_formed(text)) {
        if (c == '"' || c == '\\')
            (out += '\\') += c;
        else if (c == '\n')
            out += "\\n";
        else if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<int>(c));
        else
            out += c;
    }
    out += '"';
}

void new_line(std::string& out, int depth, bool indented)
{
    if (indented) out.append("\n").append(2 * static_cast<std::size_t>(depth), ' ');
}

} // namespace

bool Json::is_number() const
{
    return std::holds_alternative<double>(value_) || std::holds_alternative<std::int64_t>(value_);
}

double Json::number() const
{
    if (const auto* integer = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*integer);
    if (const auto* real = std::get_if<double>(&value_)) return *real;
    return std::numeric_limits<double>::quiet_NaN();
}

std::string Json::text() const
{
    const auto* text = std::get_if<std::string>(&value_);
    return text ? *text : std::string();
}

const Json::Object& Json::members() const
{
    static const Object kNone;
    const auto* object = std::get_if<Object>(&value_);
    return object ? *object : kNone;
}

const Json::Array& Json::items() const
{
    static const Array kNone;
    const auto* array = std::get_if<Array>(&value_);
    return array ? *array : kNone;
}

const Json* Json::find(std::string_view path) const
{
    const std::size_t dot = path.find('.');
    const std::string_view head = path.substr(0, dot);
    const Json* child = nullptr;
    for (const auto& [name, value] : members())
        if (name == head) child = &value;
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(head.data(), head.data() + head.size(), index);
    if (error == std::errc() && end == head.data() + head.size() && index < items().size()) child = &items()[index];
    if (!child || dot == std::string_view::npos) return child;
    return child->find(path.substr(dot + 1));
}

Json& Json::set(std::string name, Json value)
{
    if (is_null()) value_ = Object{};
    RIVULET_VERIFY(std::holds_alternative<Object>(value_));
    std::get<Object>(value_).emplace_back(std::move(name), std::move(value));
    return *this;
}

std::string Json::dump(bool indented) const
{
    std::string out;
    dump_to(out, 0, indented);
    return out;
}

void Json::dump_to(std::string& out, int depth, bool indented) const
{
    if (const auto* boolean = std::get_if<bool>(&value_))
        out += *boolean ? "true" : "false";
    else if (const auto* integer = std::get_if<std::int64_t>(&value_))
        out += fmt::format("{}", *integer);
    else if (const auto* real = std::get_if<double>(&value_))
        out += std::isfinite(*real) ? fmt::format("{}", *real) : "null";
    else if (const auto* text = std::get_if<std::string>(&value_))
        dump_text(out, *text);
    else if (const auto* array = std::get_if<Array>(&value_)) {
        out += '[';
        for (std::size_t i = 0; i < array->size(); ++i) {
            if (i > 0) out += ", ";
            (*array)[i].dump_to(out, depth + 1, false);
        }
        out += ']';
    } else if (const auto* object = std::get_if<Object>(&value_)) {
        out += '{';
        for (std::size_t i = 0; i < object->size(); ++i) {
            if (i > 0) out += indented ? "," : ", ";
            new_line(out, depth + 1, indented);
            dump_text(out, (*object)[i].first);
            out += ": ";
            (*object)[i].second.dump_to(out, depth + 1, indented);
        }
        if (!object->empty()) new_line(out, depth, indented);
        out += '}';
    } else
        out += "null";
}

} // namespace rivulet
