#include "scene/safe_unicode.h"

#include <algorithm>
#include <cstdint>

namespace rivulet {
namespace {

constexpr std::uint32_t kPlane = 0x100000, kFirst = 0x80, kLast = 0xFEFF;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

struct Decoded {
    std::uint32_t point = 0;
    std::size_t length = 0; ///< bytes; 0 = not well-formed UTF-8
};

bool is_surrogate(std::uint32_t point) { return point >= 0xD800 && point <= 0xDFFF; }

/// The character that `text` starts with.
Decoded decode(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    const std::uint32_t lead = byte(0);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    if (length <= 1) return {lead, length};
    if (text.size() < length) return {};
    std::uint32_t point = lead & (0x7Fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return {};
        point = (point << 6) | (byte(i) & 0x3F);
    }
    const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
    if (overlong || is_surrogate(point) || point > 0x10FFFF) return {};
    return {point, length};
}

void append(std::string& out, std::uint32_t point)
{
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (point < 0x800) {
        put(0xC0 | (point >> 6));
    } else if (point < 0x10000) {
        put(0xE0 | (point >> 12));
        put(0x80 | ((point >> 6) & 0x3F));
    } else {
        put(0xF0 | (point >> 18));
        put(0x80 | ((point >> 12) & 0x3F));
        put(0x80 | ((point >> 6) & 0x3F));
    }
    put(0x80 | (point & 0x3F));
}

/// Moves the characters from `first` to `last` by `offset`; all other bytes stay.
std::string moved(std::string_view text, std::uint32_t first, std::uint32_t last, std::int64_t offset)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const Decoded c = decode(text);
        const std::size_t length = c.length > 0 ? c.length : 1;
        if (c.length > 0 && c.point >= first && c.point <= last)
            append(out, static_cast<std::uint32_t>(c.point + offset));
        else
            out += text.substr(0, length);
        text.remove_prefix(length);
    }
    return out;
}

} // namespace

std::string move_to_private_plane(std::string_view utf8)
{
    std::string out;
    if (utf8.starts_with(kByteOrderMark)) {
        out = kByteOrderMark;
        utf8.remove_prefix(kByteOrderMark.size());
    }
    return out + moved(utf8, kFirst, kLast, kPlane);
}

std::string move_from_private_plane(std::string_view utf8)
{
    return moved(utf8, kPlane + kFirst, kPlane + kLast, -static_cast<std::int64_t>(kPlane));
}

std::optional<TextPosition> find_private_plane(std::string_view utf8)
{
    const std::size_t found = std::min(utf8.find('\xF4'), utf8.find("\\U0010"));
    if (found == std::string_view::npos) return std::nullopt;
    TextPosition position;
    for (const char c : utf8.substr(0, found)) {
        const bool is_inside = (static_cast<unsigned char>(c) & 0xC0) == 0x80; // of a character that is counted already
        position.column = c == '\n' ? 1 : position.column + (is_inside ? 0 : 1);
        position.line += c == '\n' ? 1 : 0;
    }
    return position;
}

} // namespace rivulet
