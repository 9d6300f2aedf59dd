#include "geometry/tessellation.h"

#include "base/assert.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace rivulet {
namespace {

/// One row of vertices of a surface of revolution: a ring, or a single vertex on the axis.
struct Row {
    std::int32_t first;
    bool is_pole;
};

std::int32_t row_vertex(const Row& row, int column, int n_around)
{
    return row.is_pole ? row.first : row.first + column % n_around;
}

Row append_row(TriangleMesh& mesh, const AxisFrame& frame, const ProfilePoint& point, int n_around)
{
    const Row row{static_cast<std::int32_t>(mesh.vertices.size()), point.radius == 0};
    const Vec3 centre = frame.origin + point.height * frame.w;
    for (int j = 0; j < (row.is_pole ? 1 : n_around); ++j) {
        const double angle = 2 * std::numbers::pi * j / n_around;
        mesh.vertices.emplace_back(centre + point.radius * (std::cos(angle) * frame.u + std::sin(angle) * frame.v));
    }
    return row;
}

void append_band(TriangleMesh& mesh, const Row& below, const Row& above, int n_around)
{
    for (int j = 0; j < n_around; ++j) {
        const std::int32_t a = row_vertex(below, j, n_around), b = row_vertex(below, j + 1, n_around);
        const std::int32_t c = row_vertex(above, j + 1, n_around), d = row_vertex(above, j, n_around);
        if (!below.is_pole) mesh.triangles.push_back({a, b, c});
        if (!above.is_pole) mesh.triangles.push_back({a, c, d});
    }
}

/// Vertices of the lattice points on the surface of a box, made when first asked for.
class BoxLattice {
public:
    BoxLattice(const Aabb& box, const Vec3i& n_pieces, TriangleMesh& mesh) : box_(box), n_(n_pieces), mesh_(mesh) {}

    std::int32_t vertex(const Vec3i& p)
    {
        const auto [it, is_new] =
            ids_.try_emplace({p.x(), p.y(), p.z()}, static_cast<std::int32_t>(mesh_.vertices.size()));
        if (is_new) {
            const Vec3 s = p.cast<double>().cwiseQuotient(n_.cast<double>());
            mesh_.vertices.emplace_back(box_.lower + s.cwiseProduct(box_.size()));
        }
        return it->second;
    }

private:
    Aabb box_;
    Vec3i n_;
    TriangleMesh& mesh_;
    std::map<std::array<int, 3>, std::int32_t> ids_;
};

void append_box_face(TriangleMesh& mesh, BoxLattice& lattice, const Vec3i& n, int axis, bool is_upper)
{
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int i = 0; i < n[u]; ++i)
        for (int j = 0; j < n[v]; ++j) {
            Vec3i p = Vec3i::Zero();
            p[axis] = is_upper ? n[axis] : 0;
            p[u] = i;
            p[v] = j;
            const std::int32_t a = lattice.vertex(p), b = lattice.vertex(p + Vec3i::Unit(u));
            const std::int32_t c = lattice.vertex(p + Vec3i::Unit(u) + Vec3i::Unit(v));
            const std::int32_t d = lattice.vertex(p + Vec3i::Unit(v));
            if (is_upper) {
                mesh.triangles.push_back({a, b, c});
                mesh.triangles.push_back({a, c, d});
            } else {
                mesh.triangles.push_back({a, c, b});
                mesh.triangles.push_back({a, d, c});
            }
        }
}

} // namespace

AxisFrame make_axis_frame(const Vec3& origin, const Vec3& unit_axis)
{
    int smallest = 0;
    unit_axis.cwiseAbs().minCoeff(&smallest);
    const Vec3 u = unit_axis.cross(Vec3::Unit(smallest)).normalized();
    return {origin, u, unit_axis.cross(u), unit_axis};
}

int count_pieces(double length, double edge, int fewest)
{
    RIVULET_VERIFY(edge > 0);
    return static_cast<int>(std::clamp(std::ceil(length / edge - 1e-9), double(fewest), 1024.0));
}

TriangleMesh revolve(const AxisFrame& frame, std::span<const ProfilePoint> profile, bool is_closed, int n_around)
{
    RIVULET_VERIFY(profile.size() >= 3 && n_around >= 3);
    RIVULET_VERIFY(is_closed || (profile.front().radius == 0 && profile.back().radius == 0));
    TriangleMesh mesh;
    const Row first = append_row(mesh, frame, profile[0], n_around);
    Row below = first;
    for (std::size_t k = 1; k < profile.size(); ++k) {
        const Row above = append_row(mesh, frame, profile[k], n_around);
        append_band(mesh, below, above, n_around);
        below = above;
    }
    if (is_closed) append_band(mesh, below, first, n_around);
    return mesh;
}

TriangleMesh tessellate_box(const Aabb& box, double edge)
{
    Vec3i n;
    for (int axis = 0; axis < 3; ++axis) n[axis] = std::min(count_pieces(box.size()[axis], edge, 1), 256);
    TriangleMesh mesh;
    BoxLattice lattice(box, n, mesh);
    for (int axis = 0; axis < 3; ++axis)
        for (const bool is_upper : {false, true}) append_box_face(mesh, lattice, n, axis, is_upper);
    return mesh;
}

} // namespace rivulet
