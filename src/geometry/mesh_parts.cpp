#include "geometry/mesh_parts.h"

#include "base/assert.h"

#include <algorithm>
#include <numeric>

namespace rivulet {

void append_mesh(TriangleMesh& mesh, const TriangleMesh& more)
{
    const bool both = !mesh.vertices.empty() && !more.vertices.empty();
    RIVULET_VERIFY(!both || mesh.colours.empty() == more.colours.empty());
    const auto offset = static_cast<std::int32_t>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), more.vertices.begin(), more.vertices.end());
    mesh.colours.insert(mesh.colours.end(), more.colours.begin(), more.colours.end());
    for (const auto& t : more.triangles) mesh.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
}

std::vector<std::int32_t> label_parts(const TriangleMesh& mesh)
{
    std::vector<std::int32_t> parent(mesh.vertices.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&](std::int32_t v) {
        while (parent[static_cast<std::size_t>(v)] != v) {
            auto& up = parent[static_cast<std::size_t>(v)];
            up = parent[static_cast<std::size_t>(up)];
            v = up;
        }
        return v;
    };
    for (const auto& t : mesh.triangles)
        for (std::size_t i = 1; i < 3; ++i) {
            const std::int32_t a = root(t[0]), b = root(t[i]);
            parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
        }
    for (std::size_t v = 0; v < parent.size(); ++v) parent[v] = root(static_cast<std::int32_t>(v));
    return parent;
}

std::vector<double> part_volumes(const TriangleMesh& mesh, const std::vector<std::int32_t>& part)
{
    std::vector<double> volume(mesh.vertices.size(), 0.0);
    for (const auto& t : mesh.triangles) {
        const auto label = static_cast<std::size_t>(part[static_cast<std::size_t>(t[0])]);
        const Vec3& origin = mesh.vertices[label];
        const Vec3 a = mesh.vertices[static_cast<std::size_t>(t[0])] - origin;
        const Vec3 b = mesh.vertices[static_cast<std::size_t>(t[1])] - origin;
        const Vec3 c = mesh.vertices[static_cast<std::size_t>(t[2])] - origin;
        volume[label] += a.dot(b.cross(c)) / 6;
    }
    return volume;
}

} // namespace rivulet
