#pragma once

#include "grid/face_points.h"
#include "numerics/velocity_force.h"
#include "sim/model.h"
#include "sim/state.h"
#include "sim/workspace.h"

#include <array>
#include <vector>

namespace rivulet {

/// Strands in the bulk liquid, in one step: where they are in it, what it does to them and they to it. Arrays have one
/// entry for each vertex that the grid reaches.
struct Immersion {
    std::vector<std::int32_t> vertex, strand;
    FacePoints points;              ///< they, as they lie at the start of the step
    std::vector<double> submersion; ///< 0 in air, 1 in liquid
    std::vector<double> volume;     ///< of strand and film [m^3]
    std::vector<double> fraction;   ///< of strands in the volume around
    /// Mass that goes with each face whose velocity the step finds; 0 for those beyond the surface, which take theirs
    /// from these [kg]. Empty where no strand is in the liquid and none of it is free.
    std::array<std::vector<double>, 3> carrier;
    std::vector<Vec3> liquid_mass;   ///< that a point reaches of it, by the axes of faces [kg]
    std::vector<Vec3> flow;          ///< velocity of the liquid there; with drag [m/s]
    std::vector<double> dragged;     ///< length that feels it, less what the liquid gives way; 0 without drag [m]
    std::vector<VelocityForce> drag; ///< of the liquid
    std::vector<VelocityForce> lift; ///< of its pressure
    /// Part of the faces that strands take, and its product with their velocity [m/s]; empty: none.
    std::array<std::vector<double>, 3> share, flux;
    std::vector<VelocityForce> coupling; ///< of films and the liquid around, one entry for every vertex
};

/// 0 a quarter of a cell above the surface and higher, 1 a quarter below it and deeper, even in between; `distance` is
/// that to the liquid, negative in it.
[[nodiscard]] double submersion(double distance, double cell_size);

void start_immersion(const Model& model, State& state);
/// Vertices in reach of the grid, how deep they are, and what of the liquid they feel.
void find_immersed(const Model& model, const State& state, Workspace::Scratch& scratch, double dt);
/// Forces of the liquid on them in the step to come; what films do to them is known.
void push_immersed(const Model& model, const State& state, Workspace::Scratch& scratch, double dt);
/// When the strands of the step are known: what drag has done to them and will do to their films is taken from the
/// faces, exactly; and from those of free liquid what pressure has done.
void return_drag(const Model& model, const State& state, Workspace::Scratch& scratch, double dt);
/// Space that strands take of the liquid, and how it moves.
void displace_liquid(const Model& model, Workspace::Scratch& scratch);
/// Books what the liquid did to the strands, and keeps the gradient of its pressure for the next step.
void commit_immersion(const Model& model, State& state, const Workspace::Scratch& scratch, double dt);

} // namespace rivulet
