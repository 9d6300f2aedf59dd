#include "geometry/drop_volumes.h"

#include "base/parallel.h"
#include "geometry/isosurface.h"
#include "geometry/mesh_parts.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

/// Largest extent of parts that are scaled in full, and not at all, in cells.
constexpr double kFullExtent = 1.5;
constexpr double kNoExtent = 2.5;

struct Drop {
    std::int32_t label = 0;
    Aabb box;
    std::vector<std::array<std::int32_t, 3>> triangles;
    double drawn = 0;           ///< volume in the mesh [m^3]
    double held = 0;            ///< of the particles inside [m^3]
    Vec3 moment = Vec3::Zero(); ///< sum of their volumes times positions [m^4]

    [[nodiscard]] double extent() const { return box.size().maxCoeff(); }
    /// Lengths are multiplied by this, where anything is held.
    [[nodiscard]] double scale(double cell) const
    {
        const double s = std::clamp((extent() / cell - kFullExtent) / (kNoExtent - kFullExtent), 0.0, 1.0);
        const double full = std::cbrt(held / drawn);
        return full + s * s * (3 - 2 * s) * (1 - full);
    }
};

/// The drops of a mesh, and the one that each vertex belongs to (-1: none).
struct Drops {
    std::vector<Drop> drops;
    std::vector<std::int32_t> drop_of;
};

Drops find_drops(const TriangleMesh& mesh, double cell)
{
    const std::vector<std::int32_t> part = label_parts(mesh);
    const std::vector<double> volume = part_volumes(mesh, part);
    std::vector<Aabb> box(mesh.vertices.size());
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
        box[static_cast<std::size_t>(part[v])].include(mesh.vertices[v]);
    Drops found;
    found.drop_of.assign(mesh.vertices.size(), -1);
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        const auto label = static_cast<std::size_t>(part[v]);
        if (label == v && volume[v] > 0 && box[v].size().maxCoeff() < kNoExtent * cell) {
            found.drop_of[v] = static_cast<std::int32_t>(found.drops.size());
            Drop drop;
            drop.label = part[v];
            drop.box = box[v];
            drop.drawn = volume[v];
            found.drops.push_back(drop);
        }
        found.drop_of[v] = found.drop_of[label];
    }
    for (const auto& t : mesh.triangles) {
        const std::int32_t d = found.drop_of[static_cast<std::size_t>(t[0])];
        if (d >= 0) found.drops[static_cast<std::size_t>(d)].triangles.push_back(t);
    }
    return found;
}

/// Whether x is inside of a closed part: its triangles cover 4 pi as seen from there [VanOosterom 1983].
bool is_inside(const TriangleMesh& mesh, const Drop& drop, const Vec3& x)
{
    if (!drop.box.contains(x)) return false;
    double angle = 0;
    for (const auto& t : drop.triangles) {
        const Vec3 a = mesh.vertices[static_cast<std::size_t>(t[0])] - x;
        const Vec3 b = mesh.vertices[static_cast<std::size_t>(t[1])] - x;
        const Vec3 c = mesh.vertices[static_cast<std::size_t>(t[2])] - x;
        const double l_a = a.norm(), l_b = b.norm(), l_c = c.norm();
        angle += 2 * std::atan2(a.dot(b.cross(c)), l_a * l_b * l_c + a.dot(b) * l_c + a.dot(c) * l_b + b.dot(c) * l_a);
    }
    return angle > 2 * std::numbers::pi;
}

/// Drops by the cubes of four cells that they reach into: at most eight each.
class DropIndex {
public:
    DropIndex(const std::vector<Drop>& drops, double cell) : size_(4 * cell)
    {
        for (std::size_t d = 0; d < drops.size(); ++d) {
            const Vec3i lower = cube(drops[d].box.lower), upper = cube(drops[d].box.upper);
            for (int z = lower.z(); z <= upper.z(); ++z)
                for (int y = lower.y(); y <= upper.y(); ++y)
                    for (int x = lower.x(); x <= upper.x(); ++x)
                        entries_.push_back({block_key({x, y, z}), static_cast<std::int32_t>(d)});
        }
        std::sort(entries_.begin(), entries_.end());
    }
    /// Calls visit(drop) for those that may hold x until it returns true.
    template <class Visit>
    void find(const Vec3& x, Visit&& visit) const
    {
        const std::uint64_t key = block_key(cube(x));
        for (auto e = std::lower_bound(entries_.begin(), entries_.end(), Entry{key, -1});
             e != entries_.end() && e->first == key; ++e)
            if (visit(e->second)) return;
    }

private:
    using Entry = std::pair<std::uint64_t, std::int32_t>;
    [[nodiscard]] Vec3i cube(const Vec3& x) const { return (x / size_).array().floor().cast<int>().matrix(); }

    double size_;
    std::vector<Entry> entries_;
};

} // namespace

std::vector<DrawnDrop> match_drop_volumes(std::span<const Vec3> positions, std::span<const double> volumes,
                                          std::span<const std::uint32_t> candidates, double cell_size,
                                          TriangleMesh& mesh)
{
    Drops found = find_drops(mesh, cell_size);
    std::vector<Drop>& drops = found.drops;
    if (drops.empty()) return {};
    const DropIndex index(drops, cell_size);
    std::vector<std::int32_t> holder(candidates.size(), -1);
    parallel_for(
        static_cast<std::int64_t>(candidates.size()), "particles of drops",
        [&](std::int64_t i) {
            const auto c = static_cast<std::size_t>(i);
            const Vec3& x = positions[candidates[c]];
            index.find(x, [&](std::int32_t d) {
                if (!is_inside(mesh, drops[static_cast<std::size_t>(d)], x)) return false;
                holder[c] = d;
                return true;
            });
        },
        1024);
    for (std::size_t c = 0; c < holder.size(); ++c) {
        if (holder[c] < 0) continue;
        const std::uint32_t p = candidates[c];
        Drop& drop = drops[static_cast<std::size_t>(holder[c])];
        drop.held += volumes[p];
        drop.moment += volumes[p] * positions[p];
    }
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        if (found.drop_of[v] < 0) continue;
        const Drop& drop = drops[static_cast<std::size_t>(found.drop_of[v])];
        if (drop.held <= 0) continue;
        const Vec3 centre = drop.moment / drop.held;
        mesh.vertices[v] = centre + drop.scale(cell_size) * (mesh.vertices[v] - centre);
    }
    std::vector<DrawnDrop> drawn;
    for (const Drop& drop : drops)
        if (drop.held > 0) drawn.push_back({drop.label, drop.held, drop.moment / drop.held});
    return drawn;
}

} // namespace rivulet
