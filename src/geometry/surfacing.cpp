#include "geometry/surfacing.h"

#include "base/assert.h"
#include "geometry/mesh_topology.h"
#include "geometry/particle_field.h"

#include <numeric>

namespace rivulet {
namespace {

/// Gaps between particles that close up to a cavity smaller than this many cells are not bubbles.
constexpr double kSmallestCavity = 4;

/// Connected parts of a mesh: the part of each vertex, numbered by their first vertex.
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

/// Six times the volume enclosed by each part, at the index of its label.
std::vector<double> part_volumes(const TriangleMesh& mesh, const std::vector<std::int32_t>& part)
{
    std::vector<double> volume(mesh.vertices.size(), 0.0);
    for (const auto& t : mesh.triangles) {
        const auto label = static_cast<std::size_t>(part[static_cast<std::size_t>(t[0])]);
        const Vec3& origin = mesh.vertices[label];
        const Vec3 a = mesh.vertices[static_cast<std::size_t>(t[0])] - origin;
        const Vec3 b = mesh.vertices[static_cast<std::size_t>(t[1])] - origin;
        const Vec3 c = mesh.vertices[static_cast<std::size_t>(t[2])] - origin;
        volume[label] += a.dot(b.cross(c));
    }
    return volume;
}

/// Removes closed parts that turn their outside inward and hold less than `limit` [m^3].
TriangleMesh without_small_cavities(const TriangleMesh& mesh, double limit)
{
    const std::vector<std::int32_t> part = label_parts(mesh);
    const std::vector<double> volume = part_volumes(mesh, part);
    const auto is_kept = [&](std::size_t v) {
        const double held = volume[static_cast<std::size_t>(part[v])] / 6;
        return held > 0 || held < -limit;
    };
    TriangleMesh kept;
    std::vector<std::int32_t> renumbered(mesh.vertices.size(), -1);
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        if (!is_kept(v)) continue;
        renumbered[v] = static_cast<std::int32_t>(kept.vertices.size());
        kept.vertices.push_back(mesh.vertices[v]);
        if (!mesh.colours.empty()) kept.colours.push_back(mesh.colours[v]);
    }
    for (const auto& t : mesh.triangles)
        if (renumbered[static_cast<std::size_t>(t[0])] >= 0)
            kept.triangles.push_back({renumbered[static_cast<std::size_t>(t[0])],
                                      renumbered[static_cast<std::size_t>(t[1])],
                                      renumbered[static_cast<std::size_t>(t[2])]});
    return kept;
}

} // namespace

TriangleMesh surface_particles(std::span<const Vec3> positions, std::span<const double> volumes,
                               std::span<const Vec3> colours, const SurfacingOptions& options)
{
    RIVULET_VERIFY(positions.size() == volumes.size());
    RIVULET_VERIFY(colours.empty() || colours.size() == positions.size());
    RIVULET_VERIFY(options.cell_size > 0);
    if (positions.empty()) return {};
    const BlockLattice lattice{Vec3::Zero(), 0.5 * options.cell_size};
    ParticleField field(lattice, positions, volumes, colours, options.smoothing);
    field.strengthen_sparse_particles();
    const TriangleMesh mesh = extract_isosurface(
        lattice, field.surface_keys(), [&](const Vec3i& block, BlockField& values) { field.fill(block, values); });
    const double cell = options.cell_size;
    return without_small_cavities(mesh, kSmallestCavity * cell * cell * cell);
}

} // namespace rivulet
