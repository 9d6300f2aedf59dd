#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rivulet {

struct PictureOptions {
    std::optional<std::int64_t> frame;             ///< one frame; otherwise every frame of the run
    std::filesystem::path movie;                   ///< .mp4 or .gif of the pictures; empty = none
    int threads = 0;                               ///< 0 = all cores
    std::optional<int> width, height, samples;     ///< instead of the scene's
    std::vector<std::string> overrides;            ///< "path=value": other keys of the scene, that only pictures know
    std::function<void(std::string_view)> message; ///< one line a picture
};

/// Draws frames of a run folder to preview/NNNNNN.png. Returns the files written, the movie last.
std::vector<std::filesystem::path> render_run(const std::filesystem::path& run, const PictureOptions& options);

} // namespace rivulet
