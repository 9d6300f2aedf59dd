#include "fluid/extrapolate.h"

#include "base/parallel.h"
#include "fluid/cell_neighbours.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace rivulet {
namespace {

constexpr std::size_t kTilePlane = kTileEdge * kTileEdge;

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

/// Known faces as bits: a byte for a row of eight along x, 64 for a tile, that is a word for a plane of eight rows.
using KnownBits = std::vector<std::uint64_t>;

KnownBits bits_of(const TileGrid& grid, const std::vector<std::uint8_t>& known)
{
    KnownBits bits(static_cast<std::size_t>(grid.n_tiles() + 1) * kTileEdge);
    parallel_for(
        grid.n_tiles() + 1, "known bits",
        [&](std::int64_t t) {
            for (std::int64_t plane = t * kTileEdge; plane < (t + 1) * kTileEdge; ++plane) {
                std::uint64_t word = 0;
                for (int row = 0; row < kTileEdge; ++row) {
                    // Known is 0 or 1: the product gathers the lowest bits of eight bytes in its highest byte.
                    constexpr std::uint64_t kGather = 0x0102040810204080;
                    std::uint64_t eight = 0;
                    std::memcpy(&eight, known.data() + (plane * kTileEdge + row) * kTileEdge, sizeof eight);
                    word |= eight * kGather >> 56 << (kTileEdge * row);
                }
                bits[static_cast<std::size_t>(plane)] = word;
            }
        },
        8);
    return bits;
}

/// Faces of a plane of tile t that have a known one beside them; `own` are the bits of the plane.
std::uint64_t beside_known(const TileGrid& grid, const KnownBits& bits, int t, int k, std::uint64_t own)
{
    constexpr std::uint64_t kFirst = 0x0101010101010101, kLast = kFirst << 7; // of each row
    const auto plane = [&](int dx, int dy, int z) {
        return bits[static_cast<std::size_t>(grid.neighbour(t, dx, dy, z >> 3) * kTileEdge + (z & 7))];
    };
    const std::uint64_t along_x =
        (own & ~kLast) << 1 | (own & ~kFirst) >> 1 | (plane(-1, 0, k) & kLast) >> 7 | (plane(1, 0, k) & kFirst) << 7;
    const std::uint64_t along_y = own << 8 | own >> 8 | plane(0, -1, k) >> 56 | plane(0, 1, k) << 56;
    return along_x | along_y | plane(0, 0, k - 1) | plane(0, 0, k + 1);
}

/// Mean of the known faces around a face; they are asked in a fixed order.
double mean_of_known(const TileGrid& grid, int t, const Vec3i& cell, const std::vector<std::uint8_t>& known,
                     const std::vector<double>& velocity)
{
    double sum = 0;
    int n = 0;
    const CellNeighbours at(grid, t, cell.x(), cell.y(), cell.z());
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (const std::size_t other : {at.down[axis], at.up[axis]}) {
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
    for (int k = 0; k < kTileEdge; ++k) {
        const auto plane = static_cast<std::size_t>(t * kTileEdge + k);
        const std::uint64_t own = bits[plane];
        if (own == ~std::uint64_t{0}) continue;
        const std::uint64_t grown = beside_known(grid, bits, t, k, own) & ~own;
        next[plane] = grown;
        for (std::uint64_t left = grown; left != 0; left &= left - 1) {
            const int c = std::countr_zero(left);
            velocity[plane * kTilePlane + static_cast<std::size_t>(c)] =
                mean_of_known(grid, t, {c % 8, c / 8, k}, known, velocity);
        }
    }
}

/// Marks the faces of `grown` in a tile as known, and leaves none there.
void add_grown(int t, KnownBits& grown, KnownBits& bits, std::vector<std::uint8_t>& known)
{
    for (auto plane = static_cast<std::size_t>(t) * kTileEdge; plane < static_cast<std::size_t>(t + 1) * kTileEdge;
         ++plane) {
        bits[plane] |= grown[plane];
        for (std::uint64_t left = std::exchange(grown[plane], 0); left != 0; left &= left - 1)
            known[plane * kTilePlane + static_cast<std::size_t>(std::countr_zero(left))] = 1;
    }
}

/// Faces of a plane of tile t that velocities may be carried to by their change.
std::uint64_t takes_change(std::size_t plane, const std::vector<double>& open, const std::vector<double>& mass)
{
    std::uint64_t word = 0;
    for (std::size_t c = 0; c < kTilePlane; ++c) {
        const std::size_t face = plane * kTilePlane + c;
        if (mass[face] > 0 && open[face] >= 1) word |= std::uint64_t{1} << c;
    }
    return word;
}

bool has_bit(const KnownBits& bits, std::size_t face)
{
    return (bits[face / kTilePlane] >> (face % kTilePlane) & 1) != 0;
}

/// Hands what the faces of a tile that are in `grown` have to those around them that are in `known`.
void hand_inwards(const TileGrid& grid, int t, const KnownBits& known, const KnownBits& grown,
                  std::vector<double>& lumped)
{
    for (int k = 0; k < kTileEdge; ++k) {
        const auto plane = static_cast<std::size_t>(t * kTileEdge + k);
        for (std::uint64_t left = grown[plane] & ~known[plane]; left != 0; left &= left - 1) {
            const int c = std::countr_zero(left);
            const double mass = std::exchange(lumped[plane * kTilePlane + static_cast<std::size_t>(c)], 0.0);
            if (mass == 0) continue;
            const CellNeighbours at(grid, t, c % 8, c / 8, k);
            std::array<std::size_t, 6> from;
            std::size_t n = 0;
            for (std::size_t axis = 0; axis < 3; ++axis)
                for (const std::size_t other : {at.down[axis], at.up[axis]})
                    if (has_bit(known, other)) from[n++] = other;
            for (std::size_t i = 0; i < n; ++i) lumped[from[i]] += mass / static_cast<double>(n);
        }
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

struct FaceValue {
    double value;
    std::uint16_t axis;
    std::uint16_t cell; ///< of the tile
};

FaceSolid solid_at(const TileGrid& grid, const Solids& solids, int t, int a, const Vec3i& cell)
{
    const Solids::Nearest near = solids.nearest(grid.face_centre(t, a, cell));
    if (near.distance > 0) return {};
    const bool slips = solids.friction(near.body) != 1;
    return {true, near.body, slips ? solids.normal(grid.face_centre(t, a, cell), near.body) : Vec3(Vec3::Zero())};
}

/// What constrained_faces() leaves of a velocity along the axis of a face that it takes from beside it.
double slipping_part(const TileGrid& grid, const SlipWalls& walls, int t, std::size_t axis, int c)
{
    const int a = static_cast<int>(axis);
    const Vec3i cell(c % 8, c / 8 % 8, c / 64);
    const FaceSolid solid = walls.at_rest.at(t, axis, static_cast<std::size_t>(c),
                                             [&] { return solid_at(grid, walls.solids, t, a, cell); });
    if (!solid.is_inside) return 1;
    const double friction = walls.solids.friction(solid.body);
    return friction == 1 ? 0 : (1 - std::pow(friction, 4)) * (1 - solid.normal[a] * solid.normal[a]);
}

/// New values for the faces of one tile that lie inside a solid.
std::vector<FaceValue> constrained_faces(const TileGrid& grid, const Solids& solids, const SolidFields& fields, int t,
                                         const std::array<std::vector<std::uint8_t>, 3>& known,
                                         const std::array<std::vector<double>, 3>& velocity, FaceSolids& at_rest)
{
    std::vector<FaceValue> result;
    const auto set = [&](int a, int c, double value) {
        result.push_back({value, static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(c)});
    };
    for (int c = 0; c < kTileCells; ++c)
        for (int a = 0; a < 3; ++a) {
            const auto axis = static_cast<std::size_t>(a);
            const auto face = static_cast<std::size_t>(t * kTileCells + c);
            if (known[axis][face] == 0 || fields.open[axis][face] == 1) continue;
            const Vec3i cell(c % 8, c / 8 % 8, c / 64);
            const FaceSolid solid =
                at_rest.at(t, axis, static_cast<std::size_t>(c), [&] { return solid_at(grid, solids, t, a, cell); });
            if (!solid.is_inside) continue;
            const bool rests = solid.body < 0 || solids.bodies[static_cast<std::size_t>(solid.body)].is_static;
            const Vec3 u_solid = rests ? Vec3(Vec3::Zero()) : solids.velocity(grid.face_centre(t, a, cell), solid.body);
            const double friction = solids.friction(solid.body);
            if (friction == 1) { // nothing slips
                set(a, c, u_solid[a]);
                continue;
            }
            const Vec3 slip = vector_at_face(grid, velocity, t, a, cell) - u_solid;
            const double along = slip[a] - solid.normal.dot(slip) * solid.normal[a];
            // A part taken here in every step would be the more the shorter the steps are: that is for what all but
            // sticks, and the rest for rub_on_solids().
            set(a, c, u_solid[a] + (1 - std::pow(friction, 4)) * along);
        }
    return result;
}

} // namespace

Vec3 vector_at_face(const TileGrid& grid, const std::array<std::vector<double>, 3>& velocity, int t, int axis,
                    const Vec3i& cell)
{
    constexpr std::array<std::size_t, 3> kStride{1, kTileEdge, kTileEdge * kTileEdge};
    const auto own =
        static_cast<std::size_t>(t) * kTileCells + static_cast<std::size_t>(cell_in_tile(cell.x(), cell.y(), cell.z()));
    const std::size_t down = kStride[static_cast<std::size_t>(axis)];
    Vec3 u;
    for (int b = 0; b < 3; ++b) {
        const double* field = velocity[static_cast<std::size_t>(b)].data();
        const std::size_t up = kStride[static_cast<std::size_t>(b)];
        if (b == axis)
            u[b] = field[own];
        else if (cell[axis] > 0 && cell[b] < kTileEdge - 1)
            u[b] = (field[own] + field[own + up] + field[own - down] + field[own + up - down]) / 4;
        else {
            double sum = 0;
            for (int n = 0; n < 4; ++n) {
                const Vec3i f = cell + (n & 1) * Vec3i::Unit(b) - (n >> 1) * Vec3i::Unit(axis);
                sum += field[grid.index(t, f.x(), f.y(), f.z())];
            }
            u[b] = sum / 4;
        }
    }
    return u;
}

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
    KnownBits grown(static_cast<std::size_t>(grid.n_tiles() + 1) * kTileEdge, 0);
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

void lump_mass(const TileGrid& grid, const SolidFields& solids, const std::array<std::vector<double>, 3>& mass,
               int layers, bool by_change, const std::array<std::vector<std::uint8_t>, 3>& known,
               std::array<std::vector<double>, 3>& lumped, std::array<std::vector<double>, 3>* momentum,
               const SlipWalls* walls)
{
    if (walls) walls->at_rest.begin(grid, solids);
    for (std::size_t a = 0; a < 3; ++a) {
        std::vector<KnownBits> reached{bits_of(grid, known[a])}; // by the layers up to each
        for (int layer = 0; layer < layers; ++layer) {
            const KnownBits& last = reached.back();
            KnownBits next = last;
            parallel_for(
                grid.n_tiles(), "lump mass",
                [&](std::int64_t t) {
                    for (int k = 0; k < kTileEdge; ++k) {
                        const auto plane = static_cast<std::size_t>(t) * kTileEdge + static_cast<std::size_t>(k);
                        std::uint64_t grown =
                            beside_known(grid, last, static_cast<int>(t), k, last[plane]) & ~last[plane];
                        if (by_change && grown != 0) grown &= takes_change(plane, solids.open[a], mass[a]);
                        next[plane] |= grown;
                    }
                },
                4);
            reached.push_back(std::move(next));
        }
        lumped[a] = mass[a];
        parallel_for(grid.n_tiles(), "lump mass", [&](std::int64_t t) { // solids decide about faces in them
            for (int c = 0; c < kTileCells; ++c) {
                const auto f = static_cast<std::size_t>(t * kTileCells + c);
                if (solids.open[a][f] == 1 || known[a][f] != 0 || lumped[a][f] == 0) continue;
                const bool follows = walls && !by_change && solids.open[a][f] == 0 && has_bit(reached.back(), f);
                lumped[a][f] *= follows ? slipping_part(grid, *walls, static_cast<int>(t), a, c) : 0;
            }
        });
        for (std::size_t layer = reached.size() - 1; layer > 0; --layer)
            coloured_for(grid.colours(), "lump mass", [&](int t) {
                hand_inwards(grid, t, reached[layer - 1], reached[layer], lumped[a]);
                if (momentum) hand_inwards(grid, t, reached[layer - 1], reached[layer], (*momentum)[a]);
            });
    }
}

void FaceSolids::begin(const TileGrid& grid, const SolidFields& fields)
{
    std::vector<std::unique_ptr<OfTile>> tiles(static_cast<std::size_t>(grid.n_tiles()));
    parallel_for(
        grid.n_tiles(), "faces in solids",
        [&](std::int64_t ti) {
            const auto t = static_cast<std::size_t>(ti);
            if (fields.near_moving[t] != 0 || fields.tiles[t] == TileSolidity::Open) return;
            const auto last = static_cast<std::size_t>(grid_.find(grid.tile(static_cast<int>(ti))));
            if (last < tiles_.size()) tiles[t] = std::move(tiles_[last]);
            if (tiles[t] == nullptr) tiles[t] = std::make_unique<OfTile>();
        },
        32);
    tiles_ = std::move(tiles);
    grid_ = grid;
}

void constrain_to_solids(const TileGrid& grid, const Solids& solids, const SolidFields& fields,
                         const std::array<std::vector<std::uint8_t>, 3>& known,
                         std::array<std::vector<double>, 3>& velocity, FaceSolids& at_rest)
{
    at_rest.begin(grid, fields);
    std::vector<std::vector<FaceValue>> values(static_cast<std::size_t>(grid.n_tiles()));
    parallel_for(grid.n_tiles(), "constrain to solids", [&](std::int64_t t) {
        if (fields.tiles[static_cast<std::size_t>(t)] != TileSolidity::Open)
            values[static_cast<std::size_t>(t)] =
                constrained_faces(grid, solids, fields, static_cast<int>(t), known, velocity, at_rest);
    });
    parallel_for(grid.n_tiles(), "constrain to solids", [&](std::int64_t t) {
        const auto first = static_cast<std::size_t>(t) * kTileCells;
        for (const FaceValue& v : values[static_cast<std::size_t>(t)]) velocity[v.axis][first + v.cell] = v.value;
        if (fields.tiles[static_cast<std::size_t>(t)] == TileSolidity::Open) return;
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t f = first; f < first + kTileCells; ++f)
                if (known[a][f] == 0 && fields.open[a][f] == 0) velocity[a][f] = fields.velocity[a][f];
    });
}

} // namespace rivulet
