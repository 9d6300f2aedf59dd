#pragma once

#include "sim/model.h"
#include "sim/state.h"

#include <cstdint>

namespace rivulet {

/// Sizes that the particles of the bulk are kept within, in nominal volumes.
inline constexpr double kSmallestParticle = 0.5;
inline constexpr double kLargestParticle = 2;

/// An eighth of a cell: what seeds and sources give a particle that no surface of a shape cuts [m^3].
[[nodiscard]] double nominal_volume(const Model& model);

/// Keeps the particles' sizes: one below kSmallestParticle joins the nearest of its liquid within a cell, one above
/// kLargestParticle becomes two. `time` places the solids, into or through which nothing is moved.
///
/// Volume, mass, centre of mass, momentum, angular momentum (that of the affine part included) and colour of every
/// liquid stay what they are. A merge takes the energy of the motion towards each other; what it cannot take, since the
/// angular momentum stays, makes the pair's energy about its centre grow by a part of r^2 / (2 dx^2) <= 1/2 at most. A
/// split keeps it. Booked as merged and split. A small drop that is alone stays as it is: docs/theory/resampling.md.
void resample_liquid(const Model& model, double time, State& state);

/// How large the particles are now.
struct ParticleSizes {
    double nominal = 0;             ///< [m^3]
    double smallest = 0;            ///< [m^3]; 0 without particles
    double largest = 0;             ///< [m^3]; 0 without particles
    std::int64_t n_below_half = 0;  ///< below kSmallestParticle: lone drops
    std::int64_t n_above_twice = 0; ///< above kLargestParticle: in places too narrow for two
};
[[nodiscard]] ParticleSizes particle_sizes(const Model& model, const State& state);

} // namespace rivulet
