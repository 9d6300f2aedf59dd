#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace rivulet {

/// 64-bit hash of a byte stream: state hashes, scene fingerprints, checksums. Not cryptographic.
/// Each 8-byte word is folded by a 64x64 -> 128 bit product, so that every bit of input reaches every bit of the hash.
class Hasher {
public:
    void bytes(std::span<const std::byte> data) noexcept
    {
        const std::byte* p = data.data();
        std::size_t n = data.size();
        word(n);
        for (; n >= 8; n -= 8, p += 8) {
            std::uint64_t w = 0;
            std::memcpy(&w, p, 8);
            word(w);
        }
        std::uint64_t tail = 0;
        if (n > 0) std::memcpy(&tail, p, n);
        word(tail);
    }
    void text(std::string_view s) noexcept { bytes(std::as_bytes(std::span(s.data(), s.size()))); }
    void word(std::uint64_t w) noexcept
    {
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(hash_ ^ w ^ 0x9e3779b97f4a7c15ULL) * 0xd6e8feb86659fd93ULL;
        hash_ = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^
                (w * 0xa0761d6478bd642fULL);
    }
    [[nodiscard]] std::uint64_t value() const noexcept { return hash_; }

private:
    std::uint64_t hash_ = 0x243f6a8885a308d3ULL;
};

/// Sixteen hexadecimal digits.
[[nodiscard]] std::string hex(std::uint64_t value);

} // namespace rivulet
