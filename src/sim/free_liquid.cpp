#include "sim/free_liquid.h"

#include "base/parallel.h"
#include "sim/scratch.h"

#include <cmath>

namespace rivulet {
namespace {

/// Whether a solid or the mouth of a source is near a tile.
std::vector<std::uint8_t> held_tiles(const Model& model, double time, const TileGrid& grid, const SolidFields& solids)
{
    std::vector<std::uint8_t> held(static_cast<std::size_t>(grid.n_tiles()));
    const double half = 0.5 * kTileEdge;
    const double reach = std::sqrt(3.0) * (half + 1) * grid.cell_size();
    for (int t = 0; t < grid.n_tiles(); ++t) {
        const auto tile = static_cast<std::size_t>(t);
        const Vec3 centre = grid.node(t, half, half, half);
        held[tile] = solids.tiles[tile] != TileSolidity::Open;
        for (const Source& source : model.sources)
            if (source.shape->distance(source.motion.pose(time).to_body(centre)) < reach) held[tile] = 1;
    }
    return held;
}

/// Tiles that hang together with tile t get its number; whether none of them is held.
bool mark_part(const TileGrid& grid, const std::vector<std::uint8_t>& held, int t, std::int32_t number,
               std::vector<std::int32_t>& part)
{
    bool is_free = true;
    std::vector<int> open{t};
    part[static_cast<std::size_t>(t)] = number;
    while (!open.empty()) {
        const int tile = open.back();
        open.pop_back();
        is_free = is_free && held[static_cast<std::size_t>(tile)] == 0;
        for (int n = 0; n < 27; ++n) {
            const int other = grid.neighbour(tile, n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1);
            if (other == grid.n_tiles() || part[static_cast<std::size_t>(other)] >= 0) continue;
            part[static_cast<std::size_t>(other)] = number;
            open.push_back(other);
        }
    }
    return is_free;
}

void find_parts(const TileGrid& grid, const std::vector<std::uint8_t>& held, FreeLiquid& free)
{
    free.part.assign(static_cast<std::size_t>(grid.n_tiles()), -1);
    std::vector<std::int32_t> number; // of each part among the free ones
    std::int32_t n_free = 0;
    for (int t = 0; t < grid.n_tiles(); ++t)
        if (free.part[static_cast<std::size_t>(t)] < 0)
            number.push_back(mark_part(grid, held, t, static_cast<std::int32_t>(number.size()), free.part) ? n_free++
                                                                                                           : -1);
    for (std::int32_t& p : free.part) p = number[static_cast<std::size_t>(p)];
    free.mass.assign(static_cast<std::size_t>(n_free), Vec3::Zero());
    free.momentum = free.mass;
    free.given.setZero();
}

struct TileSums {
    Vec3 mass = Vec3::Zero(), momentum = Vec3::Zero();
};

/// Of the faces of each free tile.
std::vector<TileSums> sum_tiles(const Workspace::Scratch& s)
{
    std::vector<TileSums> sums(s.free_liquid.part.size());
    parallel_for(static_cast<std::int64_t>(sums.size()), "free liquid", [&](std::int64_t t) {
        const auto tile = static_cast<std::size_t>(t);
        if (s.free_liquid.part[tile] < 0) return;
        for (std::size_t a = 0; a < 3; ++a) {
            double mass = 0, momentum = 0;
            for (std::size_t f = tile * kTileCells; f < (tile + 1) * kTileCells; ++f) {
                mass += s.faces.mass[a][f];
                momentum += s.faces.mass[a][f] * s.faces.velocity[a][f];
            }
            sums[tile].mass[static_cast<Eigen::Index>(a)] = mass;
            sums[tile].momentum[static_cast<Eigen::Index>(a)] = momentum;
        }
    });
    return sums;
}

} // namespace

void find_free_liquid(const Model& model, const State& state, Workspace::Scratch& s)
{
    FreeLiquid& free = s.free_liquid;
    find_parts(s.grid, held_tiles(model, state.clock.time, s.grid, s.solid_fields), free);
    if (free.mass.empty()) return;
    const std::vector<TileSums> sums = sum_tiles(s);
    for (std::size_t t = 0; t < sums.size(); ++t) {
        if (free.part[t] < 0) continue;
        free.mass[static_cast<std::size_t>(free.part[t])] += sums[t].mass;
        free.momentum[static_cast<std::size_t>(free.part[t])] += sums[t].momentum;
    }
}

void push_free_liquid(const Vec3& place, const Vec3& impulse, Workspace::Scratch& s)
{
    FreeLiquid& free = s.free_liquid;
    if (free.mass.empty()) return;
    const Vec3i cell = cell_of(place, s.grid.origin(), s.grid.cell_size());
    const int t = s.grid.find({cell.x() >> 3, cell.y() >> 3, cell.z() >> 3});
    if (t == s.grid.n_tiles() || free.part[static_cast<std::size_t>(t)] < 0) return;
    free.momentum[static_cast<std::size_t>(free.part[static_cast<std::size_t>(t)])] += impulse;
    free.given += impulse;
}

void keep_free_momentum(Workspace::Scratch& s)
{
    const FreeLiquid& free = s.free_liquid;
    if (free.mass.empty()) return;
    const std::vector<TileSums> sums = sum_tiles(s);
    std::vector<Vec3> shift = free.momentum;
    for (std::size_t t = 0; t < sums.size(); ++t)
        if (free.part[t] >= 0) shift[static_cast<std::size_t>(free.part[t])] -= sums[t].momentum;
    for (std::size_t p = 0; p < shift.size(); ++p)
        for (int a = 0; a < 3; ++a) shift[p][a] = free.mass[p][a] > 0 ? shift[p][a] / free.mass[p][a] : 0;
    parallel_for(static_cast<std::int64_t>(sums.size()), "free liquid", [&](std::int64_t t) {
        const auto tile = static_cast<std::size_t>(t);
        if (free.part[tile] < 0) return;
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t f = tile * kTileCells; f < (tile + 1) * kTileCells; ++f)
                s.faces.velocity[a][f] +=
                    shift[static_cast<std::size_t>(free.part[tile])][static_cast<Eigen::Index>(a)];
    });
}

} // namespace rivulet
