#pragma once

#include "fluid/openings.h"
#include "fluid/poisson.h"
#include "fluid/solids.h"
#include "grid/tile_grid.h"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace rivulet {

/// The projection of one step as a linear system, and what is needed to apply its solution.
///
///   sum over faces f of c:  dt / dx^2  A_f beta_f (p_c - p_n)  =  -div_c,
///   div_c = 1/dx sum +- [A_f u_f + (1 - A_f) u_solid],   beta = 1 / density
///
/// A_f: open fraction of the face (variational, [Batty 2007]). Across the free surface p = 0 at the distance theta dx
/// from the liquid's cell centre (ghost fluid, second order [Enright 2003]): A_f beta_f / theta on the diagonal. With
/// surface tension p = p_s there, and A_f beta_f p_s / theta on the right side.
/// Of a face the part `driven` has a velocity v that is given, and what comes into being in a cell is no divergence:
/// A_f (1 - driven) u_f + A_f driven v stand in for A_f u_f, and `inflow` is taken from div (openings.h).
/// Thin things that take the part phi of a face and move with u_s: A_f (1 - phi) and A_f phi u_s stand in for A_f u_f.
struct PressureSystem {
    std::vector<std::uint8_t> unknown;              ///< liquid cells that can exchange liquid with anything
    std::array<std::vector<double>, 3> coefficient; ///< dt/dx^2 A beta between two unknowns
    std::vector<double> diagonal;                   ///< the free surface's part
    std::vector<double> right_side;                 ///< -div, and what surface tension adds [1/s]
    std::vector<double> pressure;                   ///< [Pa]
};

struct PressureInput {
    const TileGrid* grid = nullptr;
    const SolidFields* solids = nullptr;
    std::span<const double> liquid_distance; ///< at cell centres [m]
    std::span<const double> density;         ///< at cell centres [kg/m^3]; empty: `uniform_density` everywhere
    double uniform_density = 1000;           ///< [kg/m^3]
    double dt = 0;                           ///< [s]
    /// On faces between liquid and empty cells [Pa]; empty: zero.
    std::array<std::span<const double>, 3> surface_pressure = {};
    /// Part of the faces that thin things in the liquid take, and its product with their velocity [m/s]; empty: none.
    std::array<std::span<const double>, 3> share = {}, flux = {};
    /// Tiles that have a mark here hold small bodies of liquid that nothing else is near; empty: none. Their faces have
    /// the mass `carried` [kg], where it is not 0: beta = dx^3 / carried, also across the surface, without theta.
    /// Momentum, as the sum of carried u, is then kept exactly, and the energy of the same masses does not grow.
    std::span<const std::uint8_t> free_tiles = {};
    std::array<std::span<const double>, 3> carried = {};
    const FaceOpenings* openings = nullptr; ///< mouths and drains, if any
};

/// Least distance from a liquid cell's centre to the free surface, in cells: bounds the ghost-fluid coefficients.
inline constexpr double kLeastTheta = 0.01;

void assemble_pressure(const PressureInput& input, const std::array<std::vector<double>, 3>& velocity,
                       PressureSystem& system);

/// The right side alone, where all else is as it was and the surface has no pressure of its own.
void assemble_right_side(const PressureInput& input, const std::array<std::vector<double>, 3>& velocity,
                         PressureSystem& system);

/// u_f -= dt beta_f (p_n - p_c) / dx on every open face of a liquid cell; (p_s - p_c) / theta across the surface.
void apply_pressure(const PressureInput& input, const PressureSystem& system,
                    std::array<std::vector<double>, 3>& velocity);

/// Of the pressure across a face [Pa/m], as apply_pressure() takes it; none where it does not act.
[[nodiscard]] std::optional<double> pressure_gradient(const PressureInput& input, const PressureSystem& system,
                                                      std::size_t axis, std::size_t face);

/// Largest |div| over the unknowns [1/s], of a velocity field.
[[nodiscard]] double largest_divergence(const PressureInput& input, const PressureSystem& system,
                                        const std::array<std::vector<double>, 3>& velocity);

} // namespace rivulet
