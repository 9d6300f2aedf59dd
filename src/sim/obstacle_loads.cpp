#include "base/parallel.h"
#include "fluid/cell_neighbours.h"
#include "sim/stages.h"

namespace rivulet {

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
        const auto& open = s.solid_fields.open;
        for (int c = 0; c < kTileCells; ++c) {
            const auto cell_index = static_cast<std::size_t>(t * kTileCells + c);
            if (open[0][cell_index] == 1 && open[1][cell_index] == 1 && open[2][cell_index] == 1) continue;
            const CellNeighbours around(s.grid, t, c % 8, c / 8 % 8, c / 64);
            for (int a = 0; a < 3; ++a) {
                const auto face = static_cast<std::size_t>(t * kTileCells + c);
                const double closed = 1 - s.solid_fields.open[static_cast<std::size_t>(a)][face];
                if (closed == 0) continue;
                const Vec3i cell(c % 8, c / 8 % 8, c / 64);
                const std::size_t below = around.down[static_cast<std::size_t>(a)];
                const double p_above = s.pressure.unknown[face] != 0 ? s.pressure.pressure[face] : 0;
                const double p_below = s.pressure.unknown[below] != 0 ? s.pressure.pressure[below] : 0;
                if (p_above == 0 && p_below == 0) continue;
                Vec3 offset(0.5, 0.5, 0.5);
                offset[a] = 0;
                const Vec3 x = s.grid.node(t, cell.x() + offset.x(), cell.y() + offset.y(), cell.z() + offset.z());
                const int body = solids.nearest(x).body;
                if (body < 0) continue;
                const Vec3 force = (p_below - p_above) * closed * area * Vec3::Unit(a);
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
