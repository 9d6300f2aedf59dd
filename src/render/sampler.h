#pragma once

#include "base/rng.h"

#include <array>
#include <cstdint>

namespace rivulet {

/// Low-discrepancy numbers for the paths of one pixel: for each decision of a path a fresh two-dimensional Sobol set,
/// scrambled and shuffled by a hash of (pixel, decision) [Burley 2020]. Depends on nothing but its arguments.
class Sampler {
public:
    /// Sets repeat beyond this number of samples a pixel.
    static constexpr std::uint32_t kMaxSamples = 1U << 16;

    Sampler(std::uint64_t pixel, std::uint32_t sample) noexcept : pixel_(pixel), sample_(sample) {}

    /// The next pair, each in [0, 1).
    [[nodiscard]] std::array<float, 2> next() noexcept
    {
        const std::uint64_t bits = random_bits(kSeed, pixel_, decision_++);
        const auto low = static_cast<std::uint32_t>(bits), high = static_cast<std::uint32_t>(bits >> 32);
        const std::uint32_t index = scramble(sample_, low ^ 0x68bc21ebU) & (kMaxSamples - 1);
        return {unit(scramble(reverse(index), low)), unit(scramble(sobol(index), high))};
    }

private:
    static constexpr std::uint64_t kSeed = 20;

    static float unit(std::uint32_t bits) noexcept { return static_cast<float>(bits >> 8) * 0x1p-24f; }
    static std::uint32_t reverse(std::uint32_t x) noexcept
    {
        x = ((x >> 1) & 0x55555555U) | ((x & 0x55555555U) << 1);
        x = ((x >> 2) & 0x33333333U) | ((x & 0x33333333U) << 2);
        x = ((x >> 4) & 0x0f0f0f0fU) | ((x & 0x0f0f0f0fU) << 4);
        return __builtin_bswap32(x);
    }
    /// Second Sobol dimension: direction numbers are the rows of Pascal's triangle modulo 2.
    static std::uint32_t sobol(std::uint32_t index) noexcept
    {
        std::uint32_t value = 0;
        for (std::uint32_t v = 1U << 31; index != 0; index >>= 1, v ^= v >> 1) value ^= v & (0U - (index & 1U));
        return value;
    }
    /// Owen scrambling: each bit is flipped by a hash of the bits above it [Laine 2011].
    static std::uint32_t scramble(std::uint32_t x, std::uint32_t seed) noexcept
    {
        x = reverse(x);
        x ^= x * 0x3d20adeaU;
        x += seed;
        x *= (seed >> 16) | 1U;
        x ^= x * 0x05526c56U;
        x ^= x * 0x53a22864U;
        return reverse(x);
    }

    std::uint64_t pixel_;
    std::uint32_t sample_;
    std::uint64_t decision_ = 0;
};

} // namespace rivulet
