#include "sim/free_liquid.h"

#include "base/parallel.h"
#include "sim/scratch.h"
#include "sim/stages.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// A tile whose faces a solid cuts. Mixed ones may have it beyond their corners only, too far off to touch what they
/// hold.
bool has_solid(const SolidFields& solids, std::size_t tile)
{
    if (solids.tiles[tile] != TileSolidity::Mixed) return solids.tiles[tile] == TileSolidity::Solid;
    return std::any_of(solids.open.begin(), solids.open.end(), [&](const std::vector<double>& open) {
        const auto begin = open.begin() + static_cast<std::ptrdiff_t>(tile * kTileCells);
        return std::any_of(begin, begin + kTileCells, [](double part) { return part < 1; });
    });
}

/// Tiles with a solid in them, or that the mouth of a source is near.
std::vector<int> held_tiles(const Model& model, double time, const TileGrid& grid, const SolidFields& solids)
{
    std::vector<int> held;
    const double half = 0.5 * kTileEdge, reach = std::sqrt(3.0) * (half + 1) * grid.cell_size();
    for (int t = 0; t < grid.n_tiles(); ++t) {
        const Vec3 centre = grid.node(t, half, half, half);
        const bool is_fed = std::any_of(model.sources.begin(), model.sources.end(), [&](const Source& source) {
            return source.shape->distance(source.motion.pose(time).to_body(centre)) < reach;
        });
        if (is_fed || has_solid(solids, static_cast<std::size_t>(t))) held.push_back(t);
    }
    return held;
}

template <class Body>
void for_free_faces(const Workspace::Scratch& s, Body&& body)
{
    parallel_for(s.grid.n_tiles(), "free liquid", [&](std::int64_t t) {
        if (!s.free_liquid.has(static_cast<std::size_t>(t))) return;
        for (std::size_t a = 0; a < 3; ++a)
            for (auto f = static_cast<std::size_t>(t) * kTileCells; f < static_cast<std::size_t>(t + 1) * kTileCells;
                 ++f)
                body(a, f);
    });
}

void find_free_tiles(const Model& model, const State& state, Workspace::Scratch& s)
{
    std::vector<std::uint8_t>& tiles = s.free_liquid.tiles;
    tiles.assign(static_cast<std::size_t>(s.grid.n_tiles()) + 1, 1);
    tiles.back() = 0; // stands for the outside
    std::vector<int> open = held_tiles(model, state.clock.time, s.grid, s.solid_fields);
    for (const int t : open) tiles[static_cast<std::size_t>(t)] = 0;
    while (!open.empty()) {
        const int t = open.back();
        open.pop_back();
        for (int n = 0; n < 27; ++n) {
            const int other = s.grid.neighbour(t, n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1);
            if (std::exchange(tiles[static_cast<std::size_t>(other)], 0) != 0) open.push_back(other);
        }
    }
    if (std::find(tiles.begin(), tiles.end(), 1) == tiles.end()) tiles.clear();
}

bool is_free_at(const Vec3& place, const Workspace::Scratch& s)
{
    if (s.free_liquid.tiles.empty()) return false;
    const Vec3i cell = cell_of(place, s.grid.origin(), s.grid.cell_size());
    return s.free_liquid.has(static_cast<std::size_t>(s.grid.find({cell.x() >> 3, cell.y() >> 3, cell.z() >> 3})));
}

} // namespace

void weigh_free_liquid(const Model& model, const State& state, Workspace::Scratch& s, double dt)
{
    s.free_liquid.given.setZero();
    s.free_liquid.tiles.clear();
    for (auto& field : s.immersion.carrier) field.clear();
    if (has_surface_tension(model) && !model.wetting) return;
    find_free_tiles(model, state, s);
    if (!s.free_liquid.tiles.empty()) carry_mass(model, s, dt);
}

void carry_mass(const Model& model, Workspace::Scratch& s, double dt)
{
    std::vector<std::uint8_t> liquid(s.grid.field_size(), 0);
    parallel_for(
        s.grid.n_tiles(), "liquid cells",
        [&](std::int64_t t) {
            for (auto c = static_cast<std::size_t>(t) * kTileCells; c < static_cast<std::size_t>(t + 1) * kTileCells;
                 ++c)
                liquid[c] = s.liquid_distance[c] < 0;
        },
        16);
    mark_known_faces(s.grid, s.solid_fields, liquid, s.known_faces);
    // Faces that keep their own velocity and take the liquid's change bring their momentum themselves.
    const bool by_change = carries_change(model, dt), gathers = !s.free_liquid.tiles.empty() && !by_change;
    std::array<std::vector<double>, 3> momentum;
    if (gathers) {
        for (auto& p : momentum) p.assign(s.grid.field_size(), 0);
        for_free_faces(
            s, [&](std::size_t a, std::size_t f) { momentum[a][f] = s.faces.mass[a][f] * s.faces.velocity[a][f]; });
    }
    auto& carrier = s.immersion.carrier;
    const Solids solids = s.solids.view();
    const SlipWalls walls{solids, s.face_solids};
    lump_mass(s.grid, s.solid_fields, s.faces.mass, kExtrapolatedLayers, by_change, s.known_faces, carrier,
              gathers ? &momentum : nullptr, &walls);
    if (gathers)
        for_free_faces(s, [&](std::size_t a, std::size_t f) {
            if (carrier[a][f] > 0) s.faces.velocity[a][f] = momentum[a][f] / carrier[a][f];
        });
}

bool push_free_liquid(const Vec3& place, const Vec3& impulse, Workspace::Scratch& s)
{
    if (!is_free_at(place, s)) return false;
    s.free_liquid.given += impulse;
    return true;
}

Vec3 loose_lead(const Model& model, const State& state, const Workspace::Scratch& s, std::size_t particle, double dt)
{
    if (!is_free_at(state.liquid.position[particle], s)) return Vec3::Zero();
    return state.liquid.lead[particle].cast<double>() - 0.5 * dt * model.options.gravity;
}

} // namespace rivulet
