#include "fluid/extrapolate.h"

#include "base/parallel.h"

#include <algorithm>

namespace rivulet {
namespace {

/// Marks the open faces of liquid cells along one axis.
void mark_known(const TileGrid& grid, const SolidFields& solids, std::span<const std::uint8_t> liquid, std::size_t axis,
                std::vector<std::uint8_t>& known)
{
    const Vec3i e = Vec3i::Unit(static_cast<int>(axis));
    parallel_for(grid.n_tiles(), "mark known faces", [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        for (int c = 0; c < kTileCells; ++c) {
            const auto face = static_cast<std::size_t>(t * kTileCells + c);
            const std::size_t below = grid.index(t, c % 8 - e.x(), c / 8 % 8 - e.y(), c / 64 - e.z());
            known[face] = solids.open[axis][face] > 0 && (liquid[face] != 0 || liquid[below] != 0);
        }
    });
}

/// Copy of a tile's faces with a border of one, for loops that know no tile borders.
struct Block {
    static constexpr int kEdge = kTileEdge + 2;
    std::array<double, kEdge * kEdge * kEdge> velocity;
    std::array<std::uint8_t, kEdge * kEdge * kEdge> known;
};

constexpr int kSteps[6] = {-1, 1, -Block::kEdge, Block::kEdge, -Block::kEdge* Block::kEdge, Block::kEdge* Block::kEdge};

int block_index(int i, int j, int k) { return i + 1 + Block::kEdge * (j + 1 + Block::kEdge * (k + 1)); }

/// Fills the block; false if there is nothing to do: no known face in it, or no unknown one in the tile.
bool load_block(const TileGrid& grid, int t, const std::vector<std::uint8_t>& known,
                const std::vector<double>& velocity, Block& block)
{
    const std::uint8_t* own = known.data() + static_cast<std::ptrdiff_t>(t) * kTileCells;
    if (std::all_of(own, own + kTileCells, [](std::uint8_t k) { return k != 0; })) return false;
    bool any = false;
    const auto copy = [&](int i, int j, int k) {
        const std::size_t face = grid.index(t, i, j, k);
        const auto n = static_cast<std::size_t>(block_index(i, j, k));
        block.known[n] = known[face];
        block.velocity[n] = known[face] != 0 ? velocity[face] : 0;
        any = any || known[face] != 0;
    };
    for (int c = 0; c < kTileCells; ++c) copy(c % 8, c / 8 % 8, c / 64);
    for (int b = 0; b < kTileEdge; ++b)
        for (int a = 0; a < kTileEdge; ++a)
            for (const int side : {-1, kTileEdge}) {
                copy(side, a, b);
                copy(a, side, b);
                copy(a, b, side);
            }
    return any;
}

/// One layer in one tile: faces that `known` leaves empty take the mean of the known ones around them. Values are read
/// only where known and written only where not, so tiles cannot disturb each other.
void grow_tile(const TileGrid& grid, int t, const std::vector<std::uint8_t>& known, std::vector<std::uint8_t>& next,
               std::vector<double>& velocity)
{
    Block block;
    if (!load_block(grid, t, known, velocity, block)) return;
    for (int c = 0; c < kTileCells; ++c) {
        const int centre = block_index(c % 8, c / 8 % 8, c / 64);
        if (block.known[static_cast<std::size_t>(centre)] != 0) continue;
        double sum = 0;
        int n = 0;
        for (const int offset : kSteps) {
            const auto other = static_cast<std::size_t>(centre + offset);
            if (block.known[other] == 0) continue;
            sum += block.velocity[other];
            ++n;
        }
        if (n == 0) continue;
        const auto face = static_cast<std::size_t>(t * kTileCells + c);
        velocity[face] = sum / n;
        next[face] = 1;
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
    Vec3 u;
    for (int b = 0; b < 3; ++b) {
        const auto& field = velocity[static_cast<std::size_t>(b)];
        if (b == axis) {
            u[b] = field[grid.index(t, cell.x(), cell.y(), cell.z())];
            continue;
        }
        double sum = 0;
        for (int n = 0; n < 4; ++n) {
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
            const Vec3 u_solid = solids.velocity(x, near.body);
            const Vec3 normal = solids.normal(x, near.body);
            const Vec3 slip = vector_at_face(grid, velocity, t, a, cell) - u_solid;
            const Vec3 along = slip - normal.dot(slip) * normal;
            result.push_back({axis, face, u_solid[a] + (1 - solids.friction(near.body)) * along[a]});
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
    std::vector<std::uint8_t> next;
    for (std::size_t a = 0; a < 3; ++a)
        for (int layer = 0; layer < layers; ++layer) {
            next = known[a];
            parallel_for(grid.n_tiles(), "extrapolate",
                         [&](std::int64_t t) { grow_tile(grid, static_cast<int>(t), known[a], next, velocity[a]); });
            known[a].swap(next);
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
