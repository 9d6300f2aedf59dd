#pragma once

#include "geometry/triangle_mesh.h"

#include <cstdint>
#include <vector>

namespace rivulet {

/// The connected part of each vertex, named by the part's first vertex.
[[nodiscard]] std::vector<std::int32_t> label_parts(const TriangleMesh& mesh);

/// Volume that each closed part encloses, at the index of its label [m^3]; negative where it is inside out.
[[nodiscard]] std::vector<double> part_volumes(const TriangleMesh& mesh, const std::vector<std::int32_t>& part);

/// Puts a mesh behind another; both have colours or none has, unless one is empty.
void append_mesh(TriangleMesh& mesh, const TriangleMesh& more);

} // namespace rivulet
