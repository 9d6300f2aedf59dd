#pragma once

#include "sim/model.h"
#include "sim/state.h"
#include "sim/workspace.h"

#include <vector>

namespace rivulet {

/// Liquid that no solid and no source is near, in one step: nothing but its weight and strands changes its momentum.
struct FreeLiquid {
    /// By tile: 1 where nothing that hangs together with it is near a solid or a source. Empty where there is none.
    std::vector<std::uint8_t> tiles;
    Vec3 given = Vec3::Zero(); ///< by push_free_liquid() [kg m/s]

    [[nodiscard]] bool has(std::size_t tile) const { return !tiles.empty() && tiles[tile] != 0; }
};

/// When the particles have given their momentum to the faces: where liquid is free, and what its faces weigh. Nowhere
/// if there is surface tension and no wetting: its waves ask for the surface to second order, which these masses lose.
void weigh_free_liquid(const Model& model, const State& state, Workspace::Scratch& scratch, double dt);
/// Mass that goes with the velocity of each face that the step finds (Immersion::carrier). In free liquid such a face
/// gets the momentum of that mass too: what the faces beyond the surface brought, which will take theirs from it.
void carry_mass(const Model& model, Workspace::Scratch& scratch, double dt);
/// Notes what strands do to free liquid at a place [N s]; whether it is free there.
bool push_free_liquid(const Vec3& place, const Vec3& impulse, Workspace::Scratch& scratch);
/// Of the lead of a particle after the step, what is not its weight's [m/s]: free liquid as a whole has the momentum of
/// v + l and of half a step's weight. A particle that is taken from it gives its v + 2 l less this, and what this
/// leaves in the leads of the rest is no momentum either (StrandLedger::lead). Zero where liquid is not free.
[[nodiscard]] Vec3 loose_lead(const Model& model, const State& state, const Workspace::Scratch& scratch,
                              std::size_t particle, double dt);

} // namespace rivulet
