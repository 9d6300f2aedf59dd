#include "base/hash.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace rivulet {
namespace {

std::uint64_t hash_of(std::span<const std::byte> data)
{
    Hasher hasher;
    hasher.bytes(data);
    return hasher.value();
}

TEST(Hash, EverySingleBitFlipChangesIt)
{
    std::vector<std::byte> data(61, std::byte{0});
    std::set<std::uint64_t> seen{hash_of(data)};
    for (std::size_t bit = 0; bit < data.size() * 8; ++bit) {
        data[bit / 8] ^= std::byte(1 << (bit % 8));
        EXPECT_TRUE(seen.insert(hash_of(data)).second) << "bit " << bit;
        data[bit / 8] ^= std::byte(1 << (bit % 8));
    }
}

TEST(Hash, DependsOnLengthAndOrder)
{
    std::set<std::uint64_t> seen;
    for (std::size_t n = 0; n < 100; ++n) {
        const std::vector<std::byte> zeros(n, std::byte{0});
        EXPECT_TRUE(seen.insert(hash_of(zeros)).second) << n << " zeros";
    }
    Hasher ab;
    ab.text("a");
    ab.text("b");
    Hasher ba;
    ba.text("b");
    ba.text("a");
    EXPECT_NE(ab.value(), ba.value());
}

TEST(Hash, IsPrintedAsSixteenDigits) { EXPECT_EQ(hex(0xabcULL), "0000000000000abc"); }

} // namespace
} // namespace rivulet
