#include "io/json.h"

#include "base/assert.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace rivulet {
namespace {

void dump_text(std::string& out, std::string_view text)
{
    out += '"';
    for (const char c : text) {
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
