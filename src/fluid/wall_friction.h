#pragma once

#include "fluid/solids.h"

#include <array>
#include <cstdint>
#include <vector>

namespace rivulet {

/// Slows liquid that slips along solids with friction f by the stress density * kWallSpeed * f on what slips, over a
/// step of dt [s]: faces marked as known within a cell of the solid, of which there is one for each dx^2 of its
/// surface, on average and for each axis, lose the part 1 - exp(-f kWallSpeed dt / dx) of their velocity along it.
/// Faces that are not known still have what gravity gave them, and do not count. Liquid that is `viscous` slips at the
/// wall with the part b / (d + b) of the velocity that it has in the distance d, b its slip length.
void rub_on_solids(const TileGrid& grid, const Solids& solids, const SolidFields& fields,
                   const std::array<std::vector<std::uint8_t>, 3>& known, bool viscous, double dt,
                   std::array<std::vector<double>, 3>& velocity);

} // namespace rivulet
