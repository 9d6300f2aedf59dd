#include "geometry/mesh_topology.h"

#include "base/parallel.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace rivulet {
namespace {

/// One use of an edge by a triangle; `key` is the same for both directions.
struct EdgeUse {
    std::uint64_t key;
    bool is_forward;
    bool operator<(const EdgeUse& other) const { return key < other.key; }
};

std::vector<EdgeUse> sorted_edge_uses(const TriangleMesh& mesh)
{
    std::vector<EdgeUse> uses;
    uses.reserve(3 * mesh.triangles.size());
    for (const auto& t : mesh.triangles)
        for (std::size_t i = 0; i < 3; ++i) {
            const auto a = static_cast<std::uint64_t>(t[i]), b = static_cast<std::uint64_t>(t[(i + 1) % 3]);
            uses.push_back({(std::min(a, b) << 32) | std::max(a, b), a < b});
        }
    std::sort(uses.begin(), uses.end());
    return uses;
}

struct LessPosition {
    bool operator()(const Vec3& a, const Vec3& b) const
    {
        return std::tie(a.x(), a.y(), a.z()) < std::tie(b.x(), b.y(), b.z());
    }
};

} // namespace

MeshTopology examine_topology(const TriangleMesh& mesh)
{
    MeshTopology topology;
    const std::vector<EdgeUse> uses = sorted_edge_uses(mesh);
    for (std::size_t begin = 0, end = 0; begin < uses.size(); begin = end) {
        std::int64_t balance = 0;
        for (end = begin; end < uses.size() && uses[end].key == uses[begin].key; ++end)
            balance += uses[end].is_forward ? 1 : -1;
        const std::size_t count = end - begin;
        if (count > 2) ++topology.n_crowded_edges;
        if (count % 2 == 1)
            ++topology.n_open_edges;
        else if (balance != 0)
            ++topology.n_flipped_edges;
    }
    return topology;
}

double enclosed_volume(const TriangleMesh& mesh)
{
    if (mesh.triangles.empty()) return 0;
    // About a vertex of the mesh rather than the origin: less cancellation far from it.
    const Vec3 origin = mesh.vertices[static_cast<std::size_t>(mesh.triangles.front()[0])];
    return ordered_sum(static_cast<std::int64_t>(mesh.triangles.size()), "mesh volume", [&](std::int64_t i) {
        const auto& t = mesh.triangles[static_cast<std::size_t>(i)];
        const Vec3 a = mesh.vertices[static_cast<std::size_t>(t[0])] - origin;
        const Vec3 b = mesh.vertices[static_cast<std::size_t>(t[1])] - origin;
        const Vec3 c = mesh.vertices[static_cast<std::size_t>(t[2])] - origin;
        return a.dot(b.cross(c)) / 6;
    });
}

TriangleMesh welded(const TriangleMesh& mesh)
{
    TriangleMesh result;
    std::map<Vec3, std::int32_t, LessPosition> ids;
    const auto id_of = [&](std::int32_t old) {
        const auto v = static_cast<std::size_t>(old);
        const Vec3 position = mesh.vertices[v] + Vec3::Zero(); // minus zero becomes zero
        const auto [it, is_new] = ids.try_emplace(position, static_cast<std::int32_t>(result.vertices.size()));
        if (is_new) {
            result.vertices.push_back(mesh.vertices[v]);
            if (!mesh.colours.empty()) result.colours.push_back(mesh.colours[v]);
        }
        return it->second;
    };
    for (const auto& t : mesh.triangles) {
        const std::array<std::int32_t, 3> n{id_of(t[0]), id_of(t[1]), id_of(t[2])};
        if (n[0] != n[1] && n[1] != n[2] && n[2] != n[0]) result.triangles.push_back(n);
    }
    return result;
}

} // namespace rivulet
