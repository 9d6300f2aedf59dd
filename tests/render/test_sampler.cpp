#include "render/sampler.h"

#include <gtest/gtest.h>

#include <array>

namespace rivulet {
namespace {

TEST(Sampler, EveryElementaryBoxOfSixteenHoldsOnePoint)
{
    // The law of a (0, 4, 2)-net in base 2: all boxes of area 1/16 with power-of-two sides.
    for (std::uint64_t pixel = 0; pixel < 50; ++pixel)
        for (int split = 0; split <= 4; ++split) {
            const int nx = 1 << split, ny = 16 / nx;
            std::array<int, 16> count{};
            for (std::uint32_t s = 0; s < 16; ++s) {
                Sampler sampler(pixel, s);
                (void)sampler.next();
                const auto [u, v] = sampler.next();
                ++count[static_cast<std::size_t>(static_cast<int>(u * static_cast<float>(nx)) * ny +
                                                 static_cast<int>(v * static_cast<float>(ny)))];
            }
            for (const int c : count) EXPECT_EQ(c, 1) << "pixel " << pixel << " split " << split;
        }
}

TEST(Sampler, DecisionsOfOnePathAreNotCorrelated)
{
    double sum = 0, n = 0;
    for (std::uint64_t pixel = 0; pixel < 200; ++pixel)
        for (std::uint32_t s = 0; s < 16; ++s) {
            Sampler sampler(pixel, s);
            const auto a = sampler.next(), b = sampler.next();
            sum += (a[0] - 0.5) * (b[0] - 0.5);
            ++n;
        }
    EXPECT_NEAR(12 * sum / n, 0, 0.06); // standard error of 3200 independent pairs: 0.018
}

} // namespace
} // namespace rivulet
