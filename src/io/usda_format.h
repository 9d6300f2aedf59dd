#pragma once

#include "base/vec.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace rivulet {

/// Values in the text syntax of USD; real numbers with the digits of single precision.
[[nodiscard]] std::string usd_vectors(std::span<const Vec3> values);
[[nodiscard]] std::string usd_scalars(std::span<const double> values);
[[nodiscard]] std::string usd_integers(std::span<const std::int64_t> values);
[[nodiscard]] std::string usd_integers(std::span<const std::int32_t> values);
/// Box around points grown by `margin` [m].
[[nodiscard]] std::string usd_extent(std::span<const Vec3> positions, double margin);
/// Text in quotes, with what would end it early escaped.
[[nodiscard]] std::string usd_string(const std::string& text);

} // namespace rivulet
