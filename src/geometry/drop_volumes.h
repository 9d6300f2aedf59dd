#pragma once

#include "geometry/particle_bins.h"
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
    double spread;      ///< their root mean square distance from it [m]
};

/// The particles of a liquid.
struct ParticleVolumes {
    std::span<const Vec3> positions;     ///< [m]
    std::span<const double> volumes;     ///< [m^3]
    std::span<const std::uint32_t> near; ///< those near the surface
    std::span<const Lump> deep;          ///< what the others hold
};

/// Gives the drops, threads and sheets of a liquid's surface, closed parts of up to about five cells' thickness, the
/// volume of the particles inside of them. The blur of the field lets a ball shrink, and what is thinner than the
/// lattice's spacing is drawn too thick. All vertices of a part move by the same share of their depths. `depths`: from
/// the middle of the liquid around a vertex to the vertex [m]. Thicker parts are moved less and less, and so are drops
/// that come near them: nothing jumps as a drop grows or joins. Returns those that hold any.
std::vector<DrawnDrop> match_drop_volumes(const ParticleVolumes& particles, std::span<const Eigen::Vector3f> depths,
                                          double cell_size, TriangleMesh& mesh);

} // namespace rivulet
