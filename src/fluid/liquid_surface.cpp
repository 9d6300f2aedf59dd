#include "fluid/liquid_surface.h"

#include "base/parallel.h"
#include "fluid/cell_neighbours.h"
#include "fluid/filled_volume.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Particles in a cell from which on its neighbours' centres are sure to be liquid when all around are as full.
constexpr int kDeepCount = 3;
/// A cell with a particle is liquid at least this deep, in cells.
constexpr double kLeastDepth = 0.05;
/// No gap's centre is farther from the balls around it, in cells.
constexpr double kGapDistance = 0.5;
/// Largest share around a cell below which the balls say where the surface is, and from which on the shares do. A sheet
/// one cell thick has between 0.48 and 0.67.
constexpr double kLeastShare = 0.5;
constexpr double kSureShare = 0.7;
/// Share of a cell that holds particles below which they are drops above the surface, and from which on they are part
/// of what is below: where a flat surface has just reached the cell it is 1/6.
constexpr double kSpray = 0.08;
constexpr double kSurface = 0.15;
/// Levels this near to a cell's centre are below it, in cells: rounding would put them above some and below others.
constexpr double kOnCentre = 1e-6;
/// Part of a neighbourhood that must be open to tell how full it is.
constexpr double kLeastOpenShare = 0.02;

/// Particle counts of a tile and its border of one cell. `fullness` is the same, with solids counted as full.
struct CellCounts {
    static constexpr int kEdge = kTileEdge + 2;
    std::array<int, kEdge * kEdge * kEdge> count;
    std::array<int, kEdge * kEdge * kEdge> fullness;
    int total = 0;

    [[nodiscard]] int at(int i, int j, int k) const
    {
        return count[static_cast<std::size_t>(i + 1 + kEdge * (j + 1 + kEdge * (k + 1)))];
    }
};

void count_cells(const TileGrid& grid, const ParticleOrder& order, const SolidFields& solids, int t, CellCounts& counts)
{
    std::size_t n = 0;
    for (int k = -1; k <= kTileEdge; ++k)
        for (int j = -1; j <= kTileEdge; ++j)
            for (int i = -1; i <= kTileEdge; ++i, ++n) {
                const std::size_t cell = grid.index(t, i, j, k);
                counts.count[n] = order.count(static_cast<int>(cell / kTileCells), static_cast<int>(cell % kTileCells));
                counts.fullness[n] = solids.centre_inside[cell] != 0 ? kDeepCount : counts.count[n];
                counts.total += counts.count[n];
            }
}

/// Values of a tile's cells and a border of one.
template <class T>
using Bordered = std::array<T, CellCounts::kEdge * CellCounts::kEdge * CellCounts::kEdge>;

/// combine(..) of the values of each cell's 27 neighbours, itself included: three passes, one along each axis.
template <class T, class Combine>
std::array<T, kTileCells> around(const Bordered<T>& values, Combine&& combine)
{
    constexpr int n = CellCounts::kEdge;
    std::array<T, kTileEdge * n * n> x;
    for (int row = 0; row < n * n; ++row)
        for (int i = 0; i < kTileEdge; ++i) {
            const T* v = values.data() + n * row + i;
            x[static_cast<std::size_t>(kTileEdge * row + i)] = combine(v[0], v[1], v[2]);
        }
    std::array<T, kTileEdge * kTileEdge * n> y;
    for (int k = 0; k < n; ++k)
        for (int c = 0; c < kTileEdge * kTileEdge; ++c) {
            const T* from = x.data() + kTileEdge * n * k + c;
            y[static_cast<std::size_t>(64 * k + c)] = combine(from[0], from[kTileEdge], from[2 * kTileEdge]);
        }
    std::array<T, kTileCells> z;
    for (std::size_t c = 0; c < kTileCells; ++c) z[c] = combine(y[c], y[c + 64], y[c + 128]);
    return z;
}
constexpr auto kSmallest = [](auto a, auto b, auto c) { return std::min({a, b, c}); };
constexpr auto kLargest = [](auto a, auto b, auto c) { return std::max({a, b, c}); };

/// Radius of a particle's ball, in cells. Most particles are as large as the one before.
class BallRadius {
public:
    explicit BallRadius(double nominal) : nominal_(nominal), volume_(nominal) {}
    double operator()(double volume)
    {
        if (volume != volume_) {
            volume_ = volume;
            radius_ = volume == nominal_ ? kNominalBallRadius : kNominalBallRadius * std::cbrt(volume / nominal_);
        }
        return radius_;
    }

private:
    double nominal_, volume_;
    double radius_ = kNominalBallRadius;
};

