#include "base/parallel.h"
#include "fluid/cell_neighbours.h"
#include "fluid/liquid_surface.h"
#include "sim/stages.h"

#include <cmath>

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
/// Whether no solid can take a part of the pressure on a cell's lower faces: they are open, and in viscous liquid they
/// move all of it.
bool is_free(const Workspace::Scratch& s, std::size_t cell)
{
    const auto& open = s.solid_fields.open;
    if (open[0][cell] != 1 || open[1][cell] != 1 || open[2][cell] != 1) return false;
    return !is_viscous(s, cell) || s.viscosity_solver.moves_all(cell);
}

/// Part of the pressure between two cells that a solid takes and not the liquid on the face between them. Without
/// viscosity that is the closed part of the face. In viscous liquid, forces near a wall are large and balance face by
/// face, each over the liquid that the face moves: what is left of the face's cube is the solid's.
double closed_part(const Workspace::Scratch& s, std::size_t axis, std::size_t face, std::size_t below)
{
    const double open = s.solid_fields.open[axis][face];
    if (open == 0 || !is_viscous(s, face, below)) return 1 - open;
    return 1 - s.viscosity_solver.moving_part(axis, face);
}

/// Mass of the liquid that a solid holds on a face, whose weight it bears.
double held_mass(const Model& model, const Workspace::Scratch& s, std::size_t axis, std::size_t face, std::size_t below)
{
    if (s.solid_fields.open[axis][face] == 0 || !is_viscous(s, face, below)) return 0;
    const double density = s.density.empty() ? model.liquids.front().density : s.density[face];
    return density * s.viscosity_solver.held_part(axis, face) * std::pow(s.grid.cell_size(), 3);
}

} // namespace

void measure_loads(const Model& model, State& state, const Scratch& s)
{
    const std::size_t n = model.obstacles.size();
    state.loads.force.assign(n, Vec3::Zero());
    state.loads.torque.assign(n, Vec3::Zero());
    if (n == 0) return;
    for (std::size_t b = 0; b < s.viscous_loads.size(); ++b) {
        state.loads.force[b] = s.viscous_loads[b].force;
        state.loads.torque[b] = s.viscous_loads[b].torque;
    }
    const Solids solids = s.solids.view();
    const double area = s.grid.cell_size() * s.grid.cell_size();
    struct Load {
        std::vector<Vec3> force, torque;
    };
    std::vector<Load> loads(static_cast<std::size_t>(s.grid.n_tiles()));
    parallel_for(s.grid.n_tiles(), "loads", [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        if (s.solid_fields.tiles[static_cast<std::size_t>(t)] == TileSolidity::Open) return;
        Load& load = loads[static_cast<std::size_t>(t)];
        load = {std::vector<Vec3>(n, Vec3::Zero()), std::vector<Vec3>(n, Vec3::Zero())};
        for (int c = 0; c < kTileCells; ++c) {
            if (is_free(s, static_cast<std::size_t>(t * kTileCells + c))) continue;
            const CellNeighbours around(s.grid, t, c % 8, c / 8 % 8, c / 64);
            for (int a = 0; a < 3; ++a) {
                const auto face = static_cast<std::size_t>(t * kTileCells + c);
                const std::size_t below = around.down[static_cast<std::size_t>(a)];
                const double closed = closed_part(s, static_cast<std::size_t>(a), face, below);
                if (closed == 0) continue;
                const double p_above = s.pressure.unknown[face] != 0 ? s.pressure.pressure[face] : 0;
                const double p_below = s.pressure.unknown[below] != 0 ? s.pressure.pressure[below] : 0;
                if (p_above == 0 && p_below == 0) continue;
                const Vec3 x = s.grid.face_centre(t, a, {c % 8, c / 8 % 8, c / 64});
                const int body = solids.nearest(x).body;
                if (body < 0) continue;
                const double weight =
                    held_mass(model, s, static_cast<std::size_t>(a), face, below) * model.options.gravity[a];
                const Vec3 force = ((p_below - p_above) * closed * area + weight) * Vec3::Unit(a);
                const auto b = static_cast<std::size_t>(body);
                load.force[b] += force;
                load.torque[b] += (x - s.solids.bodies[b].pose.position).cross(force);
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
