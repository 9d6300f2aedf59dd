#pragma once

#include "sim/model.h"
#include "sim/state.h"
#include "sim/workspace.h"

#include <vector>

namespace rivulet {

/// Where pins put what they hold, and point loads, at one time: one entry a vertex.
struct StrandHolds {
    std::vector<Hold> hold;
    std::vector<Vec3> target;   ///< [m]
    std::vector<Vec3> director; ///< of held edges
    std::vector<Vec3> force;    ///< [N]; empty without loads
};
/// Pins that hold throughout the step from `time` to `time` + dt, where they are at its end, and loads at its middle.
void place_holds(const Model& model, double time, double dt, StrandHolds& holds);

/// Opens the ledger of the strands, which are there with their films.
void start_strands(const Model& model, State& state);
/// The strands at the end of the step, into scratch. Throws SimulationError if one does not converge.
void solve_strands(const Model& model, const State& state, Workspace::Scratch& scratch, double dt);
/// Takes them over, books what acted on them, and adds their pull to the loads of the obstacles.
void commit_strands(const Model& model, State& state, const Workspace::Scratch& scratch, double dt);

/// Of each edge about its tangent, without liquid [kg m^2].
[[nodiscard]] std::vector<double> edge_inertias(const StrandModel& model);

/// Energies, momentum and the balance of the strands and of the liquid on them.
struct StrandSums {
    double kinetic_energy = 0, potential_energy = 0, elastic_energy = 0; ///< [J]
    double surface_energy = 0;            ///< of films, less that of dry strands; not in `dissipated` [J]
    double dissipated = 0;                ///< initial energy and work, less the energy that is there [J]
    Vec3 momentum = Vec3::Zero();         ///< with what films still owe to strands [kg m/s]
    Vec3 angular_momentum = Vec3::Zero(); ///< about the world's origin, orbital and of the edges' spin [kg m^2/s]
    double max_speed = 0;                 ///< [m/s]
    std::int64_t n_contacts = 0;          ///< of the last step, those with a force
    double largest_strain = 0;            ///< |length/rest length - 1| of an edge
    /// |momentum - (initial + gravity + support + drag + load + contact + caught + shed + flow + buoyancy)| over the
    /// sum of the magnitudes of the accounts and the impulse of a strain of 2.4e-7.
    double relative_error = 0;
};
[[nodiscard]] StrandSums sum_strands(const Model& model, const State& state);

} // namespace rivulet
