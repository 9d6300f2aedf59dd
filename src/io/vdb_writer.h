#pragma once

#include "base/vec.h"

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace rivulet {

/// Collects named grids and writes them to one OpenVDB file. World coordinates in metres; voxel centres at multiples of
/// the voxel size. Grids are written in single precision.
class VdbWriter {
public:
    VdbWriter();
    ~VdbWriter();
    VdbWriter(const VdbWriter&) = delete;
    VdbWriter& operator=(const VdbWriter&) = delete;

    /// Text that describes the whole file, such as the time of a frame.
    void set_metadata(const std::string& key, const std::string& value);
    void set_metadata(const std::string& key, double value);

    /// Narrow-band level set [m], negative inside, of a closed mesh. `half_width` is in voxels.
    void add_level_set(const std::string& name, std::span<const Vec3> vertices,
                       std::span<const std::array<std::int32_t, 3>> triangles, double voxel_size,
                       double half_width = 3);
    /// Fraction of each voxel that the particles fill (fog volume): each gives its volume to the eight voxels around
    /// it.
    void add_density(const std::string& name, std::span<const Vec3> positions, std::span<const double> volumes,
                     double voxel_size);
    /// Mean velocity [m/s] of the particles about each voxel, weighted as for the density.
    void add_velocity(const std::string& name, std::span<const Vec3> positions, std::span<const double> volumes,
                      std::span<const Vec3> velocities, double voxel_size);

    /// The file appears complete or not at all. Raises IoError with the path.
    void write(const std::filesystem::path& path) const;

private:
    struct Grids;
    std::unique_ptr<Grids> grids_;
};

} // namespace rivulet
