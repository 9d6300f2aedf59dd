#include "fluid/extrapolate.h"

#include "base/parallel.h"

#include <algorithm>
#include <array>
#include <bit>

namespace rivulet {
namespace {

/// Marks the open faces of liquid cells along one axis.
void mark_known(const TileGrid& grid, const SolidFields& solids, std::span<const std::uint8_t> liquid, std::size_t axis,
                std::vector<std::uint8_t>& known)
{
    const Vec3i e = Vec3i::Unit(static_cast<int>(axis));
    parallel_for(grid.n_tiles(), "mark known faces", [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        std::array<std::uint8_t, kTileEdge> shifted;
        for (int row = 0; row < kTileEdge * kTileEdge; ++row) {
            const int j = row % 8, k = row / 8;
            const auto face = static_cast<std::size_t>(t * kTileCells + row * kTileEdge);
            const std::uint8_t* own = liquid.data() + face;
            const std::uint8_t* below = liquid.data() + grid.index(t, 0, j - e.y(), k - e.z());
            if (axis == 0) {
                shifted[0] = liquid[grid.index(t, -1, j, k)];
                std::copy_n(own, kTileEdge - 1, shifted.begin() + 1);
                below = shifted.data();
            }
            const double* open = &solids.open[axis][face];
            for (int i = 0; i < kTileEdge; ++i)
                known[face + static_cast<std::size_t>(i)] = open[i] > 0 && (own[i] | below[i]) != 0;
        }
    });
}

/// Known faces as bits: a byte for a row of eight along x, 64 for a tile.
using KnownBits = std::vector<std::uint8_t>;
constexpr int kTileRows = kTileEdge * kTileEdge;

KnownBits bits_of(const TileGrid& grid, const std::vector<std::uint8_t>& known)
{
    KnownBits bits(static_cast<std::size_t>(grid.n_tiles() + 1) * kTileRows);
    parallel_for(
        grid.n_tiles() + 1, "known bits",
        [&](std::int64_t t) {
            for (std::int64_t row = t * kTileRows; row < (t + 1) * kTileRows; ++row) {
                const std::uint8_t* from = known.data() + row * kTileEdge;
                unsigned byte = 0;
                for (unsigned i = 0; i < kTileEdge; ++i) byte |= static_cast<unsigned>(from[i] != 0) << i;
                bits[static_cast<std::size_t>(row)] = static_cast<std::uint8_t>(byte);
            }
        },
        8);
    return bits;
}

/// Bits of the row (j, k) of tile t, at most one of which is one step outside of it.
unsigned row_bits(const TileGrid& grid, const KnownBits& bits, int t, int j, int k, int side = 0)
{
    const int tile = grid.neighbour(t, side, j >> 3, k >> 3);
    return bits[static_cast<std::size_t>(tile * kTileRows + (j & 7) + kTileEdge * (k & 7))];
}

/// Mean of the known faces around a face; they are asked in a fixed order.
double mean_of_known(const TileGrid& grid, int t, const Vec3i& cell, const std::vector<std::uint8_t>& known,
                     const std::vector<double>& velocity)
{
    double sum = 0;
    int n = 0;
    for (int axis = 0; axis < 3; ++axis)
        for (const int step : {-1, 1}) {
            Vec3i at = cell;
            at[axis] += step;
            const std::size_t other = grid.index(t, at.x(), at.y(), at.z());
            if (known[other] == 0) continue;
            sum += velocity[other];
            ++n;
        }
    return sum / n;
}

/// One layer in one tile: faces that `known` leaves empty take the mean of the known ones around them. Values are read
/// only where known and written only where not, so tiles cannot disturb each other.
void grow_tile(const TileGrid& grid, int t, const KnownBits& bits, const std::vector<std::uint8_t>& known,
               KnownBits& next, std::vector<double>& velocity)
{
    for (int row = 0; row < kTileRows; ++row) {
        const int j = row % 8, k = row / 8;
        const unsigned own = row_bits(grid, bits, t, j, k);
        if (own == 0xFF) continue;
        const unsigned around = own << 1 | own >> 1 | row_bits(grid, bits, t, j, k, -1) >> 7 |
                                row_bits(grid, bits, t, j, k, 1) << 7 | row_bits(grid, bits, t, j - 1, k) |
                                row_bits(grid, bits, t, j + 1, k) | row_bits(grid, bits, t, j, k - 1) |
                                row_bits(grid, bits, t, j, k + 1);
        const unsigned grown = around & ~own & 0xFF;
        next[static_cast<std::size_t>(t * kTileRows + row)] = static_cast<std::uint8_t>(grown);
        for (unsigned left = grown; left != 0; left &= left - 1) {
            const Vec3i cell(std::countr_zero(left), j, k);
            velocity[static_cast<std::size_t>(t * kTileCells + cell.x() + kTileEdge * row)] =
                mean_of_known(grid, t, cell, known, velocity);
        }
    }
}

/// Marks the faces of `grown` in a tile as known, and leaves none there.
void add_grown(int t, KnownBits& grown, KnownBits& bits, std::vector<std::uint8_t>& known)
{
    for (auto row = static_cast<std::size_t>(t) * kTileRows; row < static_cast<std::size_t>(t + 1) * kTileRows; ++row) {
        if (grown[row] == 0) continue;
        bits[row] = static_cast<std::uint8_t>(bits[row] | grown[row]);
        for (unsigned left = grown[row]; left != 0; left &= left - 1)
            known[row * kTileEdge + static_cast<std::size_t>(std::countr_zero(left))] = 1;
        grown[row] = 0;
    }
}

/// One layer of changes in one tile, as extrapolate_change describes.
void grow_change(const TileGrid& grid, int t, const std::vector<double>& open, const std::vector<double>& mass,
                 const std::vector<double>& transferred, const std::vector<std::uint8_t>& known,
                 std::vector<std::uint8_t>& next, std::vector<double>& velocity)
{
    for (int c = 0; c < kTileCells; ++c) {
        const auto face = static_cast<std::size_t>(t * kTileCells + c);
        if (known[face] != 0 || !(mass[face] > 0) || open[face] < 1) continue;
        double sum = 0;
        int n = 0;
        for (int side = 0; side < 6; ++side) {
            const Vec3i e = (side % 2 == 0 ? -1 : 1) * Vec3i::Unit(side / 2);
            const std::size_t other = grid.index(t, c % 8 + e.x(), c / 8 % 8 + e.y(), c / 64 + e.z());
            if (known[other] == 0) continue;
            sum += velocity[other] - transferred[other];
            ++n;
        }
        if (n == 0) continue;
        velocity[face] = transferred[face] + sum / n;
        next[face] = 1;
    }
}

/// Velocity at a face as a vector: its own component, and the means of the four faces of each other axis around it.
Vec3 vector_at_face(const TileGrid& grid, const std::array<std::vector<double>, 3>& velocity, int t, int axis,
                    const Vec3i& cell)
{
    constexpr std::array<std::ptrdiff_t, 3> kStride{1, kTileEdge, kTileEdge * kTileEdge};
    const bool is_inner = cell.minCoeff() > 0 && cell.maxCoeff() < kTileEdge - 1;
    const auto own = static_cast<std::ptrdiff_t>(grid.index(t, cell.x(), cell.y(), cell.z()));
    Vec3 u;
    for (int b = 0; b < 3; ++b) {
        const double* field = velocity[static_cast<std::size_t>(b)].data();
        if (b == axis) {
            u[b] = field[own];
            continue;
        }
        const std::ptrdiff_t up = kStride[static_cast<std::size_t>(b)], down = kStride[static_cast<std::size_t>(axis)];
        double sum = 0;
        for (int n = 0; n < 4; ++n) {
            if (is_inner) {
                sum += field[own + (n & 1) * up - (n >> 1) * down];
                continue;
            }
            const Vec3i f = cell + (n & 1) * Vec3i::Unit(b) - (n >> 1) * Vec3i::Unit(axis);
            sum += field[grid.index(t, f.x(), f.y(), f.z())];
        }
        u[b] = sum / 4;
    }
    return u;
}

struct FaceValue {
    std::size_t axis;
    std::size_t face;
    double value;
};

/// New values for the faces of one tile that lie inside a solid.
std::vector<FaceValue> constrained_faces(const TileGrid& grid, const Solids& solids, const SolidFields& fields, int t,
                                         const std::array<std::vector<std::uint8_t>, 3>& known,
                                         const std::array<std::vector<double>, 3>& velocity)
{
    std::vector<FaceValue> result;
    for (int c = 0; c < kTileCells; ++c)
        for (int a = 0; a < 3; ++a) {
            const auto axis = static_cast<std::size_t>(a);
            const auto face = static_cast<std::size_t>(t * kTileCells + c);
            if (fields.open[axis][face] == 1 || known[axis][face] == 0) continue;
            const Vec3i cell(c % 8, c / 8 % 8, c / 64);
            Vec3 offset(0.5, 0.5, 0.5);
            offset[a] = 0;
            const Vec3 x = grid.node(t, cell.x() + offset.x(), cell.y() + offset.y(), cell.z() + offset.z());
            const Solids::Nearest near = solids.nearest(x);
            if (near.distance > 0) continue;
            const bool rests = near.body < 0 || solids.bodies[static_cast<std::size_t>(near.body)].is_static;
            const Vec3 u_solid = rests ? Vec3(Vec3::Zero()) : solids.velocity(x, near.body);
            const double friction = solids.friction(near.body);
            if (friction == 1) { // nothing slips
                result.push_back({axis, face, u_solid[a]});
                continue;
            }
            const Vec3 normal = solids.normal(x, near.body);
            const Vec3 slip = vector_at_face(grid, velocity, t, a, cell) - u_solid;
            const Vec3 along = slip - normal.dot(slip) * normal;
            result.push_back({axis, face, u_solid[a] + (1 - friction) * along[a]});
        }
    return result;
}

} // namespace

void mark_known_faces(const TileGrid& grid, const SolidFields& solids, std::span<const std::uint8_t> liquid_cells,
                      std::array<std::vector<std::uint8_t>, 3>& known)
{
    for (std::size_t a = 0; a < 3; ++a) {
        known[a].resize(grid.field_size());
        std::fill(known[a].end() - kTileCells, known[a].end(), std::uint8_t{0});
        mark_known(grid, solids, liquid_cells, a, known[a]);
    }
}

void extrapolate_change(const TileGrid& grid, const SolidFields& solids, const std::array<std::vector<double>, 3>& mass,
                        const std::array<std::vector<double>, 3>& transferred, int layers,
                        std::array<std::vector<double>, 3>& velocity, std::array<std::vector<std::uint8_t>, 3>& known)
{
    std::vector<std::uint8_t> next;
    for (std::size_t a = 0; a < 3; ++a)
        for (int layer = 0; layer < layers; ++layer) {
            next = known[a];
            parallel_for(grid.n_tiles(), "extrapolate change", [&](std::int64_t t) {
                grow_change(grid, static_cast<int>(t), solids.open[a], mass[a], transferred[a], known[a], next,
                            velocity[a]);
            });
            known[a].swap(next);
        }
}

void extrapolate_velocity(const TileGrid& grid, int layers, std::array<std::vector<double>, 3>& velocity,
                          std::array<std::vector<std::uint8_t>, 3>& known)
{
    KnownBits grown(static_cast<std::size_t>(grid.n_tiles() + 1) * kTileRows, 0);
    for (std::size_t a = 0; a < 3; ++a) {
        KnownBits bits = bits_of(grid, known[a]);
        for (int layer = 0; layer < layers; ++layer) {
            parallel_for(
                grid.n_tiles(), "extrapolate",
                [&](std::int64_t t) { grow_tile(grid, static_cast<int>(t), bits, known[a], grown, velocity[a]); }, 4);
            parallel_for(
                grid.n_tiles(), "extrapolate",
                [&](std::int64_t t) { add_grown(static_cast<int>(t), grown, bits, known[a]); }, 32);
        }
    }
}

void constrain_to_solids(const TileGrid& grid, const Solids& solids, const SolidFields& fields,
                         const std::array<std::vector<std::uint8_t>, 3>& known,
                         std::array<std::vector<double>, 3>& velocity)
{
    std::vector<std::vector<FaceValue>> values(static_cast<std::size_t>(grid.n_tiles()));
    parallel_for(grid.n_tiles(), "constrain to solids", [&](std::int64_t t) {
        if (fields.tiles[static_cast<std::size_t>(t)] != TileSolidity::Open)
            values[static_cast<std::size_t>(t)] =
                constrained_faces(grid, solids, fields, static_cast<int>(t), known, velocity);
    });
    parallel_for(grid.n_tiles(), "constrain to solids", [&](std::int64_t t) {
        for (const FaceValue& v : values[static_cast<std::size_t>(t)]) velocity[v.axis][v.face] = v.value;
    });
}

} // namespace rivulet
