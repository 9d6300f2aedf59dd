#include "scene/units.h"

#include "base/error.h"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <optional>

namespace rivulet {
namespace {

constexpr Dimension kNone{}, kLength{1, 0, 0, 0}, kMass{0, 1, 0, 0}, kTime{0, 0, 1, 0}, kAngle{0, 0, 0, 1},
    kPerTime{0, 0, -1, 0}, kTurnRate{0, 0, -1, 1}, kSpeed{1, 0, -1, 0}, kForce{1, 1, -2, 0}, kPressure{-1, 1, -2, 0},
    kEnergy{2, 1, -2, 0}, kPower{2, 1, -3, 0}, kViscosity{-1, 1, -1, 0}, kKinematic{2, 0, -1, 0}, kVolume{3, 0, 0, 0};

struct Unit {
    std::string_view symbol, name;
    double factor;
    Dimension dimension;
    bool prefixed; ///< takes SI prefixes
};
constexpr std::array kUnits{
    Unit{"m", "metre", 1, kLength, true},
    Unit{"micron", "micrometre", 1e-6, kLength, false},
    Unit{"in", "inch", 0.0254, kLength, false},
    Unit{"inch", "inch", 0.0254, kLength, false},
    Unit{"ft", "foot", 0.3048, kLength, false},
    Unit{"yd", "yard", 0.9144, kLength, false},
    Unit{"g", "gram", 1e-3, kMass, true},
    Unit{"t", "tonne", 1e3, kMass, false},
    Unit{"lb", "pound", 0.45359237, kMass, false},
    Unit{"oz", "ounce", 0.028349523125, kMass, false},
    Unit{"s", "second", 1, kTime, true},
    Unit{"min", "minute", 60, kTime, false},
    Unit{"h", "hour", 3600, kTime, false},
    Unit{"rad", "radian", 1, kAngle, true},
    Unit{"deg", "degree", std::numbers::pi / 180, kAngle, false},
    Unit{"°", "degree", std::numbers::pi / 180, kAngle, false},
    Unit{"turn", "full turn", 2 * std::numbers::pi, kAngle, false},
    Unit{"rev", "full turn", 2 * std::numbers::pi, kAngle, false},
    Unit{"rpm", "turns a minute", 2 * std::numbers::pi / 60, kTurnRate, false},
    Unit{"Hz", "hertz", 1, kPerTime, true},
    Unit{"fps", "frames a second", 1, kPerTime, false},
    Unit{"mph", "miles an hour", 0.44704, kSpeed, false},
    Unit{"N", "newton", 1, kForce, true},
    Unit{"dyn", "dyne", 1e-5, kForce, true},
    Unit{"Pa", "pascal", 1, kPressure, true},
    Unit{"bar", "bar", 1e5, kPressure, true},
    Unit{"atm", "standard atmosphere", 101325, kPressure, false},
    Unit{"psi", "pound-force a square inch", 6894.757293168361, kPressure, false},
    Unit{"J", "joule", 1, kEnergy, true},
    Unit{"erg", "erg", 1e-7, kEnergy, false},
    Unit{"W", "watt", 1, kPower, true},
    Unit{"P", "poise", 0.1, kViscosity, true},
    Unit{"St", "stokes", 1e-4, kKinematic, true},
    Unit{"l", "litre", 1e-3, kVolume, true},
    Unit{"L", "litre", 1e-3, kVolume, true},
    Unit{"%", "percent", 0.01, kNone, false},
};

struct Prefix {
    std::string_view symbol;
    double factor;
};
constexpr std::array kPrefixes{Prefix{"da", 1e1}, Prefix{"T", 1e12}, Prefix{"G", 1e9},  Prefix{"M", 1e6},
                               Prefix{"k", 1e3},  Prefix{"h", 1e2},  Prefix{"d", 1e-1}, Prefix{"c", 1e-2},
                               Prefix{"m", 1e-3}, Prefix{"u", 1e-6}, Prefix{"µ", 1e-6}, Prefix{"μ", 1e-6},
                               Prefix{"n", 1e-9}, Prefix{"p", 1e-12}};

std::optional<Quantity> find_unit(std::string_view symbol)
{
    for (const Unit& unit : kUnits)
        if (unit.symbol == symbol) return Quantity{unit.factor, unit.dimension, true};
    for (const Prefix& prefix : kPrefixes) {
        if (!symbol.starts_with(prefix.symbol)) continue;
        for (const Unit& unit : kUnits)
            if (unit.prefixed && unit.symbol == symbol.substr(prefix.symbol.size()))
                return Quantity{prefix.factor * unit.factor, unit.dimension, true};
    }
    return std::nullopt;
}

void multiply(Quantity& product, const Quantity& factor, int power)
{
    product.value *= std::pow(factor.value, power);
    Dimension& d = product.dimension;
    const Dimension& f = factor.dimension;
    product.has_unit = true;
    d = {d.length + power * f.length, d.mass + power * f.mass, d.time + power * f.time, d.angle + power * f.angle};
}

/// Recursive descent over "product = factor {('*' | ' ' | '/') factor}", "factor = symbol [power] | '(' product ')'".
class UnitParser {
public:
    explicit UnitParser(std::string_view text) : text_(text) {}

