#pragma once

#include "fluid/extrapolate.h"
#include "fluid/openings.h"
#include "fluid/poisson.h"
#include "fluid/pressure.h"
#include "fluid/solids.h"
#include "fluid/surface_laws.h"
#include "fluid/viscosity.h"
#include "grid/particle_order.h"
#include "grid/transfer.h"
#include "sim/film_stages.h"
#include "sim/free_liquid.h"
#include "sim/immersion_stages.h"
#include "sim/load_faces.h"
#include "sim/mouth_tiles.h"
#include "sim/obstacles.h"
#include "sim/sources.h"
#include "sim/spray.h"
#include "sim/strand_stages.h"
#include "sim/workspace.h"
#include "strands/penalty_step.h"

namespace rivulet {

/// How a step of dt after one of `previous` weighs what particles remember (docs/theory/step.md).
struct LeadFactors {
    bool is_first = false; ///< no step was before it
    double carried = 0;    ///< part of the lead that goes to the grid
    double force = 1;      ///< part of dt over which forces act there
    double impulse = 1;    ///< part that acts there of what is given to the liquid once
    double kept = 0;       ///< part of the old lead that stays
    double gained = 0;     ///< part of the velocity's change that becomes lead

    /// `seeded`: step that the leads of the start are made for.
    static LeadFactors of(double dt, double previous, double seeded) noexcept
    {
        if (!(previous > 0)) return {.is_first = true, .force = 0.5, .kept = dt / seeded, .gained = 1};
        const double r = dt / previous, carried = 2 / (2 + r);
        return {.carried = carried, .force = carried * (1 + 1 / r) / 2, .impulse = carried, .gained = r / 2};
    }
};

/// What the stages of a step hand to each other. Everything here is made anew from Model and State in every step.
struct Workspace::Scratch {
    TileGrid grid;
    ParticleOrder order;
    SolidSet solids;
    SolidFields solid_fields;
    SolidCache solid_cache;              ///< of the last step: saves time, changes nothing
    std::vector<double> liquid_distance; ///< at cell centres [m]
    SurfaceLaws surface_laws;            ///< with surface tension
    std::vector<double> liquid_share;    ///< at cell centres [1]; empty without surface tension
    std::vector<double> density;         ///< at cell centres [kg/m^3]; empty while all liquids weigh the same
    std::array<std::vector<double>, 3> surface_pressure; ///< of surface tension, on faces [Pa]; empty: none
    std::vector<SourceColumns> source_columns;           ///< of the sources so far: saves time, changes nothing
    MouthTiles mouth_tiles;                              ///< of the last step: saves time, changes nothing
    FaceOpenings openings;                               ///< mouths of sources, and drains
    std::vector<std::uint8_t> drained;                   ///< particles that met a drain; empty: none did
    FaceFields faces;
    LeadFactors lead; ///< of this step
    /// Velocity of the start, made divergence-free, on the faces [m/s]; of the first step.
    std::array<std::vector<double>, 3> start_velocity;
    /// Velocity on the faces as the particles brought it [m/s]; without solids, and where liquid is never thick,
    /// empty.
    std::array<std::vector<double>, 3> transferred;
    LoadFaces load_faces;                                 ///< of the last step: saves time, changes nothing
    FaceSolids face_solids;                               ///< of the last step: saves time, changes nothing
    std::array<std::vector<std::uint8_t>, 3> known_faces; ///< with a velocity that particles may use
    PressureSystem pressure;
    PoissonSolver poisson;
    PoissonResult poisson_result;       ///< of the pressure
    std::vector<double> first_pressure; ///< of the projection before viscosity [Pa]; empty without one
    /// What the last step's viscous pressure adds to the faces [m/s]: viscosity, which balances it, takes it in. Empty
    /// where nothing is carried.
    std::array<std::vector<double>, 3> viscous_push;
    std::vector<double> viscosity; ///< at cell centres [Pa s]; empty while all liquids have the same
    bool has_viscosity = false;    ///< worth a solve in this step
    ViscositySolver viscosity_solver;
    std::vector<ViscousLoad> viscous_loads;          ///< on the obstacles; empty without viscosity
    std::int64_t solver_iterations = 0;              ///< of the stage that runs, for its timer
    std::vector<double> crowding;                    ///< how full cells are, then by how much too full [1]
    std::array<std::vector<double>, 3> displacement; ///< per time, on faces [m/s]; empty when nothing is crowded

    StrandUpdate strands; ///< what the strands will be at the end of the step
    StrandHolds strand_holds;
    ContactUpdate strand_contacts;
    bool bears_contacts = false; ///< cut often enough: contacts without forces are borne, and count as missed
    FilmScratchpad films;
    Immersion immersion;
    FreeLiquid free_liquid;
    Spray spray;
    ContactWorkspace strand_contact_search; ///< saves time, changes nothing
    PenaltyWorkspace strand_penalty_search; ///< the same

    /// Exchanges the memory of solid fields that only the beginning of a step needs with that of others that only the
    /// rest of it does.
    void lend_memory(SolidFields& fields)
    {
        fields.open.swap(faces.mass);
        fields.velocity[0].swap(crowding);
        fields.velocity[1].swap(pressure.right_side);
        fields.velocity[2].swap(pressure.diagonal);
    }
    /// Does the same for displacement and mass, where nothing asks for the mass any more.
    void lend_mass_to_displacement()
    {
        if (transferred[0].empty()) faces.mass.swap(displacement);
    }
    /// Gives back the memory of what the next stages make anew.
    void release();
};

} // namespace rivulet
