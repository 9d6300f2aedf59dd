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

bool is_finished(const std::uint8_t* known)
{
    return std::all_of(known, known + kTileCells, [](std::uint8_t k) { return k != 0; });
}

/// One layer in one tile: faces that `known` leaves empty take the mean of the known ones around them. Values are read
/// only where known and written only where not, so tiles cannot disturb each other.
void grow_tile(const TileGrid& grid, int t, const std::vector<std::uint8_t>& known, std::vector<std::uint8_t>& next,
               std::vector<double>& velocity)
{
    for (int c = 0; c < kTileCells; ++c) {
        const auto face = static_cast<std::size_t>(t * kTileCells + c);
        if (known[face] != 0) continue;
        double sum = 0;
        int n = 0;
        for (int side = 0; side < 6; ++side) {
            const Vec3i e = (side % 2 == 0 ? -1 : 1) * Vec3i::Unit(side / 2);
            const std::size_t other = grid.index(t, c % 8 + e.x(), c / 8 % 8 + e.y(), c / 64 + e.z());
            if (known[other] == 0) continue;
            sum += velocity[other];
            ++n;
        }
        if (n == 0) continue;
        velocity[face] = sum / n;
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
                                         const std::array<std::vector<double>, 3>& velocity)
{
    std::vector<FaceValue> result;
    for (int c = 0; c < kTileCells; ++c)
        for (int a = 0; a < 3; ++a) {
            const auto axis = static_cast<std::size_t>(a);
            const auto face = static_cast<std::size_t>(t * kTileCells + c);
            if (fields.open[axis][face] == 1) continue;
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

void extrapolate_velocity(const TileGrid& grid, const SolidFields& solids, std::span<const std::uint8_t> liquid_cells,
                          int layers, std::array<std::vector<double>, 3>& velocity)
{
    std::vector<std::uint8_t> known(grid.field_size());
    std::vector<std::uint8_t> next;
    for (std::size_t a = 0; a < 3; ++a) {
        std::fill(known.end() - kTileCells, known.end(), std::uint8_t{0});
        mark_known(grid, solids, liquid_cells, a, known);
        for (int layer = 0; layer < layers; ++layer) {
            next = known;
            parallel_for(grid.n_tiles(), "extrapolate", [&](std::int64_t t) {
                if (!is_finished(known.data() + t * kTileCells))
                    grow_tile(grid, static_cast<int>(t), known, next, velocity[a]);
            });
            known.swap(next);
        }
    }
}

void constrain_to_solids(const TileGrid& grid, const Solids& solids, const SolidFields& fields,
                         std::array<std::vector<double>, 3>& velocity)
{
    std::vector<std::vector<FaceValue>> values(static_cast<std::size_t>(grid.n_tiles()));
    parallel_for(grid.n_tiles(), "constrain to solids", [&](std::int64_t t) {
        if (fields.tiles[static_cast<std::size_t>(t)] != TileSolidity::Open)
            values[static_cast<std::size_t>(t)] =
                constrained_faces(grid, solids, fields, static_cast<int>(t), velocity);
    });
    parallel_for(grid.n_tiles(), "constrain to solids", [&](std::int64_t t) {
        for (const FaceValue& v : values[static_cast<std::size_t>(t)]) velocity[v.axis][v.face] = v.value;
    });
}

} // namespace rivulet
