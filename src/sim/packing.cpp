#include "sim/packing.h"

#include "base/parallel.h"
#include "fluid/cell_neighbours.h"
#include "sim/occupied_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace rivulet {
namespace {

/// Part of its room that the liquid in a closed space may have: cut cells know theirs to half a per cent.
constexpr double kMostFull = 1.01;

/// Cells full of drops that may have fallen onto each other and not have spread yet.
constexpr double kHeapedDrops = 8;

/// Cells that liquid from some of them can reach.
struct Pocket {
    bool is_open = false;        ///< to air or a drain
    double volume = 0, room = 0; ///< of the liquid in it, of the cells [m^3]
    Vec3 centre = Vec3::Zero();  ///< of the cells [m]
};

/// Part of its size up to which a cell's centre may be off a shape that it touches.
constexpr double kHalfDiagonal = 0.87;

/// Cells of the liquid that a shape is in or beside.
std::vector<std::size_t> cells_at(const Shape& shape, const Pose& pose, const Scratch& s)
{
    const double reach = kHalfDiagonal * s.grid.cell_size();
    std::vector<std::size_t> cells;
    for (int t = 0; t < s.grid.n_tiles(); ++t) {
        if (shape.distance(pose.to_body(s.grid.node(t, 4, 4, 4))) > kTileEdge * s.grid.cell_size()) continue;
        for (int c = 0; c < kTileCells; ++c) {
            const auto cell = static_cast<std::size_t>(t * kTileCells + c);
            if (s.pressure.unknown[cell] == 0 && !(s.liquid_distance[cell] < 0)) continue; // driven: no pressure
            if (shape.distance(pose.to_body(s.grid.cell_centre(cell))) < reach) cells.push_back(cell);
        }
    }
    return cells;
}

void add_cell(const State& state, const Scratch& s, std::size_t cell, Pocket& pocket)
{
    const int t = static_cast<int>(cell / kTileCells), c = static_cast<int>(cell % kTileCells);
    const double room = std::pow(s.grid.cell_size(), 3) * s.solid_fields.open_volume[cell] / kOpenCell;
    pocket.room += room;
    if (room > 0) pocket.centre += room / pocket.room * (s.grid.cell_centre(cell) - pocket.centre);
    if (s.order.cell_table[static_cast<std::size_t>(t)] < 0) return;
    for (const std::int32_t p : s.order.cell(t, c)) pocket.volume += state.liquid.volume[static_cast<std::size_t>(p)];
}

/// Whether a drain takes liquid out of a cell.
bool is_drained(const Model& model, double time, const Scratch& s, std::size_t cell)
{
    return std::any_of(model.drains.begin(), model.drains.end(), [&](const Drain& d) {
        return time >= d.start && time < d.stop &&
               d.shape->distance(d.motion.pose(time).to_body(s.grid.cell_centre(cell))) <
                   kHalfDiagonal * s.grid.cell_size();
    });
}

/// All that is connected to some cells, up to where it is open.
Pocket pocket_of(const Model& model, const State& state, const Scratch& s, std::vector<std::size_t> cells)
{
    Pocket pocket;
    std::vector<std::uint8_t> is_found(s.grid.field_size(), 0);
    for (const std::size_t cell : cells) is_found[cell] = 1;
    while (!cells.empty()) {
        const std::size_t cell = cells.back();
        cells.pop_back();
        if (s.pressure.diagonal[cell] > 0 || is_drained(model, state.clock.time, s, cell)) return {.is_open = true};
        add_cell(state, s, cell, pocket);
        const int c = static_cast<int>(cell % kTileCells);
        const CellNeighbours at(s.grid, static_cast<int>(cell / kTileCells), c % 8, c / 8 % 8, c / 64);
        bool has_air = false; // also beyond faces whose velocity is given, which pressure knows nothing of
        const auto go_to = [&](std::size_t next, double open) {
            if (!(open > 0)) return;
            has_air = has_air || (s.pressure.unknown[next] == 0 && !(s.liquid_distance[next] < 0));
            if (is_found[next] != 0) return;
            is_found[next] = 1;
            cells.push_back(next);
        };
        for (std::size_t a = 0; a < 3; ++a) {
            go_to(at.down[a], s.solid_fields.open[a][cell]);
            go_to(at.up[a], s.solid_fields.open[a][at.up[a]]);
        }
        if (has_air) return {.is_open = true};
    }
    return pocket;
}

void check_sources(const Model& model, const State& state, const Scratch& s)
{
    if (s.poisson_result.n_singular_components == 0) return;
    const double time = state.clock.time;
    for (const Source& source : model.sources) {
        if (!(time >= source.start && time < source.stop) || source.velocity.isZero(0)) continue;
        const Pocket pocket = pocket_of(model, state, s, cells_at(*source.shape, source.motion.pose(time), s));
        if (pocket.is_open || pocket.volume <= kMostFull * pocket.room) continue;
        throw NoRoomError(
            "crowding", "sources." + source.name, -1,
            fmt::format(
                "pushes into a closed space that is full: {:.4g} m3 of liquid in a room of {:.4g} m3 around "
                "{:.3g} {:.3g} {:.3g} m, with no air, open wall or drain; let it stop before that (its key stop), "
                "or give the space an open wall or a drain",
                pocket.volume, pocket.room, pocket.centre.x(), pocket.centre.y(), pocket.centre.z()));
    }
}

/// Pockets that close around splashes are small, and their liquid is not spread evenly: less is known of their room.
void check_pistons(const Model& model, const State& state, const Scratch& s)
{
    if (s.poisson_result.n_singular_components == 0) return;
    constexpr double kMostPressed = 1.03;
    const double margin = kHeapedDrops * std::pow(s.grid.cell_size(), 3);
    for (std::size_t i = 0; i < model.obstacles.size(); ++i) {
        const SolidBody& body = s.solids.bodies[i];
        if (body.twist.linear.isZero(0) && body.twist.angular.isZero(0)) continue;
        const Pocket pocket = pocket_of(model, state, s, cells_at(*body.shape, body.pose, s));
        if (pocket.is_open || pocket.volume <= kMostPressed * pocket.room + margin) continue;
        throw NoRoomError(
            "crowding", "obstacles." + model.obstacles[i].name, -1,
            fmt::format("presses liquid in a closed space that is full: {:.4g} m3 in a room of {:.4g} m3 around "
                        "{:.3g} {:.3g} {:.3g} m, with no air, open wall or drain; let it move less far, or give the "
                        "space an open wall or a drain",
                        pocket.volume, pocket.room, pocket.centre.x(), pocket.centre.y(), pocket.centre.z()));
    }
}

} // namespace

