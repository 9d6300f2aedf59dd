#pragma once

#include <cstddef>
#include <cstdint>

namespace rivulet {

/// Number of vertex `number` of a strand of n, where -1 is the last; n if there is none.
[[nodiscard]] inline std::size_t vertex_index(std::int64_t number, std::size_t n)
{
    const auto count = static_cast<std::int64_t>(n);
    const std::int64_t index = number < 0 ? count + number : number;
    return index >= 0 && index < count ? static_cast<std::size_t>(index) : n;
}

/// A place along a strand (0 = root, 1 = tip) lies in a part of it, to which its ends belong.
[[nodiscard]] inline bool is_covered(double place, double from, double to)
{
    return place >= from - 1e-9 && place <= to + 1e-9;
}

} // namespace rivulet
