#include "fluid/solids.h"

#include "base/parallel.h"
#include "fluid/wall_ends.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace rivulet {
namespace {

constexpr double kFar = 1e30;
/// Cells by which an open tile is clear of solids: more than any particle crosses in a step.
constexpr double kReachMargin = 4;
/// Cells within which of a tile's corners, or of those around them, a moving body counts as near. What is found within
/// this of static solids (kExactReach in viscosity_volumes.cpp) does not depend on bodies that are not.
constexpr double kMovingReach = 3;
/// Rounding of what lies on a wall, in cells.
constexpr double kOnAWall = 1e-6;

/// Part of a triangle where the linear function with these corner values is > 0.
double open_part(double a, double b, double c) noexcept
{
    const int n = (a > 0) + (b > 0) + (c > 0);
    if (n == 3) return 1;
    if (n == 0) return 0;
    // The corner that is alone on its side cuts off a triangle.
    const bool lonely_open = n == 1;
    const auto alone = [&](double v) { return (v > 0) == lonely_open; };
    const double lone = alone(a) ? a : (alone(b) ? b : c);
    const double p = alone(a) ? b : a;
    const double q = alone(a) || alone(b) ? c : b;
    const double cut = lone / (lone - p) * lone / (lone - q);
    return lonely_open ? cut : 1 - cut;
}

using Corners = std::array<double, 9 * 9 * 9>;
double corner(const Corners& corners, int i, int j, int k)
{
    return corners[static_cast<std::size_t>(i + 9 * (j + 9 * k))];
}

/// Open fraction of the lower face of cell (i, j, k) along `axis`.
double face_fraction(const Corners& corners, int axis, int i, int j, int k)
{
    const Vec3i u = Vec3i::Unit((axis + 1) % 3);
    const Vec3i v = Vec3i::Unit((axis + 2) % 3);
    const Vec3i c(i, j, k);
    const auto at = [&](const Vec3i& n) { return corner(corners, n.x(), n.y(), n.z()); };
    return open_fraction(at(c), at(c + u), at(c + u + v), at(c + v));
}

void fill_tile(SolidFields& fields, int t, double open, bool inside)
{
    const auto begin = static_cast<std::size_t>(t) * kTileCells;
    for (std::size_t a = 0; a < 3; ++a) {
        std::fill_n(fields.open[a].begin() + static_cast<std::ptrdiff_t>(begin), kTileCells, open);
        std::fill_n(fields.velocity[a].begin() + static_cast<std::ptrdiff_t>(begin), kTileCells, 0.0);
    }
    std::fill_n(fields.centre_inside.begin() + static_cast<std::ptrdiff_t>(begin), kTileCells, inside ? 1 : 0);
    std::fill_n(fields.open_volume.begin() + static_cast<std::ptrdiff_t>(begin), kTileCells,
                inside ? std::uint8_t{0} : std::uint8_t{kOpenCell});
}

/// Of a face of which bodies leave the part `by_bodies` and walls, which are at rest, `by_walls`. What lies in a wall
/// moves only where a body goes through it.
void set_solid_velocity(const TileGrid& grid, const Solids& solids, int t, int axis, int c, double by_bodies,
                        double by_walls, SolidFields& fields)
{
    const Vec3 x = grid.face_centre(t, axis, {c % 8, c / 8 % 8, c / 64});
    // The face is cut: what is farther than a cell from its centre is not the nearest.
    if (std::all_of(solids.bodies.begin(), solids.bodies.end(),
                    [&](const SolidBody& b) { return b.is_static || b.is_farther(x, grid.cell_size()); }))
        return; // at rest, as filled in before
    const int body = (by_walls > 0 ? solids.nearest_body(x) : solids.nearest(x)).body;
    const double part = by_walls > 0 ? (1 - by_bodies) / (1 - by_bodies * by_walls) : 1;
    fields.velocity[static_cast<std::size_t>(axis)][static_cast<std::size_t>(t * kTileCells + c)] =
        part * solids.velocity(x, body)[axis];
}

/// Distances at the corners of a tile's cells, and the bodies that they are to. Far from walls one says the next few
/// too, which get no more than theirs and of its sign: cells that a wall cuts have none of these.
void load_corners(const TileGrid& grid, const Solids& solids, int t, Corners& corners,
                  std::array<int, 9 * 9 * 9>& bodies)
{
    constexpr double kExact = 2; // cells; the diagonal of one is 1.73
    const double dx = grid.cell_size();
    for (int row = 0; row < 81; ++row)
        for (int i = 0; i < 9;) {
            const Solids::Nearest near = solids.nearest_body(grid.node(t, i, row % 9, row / 9));
            const auto set_next = [&](double distance) {
                const auto n = static_cast<std::size_t>(i++ + 9 * row);
                corners[n] = distance;
                bodies[n] = near.body;
            };
            set_next(near.distance);
            for (double rest = std::abs(near.distance) - dx; i < 9 && rest >= kExact * dx; rest -= dx)
                set_next(std::copysign(rest, near.distance));
        }
}

/// Least and largest distance at the corners of a cell.
std::pair<double, double> corner_range(const Corners& corners, int i, int j, int k)
{
    double least = corner(corners, i, j, k), most = least;
    for (int m = 1; m < 8; ++m) {
        const double d = corner(corners, i + (m & 1), j + (m >> 1 & 1), k + (m >> 2));
        least = std::min(least, d);
        most = std::max(most, d);
    }
    return {least, most};
}

/// Open part of cell (i, j, k): of its eighths, each as if cut along an axis at the distance at its centre,
/// interpolated from the cell's corners.
double cut_volume(const Corners& corners, double dx, int i, int j, int k)
{
    const auto [least, most] = corner_range(corners, i, j, k);
    if (!(least < 0 && most > 0)) return most > 0 ? 1 : 0;
    double open = 0;
    for (int n = 0; n < 8; ++n) {
        const Vec3 at(0.25 + 0.5 * (n & 1), 0.25 + 0.5 * (n >> 1 & 1), 0.25 + 0.5 * (n >> 2));
        double d = 0;
        for (int m = 0; m < 8; ++m) {
            const Vec3i v(m & 1, m >> 1 & 1, m >> 2);
            double w = 1;
            for (int a = 0; a < 3; ++a) w *= v[a] != 0 ? at[a] : 1 - at[a];
            d += w * corner(corners, i + v.x(), j + v.y(), k + v.z());
        }
        open += std::clamp(0.5 + 2 * d / dx, 0.0, 1.0) / 8;
    }
    return open;
}

/// Rounded, but not to nothing or all.
std::uint8_t rounded_volume(double open)
{
    constexpr double kRounding = 1e-6;
    if (open < kRounding || open > 1 - kRounding) return open < kRounding ? 0 : kOpenCell;
    return static_cast<std::uint8_t>(std::clamp(std::lround(kOpenCell * open), 1L, kOpenCell - 1L));
}

/// Bodies nearest to the eight corners of a cell, and whether these are inside of them.
struct CornerBodies {
    std::array<int, 8> body;
    std::array<bool, 8> inside;
};
using TileBodies = std::array<int, 9 * 9 * 9>; ///< nearest to the corners of a tile's cells

/// Of cell (i, j, k), where they differ.
std::optional<CornerBodies> differing_bodies(const Corners& corners, const TileBodies& nearest, double dx, int i, int j,
                                             int k)
{
    constexpr double kRounding = 1e-9; // on the surface is not in the open
    CornerBodies bodies;
    bool differ = false;
    for (std::size_t m = 0; m < 8; ++m) {
        const auto n = static_cast<std::size_t>(i + 9 * (j + 9 * k)) + (m & 1) + 9 * ((m >> 1 & 1) + 9 * (m >> 2));
        bodies.body[m] = nearest[n];
        bodies.inside[m] = !(corners[n] > kRounding * dx);
        differ = differ || nearest[n] != bodies.body[0];
    }
    return differ ? std::optional(bodies) : std::nullopt;
}

/// Of the lower faces of a cell, by axis, those with a gap between two corners.
std::array<bool, 3> faces_with_gaps(const TileGrid& grid, const Solids& solids, const CornerBodies& corners, int t,
                                    const Vec3i& cell)
{
    std::array<bool, 3> gaps{};
    for (int along = 0; along < 3; ++along)
        for (int m = 0; m < 8; ++m) {
            const auto a = static_cast<std::size_t>(m), b = static_cast<std::size_t>(m | 1 << along);
            if (corners.body[a] == corners.body[b] || !corners.inside[a] || !corners.inside[b]) continue;
            const Vec3 x = grid.node(t, cell.x() + (m & 1), cell.y() + (m >> 1 & 1), cell.z() + (m >> 2));
            if (!solids.has_gap_between(x, x + grid.cell_size() * Vec3::Unit(along))) continue;
            for (int axis = 0; axis < 3; ++axis)
                if (axis != along && (m >> axis & 1) == 0) gaps[static_cast<std::size_t>(axis)] = true;
        }
    return gaps;
}

/// Where there is a gap between bodies that no corner lies in, distances to the nearest of them cannot see it, and what
/// they take of a face is the sum over them. Of a cell it is that for each eighth, as in cut_volume(), but of exact
/// distances.
struct OpenParts {
    std::array<double, 3> face{}; ///< lower one of the cell, by axis; 0 where there is no such gap
    double volume = 0;
};
OpenParts parts_beside_gaps(const TileGrid& grid, const Solids& solids, const CornerBodies& nearest, int t,
                            const Vec3i& cell)
{
    const double dx = grid.cell_size();
    const Vec3 lower = grid.node(t, cell.x(), cell.y(), cell.z());
    const std::array<bool, 3> gaps = faces_with_gaps(grid, solids, nearest, t, cell);
    std::array<double, 3> taken{};
    std::array<double, 8> eighth{};
    for (auto b = nearest.body.begin(); b != nearest.body.end(); ++b) {
        if (*b < 0 || std::find(nearest.body.begin(), b, *b) != b) continue;
        const SolidBody& body = solids.bodies[static_cast<std::size_t>(*b)];
        Corners corners; // of the first cell alone
        for (int m = 0; m < 8; ++m) {
            const Vec3i v(m & 1, m >> 1 & 1, m >> 2);
            corners[static_cast<std::size_t>(v.x() + 9 * (v.y() + 9 * v.z()))] =
                solids.distance_to(body, lower + dx * v.cast<double>());
            const Vec3 centre = lower + dx * (0.5 * v.cast<double>() + Vec3::Constant(0.25));
            eighth[static_cast<std::size_t>(m)] +=
                1 - std::clamp(0.5 + 2 * solids.distance_to(body, centre) / dx, 0.0, 1.0);
        }
        for (int a = 0; a < 3; ++a) taken[static_cast<std::size_t>(a)] += 1 - face_fraction(corners, a, 0, 0, 0);
    }
    OpenParts open;
    for (std::size_t a = 0; a < 3; ++a)
        if (gaps[a]) open.face[a] = 1 - taken[a];
    for (const double part : eighth) open.volume += std::max(0.0, 1 - part) / 8;
    return open;
}

void rasterize_tile(const TileGrid& grid, const Solids& solids, int t, SolidFields& fields)
{
    const double dx = grid.cell_size(), half_diagonal = 0.87 * dx;
    const DomainWalls walls(solids, dx);
    Corners corners;
    TileBodies bodies;
    load_corners(grid, solids, t, corners, bodies);
    for (int c = 0; c < kTileCells; ++c) {
        const int i = c % 8;
        const int j = c / 8 % 8;
        const int k = c / 64;
        const auto cell = static_cast<std::size_t>(t * kTileCells + c);
        const Vec3 lower = grid.node(t, i, j, k);
        const auto [least, most] = corner_range(corners, i, j, k);
        OpenParts parts;
        if (solids.bodies.size() > 1 && least <= 0)
            if (const auto differing = differing_bodies(corners, bodies, dx, i, j, k))
                parts = parts_beside_gaps(grid, solids, *differing, t, {i, j, k});
        for (int a = 0; a < 3; ++a) {
            const double by_bodies =
                std::max(face_fraction(corners, a, i, j, k), parts.face[static_cast<std::size_t>(a)]);
            const double by_walls = walls.part_between(a, lower), open = by_bodies * by_walls;
            fields.open[static_cast<std::size_t>(a)][cell] = open < 1e-6 ? 0 : open;
            if (open < 1) set_solid_velocity(grid, solids, t, a, c, by_bodies, by_walls, fields);
        }
        const double open = std::max(cut_volume(corners, dx, i, j, k), parts.volume);
        fields.open_volume[cell] = rounded_volume(open * walls.part_between(-1, lower));
        const bool is_sure = most > half_diagonal || least < -half_diagonal;
        const Vec3 centre = grid.cell_centre(t, i, j, k);
        fields.centre_inside[cell] =
            !walls.contains(centre) || (is_sure ? least < -half_diagonal : solids.nearest_body(centre).distance < 0);
    }
}

} // namespace

