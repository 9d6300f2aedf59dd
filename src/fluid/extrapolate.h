#pragma once

#include "fluid/solids.h"
#include "grid/tile_grid.h"

#include <array>
#include <span>
#include <vector>

namespace rivulet {

/// Marks the open faces of liquid cells: those whose velocity the pressure has set.
void mark_known_faces(const TileGrid& grid, const SolidFields& solids, std::span<const std::uint8_t> liquid_cells,
                      std::array<std::vector<std::uint8_t>, 3>& known);

/// Lets faces beyond the surface that particles still give mass to take part in what happened to the liquid: `layers`
/// times, a face outside of solids that has mass but is not known becomes known with its `transferred` velocity plus
/// the mean change (velocity - transferred) of the known ones around it. So a change that is none leaves the momentum
/// and the angular momentum of the particles exactly as they are.
void extrapolate_change(const TileGrid& grid, const SolidFields& solids, const std::array<std::vector<double>, 3>& mass,
                        const std::array<std::vector<double>, 3>& transferred, int layers,
                        std::array<std::vector<double>, 3>& velocity, std::array<std::vector<std::uint8_t>, 3>& known);

/// Carries velocities from the known faces outwards: `layers` times, every face without a value takes the mean of the
/// neighbouring faces (of its own axis) that have one and becomes known. Faces that no layer reaches keep what they
/// had.
void extrapolate_velocity(const TileGrid& grid, int layers, std::array<std::vector<double>, 3>& velocity,
                          std::array<std::vector<std::uint8_t>, 3>& known);

/// Gives known faces inside solids the velocity that the solid allows: its own along its normal, and along the surface
/// the liquid's slowed down by the friction (1 = no slip).
void constrain_to_solids(const TileGrid& grid, const Solids& solids, const SolidFields& fields,
                         const std::array<std::vector<std::uint8_t>, 3>& known,
                         std::array<std::vector<double>, 3>& velocity);

} // namespace rivulet
