#include "sim/advance.h"

#include "base/assert.h"
#include "base/log.h"
#include "base/parallel.h"
#include "fluid/surface_tension.h"
#include "sim/film_stages.h"
#include "sim/immersion_stages.h"
#include "sim/obstacles.h"
#include "sim/packing.h"
#include "sim/resample.h"
#include "sim/scratch.h"
#include "sim/seed.h"
#include "sim/sources.h"
#include "sim/step.h"
#include "sim/strand_stages.h"
#include "sim/watchdog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// A step is at most this many times as long as the one before: what particles remember of that is extrapolated.
constexpr double kMostGrowth = 2;

/// Halvings of a step after which contacts that no forces were found for are borne.
constexpr int kContactRetries = 3;

struct StepLimit {
    double dt;
    const char* limiter;
};

double fastest(const std::vector<Vec3>& velocity)
{
    return std::sqrt(ordered_reduce(
        static_cast<std::int64_t>(velocity.size()), "fastest", 0.0,
        [&](std::int64_t begin, std::int64_t end) {
            double largest = 0;
            for (std::int64_t i = begin; i < end; ++i)
                largest = std::max(largest, velocity[static_cast<std::size_t>(i)].squaredNorm());
            return largest;
        },
        [](double a, double b) { return std::max(a, b); }));
}

/// Largest dt with (v + g dt) dt <= distance.
double time_to_cross(double distance, double v, double g)
{
    return g > 0 ? 2 * distance / (v + std::sqrt(v * v + 4 * g * distance)) : distance / std::max(v, 1e-300);
}

/// `particle_speed`: of the fastest particle [m/s]; strands may cross as many cells as they like.
StepLimit choose_step(const Model& model, const State& state, double particle_speed)
{
    const Options& o = model.options;
    StepLimit limit{o.max_step, "max_step"};
    const auto at_most = [&](double dt, const char* limiter) {
        if (dt < limit.dt) limit = {dt, limiter};
    };
    const double distance = o.cfl * o.cell_size;
    at_most(time_to_cross(distance, particle_speed, state.liquid.size() > 0 ? o.gravity.norm() : 0), "cfl");
    if (!model.liquids.empty())
        at_most(distance / std::max(fastest_obstacle(model, state.clock.time), 1e-300), "obstacle");
    if (!model.liquids.empty() && state.clock.previous_step > 0)
        at_most(kMostGrowth * state.clock.previous_step, "growth");
    if (state.strands.size() > 0) at_most(o.strand_step, "strands");
    if (state.film.is_there() && model.wetting->film.surface_tension > 0)
        at_most(film_step_limit(model.wetting->film, model.shortest_edge / model.wetting->film_parts), "film");
    if (o.surface_tension && state.liquid.size() > 0)
        for (const Liquid& l : model.liquids)
            if (l.surface_tension > 0)
                at_most(capillary_step(l.density, l.surface_tension, o.cell_size), "surface tension");
    if (limit.dt < o.min_step)
        throw SimulationError(
            "step size", limit.limiter, -1,
            fmt::format("asks for a step of {:.3g} s, below simulation.min_step of {:.3g} s", limit.dt, o.min_step));
    // End exactly on the next frame; the last steps before it share what is left, so that none is much smaller than the
    // one before.
    constexpr int kSharing = 4;
    constexpr double kRounding = 1e-9; // of a frame's time must not cost a step
    const double left = static_cast<double>(state.clock.frame + 1) * o.frame_interval - state.clock.time;
    const double n = std::ceil(left / limit.dt * (1 - kRounding));
    if (n > kSharing) return limit;
    return {left / n, kFrameLimiter};
}

void complete_step(const Model& model, State& state, StepInfo& info)
{
    const double frame_time = static_cast<double>(state.clock.frame + 1) * model.options.frame_interval;
    state.clock.time = end_of_step(model, state.clock, info.dt);
    state.clock.previous_step = info.dt;
    ++state.clock.step;
    if (state.clock.time == frame_time) {
        ++state.clock.frame;
        info.frame_completed = true;
    }
}

} // namespace

State initial_state(const Model& model)
{
    State state;
    state.ledger = Ledger(model.liquids.size());
    state.loads.force.assign(model.obstacles.size(), Vec3::Zero());
    state.loads.torque.assign(model.obstacles.size(), Vec3::Zero());
    for (std::size_t b = 0; b < model.bodies.size(); ++b)
        seed_body(model, model.bodies[b], std::span(model.bodies).first(b), state);
    std::vector<SourceColumns> columns;
    emit_sources(model, 0, 0, state, columns);
    resample_liquid(model, 0, state);
    state.strands = model.strands_at_start;
    start_films(model, state);
    start_immersion(model, state);
    start_strands(model, state);
    check_state(model, state, "initial state");
    return state;
}

StepInfo advance(const Model& model, State& state, Workspace& workspace)
{
    StepInfo info;
    const double particle_speed = fastest(state.liquid.velocity);
    info.max_speed = std::max(particle_speed, fastest(state.strands.velocity));
    const StepLimit limit = choose_step(model, state, particle_speed);
    info.dt = limit.dt;
    info.limiter = limit.limiter;
    while (true) {
        const bool is_shortest = 0.5 * info.dt < model.options.min_step;
        workspace.scratch().bears_contacts =
            is_shortest || info.retries >= std::min(kContactRetries, model.options.max_retries);
        try {
            step(model, state, workspace, info.dt);
            break;
        } catch (const NoRoomError&) {
            throw;
        } catch (const SimulationError& error) {
            check_state(model, state, error.stage()); // a broken State cannot be mended by a smaller step
            if (info.retries >= model.options.max_retries || is_shortest) throw;
            ++info.retries;
            info.dt *= 0.5;
            info.limiter = "retry";
            log_warning("step {} at {:.6g} s: {}; again with dt {:.3g} s", state.clock.step + 1, state.clock.time,
                        error.what(), info.dt);
        } catch (const InternalError&) {
            check_state(model, state, "step"); // name the broken array rather than the line that tripped over it
            throw;
        }
    }
    const Workspace::Scratch& scratch = workspace.scratch();
    const PoissonResult& result = scratch.poisson_result;
    info.strand_iterations = scratch.strands.iterations + scratch.strand_contacts.iterations;
    info.pressure_iterations = result.iterations;
    info.pressure_residual = result.residual * info.dt;
    info.stretched = find_stretched_edges(model.strands, state.strands, model.options.gravity.norm());
    complete_step(model, state, info);
    return info;
}

} // namespace rivulet
