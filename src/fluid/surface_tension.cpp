#include "fluid/surface_tension.h"

#include "base/parallel.h"
#include "fluid/liquid_share.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

/// A corner this close to a solid, in cells, is beside it, and this close on it.
constexpr double kBesideSolid = 0.25;
constexpr double kOnSolid = 0.01;
/// Corners beside flat solids along the axes get their normal from that on the solid where they are no farther outside.
constexpr double kBesideFlat = 0.5;
/// Slope of F along a solid, per cell, from which on there is an edge of the liquid to be turned.
constexpr double kEdgeSlope = 0.05;
/// Largest F around a cell below which the grid sees no surface, and from which on it does: a few particles that fly
/// alone have no curvature that means anything, and would push themselves about.
constexpr double kUnseen = 0.1;
constexpr double kSeen = 0.3;
/// How far beyond the two cells beside it the surface may lie, in cells.
constexpr double kBeyond = 0.5;
/// Largest curvature, in inverse cells: a drop of one cell radius.
constexpr double kLargestCurvature = 2;

/// F in the cells around one, up to two away along each axis, x fastest.
struct ShareBlock {
    static constexpr int kReach = 2; // enough for the gradients at the corners
    static constexpr int kEdge = 2 * kReach + 1;
    std::array<double, kEdge * kEdge * kEdge> value;

    ShareBlock(const TileGrid& grid, std::span<const double> share, int t, const Vec3i& c)
    {
        std::size_t n = 0;
        for (int k = -kReach; k <= kReach; ++k)
            for (int j = -kReach; j <= kReach; ++j)
                for (int i = -kReach; i <= kReach; ++i)
                    value[n++] = share[grid.index(t, c.x() + i, c.y() + j, c.z() + k)];
    }
    [[nodiscard]] double at(const Vec3i& offset) const
    {
        const Vec3i c = offset + Vec3i::Constant(kReach);
        return value[static_cast<std::size_t>(c.x() + kEdge * (c.y() + kEdge * c.z()))];
    }
    [[nodiscard]] double largest_near() const
    {
        double most = 0;
        for (int n = 0; n < 27; ++n) most = std::max(most, at({n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1}));
        return most;
    }
};

/// Gradient per cell at a corner of the block's middle cell; `corner` has 0 or 1 along each axis. The mean over the two
/// cells across an axis blunts F by k^2/8; with these weights the difference along it does the same, else the steep
/// profile across the surface would tilt the normals by 1/12 of its curvature.
Vec3 corner_gradient(const ShareBlock& f, const Vec3i& corner)
{
    constexpr double kWeight[4] = {-1.0 / 48, -9.0 / 48, 9.0 / 48, 1.0 / 48};
    Vec3 g = Vec3::Zero();
    for (int a = 0; a < 3; ++a) {
        const Vec3i along = Vec3i::Unit(a);
        const Vec3i u = Vec3i::Unit((a + 1) % 3);
        const Vec3i v = Vec3i::Unit((a + 2) % 3);
        for (int n = 0; n < 4; ++n) {
            const Vec3i c = corner + (n - 2) * along - u - v;
            g[a] += kWeight[n] * (f.at(c) + f.at(c + u) + f.at(c + v) + f.at(c + u + v));
        }
    }
    return g;
}

/// The normal of a surface that meets a solid of normal m at the contact angle, as far as there is an edge to turn.
Vec3 turned_normal(const Vec3& gradient, const Vec3& n, const Vec3& m, double cosine, double most)
{
    const Vec3 along = gradient.dot(m) * m - gradient;
    const double slope = along.norm();
    if (!(slope > 0)) return n;
    const double part = most * std::min(1.0, slope / kEdgeSlope);
    const Vec3 turned = cosine * m + std::sqrt(1 - cosine * cosine) / slope * along;
    return ((1 - part) * n + part * turned).normalized();
}

/// The axis that a solid's normal is along; -1: none.
int axis_of(const Vec3& m)
{
    int axis = 0;
    return m.cwiseAbs().maxCoeff(&axis) > 1 - 1e-9 ? axis : -1;
}

/// At a corner that lies `height` cells above a flat solid along the axes, or below its surface: on the line through
/// the normal at the contact angle on the solid and that of F one cell or two above the corner. The curvature beside
/// the solid is then that of what is open there, wherever the surface of the solid lies between the planes of the grid.
Vec3 normal_beside_flat(const SurfaceTensionInput& in, int t, const Vec3i& node, const Vec3& m, int axis, double height,
                        const Vec3& n, double cosine)
{
    const Vec3i up = (m[axis] > 0 ? 1 : -1) * Vec3i::Unit(axis);
    const auto gradient_at = [&](int cells) {
        return corner_gradient(ShareBlock(*in.grid, in.liquid_share, t, node + cells * up), Vec3i::Zero());
    };
    const int off = height < 0 ? 2 : 1;
    const Vec3 beside = gradient_at(height < 0 ? 1 : 0), above = gradient_at(off);
    if (!(beside.norm() > 0) || !(above.norm() > 0)) return n;
    const Vec3 on = turned_normal(beside, -beside.normalized(), m, cosine, 1);
    return (on + height / (height + off) * (-above.normalized() - on)).normalized();
}

