#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace rivulet {

/// Throws IoError "<action> <path>: <reason of errno>".
[[noreturn]] void throw_io_error(const char* action, const std::filesystem::path& path, int error);

/// An open file of the system, closed at the end of its life. For reading, where a failing close means nothing.
class Descriptor {
public:
    /// `flags` as in open(2). IoError with the path if it cannot be opened.
    Descriptor(const std::filesystem::path& path, int flags);
    ~Descriptor();
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int get() const noexcept { return descriptor_; }
    /// Bytes of a regular file; IoError for anything else (a folder, a pipe).
    [[nodiscard]] std::size_t size() const;

private:
    std::filesystem::path path_;
    int descriptor_;
};

/// Writes all bytes, over as many calls as it takes. Returns 0 or the errno of the failure.
[[nodiscard]] int write_fully(int descriptor, std::span<const std::byte> bytes) noexcept;

/// Makes a rename or a new name in `folder` durable. Empty = the current folder.
void sync_folder(const std::filesystem::path& folder);

} // namespace rivulet
