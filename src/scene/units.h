#pragma once

#include "base/vec.h"

#include <string>
#include <string_view>

namespace rivulet {

/// Exponents of the base quantities. Angle counts as one of them, so that "2 rpm" cannot pass for a frame rate.
struct Dimension {
    int length = 0, mass = 0, time = 0, angle = 0;

    friend bool operator==(const Dimension&, const Dimension&) = default;
};

/// A number with its dimension, in SI (m, kg, s, rad).
struct Quantity {
    double value = 0;
    Dimension dimension;
    bool has_unit = false; ///< false: a number alone
};

/// Three numbers that share a dimension, in SI.
struct VectorQuantity {
    Vec3 value = Vec3::Zero();
    Dimension dimension;
    bool has_unit = false;
};

/// "35 um", "72 dyn/cm", "9.81 m/s2", "0.5": a number and, unless it has no dimension, a unit. A unit is a product or
/// quotient of symbols with SI prefixes and integer powers: "kg/(m s)", "N s/m2", "s^-1". Throws InputError that says
/// what is wrong with the text.
[[nodiscard]] Quantity parse_quantity(std::string_view text);
/// "1 2 3 cm": three numbers and at most one unit.
[[nodiscard]] VectorQuantity parse_vector_quantity(std::string_view text);
/// Factor to SI and dimension of a unit alone: "cm/s" is 0.01 of length 1, time -1.
[[nodiscard]] Quantity parse_unit(std::string_view text);

/// "length", "dynamic viscosity", or the exponents where the dimension has no name.
[[nodiscard]] std::string dimension_name(const Dimension& dimension);
/// The same with its article: "a length", "an angle".
[[nodiscard]] std::string dimension_phrase(const Dimension& dimension);
/// Every unit symbol with its value in SI, as a Markdown table: part of the scene reference.
[[nodiscard]] std::string unit_table_markdown();

} // namespace rivulet
