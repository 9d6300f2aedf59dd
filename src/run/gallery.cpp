#include "base/error.h"
#include "io/atomic_file.h"
#include "rivulet/scene.h"
#include "scene/problems.h"

#include <algorithm>
#include <system_error>

namespace rivulet {
namespace {

namespace fs = std::filesystem;

/// The value of the first `title = "..."` line; empty when there is none. The gallery is listed without parsing scenes.
std::string title_of(const fs::path& file)
{
    const std::string text = read_text(file);
    const std::size_t key = text.find("title");
    const std::size_t open = text.find('"', key);
    const std::size_t close = open == std::string::npos ? open : text.find('"', open + 1);
    return key == std::string::npos || close == std::string::npos ? std::string()
                                                                  : text.substr(open + 1, close - open - 1);
}

/// The files that an `include = ["...", ...]` of the scene names.
std::vector<std::string> includes_of(const std::string& text)
{
    const std::size_t key = text.starts_with("include") ? 0 : text.find("\ninclude");
    const std::size_t end = key == std::string::npos ? key : text.find(']', key);
    std::vector<std::string> names;
    if (end == std::string::npos) return names;
    for (std::size_t open = text.find('"', key); open < end;) {
        const std::size_t close = text.find('"', open + 1);
        names.push_back(text.substr(open + 1, close - open - 1));
        open = text.find('"', close + 1);
    }
    return names;
}

} // namespace

std::vector<GalleryEntry> gallery(const fs::path& folder)
{
    std::error_code error;
    std::vector<GalleryEntry> entries;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
        if (entry.path().extension() == ".toml")
            entries.push_back({entry.path().stem().string(), title_of(entry.path()), entry.path()});
    if (error) throw IoError("cannot read the gallery " + folder.string() + ": " + error.message());
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return entries;
}

fs::path find_scene(const std::string& scene, const fs::path& gallery_folder)
{
    std::error_code error;
    if (fs::is_regular_file(scene, error)) return scene;
    const std::vector<GalleryEntry> entries = gallery(gallery_folder);
    std::vector<std::string> names;
    for (const GalleryEntry& entry : entries) {
        if (entry.name == scene) return entry.file;
        names.push_back(entry.name);
    }
    if (fs::is_regular_file(fs::path(scene) / "scene.toml", error))
        throw InputError(scene + ": a folder of a run, not a scene; continue it with rivulet run " +
                         (fs::path(scene) / "scene.toml").string() + " --resume --out " + scene);
    throw InputError(scene + ": neither a scene file nor a scene of the gallery" + suggestion(scene, names) +
                     "; rivulet scenes lists them");
}

fs::path copy_scene(const std::string& name, const fs::path& gallery_folder, const fs::path& folder)
{
    const fs::path from = find_scene(name, gallery_folder);
    std::vector<std::string> files{from.filename().string()}; // the scene, then what it includes
    for (std::size_t i = 0; i < files.size(); ++i) {
        std::error_code error;
        if (fs::exists(folder / files[i], error)) throw InputError((folder / files[i]).string() + ": exists already");
        for (const std::string& included : includes_of(read_text(from.parent_path() / files[i])))
            if (std::find(files.begin(), files.end(), included) == files.end()) files.push_back(included);
    }
    for (const std::string& file : files) write_file_atomically(folder / file, read_text(from.parent_path() / file));
    return folder / files.front();
}

} // namespace rivulet
