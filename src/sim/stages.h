#pragma once

#include "sim/model.h"
#include "sim/scratch.h"
#include "sim/state.h"

namespace rivulet {

using Scratch = Workspace::Scratch;

/// Steps from face to face, from the open faces of liquid cells to the farthest that a particle in one of them asks
/// for: in the corner of three walls, two below the floor and one into each side.
inline constexpr int kExtrapolatedLayers = 4;

/// Tiles around the particles, and the particles' order in them. Moves the particles themselves into that order every
/// few steps, so that neighbours in space stay neighbours in memory.
void build_grid(const Model& model, State& state, Scratch& scratch);
/// Obstacles and walls on the grid.
void place_solids(const Model& model, const State& state, Scratch& scratch, double dt);
[[nodiscard]] bool has_surface_tension(const Model& model);
/// Signed distance to the liquid, and its density where liquids differ.
void find_surface(const Model& model, const State& state, Scratch& scratch);
/// Pressure of the bent surface, where surface tension is on.
void find_surface_pressure(const Model& model, Scratch& scratch);
/// Particle momentum to the faces.
void transfer_to_grid(const Model& model, const State& state, Scratch& scratch);
/// Whether faces beyond the surface keep their own velocity in a step of dt and take the liquid's change.
[[nodiscard]] bool carries_change(const Model& model, double dt);
/// In the first step: makes the velocity that the particles start with divergence-free, and keeps it. Walls that the
/// start ignores stop it at once; what is left changes by forces, and their part of this step becomes lead.
void project_start(const Model& model, Scratch& scratch, double dt);
void add_gravity(const Model& model, Scratch& scratch, double dt);
/// Makes the velocity divergence-free before viscosity acts on it, where there are solids: otherwise the walls
/// would rub against the motion that gravity has just added and that the pressure is about to take away, and liquid at
/// rest would not stay so.
void project_before_viscosity(const Model& model, const State& state, Scratch& scratch, double dt);
/// Viscous stress, where it matters (kLeastViscousNumber). Throws SimulationError if the solver does not converge.
void solve_viscosity(const Model& model, const State& state, Scratch& scratch, double dt);
/// What the projection is made from; the surface's own pressure acts once a step.
[[nodiscard]] PressureInput pressure_input(const Model& model, const Scratch& scratch, double dt,
                                           bool with_surface_pressure);
/// Makes the velocity divergence-free. Throws SimulationError if the solver does not converge.
void solve_pressure(const Model& model, const State& state, Scratch& scratch, double dt);
/// A displacement that spreads crowded particles and closes gaps, so that the liquid keeps its volume over long runs
/// [Kugelstadt 2019]. Changes where particles go, not their velocities.
void solve_crowding(const Model& model, const State& state, Scratch& scratch, double dt);
/// Marks the faces whose velocity is known, from which extend_velocity() goes on. Friction of solids that liquid slips
/// along, without the part that comes with its viscosity.
void rub_on_walls(Scratch& scratch, double dt);
/// Velocities beyond the surface and inside of solids, where particles will ask for them.
void extend_velocity(const Model& model, Scratch& scratch, double dt);
/// From here on the State changes: velocities, positions, and the pressure that the next solve starts from.
void commit_liquid(const Model& model, State& state, Scratch& scratch, double dt);
/// Forces of the liquid on the obstacles.
void measure_loads(const Model& model, State& state, Scratch& scratch);
/// Particles out of the solids as they stand at the end of the step.
void keep_out_of_solids(const Model& model, State& state, const Scratch& scratch, double time);

} // namespace rivulet
