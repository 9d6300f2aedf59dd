#include "geometry/mesh_distance.h"
#include "geometry/mesh_topology.h"
#include "geometry/shapes.h"

#include "base/error.h"

#include <fmt/format.h>

#include <cmath>

namespace rivulet {
namespace {

class MeshShape final : public Shape {
public:
    explicit MeshShape(TriangleMesh mesh) : distance_(std::move(mesh)) {}

    double distance(const Vec3& x) const override { return distance_.distance(x); }
    Vec3 normal(const Vec3& x) const override
    {
        const NearestPoint near = distance_.nearest(x);
        const Vec3 away = x - near.point;
        const double length = away.norm();
        // On the surface the way to the nearest point has no direction; the pseudonormal has.
        if (length < 1e-9 * distance_.bounds().size().norm()) return near.normal.normalized();
        return away.dot(near.normal) < 0 ? Vec3(-away / length) : Vec3(away / length);
    }
    Aabb bounds() const override { return distance_.bounds(); }
    /// The mesh as it was given: it is not refined.
    TriangleMesh tessellate(double) const override { return distance_.mesh(); }

private:
    MeshDistance distance_;
};

void check_indices(const TriangleMesh& mesh)
{
    const auto n = static_cast<std::int32_t>(mesh.vertices.size());
    for (const auto& t : mesh.triangles)
        for (const std::int32_t v : t)
            if (v < 0 || v >= n) throw InputError(fmt::format("mesh: vertex index {} of {} vertices", v, n));
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
        if (!mesh.vertices[i].allFinite()) throw InputError(fmt::format("mesh: vertex {} is not finite", i));
}

void check_solid(const TriangleMesh& mesh)
{
    const MeshTopology topology = examine_topology(mesh);
    if (topology.n_open_edges > 0)
        throw InputError(fmt::format("mesh is not closed: {} open edges of {} triangles", topology.n_open_edges,
                                     mesh.triangles.size()));
    if (topology.n_flipped_edges > 0)
        throw InputError(fmt::format("mesh is not oriented: at {} edges the two triangles disagree about the outside",
                                     topology.n_flipped_edges));
    const double volume = enclosed_volume(mesh);
    if (!(volume > 0))
        throw InputError(fmt::format("mesh is inside out or flat: it encloses {:g} m3; triangles must be "
                                     "counter-clockwise seen from outside",
                                     volume));
}

} // namespace

ShapePtr make_mesh_shape(const TriangleMesh& mesh)
{
    check_indices(mesh);
    TriangleMesh solid = welded(mesh);
    if (solid.triangles.empty()) throw InputError("mesh has no triangles");
    check_solid(solid);
    return std::make_shared<MeshShape>(std::move(solid));
}

} // namespace rivulet