void SolidBody::bound()
{
    is_upright = pose.rotation.coeffs() == Quat::Identity().coeffs();
    const Aabb box = shape->bounds();
    if (box.is_empty() || !(box.size().norm() < 1e15)) return; // a plane has no such ball
    ball_centre = pose.to_world(box.centre());
    ball_radius = (0.5 + 1e-6) * box.size().norm();
}

double Solids::distance_to(const SolidBody& body, const Vec3& x) const
{
    const double d = body.distance(x);
    if (cell_size == 0 || d > 2 * cell_size) return d;
    if (d < kOnAWall * cell_size) {
        const auto surface = surface_past_wall(*this, body, x, d);
        return surface ? surface->distance : d;
    }
    if (wall_distance(*this, x).distance >= 0) return d;
    const Vec3 y = put_on_wall(*this, x);
    if (y == x) return d;
    const double at_wall = body.distance(y);
    if (const auto surface = surface_past_wall(*this, body, y, at_wall)) return surface->distance;
    return at_wall < d && has_edge_between(body, x, y) ? at_wall : d;
}

Solids::Nearest Solids::nearest(const Vec3& x) const { return nearer_body(x, wall_distance(*this, x).distance); }

Solids::Nearest Solids::nearest_body(const Vec3& x) const { return nearer_body(x, kFar); }

