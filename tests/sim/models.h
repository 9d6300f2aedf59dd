#pragma once

#include "geometry/shapes.h"
#include "sim/advance.h"

namespace rivulet::test {

/// A closed tank [0, size] with water in [0, filled]; none if that box is empty.
inline Model tank(const Vec3& size, const Vec3& filled, double cell_size)
{
    Model m;
    m.options.cell_size = cell_size;
    m.domain.box = {Vec3::Zero(), size};
    m.liquids.push_back({"water", 1000, 1e-3, 0, 0, {0.1, 0.3, 0.6}});
    if (filled.minCoeff() <= 0) return m;
    LiquidBody body;
    body.name = "pool";
    body.shape = make_box(Vec3::Zero(), filled);
    m.bodies.push_back(body);
    return m;
}

/// A ball of water of 1 cm that flies into nine free hairs, with nothing else around.
inline Model drop_and_hairs()
{
    Model m = tank(Vec3::Constant(0.2), Vec3::Zero(), 4e-3);
    m.domain.walls.fill(Wall::Open);
    LiquidBody ball;
    ball.shape = make_sphere(Vec3(0.09, 0.1, 0.1), 0.01);
    ball.velocity = Vec3(0.3, 0, 0);
    m.bodies.push_back(ball);
    m.options.gravity.setZero();
    m.options.frame_interval = 1;
    m.options.strand_contact = StrandContactLaw::None;
    m.options.max_step = m.options.strand_step = 2e-3;
    m.strands.materials = {{1300, 3.9e9, 1.4e9, 0, 0.1e-3, 0.1e-3}};
    for (int i = 0; i < 9; ++i) {
        std::vector<Vec3> points;
        for (int k = -4; k <= 4; ++k)
            points.emplace_back(0.1 + 2e-3 * (i % 3 - 1), 0.101 + 2e-3 * (i / 3 - 1), 0.098 + 2.5e-3 * k);
        (void)add_strand(m.strands, m.strands_at_start, points, 0, Vec3::UnitY());
    }
    group_strands(m.strands);
    m.strand_groups = {{"hairs", 0, 9}};
    m.wetting = Wetting{.film = {.density = 1000, .viscosity = 1e-3}, .captures = false, .drips = false};
    m.film_at_start.assign(81, 0.0);
    m.shortest_edge = 2.5e-3;
    return m;
}

/// Steps until the clock shows `time` or later.
inline void run_until(const Model& model, State& state, double time)
{
    Workspace workspace;
    while (state.clock.time < time - 1e-12) advance(model, state, workspace);
}

} // namespace rivulet::test
