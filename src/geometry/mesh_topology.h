#pragma once

#include "geometry/triangle_mesh.h"

#include <cstdint>

namespace rivulet {

/// How far a mesh is from the border of a solid.
struct MeshTopology {
    std::int64_t n_open_edges = 0;    ///< with a triangle on one side only
    std::int64_t n_flipped_edges = 0; ///< whose two triangles disagree about what is outside
    std::int64_t n_crowded_edges = 0; ///< with more than two triangles
    [[nodiscard]] bool is_closed() const { return n_open_edges == 0 && n_flipped_edges == 0; }
    [[nodiscard]] bool is_closed_manifold() const { return is_closed() && n_crowded_edges == 0; }
};
[[nodiscard]] MeshTopology examine_topology(const TriangleMesh& mesh);

/// Volume enclosed by a closed mesh [m^3]; negative if it is inside out.
[[nodiscard]] double enclosed_volume(const TriangleMesh& mesh);

/// The mesh with vertices of equal position made one, and without triangles that have a vertex twice or vertices that
/// no triangle uses. A colour is that of the first of the vertices made one.
[[nodiscard]] TriangleMesh welded(const TriangleMesh& mesh);

} // namespace rivulet
