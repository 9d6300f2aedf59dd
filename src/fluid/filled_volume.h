#pragma once

#include "fluid/solids.h"
#include "grid/particle_order.h"

#include <array>
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

/// Depth of a cell's centre below a flat surface, in cells, that leaves this share of its neighbourhood filled; -1.5 to
/// 1.5. The inverse of the B-spline's integral, whose variance is the same along all directions.
[[nodiscard]] double depth_of_share(double share) noexcept;

} // namespace rivulet
