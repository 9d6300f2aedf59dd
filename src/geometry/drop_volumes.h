#pragma once

#include "geometry/triangle_mesh.h"

#include <span>

namespace rivulet {

/// Scales the drops of a liquid's surface, closed parts of up to about two cells, about their middles to the volume of
/// the particles inside of them. The lattice cannot draw a ball that is smaller than its own spacing, so that lone
/// particles come out too large. Parts of 1.5 to 2.5 cells are scaled by less and less: nothing jumps as a drop grows.
void match_drop_volumes(std::span<const Vec3> positions, std::span<const double> volumes, double cell_size,
                        TriangleMesh& mesh);

} // namespace rivulet
