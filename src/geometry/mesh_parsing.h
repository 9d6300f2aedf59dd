#pragma once

#include "base/error.h"
#include "geometry/triangle_mesh.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace rivulet {

/// The whole file. Raises IoError if it cannot be read.
[[nodiscard]] std::string read_geometry_file(const std::filesystem::path& path);

/// Lines of a text with their numbers; knows CR LF.
class LineReader {
public:
    LineReader(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

    /// False at the end of the text.
    bool next(std::string_view& line)
    {
        if (at_ >= text_.size()) return false;
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        line = text_.substr(at_, end - at_);
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        at_ = std::min(end + 1, text_.size());
        ++number_;
        return true;
    }
    /// Bytes behind the last line read.
    [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
    [[noreturn]] void fail(const std::string& what) const
    {
        throw InputError(name_ + ":" + std::to_string(number_) + ": " + what);
    }

private:
    std::string_view text_;
    std::string name_;
    std::size_t at_ = 0;
    std::int64_t number_ = 0;
};

/// Cuts the next word off the front of a line; empty at its end.
[[nodiscard]] inline std::string_view next_word(std::string_view& line)
{
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return line = {};
    const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    line.remove_prefix(end);
    return word;
}

/// The whole word as a number; false if it is none.
template <class Number>
[[nodiscard]] bool parse_number(std::string_view word, Number& value)
{
    if (!word.empty() && word.front() == '+') word.remove_prefix(1);
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && end == word.data() + word.size();
}

/// A word of the input for a message: short, and printable.
[[nodiscard]] inline std::string shown(std::string_view word)
{
    std::string text = "'";
    for (const char c : word.substr(0, 40)) text += c >= ' ' && c <= '~' ? c : '?';
    return text + (word.size() > 40 ? "...'" : "'");
}

/// Appends the triangles of a polygon, by cutting ears; concave polygons are fine as long as they are nearly flat.
void append_polygon(TriangleMesh& mesh, std::span<const std::int32_t> polygon);

/// Component of a colour between linear light and its sRGB code, both in [0, 1].
[[nodiscard]] inline double srgb_to_linear(double s)
{
    return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
}
[[nodiscard]] inline double linear_to_srgb(double l)
{
    return l <= 0.0031308 ? 12.92 * l : 1.055 * std::pow(l, 1 / 2.4) - 0.055;
}

} // namespace rivulet
