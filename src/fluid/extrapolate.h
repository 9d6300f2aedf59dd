#pragma once

#include "fluid/solids.h"
#include "grid/tile_grid.h"

#include <array>
#include <span>
#include <vector>

namespace rivulet {

/// Carries velocities from the faces of liquid cells outwards: `layers` times, every face without a value takes the
/// mean of the neighbouring faces (of its own axis) that have one. Faces that no layer reaches keep what they had;
/// `known` tells which they are (0).
void extrapolate_velocity(const TileGrid& grid, const SolidFields& solids, std::span<const std::uint8_t> liquid_cells,
                          int layers, std::array<std::vector<double>, 3>& velocity,
                          std::array<std::vector<std::uint8_t>, 3>& known);

/// Gives known faces inside solids the velocity that the solid allows: its own along its normal, and along the surface
/// the liquid's slowed down by the friction (1 = no slip).
void constrain_to_solids(const TileGrid& grid, const Solids& solids, const SolidFields& fields,
                         const std::array<std::vector<std::uint8_t>, 3>& known,
                         std::array<std::vector<double>, 3>& velocity);

} // namespace rivulet
