#include "geometry/drop_volumes.h"

#include "base/parallel.h"
#include "geometry/drop_index.h"
#include "geometry/mesh_parts.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rivulet {
namespace {

/// Thickness of parts that get their volume in full, and not at all, in cells: the radius of a ball, three quarters of
/// the diameter of a thread, one and a half times that of a sheet.
constexpr double kFullThickness = 4;
constexpr double kNoThickness = 6;
/// Gap to a thicker part from which on a drop gets all that it lacks, and up to which nothing, in cells.
constexpr double kFullGap = 1.25;
constexpr double kNoGap = 0.25;
/// Shares of their depths by which vertices move at most, inwards and outwards.
constexpr double kFarthestIn = -1.1;
constexpr double kFarthestOut = 2;
constexpr double kShareStep = 0.05;
/// Part of the way to the other side of a sheet that a vertex may go at most. Sides that pass each other would turn it
/// inside out.
constexpr double kMostOfWay = 0.4;
/// Largest cosine of the angle between normals on two sides.
constexpr double kOpposite = -0.5;
constexpr int kUnfoldingPasses = 4;
/// Extent up to which a part that cannot get its volume so is scaled in full, and from which on not at all, in cells.
constexpr double kFullScale = 6;
constexpr double kNoScale = 12;

struct Drop {
    std::int32_t label = 0;
    double held = 0;                ///< of the particles inside [m^3]
    Vec3 moment = Vec3::Zero();     ///< sum of their volumes times positions from the corner of the box [m^4]
    double second_moment = 0;       ///< times squares of these positions [m^5]
    double thickness = 0;           ///< [cells]
    double cavities = 0;            ///< what its cavities hold [m^3]
    double gap = kFullGap;          ///< to a part that is no drop, at most kFullGap [cells]
    std::array<double, 4> volume{}; ///< of the part, a polynomial of the share [m^3]
    double wanted = 0;              ///< volume that it shall get [m^3]
    double share = 0;               ///< of their depths by which the vertices move
    double share_before = 0;        ///< by which they have moved already
    double scale = 1;               ///< then, about the centre
    bool is_done = false;           ///< it is not moved any more

    [[nodiscard]] bool lacks_volume() const { return volume[0] < held + cavities; }
    [[nodiscard]] double volume_at(double s) const
    {
        return volume[0] + s * (volume[1] + s * (volume[2] + s * volume[3]));
    }
};

/// The drops of a mesh, and the one that each vertex belongs to (-1: none).
struct Drops {
    std::vector<Drop> drops;
    std::vector<ClosedPart> parts;
    std::vector<Lump> cavities; ///< of whatever part: a place on the border, and how much they hold
    std::vector<std::int32_t> drop_of;
};

/// Areas of the parts, at the indices of their labels [m^2].
std::vector<double> part_areas(const TriangleMesh& mesh, const std::vector<std::int32_t>& part)
{
    std::vector<double> area(mesh.vertices.size(), 0.0);
    for (const auto& t : mesh.triangles) {
        const Vec3& o = mesh.vertices[static_cast<std::size_t>(t[0])];
        area[static_cast<std::size_t>(part[static_cast<std::size_t>(t[0])])] +=
            0.5 * (mesh.vertices[static_cast<std::size_t>(t[1])] - o)
                      .cross(mesh.vertices[static_cast<std::size_t>(t[2])] - o)
                      .norm();
    }
    return area;
}

Drops find_drops(const TriangleMesh& mesh, double cell)
{
    const std::vector<std::int32_t> part = label_parts(mesh);
    const std::vector<double> volume = part_volumes(mesh, part), area = part_areas(mesh, part);
    Drops found;
    found.drop_of.assign(mesh.vertices.size(), -1);
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        const auto label = static_cast<std::size_t>(part[v]);
        const double thickness = 3 * volume[label] / (area[label] * cell);
        if (label == v && volume[v] > 0 && thickness < kNoThickness) {
            found.drop_of[v] = static_cast<std::int32_t>(found.drops.size());
            Drop& drop = found.drops.emplace_back();
            drop.label = part[v];
            drop.thickness = thickness;
            drop.volume[0] = volume[v];
            found.parts.emplace_back();
        } else if (label == v && volume[v] < 0)
            found.cavities.push_back({mesh.vertices[v], -volume[v]});
        found.drop_of[v] = found.drop_of[label];
        if (found.drop_of[v] >= 0)
            found.parts[static_cast<std::size_t>(found.drop_of[v])].box.include(mesh.vertices[v]);
    }
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const std::int32_t d = found.drop_of[static_cast<std::size_t>(mesh.triangles[t][0])];
        if (d >= 0) found.parts[static_cast<std::size_t>(d)].triangles.push_back(static_cast<std::int32_t>(t));
    }
    return found;
}

