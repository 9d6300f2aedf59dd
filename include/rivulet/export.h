#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rivulet {

struct ExportOptions {
    std::filesystem::path out;         ///< folder; empty = <run>/mesh or <run>/export
    std::optional<std::int64_t> frame; ///< one frame; otherwise every frame
    int threads = 0;
    std::vector<std::string> overrides; ///< "path=value": keys of the scene that only pictures know
    std::function<void(std::string_view)> message;
};

/// The liquid's surface of each frame as mesh/NNNNNN.ply. Returns the files written.
std::vector<std::filesystem::path> mesh_run(const std::filesystem::path& run, const ExportOptions& options);

/// Converts the frames of a run to "usd", "vdb", "ply" or "obj". Returns the files written.
std::vector<std::filesystem::path> export_run(const std::filesystem::path& run, const std::string& format,
                                              const ExportOptions& options);

} // namespace rivulet
