#include "fluid/viscosity_volumes.h"

#include "base/parallel.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace rivulet {
namespace {

/// Face centres closer to a solid than this are in it, in cells: a wall exactly on a face must not depend on rounding.
constexpr double kOnTheWall = 1e-6;
/// Faces deeper in a solid than this are out of reach of any liquid, in cells.
constexpr double kReach = 2;
/// Corners farther from the walls than this need no exact distance, in cells: nothing that looks at one of them, be it
/// the cell, the face or the next face, is cut by a wall or within kReach of it.
constexpr double kExactReach = 3;

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
/// Liquid in the eighths of cells -1 .. 7, at (2i, 2j, 2k) + (0 or 1)^3; two layers below the tile.
using Eighths = LocalBlock<18, 2>;

void load_distances(const ViscosityInput& in, int t, Distances& phi)
{
    const double* distance = in.liquid_distance.data();
    for (int k = -2; k < 10; ++k)
        for (int j = -2; j < 10; ++j) {
            double* to = &phi.at(-2, j, k);
            std::copy_n(distance + in.grid->index(t, -2, j, k), 2, to);
            std::copy_n(distance + in.grid->index(t, 0, j, k), kTileEdge, to + 2);
            std::copy_n(distance + in.grid->index(t, 8, j, k), 2, to + 10);
        }
}

/// Index of the corner (i, j, k), each from -1 on, in TileWalls.
std::size_t corner_index(int i, int j, int k) { return std::size_t(i + 1 + 10 * (j + 1 + 10 * (k + 1))); }

using NearestBodies = std::array<int, 10 * 10 * 10>; ///< to the corners of TileWalls

/// Distances from solids along a row of corners, and the solids. Where the walls are far, a distance says the next few
/// too: they get no more than theirs, and of its sign.
void load_row(const TileGrid& grid, const Solids& solids, int t, int j, int k, TileWalls& walls, NearestBodies& bodies)
{
    const double dx = grid.cell_size();
    for (int i = -1; i < 9;) {
        const Solids::Nearest near = solids.nearest(grid.node(t, i, j, k));
        const auto set_next = [&](double distance) {
            const std::size_t n = corner_index(i++, j, k);
            walls.corner[n] = distance;
            bodies[n] = near.body;
        };
        set_next(near.distance);
        for (double rest = std::abs(near.distance) - dx; i < 9 && rest >= kExactReach * dx; rest -= dx)
            set_next(std::copysign(rest, near.distance));
    }
}

/// Whether two solids have a gap between them that no corner lies in.
bool has_narrow_gap(const TileGrid& grid, const Solids& solids, int t, const TileWalls& walls,
                    const NearestBodies& bodies)
{
    constexpr std::array<std::size_t, 3> kStride{1, 10, 100};
    const double dx = grid.cell_size();
    const auto is_inside = [&](std::size_t n) { return walls.corner[n] <= kOnTheWall * dx && walls.corner[n] > -dx; };
    for (std::size_t n = 0; n < bodies.size(); ++n)
        for (int a = 0; a < 3; ++a) {
            const std::array<int, 3> corner{int(n % 10) - 1, int(n / 10 % 10) - 1, int(n / 100) - 1};
            const std::size_t next = n + kStride[std::size_t(a)];
            if (corner[std::size_t(a)] == 8 || bodies[n] == bodies[next] || !is_inside(n) || !is_inside(next)) continue;
            const Vec3 x = grid.node(t, corner[0], corner[1], corner[2]);
            if (solids.has_gap_between(x, x + dx * Vec3::Unit(a))) return true;
        }
    return false;
}

/// Part of an eighth with this distance at its centre, in cells, where the distance is negative.
double negative_part(double distance) { return std::clamp(0.5 - 2 * distance, 0.0, 1.0); }

/// Weights of the trilinear mean of 2x2x2 values that gives `near` (0 or 1 along each axis) three quarters of the
/// weight, by near.
constexpr std::array<std::array<double, 8>, 8> trilinear_weights()
{
    constexpr std::array<double, 4> kWeight{27.0 / 64, 9.0 / 64, 3.0 / 64, 1.0 / 64};
    std::array<std::array<double, 8>, 8> weights{};
    for (unsigned near = 0; near < 8; ++near)
        for (unsigned n = 0; n < 8; ++n) {
            const unsigned far = n ^ near;
            weights[near][n] = kWeight[(far & 1) + (far >> 1 & 1) + (far >> 2)];
        }
    return weights;
}
constexpr std::array<std::array<double, 8>, 8> kTrilinear = trilinear_weights();

/// Where the value of the n-th eighth along an axis lies between those of cells: that from `first` on, and its weight.
struct Between {
    std::size_t first;
    double weight;
    explicit Between(std::size_t n) : first(n / 2 + n % 2), weight(n % 2 == 0 ? 0.25 : 0.75) {}
};

/// Part of the eighths in plane n (of 18) that is liquid, from the distances at the cells' centres: one axis after the
/// other.
void fill_plane(const Distances& phi, double dx, std::size_t n, double* eighths)
{
    constexpr std::size_t kCells = 12, kInPlane = kCells * kCells, kFine = 18;
    const double scale = 2 / dx;
    std::array<double, kInPlane> plane;
    const Between z(n);
    const double* below = &phi.values[kInPlane * z.first];
    for (std::size_t q = 0; q < kInPlane; ++q) plane[q] = z.weight * below[q] + (1 - z.weight) * below[q + kInPlane];
    for (std::size_t j = 0; j < kFine; ++j) {
        const Between y(j);
        const double* from = &plane[kCells * y.first];
        std::array<double, kCells> row;
        for (std::size_t i = 0; i < kCells; ++i) row[i] = y.weight * from[i] + (1 - y.weight) * from[i + kCells];
        for (std::size_t i = 0; i < kFine / 2; ++i) {
            const double lower = 0.25 * row[i] + 0.75 * row[i + 1], upper = 0.75 * row[i + 1] + 0.25 * row[i + 2];
            eighths[kFine * j + 2 * i] = std::min(std::max(0.5 - scale * lower, 0.0), 1.0);
            eighths[kFine * j + 2 * i + 1] = std::min(std::max(0.5 - scale * upper, 0.0), 1.0);
        }
    }
}

/// A cell whose corners are deeper in solids than this has no open eighth, in cells: their centres are within 0.44 of
/// a corner, and closed 0.25 below the wall.
constexpr double kBuried = 0.7;

/// For the cells of a block: 1 if a corner is so near to solids that the cell may not be open as a whole, 2 if one is
/// so near to the open that the cell may not be closed as a whole.
class Cuts {
public:
    Cuts(const TileWalls& walls, double dx)
    {
        for (std::size_t n = 0; n < flags_.size(); ++n)
            flags_[n] =
                static_cast<std::uint8_t>((walls.corner[n] < 0.25 * dx) | (walls.corner[n] > -kBuried * dx) << 1);
        for (const std::size_t step : {1U, 10U, 100U})
            for (std::size_t n = 0; n + step < flags_.size(); ++n)
                flags_[n] = static_cast<std::uint8_t>(flags_[n] | flags_[n + step]);
    }
    [[nodiscard]] bool is_buried(int i, int j, int k) const { return (at(i, j, k) & 2) == 0; }
    [[nodiscard]] bool is_cut(int i, int j, int k) const { return at(i, j, k) == 3; }

private:
    [[nodiscard]] int at(int i, int j, int k) const { return flags_[std::size_t(i + 1 + 10 * (j + 1 + 10 * (k + 1)))]; }
    std::array<std::uint8_t, 10 * 10 * 10> flags_;
};

/// Distances from solids at a cell's corners.
struct CellCorners {
    std::array<double, 8> distance;

