#pragma once

#include "sim/advance.h"
#include "sim/diagnostics.h"

#include <cstdint>
#include <vector>

namespace rivulet::test {

inline constexpr double kHair = 5e-5;

/// The strand of the published tests: 42 vertices over 4.7 cm from the origin along `direction`, silicone oil on it;
/// copies of it side by side.
inline Model wet_hair(const Vec3& direction, int n_strands = 1, double spacing = 3e-3, int n_vertices = 42)
{
    Model m;
    m.options.cell_size = 2.5e-3;
    m.options.frame_interval = 0.1;
    m.options.strand_contact = StrandContactLaw::None;
    m.domain.box = {Vec3::Constant(-0.1), Vec3::Constant(0.1)};
    m.domain.walls.fill(Wall::Open);
    m.liquids.push_back({"oil", 950, 0, 0.0206, 1, {0.1, 0.3, 0.6}});
    m.wetting = Wetting{};
    m.wetting->film = {.density = 950, .viscosity = 0, .surface_tension = 0.0206};
    m.wetting->surface_tension = 0.0206;
    m.wetting->captures = false;
    m.strands.materials = {{1300, 3.4e8, 5.4e6, 0, kHair, kHair}};
    const double l = 0.047 / (n_vertices - 1);
    for (int i = 0; i < n_strands; ++i) {
        std::vector<Vec3> points;
        for (int k = 0; k < n_vertices; ++k) points.push_back(Vec3(0, spacing * i, 0) + l * k * direction);
        const std::int32_t s = add_strand(m.strands, m.strands_at_start, points, 0, Vec3::UnitY());
        const std::int32_t v = m.strands.first[static_cast<std::size_t>(s)];
        m.strands.pins.push_back({v, -1, points[0], true, m.strands_at_start.director[static_cast<std::size_t>(v)]});
        m.strands.pins.push_back({v + 1, -1, points[1]});
    }
    group_strands(m.strands);
    m.shortest_edge = l;
    m.strand_groups = {{"hair", 0, n_strands}};
    m.film_at_start.assign(static_cast<std::size_t>(m.strands.n_vertices()), 0.0);
    return m;
}

/// A drop 1 mm thick on a few vertices near the roots.
inline Model with_drops(Model m)
{
    for (std::int32_t s = 0; s < m.strands.n_strands(); ++s)
        for (int k = 3; k < 9; ++k)
            m.film_at_start[static_cast<std::size_t>(m.strands.first[static_cast<std::size_t>(s)] + k)] = 1e-3;
    return m;
}

/// The whole strand held in place.
inline Model held(Model m)
{
    m.strands.pins.clear();
    for (std::int32_t v = 0; v < m.strands.n_vertices(); ++v)
        m.strands.pins.push_back({v, -1, m.strands_at_start.position[static_cast<std::size_t>(v)]});
    return m;
}

inline double volume_of(const State& state)
{
    double sum = 0;
    for (const auto* volumes : {&state.liquid.volume, &state.film.volume, &state.film.pool})
        for (const double v : *volumes) sum += v;
    return sum;
}

inline Vec3 momentum_of(const Model& model, const State& state) { return diagnose(model, state).momentum; }

} // namespace rivulet::test
