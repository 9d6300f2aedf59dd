#pragma once

#include "base/vec.h"
#include "geometry/triangle_mesh.h"

#include <array>
#include <vector>

namespace rivulet {

/// Nearest point of a mesh.
struct NearestPoint {
    Vec3 point;  ///< [m]
    Vec3 normal; ///< outward pseudonormal of the face, edge or vertex it lies on; not of unit length
    double squared_distance;
};

/// Exact signed distance to a closed mesh: nearest point by a tree of boxes, sign by the angle-weighted pseudonormal
/// of the nearest face, edge or vertex [Baerentzen 2005]. A coarse grid of nearest triangles gives each search a good
/// first bound; it does not change the result.
class MeshDistance {
public:
    /// The mesh must be closed and consistently oriented (see mesh_topology.h); not checked here.
    explicit MeshDistance(TriangleMesh mesh);

    [[nodiscard]] double distance(const Vec3& x) const;
    [[nodiscard]] NearestPoint nearest(const Vec3& x) const;
    [[nodiscard]] const Aabb& bounds() const noexcept { return bounds_; }
    [[nodiscard]] const TriangleMesh& mesh() const noexcept { return mesh_; }

private:
    /// Features of a triangle: 0-2 its vertices, 3-5 its edges (3 + i from vertex i to i + 1), 6 its face.
    struct Face {
        Vec3 a, b, c;
        std::array<std::int32_t, 3> vertex;
        std::array<std::int32_t, 3> edge;
    };
    struct Node {
        Eigen::Array3f lower, upper;
        std::int32_t first = 0;   ///< child (its sibling follows) or face
        std::int32_t n_faces = 0; ///< 0: inner node
    };
    struct Best;

    void build_faces();
    void build_tree();
    void split(std::int32_t node, std::vector<std::int32_t>& order, std::int32_t begin, std::int32_t end);
    void build_seeds();
    [[nodiscard]] std::int32_t seed(const Vec3& x) const;
    [[nodiscard]] Best search(const Vec3& x) const;
    static void try_face(const Face& face, std::int32_t index, const Vec3& x, Best& best);

    TriangleMesh mesh_;
    Aabb bounds_;
    std::vector<Vec3> vertex_normals_, edge_normals_;
    std::vector<Face> faces_; ///< in the order of the tree's leaves
    std::vector<Node> nodes_;
    Vec3i seed_counts_ = Vec3i::Zero();
    std::vector<std::int32_t> seeds_; ///< face nearest to the middle of each cell of a coarse grid over the bounds
};

} // namespace rivulet
