#include "geometry/round_drops.h"

#include "geometry/mesh_parts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <tuple>

namespace rivulet {
namespace {

/// Triangles that a drop has at least.
constexpr int kFewestTriangles = 64;
/// Volumes up to which a drop is a ball, and from which on it has a shape of its own, in eighths of a cell.
constexpr double kRound = 2;
constexpr double kUnround = 4;
/// The same for the spread of its particles, in radii of the ball of its volume: two that touch have 0.63 to 0.8.
constexpr double kSpreadRound = 0.7;
constexpr double kSpreadUnround = 1.2;

struct Corner {
    std::int32_t low, high; ///< ends of the edge ...
    std::int32_t opposite;  ///< ... that the triangle of this corner lies on
    std::size_t slot;       ///< 3 triangle + edge
    bool operator<(const Corner& o) const { return std::tie(low, high, slot) < std::tie(o.low, o.high, o.slot); }
};

std::vector<Corner> edges_of(const TriangleMesh& mesh, const std::vector<std::size_t>& chosen)
{
    std::vector<Corner> corners;
    for (const std::size_t t : chosen)
        for (std::size_t e = 0; e < 3; ++e) {
            const std::int32_t a = mesh.triangles[t][e], b = mesh.triangles[t][(e + 1) % 3];
            corners.push_back({std::min(a, b), std::max(a, b), mesh.triangles[t][(e + 2) % 3], 3 * t + e});
        }
    std::sort(corners.begin(), corners.end());
    return corners;
}

/// A quantity at the vertices, smoothed and given to the middles of edges as well [Loop 1987].
class Subdivided {
public:
    explicit Subdivided(std::vector<Vec3>& values)
        : values_(values), sum_(values.size(), Vec3::Zero()), valence_(values.size(), 0)
    {
    }
    /// The triangles beside the edge are [begin, end).
    void add_edge(const Corner* begin, const Corner* end)
    {
        const auto low = static_cast<std::size_t>(begin->low), high = static_cast<std::size_t>(begin->high);
        Vec3 beside = Vec3::Zero();
        for (const Corner* c = begin; c != end; ++c) beside += values_[static_cast<std::size_t>(c->opposite)];
        middles_.push_back(0.375 * (values_[low] + values_[high]) + 0.25 / static_cast<double>(end - begin) * beside);
        sum_[low] += values_[high];
        sum_[high] += values_[low];
        ++valence_[low];
        ++valence_[high];
    }
    void finish()
    {
        for (std::size_t v = 0; v < sum_.size(); ++v) {
            if (valence_[v] == 0) continue;
            const double share = valence_[v] == 3 ? 3.0 / 16 : 3.0 / (8 * valence_[v]);
            values_[v] = (1 - valence_[v] * share) * values_[v] + share * sum_[v];
        }
        values_.insert(values_.end(), middles_.begin(), middles_.end());
    }

private:
    std::vector<Vec3>& values_;
    std::vector<Vec3> sum_, middles_;
    std::vector<int> valence_;
};

/// Cuts each of the chosen triangles, which together are closed parts, into four.
void subdivide(const std::vector<std::size_t>& chosen, TriangleMesh& mesh)
{
    const std::vector<Corner> corners = edges_of(mesh, chosen);
    std::vector<std::int32_t> middle(3 * mesh.triangles.size(), -1);
    Subdivided positions(mesh.vertices), colours(mesh.colours);
    auto next = static_cast<std::int32_t>(mesh.vertices.size());
    for (std::size_t begin = 0, end = 0; begin < corners.size(); begin = end) {
        while (end < corners.size() && corners[end].low == corners[begin].low &&
               corners[end].high == corners[begin].high)
            middle[corners[end++].slot] = next;
        ++next;
        positions.add_edge(&corners[begin], corners.data() + end);
        if (!mesh.colours.empty()) colours.add_edge(&corners[begin], corners.data() + end);
    }
    positions.finish();
    if (!mesh.colours.empty()) colours.finish();
    for (const std::size_t t : chosen) {
        const std::array<std::int32_t, 3> old = mesh.triangles[t];
        const std::int32_t* m = &middle[3 * t];
        mesh.triangles[t] = {m[0], m[1], m[2]};
        for (std::size_t e = 0; e < 3; ++e) mesh.triangles.push_back({old[e], m[e], m[(e + 2) % 3]});
    }
}

double ball_radius(double volume) { return std::cbrt(3 * volume / (4 * std::numbers::pi)); }

/// How much of a ball a drop is, 0 to 1.
double roundness(const DrawnDrop& drop, double cell_size)
{
    const double nominal = cell_size * cell_size * cell_size / 8;
    const double by_size = std::clamp((kUnround - drop.held / nominal) / (kUnround - kRound), 0.0, 1.0);
    const double spread = drop.spread / ball_radius(drop.held);
    return by_size * std::clamp((kSpreadUnround - spread) / (kSpreadUnround - kSpreadRound), 0.0, 1.0);
}

/// Triangles of the drops that have too few.
std::vector<std::size_t> coarse_triangles(const TriangleMesh& mesh, const std::vector<std::int32_t>& part,
                                          const std::vector<DrawnDrop>& drops)
{
    std::vector<int> count(mesh.vertices.size(), 0);
    const auto part_of = [&](std::size_t t) {
        return static_cast<std::size_t>(part[static_cast<std::size_t>(mesh.triangles[t][0])]);
    };
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) ++count[part_of(t)];
    std::vector<std::uint8_t> is_coarse(mesh.vertices.size(), 0);
    for (const DrawnDrop& drop : drops) {
        const auto label = static_cast<std::size_t>(drop.label);
        is_coarse[label] = count[label] < kFewestTriangles;
    }
    std::vector<std::size_t> chosen;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
        if (is_coarse[part_of(t)] != 0) chosen.push_back(t);
    return chosen;
}

/// Vertices of each drop, in the order of the drops.
std::vector<std::vector<std::size_t>> vertices_of(const std::vector<DrawnDrop>& drops,
                                                  const std::vector<std::int32_t>& part)
{
    std::vector<std::int32_t> number(part.size(), -1);
    for (std::size_t d = 0; d < drops.size(); ++d)
        number[static_cast<std::size_t>(drops[d].label)] = static_cast<std::int32_t>(d);
    std::vector<std::vector<std::size_t>> vertices(drops.size());
    for (std::size_t v = 0; v < part.size(); ++v)
        if (const std::int32_t d = number[static_cast<std::size_t>(part[v])]; d >= 0)
            vertices[static_cast<std::size_t>(d)].push_back(v);
    return vertices;
}

void draw_towards_ball(const DrawnDrop& drop, double share, const std::vector<std::size_t>& vertices,
                       TriangleMesh& mesh)
{
    const double radius = ball_radius(drop.held);
    for (const std::size_t v : vertices) {
        const Vec3 away = mesh.vertices[v] - drop.centre;
        mesh.vertices[v] += share * (radius / std::max(away.norm(), 1e-6 * radius) - 1) * away;
    }
}

} // namespace

void round_drops(const std::vector<DrawnDrop>& drops, double cell_size, TriangleMesh& mesh)
{
    if (drops.empty()) return;
    std::vector<std::int32_t> part = label_parts(mesh); // a part keeps its first vertex, and so its label
    const std::vector<double> before = part_volumes(mesh, part);
    for (std::vector<std::size_t> chosen; !(chosen = coarse_triangles(mesh, part, drops)).empty();) {
        subdivide(chosen, mesh);
        part = label_parts(mesh);
    }
    const std::vector<std::vector<std::size_t>> vertices = vertices_of(drops, part);
    for (std::size_t d = 0; d < drops.size(); ++d)
        draw_towards_ball(drops[d], roundness(drops[d], cell_size), vertices[d], mesh);
    const std::vector<double> after = part_volumes(mesh, part);
    for (std::size_t d = 0; d < drops.size(); ++d) {
        const auto label = static_cast<std::size_t>(drops[d].label);
        if (!(after[label] > 0)) continue; // crumpled
        const double scale = std::cbrt(before[label] / after[label]);
        for (const std::size_t v : vertices[d])
            mesh.vertices[v] = drops[d].centre + scale * (mesh.vertices[v] - drops[d].centre);
    }
}

} // namespace rivulet