    CellCorners(const TileWalls& walls, int i, int j, int k)
    {
        for (int n = 0; n < 8; ++n)
            distance[std::size_t(n)] = walls.corner[corner_index(i + (n & 1), j + (n >> 1 & 1), k + (n >> 2))];
    }
    /// At the centre of eighth `near`.
    [[nodiscard]] double at(int near) const
    {
        double sum = 0;
        for (int n = 0; n < 8; ++n) sum += kTrilinear[std::size_t(near)][std::size_t(n)] * distance[std::size_t(n)];
        return sum;
    }
};

/// Distances at the corners of a square of cell size across axis a, from its lower corner on: their mean, and whether
/// they are not those of a plane, as where two walls meet or are too near to each other.
struct Square {
    double mean;
    bool bent;

    Square(const TileWalls& walls, const Vec3i& corner, int a, double dx)
    {
        constexpr double kFlat = 0.1;
        constexpr std::array<std::size_t, 3> kStride{1, 10, 100};
        const double* d = &walls.corner[corner_index(corner.x(), corner.y(), corner.z())];
        const std::size_t u = kStride[std::size_t((a + 1) % 3)], v = kStride[std::size_t((a + 2) % 3)];
        const double first = d[0] + d[u + v], second = d[u] + d[v];
        mean = 0.25 * (first + second);
        bent = walls.between_thin_walls || std::abs(first - second) > kFlat * dx;
        if (bent && !walls.between_thin_walls) { // far from any wall the mean will do
            const double farthest = std::max({std::abs(d[0]), std::abs(d[u]), std::abs(d[v]), std::abs(d[u + v])});
            bent = farthest < kExactReach * dx;
        }
    }
};

bool is_bent(const TileWalls& walls, const Vec3i& cell, double dx)
{
    for (int a = 0; a < 3; ++a)
        if (Square(walls, cell, a, dx).bent || Square(walls, cell + Vec3i::Unit(a), a, dx).bent) return true;
    return false;
}

/// Takes from the eighths of a cell what solids take of them.
void cut_cell(const ViscosityInput& in, int t, const TileWalls& walls, int i, int j, int k, Eighths& eighths)
{
    const double dx = in.grid->cell_size();
    const CellCorners corners(walls, i, j, k);
    const bool bent = is_bent(walls, {i, j, k}, dx);
    for (int n = 0; n < 8; ++n) {
        const int x = n & 1, y = n >> 1 & 1, z = n >> 2;
        double& liquid = eighths.at(2 * i + x, 2 * j + y, 2 * k + z);
        if (liquid == 0) continue;
        const double solid =
            bent ? in.solids->distance(in.grid->node(t, i + 0.25 + 0.5 * x, j + 0.25 + 0.5 * y, k + 0.25 + 0.5 * z))
                 : corners.at(n);
        liquid *= negative_part(-solid / dx);
    }
}

void fill_eighths(const ViscosityInput& in, int t, const Distances& phi, const TileWalls* walls, Eighths& eighths)
{
    const double dx = in.grid->cell_size();
    for (std::size_t n = 0; n < 18; ++n) fill_plane(phi, dx, n, &eighths.values[18 * 18 * n]);
    if (walls == nullptr) return;
    const Cuts cuts(*walls, dx);
    for (int k = -1; k < kTileEdge; ++k)
        for (int j = -1; j < kTileEdge; ++j)
            for (int i = -1; i < kTileEdge; ++i) {
                if (cuts.is_cut(i, j, k))
                    cut_cell(in, t, *walls, i, j, k, eighths);
                else if (cuts.is_buried(i, j, k))
                    for (int n = 0; n < 4; ++n)
                        std::fill_n(&eighths.at(2 * i, 2 * j + (n & 1), 2 * k + (n >> 1)), 2, 0.0);
            }
}

/// Sums of pairs of eighths along a row of 18: those of the eight cells, and those around their lower faces.
void sum_pairs(const double* row, double* cells, double* faces)
{
    for (int i = 0; i < kTileEdge; ++i) {
        cells[i] = row[2 * i + 2] + row[2 * i + 3];
        faces[i] = row[2 * i + 1] + row[2 * i + 2];
    }
}

/// Means over cells, faces and edges of a tile: pairs are summed along one axis after the other, each from the cell's
/// own eighth and from that below it.
void sum_eighths(const Eighths& eighths, int t, ControlVolumes& v)
{
    constexpr std::size_t kFine = 18, kInPlane = kFine * kFine;
    using CellRow = std::array<double, kTileEdge>;
    std::array<std::array<double, kInPlane>, 2> planes; // of the cells, and around their lower faces along z
    for (std::size_t row = 0; row < kTileEdge * kTileEdge; ++row) {
        const std::size_t j = row % 8, k = row / 8;
        if (j == 0)
            for (std::size_t z = 0; z < 2; ++z) {
                const double* from = &eighths.values[kInPlane * (2 * k + 2 - z)];
                for (std::size_t q = 0; q < kInPlane; ++q) planes[z][q] = from[q] + from[q + kInPlane];
            }
        std::array<std::array<std::array<CellRow, 2>, 2>, 2> sum; // [z][y][x]
        for (std::size_t z = 0; z < 2; ++z)
            for (std::size_t y = 0; y < 2; ++y) {
                const double* from = &planes[z][kFine * (2 * j + 2 - y)];
                std::array<double, kFine> pairs;
                for (std::size_t i = 0; i < kFine; ++i) pairs[i] = from[i] + from[i + kFine];
                sum_pairs(pairs.data(), sum[z][y][0].data(), sum[z][y][1].data());
            }
        const std::size_t n = std::size_t(t) * kTileCells + kTileEdge * row;
        for (std::size_t i = 0; i < kTileEdge; ++i) {
            const auto face = [&](double mean) { return mean < kLeastFaceVolume ? 0 : mean; };
            v.cell[n + i] = sum[0][0][0][i] / 8;
            v.face[0][n + i] = face(sum[0][0][1][i] / 8);
            v.face[1][n + i] = face(sum[0][1][0][i] / 8);
            v.face[2][n + i] = face(sum[1][0][0][i] / 8);
            v.edge[0][n + i] = sum[1][1][0][i] / 8;
            v.edge[1][n + i] = sum[1][0][1][i] / 8;
            v.edge[2][n + i] = sum[0][1][1][i] / 8;
        }
    }
}

/// Which solids have friction.
enum class Grip : std::uint8_t { None, Some, All };

Grip grip_of(const Solids& solids)
{
    std::size_t with = solids.wall_friction > 0 ? 1 : 0;
    for (const SolidBody& body : solids.bodies) with += body.friction > 0 ? 1 : 0;
    return with == 0 ? Grip::None : (with == solids.bodies.size() + 1 ? Grip::All : Grip::Some);
}

/// Whether liquid at a face in a solid has the solid's velocity along axis a: the solid holds all that touches it, or
/// it is a plane across the axis, which even if smooth stops what comes straight at it.
bool holds_liquid(const TileGrid& grid, const Solids& solids, Grip grip, const Vec3& x, int a)
{
    const Vec3 step = 0.25 * grid.cell_size() * Vec3::Unit(a);
    if (grip == Grip::All || (grip == Grip::Some && solids.friction(solids.nearest(x).body) > 0)) return true;
    return std::abs(solids.distance(x + step) - solids.distance(x - step)) > (2 - 1e-6) * step[a];
}

void find_walls(const TileGrid& grid, const Solids& solids, int t, TileWalls& walls)
{
    const double dx = grid.cell_size();
    NearestBodies bodies;
    for (int k = -1; k < 9; ++k)
        for (int j = -1; j < 9; ++j) load_row(grid, solids, t, j, k, walls, bodies);
    walls.between_thin_walls = solids.is_thin(0, dx) || solids.is_thin(1, dx) || solids.is_thin(2, dx) ||
                               has_narrow_gap(grid, solids, t, walls, bodies);
    const Grip grip = grip_of(solids);
    for (int c = 0; c < kTileCells; ++c)
        for (int a = 0; a < 3; ++a) {
            const Vec3i cell(c % 8, c / 8 % 8, c / 64);
            const Square face(walls, cell, a, dx);
            const Vec3 x = grid.face_centre(t, a, cell);
            const double d = face.bent ? solids.distance(x) : face.mean;
            FaceKind kind = FaceKind::Empty;
            if (!(d > kOnTheWall * dx))
                kind = d > -kReach * dx && holds_liquid(grid, solids, grip, x, a) ? FaceKind::Held : FaceKind::Slip;
            walls.distance[std::size_t(a)][std::size_t(c)] = d;
            walls.in_solid[std::size_t(a)][std::size_t(c)] = kind;
        }
}

void mark_faces(int t, const TileWalls* walls, ControlVolumes& v)
{
    const std::size_t begin = std::size_t(t) * kTileCells;
    bool has_held = false;
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t c = 0; c < kTileCells; ++c) {
            const FaceKind outside = v.face[a][begin + c] > 0 ? FaceKind::Liquid : FaceKind::Empty;
            const FaceKind inside = walls != nullptr ? walls->in_solid[a][c] : FaceKind::Empty;
            v.kind[a][begin + c] = inside == FaceKind::Empty ? outside : inside;
            has_held = has_held | (inside == FaceKind::Held);
        }
    v.has_held[std::size_t(t)] = has_held;
}

