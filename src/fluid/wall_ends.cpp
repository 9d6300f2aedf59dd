#include "fluid/wall_ends.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rivulet {
namespace {

constexpr double kNoWall = 1e30;
/// Rounding of what lies on a wall, in cells.
constexpr double kOnTheDomain = 1e-6;
/// How far to look for a side of the body, in cells.
constexpr int kLookAround = 3;
/// Cosines: of the wall's normal and that of a surface which lies along it; of two normals with an edge between them.
constexpr double kAlongWall = 0.7, kEdge = 0.8;

Vec3 outward(int wall) { return (wall % 2 == 0 ? -1.0 : 1.0) * Vec3::Unit(wall / 2); }

Vec3 normal_at(const SolidBody& body, const Vec3& x)
{
    return body.pose.rotation * body.shape->normal(body.pose.to_body(x));
}

/// Looks from inside of a body for its sides.
class SideSearch {
public:
    SideSearch(const Solids& solids, const SolidBody& body, const Vec3& x, const Vec3& normal)
        : solids_(solids), body_(body), x_(x), normal_(normal)
    {
    }

    void look_along(const Vec3& direction)
    {
        const double dx = solids_.cell_size;
        for (int n = 1; n <= kLookAround; ++n) {
            const Vec3 step = n * dx * direction, there = x_ + step;
            if (wall_distance(solids_, there).distance < -kOnTheDomain * dx) return; // no liquid comes there
            const double distance = body_.distance(there);
            if (distance <= kOnTheDomain * dx) continue;
            const Vec3 normal = normal_at(body_, there);
            is_smooth = is_smooth || normal.dot(normal_) > kEdge;
            const double plane = distance - step.dot(normal);
            if (plane > nearest.distance) nearest = {plane, normal};
            return;
        }
    }

    BodySurface nearest{-kNoWall, Vec3::Zero()}; ///< that was found so far
    bool is_smooth = false;

private:
    const Solids& solids_;
    const SolidBody& body_;
    const Vec3 &x_, &normal_;
};

/// Distance in the plane of a wall across `axis` from a place in it to where a body stands on it.
double footprint_distance(const Solids& solids, const SolidBody& body, const Vec3& x, int axis)
{
    const double distance = body.distance(x);
    if (distance > kOnTheDomain * solids.cell_size) return distance;
    const Vec3 normal = normal_at(body, x);
    if (std::abs(normal[axis]) < kAlongWall) return distance; // a side is the nearest
    SideSearch sides(solids, body, x, normal);
    for (int w = 0; w < 6; ++w)
        if (w / 2 != axis) sides.look_along(outward(w));
    return sides.is_smooth ? distance : std::max(sides.nearest.distance, -kLookAround * solids.cell_size);
}

} // namespace

WallDistance wall_distance(const Solids& solids, const Vec3& x)
{
    WallDistance nearest;
    for (int w = 0; w < 6; ++w) {
        if (!solids.closed[static_cast<std::size_t>(w)]) continue;
        const int a = w / 2;
        const double d = w % 2 == 0 ? x[a] - solids.box.lower[a] : solids.box.upper[a] - x[a];
        if (d < nearest.distance) nearest = {d, w};
    }
    return nearest;
}

std::optional<BodySurface> surface_past_wall(const Solids& solids, const SolidBody& body, const Vec3& x,
                                             double distance)
{
    const double rounding = kOnTheDomain * solids.cell_size;
    const WallDistance wall = wall_distance(solids, x);
    if (wall.wall < 0 || distance > rounding || wall.distance + distance > rounding) return std::nullopt;
    const Vec3 normal = normal_at(body, x), out = outward(wall.wall);
    if (normal.dot(out) < kAlongWall) return std::nullopt;
    if (wall_distance(solids, x - distance * normal).distance > rounding) return std::nullopt;
    SideSearch sides(solids, body, x, normal);
    for (int w = 0; w < 6; ++w)
        if (w != wall.wall) sides.look_along(outward(w));
    if (sides.is_smooth) return std::nullopt;
    if (sides.nearest.distance == -kNoWall)
        return BodySurface{std::min(distance, -kLookAround * solids.cell_size), normal};
    return BodySurface{std::min(distance, sides.nearest.distance), sides.nearest.normal};
}

