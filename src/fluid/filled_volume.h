#pragma once

#include "grid/particle_order.h"

#include <span>
#include <vector>

namespace rivulet {

/// What a regularly filled cell at distance -1, 0, 1 brings to a cell's filled share, along one axis.
inline constexpr double kFilledShare[3] = {0.15625, 0.6875, 0.15625};

/// Volume that the particles bring to each cell, weighted by a quadratic B-spline about the cell's centre, as a share
/// of the cell's own: 1 inside of regularly seeded liquid.
void scatter_volume(const TileGrid& grid, const ParticleOrder& order, std::span<const Vec3> position,
                    std::span<const double> volume, std::vector<double>& filled);

/// Adds what other particles bring.
void add_volume(const TileGrid& grid, const ParticleOrder& order, std::span<const Vec3> position,
                std::span<const double> volume, std::vector<double>& filled);

} // namespace rivulet
