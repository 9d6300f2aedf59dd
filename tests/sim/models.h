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

/// Steps until the clock shows `time` or later.
inline void run_until(const Model& model, State& state, double time)
{
    Workspace workspace;
    while (state.clock.time < time - 1e-12) advance(model, state, workspace);
}

} // namespace rivulet::test
