#include "scene/value.h"

#include <algorithm>
#include <fmt/format.h>

namespace rivulet {
namespace {

constexpr std::size_t kBriefLength = 60;

std::string in_quotes(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += fmt::format("\\{}", c);
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            out += fmt::format("\\u{:04x}", static_cast<int>(c));
        else
            out += c;
    }
    return out + '"';
}

std::string number_text(double value)
{
    std::string text = fmt::format("{}", value); // shortest that reads back to the same bits
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
}

std::string key_text(const std::string& key)
{
    const bool bare = !key.empty() && std::ranges::all_of(key, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
    return bare ? key : in_quotes(key);
}

struct InlineText {
    std::string operator()(std::monostate) const { return "nothing"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return number_text(value); }
    std::string operator()(const std::string& value) const { return in_quotes(value); }
    std::string operator()(const Vec3& v) const
    {
        return fmt::format("[{}, {}, {}]", number_text(v.x()), number_text(v.y()), number_text(v.z()));
    }
    std::string operator()(const Value::List& list) const
    {
        std::string out;
        for (const Value& item : list) out += (out.empty() ? "" : ", ") + to_text(item);
        return "[" + out + "]";
    }
    std::string operator()(const Value::Table& table) const
    {
        std::string out;
        for (const auto& [key, item] : table) out += (out.empty() ? "" : ", ") + key_text(key) + " = " + to_text(item);
        return table.empty() ? "{}" : "{ " + out + " }";
    }
};

void write_table(const Value::Table& table, const std::string& path, std::string& out)
{
    std::string lines;
    for (const auto& [key, item] : table)
        if (!item.as<Value::Table>()) lines += key_text(key) + " = " + to_text(item) + "\n";
    if (!path.empty() && (!lines.empty() || table.empty())) out += fmt::format("\n[{}]\n", path);
    out += lines;
    for (const auto& [key, item] : table)
        if (const auto* inner = item.as<Value::Table>())
            write_table(*inner, path.empty() ? key_text(key) : path + "." + key_text(key), out);
}

} // namespace

const Value* Value::find(std::string_view key) const
{
    const auto* table = as<Table>();
    if (!table) return nullptr;
    const auto found = table->find(key);
    return found == table->end() ? nullptr : &found->second;
}

std::string kind_name(const Value& value)
{
    static constexpr std::array kNames{"a date or time", "a boolean", "a whole number", "a number",
                                       "text",           "a vector",  "a list",         "a table"};
    return kNames.at(value.data.index());
}

std::string to_text(const Value& value, bool brief)
{
    std::string text = std::visit(InlineText{}, value.data);
    if (!brief || text.size() <= kBriefLength) return text;
    std::size_t cut = kBriefLength;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut; // not inside a character
    return text.substr(0, cut) + "...";
}

std::string to_toml(const Value& root)
{
    std::string out;
    if (const auto* table = root.as<Value::Table>()) write_table(*table, "", out);
    return out;
}

} // namespace rivulet
