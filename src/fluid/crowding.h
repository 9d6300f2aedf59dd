#pragma once

#include "fluid/solids.h"
#include "grid/particle_order.h"

#include <span>
#include <vector>

namespace rivulet {

/// Thin things in the liquid that take space: places, volumes, and their order in the tiles; none by default.
struct ThinVolumes {
    const ParticleOrder* order = nullptr;
    std::span<const Vec3> position;
    std::span<const double> volume;
};

/// How much too full each liquid cell is: the volume that its particles bring (scatter_volume; in `crowding` at first),
/// plus what solids and thin things take of that neighbourhood, minus one. Zero on a regularly filled lattice, at
/// walls on grid planes too. Beside the free surface only crowding counts (> 0), since the rest is air.
/// Small differences are noise of the particles' places, and count as none.
/// Returns whether any cell is too full, or not full enough.
bool compute_crowding(const TileGrid& grid, const SolidFields& solids, std::span<const std::uint8_t> liquid,
                      std::vector<double>& crowding, const ThinVolumes& thin = {});

} // namespace rivulet
