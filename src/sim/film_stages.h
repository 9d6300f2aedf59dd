#pragma once

#include "contact/groove_suction.h"
#include "sim/model.h"
#include "sim/state.h"
#include "sim/workspace.h"

#include <optional>
#include <vector>

namespace rivulet {

/// What the films of a step hand to the strands, and to each other.
struct FilmScratchpad {
    std::vector<double> radius;        ///< of strands [m]
    std::vector<double> mass;          ///< of vertices, dry [kg]
    std::vector<double> inertia;       ///< of edges, dry [kg m^2]
    std::vector<double> added_mass;    ///< of the liquid that moves with vertices [kg]
    std::vector<double> added_inertia; ///< and with edges [kg m^2]
    FilmCoupling coupling;
    std::vector<Vec3> lift;         ///< of vertices, of the pressure around [m/s^2]
    std::vector<double> exposure;   ///< of vertices to the air: 1 - submersion
    std::vector<double> sliding;    ///< part of its mobility that the film of a vertex has: none under water
    std::vector<Vec3> drawn;        ///< impulse of the liquid around on the flow of edges [N s]
    std::vector<Vec3> taken;        ///< the same, from vertices
    std::vector<Vec3> due;          ///< momentum of the flow of edges when the strands have moved [kg m/s]
    std::vector<Vec3> pool_due;     ///< the same of what hangs from tips
    std::vector<Vec3> force;        ///< on vertices: point loads, and what films owe them [N]
    std::vector<Vec3> acceleration; ///< of vertices in the step [m/s^2]
    std::vector<FilmOutcome> outcome;
    std::vector<double> area; ///< of films at vertices [m^2]
    std::optional<StrandBridgeTable> between_strands;
    std::optional<SolidBridgeTable> to_solids;
    std::optional<GrooveSuction> suction;
    BridgeInput bridges;
};

/// Films as the scene has them at the start, booked.
void start_films(const Model& model, State& state);

/// Masses and forces of the films in the step to come.
void weigh_films(const Model& model, const State& state, Workspace::Scratch& scratch, double dt);
/// When the strands of the step are known: what the liquid around does to films that slide in it. It is the drag that
/// it would have on a strand as thick as the film along it, implicit in the flow.
void draw_films(const Model& model, const State& state, Workspace::Scratch& scratch, double dt);
/// The bridges that the films of the State can make; null where there are none.
[[nodiscard]] const BridgeInput* find_bridges(const Model& model, const State& state, Workspace::Scratch& scratch);
/// When the strands of the step are known and not yet taken over: what their films' flow has felt of it.
void note_strand_motion(const Model& model, const State& state, Workspace::Scratch& scratch, double dt);
/// Liquid flows along the strands; what arrives at a tip hangs there.
void flow_films(const Model& model, State& state, Workspace::Scratch& scratch, double dt);
/// Liquid passes through bridges from strand to strand, where the scene asks for it.
void spread_films(const Model& model, State& state, Workspace::Scratch& scratch, double dt);

/// Strands catch liquid that they are in or touch.
void catch_liquid(const Model& model, State& state, const Workspace::Scratch& scratch, double dt);
/// What they cannot hold falls off: from tips, and from where more hangs than surface tension can carry.
void shed_liquid(const Model& model, State& state, const Workspace::Scratch& scratch, double dt);

/// Momentum of what hangs from the tip of a strand, besides moving with it [kg m/s].
[[nodiscard]] Vec3 pool_momentum(const Model& model, const State& state, std::size_t strand);
/// Mass [kg] of the film and the pool at each vertex.
[[nodiscard]] std::vector<double> film_masses(const Model& model, const State& state);
/// Spans of the strands and films of the State for the kernels of src/wetting.
[[nodiscard]] FilmState film_state(const State& state); ///< for kernels that only read it
[[nodiscard]] FilmStrands film_strands(const Model& model, const State& state, const FilmScratchpad& pad);
/// radius, mass and inertia of the scratchpad.
void measure_strands(const Model& model, FilmScratchpad& pad);

} // namespace rivulet
