#pragma once

#include <filesystem>
#include <string>

namespace rivulet {

/// A summary of a run folder, a frame or a checkpoint.
[[nodiscard]] std::string describe(const std::filesystem::path& path);

} // namespace rivulet