/// The largest radius of any particle's ball, in cells.
double largest_ball(std::span<const double> volume, double nominal)
{
    const double largest = ordered_reduce(
        static_cast<std::int64_t>(volume.size()), "largest ball", 0.0,
        [&](std::int64_t begin, std::int64_t end) {
            double most = 0;
            for (std::int64_t p = begin; p < end; ++p) most = std::max(most, volume[static_cast<std::size_t>(p)]);
            return most;
        },
        [](double a, double b) { return std::max(a, b); });
    return kNominalBallRadius * std::cbrt(largest / nominal);
}

/// The cells around a cell, itself first: where it is full, none of the others has a nearer ball.
struct CellsAround {
    struct Cell {
        int x, y, z;
        double square; ///< of the distance from the centre in the middle, in cells
    };
    std::array<Cell, 27> cells;
    constexpr CellsAround() : cells()
    {
        for (int n = 0; n < 27; ++n) {
            const int m = n == 0 ? 13 : (n <= 13 ? n - 1 : n);
            const int x = m % 3 - 1, y = m / 3 % 3 - 1, z = m / 9 - 1;
            cells[static_cast<std::size_t>(n)] = {x, y, z, 0.25 * (x * x + y * y + z * z)};
        }
    }
};
constexpr CellsAround kAround;

double distance_to_balls(const TileGrid& grid, const ParticleOrder& order, std::span<const Vec3> position,
                         std::span<const double> volume, BallRadius& ball_radius, double largest_radius,
                         const CellCounts& counts, int t, int i, int j, int k)
{
    constexpr double kRounding = 1 + 1e-12;
    const double dx = grid.cell_size();
    const Vec3 x = grid.cell_centre(t, i, j, k);
    double nearest = dx;
    for (const auto& cell : kAround.cells) {
        if (counts.at(i + cell.x, j + cell.y, k + cell.z) == 0) continue;
        const double farthest = nearest / dx + largest_radius;
        if (farthest <= 0 || cell.square > farthest * farthest * kRounding) continue; // none of it can be nearer
        const std::size_t index = grid.index(t, i + cell.x, j + cell.y, k + cell.z);
        for (const std::int32_t id :
             order.cell(static_cast<int>(index / kTileCells), static_cast<int>(index % kTileCells))) {
            const auto p = static_cast<std::size_t>(id);
            const double radius = dx * ball_radius(volume[p]);
            const double reach = nearest + radius, square = (position[p] - x).squaredNorm();
            if (reach <= 0 || square > reach * reach * kRounding) continue; // sure to be no nearer
            nearest = std::min(nearest, std::sqrt(square) - radius);
        }
    }
    return nearest;
}

/// Whether a cell without particles is a gap inside of the liquid: two thirds of the cells around it, solids left out,
/// hold some. Beside a flat surface 9 of 26 do, in a groove with walls at right angles 15.
bool is_gap(const CellCounts& counts, int i, int j, int k)
{
    constexpr int n = CellCounts::kEdge;
    const int first = i + n * (j + n * k);
    int open = 0, held = 0;
    for (int c = 0; c < 27; ++c) {
        const auto at = static_cast<std::size_t>(first + c % 3 + n * (c / 3 % 3) + n * n * (c / 9));
        if (counts.count[at] == 0 && counts.fullness[at] > 0) { // a solid
            if (c == 13) return false;
            continue;
        }
        open += c != 13;
        held += counts.count[at] > 0;
    }
    return held > 0 && 3 * held >= 2 * open;
}

/// Whether so many of the cells around one are empty that it may be outside of the liquid though it holds particles:
/// beside a flat surface 9 of 26 are, at a wall 6 of 17, in a corner 4 of 11.
bool is_at_air(const CellCounts& counts, int i, int j, int k)
{
    constexpr int n = CellCounts::kEdge;
    const int first = i + n * (j + n * k);
    int open = 0, empty = 0;
    for (int c = 0; c < 27; ++c) {
        const auto at = static_cast<std::size_t>(first + c % 3 + n * (c / 3 % 3) + n * n * (c / 9));
        const bool is_empty = counts.fullness[at] == 0;
        empty += is_empty;
        open += is_empty || counts.count[at] > 0;
    }
    return 4 * empty >= open;
}