/// The drop that holds each particle near the surface (-1: none): it is inside of it, or outside of everything and
/// nearest to it.
std::vector<std::int32_t> find_holders(const ParticleVolumes& particles, const DropIndex& index,
                                       const NearestVertices& vertices, const std::vector<std::int32_t>& drop_of)
{
    std::vector<std::int32_t> holder(particles.near.size(), -1);
    parallel_for(
        static_cast<std::int64_t>(holder.size()), "particles of drops",
        [&](std::int64_t i) {
            const auto c = static_cast<std::size_t>(i);
            const Vec3& x = particles.positions[particles.near[c]];
            holder[c] = index.holder(x);
            if (holder[c] >= 0) return;
            const std::int32_t v = vertices.find(x, [](std::int32_t) { return true; }).vertex;
            if (v >= 0) holder[c] = drop_of[static_cast<std::size_t>(v)];
        },
        1024);
    return holder;
}

/// Books liquid in the drops that hold it, in its order.
void hold_particles(const TriangleMesh& mesh, const ParticleVolumes& particles, const NearestVertices& vertices,
                    double cell_size, Drops& found)
{
    const DropIndex index(mesh, found.parts, 0.5 * cell_size);
    const auto book = [&](std::int32_t holder, const Lump& lump) {
        if (holder < 0) return;
        Drop& drop = found.drops[static_cast<std::size_t>(holder)];
        const Vec3 x = lump.position - found.parts[static_cast<std::size_t>(holder)].box.lower;
        drop.held += lump.volume;
        drop.moment += lump.volume * x;
        drop.second_moment += lump.volume * x.squaredNorm();
    };
    const std::vector<std::int32_t> holder = find_holders(particles, index, vertices, found.drop_of);
    for (std::size_t c = 0; c < holder.size(); ++c)
        book(holder[c], {particles.positions[particles.near[c]], particles.volumes[particles.near[c]]});
    for (const Lump& lump : particles.deep) book(index.holder(lump.position), lump);
    for (const Lump& cavity : found.cavities) // its outer border encloses it
        if (const std::int32_t h = index.holder(cavity.position); h >= 0)
            found.drops[static_cast<std::size_t>(h)].cavities += cavity.volume;
}

/// Measures how far drops that lack volume are from parts that are none.
void find_gaps(const TriangleMesh& mesh, const NearestVertices& vertices, double cell_size, Drops& found)
{
    const auto is_of_drop = [&](std::int32_t v) { return found.drop_of[static_cast<std::size_t>(v)] >= 0; };
    if (std::none_of(found.drop_of.begin(), found.drop_of.end(), [](std::int32_t d) { return d < 0; })) return;
    std::vector<double> gap(mesh.vertices.size(), kFullGap);
    parallel_for(
        static_cast<std::int64_t>(gap.size()), "gaps beside drops",
        [&](std::int64_t i) {
            const auto v = static_cast<std::size_t>(i);
            if (found.drop_of[v] < 0 || !found.drops[static_cast<std::size_t>(found.drop_of[v])].lacks_volume()) return;
            gap[v] = vertices.find(mesh.vertices[v], [&](auto w) { return !is_of_drop(w); }).distance / cell_size;
        },
        256);
    for (std::size_t v = 0; v < gap.size(); ++v)
        if (found.drop_of[v] >= 0) {
            Drop& drop = found.drops[static_cast<std::size_t>(found.drop_of[v])];
            drop.gap = std::min(drop.gap, gap[v]);
        }
}

Vec3 area_of(const std::vector<Vec3>& vertices, const std::array<std::int32_t, 3>& t)
{
    const Vec3& o = vertices[static_cast<std::size_t>(t[0])];
    return (vertices[static_cast<std::size_t>(t[1])] - o).cross(vertices[static_cast<std::size_t>(t[2])] - o);
}

/// Unit normals at the vertices of drops, outwards; of others of no use.
std::vector<Vec3> vertex_normals(const TriangleMesh& mesh, const Drops& found)
{
    std::vector<Vec3> normal(mesh.vertices.size(), Vec3::Zero());
    for (const ClosedPart& part : found.parts)
        for (const std::int32_t triangle : part.triangles) {
            const auto& t = mesh.triangles[static_cast<std::size_t>(triangle)];
            const Vec3 area = area_of(mesh.vertices, t);
            for (const std::int32_t v : t) normal[static_cast<std::size_t>(v)] += area;
        }
    for (Vec3& n : normal) n.normalize();
    return normal;
}

