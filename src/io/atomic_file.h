#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rivulet {

/// A file that appears complete or not at all: bytes go to a temporary file in the same folder, commit() makes them
/// durable and gives them their name. Without commit() nothing of it is left. Every failure is an IoError with the
/// path and the system's reason.
class AtomicFile {
public:
    explicit AtomicFile(std::filesystem::path path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::span<const std::byte> bytes);
    void write(std::string_view text) { write(std::as_bytes(std::span(text.data(), text.size()))); }
    /// fsync of the file, rename, fsync of the folder. Nothing may be written afterwards.
    void commit();

private:
    [[noreturn]] void fail(const char* action, int error);

    std::filesystem::path path_;
    std::string temporary_;
    int descriptor_ = -1;
};

/// The file at `path` holds exactly `bytes`, or what it held before.
void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// Whole content; IoError when it cannot be read.
[[nodiscard]] std::vector<std::byte> read_bytes(const std::filesystem::path& path);
[[nodiscard]] std::string read_text(const std::filesystem::path& path);

/// Makes a folder (and its parents); fine if it is there.
void make_folder(const std::filesystem::path& path);

} // namespace rivulet