/// How full the neighbourhood of each cell is of what solids leave open of it.
void share_of_open(const TileGrid& grid, const SolidFields& solids, const std::vector<double>& filled,
                   std::vector<double>& share)
{
    share.resize(grid.field_size());
    std::fill(share.end() - kTileCells, share.end(), 0.0);
    parallel_for(grid.n_tiles(), "share of open", [&](std::int64_t t) {
        const auto first = static_cast<std::size_t>(t) * kTileCells;
        if (solids.tiles[static_cast<std::size_t>(t)] == TileSolidity::Open) {
            std::copy_n(&filled[first], kTileCells, &share[first]);
            return;
        }
        const std::array<double, kTileCells> open = open_shares(grid, solids, static_cast<int>(t));
        for (std::size_t c = 0; c < kTileCells; ++c)
            share[first + c] = open[c] > kLeastOpenShare ? std::min(filled[first + c] / open[c], 1.0) : 0;
    });
}

Bordered<double> with_border(const TileGrid& grid, const std::vector<double>& field, int t)
{
    Bordered<double> values;
    double* to = values.data();
    for (int k = -1; k <= kTileEdge; ++k)
        for (int j = -1; j <= kTileEdge; ++j, to += CellCounts::kEdge) {
            to[0] = field[grid.index(t, -1, j, k)];
            std::copy_n(field.data() + grid.index(t, 0, j, k), kTileEdge, to + 1);
            to[kTileEdge + 1] = field[grid.index(t, kTileEdge, j, k)];
        }
    return values;
}

/// Of a cell's centre from the flat surface that leaves this share of its neighbourhood filled, in cells, up to one.
double flat_distance(double share)
{
    const double distance = std::clamp(-depth_of_share(share), -1.0, 1.0);
    return std::abs(distance) < kOnCentre ? kOnCentre : distance;
}

double ramp(double x, double low, double high) { return std::clamp((x - low) / (high - low), 0.0, 1.0); }

/// Shares of a tile's cells and the border, 0 in those whose centres are in solids: what they say is of slivers.
Bordered<double> open_cells(const TileGrid& grid, const std::vector<double>& share, const SolidFields& solids, int t)
{
    Bordered<double> values = with_border(grid, share, t);
    if (solids.tiles[static_cast<std::size_t>(t)] == TileSolidity::Open) return values;
    std::size_t n = 0;
    for (int k = -1; k <= kTileEdge; ++k)
        for (int j = -1; j <= kTileEdge; ++j)
            for (int i = -1; i <= kTileEdge; ++i, ++n)
                if (solids.centre_inside[grid.index(t, i, j, k)] != 0) values[n] = 0;
    return values;
}

/// By how much the shares say where the surface is, 0 to 1; the rest do the balls. `most`: the largest share around the
/// cell. What is in a cell whose centre is outside of the liquid has to lie on liquid beside it.
double weight_of_share(const Bordered<double>& share, double most, const CellCounts& counts, int i, int j, int k)
{
    constexpr int n = CellCounts::kEdge;
    const double weight = ramp(most, kLeastShare, kSureShare);
    const double* own = share.data() + i + 1 + n * (j + 1 + n * (k + 1));
    if (weight == 0 || counts.at(i, j, k) == 0 || *own >= 0.5) return weight;
    const double beside = std::max({own[-1], own[1], own[-n], own[n], own[-n * n], own[n * n]});
    if (beside <= kLeastShare || !is_at_air(counts, i, j, k)) return 0;
    return weight * ramp(beside, kLeastShare, kSureShare) * ramp(*own, kSpray, kSurface);
}

struct CellValue {
    std::size_t cell;
    double value;
};

/// Values for the cells of a tile that have none yet, as means over the open faces to cells that do.
std::vector<CellValue> carried_values(const TileGrid& grid, const SolidFields& solids,
                                      const std::vector<double>& distance, const std::vector<std::uint8_t>& known,
                                      int t)
{
    std::vector<CellValue> result;
    for (int c = 0; c < kTileCells; ++c) {
        const auto cell = static_cast<std::size_t>(t * kTileCells + c);
        if (known[cell] != 0) continue;
        double sum = 0;
        double weight = 0;
        const CellNeighbours at(grid, t, c % 8, c / 8 % 8, c / 64);
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (const bool is_up : {false, true}) {
                const std::size_t n = is_up ? at.up[axis] : at.down[axis];
                const double open = solids.open[axis][is_up ? n : cell];
                if (open == 0 || known[n] == 0) continue;
                sum += open * distance[n];
                weight += open;
            }
        if (weight > 0) result.push_back({cell, sum / weight});
    }
    return result;
}

