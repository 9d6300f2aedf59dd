#pragma once

#include "base/vec.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rivulet {

/// A quantity given with a sample of a prim: `scalars` or `vectors`, one a point, or a single one for all points.
/// Written as primvars:<name>; the names "colour" (linear RGB) and "velocity" [m/s] become displayColor and velocities.
struct UsdQuantity {
    std::string name;
    std::span<const double> scalars = {};
    std::span<const Vec3> vectors = {};
};

/// Writes one USD text file with time samples: Z up, metres, one time code a frame. Prims are named by paths such as
/// "ball/surface"; what is above a prim is an Xform, and everything lies below /World. Names are made valid for USD.
///
/// begin_frame(), then one sample of each prim that is there, for every frame; finish() at the end. Samples wait in a
/// file next to the target, so that memory does not grow with the number of frames. An attribute that never changes is
/// written once. The target appears complete or not at all.
class UsdaWriter {
public:
    UsdaWriter(std::filesystem::path path, double frames_per_second, std::string comment = {});
    ~UsdaWriter();
    UsdaWriter(const UsdaWriter&) = delete;
    UsdaWriter& operator=(const UsdaWriter&) = delete;

    /// Frames must increase.
    void begin_frame(std::int64_t frame);
    /// Spheres of the given widths (diameters) [m]: one for all, or one a point. `ids` may be empty.
    void points(const std::string& path, std::span<const Vec3> positions, std::span<const double> widths,
                std::span<const std::int64_t> ids, std::span<const UsdQuantity> quantities);
    /// Polylines: `vertex_counts` sums up to the number of positions; widths as for points.
    void curves(const std::string& path, std::span<const Vec3> positions, std::span<const std::int32_t> vertex_counts,
                std::span<const double> widths, std::span<const UsdQuantity> quantities);
    void mesh(const std::string& path, std::span<const Vec3> positions,
              std::span<const std::array<std::int32_t, 3>> triangles, std::span<const UsdQuantity> quantities);
    /// Placement of a prim and all below it: x_world = rotation * x + position.
    void xform(const std::string& path, const Vec3& position, const Quat& rotation);

    void finish();

private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

/// The name with what USD does not allow replaced by underscores.
[[nodiscard]] std::string usd_identifier(const std::string& name);

} // namespace rivulet
