#pragma once

#include "sim/model.h"
#include "sim/state.h"
#include "sim/workspace.h"

#include <algorithm>
#include <array>
#include <vector>

namespace rivulet {

/// A particle by itself, or one of a few, that some solid may be near. Energies are per half its mass, in the frame of
/// the nearest solid, without what the weight does to the lead.
struct SprayParticle {
    std::int32_t particle;
    Vec3 frame;        ///< velocity of that solid there [m/s]
    double energy = 0; ///< most of v^2 + dx^2/4 |C|^2 after the step [m^2/s^2]
    double motion = 0; ///< most of (v + l)^2 [m^2/s^2]
};
/// That of one step.
struct Spray {
    std::vector<std::vector<SprayParticle>> tiles;   ///< by tile
    std::array<std::vector<double>, 3> from_strands; ///< change of the faces' velocity [m/s]; empty: none

    [[nodiscard]] bool any() const
    {
        return std::any_of(tiles.begin(), tiles.end(), [](const auto& tile) { return !tile.empty(); });
    }
};

/// When the particles have given their momentum to the faces: finds spray.
void find_spray(const Model& model, const State& state, Workspace::Scratch& scratch);
/// When strands have done their part, too: the energy that it may have. What drag did to the faces of liquid goes on to
/// those beyond the surface later, so that each particle may have what the face about it has that got most.
void weigh_spray(const Model& model, const State& state, Workspace::Scratch& scratch, double dt);
/// When particles have taken velocity, gradient and lead from the grid: those of spray take no more energy than they
/// may, less of the gradient first. Where that changes a velocity, lead and place change with it. In a first step, when
/// they are back at the start.
void limit_spray(const Model& model, State& state, const Workspace::Scratch& scratch, double dt);

} // namespace rivulet
