#pragma once

#include "geometry/triangle_mesh.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rivulet {

/// A drop of a liquid's surface.
struct DrawnDrop {
    std::int32_t label; ///< of its part: the first of its vertices
    double held;        ///< volume of the particles inside [m^3]
    Vec3 centre;        ///< their centre of volume [m]
};

/// Scales the drops of a liquid's surface, closed parts of up to about two cells, about their middles to the volume of
/// the particles inside of them. The lattice cannot draw a ball that is smaller than its own spacing, so that lone
/// particles come out too large. Parts of 1.5 to 2.5 cells are scaled by less and less: nothing jumps as a drop grows.
/// Returns those that hold any. `candidates`: the particles that may be in drops, ascending.
std::vector<DrawnDrop> match_drop_volumes(std::span<const Vec3> positions, std::span<const double> volumes,
                                          std::span<const std::uint32_t> candidates, double cell_size,
                                          TriangleMesh& mesh);

} // namespace rivulet
