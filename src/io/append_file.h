#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace rivulet {

/// A text file that grows by rows. Rows wait in memory until flush(); what was flushed and synced survives a crash.
class AppendFile {
public:
    /// Opens or creates; the content is cut to its first `keep` bytes (rows of an earlier run that a checkpoint
    /// covers). IoError if the file is shorter than that.
    explicit AppendFile(std::filesystem::path path, std::int64_t keep = 0);
    /// Writes what waits, without reporting a failure: call flush() first where it matters.
    ~AppendFile();
    AppendFile(const AppendFile&) = delete;
    AppendFile& operator=(const AppendFile&) = delete;

    void append(std::string_view text) { waiting_ += text; }
    /// Hands the waiting rows to the system.
    void flush();
    /// flush(), then fsync.
    void sync();
    /// Length including the rows that wait [bytes].
    [[nodiscard]] std::int64_t size() const noexcept { return written_ + static_cast<std::int64_t>(waiting_.size()); }
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
    std::string waiting_;
    std::int64_t written_ = 0;
    int descriptor_ = -1;
};

} // namespace rivulet