    Quantity parse()
    {
        const Quantity unit = product(0);
        if (!rest().empty()) fail(fmt::format("unexpected '{}'", rest()));
        return unit;
    }

private:
    static constexpr int kMaxDepth = 8, kMaxPower = 9, kMaxExponent = 99;
    static constexpr std::size_t kMaxLength = 100;

    Quantity product(int depth)
    {
        if (depth > kMaxDepth || text_.size() > kMaxLength) fail("the unit is too long");
        Quantity result{1, {}, false};
        bool divided = false;
        for (bool first = true;; first = false) {
            const bool spaced = skip_spaces();
            if (rest().empty() || rest().front() == ')') break;
            int sign = 1;
            if (!first && accept("/"))
                sign = -1;
            else if (!first && !accept("*") && !accept("·")) {
                if (!spaced && rest().front() != '(') fail(fmt::format("unexpected '{}'", rest()));
                if (divided) fail("the divisor is not clear: write \"a/(b c)\" or \"a*c/b\"");
            }
            divided = divided || sign < 0;
            skip_spaces();
            factor(result, sign, depth);
        }
        return result;
    }

    void factor(Quantity& result, int sign, int depth)
    {
        if (accept("(")) {
            const Quantity inner = product(depth + 1);
            if (!accept(")")) fail("')' is missing");
            multiply(result, inner, sign * power());
        } else if (accept("1")) {
            return;
        } else {
            const std::string_view name = symbol();
            const std::optional<Quantity> unit = find_unit(name);
            if (!unit) fail(fmt::format("'{}' is not a unit", name));
            multiply(result, *unit, sign * power());
        }
        const Dimension& d = result.dimension;
        for (const int exponent : {d.length, d.mass, d.time, d.angle})
            if (std::abs(exponent) > kMaxExponent) fail("the unit is out of range");
        if (!std::isnormal(result.value)) fail("the unit is out of range");
    }

    std::string_view symbol()
    {
        const std::size_t begin = position_;
        const auto is_symbol = [&](std::string_view r) {
            const auto c = static_cast<unsigned char>(r.front());
            if (r.starts_with("²") || r.starts_with("³") || r.starts_with("·")) return false;
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || c >= 0x80;
        };
        while (!rest().empty() && is_symbol(rest())) ++position_;
        if (begin == position_) fail(rest().empty() ? "a unit is missing" : fmt::format("unexpected '{}'", rest()));
        return text_.substr(begin, position_ - begin);
    }

    int power()
    {
        if (accept("²")) return 2;
        if (accept("³")) return 3;
        const bool marked = accept("^");
        int exponent = 1;
        const auto [end, error] = std::from_chars(rest().data(), rest().data() + rest().size(), exponent);
        if (error == std::errc{})
            position_ += static_cast<std::size_t>(end - rest().data());
        else if (marked || error == std::errc::result_out_of_range)
            fail("the power must be a whole number");
        if (exponent == 0 || std::abs(exponent) > kMaxPower) fail("the power must be from 1 to 9 or -1 to -9");
        return exponent;
    }

