#include "sim/openings.h"

#include "base/parallel.h"
#include "fluid/cell_neighbours.h"
#include "sim/seed_lattice.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace rivulet {
namespace {

/// Places on a face by which the part of it in a region is found: a lattice on which no two have a coordinate in
/// common.
constexpr int kFacePlaces = 55, kFaceTurn = 34;
/// How far before a hole a face still counts as in it, in cells: it may lie on the wall's very surface.
constexpr double kBeforeHole = 0.125;
const double kHalfFace = std::sqrt(0.5); ///< from its middle to a corner, in cells

Vec3 face_middle(const TileGrid& grid, int t, int c, std::size_t axis)
{
    Vec3 at = Vec3(c % 8, c / 8 % 8, c / 64) + Vec3::Constant(0.5);
    at[static_cast<int>(axis)] -= 0.5;
    return grid.node(t, at.x(), at.y(), at.z());
}

/// Calls body(tile) for those that a mouth may reach.
template <class Body>
void for_near_tiles(const TileGrid& grid, const ActiveMouths::Placed& m, Body&& body)
{
    const double reach = m.radius + kTileEdge * grid.cell_size();
    parallel_for(grid.n_tiles(), "tiles at mouths", [&](std::int64_t t) {
        if ((grid.node(static_cast<int>(t), 4, 4, 4) - m.centre).norm() <= reach) body(static_cast<int>(t));
    });
}

/// As faces name the source that drives them.
std::uint8_t owner_number(const ActiveMouths::Placed& m) { return static_cast<std::uint8_t>(m.number % 255 + 1); }

/// Part of a face in a region that is_in(place) tells, where its corners and its middle do not agree on it.
template <class IsIn>
double part_of_face(const Vec3& middle, std::size_t axis, double dx, IsIn&& is_in)
{
    const auto place = [&](double u, double v) {
        Vec3 x = middle;
        x[static_cast<int>((axis + 1) % 3)] += (u - 0.5) * dx;
        x[static_cast<int>((axis + 2) % 3)] += (v - 0.5) * dx;
        return x;
    };
    constexpr double kIn = 1e-6; // a corner on the edge itself belongs to the face's own side
    int n = is_in(middle);
    for (int corner = 0; corner < 4; ++corner)
        n += is_in(place(corner % 2 == 0 ? kIn : 1 - kIn, corner / 2 == 0 ? kIn : 1 - kIn));
    if (n == 5) return 1;
    n = 0;
    for (int i = 0; i < kFacePlaces; ++i)
        n += is_in(place((i + 0.5) / kFacePlaces, (i * kFaceTurn % kFacePlaces + 0.5) / kFacePlaces));
    return static_cast<double>(n) / kFacePlaces;
}

void drive_tile(const ActiveMouths& mouths, const ActiveMouths::Placed& m, int t, std::uint8_t number, Scratch& s)
{
    const double dx = s.grid.cell_size();
    const auto is_in = [&](const Vec3& x) { return mouths.drives(m, x); };
    for (int c = 0; c < kTileCells; ++c)
        for (std::size_t a = 0; a < 3; ++a) {
            const Vec3 x = face_middle(s.grid, t, c, a);
            if (!m.mouth.holds(m.pose.to_body(x), kHalfFace * dx)) continue;
            const double part = part_of_face(x, a, dx, is_in);
            const auto face = static_cast<std::size_t>(t * kTileCells + c);
            if (part <= s.openings.driven(a, face)) continue;
            TileOpenings& tile = s.openings.make(static_cast<std::size_t>(t));
            const auto n = static_cast<std::size_t>(c);
            tile.driven[a][n] = part;
            tile.owner[a][n] = number;
            tile.velocity[a][n] = m.velocity_at(x)[static_cast<int>(a)];
        }
}

/// All faces that mouths drive; those at rest drive the same ones in every step.
void drive_faces(const Model& model, const ActiveMouths& mouths, Scratch& s)
{
    s.mouth_tiles.begin(model, mouths, s.grid);
    std::vector<std::uint8_t> is_near(static_cast<std::size_t>(s.grid.n_tiles()), 0);
    for (const ActiveMouths::Placed& m : mouths.all())
        for_near_tiles(s.grid, m, [&](int t) {
            is_near[static_cast<std::size_t>(t)] = 1;
            if (!s.mouth_tiles.is_known(t)) drive_tile(mouths, m, t, owner_number(m), s);
        });
    parallel_for(s.grid.n_tiles(), "keep driven faces", [&](std::int64_t ti) {
        const auto t = static_cast<std::size_t>(ti);
        const int tile = static_cast<int>(ti);
        if (is_near[t] == 0 || !s.mouth_tiles.are_kept()) return;
        if (!s.mouth_tiles.is_known(tile))
            s.mouth_tiles.set(tile, s.openings.tiles[t].get());
        else if (const TileOpenings* known = s.mouth_tiles.of(tile))
            s.openings.tiles[t] = std::make_unique<TileOpenings>(*known);
    });
}

/// What a source brings comes into being where its flow, for itself, goes out of cells.
void add_inflow(const Vec3& flow, std::uint8_t number, Scratch& s)
{
    parallel_for(s.grid.n_tiles(), "inflow of sources", [&](std::int64_t t) {
        if (!s.openings.has(static_cast<std::size_t>(t))) return;
        TileOpenings& tile = *s.openings.tiles[static_cast<std::size_t>(t)];
        for (int c = 0; c < kTileCells; ++c) {
            const CellNeighbours at(s.grid, static_cast<int>(t), c % 8, c / 8 % 8, c / 64);
            double out = 0;
            for (std::size_t a = 0; a < 3; ++a) {
                const auto part = [&](std::size_t f) {
                    return s.openings.owner(a, f) == number ? s.solid_fields.open[a][f] * s.openings.driven(a, f) : 0;
                };
                out += flow[static_cast<int>(a)] * (part(at.up[a]) - part(at.own));
            }
            if (out > 0) tile.inflow[static_cast<std::size_t>(c)] += out / s.grid.cell_size();
        }
    });
}

/// Where a mouth has no room to drive liquid, what it brings comes into being at its begin.
void add_springs(const Model& model, const ActiveMouths& mouths, const ActiveMouths::Placed& m, Scratch& s)
{
    if (m.is_clear()) return;
    const double dx = s.grid.cell_size(), inward = 0.25 * dx; // into the cell that the begin may be the edge of
    for (const SourceEntry& entry : source_entries(*m.source, lattice_spacing(model), s.source_columns[m.number])) {
        const Vec3 along = m.flow.normalized(), begin = m.pose.to_world(entry.place);
        const Vec3 x = begin + mouths.way_out_of_solids(m, begin, entry.length) * along;
        const double room = mouths.way_to_solid(m, x, inward);
        if (room == 0 || !mouths.is_spring(m, x)) continue;
        const Vec3i at = ((x + 0.5 * room * along - s.grid.origin()) / dx).array().floor().cast<int>();
        const int t = s.grid.find({at.x() >> 3, at.y() >> 3, at.z() >> 3});
        const int c = cell_in_tile(at.x() & 7, at.y() & 7, at.z() & 7);
        if (t < s.grid.n_tiles())
            s.openings.make(static_cast<std::size_t>(t)).inflow[static_cast<std::size_t>(c)] +=
                entry.rate / (dx * dx * dx);
    }
}

/// Tiles beside one with openings have faces of it.
void make_neighbours(const TileGrid& grid, FaceOpenings& openings)
{
    std::vector<int> own;
    for (int t = 0; t < grid.n_tiles(); ++t)
        if (openings.has(static_cast<std::size_t>(t))) own.push_back(t);
    for (const int t : own)
        for (int n = 0; n < 27; ++n) {
            const int beside = grid.neighbour(t, n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1);
            if (beside < grid.n_tiles()) (void)openings.make(static_cast<std::size_t>(beside));
        }
}

/// The liquid ends where a drain begins.
void cut_liquid(const ActiveDrains& drains, Scratch& s)
{
    parallel_for(s.grid.n_tiles(), "cut by drains", [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        if (!drains.are_near(s.grid.node(t, 4, 4, 4), kTileEdge * s.grid.cell_size())) return;
        for (int c = 0; c < kTileCells; ++c) {
            double& distance = s.liquid_distance[static_cast<std::size_t>(t * kTileCells + c)];
            distance = std::max(distance, -drains.distance(s.grid.cell_centre(t, c % 8, c / 8 % 8, c / 64)));
        }
    });
}

/// Walls beside liquid are open where a drain goes through them.
void pierce_walls(const ActiveDrains& drains, Scratch& s)
{
    const double dx = s.grid.cell_size(), before = kBeforeHole * dx;
    parallel_for(s.grid.n_tiles(), "pierce walls", [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        if (!drains.are_near(s.grid.node(t, 4, 4, 4), kTileEdge * dx)) return;
        for (int c = 0; c < kTileCells; ++c) {
            const CellNeighbours at(s.grid, t, c % 8, c / 8 % 8, c / 64);
            for (std::size_t a = 0; a < 3; ++a) {
                const bool has_liquid = s.liquid_distance[at.own] < 0 || s.liquid_distance[at.down[a]] < 0;
                if (!has_liquid || s.solid_fields.open[a][at.own] == 1) continue;
                const Vec3 x = face_middle(s.grid, t, c, a), off = before * Vec3::Unit(static_cast<int>(a));
                if (drains.distance(x) > dx) continue;
                const double part = part_of_face(x, a, dx, [&](const Vec3& y) {
                    return drains.pierce(y, before) || drains.pierce(y + off, 0) || drains.pierce(y - off, 0);
                });
                if (part > 0) s.openings.make(static_cast<std::size_t>(t)).hole[a][static_cast<std::size_t>(c)] = part;
            }
        }
    });
}

/// Behind a hole, however narrow, there is air.
void empty_holes(Scratch& s)
{
    parallel_for(s.grid.n_tiles(), "empty holes", [&](std::int64_t t) {
        if (!s.openings.has(static_cast<std::size_t>(t))) return;
        for (int c = 0; c < kTileCells; ++c) {
            const CellNeighbours at(s.grid, static_cast<int>(t), c % 8, c / 8 % 8, c / 64);
            if (s.solid_fields.centre_inside[at.own] == 0) continue;
            bool is_pierced = false;
            for (std::size_t a = 0; a < 3; ++a)
                is_pierced = is_pierced || s.openings.hole(a, at.own) > 0 || s.openings.hole(a, at.up[a]) > 0;
            if (is_pierced) s.liquid_distance[at.own] = std::max(s.liquid_distance[at.own], 0.5 * s.grid.cell_size());
        }
    });
}

} // namespace