void mark_dry(int t, ControlVolumes& v)
{
    v.is_wet[std::size_t(t)] = v.has_held[std::size_t(t)] = 0;
    for (auto& kind : v.kind) std::fill_n(kind.begin() + std::ptrdiff_t(t) * kTileCells, kTileCells, FaceKind::Empty);
}

/// Whether all that counts as liquid around a tile is closed off by solids: inside of them distances mean little.
bool is_dry(const ViscosityInput& in, int t, const Distances& phi)
{
    const double near = 0.25 * in.grid->cell_size();
    for (int k = -2; k < 10; ++k)
        for (int j = -2; j < 10; ++j)
            for (int i = -2; i < 10; ++i)
                if (phi.at(i, j, k) < near && in.solid_fields->open_volume[in.grid->index(t, i, j, k)] != 0)
                    return false;
    return true;
}

/// Faces of free liquid have no more volume than their mass says, so that no stress is too much for them.
void bound_faces(const ViscosityInput& in, int t, ControlVolumes& v)
{
    const double cell_volume = std::pow(in.grid->cell_size(), 3);
    for (std::size_t a = 0; a < 3; ++a)
        for (int c = 0; c < kTileCells; ++c) {
            Vec3i at(c % kTileEdge, c / kTileEdge % kTileEdge, c / kTileEdge / kTileEdge);
            --at[static_cast<int>(a)];
            const auto n = std::size_t(t * kTileCells + c);
            const std::size_t below = in.grid->index(t, at.x(), at.y(), at.z());
            const double most = in.carried[a][n] / (density_at(in, n, below) * cell_volume);
            v.face[a][n] = most < kLeastFaceVolume ? 0 : std::min(v.face[a][n], most);
        }
}

