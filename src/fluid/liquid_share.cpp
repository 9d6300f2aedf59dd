#include "fluid/liquid_share.h"

#include "base/parallel.h"
#include "fluid/filled_volume.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

/// Passes of the [1 2 1]/4 filter over the volume of the particles: enough for the steps of the particles' lattice to
/// leave a scatter of 4 % in the curvature of a ball of ten cells radius.
constexpr int kPasses = 4;
/// Variance of the whole filter along an axis, in cells^2: that of the B-spline and of each pass.
constexpr double kVariance = 0.25 + 0.5 * kPasses;
/// Open part of a neighbourhood below which it is deep in solids, where F means nothing.
constexpr double kLeastOpen = 1e-3;
/// Largest F around a cell below which the balls say where the surface is, and from which on F does.
constexpr double kByBalls = 0.5;
constexpr double kByShare = 0.7;
/// F that is as good as none.
constexpr double kNothing = 0.01;

/// Level of a place that is dry, in deviations; its opposite is all liquid.
constexpr double kDriest = -3.7;
/// Slope of the level along a solid below which there is no edge of the liquid, per cell.
constexpr double kLeastSlope = 0.02;
/// Smallest angle at which the surface goes on into solids, and largest from 180 degrees; [rad].
constexpr double kLeastAngle = 15 * std::numbers::pi / 180;
/// Cosine of the contact angle from which on what stands for solids counts in full: 60 and 120 degrees.
constexpr double kFullCosine = 0.5;

/// What stands for the cells of tiles that do not exist.
enum class Beyond { Zero, NearestOfTile };

/// Filters one tile with [side, 1 - 2 side, side] along each axis.
void smooth_tile(const TileGrid& grid, int t, double side, Beyond beyond, const std::vector<double>& from, double* to)
{
    constexpr int n = kTileEdge;
    constexpr int wide = n + 2;
    const double middle = 1 - 2 * side;
    const std::size_t outside = static_cast<std::size_t>(grid.n_tiles()) * kTileCells;
    const auto cell = [&](int i, int j, int k) {
        const std::size_t c = grid.index(t, i, j, k);
        if (c < outside || beyond == Beyond::Zero) return c;
        return grid.index(t, std::clamp(i, 0, n - 1), std::clamp(j, 0, n - 1), std::clamp(k, 0, n - 1));
    };
    std::array<double, n * wide * wide> x;
    double* row = x.data();
    for (int k = -1; k <= n; ++k)
        for (int j = -1; j <= n; ++j, row += n) {
            const double* in = from.data() + cell(0, j, k);
            const double below = from[cell(-1, j, k)];
            const double above = from[cell(n, j, k)];
            for (int i = 0; i < n; ++i)
                row[i] = middle * in[i] + side * ((i > 0 ? in[i - 1] : below) + (i < n - 1 ? in[i + 1] : above));
        }
    std::array<double, n * n * wide> y;
    for (int k = 0; k < wide; ++k)
        for (int c = 0; c < n * n; ++c) {
            const double* in = x.data() + n * wide * k + c;
            y[static_cast<std::size_t>(n * n * k + c)] = middle * in[n] + side * (in[0] + in[2 * n]);
        }
    for (int c = 0; c < kTileCells; ++c) {
        const double* in = y.data() + c;
        to[c] = middle * in[n * n] + side * (in[0] + in[2 * n * n]);
    }
}

void smooth(const TileGrid& grid, double side, Beyond beyond, std::vector<double>& field)
{
    std::vector<double> result(field.size());
    parallel_for(grid.n_tiles(), "smooth", [&](std::int64_t t) {
        smooth_tile(grid, static_cast<int>(t), side, beyond, field, result.data() + t * kTileCells);
    });
    field.swap(result);
}

void smooth_much(const TileGrid& grid, Beyond beyond, std::vector<double>& field)
{
    for (int pass = 0; pass < kPasses; ++pass) smooth(grid, 0.25, beyond, field);
}

/// Open part of every cell; empty where no tile has solids.
std::vector<double> open_part(const TileGrid& grid, const SolidFields& solids)
{
    const auto is_open = [](TileSolidity s) { return s == TileSolidity::Open; };
    if (std::all_of(solids.tiles.begin(), solids.tiles.end(), is_open)) return {};
    std::vector<double> open(grid.field_size(), 0);
    set_cells(grid, "liquid share", open,
              [&](std::size_t c) { return static_cast<double>(solids.open_volume[c]) / kOpenCell; });
    return open;
}

