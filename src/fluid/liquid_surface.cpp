#include "fluid/liquid_surface.h"

#include "base/parallel.h"
#include "fluid/bordered_tile.h"
#include "fluid/cell_neighbours.h"
#include "fluid/filled_share.h"
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
/// Part of a cell that must be open to tell how full it is, if its centre is in a solid, of kOpenCell.
constexpr int kLeastOpenPart = kOpenCell / 10;
/// Slope of the shares, from cell to cell, from which on their direction is sure to be that of the surface: at a flat
/// one it is 0.48, a cell above or below it 0.25.
constexpr double kSureSlope = 0.125;
/// How full a neighbourhood is at most if the cell in its middle, which its solid's surface cuts, may be air.
constexpr double kAirAtSolid = 0.6;

/// Whether what a solid leaves of a cell, its centre not included, holds nothing and little is around it.
bool may_be_air(const SolidFields& solids, const std::vector<double>& share, std::size_t cell, int count)
{
    return count == 0 && solids.open_volume[cell] >= kLeastOpenPart && share[cell] < kAirAtSolid;
}

/// Particle counts of a tile and its border of one cell. `fullness` is the same, with solids counted as full.
struct CellCounts {
    Bordered<int> count;
    Bordered<int> fullness;
    int total = 0;

    [[nodiscard]] int at(int i, int j, int k) const { return count[bordered_index(i, j, k)]; }
};

void count_cells(const TileGrid& grid, const ParticleOrder& order, const SolidFields& solids,
                 const std::vector<double>& share, int t, CellCounts& counts)
{
    std::size_t n = 0;
    for (int k = -1; k <= kTileEdge; ++k)
        for (int j = -1; j <= kTileEdge; ++j)
            for (int i = -1; i <= kTileEdge; ++i, ++n) {
                const std::size_t cell = grid.index(t, i, j, k);
                counts.count[n] = order.count(static_cast<int>(cell / kTileCells), static_cast<int>(cell % kTileCells));
                const bool is_solid =
                    solids.centre_inside[cell] != 0 && !may_be_air(solids, share, cell, counts.count[n]);
                counts.fullness[n] = is_solid ? kDeepCount : counts.count[n];
                counts.total += counts.count[n];
            }
}

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

/// How many of the 27 cells around one, itself included, hold particles, and how many are empty; the rest are solid.
struct HeldCells {
    int held = 0, empty = 0;

    HeldCells(const CellCounts& counts, int i, int j, int k)
    {
        for (const auto& cell : kAround.cells) {
            const std::size_t at = bordered_index(i + cell.x, j + cell.y, k + cell.z);
            held += counts.count[at] > 0;
            empty += counts.fullness[at] == 0;
        }
    }
};

/// Whether an empty cell is a gap inside of the liquid: two thirds of the cells around it, solids left out, hold
/// particles. Beside a flat surface 9 of 26 do, in a groove with walls at right angles 15.
bool is_gap(const CellCounts& counts, int i, int j, int k)
{
    if (counts.fullness[bordered_index(i, j, k)] != 0) return false; // a solid's
    const HeldCells around(counts, i, j, k);
    return around.held > 0 && around.held >= 2 * (around.empty - 1);
}

/// Whether so many of the cells around one are empty that it may be outside of the liquid though it holds particles:
/// beside a flat surface 9 of 26 are, at a wall 6 of 17, in a corner 4 of 11.
bool is_at_air(const CellCounts& counts, int i, int j, int k)
{
    const HeldCells around(counts, i, j, k);
    return 3 * around.empty >= around.held;
}

/// Of a cell's centre from the flat surface that leaves this share of its neighbourhood filled, in cells, up to one.
double flat_distance(double share)
{
    const double distance = std::clamp(-depth_of_share(share), -1.0, 1.0);
    return std::abs(distance) < kOnCentre ? kOnCentre : distance;
}

double ramp(double x, double low, double high) { return std::clamp((x - low) / (high - low), 0.0, 1.0); }

/// Shares of a tile's cells and the border, 0 in those that solids take but for slivers.
Bordered<double> open_cells(const TileGrid& grid, const std::vector<double>& share, const SolidFields& solids, int t)
{
    Bordered<double> values = with_border(grid, share, t);
    if (solids.tiles[static_cast<std::size_t>(t)] == TileSolidity::Open) return values;
    std::size_t n = 0;
    for (int k = -1; k <= kTileEdge; ++k)
        for (int j = -1; j <= kTileEdge; ++j)
            for (int i = -1; i <= kTileEdge; ++i, ++n) {
                const std::size_t cell = grid.index(t, i, j, k);
                const bool is_sliver = solids.centre_inside[cell] != 0 && solids.open_volume[cell] < kLeastOpenPart;
                if (is_sliver) values[n] = 0;
            }
    return values;
}