/// The walls of a tile that solids may cut: of `at_rest` where nothing that moves comes near, and then only once.
const TileWalls* walls_of(const ViscosityInput& in, const Solids& at_rest, int t, ControlVolumes& v)
{
    const auto tile = std::size_t(t);
    if (in.solid_fields->tiles[tile] != TileSolidity::Mixed) return nullptr;
    const bool rests = in.solid_fields->near_moving[tile] == 0;
    if (v.walls[tile] != nullptr && rests) return v.walls[tile].get();
    if (v.walls[tile] == nullptr) v.walls[tile] = std::make_unique_for_overwrite<TileWalls>();
    find_walls(*in.grid, rests ? at_rest : *in.solids, t, *v.walls[tile]);
    return v.walls[tile].get();
}

void compute_tile(const ViscosityInput& in, const Solids& at_rest, int t, ControlVolumes& v)
{
    const double dx = in.grid->cell_size();
    const TileSolidity solidity = in.solid_fields->tiles[std::size_t(t)];
    Distances phi;
    load_distances(in, t, phi);
    const bool near_liquid = std::any_of(phi.values.begin(), phi.values.end(), [&](double d) { return d < 0.25 * dx; });
    if (!near_liquid || solidity == TileSolidity::Solid || (solidity == TileSolidity::Mixed && is_dry(in, t, phi)))
        return mark_dry(t, v);
    const TileWalls* walls = walls_of(in, at_rest, t, v);
    Eighths eighths;
    fill_eighths(in, t, phi, walls, eighths);
    sum_eighths(eighths, t, v);
    if (in.is_free(std::size_t(t))) bound_faces(in, t, v);
    mark_faces(t, walls, v);
    v.is_wet[std::size_t(t)] = 1;
}