/// Largest F in the open cells around one; beside solids from farther off, since liquid ends there in a wedge.
double largest_around(const TileGrid& grid, const SolidFields& solids, const std::vector<double>& share,
                      std::size_t cell)
{
    const int t = static_cast<int>(cell / kTileCells);
    const int n = static_cast<int>(cell % kTileCells);
    const int reach = solids.tiles[static_cast<std::size_t>(t)] == TileSolidity::Open ? 1 : 2;
    double most = 0;
    for (int k = -reach; k <= reach; ++k)
        for (int j = -reach; j <= reach; ++j)
            for (int i = -reach; i <= reach; ++i) {
                const std::size_t c = grid.index(t, n % 8 + i, n / 8 % 8 + j, n / 64 + k);
                if (solids.open_volume[c] > 0) most = std::max(most, share[c]);
            }
    return most;
}

/// The filter that the particles' B-splines and the passes over their volume make.
void filter(const TileGrid& grid, Beyond beyond, std::vector<double>& field)
{
    smooth(grid, kFilledShare[0], beyond, field);
    smooth_much(grid, beyond, field);
}

/// Where a normal distribution has this share below it, in deviations, to 5e-4 [Abramowitz 1964, 26.2.23].
double normal_quantile(double share)
{
    const double t = std::sqrt(-2 * std::log(std::min(share, 1 - share)));
    const double x =
        t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    return share < 0.5 ? -x : x;
}

/// Linear interpolation between cell centres, at a point within eight cells of tile t.
double value_at(const TileGrid& grid, int t, const std::vector<double>& field, const Vec3& x)
{
    const Vec3 cells = ((x - grid.node(t, 0.5, 0.5, 0.5)) / grid.cell_size()).cwiseMax(-8.0).cwiseMin(14.0);
    const Vec3 lower = cells.array().floor();
    const Vec3i c = lower.cast<int>();
    double sum = 0;
    for (int n = 0; n < 8; ++n) {
        const Vec3i corner(n & 1, n >> 1 & 1, n >> 2);
        double weight = 1;
        for (int a = 0; a < 3; ++a) weight *= corner[a] == 1 ? cells[a] - lower[a] : 1 - (cells[a] - lower[a]);
        sum += weight * field[grid.index(t, c.x() + corner.x(), c.y() + corner.y(), c.z() + corner.z())];
    }
    return sum;
}

/// What is needed to carry the surface on into solids.
struct WallSurface {
    const LiquidShareInput& in;
    const std::vector<double>& open; ///< part of the cells
    /// Mean of the volume in what is open, as quantiles: about linear in the distance from the liquid's edge.
    std::vector<double> level;

    /// Share of liquid that stands for the solid in a cell.
    [[nodiscard]] double share(std::size_t cell) const
    {
        const TileGrid& grid = *in.grid;
        if (level[cell] <= kDriest) return 0;
        if (level[cell] >= -kDriest) return 1;
        const double dx = grid.cell_size();
        const int t = static_cast<int>(cell / kTileCells);
        const int c = static_cast<int>(cell % kTileCells);
        const Vec3 x = grid.cell_centre(t, c % 8, c / 8 % 8, c / 64);
        const Solids::Nearest nearest = in.solids->nearest(x);
        const Vec3 m = in.solids->normal(x, nearest.body);
        const Vec3 foot = x - nearest.distance * m;
        Vec3 slope;
        for (int a = 0; a < 3; ++a) {
            const Vec3 e = dx * Vec3::Unit(a);
            slope[a] = (value_at(grid, t, level, foot + e) - value_at(grid, t, level, foot - e)) / 2;
        }
        const double along = std::max((slope - slope.dot(m) * m).norm(), kLeastSlope);
        const double limit = std::cos(kLeastAngle);
        const double cosine = std::clamp(in.laws->at(cell).contact_cosine, -limit, limit);
        const double tip = normal_quantile(std::acos(cosine) / std::numbers::pi);
        const double from_tip = (value_at(grid, t, level, foot) - tip) / along;
        const double depth = std::max(-nearest.distance / dx, (1 - open[cell]) / 2);
        const double inside = from_tip * std::sqrt(1 - cosine * cosine) + depth * cosine;
        return std::clamp(0.5 + inside, 0.0, 1.0);
    }
};

/// The level of the surface at all cells, from the smoothed volume of the particles and of what is open.
std::vector<double> wall_level(const TileGrid& grid, const std::vector<double>& volume, const std::vector<double>& open)
{
    std::vector<double> level(grid.field_size(), kDriest);
    set_cells(grid, "liquid share", level, [&](std::size_t c) {
        if (open[c] <= kLeastOpen) return kDriest;
        return std::clamp(normal_quantile(std::clamp(volume[c] / open[c], 1e-6, 1 - 1e-6)), kDriest, -kDriest);
    });
    return level;
}

