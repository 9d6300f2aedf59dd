#include "geometry/clipped_box.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace rivulet {
namespace {

using Polygon = std::vector<Vec3>;

/// What of a convex polygon lies where normal . x <= offset; its new corners are added to `cut`.
Polygon clip(const Polygon& polygon, const Vec3& normal, double offset, Polygon& cut)
{
    Polygon kept;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const Vec3 &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
        const double da = normal.dot(a) - offset, db = normal.dot(b) - offset;
        if (da <= 0) kept.push_back(a);
        if ((da < 0 && db > 0) || (da > 0 && db < 0)) {
            kept.push_back(a + da / (da - db) * (b - a));
            cut.push_back(kept.back());
        } else if (da == 0)
            cut.push_back(a);
    }
    return kept;
}

/// A convex polygon as a fan, counter-clockwise about `outwards`.
void add_polygon(Polygon polygon, const Vec3& outwards, TriangleMesh& mesh)
{
    if (polygon.size() < 3) return;
    Vec3 centre = Vec3::Zero();
    for (const Vec3& x : polygon) centre += x / static_cast<double>(polygon.size());
    const Vec3 u = outwards.unitOrthogonal(), v = outwards.cross(u);
    const auto angle = [&](const Vec3& x) { return std::atan2(v.dot(x - centre), u.dot(x - centre)); };
    std::sort(polygon.begin(), polygon.end(), [&](const Vec3& a, const Vec3& b) { return angle(a) < angle(b); });
    const auto is_same = [&](const Vec3& a, const Vec3& b) { return (a - b).norm() < 1e-9 * (a - centre).norm(); };
    polygon.erase(std::unique(polygon.begin(), polygon.end(), is_same), polygon.end());
    const auto first = static_cast<int>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), polygon.begin(), polygon.end());
    for (int i = 2; i < static_cast<int>(polygon.size()); ++i)
        mesh.triangles.push_back({first, first + i - 1, first + i});
}

} // namespace

TriangleMesh clip_box(const Aabb& box, const Vec3& normal, double offset)
{
    TriangleMesh mesh;
    Polygon cut;
    for (int axis = 0; axis < 3; ++axis)
        for (const bool is_upper : {false, true}) {
            const int u = (axis + 1) % 3, v = (axis + 2) % 3;
            Polygon face;
            for (const auto& corner : {std::array{false, false}, {true, false}, {true, true}, {false, true}}) {
                Vec3 x = box.lower;
                if (is_upper) x[axis] = box.upper[axis];
                if (corner[0]) x[u] = box.upper[u];
                if (corner[1]) x[v] = box.upper[v];
                face.push_back(x);
            }
            const Polygon kept = clip(face, normal, offset, cut);
            const bool has_area =
                std::any_of(kept.begin(), kept.end(), [&](const Vec3& x) { return normal.dot(x) < offset; });
            if (has_area) add_polygon(kept, (is_upper ? 1 : -1) * Vec3::Unit(axis), mesh);
        }
    if (!mesh.triangles.empty()) add_polygon(cut, normal.normalized(), mesh);
    return mesh;
}

} // namespace rivulet
