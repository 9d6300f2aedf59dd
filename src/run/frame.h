#pragma once

#include "geometry/motion.h"
#include "sim/model.h"
#include "sim/state.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rivulet {

inline constexpr std::int64_t kFrameVersion = 5;

/// What a frame file holds, in memory. Layout: docs/file_formats.md.
struct Frame {
    std::int64_t number = 0;
    std::int64_t step = 0;
    double time = 0;              ///< [s]
    std::vector<Vec3> position;   ///< [m], single precision on disk as all reals of a frame
    std::vector<Vec3> velocity;   ///< [m/s]
    std::vector<double> volume;   ///< [m^3]
    std::vector<double> pressure; ///< [Pa]
    std::vector<Vec3> colour;
    std::vector<std::int32_t> liquid;
    std::vector<std::int64_t> id;
    std::vector<std::string> liquid_names;
    std::vector<std::string> body_names; ///< obstacles
    std::vector<Pose> body_poses;
    std::vector<Vec3> strand_position;      ///< [m], a vertex
    std::vector<Vec3> strand_velocity;      ///< [m/s], a vertex
    std::vector<std::int32_t> strand_first; ///< first vertex of each strand, and one past the last
    std::vector<std::int32_t> strand_group; ///< of each strand, index into strand_group_names
    std::vector<double> strand_radius;      ///< larger half axis of each strand, at its root [m]
    std::vector<double> vertex_radius;      ///< the same at each vertex [m]; empty: no strand is tapered
    std::vector<double> strand_strain;      ///< of the edge that begins at each vertex; 0 for the last of a strand
    std::vector<double> strand_contact;     ///< forces of what each vertex touches, their sizes added up [N]
    std::vector<double> film_thickness;     ///< at each vertex [m]; 0 where dry
    std::vector<double> pool;               ///< that hangs from the tip of each strand [m^3]
    std::vector<std::string> strand_group_names;
    /// What liquid joins: vertices at which linked edges begin, or for the second, below 0, a half of an edge and an
    /// obstacle (as BridgeLinks).
    std::vector<std::int32_t> bridge_a, bridge_b;
};

/// Writes the State as frame clock.frame, atomically.
void write_frame(const std::filesystem::path& path, const Model& model, const State& state);
/// IoError with path and reason for a damaged or foreign file.
[[nodiscard]] Frame read_frame(const std::filesystem::path& path);

} // namespace rivulet
