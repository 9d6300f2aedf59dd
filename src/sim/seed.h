#pragma once

#include "sim/model.h"
#include "sim/state.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rivulet {

/// Particles along the edge of a cell: 8 in a full one.
inline constexpr int kParticlesPerEdge = 2;

/// A particle to be added, as its kind allows.
struct NewParticle {
    Vec3 position, velocity;
    Mat3 affine;
    double volume;
    Vec3 change = Vec3::Zero(); ///< of its velocity in the step that ends, had it moved freely before [m/s]
};
/// With the next number; the caller books it.
void append_particle(const Model& model, int liquid, const NewParticle& particle, State& state);
/// Those with keep[p] == 0; the caller books them.
void remove_particles(const std::vector<std::uint8_t>& keep, LiquidParticles& particles);

/// Adds the liquid that a body holds at the start: for every eighth of a cell a particle of the volume, and at the
/// centre, of what of it is inside of the body's shape, outside of obstacles, within the domain, and not taken by an
/// earlier body. Where that is less than half, resample_liquid() joins it to the next.
void seed_body(const Model& model, const LiquidBody& body, std::span<const LiquidBody> earlier, State& state);

/// Volume of the body's shape within the domain and outside of solids, to a few per cent [m^3]: for estimates before a
/// run.
[[nodiscard]] double body_volume(const Model& model, const LiquidBody& body);

} // namespace rivulet
