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

} // namespace rivulet