void check_packing(const Model& model, const State& state, const Scratch& s)
{
    check_sources(model, state, s);
    check_pistons(model, state, s);
    constexpr double kMostPacked = 1.25;
    const double cell_volume = std::pow(model.options.cell_size, 3);
    // Cells that hold particles, and those that liquid is known to be in though all of it has joined others.
    std::vector<std::int64_t> counts(static_cast<std::size_t>(s.grid.n_tiles()), 0);
    parallel_for(s.grid.n_tiles(), "packing", [&](std::int64_t t) {
        const auto first = s.pressure.unknown.begin() + t * kTileCells;
        counts[static_cast<std::size_t>(t)] = kTileCells - std::count(first, first + kTileCells, std::uint8_t{0});
    });
    for_occupied_cells(s, "packing", [&](std::size_t cell, std::span<const std::int32_t>) {
        if (s.pressure.unknown[cell] == 0) ++counts[cell / kTileCells];
    });
    const double room =
        static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0})) * cell_volume;
    const double volume = ordered_sum(state.liquid.size(), "packing",
                                      [&](std::int64_t p) { return state.liquid.volume[static_cast<std::size_t>(p)]; });
    if (volume > kMostPacked * room + kHeapedDrops * cell_volume)
        throw NoRoomError(
            "crowding", "liquid.position", -1,
            fmt::format(
                "{:.3g} m3 of liquid are pressed into {:.3g} m3: do {}sources or moving obstacles fill a closed space?",
                volume, room, model.wetting && model.wetting->drips ? "dripping strands, " : ""));
}

} // namespace rivulet