    bool accept(std::string_view token)
    {
        if (!rest().starts_with(token)) return false;
        position_ += token.size();
        return true;
    }
    bool skip_spaces()
    {
        const std::size_t begin = position_;
        while (!rest().empty() && (rest().front() == ' ' || rest().front() == '\t')) ++position_;
        return position_ > begin;
    }
    [[nodiscard]] std::string_view rest() const { return text_.substr(position_); }
    [[noreturn]] static void fail(const std::string& what) { throw InputError(what); }

    std::string_view text_;
    std::size_t position_ = 0;
};

void trim_front(std::string_view& text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

/// Takes a decimal number from the front of `text`; "inf", "nan" and hexadecimal are not numbers here.
double take_number(std::string_view& text)
{
    trim_front(text);
    std::string_view digits = text;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const std::size_t sign = !digits.empty() && digits.size() == text.size() && digits.front() == '-' ? 1 : 0;
    const char lead = digits.size() > sign ? digits[sign] : ' ';
    if (lead != '.' && (lead < '0' || lead > '9')) throw InputError(fmt::format("'{}' is not a number", text));
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::result_out_of_range) throw InputError("the number is too large or too small");
    if (error != std::errc{}) throw InputError(fmt::format("'{}' is not a number", text));
    text = digits.substr(static_cast<std::size_t>(end - digits.data()));
    return value;
}

} // namespace

Quantity parse_unit(std::string_view text) { return UnitParser(text).parse(); }

Quantity parse_quantity(std::string_view text)
{
    const double number = take_number(text);
    trim_front(text);
    Quantity unit = parse_unit(text);
    unit.value *= number;
    return unit;
}

VectorQuantity parse_vector_quantity(std::string_view text)
{
    VectorQuantity vector;
    for (int axis = 0; axis < 3; ++axis) vector.value[axis] = take_number(text);
    trim_front(text);
    const Quantity unit = parse_unit(text);
    vector.value *= unit.value;
    vector.dimension = unit.dimension;
    vector.has_unit = unit.has_unit;
    return vector;
}

std::string dimension_name(const Dimension& d)
{
    struct Named {
        Dimension dimension;
        std::string_view name;
    };
    static constexpr std::array kNamed{
        Named{kNone, "number without a unit"},
        Named{kLength, "length"},
        Named{kMass, "mass"},
        Named{kTime, "time"},
        Named{kAngle, "angle"},
        Named{kPerTime, "rate"},
        Named{kTurnRate, "angular velocity"},
        Named{kSpeed, "velocity"},
        Named{kForce, "force"},
        Named{kPressure, "pressure"},
        Named{kEnergy, "energy"},
        Named{kPower, "power"},
        Named{kViscosity, "dynamic viscosity"},
        Named{kKinematic, "kinematic viscosity"},
        Named{kVolume, "volume"},
        Named{{1, 0, -2, 0}, "acceleration"},
        Named{{-3, 1, 0, 0}, "density"},
        Named{{0, 1, -2, 0}, "surface tension"},
        Named{{2, 0, 0, 0}, "area"},
    };
    for (const Named& named : kNamed)
        if (named.dimension == d) return std::string(named.name);
    return fmt::format("quantity in m^{} kg^{} s^{} rad^{}", d.length, d.mass, d.time, d.angle);
}

std::string dimension_phrase(const Dimension& dimension)
{
    const std::string name = dimension_name(dimension);
    const bool vowel = std::string_view("aeiou").find(name.front()) != std::string_view::npos;
    return (vowel ? "an " : "a ") + name;
}

std::string unit_table_markdown()
{
    std::string table = "| symbol | name | measures | in SI | takes prefixes |\n|---|---|---|---|---|\n";
    for (const Unit& unit : kUnits)
        table += fmt::format("| `{}` | {} | {} | {} | {} |\n", unit.symbol, unit.name, dimension_name(unit.dimension),
                             unit.factor, unit.prefixed ? "yes" : "no");
    table += "\nPrefixes:";
    for (const Prefix& prefix : kPrefixes) table += fmt::format(" `{}` {},", prefix.symbol, prefix.factor);
    table.back() = '.';
    return table + "\n";
}

} // namespace rivulet
