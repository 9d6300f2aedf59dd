#pragma once

#include "sim/model.h"
#include "sim/state.h"
#include "sim/workspace.h"

#include <vector>

namespace rivulet {

/// Liquid that no solid and no source is near, in one step: neither pressure nor surface tension change the momentum of
/// such a body, but for what strands take. Parts are sets of tiles that hang together, so nothing that a particle gives
/// to the grid belongs to two of them.
struct FreeLiquid {
    std::vector<std::int32_t> part; ///< of each tile; -1 where it is not free
    std::vector<Vec3> mass;         ///< of the faces of each part, by axes [kg]
    std::vector<Vec3> momentum;     ///< that it shall have when the grid is done [kg m/s]
    Vec3 given = Vec3::Zero();      ///< by push_free_liquid() [kg m/s]
};

/// When the particles have given their momentum to the faces.
void find_free_liquid(const Model& model, const State& state, Workspace::Scratch& scratch);
/// What is done to the liquid at a place from outside [N s].
void push_free_liquid(const Vec3& place, const Vec3& impulse, Workspace::Scratch& scratch);
/// Shifts the velocity of each part by what the projection and what is carried beyond the surface have made of its
/// momentum: the least change that mends it.
void keep_free_momentum(Workspace::Scratch& scratch);

} // namespace rivulet
