#pragma once

#include "base/vec.h"

#include <array>
#include <vector>

namespace rivulet {

/// Triangles over shared vertices; counter-clockwise seen from outside.
struct TriangleMesh {
    std::vector<Vec3> vertices;                         ///< [m]
    std::vector<std::array<std::int32_t, 3>> triangles; ///< indices into vertices
    std::vector<Vec3> colours;                          ///< linear RGB per vertex, or empty
};

} // namespace rivulet
