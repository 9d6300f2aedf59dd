#include "base/error.h"
#include "scene/resolve.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace rivulet {
namespace {

/// Thrown inside this file: the value does not fit; `what` comes before "; allowed: ...".
class Misfit : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

void check_dimension(const Key& key, const Dimension& dimension, bool has_unit, const std::string& text)
{
    if (key.any_dimension || !has_unit || dimension == key.dimension) return;
    throw Misfit(
        fmt::format("{} is {}, expected {}", text, dimension_phrase(dimension), dimension_phrase(key.dimension)));
}

double checked(const Key& key, double value, const std::string& text)
{
    const Range& r = key.range;
    if (!std::isfinite(value)) throw Misfit(fmt::format("{} is not a finite number", text));
    if (value < r.lower || value > r.upper || (r.lower_excluded && value <= r.lower))
        throw Misfit(fmt::format("{} is out of range", text));
    return value;
}

/// A number without a unit is SI, in text too.
double scalar(const Key& key, const Value& raw)
{
    const std::string text = to_text(raw, true);
    if (const auto* whole = raw.as<std::int64_t>()) return checked(key, static_cast<double>(*whole), text);
    if (const auto* real = raw.as<double>()) return checked(key, *real, text);
    const auto* written = raw.as<std::string>();
    if (!written) throw Misfit(fmt::format("{} is {}", text, kind_name(raw)));
    const Quantity quantity = parse_quantity(*written);
    check_dimension(key, quantity.dimension, quantity.has_unit, text);
    return checked(key, quantity.value, text);
}

Vec3 vector_of(const Key& key, const Value& raw)
{
    Vec3 result;
    if (const auto* list = raw.as<Value::List>()) {
        if (list->size() != 3) throw Misfit(fmt::format("a list of {} items", list->size()));
        for (int axis = 0; axis < 3; ++axis) result[axis] = scalar(key, (*list)[static_cast<std::size_t>(axis)]);
        return result;
    }
    const auto* written = raw.as<std::string>();
    if (!written) throw Misfit(fmt::format("{} is {}", to_text(raw, true), kind_name(raw)));
    const VectorQuantity vector = parse_vector_quantity(*written);
    check_dimension(key, vector.dimension, vector.has_unit, to_text(raw, true));
    for (int axis = 0; axis < 3; ++axis) result[axis] = checked(key, vector.value[axis], to_text(raw, true));
    return result;
}

Vec3 vector_or_down(const Key& key, const Value& raw)
{
    constexpr double kShortest = 1e-6; // of a direction
    if (key.is_direction) {
        Vec3 direction = vector_of(key, raw);
        if (direction.norm() < kShortest) throw Misfit(fmt::format("{} points nowhere", to_text(raw, true)));
        return direction;
    }
    if (!key.scalar_means_down || raw.as<Value::List>()) return vector_of(key, raw);
    try {
        return {0, 0, -scalar(key, raw)};
    } catch (const InputError&) { // not one quantity: three, then
        return vector_of(key, raw);
    }
}

double to_linear(double srgb) { return srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4); }

Vec3 colour_of(const Key& key, const Value& raw)
{
    const auto* written = raw.as<std::string>();
    if (!written || !written->starts_with('#')) return vector_of(key, raw);
    const bool is_hex = std::all_of(written->begin() + 1, written->end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    });
    if (!is_hex || written->size() != 7) throw Misfit(fmt::format("{} is no colour", to_text(raw, true)));
    Vec3 result;
    for (int i = 0; i < 3; ++i)
        result[i] = to_linear(std::stoi(written->substr(static_cast<std::size_t>(1 + 2 * i), 2), nullptr, 16) / 255.0);
    return result;
}

std::string text_of(const Key& key, const Value& raw)
{
    const auto* written = raw.as<std::string>();
    if (!written) throw Misfit(fmt::format("{} is {}", to_text(raw, true), kind_name(raw)));
    if (key.kind == KeyKind::Text && static_cast<double>(written->size()) > key.range.upper)
        throw Misfit(fmt::format("text of {} bytes is too long", written->size()));
    if (key.kind == KeyKind::Word && std::ranges::find(key.words, *written) == key.words.end())
        throw Misfit(fmt::format("{} is unknown{}", to_text(raw, true), suggestion(*written, key.words)));
    return *written;
}

std::int64_t integer_of(const Key& key, const Value& raw)
{
    const std::string text = to_text(raw, true);
    if (const auto* real = raw.as<double>(); real && !std::isfinite(*real))
        throw Misfit(text + " is not a finite number");
    const auto* whole = raw.as<std::int64_t>();
    if (!whole) throw Misfit(fmt::format("{} is {}", text, kind_name(raw)));
    static_cast<void>(checked(key, static_cast<double>(*whole), text));
    return *whole;
}

bool boolean_of(const Value& raw)
{
    if (const auto* flag = raw.as<bool>()) return *flag;
    throw Misfit(fmt::format("{} is {}", to_text(raw, true), kind_name(raw)));
}

void convert(const Key& key, const Value& raw, Value& resolved)
{
    switch (key.kind) {
    case KeyKind::Number:
        resolved.data = scalar(key, raw);
        if (const auto* written = raw.as<std::string>(); key.any_dimension && written) resolved.written = *written;
        break;
    case KeyKind::Integer:
        resolved.data = integer_of(key, raw);
        break;
    case KeyKind::Boolean:
        resolved.data = boolean_of(raw);
        break;
    case KeyKind::Vector:
        resolved.data = vector_or_down(key, raw);
        break;
    case KeyKind::Colour:
        resolved.data = colour_of(key, raw);
        break;
    default:
        resolved.data = text_of(key, raw);
        break;
    }
}

} // namespace

bool resolve_leaf(const Key& key, const Value& raw, const std::string& path, Problems& problems, Value& resolved)
{
    resolved.where = raw.where;
    try {
        convert(key, raw, resolved);
        return true;
    } catch (const Misfit& misfit) {
        problems.add(raw.where, path, fmt::format("{}; allowed: {}", misfit.what(), allowed(key)));
    } catch (const InputError& error) { // from the unit parser
        problems.add(raw.where, path,
                     fmt::format("{}: {}; allowed: {}", to_text(raw, true), error.what(), allowed(key)));
    }
    return false;
}

} // namespace rivulet