/// The depths, but in drops that shrink not so long that a vertex would go past the middle between it and the other
/// side: the liquid around a vertex may be thicker than the sheet is there.
std::vector<Eigen::Vector3f> bounded_depths(const TriangleMesh& mesh, std::span<const Eigen::Vector3f> depths,
                                            const NearestVertices& vertices, const Drops& found)
{
    std::vector<Eigen::Vector3f> bounded(depths.begin(), depths.end());
    const std::vector<Vec3> normal = vertex_normals(mesh, found);
    parallel_for(
        static_cast<std::int64_t>(bounded.size()), "depths of drops",
        [&](std::int64_t i) {
            const auto v = static_cast<std::size_t>(i);
            const std::int32_t d = found.drop_of[v];
            if (d < 0) return;
            const Drop& drop = found.drops[static_cast<std::size_t>(d)];
            const double depth = depths[v].cast<double>().dot(normal[v]);
            if (drop.is_done || drop.wanted >= drop.volume[0] || !(depth > 0)) return;
            const auto is_opposite = [&](std::int32_t w) {
                const auto at = static_cast<std::size_t>(w);
                return found.drop_of[at] == d && normal[at].dot(normal[v]) < kOpposite;
            };
            const std::int32_t other = vertices.find(mesh.vertices[v], is_opposite).vertex;
            if (other < 0) return;
            const Vec3 across = mesh.vertices[v] - mesh.vertices[static_cast<std::size_t>(other)];
            const double most = std::max(0.0, kMostOfWay / -kFarthestIn * normal[v].dot(across));
            if (most < depth) bounded[v] *= static_cast<float>(most / depth);
        },
        256);
    return bounded;
}

/// Volume of a part whose vertices move by a share of their depths, as a polynomial of that share.
std::array<double, 4> moved_volume(const TriangleMesh& mesh, std::span<const Eigen::Vector3f> depths,
                                   const ClosedPart& part)
{
    std::array<double, 4> volume{};
    for (const std::int32_t triangle : part.triangles) {
        std::array<Vec3, 3> x, d;
        for (std::size_t i = 0; i < 3; ++i) {
            const auto v = static_cast<std::size_t>(mesh.triangles[static_cast<std::size_t>(triangle)][i]);
            x[i] = mesh.vertices[v] - part.box.lower;
            d[i] = depths[v].cast<double>();
        }
        volume[0] += x[0].dot(x[1].cross(x[2])) / 6;
        volume[3] += d[0].dot(d[1].cross(d[2])) / 6;
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
            volume[1] += d[i].dot(x[j].cross(x[k])) / 6;
            volume[2] += x[i].dot(d[j].cross(d[k])) / 6;
        }
    }
    return volume;
}

/// The share nearest to none with which the drop has the volume, or the farthest.
double share_for(const Drop& drop, double volume)
{
    const double sign = volume < drop.volume[0] ? -1 : 1,
                 farthest = (sign < 0 ? kFarthestIn : kFarthestOut) - drop.share_before;
    const auto is_enough = [&](double s) { return sign * (drop.volume_at(s) - volume) >= 0; };
    if (sign * farthest <= 0) return 0;
    double before = 0, after = 0;
    while (!is_enough(after)) {
        if (after == farthest) return farthest;
        before = after;
        after = sign * std::min(sign * (after + sign * kShareStep), sign * farthest);
    }
    for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (before + after);
        (is_enough(middle) ? after : before) = middle;
    }
    return after;
}

/// From 0 at `low` to 1 at `high`.
double smooth_step(double x, double low, double high)
{
    const double s = std::clamp((x - low) / (high - low), 0.0, 1.0);
    return s * s * (3 - 2 * s);
}

double wanted_volume(const Drop& drop)
{
    double part = 1 - smooth_step(drop.thickness, kFullThickness, kNoThickness);
    if (drop.lacks_volume()) part *= smooth_step(drop.gap, kNoGap, kFullGap);
    return drop.volume[0] + part * (drop.held + drop.cavities - drop.volume[0]);
}

bool is_folded(const TriangleMesh& mesh, const std::vector<Vec3>& before, const std::array<std::int32_t, 3>& t)
{
    return area_of(mesh.vertices, t).dot(area_of(before, t)) < 0;
}

