#include "base/error.h"
#include "io/atomic_file.h"
#include "rivulet/scene.h"

#include <algorithm>
#include <numeric>
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

/// Number of letters to change, add or remove to turn one word into the other (Levenshtein).
std::size_t edit_distance(const std::string& a, const std::string& b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row.back();
}

std::string suggestion(const std::string& name, const std::vector<GalleryEntry>& entries)
{
    const auto closer = [&](const GalleryEntry& a, const GalleryEntry& b) {
        return edit_distance(name, a.name) < edit_distance(name, b.name);
    };
    const auto best = std::min_element(entries.begin(), entries.end(), closer);
    if (best == entries.end() || edit_distance(name, best->name) > 3) return {};
    return "; did you mean '" + best->name + "'?";
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
    for (const GalleryEntry& entry : entries)
        if (entry.name == scene) return entry.file;
    throw InputError(scene + ": neither a scene file nor a scene of the gallery" + suggestion(scene, entries) +
                     " (rivulet scenes lists them)");
}

fs::path copy_scene(const std::string& name, const fs::path& gallery_folder, const fs::path& folder)
{
    const fs::path from = find_scene(name, gallery_folder);
    fs::path to = folder / from.filename();
    std::error_code error;
    if (fs::exists(to, error)) throw InputError(to.string() + ": exists already");
    write_file_atomically(to, read_text(from));
    return to;
}

} // namespace rivulet
