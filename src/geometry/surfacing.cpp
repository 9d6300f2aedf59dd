#include "geometry/surfacing.h"

#include "base/assert.h"
#include "geometry/drop_volumes.h"
#include "geometry/mesh_parts.h"
#include "geometry/particle_field.h"
#include "geometry/round_drops.h"

namespace rivulet {
namespace {

/// Gaps between particles that close up to a cavity smaller than this many cells are not bubbles.
constexpr double kSmallestCavity = 4;

/// Removes closed parts that turn their outside inward and hold less than `limit` [m^3], and their vertices' depths.
TriangleMesh without_small_cavities(const TriangleMesh& mesh, double limit, std::vector<Eigen::Vector3f>& depths)
{
    const std::vector<std::int32_t> part = label_parts(mesh);
    const std::vector<double> volume = part_volumes(mesh, part);
    const auto is_kept = [&](std::size_t v) {
        const double held = volume[static_cast<std::size_t>(part[v])];
        return held > 0 || held < -limit;
    };
    TriangleMesh kept;
    std::vector<std::int32_t> renumbered(mesh.vertices.size(), -1);
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        if (!is_kept(v)) continue;
        renumbered[v] = static_cast<std::int32_t>(kept.vertices.size());
        depths[kept.vertices.size()] = depths[v];
        kept.vertices.push_back(mesh.vertices[v]);
        if (!mesh.colours.empty()) kept.colours.push_back(mesh.colours[v]);
    }
    for (const auto& t : mesh.triangles)
        if (renumbered[static_cast<std::size_t>(t[0])] >= 0)
            kept.triangles.push_back({renumbered[static_cast<std::size_t>(t[0])],
                                      renumbered[static_cast<std::size_t>(t[1])],
                                      renumbered[static_cast<std::size_t>(t[2])]});
    depths.resize(kept.vertices.size());
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
    std::vector<std::uint32_t> near;
    std::vector<Lump> deep;
    std::vector<Eigen::Vector3f> depths;
    TriangleMesh mesh;
    {
        ParticleField field(lattice, positions, volumes, colours, options.smoothing);
        field.strengthen_sparse_particles();
        mesh = extract_isosurface(
            lattice, field.surface_keys(), [&](const Vec3i& block, BlockField& values) { field.fill(block, values); },
            &depths);
        for (Eigen::Vector3f& depth : depths) depth *= field.depth_per_slope();
        near = field.near_particles();
        deep = field.deep();
    }
    const double cell = options.cell_size;
    TriangleMesh kept = without_small_cavities(mesh, kSmallestCavity * cell * cell * cell, depths);
    round_drops(match_drop_volumes({positions, volumes, near, deep}, depths, cell, kept), cell, kept);
    return kept;
}

} // namespace rivulet
