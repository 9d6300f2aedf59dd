#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace rivulet {

/// Bytes that stand before the HDF5 data of every file that Rivulet writes. HDF5 calls this the user block and skips
/// it. It holds, little endian: "RIVULET\n", the version of this header (4 bytes), 4 zero bytes, the length of the
/// HDF5 data (8), a hash over this block (with the hash itself as zero) and the data (8); the rest is zero.
inline constexpr std::size_t kSealSize = 512;

/// Writes seal and image, atomically.
void write_sealed(const std::filesystem::path& path, std::span<const std::byte> image);

/// The image behind an intact seal. IoError with path and reason (not ours, truncated, altered, newer version): no
/// byte of the image is looked at before the hash has been checked.
[[nodiscard]] std::vector<std::byte> read_sealed(const std::filesystem::path& path);

/// The file claims to be Rivulet's; it may be damaged.
[[nodiscard]] bool begins_with_seal(const std::filesystem::path& path);

/// Why the file cannot be intact, from its length and header alone ("missing", "truncated", ...); empty where it may
/// be.
[[nodiscard]] std::string visible_damage(const std::filesystem::path& path);

} // namespace rivulet
