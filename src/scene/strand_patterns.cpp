#include "scene/strand_patterns.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

constexpr double kFullTurn = 2 * std::numbers::pi;

/// The first n points of the triangular lattice of unit spacing, by their distance from the origin.
std::vector<Vec3> packed_points(std::int64_t n)
{
    // A hexagon of k rings has 1 + 3 k (k + 1) points; the circle in it still has n.
    std::int64_t rings = 1;
    while (3 * rings * rings < 4 * n) ++rings;
    std::vector<Vec3> points;
    for (std::int64_t i = -rings; i <= rings; ++i)
        for (std::int64_t j = -rings; j <= rings; ++j)
            points.emplace_back(static_cast<double>(i) + 0.5 * static_cast<double>(j),
                                0.5 * std::numbers::sqrt3 * static_cast<double>(j), 0);
    const auto key = [](const Vec3& p) {
        return std::lround(4 * p.squaredNorm());
    }; // whole numbers: no ties by rounding
    std::ranges::stable_sort(points, {}, key);
    points.resize(static_cast<std::size_t>(n));
    return points;
}

} // namespace

std::pair<Vec3, Vec3> directions_across(const Vec3& n)
{
    const Vec3 u = n.cross(std::abs(n.z()) < 0.9 ? Vec3::UnitZ() : Vec3::UnitX()).normalized();
    return {u, n.cross(u)};
}

Curves bundle_curves(const Bundle& bundle)
{
    const Vec3 along = bundle.end - bundle.start;
    const double length = along.norm();
    const auto [u, v] = directions_across(along / length);
    Curves curves;
    std::vector<Vec3> points(static_cast<std::size_t>(bundle.n_vertices));
    for (const Vec3& place : packed_points(bundle.count)) {
        const Vec3 origin = bundle.start + bundle.spacing * (place.x() * u + place.y() * v);
        for (std::size_t k = 0; k < points.size(); ++k) {
            const double part = static_cast<double>(k) / (bundle.n_vertices - 1);
            const double angle = kFullTurn * part * length / bundle.curl_pitch;
            points[k] = origin + part * along + bundle.curl_radius * (std::cos(angle) * u + std::sin(angle) * v);
        }
        curves.add(points);
    }
    return curves;
}

} // namespace rivulet
