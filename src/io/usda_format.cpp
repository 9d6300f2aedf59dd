#include "io/usda_format.h"

#include <fmt/format.h>

#include <iterator>

namespace rivulet {
namespace {

template <class Values, class Append>
std::string array_of(const Values& values, Append&& append)
{
    std::string text = "[";
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) text += ", ";
        append(std::back_inserter(text), values[i]);
    }
    text += ']';
    return text;
}

} // namespace

std::string usd_vectors(std::span<const Vec3> values)
{
    return array_of(values, [](auto out, const Vec3& v) {
        fmt::format_to(out, "({}, {}, {})", static_cast<float>(v.x()), static_cast<float>(v.y()),
                       static_cast<float>(v.z()));
    });
}

std::string usd_scalars(std::span<const double> values)
{
    return array_of(values, [](auto out, double v) { fmt::format_to(out, "{}", static_cast<float>(v)); });
}

std::string usd_integers(std::span<const std::int64_t> values)
{
    return array_of(values, [](auto out, std::int64_t v) { fmt::format_to(out, "{}", v); });
}

std::string usd_integers(std::span<const std::int32_t> values)
{
    return array_of(values, [](auto out, std::int32_t v) { fmt::format_to(out, "{}", v); });
}

std::string usd_extent(std::span<const Vec3> positions, double margin)
{
    Aabb box;
    for (const Vec3& x : positions) box.include(x);
    if (box.is_empty()) return usd_vectors(std::array{Vec3(Vec3::Zero()), Vec3(Vec3::Zero())});
    const Aabb grown = box.dilated(margin);
    return usd_vectors(std::array{grown.lower, grown.upper});
}

std::string usd_string(const std::string& text)
{
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        quoted += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return quoted + '"';
}

} // namespace rivulet
