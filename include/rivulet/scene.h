#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rivulet {

struct GalleryEntry {
    std::string name;
    std::string title;
    std::filesystem::path file;
};

/// The scenes of a gallery folder, sorted by name.
[[nodiscard]] std::vector<GalleryEntry> gallery(const std::filesystem::path& folder);
/// A path to a scene file as it is, or a name of the gallery. InputError with suggestions when it is neither.
[[nodiscard]] std::filesystem::path find_scene(const std::string& scene, const std::filesystem::path& gallery_folder);
/// Copies a gallery scene, and the scenes beside it that it includes, to `folder`; the path of the copy. InputError if
/// one of these files exists there.
std::filesystem::path copy_scene(const std::string& name, const std::filesystem::path& gallery_folder,
                                 const std::filesystem::path& folder);

/// Validates a scene and sums it up in a few lines; `with_estimate` adds the memory that a run will need.
[[nodiscard]] std::string check_scene(const std::filesystem::path& scene, const std::vector<std::string>& overrides,
                                      bool with_estimate);
/// What a scene key means; all keys for an empty one.
[[nodiscard]] std::string explain_key(const std::string& key);
/// docs/scene_reference.md and the JSON schema for editors, as the program knows them.
[[nodiscard]] std::string reference_markdown();
[[nodiscard]] std::string editor_schema();

} // namespace rivulet
