#pragma once

#include "geometry/particle_bins.h"
#include "geometry/triangle_mesh.h"

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rivulet {

/// A closed part of a mesh that may hold points.
struct ClosedPart {
    Aabb box;
    std::vector<std::int32_t> triangles;
};

/// Finds the closed part that holds a point, among many small ones. Looks at the triangles of one column of the part
/// only, so that a point costs the same in a large part as in a small one.
class DropIndex {
public:
    /// `spacing`: about the size of a triangle. The mesh and the parts must outlive the index and not change.
    DropIndex(const TriangleMesh& mesh, std::span<const ClosedPart> parts, double spacing);

    /// Number of the part that x is inside of, or -1.
    [[nodiscard]] std::int32_t holder(const Vec3& x) const;

private:
    /// The triangles of a part by columns along x.
    struct Columns {
        Eigen::Vector2d lower = Eigen::Vector2d::Zero(); ///< corner in y and z [m]
        int n_y = 0, n_z = 0;
        std::vector<std::int32_t> begins, triangles;
    };
    using Entry = std::pair<std::uint64_t, std::int32_t>;

    [[nodiscard]] Columns columns_of(const ClosedPart& part) const;
    [[nodiscard]] bool is_inside(std::size_t part, const Vec3& x) const;
    [[nodiscard]] Vec3i cube(const Vec3& x) const;

    const TriangleMesh& mesh_;
    std::span<const ClosedPart> parts_;
    double spacing_;
    std::vector<Columns> columns_;
    std::vector<Entry> entries_;      ///< small parts by the cubes of eight spacings that they reach into, sorted
    std::vector<std::int32_t> large_; ///< the others
};

/// Finds the vertex nearest to a point, around some of a mesh's vertices.
class NearestVertices {
public:
    /// Knows all vertices within `radius` of those for which `is_marked` is set, and some more.
    NearestVertices(const TriangleMesh& mesh, const std::vector<std::uint8_t>& is_marked, double radius);

    struct Found {
        std::int32_t vertex = -1; ///< -1: none
        double distance;          ///< [m]; the radius if there is none
    };
    /// The nearest vertex within the radius of those for which accepts(vertex) is true. A vertex that is farther than
    /// the radius from all marked ones may be missed.
    template <class Accepts>
    [[nodiscard]] Found find(const Vec3& x, Accepts&& accepts) const
    {
        Found found{-1, radius_ * radius_};
        for_each_neighbour([&](const Vec3i& offset) {
            const auto [begin, end] = vertices_in(cube(x) + offset);
            for (const Entry* e = begin; e != end; ++e) {
                const double distance = (mesh_.vertices[static_cast<std::size_t>(e->second)] - x).squaredNorm();
                if (distance < found.distance && accepts(e->second)) found = {e->second, distance};
            }
        });
        found.distance = std::sqrt(found.distance);
        return found;
    }

private:
    using Entry = std::pair<std::uint64_t, std::int32_t>;

    [[nodiscard]] Vec3i cube(const Vec3& x) const;
    [[nodiscard]] std::pair<const Entry*, const Entry*> vertices_in(const Vec3i& cube) const;

    const TriangleMesh& mesh_;
    double radius_;
    std::vector<Entry> entries_; ///< vertices by cubes as large as the radius, sorted
};

} // namespace rivulet