bool has_edge_between(const SolidBody& body, const Vec3& x, const Vec3& y)
{
    constexpr double kBend = 0.97; // cosine
    return normal_at(body, x).dot(normal_at(body, y)) < kBend;
}

Vec3 put_on_wall(const Solids& solids, const Vec3& x)
{
    Vec3 y = x;
    for (int w = 0; w < 6; ++w) {
        if (!solids.closed[static_cast<std::size_t>(w)]) continue;
        const int a = w / 2;
        y[a] = w % 2 == 0 ? std::max(y[a], solids.box.lower[a]) : std::min(y[a], solids.box.upper[a]);
    }
    return (y - x).cwiseAbs().maxCoeff() < solids.cell_size ? y : x;
}

double uncovered_part(const Solids& solids, const Vec3& centre, int axis)
{
    constexpr int kParts = 4;     // along each edge: corners of bodies are rounded within one of them
    constexpr double kFlat = 0.1; // distances of a straight edge are those of a plane, in cells
    const double step = solids.cell_size / kParts;
    const Vec3 u = step * Vec3::Unit((axis + 1) % 3), v = step * Vec3::Unit((axis + 2) % 3);
    const Vec3 corner = centre - 0.5 * kParts * (u + v);
    const auto at = [&](int i, int j) {
        const Vec3 x = put_on_wall(solids, corner + i * u + j * v);
        double least = kNoWall;
        for (const SolidBody& body : solids.bodies)
            if (!body.is_farther(x, least)) least = std::min(least, footprint_distance(solids, body, x, axis));
        return least;
    };
    const double a = at(0, 0), b = at(kParts, 0), c = at(kParts, kParts), d = at(0, kParts);
    const double whole = open_fraction(a, b, c, d);
    if (whole == 0 || whole == 1 || std::abs(a + c - b - d) < kFlat * solids.cell_size) return whole;
    std::array<double, (kParts + 1) * (kParts + 1)> distance;
    for (int n = 0; n < static_cast<int>(distance.size()); ++n)
        distance[static_cast<std::size_t>(n)] = at(n % (kParts + 1), n / (kParts + 1));
    double sum = 0;
    for (int n = 0; n < kParts * kParts; ++n) {
        const double* at_corner = &distance[static_cast<std::size_t>(n % kParts + (kParts + 1) * (n / kParts))];
        sum += open_fraction(at_corner[0], at_corner[1], at_corner[kParts + 2], at_corner[kParts + 1]);
    }
    return sum / (kParts * kParts);
}

DomainWalls::DomainWalls(const Solids& solids, double dx) : box_(solids.box), dx_(dx)
{
    for (int w = 0; w < 6; ++w)
        if (!solids.closed[static_cast<std::size_t>(w)])
            (w % 2 == 0 ? box_.lower : box_.upper)[w / 2] = w % 2 == 0 ? -kNoWall : kNoWall;
}

double DomainWalls::part_between(int axis, const Vec3& corner) const
{
    double part = 1;
    for (int a = 0; a < 3; ++a) {
        const double below = (corner[a] - box_.lower[a]) / dx_, above = (box_.upper[a] - corner[a]) / dx_;
        if (a == axis)
            part *= std::min(below, above) > kOnTheDomain ? 1 : 0;
        else if (below < -kOnTheDomain || above < 1 - kOnTheDomain)
            part *= std::clamp(std::min(above, 1.0) - std::max(-below, 0.0), 0.0, 1.0);
    }
    return part;
}

bool DomainWalls::contains(const Vec3& x) const
{
    return (x.array() >= box_.lower.array()).all() && (x.array() <= box_.upper.array()).all();
}

} // namespace rivulet