Vec3 corner_normal(const SurfaceTensionInput& in, const ShareBlock& f, int t, const Vec3i& c, const Vec3i& corner,
                   double cosine)
{
    const Vec3 gradient = corner_gradient(f, corner);
    const double slope = gradient.norm();
    if (!(slope > 0)) return Vec3::Zero();
    Vec3 n = -gradient / slope;
    if (in.solid_fields->tiles[static_cast<std::size_t>(t)] == TileSolidity::Open) return n;
    const Vec3 x = in.grid->node(t, c.x() + corner.x(), c.y() + corner.y(), c.z() + corner.z());
    const Solids::Nearest nearest = in.solids->nearest(x);
    const double height = nearest.distance / in.grid->cell_size();
    if (height > kBesideFlat) return n;
    const Vec3 m = in.solids->normal(x, nearest.body);
    const bool is_on = std::abs(height) <= kOnSolid;
    if (const int axis = axis_of(m); axis >= 0 && !is_on && height > -1)
        return normal_beside_flat(in, t, c + corner, m, axis, height, n, cosine);
    if (height > kBesideSolid) return n;
    // On solids along the axes the pull of the edge is then exact. Others have corners at all distances, which would
    // drive the edge about: there F has the angle, as far as it stands for the solid at all.
    const double part = is_on ? 1 : 1 - weight_of_solid(cosine);
    if (part == 0) return n;
    return turned_normal(gradient, n, m, cosine, part);
}

/// div n at a cell [1/m].
double curvature(const SurfaceTensionInput& in, const ShareBlock& f, int t, const Vec3i& c, double cosine)
{
    double sum = 0;
    for (int n = 0; n < 8; ++n) {
        const Vec3i corner(n & 1, n >> 1 & 1, n >> 2);
        sum += 0.25 * corner_normal(in, f, t, c, corner, cosine).dot((2 * corner - Vec3i::Ones()).cast<double>());
    }
    return std::clamp(sum, -kLargestCurvature, kLargestCurvature) / in.grid->cell_size();
}

/// Whether the surface passes between a cell and one of its six neighbours.
bool is_beside_surface(const SurfaceTensionInput& in, int t, const Vec3i& c)
{
    const bool is_liquid = in.liquid_distance[in.grid->index(t, c.x(), c.y(), c.z())] < 0;
    for (int side = 0; side < 6; ++side) {
        const Vec3i n = c + (side % 2 == 0 ? -1 : 1) * Vec3i::Unit(side / 2);
        if ((in.liquid_distance[in.grid->index(t, n.x(), n.y(), n.z())] < 0) != is_liquid) return true;
    }
    return false;
}

double pressure_at(const SurfaceTensionInput& in, int t, const Vec3i& c)
{
    const ShareBlock f(*in.grid, in.liquid_share, t, c);
    const double seen = std::clamp((f.largest_near() - kUnseen) / (kSeen - kUnseen), 0.0, 1.0);
    if (seen == 0) return 0;
    const SurfaceLaw law = in.laws->at(in.grid->index(t, c.x(), c.y(), c.z()));
    return seen * law.tension * curvature(in, f, t, c, law.contact_cosine);
}

/// Where F passes 1/2 between two cells, as a part of the way; a little beyond them where it does not.
double crossing(double f_a, double f_b)
{
    const double difference = f_a - f_b;
    if (difference == 0) return 0.5;
    return std::clamp((f_a - 0.5) / difference, -kBeyond, 1 + kBeyond);
}

} // namespace

void compute_surface_pressure(const SurfaceTensionInput& in, std::array<std::vector<double>, 3>& pressure)
{
    std::vector<double> at_cells(in.grid->field_size(), 0);
    parallel_for(in.grid->n_tiles(), "surface tension", [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        for (int n = 0; n < kTileCells; ++n) {
            const Vec3i c(n % 8, n / 8 % 8, n / 64);
            if (is_beside_surface(in, t, c))
                at_cells[static_cast<std::size_t>(t * kTileCells + n)] = pressure_at(in, t, c);
        }
    });
    for (std::size_t a = 0; a < 3; ++a) {
        pressure[a].resize(in.grid->field_size());
        std::fill(pressure[a].end() - kTileCells, pressure[a].end(), 0.0);
        const Vec3i e = Vec3i::Unit(static_cast<int>(a));
        set_cells(*in.grid, "surface tension", pressure[a], [&](std::size_t cell) {
            const int t = static_cast<int>(cell / kTileCells);
            const int n = static_cast<int>(cell % kTileCells);
            const std::size_t below = in.grid->index(t, n % 8 - e.x(), n / 8 % 8 - e.y(), n / 64 - e.z());
            if ((in.liquid_distance[cell] < 0) == (in.liquid_distance[below] < 0)) return 0.0;
            const double at = crossing(in.liquid_share[below], in.liquid_share[cell]);
            return (1 - at) * at_cells[below] + at * at_cells[cell];
        });
    }
}

double capillary_step(double density, double tension, double cell_size) noexcept
{
    return std::sqrt(density * cell_size * cell_size * cell_size / (2 * std::numbers::pi * tension));
}

} // namespace rivulet
