#include "run/resume.h"

#include "base/error.h"

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

void drop_temporary_files(const RunFolder& folder)
{
    for (const fs::path& place : {folder.path(), folder.path() / "frames", folder.path() / "checkpoints"}) {
        std::error_code error;
        for (const fs::directory_entry& entry : fs::directory_iterator(place, error))
            if (entry.path().filename().string().find(".tmp-") != std::string::npos) fs::remove(entry.path(), error);
    }
}

} // namespace rivulet
