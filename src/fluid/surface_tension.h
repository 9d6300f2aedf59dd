#pragma once

#include "fluid/solids.h"
#include "fluid/surface_laws.h"

#include <span>
#include <vector>

namespace rivulet {

struct SurfaceTensionInput {
    const TileGrid* grid = nullptr;
    const SurfaceLaws* laws = nullptr;
    std::span<const double> liquid_distance; ///< at cell centres [m]
    std::span<const double> liquid_share;    ///< at cell centres, F below
    const Solids* solids = nullptr;
    const SolidFields* solid_fields = nullptr;
};

/// Pressure that the bent surface puts the liquid under, on the faces between liquid and empty cells [Pa]; zero on
/// others:
///   p = sigma kappa,   kappa = div n,   n = -grad F / |grad F|
/// F is the share of liquid (fluid/liquid_share.h). The normals are at the cells' corners, and on solids of normal m
/// turned to the contact angle: n = m cos(theta) + t sin(theta), t along the solid [Brackbill 1992]. kappa is found at
/// the cells on both sides and taken where F = 1/2 on the line between them.
void compute_surface_pressure(const SurfaceTensionInput& input, std::array<std::vector<double>, 3>& pressure);

/// Largest step that follows the shortest capillary waves of a grid [s] [Brackbill 1992]:
///   dt = sqrt(rho dx^3 / (2 pi sigma))
[[nodiscard]] double capillary_step(double density, double tension, double cell_size) noexcept;

} // namespace rivulet
