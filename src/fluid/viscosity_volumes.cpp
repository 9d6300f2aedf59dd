#include "fluid/viscosity_volumes.h"

#include "base/parallel.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Face centres closer to a solid than this are in it, in cells: a wall exactly on a face must not depend on rounding.
constexpr double kOnTheWall = 1e-6;
/// Faces deeper in a solid than this are out of reach of any liquid, in cells.
constexpr double kReach = 2;

/// Values at integer points from -Margin on, in a cube.
template <int Edge, int Margin>
struct LocalBlock {
    std::array<double, std::size_t(Edge) * Edge * Edge> values;
    [[nodiscard]] double& at(int i, int j, int k) noexcept
    {
        return values[std::size_t(i + Margin + Edge * (j + Margin + Edge * (k + Margin)))];
    }
    [[nodiscard]] double at(int i, int j, int k) const noexcept
    {
        return values[std::size_t(i + Margin + Edge * (j + Margin + Edge * (k + Margin)))];
    }
};
using Distances = LocalBlock<12, 2>; ///< at cell centres -2 .. 9
/// At cell corners -1 .. 8.
struct Nodes : LocalBlock<10, 1> {
    bool between_thin_walls = false; ///< which no corner lies between
};
/// Liquid in the eighths of cells -1 .. 7, at (2i, 2j, 2k) + (0 or 1)^3; two layers below the tile.
using Eighths = LocalBlock<18, 2>;

void load_distances(const ViscosityInput& in, int t, Distances& phi)
{
    for (int k = -2; k < 10; ++k)
        for (int j = -2; j < 10; ++j)
            for (int i = -2; i < 10; ++i) phi.at(i, j, k) = in.liquid_distance[in.grid->index(t, i, j, k)];
}

void load_nodes(const ViscosityInput& in, int t, Nodes& nodes)
{
    for (int a = 0; a < 3; ++a)
        nodes.between_thin_walls = nodes.between_thin_walls || in.solids->is_thin(a, in.grid->cell_size());
    for (int k = -1; k < 9; ++k)
        for (int j = -1; j < 9; ++j)
            for (int i = -1; i < 9; ++i) nodes.at(i, j, k) = in.solids->distance(in.grid->node(t, i, j, k));
}

/// Part of an eighth with this distance at its centre, in cells, where the distance is negative.
double negative_part(double distance) { return std::clamp(0.5 - 2 * distance, 0.0, 1.0); }

/// The trilinear mean of 2x2x2 values that gives `near` (0 or 1 along each axis) three quarters of the weight.
template <class Block>
double interpolate(const Block& block, int i, int j, int k, int near)
{
    double sum = 0;
    for (int n = 0; n < 8; ++n) {
        const int far = n ^ near;
        const int steps = (far & 1) + (far >> 1 & 1) + (far >> 2);
        constexpr std::array<double, 4> kWeight{27.0 / 64, 9.0 / 64, 3.0 / 64, 1.0 / 64};
        sum += kWeight[std::size_t(steps)] * block.at(i + (n & 1), j + (n >> 1 & 1), k + (n >> 2));
    }
    return sum;
}

/// For the cells of a block: 1 if all distances in the 3x3x3 cells around are so far inside that the cell is full, 2 if
/// so far outside that it is empty, 0 if its eighths must be looked at.
class Sides {
public:
    Sides(const Distances& phi, double margin)
    {
        for (std::size_t n = 0; n < flags_.size(); ++n)
            flags_[n] = static_cast<std::uint8_t>((phi.values[n] <= -margin) | (phi.values[n] >= margin) << 1);
        for (const std::size_t step : {1U, 12U, 144U}) { // what all three along an axis have in common
            const auto last = flags_;
            for (std::size_t n = step; n + step < flags_.size(); ++n)
                flags_[n] = static_cast<std::uint8_t>(last[n - step] & last[n] & last[n + step]);
        }
    }
    [[nodiscard]] int at(int i, int j, int k) const { return flags_[std::size_t(i + 2 + 12 * (j + 2 + 12 * (k + 2)))]; }

private:
    std::array<std::uint8_t, 12 * 12 * 12> flags_;
};