Solids::Nearest Solids::nearer_body(const Vec3& x, double distance) const
{
    Nearest best{distance, -1};
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        if (bodies[b].is_farther(x, best.distance)) continue;
        const double d = distance_to(bodies[b], x);
        if (d < best.distance) best = {d, static_cast<int>(b)};
    }
    return best;
}

Vec3 Solids::normal(const Vec3& x, int body) const
{
    if (body >= 0) {
        const SolidBody& b = bodies[static_cast<std::size_t>(body)];
        if (cell_size > 0)
            if (const auto surface = surface_past_wall(*this, b, x, b.distance(x))) return surface->normal;
        return b.pose.rotation * b.shape->normal(b.pose.to_body(x));
    }
    const int wall = wall_distance(*this, x).wall;
    if (wall < 0) return Vec3::Zero();
    return (wall % 2 == 0 ? 1.0 : -1.0) * Vec3::Unit(wall / 2);
}

Vec3 Solids::velocity(const Vec3& x, int body) const
{
    if (body < 0) return Vec3::Zero();
    const SolidBody& b = bodies[static_cast<std::size_t>(body)];
    return b.twist.velocity_at(x, b.pose);
}

double Solids::friction(int body) const
{
    return body < 0 ? wall_friction : bodies[static_cast<std::size_t>(body)].friction;
}