void find_openings(const Model& model, const State& state, Scratch& s)
{
    const double time = state.clock.time;
    const ActiveDrains drains(model, time);
    s.openings.tiles.clear();
    const ActiveMouths mouths(model, time, time);
    if (mouths.all().empty() && !drains.any()) return;
    s.openings.tiles.resize(static_cast<std::size_t>(s.grid.n_tiles()) + 1);
    s.source_columns.resize(model.sources.size());
    drive_faces(model, mouths, s);
    if (drains.any()) cut_liquid(drains, s);
    if (drains.any_holes()) pierce_walls(drains, s);
    for (const ActiveMouths::Placed& m : mouths.all()) add_springs(model, mouths, m, s);
    make_neighbours(s.grid, s.openings);
    for (const ActiveMouths::Placed& m : mouths.all()) add_inflow(m.flow, owner_number(m), s);
    if (drains.any_holes()) empty_holes(s);
    const auto is_made = [](const auto& tile) { return tile != nullptr; };
    if (std::none_of(s.openings.tiles.begin(), s.openings.tiles.end(), is_made)) s.openings.tiles.clear();
}

void set_driven_faces(const Scratch& s, std::array<std::vector<double>, 3>& velocity,
                      std::array<std::vector<std::uint8_t>, 3>& known)
{
    if (!s.openings.any()) return;
    parallel_for(s.grid.n_tiles(), "driven faces", [&](std::int64_t t) {
        if (!s.openings.has(static_cast<std::size_t>(t))) return;
        for (int c = 0; c < kTileCells; ++c) {
            const CellNeighbours at(s.grid, static_cast<int>(t), c % 8, c / 8 % 8, c / 64);
            for (std::size_t a = 0; a < 3; ++a) {
                const double part = s.openings.driven(a, at.own);
                if (part > 0 && s.solid_fields.open[a][at.own] > 0) {
                    double& u = velocity[a][at.own];
                    const double given = s.openings.velocity(a, at.own);
                    u = known[a][at.own] != 0 ? part * given + (1 - part) * u : given;
                    known[a][at.own] = 1;
                }
                const bool has_liquid = s.pressure.unknown[at.own] != 0 || s.pressure.unknown[at.down[a]] != 0;
                if (s.openings.hole(a, at.own) > 0 && has_liquid) known[a][at.own] = 1;
            }
        }
    });
}