/// Whether a cell's corners are so far outside of solids that all of it is.
bool is_clear(const Nodes& nodes, int i, int j, int k, double margin)
{
    double least = nodes.at(i, j, k);
    for (int n = 1; n < 8; ++n) least = std::min(least, nodes.at(i + (n & 1), j + (n >> 1 & 1), k + (n >> 2)));
    return least >= margin;
}

/// Distances at the corners of a square of cell size across axis a, from its lower corner on: their mean, and whether
/// they are not those of a plane, as where two walls meet or are too near to each other.
struct Square {
    double mean;
    bool bent;

    Square(const Nodes& nodes, const Vec3i& corner, int a, double dx)
    {
        constexpr double kFlat = 0.1;
        const Vec3i u = Vec3i::Unit((a + 1) % 3), v = Vec3i::Unit((a + 2) % 3);
        const auto at = [&](const Vec3i& n) { return nodes.at(n.x(), n.y(), n.z()); };
        const double first = at(corner) + at(corner + u + v), second = at(corner + u) + at(corner + v);
        mean = 0.25 * (first + second);
        bent = nodes.between_thin_walls || std::abs(first - second) > kFlat * dx;
    }
};

bool is_bent(const Nodes& nodes, const Vec3i& cell, double dx)
{
    for (int a = 0; a < 3; ++a)
        if (Square(nodes, cell, a, dx).bent || Square(nodes, cell + Vec3i::Unit(a), a, dx).bent) return true;
    return false;
}

void fill_eighths(const ViscosityInput& in, int t, const Distances& phi, const Nodes* nodes, Eighths& eighths)
{
    const double dx = in.grid->cell_size();
    const Sides sides(phi, 0.25 * dx);
    for (int k = -1; k < kTileEdge; ++k)
        for (int j = -1; j < kTileEdge; ++j)
            for (int i = -1; i < kTileEdge; ++i) {
                const int side = sides.at(i, j, k);
                const bool is_cut = nodes != nullptr && side != 2 && !is_clear(*nodes, i, j, k, 0.25 * dx);
                const bool bent = is_cut && is_bent(*nodes, {i, j, k}, dx);
                for (int n = 0; n < 8; ++n) {
                    const int x = n & 1, y = n >> 1 & 1, z = n >> 2;
                    double liquid = side == 1 ? 1 : 0;
                    // The eighth lies between the centres of this cell and of its neighbours on that side.
                    if (side == 0)
                        liquid = negative_part(interpolate(phi, i - 1 + x, j - 1 + y, k - 1 + z, 7 & ~n) / dx);
                    if (liquid > 0 && is_cut) {
                        const double solid = bent ? in.solids->distance(in.grid->node(
                                                        t, i + 0.25 + 0.5 * x, j + 0.25 + 0.5 * y, k + 0.25 + 0.5 * z))
                                                  : interpolate(*nodes, i, j, k, n);
                        liquid *= negative_part(-solid / dx);
                    }
                    eighths.at(2 * i + x, 2 * j + y, 2 * k + z) = liquid;
                }
            }
}

/// Mean of the 2x2x2 eighths from (i, j, k) on.
double mean_of_eighths(const Eighths& e, int i, int j, int k)
{
    double sum = 0;
    for (int n = 0; n < 8; ++n) sum += e.at(i + (n & 1), j + (n >> 1 & 1), k + (n >> 2));
    return sum / 8;
}

void sum_eighths(const Eighths& eighths, int t, ControlVolumes& v)
{
    for (int c = 0; c < kTileCells; ++c) {
        const Vec3i at = 2 * Vec3i(c % 8, c / 8 % 8, c / 64);
        const auto n = std::size_t(t * kTileCells + c);
        v.cell[n] = mean_of_eighths(eighths, at.x(), at.y(), at.z());
        for (int a = 0; a < 3; ++a) {
            const Vec3i f = at - Vec3i::Unit(a);
            const Vec3i e = at - Vec3i::Ones() + Vec3i::Unit(a);
            const double face = mean_of_eighths(eighths, f.x(), f.y(), f.z());
            v.face[std::size_t(a)][n] = face < kLeastFaceVolume ? 0 : face;
            v.edge[std::size_t(a)][n] = mean_of_eighths(eighths, e.x(), e.y(), e.z());
        }
    }
}

