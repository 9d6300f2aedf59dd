#pragma once

#include "fluid/solids.h"
#include "grid/particle_order.h"

#include <span>
#include <vector>

namespace rivulet {

/// Radius of the ball that stands for a particle of the nominal volume (an eighth of a cell), in cells: the value that
/// puts the surface of a regularly seeded flat pool exactly half way between the last full and the first empty layer.
///   R = (sqrt(3)/4 + sqrt(11)/4) / 2
inline constexpr double kNominalBallRadius = 0.6310844497405346;

/// A cell whose centre is this deep is full, in cells: liquid without air around it is nowhere less deep.
inline constexpr double kFullDepth = 0.5;

/// Signed distance to the liquid at cell centres, near its surface [m]; about -R deep inside, +1 cell far outside.
/// Where there is liquid enough it is that of the flat surface that leaves the cell's neighbourhood as full as it is:
/// `filled`, from scatter_volume, which keeps the particles' volume and centre, over what solids leave open. Spray and
/// sheets thinner than a cell, of which that would leave nothing, are unions of balls: min over particles of |x - x_p|
/// - R_p, with R_p growing with the cube root of the particle's volume, and each cell that holds a particle counts. An
/// empty cell that the liquid is around is liquid: stretching draws particles apart, and what they leave is no air.
/// Values are carried into solids from the cells beside them, so that the surface meets a wall at a right angle.
/// `share` is room for a field.
void compute_liquid_distance(const TileGrid& grid, const ParticleOrder& order, std::span<const Vec3> position,
                             std::span<const double> volume, const std::vector<double>& filled,
                             const SolidFields& solids, std::vector<double>& share, std::vector<double>& distance);

} // namespace rivulet
