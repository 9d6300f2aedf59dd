#include "base/parallel.h"
#include "fluid/cell_neighbours.h"
#include "fluid/liquid_surface.h"
#include "fluid/wall_ends.h"
#include "geometry/cut_cube.h"
#include "sim/load_faces.h"
#include "sim/stages.h"

#include <algorithm>
#include <optional>

namespace rivulet {
namespace {

/// Whether viscosity acts in a cell under the surface.
bool is_viscous(const Workspace::Scratch& s, std::size_t cell)
{
    return s.has_viscosity && s.liquid_distance[cell] <= -kFullDepth * s.grid.cell_size();
}
/// Whether it acts on a face there, where what is not liquid of its cube is solid and not air.
bool is_viscous(const Workspace::Scratch& s, std::size_t face, std::size_t below)
{
    return is_viscous(s, face) && is_viscous(s, below);
}
/// Whether viscosity acts on the liquid beside a closed face.
bool is_viscous_beside(const Workspace::Scratch& s, std::size_t face, std::size_t below)
{
    return is_viscous(s, s.pressure.unknown[face] != 0 ? face : below);
}
/// Whether no solid can take a part of the pressure on a cell's lower faces: they are open, no solid reaches the cubes
/// around them, and in viscous liquid they move all of it.
bool is_free(const Workspace::Scratch& s, std::size_t cell, const CellNeighbours& around)
{
    const SolidFields& solids = s.solid_fields;
    if (solids.open_volume[cell] != kOpenCell) return false;
    for (std::size_t a = 0; a < 3; ++a)
        if (solids.open[a][cell] != 1 || solids.open_volume[around.down[a]] != kOpenCell) return false;
    return !is_viscous(s, cell) || s.viscosity_solver.moves_all(cell);
}

/// How much of the pressure between the cells at both sides of a face a body takes: `taken` is the part of the face,
/// `rest` the part of the cube around it whose liquid is beside the body and not moved by the pressure, less than
/// nothing where more is moved than there is. The body bears the weight of the rest less its inertia.
struct BodyShares {
    int body = -1; ///< none: no body takes anything
    double taken = 0, rest = 0;
    bool is_held = false; ///< the rest does not move against the solid
};

/// Part of the cube around a face that is outside of solids.
double free_part(const Workspace::Scratch& s, const Solids& solids, const Vec3& centre)
{
    const double dx = s.grid.cell_size(), distance = solids.distance(centre);
    if (std::abs(distance) >= 0.87 * dx) return distance > 0 ? 1 : 0;
    const auto to_liquid = [&](const Vec3& x) { return -solids.distance(x); };
    std::array<double, 6> faces;
    for (int f = 0; f < 6; ++f)
        faces[static_cast<std::size_t>(f)] = to_liquid(centre + (f % 2 == 0 ? -0.5 : 0.5) * dx * Vec3::Unit(f / 2));
    const FaceCut cut(centre, dx, faces);
    return std::abs(cut.slope - 1) < 0.05 ? cut.part.share : cut_cube(centre, dx, to_liquid).share;
}

/// Part of a face that a body takes; of one that is `in_wall` of the domain, as it is half a cell before that.
double taken_by(const Solids& solids, const SolidBody& body, int axis, const Vec3& centre, bool in_wall)
{
    const double dx = solids.cell_size;
    if (body.is_farther(centre, 0.87 * dx)) return 0;
    const double inwards = in_wall ? (centre[axis] < solids.box.centre()[axis] ? 0.5 * dx : -0.5 * dx) : 0;
    const Vec3 middle = centre + inwards * Vec3::Unit(axis);
    if (body.distance(middle) > 0.71 * dx) return 0;
    const Vec3 u = 0.5 * dx * Vec3::Unit((axis + 1) % 3), v = 0.5 * dx * Vec3::Unit((axis + 2) % 3);
    const auto at = [&](const Vec3& x) { return in_wall ? body.distance(x) : solids.distance_to(body, x); };
    return 1 - open_fraction(at(middle - u - v), at(middle + u - v), at(middle + u + v), at(middle - u + v));
}

/// Part of a face in a wall that bodies leave: there may be a gap between two of them that no corner lies in.
double left_by_bodies(const Solids& solids, int axis, const Vec3& centre)
{
    const double uncovered = uncovered_part(solids, centre, axis);
    double taken = 0;
    int n_near = 0;
    for (const SolidBody& body : solids.bodies) {
        if (body.is_farther(centre, 0.87 * solids.cell_size) || body.distance(centre) > solids.cell_size) continue;
        taken += taken_by(solids, body, axis, centre, true);
        ++n_near;
    }
    return n_near > 1 ? std::max(uncovered, 1 - taken) : uncovered;
}

/// In proportion to what they take of a face where several bodies do, as at both sides of a narrow gap.
void find_parts(const Solids& solids, int axis, const Vec3& centre, FaceShares& shares,
                std::vector<TileShares::Part>& parts)
{
    constexpr std::uint16_t kMost = 4; // more bodies than that do not meet in a face
    const auto is_near = [&](const SolidBody& b) {
        return !b.is_farther(centre, 0.87 * solids.cell_size) && b.distance(centre) < 1.3 * solids.cell_size;
    };
    if (std::count_if(solids.bodies.begin(), solids.bodies.end(), is_near) < 2) return;
    shares.first = static_cast<std::uint16_t>(parts.size());
    double sum = 0;
    for (std::size_t b = 0; b < solids.bodies.size() && shares.n < kMost; ++b) {
        const double part = taken_by(solids, solids.bodies[b], axis, centre, shares.in_wall);
        if (!(part > 0)) continue;
        parts.push_back({static_cast<int>(b), part});
        ++shares.n;
        sum += part;
    }
    for (std::size_t i = shares.first; i < parts.size(); ++i) parts[i].part /= sum;
}

/// Without viscosity the open part of the face is moved; what walls of the domain take of it and of the cube, they
/// take of what bodies leave.
FaceShares shares_of_face(const Workspace::Scratch& s, const Solids& solids, int axis, std::size_t face,
                          const Vec3& centre, std::vector<TileShares::Part>& parts)
{
    const double open = s.solid_fields.open[static_cast<std::size_t>(axis)][face], dx = s.grid.cell_size();
    const Solids::Nearest nearest = solids.nearest_body(centre);
    if (nearest.body < 0 || nearest.distance >= 0.87 * dx) return {};
    const DomainWalls walls(solids, dx);
    const Vec3 corner = centre - 0.5 * dx * Vec3::Ones();
    const double by_walls = walls.part_between(axis, corner + 0.5 * dx * Vec3::Unit(axis));
    const double by_bodies = by_walls > 0 ? open / by_walls : left_by_bodies(solids, axis, centre);
    FaceShares shares;
    shares.body = nearest.body;
    shares.taken = 1 - by_bodies;
    shares.rest = free_part(s, solids, centre) - by_bodies * walls.part_between(-1, corner);
    shares.in_wall = by_walls == 0;
    find_parts(solids, axis, centre, shares, parts);
    return shares;
}

/// Finds them, or what is known of them.
FaceShares& known_shares(const Workspace::Scratch& s, const Solids& solids, int axis, std::size_t face,
                         const Vec3& centre, TileShares& tile)
{
    std::int16_t& place = tile.place[static_cast<std::size_t>(axis) * kTileCells + face % kTileCells];
    if (place < 0) {
        place = static_cast<std::int16_t>(tile.faces.size());
        tile.faces.push_back(shares_of_face(s, solids, axis, face, centre, tile.parts));
    }
    return tile.faces[static_cast<std::size_t>(place)];
}

/// Whether a body that moves may have a part in what is found of the faces of a cell. Those ask for distances up to
/// 0.87 cells off their middles, where one that rests is no farther than 1.74 if it takes anything.
bool is_near_moving_body(const Workspace::Scratch& s, int t, const Vec3i& cell)
{
    const Vec3 x = s.grid.cell_centre(t, cell.x(), cell.y(), cell.z());
    const double reach = 3.2 * s.grid.cell_size();
    return std::any_of(s.solids.bodies.begin(), s.solids.bodies.end(), [&](const SolidBody& b) {
        return !b.is_static && !b.is_farther(x, reach) && b.distance(x) < reach;
    });
}

/// In viscous liquid, forces near a wall are large and balance face by face, each over the liquid that the face moves,
/// and all is the nearest solid's.
BodyShares body_shares(const Workspace::Scratch& s, const Solids& solids, int axis, std::size_t face, std::size_t below,
                       const Vec3& centre, FaceShares& known)
{
    const auto a = static_cast<std::size_t>(axis);
    const double open = s.solid_fields.open[a][face];
    if (open > 0 && is_viscous(s, face, below)) {
        if (known.nearest == FaceShares::kUnknown) known.nearest = solids.nearest(centre).body;
        return {known.nearest, 1 - s.viscosity_solver.moving_part(a, face), s.viscosity_solver.held_part(a, face),
                true};
    }
    return {known.body, known.taken, known.rest, open == 0 && is_viscous_beside(s, face, below)};
}

/// Calls `bear(body, part)` for the bodies that bear the load on a face: all that share it, else the nearest alone.
template <class Bear>
void share_load(const TileShares& tile, const FaceShares& face, int nearest, Bear&& bear)
{
    if (face.n < 2) return bear(nearest, 1.0);
    for (std::size_t i = face.first; i < std::size_t{face.first} + face.n; ++i)
        bear(tile.parts[i].body, tile.parts[i].part);
}

/// Of the liquid above a face, or below where there is none above.
double density_beside(const Model& model, const Workspace::Scratch& s, std::size_t face, std::size_t below)
{
    if (s.density.empty()) return model.liquids.front().density;
    return s.density[s.pressure.unknown[face] != 0 ? face : below];
}

/// Gradient of the pressure along an axis on a face, or on the next one in the liquid; that of liquid at rest where it
/// is only a cell deep.
double pressure_slope(const Model& model, const Workspace::Scratch& s, int t, const Vec3i& cell, int axis)
{
    const auto at = [&](int n) {
        const Vec3i other = cell + n * Vec3i::Unit(axis);
        return s.grid.index(t, other.x(), other.y(), other.z());
    };
    for (const int n : {0, 1, -1}) {
        const std::size_t above = at(n), below = at(n - 1);
        if (s.pressure.unknown[above] == 0 || s.pressure.unknown[below] == 0) continue;
        if (s.solid_fields.open[static_cast<std::size_t>(axis)][above] == 0) continue;
        return (s.pressure.pressure[above] - s.pressure.pressure[below]) / s.grid.cell_size();
    }
    return density_beside(model, s, at(0), at(-1)) * model.options.gravity[axis];
}

} // namespace

void LoadFaces::begin(const TileGrid& grid, const SolidFields& fields)
{
    std::vector<std::unique_ptr<TileShares>> tiles(static_cast<std::size_t>(grid.n_tiles()));
    for (std::size_t t = 0; t < tiles.size(); ++t) {
        if (fields.tiles[t] == TileSolidity::Open) continue;
        const auto last = static_cast<std::size_t>(grid_.find(grid.tile(static_cast<int>(t))));
        if (last < tiles_.size()) tiles[t] = std::move(tiles_[last]);
        if (tiles[t] == nullptr) tiles[t] = std::make_unique<TileShares>();
    }
    tiles_ = std::move(tiles);
    grid_ = grid;
}

void measure_loads(const Model& model, State& state, Scratch& s)
{
    const std::size_t n = model.obstacles.size();
    state.loads.force.assign(n, Vec3::Zero());
    state.loads.torque.assign(n, Vec3::Zero());
    if (n == 0 || !model.measures_loads) return;
    for (std::size_t b = 0; b < s.viscous_loads.size(); ++b) {
        state.loads.force[b] = s.viscous_loads[b].force;
        state.loads.torque[b] = s.viscous_loads[b].torque;
    }
    const Solids solids = s.solids.view();
    const double area = s.grid.cell_size() * s.grid.cell_size();
    struct Load {
        std::vector<Vec3> force, torque;
    };
    s.load_faces.begin(s.grid, s.solid_fields);
    std::vector<Load> loads(static_cast<std::size_t>(s.grid.n_tiles()));
    parallel_for(s.grid.n_tiles(), "loads", [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        if (s.solid_fields.tiles[static_cast<std::size_t>(t)] == TileSolidity::Open) return;
        Load& load = loads[static_cast<std::size_t>(t)];
        load = {std::vector<Vec3>(n, Vec3::Zero()), std::vector<Vec3>(n, Vec3::Zero())};
        std::optional<TileShares> of_now; // beside bodies that move
        if (s.solid_fields.near_moving[static_cast<std::size_t>(t)] != 0) of_now.emplace();
        for (int c = 0; c < kTileCells; ++c) {
            const auto face = static_cast<std::size_t>(t * kTileCells + c);
            const Vec3i cell(c % 8, c / 8 % 8, c / 64);
            const CellNeighbours around(s.grid, t, cell.x(), cell.y(), cell.z());
            if (is_free(s, face, around)) continue;
            const bool is_still = !of_now || !is_near_moving_body(s, t, cell);
            TileShares& known = is_still ? s.load_faces.of(t) : *of_now;
            for (int a = 0; a < 3; ++a) {
                const std::size_t below = around.down[static_cast<std::size_t>(a)];
                const bool is_wet = s.pressure.unknown[face] != 0, is_wet_below = s.pressure.unknown[below] != 0;
                if (!is_wet && !is_wet_below) continue;
                const Vec3 x = s.grid.face_centre(t, a, cell);
                FaceShares& placed = known_shares(s, solids, a, face, x, known);
                const BodyShares shares = body_shares(s, solids, a, face, below, x, placed);
                if (shares.body < 0 || (shares.taken == 0 && shares.rest == 0)) continue;
                const double p_above = is_wet ? s.pressure.pressure[face] : 0;
                const double p_below = is_wet_below ? s.pressure.pressure[below] : 0;
                double slope = 0;
                if (shares.is_held)
                    slope = density_beside(model, s, face, below) * model.options.gravity[a];
                else if (shares.rest != 0)
                    slope = pressure_slope(model, s, t, cell, a);
                const Vec3 force = ((p_below - p_above) * shares.taken + slope * shares.rest * s.grid.cell_size()) *
                                   area * Vec3::Unit(a);
                share_load(known, placed, shares.body, [&](int body, double part) {
                    const auto b = static_cast<std::size_t>(body);
                    load.force[b] += part * force;
                    load.torque[b] += (x - s.solids.bodies[b].pose.position).cross(part * force);
                });
            }
        }
    });
    for (const Load& load : loads)
        for (std::size_t b = 0; b < load.force.size(); ++b) {
            state.loads.force[b] += load.force[b];
            state.loads.torque[b] += load.torque[b];
        }
}

} // namespace rivulet
