#pragma once

#include "scene/problems.h"
#include "scene/value.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rivulet {

/// Whether a scene may name other files (includes, meshes). Refused for text that nobody vouches for.
enum class FileAccess { Allowed, Refused };

/// A scene as written: its own text, what it includes underneath, --set on top; nothing checked against the schema.
struct Document {
    Value root;
    std::vector<SceneSource> sources; ///< [0] is the scene itself
};

/// Throws InputError for text that is not TOML, too deeply nested or too large, for an include that cannot be read or
/// that includes itself, and for an override without "path=value".
[[nodiscard]] Document read_document(const std::string& text, const std::filesystem::path& file,
                                     const std::vector<std::string>& overrides, FileAccess access);

/// The whole file; throws IoError. Files over `max_bytes` are refused with InputError.
[[nodiscard]] std::string read_text(const std::filesystem::path& file, std::size_t max_bytes);

inline constexpr std::size_t kMaxSceneBytes = std::size_t{2} << 20;
inline constexpr std::size_t kMaxMeshBytes = std::size_t{4} << 30;

} // namespace rivulet
