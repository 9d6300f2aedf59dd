#pragma once

#include "base/vec.h"
#include "geometry/triangle_mesh.h"

#include <span>

namespace rivulet {

struct SurfacingOptions {
    double cell_size = 0.01; ///< of the simulation's grid [m]; the mesh resolves half of it
    double smoothing = 1;    ///< variance of the blur in squares of half a cell: 0 = none, at most 5
};

/// Surface of the liquid that the particles stand for, with their colours carried to the vertices. `colours` may be
/// empty. Deterministic; cost follows the number of particles near the surface.
[[nodiscard]] TriangleMesh surface_particles(std::span<const Vec3> positions, std::span<const double> volumes,
                                             std::span<const Vec3> colours, const SurfacingOptions& options);

} // namespace rivulet