bool Solids::has_gap_between(const Vec3& a, const Vec3& b) const
{
    constexpr int kSamples = 8;
    for (int n = 1; n < kSamples; ++n)
        if (distance(a + n * (b - a) / kSamples) > (b - a).norm() / 16) return true;
    return false;
}

bool Solids::is_thin(int axis, double dx) const
{
    const auto wall = 2 * static_cast<std::size_t>(axis);
    return closed[wall] && closed[wall + 1] && box.size()[axis] <= (1 + kOnAWall) * dx;
}

double open_fraction(double a, double b, double c, double d) noexcept
{
    const int n = (a > 0) + (b > 0) + (c > 0) + (d > 0);
    if (n == 4 || n == 0) return n / 4;
    const double centre = 0.25 * (a + b + c + d);
    return 0.25 *
           (open_part(a, b, centre) + open_part(b, c, centre) + open_part(c, d, centre) + open_part(d, a, centre));
}

namespace {

void resize_fields(std::size_t n_tiles, std::size_t size, SolidFields& fields)
{
    fields.tiles.resize(n_tiles);
    fields.near_moving.resize(n_tiles);
    for (std::size_t a = 0; a < 3; ++a) {
        fields.open[a].resize(size);
        fields.velocity[a].resize(size);
    }
    fields.centre_inside.resize(size);
    fields.open_volume.resize(size);
}

/// Whether a body comes within `margin` [m] of a cube; for shapes that give less than their distance, perhaps.
bool comes_near(const SolidBody& body, const Vec3& centre, double half_edge, double margin, int halvings)
{
    const double reach = std::sqrt(3.0) * half_edge + margin;
    if (body.is_farther(centre, reach)) return false;
    const double distance = body.distance(centre);
    if (distance > reach) return false;
    if (distance < margin || halvings == 0) return true;
    for (int n = 0; n < 8; ++n) {
        const Vec3 corner(n & 1 ? 0.5 : -0.5, n >> 1 & 1 ? 0.5 : -0.5, n >> 2 ? 0.5 : -0.5);
        if (comes_near(body, centre + half_edge * corner, 0.5 * half_edge, margin, halvings - 1)) return true;
    }
    return false;
}

/// Whether a moving body comes near to the corners of a tile's cells and of those around them.
bool is_near_moving(const TileGrid& grid, const Solids& solids, int t)
{
    constexpr int kHalvings = 2;
    const double dx = grid.cell_size(), half_edge = (0.5 * kTileEdge + 1) * dx;
    return std::any_of(solids.bodies.begin(), solids.bodies.end(), [&](const SolidBody& b) {
        return !b.is_static && comes_near(b, grid.node(t, 4, 4, 4), half_edge, kMovingReach * dx, kHalvings);
    });
}

void copy_tile(const SolidFields& from, int source, int target, SolidFields& to)
{
    const auto copy = [&](const auto& a, auto& b) {
        std::copy_n(a.begin() + static_cast<std::ptrdiff_t>(source) * kTileCells, kTileCells,
                    b.begin() + static_cast<std::ptrdiff_t>(target) * kTileCells);
    };
    for (std::size_t a = 0; a < 3; ++a) {
        copy(from.open[a], to.open[a]);
        copy(from.velocity[a], to.velocity[a]);
    }
    copy(from.centre_inside, to.centre_inside);
    copy(from.open_volume, to.open_volume);
}

} // namespace

