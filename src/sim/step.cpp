#include "sim/step.h"

#include "sim/film_stages.h"
#include "sim/free_liquid.h"
#include "sim/immersion_stages.h"
#include "sim/openings.h"
#include "sim/resample.h"
#include "sim/sources.h"
#include "sim/spray.h"
#include "sim/stages.h"
#include "sim/strand_stages.h"
#include "sim/watchdog.h"

#include <utility>

namespace rivulet {

double end_of_step(const Model& model, const Clock& clock, double dt)
{
    const double frame_time = static_cast<double>(clock.frame + 1) * model.options.frame_interval;
    const double end = clock.time + dt;
    return end >= frame_time - 1e-9 * model.options.frame_interval ? frame_time : end;
}

void step(const Model& model, State& state, Workspace& workspace, double dt)
{
    Scratch& scratch = workspace.scratch();
    const auto stage = [&](const char* name, auto&& body) {
        {
            StageTimers::Scope timer(workspace.timers, name);
            body();
            timer.add_iterations(std::exchange(scratch.solver_iterations, 0));
        }
        if (workspace.after_stage) workspace.after_stage(name, state);
    };
    const double end = end_of_step(model, state.clock, dt);

    if (workspace.after_stage) workspace.after_stage("begin", state);
    stage("watchdog", [&] { check_begin(state, "begin of step"); });
    const bool has_liquid = !model.liquids.empty();
    scratch.lead = LeadFactors::of(dt, state.clock.previous_step, model.options.max_step);
    if (has_liquid) {
        stage("grid", [&] { build_grid(model, state, scratch); });
        stage("solids", [&] { place_solids(model, state, scratch, dt); });
        stage("surface", [&] { find_surface(model, state, scratch); });
        stage("openings", [&] { find_openings(model, state, scratch); });
        stage("surface tension", [&] { find_surface_pressure(model, scratch); });
        stage("particles to grid", [&] { transfer_to_grid(model, state, scratch); });
        stage("watchdog", [&] { check_transferred(scratch.faces, "particles to grid"); });
        stage("free liquid", [&] { weigh_free_liquid(model, state, scratch, dt); });
        stage("spray", [&] { find_spray(model, state, scratch); });
        if (model.wetting) stage("immersion", [&] { find_immersed(model, state, scratch, dt); });
    }
    stage("strands", [&] { solve_strands(model, state, scratch, dt); });
    if (has_liquid) {
        if (model.wetting) {
            stage("drag", [&] { return_drag(model, state, scratch, dt); });
            stage("displacement", [&] { displace_liquid(model, scratch); });
        }
        stage("spray", [&] { weigh_spray(model, state, scratch, dt); });
        stage("start", [&] { project_start(model, scratch, dt); });
        stage("gravity", [&] { add_gravity(model, scratch, dt); });
        stage("first projection", [&] { project_before_viscosity(model, state, scratch, dt); });
        stage("viscosity", [&] { solve_viscosity(model, state, scratch, dt); });
        stage("pressure", [&] { solve_pressure(model, state, scratch, dt); });
        stage("crowding", [&] { solve_crowding(model, state, scratch, dt); });
        stage("wall friction", [&] { rub_on_walls(scratch, dt); });
        stage("extrapolation", [&] { extend_velocity(model, scratch, dt); });
    }
    if (has_liquid)
        stage("watchdog", [&] { // faster than this, a particle would jump over what it should meet
            check_velocity(scratch.faces.velocity, (model.options.cfl + 2) * model.options.cell_size / dt, "pressure");
        });

    if (model.wetting && has_liquid) stage("buoyancy", [&] { commit_immersion(model, state, scratch, dt); });
    if (has_liquid) stage("grid to particles", [&] { commit_liquid(model, state, scratch, dt); });
    stage("loads", [&] { measure_loads(model, state, scratch); });
    stage("strand update", [&] { commit_strands(model, state, scratch, dt); });
    if (has_liquid) {
        stage("contact", [&] { keep_out_of_solids(model, state, scratch, end); });
        stage("drains", [&] { remove_drained(model, scratch.drained, state); });
    }
    if (model.wetting) {
        stage("films", [&] { flow_films(model, state, scratch, dt); });
        stage("spreading", [&] { spread_films(model, state, scratch, dt); });
        stage("capture", [&] { catch_liquid(model, state, scratch, dt); });
        stage("dripping", [&] { shed_liquid(model, state, scratch, dt); });
    }
    if (has_liquid) {
        stage("sources", [&] { emit_sources(model, state.clock.time, end, state, scratch.source_columns); });
        stage("resampling", [&] { resample_liquid(model, end, state); });
    }
    stage("watchdog", [&] { check_state(model, state, "end of step"); });
}

} // namespace rivulet
