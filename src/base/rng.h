#pragma once

#include <cstdint>

namespace rivulet {

/// Counter-based random numbers: the value depends on (seed, stream, counter) alone, never on call order or threads.
[[nodiscard]] constexpr std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream,
                                                  std::uint64_t counter) noexcept
{
    // Three rounds of the SplitMix64 finaliser [Steele 2014].
    std::uint64_t z = seed * 0x9e3779b97f4a7c15ULL + stream * 0xd1342543de82ef95ULL + counter * 0xaf251af3b0f025b5ULL;
    for (int round = 0; round < 3; ++round) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        z ^= z >> 31;
    }
    return z;
}

/// Uniform in [0, 1).
[[nodiscard]] constexpr double random_unit(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) noexcept
{
    return static_cast<double>(random_bits(seed, stream, counter) >> 11) * 0x1p-53;
}

} // namespace rivulet
