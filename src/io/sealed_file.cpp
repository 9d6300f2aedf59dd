#include "io/sealed_file.h"

#include "base/error.h"
#include "base/hash.h"
#include "io/atomic_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

namespace rivulet {
namespace {

static_assert(std::endian::native == std::endian::little, "the seal is written as it lies in memory");

constexpr char kMagic[8] = {'R', 'I', 'V', 'U', 'L', 'E', 'T', '\n'};
constexpr std::uint32_t kSealVersion = 1;

struct Seal {
    char magic[8];
    std::uint32_t version;
    std::uint32_t reserved;
    std::uint64_t length;
    std::uint64_t hash;
};
static_assert(sizeof(Seal) == 32);
using SealBlock = std::array<std::byte, kSealSize>;

SealBlock to_block(const Seal& seal)
{
    SealBlock block{};
    std::memcpy(block.data(), &seal, sizeof seal);
    return block;
}

std::uint64_t sealed_hash(SealBlock block, std::span<const std::byte> image)
{
    std::memset(block.data() + offsetof(Seal, hash), 0, sizeof Seal::hash);
    Hasher hasher;
    hasher.bytes(block);
    hasher.bytes(image);
    return hasher.value();
}

/// By its first bytes, as many as there are.
bool is_sealed_by_rivulet(std::span<const std::byte> content)
{
    return content.empty() || std::memcmp(content.data(), kMagic, std::min(content.size(), sizeof kMagic)) == 0;
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& reason)
{
    throw IoError(path.string() + ": " + reason);
}

} // namespace

bool begins_with_seal(const std::filesystem::path& path)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return false; // a pipe would be waited for
    char begin[sizeof kMagic] = {};
    std::ifstream(path, std::ios::binary).read(begin, sizeof begin);
    return std::memcmp(begin, kMagic, sizeof kMagic) == 0;
}

void write_sealed(const std::filesystem::path& path, std::span<const std::byte> image)
{
    Seal seal{};
    std::memcpy(seal.magic, kMagic, sizeof kMagic);
    seal.version = kSealVersion;
    seal.length = image.size();
    seal.hash = sealed_hash(to_block(seal), image);
    AtomicFile file(path);
    file.write(to_block(seal));
    file.write(image);
    file.commit();
}

std::string visible_damage(const std::filesystem::path& path)
{
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error) return "missing";
    if (size < kSealSize) return "truncated";
    Seal seal{};
    std::ifstream stream(path, std::ios::binary);
    if (!stream.read(reinterpret_cast<char*>(&seal), sizeof seal)) return "unreadable";
    if (std::memcmp(seal.magic, kMagic, sizeof kMagic) != 0) return "altered";
    if (seal.length == size - kSealSize) return "";
    return seal.length > size - kSealSize ? "truncated" : "too long";
}

std::vector<std::byte> read_sealed(const std::filesystem::path& path)
{
    std::vector<std::byte> content = read_bytes(path);
    if (!is_sealed_by_rivulet(content)) refuse(path, "not a file of Rivulet, or its header was altered");
    if (content.size() < kSealSize) refuse(path, "truncated: shorter than its header");
    SealBlock block{};
    std::memcpy(block.data(), content.data(), kSealSize);
    Seal seal{};
    std::memcpy(&seal, block.data(), sizeof seal);
    if (seal.version != kSealVersion)
        refuse(path, "header version " + std::to_string(seal.version) + " is not known to this program (it reads " +
                         std::to_string(kSealVersion) + ")");
    const std::size_t length = content.size() - kSealSize;
    if (seal.length != length)
        refuse(path, (seal.length > length ? "truncated: " : "too long: ") + std::to_string(length) +
                         " bytes of data where " + std::to_string(seal.length) + " were written");
    content.erase(content.begin(), content.begin() + kSealSize);
    if (sealed_hash(block, content) != seal.hash) refuse(path, "altered: the checksum does not match the content");
    return content;
}

} // namespace rivulet