Vec3 face_centre(const TileGrid& grid, int t, int a, const Vec3i& cell)
{
    Vec3 x = cell.cast<double>() + Vec3::Constant(0.5);
    x[a] -= 0.5;
    return grid.node(t, x.x(), x.y(), x.z());
}

double face_distance(const ViscosityInput& in, int t, const Nodes& nodes, int a, const Vec3i& cell)
{
    const Square face(nodes, cell, a, in.grid->cell_size());
    return face.bent ? in.solids->distance(face_centre(*in.grid, t, a, cell)) : face.mean;
}

/// Whether liquid at a face in a solid has the solid's velocity along axis a: the solid holds all that touches it, or
/// it is a plane across the axis, which even if smooth stops what comes straight at it.
bool holds_liquid(const ViscosityInput& in, int t, int a, const Vec3i& cell)
{
    const Vec3 x = face_centre(*in.grid, t, a, cell), step = 0.25 * in.grid->cell_size() * Vec3::Unit(a);
    if (in.solids->friction(in.solids->nearest(x).body) > 0) return true;
    return std::abs(in.solids->distance(x + step) - in.solids->distance(x - step)) > (2 - 1e-6) * step[a];
}

void mark_faces(const ViscosityInput& in, int t, const Nodes* nodes, ControlVolumes& v)
{
    const double dx = in.grid->cell_size();
    for (int c = 0; c < kTileCells; ++c)
        for (int a = 0; a < 3; ++a) {
            const auto axis = std::size_t(a);
            const auto n = std::size_t(t * kTileCells + c);
            const Vec3i cell(c % 8, c / 8 % 8, c / 64);
            const double d = nodes != nullptr ? face_distance(in, t, *nodes, a, cell) : dx;
            v.solid_distance[axis][n] = d;
            if (d > kOnTheWall * dx)
                v.kind[axis][n] = v.face[axis][n] > 0 ? FaceKind::Liquid : FaceKind::Empty;
            else
                v.kind[axis][n] = d > -kReach * dx && holds_liquid(in, t, a, cell) ? FaceKind::Held : FaceKind::Slip;
        }
}

void clear_tile(int t, ControlVolumes& v)
{
    const auto begin = std::ptrdiff_t(t) * kTileCells;
    std::fill_n(v.cell.begin() + begin, kTileCells, 0.0);
    for (std::size_t a = 0; a < 3; ++a) {
        std::fill_n(v.face[a].begin() + begin, kTileCells, 0.0);
        std::fill_n(v.edge[a].begin() + begin, kTileCells, 0.0);
        std::fill_n(v.kind[a].begin() + begin, kTileCells, FaceKind::Empty);
        std::fill_n(v.solid_distance[a].begin() + begin, kTileCells, 0.0);
    }
}

void compute_tile(const ViscosityInput& in, int t, ControlVolumes& v)
{
    const double dx = in.grid->cell_size();
    const TileSolidity solidity = in.solid_fields->tiles[std::size_t(t)];
    Distances phi;
    load_distances(in, t, phi);
    const bool near_liquid = std::any_of(phi.values.begin(), phi.values.end(), [&](double d) { return d < 0.25 * dx; });
    if (!near_liquid || solidity == TileSolidity::Solid) return clear_tile(t, v);
    Nodes nodes;
    const bool cut = solidity == TileSolidity::Mixed;
    if (cut) load_nodes(in, t, nodes);
    Eighths eighths;
    fill_eighths(in, t, phi, cut ? &nodes : nullptr, eighths);
    sum_eighths(eighths, t, v);
    mark_faces(in, t, cut ? &nodes : nullptr, v);
}

} // namespace

void ControlVolumes::resize(const TileGrid& grid)
{
    cell.resize(grid.field_size());
    for (std::size_t a = 0; a < 3; ++a) {
        face[a].resize(grid.field_size());
        edge[a].resize(grid.field_size());
        kind[a].resize(grid.field_size());
        solid_distance[a].resize(grid.field_size());
    }
    clear_tile(grid.n_tiles(), *this);
}

void compute_control_volumes(const ViscosityInput& in, ControlVolumes& volumes)
{
    volumes.resize(*in.grid);
    parallel_for(in.grid->n_tiles(), "control volumes",
                 [&](std::int64_t t) { compute_tile(in, static_cast<int>(t), volumes); });
}

} // namespace rivulet
