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

/// Signed distance to the liquid at cell centres, near its surface [m]: min over particles of |x - x_p| - R_p, with
/// R_p growing with the cube root of the particle's volume. Deep inside: about -R. Far outside: +1 cell. A cell that
/// holds a particle always counts as liquid, and so does an empty one that the liquid is around: stretching draws
/// particles apart, and what they leave is no air. Values are carried into solids from the cells beside them, so that
/// the surface meets a wall at a right angle.
void compute_liquid_distance(const TileGrid& grid, const ParticleOrder& order, std::span<const Vec3> position,
                             std::span<const double> volume, const SolidFields& solids, std::vector<double>& distance);

} // namespace rivulet
