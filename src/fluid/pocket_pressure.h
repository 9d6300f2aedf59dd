#pragma once

#include "fluid/poisson.h"
#include "fluid/solids.h"

#include <span>

namespace rivulet {

/// What liquid in pockets weighs.
struct PocketWeight {
    const TileGrid& grid;
    const SolidFields& solids;
    Vec3 gravity;                    ///< [m/s^2]
    std::span<const double> density; ///< at cell centres [kg/m^3]; empty: uniform
    double uniform_density = 0;      ///< [kg/m^3]
};

/// Puts the pressure of full vessels, which is known up to a constant alone, where at rest nothing presses on their
/// lids: its mean becomes that of the weight of what is above, from the top of the highest cell on.
void place_pockets(const PoissonSolver& solver, const PocketWeight& weight, std::span<double> pressure);

} // namespace rivulet