std::array<std::vector<std::uint8_t>, 3> hold_faces(const Model& model, double time, const TileGrid& grid,
                                                    std::array<std::vector<double>, 3>& velocity)
{
    std::array<std::vector<std::uint8_t>, 3> held;
    for (auto& h : held) h.assign(grid.field_size(), 0);
    const ActiveMouths mouths(model, time, time);
    for (const ActiveMouths::Placed& m : mouths.all())
        for_near_tiles(grid, m, [&](int t) {
            for (std::size_t a = 0; a < 3; ++a)
                for (int c = 0; c < kTileCells; ++c) {
                    const Vec3 x = face_middle(grid, t, c, a);
                    if (!mouths.drives(m, x, 0.5 * grid.cell_size())) continue;
                    const auto face = static_cast<std::size_t>(t * kTileCells + c);
                    velocity[a][face] = m.velocity_at(x)[static_cast<int>(a)];
                    held[a][face] = 1;
                }
        });
    return held;
}

HoleFaces::HoleFaces(const FaceOpenings& openings, const std::array<std::vector<double>, 3>& velocity)
{
    for (std::size_t t = 0; t < openings.tiles.size(); ++t)
        for (std::size_t f = t * kTileCells; f < (t + 1) * kTileCells && openings.has(t); ++f)
            for (std::size_t a = 0; a < 3; ++a)
                if (openings.hole(a, f) > 0) faces_.push_back({a, f, openings.hole(a, f), velocity[a][f]});
}

