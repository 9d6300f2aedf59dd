#pragma once

#include "run/checkpoint.h"
#include "run/run_folder.h"
#include "scene/scene.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rivulet {

/// Where a run continues.
struct ResumePoint {
    State state;
    CoveredSizes covered;
    std::filesystem::path checkpoint;
};

/// The last good checkpoint of the folder. One that is damaged is set aside (".damaged") with a message that says why,
/// and the one before it is taken. Nothing when the run had not come to its first checkpoint. InputError when the scene
/// has changed, IoError when there are checkpoints but none is good.
[[nodiscard]] std::optional<ResumePoint> find_resume_point(const RunFolder& folder, const Scene& scene,
                                                           const std::function<void(std::string_view)>& message);

/// A line for each frame up to `last` that is missing or visibly damaged, as a resumed run writes none of them anew; of
/// many, for the first few.
[[nodiscard]] std::vector<std::string> damaged_frames(const RunFolder& folder, std::int64_t last);

/// Removes temporary files that a killed run left in its folders.
void drop_temporary_files(const RunFolder& folder);

} // namespace rivulet
