#pragma once

#include "io/descriptor.h"
#include "io/json.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace rivulet {

/// Paths of a run folder (docs/file_formats.md).
class RunFolder {
public:
    explicit RunFolder(std::filesystem::path path) : path_(std::move(path)) {}

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::filesystem::path file(const std::string& name) const { return path_ / name; }
    [[nodiscard]] std::filesystem::path frame(std::int64_t number) const;
    [[nodiscard]] std::filesystem::path checkpoint(std::int64_t step) const;
    [[nodiscard]] std::filesystem::path picture(std::int64_t frame) const;

    /// Numbers of the frames present, ascending.
    [[nodiscard]] std::vector<std::int64_t> frames() const;
    /// Steps of the checkpoints present, ascending.
    [[nodiscard]] std::vector<std::int64_t> checkpoints() const;
    /// Made by a run (whatever became of it), or a copy of such a folder.
    [[nodiscard]] bool is_run() const;

    /// Makes a fresh run folder. One that holds anything is refused by InputError, unless it is a run folder and
    /// `force` is set: then what the earlier run wrote is deleted, and nothing else.
    void create(bool force) const;
    /// Whether create() with `force` would delete this file.
    [[nodiscard]] bool would_replace(const std::filesystem::path& file) const;
    /// Keeps other runs out of this run folder for as long as the result lives; InputError if one is at work in it.
    [[nodiscard]] std::unique_ptr<Descriptor> lock() const;
    /// Removes frames after number `last`: a resumed run writes them again.
    void drop_frames_after(std::int64_t last) const;
    void drop_report() const;
    /// Writes report.json. Where that fails there is none: an earlier one would say that all went well.
    void replace_report(const Json& report) const;

private:
    void mark() const;

    std::filesystem::path path_;
};

/// The run folder at `path`; InputError if it is none.
[[nodiscard]] RunFolder open_run(const std::filesystem::path& path);

/// "000042"
[[nodiscard]] std::string six_digits(std::int64_t number);

} // namespace rivulet