/// By how much the shares say where the surface is, 0 to 1; the rest do the balls. `most`: the largest share around the
/// cell. What is in a cell whose centre is outside of the liquid has to lie on liquid beside it.
double weight_of_share(const Bordered<double>& share, double most, const CellCounts& counts, int i, int j, int k)
{
    constexpr int n = kBorderedEdge;
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

/// How the distance to the surface grows from a cell to the next in each direction, in cells: where the shares fall.
Vec3 slope_of_distance(const TileGrid& grid, const SolidFields& solids, const std::vector<double>& share,
                       std::size_t cell)
{
    const int t = static_cast<int>(cell / kTileCells), c = static_cast<int>(cell % kTileCells);
    if (t == grid.n_tiles()) return Vec3::Zero(); // outside of the grid
    const CellNeighbours at(grid, t, c % 8, c / 8 % 8, c / 64);
    Vec3 slope;
    for (std::size_t a = 0; a < 3; ++a) {
        const auto share_at = [&](std::size_t n) { return solids.open_volume[n] > 0 ? share[n] : share[cell]; };
        slope[static_cast<int>(a)] = (share_at(at.down[a]) - share_at(at.up[a])) / 2;
    }
    return slope / std::max(slope.norm(), kSureSlope);
}

/// Values for the cells of a tile that have none yet, as means over the open faces to cells that do. Liquid on a floor
/// is deeper in the cell that the floor cuts than in the one above; that under a lid which it does not reach less deep.
std::vector<CellValue> carried_values(const TileGrid& grid, const SolidFields& solids, const std::vector<double>& share,
                                      const std::vector<double>& distance, const std::vector<std::uint8_t>& is_air,
                                      const std::vector<std::uint8_t>& known, int t)
{
    const double dx = grid.cell_size();
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
                const double rise = slope_of_distance(grid, solids, share, n)[static_cast<int>(axis)];
                const double deeper = is_up ? rise : -rise;
                sum += open * std::max(distance[n] - dx * (is_air[cell] != 0 ? deeper : std::max(deeper, 0.0)), -dx);
                weight += open;
            }
        if (weight == 0) continue;
        result.push_back({cell, is_air[cell] != 0 ? std::max(sum / weight, kLeastDepth * dx) : sum / weight});
    }
    return result;
}

/// Carries values into the cells whose centres are inside of a solid, but which have open faces: twice, since a cut
/// cell may touch only others of its kind.
void carry_into_solids(const TileGrid& grid, const SolidFields& solids, const std::vector<double>& share,
                       const std::vector<std::uint8_t>& is_air, std::vector<double>& distance)
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
                    carried_values(grid, solids, share, distance, is_air, known, static_cast<int>(t));
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
void fill_interior(const TileGrid& grid, const SolidFields& solids, const std::vector<std::uint8_t>& is_air,
                   std::vector<double>& distance)
{
    const double full = -grid.cell_size();
    const auto is_inside = [&](int t, int c) {
        for (int n = 0; n < 27; ++n) {
            const std::size_t other = grid.index(t, c % 8 + n % 3 - 1, c / 8 % 8 + n / 3 % 3 - 1, c / 64 + n / 9 - 1);
            if (distance[other] >= 0 && (solids.centre_inside[other] == 0 || is_air[other] != 0)) return false;
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
    compute_filled_share(grid, solids, filled, share, distance);
    distance.resize(grid.field_size());
    std::fill(distance.end() - kTileCells, distance.end(), dx);
    // A particle is in its cell to rounding, which is much less than this adds.
    const double largest_radius = largest_ball(volume, dx * dx * dx / 8) + 1e-6;
    std::vector<std::uint8_t> is_air(grid.field_size(), 0); // of cells that are a solid's at their centres
    parallel_for(grid.n_tiles(), "liquid distance", [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        double* out = distance.data() + ti * kTileCells;
        CellCounts counts;
        count_cells(grid, order, solids, share, t, counts);
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
            const auto index = static_cast<std::size_t>(ti * kTileCells + c);
            if (solids.centre_inside[index] != 0 && counts.fullness[bordered_index(i, j, k)] == 0 &&
                !is_gap(counts, i, j, k)) {
                is_air[index] = 1;
                out[c] = dx;
                continue;
            }
            const double own = share[index];
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

    fill_interior(grid, solids, is_air, distance);
    carry_into_solids(grid, solids, share, is_air, distance);
}

} // namespace rivulet
