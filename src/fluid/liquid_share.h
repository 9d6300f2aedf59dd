#pragma once

#include "base/parallel.h"
#include "fluid/solids.h"
#include "fluid/surface_laws.h"

#include <span>
#include <vector>

namespace rivulet {

struct LiquidShareInput {
    const TileGrid* grid = nullptr;
    const ParticleOrder* order = nullptr;
    std::span<const Vec3> position; ///< of the particles [m]
    std::span<const double> volume; ///< of the particles [m^3]
    const SurfaceLaws* laws = nullptr;
    const Solids* solids = nullptr;
    const SolidFields* solid_fields = nullptr;
};

/// The share F of liquid around each cell's centre: 1 inside, 1/2 on the surface, 0 outside, smooth
/// enough to be differentiated twice. The volume of the particles is smoothed by a filter G of s = 1.5 cells standard
/// deviation, and F = 2 G - G^2 of it: that takes as much of the particles' own pattern and blunts less. The level 1/2
/// of a ball of radius R lies 0.45 s^2/R inside of it (s^2/R with G alone), and a wave of wave number k keeps all but
/// 0.23 k^2 s^2 of its height (0.5 k^2 s^2).
///
/// Solids hold the liquid that there would be if the surface went on into them straight, at the contact angle: a wedge
/// of that angle has a plane for F, up to its tip. The tip is where the mean of the open volume alone, at the solid, is
/// theta / pi; its distance is told from that mean's slope along the solid.
void compute_liquid_share(const LiquidShareInput& input, std::vector<double>& share);

/// Puts the zero of the liquid's distance where F = 1/2, wherever there is liquid enough for F to see it; spray and
/// thin sheets keep theirs. A union of balls ends outside of a curved or ragged surface by a quarter of a cell in the
/// mean, which slows down the waves of a drop of ten cells radius by 9 %.
void refine_liquid_distance(const TileGrid& grid, const Solids& solids, const SolidFields& solid_fields,
                            const std::vector<double>& share, std::vector<double>& distance);

/// How much what stands for a solid counts in the means, 0 to 1. At a right angle leaving the solids out is as good as
/// a mirror, and keeps the surface's curvature too, which carrying it on straight does not.
[[nodiscard]] double weight_of_solid(double contact_cosine) noexcept;

/// values[c] = body(c) for all cells of existing tiles.
template <class Body>
void set_cells(const TileGrid& grid, const char* name, std::vector<double>& values, Body&& body)
{
    parallel_for(grid.n_tiles(), name, [&](std::int64_t t) {
        for (std::int64_t c = t * kTileCells; c < (t + 1) * kTileCells; ++c)
            values[static_cast<std::size_t>(c)] = body(static_cast<std::size_t>(c));
    });
}

/// Volume of the particles per cell, smoothed by G.
[[nodiscard]] std::vector<double> smoothed_volume(const TileGrid& grid, const ParticleOrder& order,
                                                  std::span<const Vec3> position, std::span<const double> volume);

} // namespace rivulet
