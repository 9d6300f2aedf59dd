#pragma once

#include "base/rng.h"
#include "base/vec.h"
#include "geometry/surfacing.h"

#include <cstdint>
#include <vector>

namespace rivulet::test {

inline constexpr double kCell = 0.01; ///< [m]

struct Liquid {
    std::vector<Vec3> positions; ///< [m]
    std::vector<double> volumes; ///< [m^3]
    std::vector<Vec3> colours;
};

/// Eight particles a cell on a lattice, moved by up to `jitter` of their spacing, where `is_liquid` says so.
template <class IsLiquid>
Liquid seed(const Vec3i& n_cells, double jitter, IsLiquid&& is_liquid)
{
    Liquid liquid;
    const double s = 0.5 * kCell;
    std::uint64_t count = 0;
    for (int z = 0; z < 2 * n_cells.z(); ++z)
        for (int y = 0; y < 2 * n_cells.y(); ++y)
            for (int x = 0; x < 2 * n_cells.x(); ++x, ++count) {
                const Vec3 r(random_unit(1, 0, count), random_unit(1, 1, count), random_unit(1, 2, count));
                const Vec3 p = s * (Vec3(x, y, z) + Vec3::Constant(0.5) + jitter * (r - Vec3::Constant(0.5)));
                if (!is_liquid(p)) continue;
                liquid.positions.push_back(p);
                liquid.volumes.push_back(s * s * s);
                liquid.colours.emplace_back(p.x() < 0.1 ? Vec3(1, 0, 0) : Vec3(0, 0, 1));
            }
    return liquid;
}

inline TriangleMesh surface(const Liquid& liquid)
{
    return surface_particles(liquid.positions, liquid.volumes, {}, {.cell_size = kCell});
}

} // namespace rivulet::test