void rasterize_solids(const TileGrid& grid, const Solids& solids, SolidFields& fields, const SolidCache* cache)
{
    resize_fields(static_cast<std::size_t>(grid.n_tiles()), grid.field_size(), fields);
    fill_tile(fields, grid.n_tiles(), 0, false);
    const double reach = (0.5 * std::sqrt(3.0) * kTileEdge + kReachMargin) * grid.cell_size();
    parallel_for(grid.n_tiles(), "rasterize solids", [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        const double d = solids.distance(grid.node(t, 4, 4, 4));
        auto& kind = fields.tiles[static_cast<std::size_t>(t)];
        kind = d > reach ? TileSolidity::Open : (d < -reach ? TileSolidity::Solid : TileSolidity::Mixed);
        fields.near_moving[static_cast<std::size_t>(t)] = is_near_moving(grid, solids, t);
        if (cache != nullptr && fields.near_moving[static_cast<std::size_t>(t)] == 0) {
            const int known = cache->grid.find(grid.tile(t));
            if (known < cache->grid.n_tiles() && cache->fields.near_moving[static_cast<std::size_t>(known)] == 0) {
                copy_tile(cache->fields, known, t, fields);
                return;
            }
        }
        fill_tile(fields, t, kind == TileSolidity::Open ? 1 : 0, kind == TileSolidity::Solid);
        if (kind == TileSolidity::Mixed) rasterize_tile(grid, solids, t, fields);
    });
}

double push_out(const Solids& solids, double margin, Vec3& x)
{
    constexpr int kRounds = 4; // corners between several solids
    double distance = 0;
    for (int round = 0; round < kRounds; ++round) {
        const Solids::Nearest near = solids.nearest(x);
        distance = near.distance;
        if (distance >= margin) break;
        x += (margin - distance) * solids.normal(x, near.body);
    }
    return distance;
}

} // namespace rivulet