/// Divides where there is something to divide by.
void divide(const TileGrid& grid, const std::vector<double>& weight, std::vector<double>& field)
{
    set_cells(grid, "liquid share", field,
              [&](std::size_t c) { return weight[c] > kLeastOpen ? field[c] / weight[c] : 0; });
}

/// G and G^2 beside solids, from the smoothed volume of the particles. What is deep in solids is left out of the means.
void filter_with_solids(const LiquidShareInput& in, const std::vector<double>& open, std::vector<double>& once,
                        std::vector<double>& twice)
{
    const TileGrid& grid = *in.grid;
    std::vector<double> counted = open;
    filter(grid, Beyond::NearestOfTile, counted); // walls and open air go on beyond the tiles
    const WallSurface surface{in, open, wall_level(grid, once, counted)};
    set_cells(grid, "liquid share", counted, [&](std::size_t c) {
        if (counted[c] <= kLeastOpen) return 0.0;
        return open[c] + (1 - open[c]) * weight_of_solid(in.laws->at(c).contact_cosine);
    });
    std::vector<double> weight = counted;
    filter(grid, Beyond::NearestOfTile, weight);
    twice.assign(grid.field_size(), 0);
    set_cells(grid, "liquid share", twice,
              [&](std::size_t c) { return counted[c] > open[c] ? (counted[c] - open[c]) * surface.share(c) : 0; });
    filter(grid, Beyond::NearestOfTile, twice);
    set_cells(grid, "liquid share", once, [&](std::size_t c) { return once[c] + twice[c]; });
    divide(grid, weight, once);
    set_cells(grid, "liquid share", twice, [&](std::size_t c) { return counted[c] * once[c]; });
    filter(grid, Beyond::Zero, twice);
    divide(grid, weight, twice);
}

/// F at a cell's centre, or at the nearest point of the solid's surface where a solid that is cut by it hides the
/// centre: what is open of that cell is there, and F inside of the solid is of liquid that does not exist.
double share_in_the_open(const TileGrid& grid, const Solids& solids, const SolidFields& solid_fields,
                         const std::vector<double>& share, std::size_t cell)
{
    if (solid_fields.centre_inside[cell] == 0 || solid_fields.open_volume[cell] == 0) return share[cell];
    const int t = static_cast<int>(cell / kTileCells);
    const int c = static_cast<int>(cell % kTileCells);
    const Vec3 x = grid.cell_centre(t, c % 8, c / 8 % 8, c / 64);
    const Solids::Nearest nearest = solids.nearest(x);
    return value_at(grid, t, share, x - nearest.distance * solids.normal(x, nearest.body));
}

} // namespace

double weight_of_solid(double contact_cosine) noexcept { return std::min(1.0, std::abs(contact_cosine) / kFullCosine); }

std::vector<double> smoothed_volume(const TileGrid& grid, const ParticleOrder& order, std::span<const Vec3> position,
                                    std::span<const double> volume)
{
    std::vector<double> field;
    scatter_volume(grid, order, position, volume, field);
    smooth_much(grid, Beyond::Zero, field);
    return field;
}

void compute_liquid_share(const LiquidShareInput& in, std::vector<double>& share)
{
    const TileGrid& grid = *in.grid;
    share = smoothed_volume(grid, *in.order, in.position, in.volume);
    std::vector<double> twice;
    if (const std::vector<double> open = open_part(grid, *in.solid_fields); !open.empty()) {
        filter_with_solids(in, open, share, twice);
    } else {
        twice = share;
        filter(grid, Beyond::Zero, twice);
    }
    set_cells(grid, "liquid share", share, [&](std::size_t c) { return 2 * share[c] - twice[c]; });
}

void refine_liquid_distance(const TileGrid& grid, const Solids& solids, const SolidFields& solid_fields,
                            const std::vector<double>& share, std::vector<double>& distance)
{
    const double dx = grid.cell_size();
    // Of a plane: F = 2 N(x / s) - N(x / (sqrt(2) s)) with the normal distribution N, s^2 the variance.
    const double per_share = dx * std::sqrt(2 * std::numbers::pi * kVariance) / (2 - std::numbers::sqrt2 / 2);
    set_cells(grid, "liquid share", distance, [&](std::size_t c) {
        if (share[c] < kNothing && distance[c] >= dx) return distance[c];
        const double most = share[c] >= kByShare ? share[c] : largest_around(grid, solid_fields, share, c);
        const double part = std::clamp((most - kByBalls) / (kByShare - kByBalls), 0.0, 1.0);
        const double here = share_in_the_open(grid, solids, solid_fields, share, c);
        return part * std::clamp(per_share * (0.5 - here), -dx, dx) + (1 - part) * distance[c];
    });
}

} // namespace rivulet