void HoleFaces::restore(std::array<std::vector<double>, 3>& velocity) const
{
    for (const Face& f : faces_) {
        double& u = velocity[f.axis][f.face];
        u += f.part * (f.value - u);
    }
}

ActiveDrains::ActiveDrains(const Model& model, double time)
{
    std::optional<SolidSet> solids; // where any drain works
    for (const Drain& drain : model.drains) {
        if (!is_active(drain.start, drain.stop, time)) continue;
        if (!solids) solids = solids_at(model, time, 0);
        const Pose pose = drain.motion.pose(time);
        drains_.push_back({DrainMouth(drain, model.options.cell_size,
                                      [&](const Vec3& y) { return solids->view().distance(pose.to_world(y)) < 0; }),
                           pose});
    }
}

bool ActiveDrains::take(const Vec3& from, const Vec3& to) const
{
    return std::any_of(drains_.begin(), drains_.end(),
                       [&](const Placed& d) { return d.mouth.meets(d.pose.to_body(from), d.pose.to_body(to)); });
}

double ActiveDrains::distance(const Vec3& x) const
{
    double least = 1e30;
    for (const Placed& d : drains_) least = std::min(least, d.mouth.distance(d.pose.to_body(x)));
    return least;
}

bool ActiveDrains::pierce(const Vec3& x, double before) const
{
    return std::any_of(drains_.begin(), drains_.end(),
                       [&](const Placed& d) { return d.mouth.pierces(d.pose.to_body(x), before); });
}

bool ActiveDrains::are_near(const Vec3& x, double reach) const
{
    return std::any_of(drains_.begin(), drains_.end(),
                       [&](const Placed& d) { return d.mouth.bounds().dilated(reach).contains(d.pose.to_body(x)); });
}

} // namespace rivulet