/// Carries values into the cells whose centres are inside of a solid, but which have open faces: twice, since a cut
/// cell may touch only others of its kind.
void carry_into_solids(const TileGrid& grid, const SolidFields& solids, std::vector<double>& distance)
{
    std::vector<std::uint8_t> known(grid.field_size());
    parallel_for(grid.n_tiles(), "carry into solids", [&](std::int64_t t) {
        for (std::int64_t c = t * kTileCells; c < (t + 1) * kTileCells; ++c)
            known[static_cast<std::size_t>(c)] = solids.centre_inside[static_cast<std::size_t>(c)] == 0;
    });
    std::vector<std::vector<CellValue>> values(static_cast<std::size_t>(grid.n_tiles()));
    for (int pass = 0; pass < 2; ++pass) {
        parallel_for(grid.n_tiles(), "carry into solids", [&](std::int64_t t) {
            if (solids.tiles[static_cast<std::size_t>(t)] == TileSolidity::Mixed)
                values[static_cast<std::size_t>(t)] =
                    carried_values(grid, solids, distance, known, static_cast<int>(t));
        });
        parallel_for(grid.n_tiles(), "carry into solids", [&](std::int64_t t) {
            for (const CellValue& v : values[static_cast<std::size_t>(t)]) {
                distance[v.cell] = v.value;
                known[v.cell] = 1;
            }
        });
    }
}

/// Liquid cells that no air is around are full, however few particles they hold.
void fill_interior(const TileGrid& grid, const SolidFields& solids, std::vector<double>& distance)
{
    const double full = -grid.cell_size();
    const auto is_inside = [&](int t, int c) {
        for (int n = 0; n < 27; ++n) {
            const std::size_t other = grid.index(t, c % 8 + n % 3 - 1, c / 8 % 8 + n / 3 % 3 - 1, c / 64 + n / 9 - 1);
            if (distance[other] >= 0 && solids.centre_inside[other] == 0) return false;
        }
        return true;
    };
    std::vector<std::vector<std::size_t>> found(static_cast<std::size_t>(grid.n_tiles()));
    parallel_for(grid.n_tiles(), "interior", [&](std::int64_t t) {
        for (int c = 0; c < kTileCells; ++c) {
            const auto cell = static_cast<std::size_t>(t * kTileCells + c);
            if (distance[cell] < 0 && distance[cell] > -kFullDepth * grid.cell_size() &&
                is_inside(static_cast<int>(t), c))
                found[static_cast<std::size_t>(t)].push_back(cell);
        }
    });
    for (const auto& cells : found)
        for (const std::size_t cell : cells) distance[cell] = full;
}

} // namespace

void compute_liquid_distance(const TileGrid& grid, const ParticleOrder& order, std::span<const Vec3> position,
                             std::span<const double> volume, const std::vector<double>& filled,
                             const SolidFields& solids, std::vector<double>& share, std::vector<double>& distance)
{
    const double dx = grid.cell_size();
    share_of_open(grid, solids, filled, share);
    distance.resize(grid.field_size());
    std::fill(distance.end() - kTileCells, distance.end(), dx);
    // A particle is in its cell to rounding, which is much less than this adds.
    const double largest_radius = largest_ball(volume, dx * dx * dx / 8) + 1e-6;
    parallel_for(grid.n_tiles(), "liquid distance", [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        double* out = distance.data() + ti * kTileCells;
        CellCounts counts;
        count_cells(grid, order, solids, t, counts);
        if (counts.total == 0) {
            std::fill_n(out, kTileCells, dx);
            return;
        }
        const auto fewest = around(counts.fullness, kSmallest), most = around(counts.count, kLargest);
        const Bordered<double> open_share = open_cells(grid, share, solids, t);
        const auto fullest = around(open_share, kLargest);
        BallRadius ball_radius(dx * dx * dx / 8);
        for (int c = 0; c < kTileCells; ++c) {
            const int i = c % 8;
            const int j = c / 8 % 8;
            const int k = c / 64;
            const auto cell = static_cast<std::size_t>(c);
            if (fewest[cell] >= kDeepCount || most[cell] == 0) {
                out[c] = most[cell] == 0 ? dx : -dx;
                continue;
            }
            const double own = share[static_cast<std::size_t>(ti * kTileCells + c)];
            const double by_share = weight_of_share(open_share, fullest[cell], counts, i, j, k);
            const double flat = flat_distance(own) * dx;
            double balls = 0;
            if (by_share < 1) {
                balls =
                    distance_to_balls(grid, order, position, volume, ball_radius, largest_radius, counts, t, i, j, k);
                if (counts.at(i, j, k) > 0) balls = std::min(balls, -kLeastDepth * dx);
            }
            out[c] = by_share * flat + (1 - by_share) * balls;
            const bool may_be_gap = out[c] >= 0 && out[c] < kGapDistance * dx && counts.at(i, j, k) == 0;
            if (may_be_gap && is_gap(counts, i, j, k)) out[c] = std::min(out[c], -kLeastDepth * dx);
        }
    });

    fill_interior(grid, solids, distance);
    carry_into_solids(grid, solids, distance);
}

} // namespace rivulet
