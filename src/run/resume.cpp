#include "run/resume.h"

#include "base/error.h"
#include "io/sealed_file.h"

#include <fmt/format.h>

#include <system_error>

namespace rivulet {
namespace {

namespace fs = std::filesystem;

void set_aside(const fs::path& checkpoint)
{
    std::error_code error;
    fs::rename(checkpoint, checkpoint.string() + ".damaged", error);
    if (error) throw IoError("cannot rename " + checkpoint.string() + ": " + error.message());
}

ResumePoint load(const fs::path& path, const Scene& scene)
{
    const CheckpointFile checkpoint(path);
    require_same_scene(checkpoint, scene);
    return {checkpoint.restore(scene.model), checkpoint.covered(), path};
}

} // namespace

std::optional<ResumePoint> find_resume_point(const RunFolder& folder, const Scene& scene,
                                             const std::function<void(std::string_view)>& message)
{
    std::vector<std::int64_t> steps = folder.checkpoints();
    std::vector<fs::path> damaged;
    std::string reasons;
    for (; !steps.empty(); steps.pop_back()) {
        const fs::path path = folder.checkpoint(steps.back());
        try {
            ResumePoint point = load(path, scene);
            for (const fs::path& bad : damaged) set_aside(bad);
            return point;
        } catch (const IoError& error) {
            reasons += std::string("\n  ") + error.what();
            damaged.push_back(path);
            if (message && steps.size() > 1)
                message(std::string("refused: ") + error.what() + "; trying the checkpoint before it");
        }
    }
    if (damaged.empty()) return std::nullopt;
    throw IoError("no good checkpoint in " + folder.path().string() + ":" + reasons +
                  "\nstart anew with --force, or into another folder with --out");
}

std::vector<std::string> damaged_frames(const RunFolder& folder, std::int64_t last)
{
    constexpr std::int64_t kMaxNamed = 5;
    std::vector<std::string> lines;
    std::int64_t n_damaged = 0;
    for (std::int64_t number = 0; number <= last; ++number) {
        const std::string damage = visible_damage(folder.frame(number));
        if (damage.empty() || ++n_damaged > kMaxNamed) continue;
        lines.push_back(
            fmt::format("frame {} is {} and not computed again: {}", number, damage, folder.frame(number).string()));
    }
    if (n_damaged > kMaxNamed) lines.push_back(fmt::format("and {} more frames are like this", n_damaged - kMaxNamed));
    return lines;
}

void drop_temporary_files(const RunFolder& folder)
{
    for (const fs::path& place : {folder.path(), folder.path() / "frames", folder.path() / "checkpoints"}) {
        std::error_code error;
        for (const fs::directory_entry& entry : fs::directory_iterator(place, error))
            if (entry.path().filename().string().find(".tmp-") != std::string::npos) fs::remove(entry.path(), error);
    }
}

} // namespace rivulet
