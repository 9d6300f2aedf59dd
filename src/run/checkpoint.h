#pragma once

#include "io/hdf5_file.h"
#include "run/run_folder.h"
#include "scene/scene.h"
#include "sim/state.h"

#include <filesystem>
#include <map>
#include <string>

namespace rivulet {

/// Raised when the meaning of a stored array changes: older files are refused.
inline constexpr std::int64_t kCheckpointVersion = 8;

/// Bytes of each growing file of the run folder that a checkpoint covers, by file name.
using CoveredSizes = std::map<std::string, std::int64_t>;

/// Writes all arrays of the State, the scene and what the run folder held, atomically.
void write_checkpoint(const std::filesystem::path& path, const Scene& scene, const State& state,
                      const CoveredSizes& covered);

/// A checkpoint on disk that has passed its checksum. Every failure is an IoError with path and reason.
class CheckpointFile {
public:
    explicit CheckpointFile(const std::filesystem::path& path);

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::int64_t step() const noexcept { return step_; }
    [[nodiscard]] std::int64_t frame() const noexcept { return frame_; }
    [[nodiscard]] double time() const noexcept { return time_; }
    [[nodiscard]] const std::string& fingerprint() const noexcept { return fingerprint_; }
    [[nodiscard]] const std::string& state_hash() const noexcept { return state_hash_; }
    [[nodiscard]] std::string scene_text() const;
    [[nodiscard]] CoveredSizes covered() const;
    [[nodiscard]] const Hdf5Reader& reader() const noexcept { return reader_; }

    /// The State, with every array checked against the model.
    [[nodiscard]] State restore(const Model& model) const;

private:
    std::filesystem::path path_;
    Hdf5Reader reader_;
    std::int64_t step_ = 0, frame_ = 0;
    double time_ = 0;
    std::string fingerprint_, state_hash_;
};

/// InputError with the differing keys unless the checkpoint belongs to the scene.
void require_same_scene(const CheckpointFile& checkpoint, const Scene& scene);

/// Deletes all but the last two checkpoints.
void drop_old_checkpoints(const RunFolder& folder);

} // namespace rivulet