/// Room for the fields of the input's grid, all zero in the tile that stands for the outside; and what is known of the
/// walls of its tiles.
void make_room(const ViscosityInput& in, ControlVolumes& v)
{
    const TileGrid& grid = *in.grid;
    const auto n_tiles = std::size_t(grid.n_tiles());
    const auto resize = [&](std::vector<double>& field) {
        field.resize(grid.field_size());
        std::fill(field.end() - kTileCells, field.end(), 0.0);
    };
    resize(v.cell);
    for (std::size_t a = 0; a < 3; ++a) {
        resize(v.face[a]);
        resize(v.edge[a]);
        v.kind[a].resize(grid.field_size());
    }
    v.is_wet.resize(n_tiles + 1);
    v.has_held.resize(n_tiles + 1);
    mark_dry(grid.n_tiles(), v);

    std::vector<std::unique_ptr<TileWalls>> walls(n_tiles + 1);
    if (in.has_same_static_solids)
        for (std::size_t t = 0; t < n_tiles; ++t) {
            const int last = v.grid.find(grid.tile(int(t)));
            // Where a body came near, what is known holds no more; where it left, it never did.
            if (last < v.grid.n_tiles() && in.solid_fields->near_moving[t] == 0 && v.rests[std::size_t(last)] != 0)
                walls[t] = std::move(v.walls[std::size_t(last)]);
        }
    v.walls = std::move(walls);
    v.rests.assign(n_tiles + 1, 0);
    for (std::size_t t = 0; t < n_tiles; ++t) v.rests[t] = in.solid_fields->near_moving[t] == 0;
    v.grid = grid;
}

} // namespace