/// Puts vertices of triangles of a part that moving has turned over into the middle of their neighbours. Returns
/// whether there are any. `number`: -1 at all vertices of the part, before and after.
bool unfold(const std::vector<Vec3>& before, const ClosedPart& part, std::vector<std::int32_t>& number,
            TriangleMesh& mesh)
{
    std::vector<std::int32_t> folded;
    for (const std::int32_t triangle : part.triangles) {
        const auto& t = mesh.triangles[static_cast<std::size_t>(triangle)];
        if (!is_folded(mesh, before, t)) continue;
        for (const std::int32_t v : t)
            if (number[static_cast<std::size_t>(v)] < 0) {
                number[static_cast<std::size_t>(v)] = static_cast<std::int32_t>(folded.size());
                folded.push_back(v);
            }
    }
    if (folded.empty()) return false;
    std::vector<Vec3> sum(folded.size(), Vec3::Zero());
    std::vector<int> n(folded.size(), 0);
    for (const std::int32_t triangle : part.triangles) {
        const auto& t = mesh.triangles[static_cast<std::size_t>(triangle)];
        for (std::size_t i = 0; i < 3; ++i)
            if (const std::int32_t f = number[static_cast<std::size_t>(t[i])]; f >= 0) {
                sum[static_cast<std::size_t>(f)] += mesh.vertices[static_cast<std::size_t>(t[(i + 1) % 3])];
                ++n[static_cast<std::size_t>(f)];
            }
    }
    for (std::size_t f = 0; f < folded.size(); ++f) {
        mesh.vertices[static_cast<std::size_t>(folded[f])] = sum[f] / n[f];
        number[static_cast<std::size_t>(folded[f])] = -1;
    }
    return true;
}

/// Unfolds all drops; those that were folded may be moved again, the others have got what they shall.
void unfold_drops(const std::vector<Vec3>& before, Drops& found, TriangleMesh& mesh)
{
    std::vector<std::int32_t> number(mesh.vertices.size(), -1);
    parallel_for(
        static_cast<std::int64_t>(found.drops.size()), "folds of drops",
        [&](std::int64_t i) {
            const auto d = static_cast<std::size_t>(i);
            found.drops[d].is_done = true;
            for (int pass = 0; pass < kUnfoldingPasses && unfold(before, found.parts[d], number, mesh); ++pass)
                found.drops[d].is_done = false;
        },
        16);
}

/// Moves the vertices of drops so that these get the volumes that are wanted.
void move_vertices(std::span<const Eigen::Vector3f> depths, double cell_size, Drops& found, TriangleMesh& mesh)
{
    parallel_for(
        static_cast<std::int64_t>(found.drops.size()), "sizes of drops",
        [&](std::int64_t i) {
            Drop& drop = found.drops[static_cast<std::size_t>(i)];
            const ClosedPart& part = found.parts[static_cast<std::size_t>(i)];
            if (drop.is_done) return;
            drop.volume = moved_volume(mesh, depths, part);
            drop.share_before += drop.share;
            drop.share = share_for(drop, drop.wanted);
            const double reached = drop.volume_at(drop.share);
            if (!(reached > 0)) return;
            const double full = std::cbrt(drop.wanted / reached), extent = part.box.size().maxCoeff() / cell_size;
            drop.scale = full + smooth_step(extent, kFullScale, kNoScale) * (1 - full);
        },
        16);
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        if (found.drop_of[v] < 0) continue;
        const Drop& drop = found.drops[static_cast<std::size_t>(found.drop_of[v])];
        if (drop.is_done) continue;
        const Vec3 centre = found.parts[static_cast<std::size_t>(found.drop_of[v])].box.lower + drop.moment / drop.held;
        const Vec3 moved = mesh.vertices[v] + drop.share * depths[v].cast<double>();
        mesh.vertices[v] = centre + drop.scale * (moved - centre);
    }
}

} // namespace

std::vector<DrawnDrop> match_drop_volumes(const ParticleVolumes& particles, std::span<const Eigen::Vector3f> depths,
                                          double cell_size, TriangleMesh& mesh)
{
    Drops found = find_drops(mesh, cell_size);
    if (found.drops.empty()) return {};
    std::vector<std::uint8_t> is_of_drop(mesh.vertices.size());
    for (std::size_t v = 0; v < is_of_drop.size(); ++v) is_of_drop[v] = found.drop_of[v] >= 0;
    std::vector<Eigen::Vector3f> bounded;
    {
        const NearestVertices vertices(mesh, is_of_drop, kFullGap * cell_size);
        hold_particles(mesh, particles, vertices, cell_size, found);
        find_gaps(mesh, vertices, cell_size, found);
        for (Drop& drop : found.drops) {
            drop.wanted = wanted_volume(drop);
            drop.is_done = !(drop.held > 0);
        }
        bounded = bounded_depths(mesh, depths, vertices, found);
    }
    const std::vector<Vec3> before = mesh.vertices;
    move_vertices(bounded, cell_size, found, mesh);
    unfold_drops(before, found, mesh);
    move_vertices(bounded, cell_size, found, mesh); // by the little that this has changed
    std::vector<DrawnDrop> drawn;
    for (std::size_t d = 0; d < found.drops.size(); ++d) {
        const Drop& drop = found.drops[d];
        if (!(drop.held > 0)) continue;
        const Vec3 mean = drop.moment / drop.held;
        const double variance = drop.second_moment / drop.held - mean.squaredNorm();
        drawn.push_back({drop.label, drop.held, found.parts[d].box.lower + mean, std::sqrt(std::max(0.0, variance))});
    }
    return drawn;
}

} // namespace rivulet