double density_at(const ViscosityInput& in, std::size_t cell, std::size_t below)
{
    const double up = in.density.empty() ? 0 : in.density[cell], down = in.density.empty() ? 0 : in.density[below];
    if (!(up > 0) && !(down > 0)) return in.uniform_density;
    return up > 0 && down > 0 ? 0.5 * (up + down) : std::max(up, down);
}

std::size_t ControlVolumes::bytes() const noexcept
{
    std::size_t n = cell.capacity() * sizeof(double);
    for (std::size_t a = 0; a < 3; ++a)
        n += (face[a].capacity() + edge[a].capacity()) * sizeof(double) + kind[a].capacity();
    for (const auto& tile : walls) n += tile != nullptr ? sizeof(TileWalls) : 0;
    return n;
}

void compute_control_volumes(const ViscosityInput& in, ControlVolumes& volumes)
{
    make_room(in, volumes);
    std::vector<SolidBody> bodies;
    std::copy_if(in.solids->bodies.begin(), in.solids->bodies.end(), std::back_inserter(bodies),
                 [](const SolidBody& body) { return body.is_static; });
    Solids at_rest = *in.solids;
    at_rest.bodies = bodies;
    parallel_for(in.grid->n_tiles(), "control volumes",
                 [&](std::int64_t t) { compute_tile(in, at_rest, static_cast<int>(t), volumes); });
}

} // namespace rivulet
