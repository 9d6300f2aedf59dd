#include "sim/stages.h"

#include "base/error.h"
#include "base/parallel.h"
#include "fluid/crowding.h"
#include "fluid/extrapolate.h"
#include "fluid/filled_volume.h"
#include "fluid/liquid_share.h"
#include "fluid/liquid_surface.h"
#include "fluid/pocket_pressure.h"
#include "fluid/surface_tension.h"
#include "fluid/wall_friction.h"
#include "sim/occupied_cells.h"
#include "sim/openings.h"
#include "sim/packing.h"
#include "sim/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

namespace rivulet {
namespace {

/// Cells around a particle in which faces must exist: its stencil, a step's motion, and the extrapolated layers.
constexpr int kHalo = 3;
/// Viscous number from which on faces beyond the surface keep their own velocity and take the liquid's change. Thin
/// liquid would grow spray without bound that way (a jet of water at 2 mm cells did); thick liquid keeps its angular
/// momentum by it.
constexpr double kChangeNumber = 0.05;
/// Viscous number from which on the pressure that viscosity makes necessary is carried from step to step.
constexpr double kThickNumber = 0.05;
/// Steps between two moves of the particles themselves.
constexpr std::int64_t kReorderInterval = 8;
/// From this number on, memory is given back before they move: fewer need less than it costs to ask for it again.
constexpr std::int64_t kManyParticles = 400'000;
/// Part of the crowding that one step removes, and how exactly.
constexpr double kCrowdingRelaxation = 0.5;
constexpr double kCrowdingTolerance = 1e-3;
/// Of the viscous operator, per viscous number: a step changes no difference of velocities by a larger part.
constexpr double kLargestEigenvalue = 12;
/// Largest error of a velocity that the viscosity may leave, as a part of the largest velocity.
constexpr double kViscosityTolerance = 1e-5;
/// That velocity is taken to be at least this, in cells a step.
constexpr double kLeastViscousScale = 1e-4;
constexpr int kMaxViscosityIterations = 500;

/// Moves the entries of one array, a column of matrices at a time, by way of `room`: memory that is there already,
/// since to ask for more costs longer than to copy back.
template <class T>
void reorder(const std::vector<std::int32_t>& order, std::vector<T>& values, std::vector<Vec3>& room)
{
    using Part = std::conditional_t<std::is_same_v<T, Mat3>, Vec3, T>;
    constexpr int kParts = std::is_same_v<T, Mat3> ? 3 : 1;
    static_assert(sizeof(T) == kParts * sizeof(Part) && sizeof(Part) <= sizeof(Vec3));
    const auto n = static_cast<std::int64_t>(order.size());
    Part* const sorted = reinterpret_cast<Part*>(room.data());
    Part* const parts = reinterpret_cast<Part*>(values.data());
    for (int c = 0; c < kParts; ++c) {
        parallel_for(
            n, "reorder",
            [&](std::int64_t i) { sorted[i] = parts[std::int64_t{kParts} * order[static_cast<std::size_t>(i)] + c]; },
            4096);
        parallel_for(
            n, "reorder", [&](std::int64_t i) { parts[kParts * i + c] = sorted[i]; }, 4096);
    }
}

bool liquids_differ_in_density(const Model& model)
{
    return std::any_of(model.liquids.begin(), model.liquids.end(),
                       [&](const Liquid& l) { return l.density != model.liquids.front().density; });
}

/// Calls body(begin, end) for the cells of every tile, that which stands for the outside among them.
template <class Body>
void for_tiles_of(const Scratch& s, Body&& body)
{
    parallel_for(
        s.grid.n_tiles() + 1, "cells",
        [&](std::int64_t t) {
            body(static_cast<std::size_t>(t) * kTileCells, static_cast<std::size_t>(t + 1) * kTileCells);
        },
        8);
}

PoissonSystem poisson_system(const Scratch& s)
{
    return {&s.grid,
            s.pressure.unknown,
            {s.pressure.coefficient[0], s.pressure.coefficient[1], s.pressure.coefficient[2]},
            s.pressure.diagonal};
}

/// Starts the pressure from what the particles remember of the last solve; throws where that is no number.
void recall_pressure(const State& state, Scratch& s)
{
    s.pressure.pressure.resize(s.grid.field_size());
    for_tiles_of(s, [&](std::size_t begin, std::size_t end) {
        std::fill(&s.pressure.pressure[begin], &s.pressure.pressure[begin] + (end - begin), 0.0);
    });
    std::atomic<bool> is_bad = false; // the same whoever finds it
    for_occupied_cells(s, "warm start", [&](std::size_t cell, std::span<const std::int32_t> particles) {
        double sum = 0;
        for (const std::int32_t p : particles) sum += state.liquid.pressure[static_cast<std::size_t>(p)];
        s.pressure.pressure[cell] = sum / static_cast<double>(particles.size());
        if (!std::isfinite(sum)) is_bad = true;
    });
    if (is_bad) throw SimulationError("pressure", "liquid.pressure", -1, "is not finite");
}

/// The pressure that leaves no more than a divergence of `allowed` a step, from the guess in s.pressure, and its
/// effect. The surface's own pressure acts once a step.
void project(const Model& model, Scratch& s, double dt, bool with_surface_pressure, double allowed)
{
    const PressureInput input = pressure_input(model, s, dt, with_surface_pressure);
    const double tolerance = allowed / dt;
    const int most = model.options.max_pressure_iterations;
    if (s.first_pressure.empty()) {
        assemble_pressure(input, s.faces.velocity, s.pressure);
        s.poisson_result =
            s.poisson.solve(poisson_system(s), s.pressure.right_side, s.pressure.pressure, tolerance, most);
    } else { // the matrix is that of the first projection
        assemble_right_side(input, s.faces.velocity, s.pressure);
        s.poisson_result =
            s.poisson.solve_again(poisson_system(s), s.pressure.right_side, s.pressure.pressure, tolerance, most);
    }
    s.solver_iterations = s.poisson_result.iterations;
    if (!s.poisson_result.converged)
        throw SimulationError("pressure", "solver", s.poisson_result.iterations,
                              fmt::format("did not converge: divergence {:.3g} a step, allowed {:.3g}",
                                          s.poisson_result.residual * dt, allowed));
    apply_pressure(input, s.pressure, s.faces.velocity);
}

/// Largest nu dt / dx^2 of the liquids.
double viscous_number(const Model& model, double dt)
{
    double largest = 0;
    for (const Liquid& l : model.liquids) largest = std::max(largest, l.viscosity / l.density);
    return largest * dt / (model.options.cell_size * model.options.cell_size);
}

bool viscosity_matters(const Model& model, double dt) { return viscous_number(model, dt) >= kLeastViscousNumber; }

/// Whether liquid sticks to any of the solids.
bool holds_liquid(const Solids& solids)
{
    return solids.wall_friction > 0 ||
           std::any_of(solids.bodies.begin(), solids.bodies.end(), [](const SolidBody& b) { return b.friction > 0; });
}

bool has_solids(const Solids& solids)
{
    return !solids.bodies.empty() || std::find(solids.closed.begin(), solids.closed.end(), true) != solids.closed.end();
}

/// Gives cells that have none of a liquid's property the mean of the cells around them that have it, else `otherwise`.
template <class Wanted>
void fill_empty_cells(const TileGrid& grid, double unknown, double otherwise, std::vector<double>& values,
                      Wanted&& is_wanted)
{
    const std::vector<double> known = values;
    parallel_for(grid.n_tiles(), "empty cells", [&](std::int64_t t) {
        for (int c = 0; c < kTileCells; ++c) {
            const auto cell = static_cast<std::size_t>(t * kTileCells + c);
            if (known[cell] != unknown || !is_wanted(cell)) continue;
            double sum = 0;
            int n = 0;
            for (int side = 0; side < 27; ++side) {
                const double value = known[grid.index(static_cast<int>(t), c % 8 + side % 3 - 1,
                                                      c / 8 % 8 + side / 3 % 3 - 1, c / 64 + side / 9 - 1)];
                if (value == unknown) continue;
                sum += value;
                ++n;
            }
            values[cell] = n > 0 ? sum / n : otherwise;
        }
    });
}

/// Viscosity of the cells where liquids differ: the mean by volume of the particles in a cell, else of the cells around
/// it that have some, else the smallest of all.
void find_viscosity(const Model& model, const State& state, Scratch& s)
{
    s.viscosity.clear();
    double least = model.liquids.front().viscosity;
    double most = least;
    for (const Liquid& l : model.liquids) {
        least = std::min(least, l.viscosity);
        most = std::max(most, l.viscosity);
    }
    if (least == most) return;
    constexpr double kUnknown = -1;
    s.viscosity.assign(s.grid.field_size(), kUnknown);
    for_occupied_cells(s, "viscosity", [&](std::size_t cell, std::span<const std::int32_t> particles) {
        double sum = 0, volume = 0;
        for (const std::int32_t id : particles) {
            const auto p = static_cast<std::size_t>(id);
            sum += state.liquid.volume[p] * model.liquids[static_cast<std::size_t>(state.liquid.liquid[p])].viscosity;
            volume += state.liquid.volume[p];
        }
        s.viscosity[cell] = sum / volume;
    });
    fill_empty_cells(s.grid, kUnknown, least, s.viscosity, [](std::size_t) { return true; });
}

double largest_face_velocity(const Scratch& s)
{
    double largest = 0;
    for (const auto& u : s.faces.velocity)
        largest = std::max(largest, ordered_reduce(
                                        s.grid.n_tiles(), "largest velocity", 0.0,
                                        [&](std::int64_t begin, std::int64_t end) {
                                            double most = 0;
                                            for (std::int64_t n = begin * kTileCells; n < end * kTileCells; ++n)
                                                most = std::max(most, std::abs(u[static_cast<std::size_t>(n)]));
                                            return most;
                                        },
                                        [](double a, double b) { return std::max(a, b); }, 16));
    return largest;
}

/// What the last step's pressure has beyond that of the first projection, which viscosity made necessary: it acts
/// together with viscosity, and the pressure stage finds what it has changed by. Else walls would hold the liquid still
/// against it, and it would then push the liquid along them. Cells that no particle remembers anything of (0) get none.
void carry_viscous_pressure(const Model& model, Scratch& s, const std::vector<double>& last, double dt)
{
    for (std::size_t c = 0; c < last.size(); ++c)
        s.pressure.pressure[c] = s.pressure.unknown[c] != 0 && last[c] != 0 && !s.free_liquid.has(c / kTileCells)
                                     ? last[c] - s.first_pressure[c]
                                     : 0;
    for (auto& push : s.viscous_push) push.assign(s.grid.field_size(), 0);
    apply_pressure(pressure_input(model, s, dt, false), s.pressure, s.viscous_push);
    for (std::size_t c = 0; c < last.size(); ++c) s.first_pressure[c] += s.pressure.pressure[c];
}

} // namespace

bool has_surface_tension(const Model& model)
{
    return model.options.surface_tension && std::any_of(model.liquids.begin(), model.liquids.end(),
                                                        [](const Liquid& l) { return l.surface_tension > 0; });
}

void build_grid(const Model& model, State& state, Scratch& s)
{
    s.grid = tiles_around(state.liquid.position, model.domain.box.lower, model.options.cell_size, kHalo);
    sort_particles(s.grid, state.liquid.position, s.order);
    if (state.clock.step % kReorderInterval != 0) return;
    if (state.liquid.size() > kManyParticles) s.release();
    std::vector<Vec3> room(s.order.order.size());
    visit_particles(state.liquid,
                    [&](const char*, const char*, auto& values) { reorder(s.order.order, values, room); });
    parallel_for(
        static_cast<std::int64_t>(s.order.order.size()), "reorder",
        [&](std::int64_t i) { s.order.order[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i); }, 16384);
}

void place_solids(const Model& model, const State& state, Scratch& s, double dt)
{
    s.solids = solids_at(model, state.clock.time, dt);
    std::swap(s.solid_fields, s.solid_cache.fields);
    s.lend_memory(s.solid_fields);
    rasterize_solids(s.grid, s.solids.view(), s.solid_fields, &s.solid_cache);
    s.lend_memory(s.solid_cache.fields);
    s.solid_cache.grid = s.grid; // for the next step, by which time solid_fields is its raster
}

void find_surface(const Model& model, const State& state, Scratch& s)
{
    scatter_volume(s.grid, s.order, state.liquid.position, state.liquid.volume, s.crowding);
    compute_liquid_distance(s.grid, s.order, state.liquid.position, state.liquid.volume, s.crowding, s.solid_fields,
                            s.liquid_share, s.liquid_distance);
    s.liquid_share.clear();
    if (has_surface_tension(model)) {
        const Solids solids = s.solids.view();
        std::vector<SurfaceLaw> laws;
        for (const Liquid& l : model.liquids) laws.push_back({l.surface_tension, std::cos(l.contact_angle)});
        const LiquidParticles& liquid = state.liquid;
        s.surface_laws = mean_surface_laws(s.grid, s.order, liquid.position, liquid.volume, liquid.liquid, laws);
        compute_liquid_share(
            {&s.grid, &s.order, liquid.position, liquid.volume, &s.surface_laws, &solids, &s.solid_fields},
            s.liquid_share);
        refine_liquid_distance(s.grid, solids, s.solid_fields, s.liquid_share, s.liquid_distance);
    }
    s.density.clear();
    if (!liquids_differ_in_density(model)) return;
    s.density.assign(s.grid.field_size(), 0);
    for_occupied_cells(s, "density", [&](std::size_t cell, std::span<const std::int32_t> particles) {
        double mass = 0;
        double volume = 0;
        for (const std::int32_t id : particles) {
            const auto p = static_cast<std::size_t>(id);
            mass += state.liquid.volume[p] * density_of(model, state, p);
            volume += state.liquid.volume[p];
        }
        s.density[cell] = mass / volume;
    });
    // Gaps have the density of the liquid that they are in.
    fill_empty_cells(s.grid, 0, model.liquids.front().density, s.density,
                     [&](std::size_t cell) { return s.liquid_distance[cell] < 0; });
}

void find_surface_pressure(const Model& model, Scratch& s)
{
    for (auto& p : s.surface_pressure) p.clear();
    if (!has_surface_tension(model)) return;
    const Solids solids = s.solids.view();
    compute_surface_pressure({&s.grid, &s.surface_laws, s.liquid_distance, s.liquid_share, &solids, &s.solid_fields},
                             s.surface_pressure);
}

void transfer_to_grid(const Model& model, const State& state, Scratch& s)
{
    std::vector<double> density;
    for (const Liquid& l : model.liquids) density.push_back(l.density);
    const LiquidParticles& l = state.liquid;
    particles_to_faces(s.grid, s.order,
                       {l.position, l.velocity, l.affine, l.volume, l.liquid, density, l.lead, s.lead.carried},
                       s.faces);
    if (carries_change(model, model.options.max_step)) s.transferred = s.faces.velocity;
}

bool carries_change(const Model& model, double dt) { return viscous_number(model, dt) >= kChangeNumber; }

void add_gravity(const Model& model, Scratch& s, double dt)
{
    dt *= s.lead.force;
    parallel_for(s.grid.n_tiles(), "gravity", [&](std::int64_t t) {
        for (std::size_t a = 0; a < 3; ++a) {
            const double change = dt * model.options.gravity[static_cast<int>(a)];
            double* u = s.faces.velocity[a].data() + t * kTileCells;
            for (int c = 0; c < kTileCells; ++c) u[c] += change;
        }
    });
}

void project_before_viscosity(const Model& model, const State& state, Scratch& s, double dt)
{
    s.first_pressure.clear();
    s.viscous_push = {};
    if (!viscosity_matters(model, dt) || !has_solids(s.solids.view())) return;
    recall_pressure(state, s);
    const bool is_thick =
        !s.lead.is_first && viscous_number(model, dt) >= kThickNumber && holds_liquid(s.solids.view());
    const std::vector<double> last = is_thick ? s.pressure.pressure : std::vector<double>();
    // What this leaves, the second projection takes away: only the part that viscosity made of it in between stays.
    const double viscous_part = std::min(1.0, kLargestEigenvalue * viscous_number(model, dt));
    project(model, s, dt, true, model.options.pressure_tolerance / viscous_part);
    s.first_pressure = s.pressure.pressure;
    if (is_thick) carry_viscous_pressure(model, s, last, dt);
}

void solve_viscosity(const Model& model, const State& state, Scratch& s, double dt)
{
    s.viscous_loads.clear();
    s.has_viscosity = viscosity_matters(model, dt);
    if (!s.has_viscosity) return;
    find_viscosity(model, state, s);
    const Solids solids = s.solids.view();
    const Liquid& first = model.liquids.front();
    ViscosityInput input{&s.grid,       &solids,     &s.solid_fields, s.liquid_distance, s.density,
                         first.density, s.viscosity, first.viscosity, s.lead.force * dt, true};
    // Thick liquid hangs from the mouth that it comes from. Left to itself, what is in there would fall like the rest.
    std::array<std::vector<std::uint8_t>, 3> held;
    if (viscous_number(model, dt) >= kChangeNumber && s.openings.any()) {
        held = hold_faces(model, state.clock.time, s.grid, s.faces.velocity);
        for (std::size_t a = 0; a < 3; ++a) {
            input.driven[a] = held[a];
            for (std::size_t n = 0; n < s.viscous_push[a].size(); ++n)
                if (held[a][n] != 0) s.viscous_push[a][n] = 0;
        }
    }
    for (std::size_t a = 0; a < 3; ++a) {
        input.push[a] = s.viscous_push[a];
        input.carried[a] = s.immersion.carrier[a];
    }
    input.free_tiles = s.free_liquid.tiles;
    const double scale = std::max(largest_face_velocity(s), kLeastViscousScale * model.options.cell_size / dt);
    const HoleFaces holes(s.openings, s.faces.velocity); // walls hold the liquid there, as viscosity sees it
    const ViscosityResult result =
        s.viscosity_solver.solve(input, s.faces.velocity, kViscosityTolerance * scale, kMaxViscosityIterations);
    s.solver_iterations = result.iterations;
    if (!result.converged)
        throw SimulationError("viscosity", "solver", result.iterations,
                              fmt::format("did not converge: velocities to {:.3g} m/s, allowed {:.3g}", result.error,
                                          kViscosityTolerance * scale));
    holes.restore(s.faces.velocity);
    s.viscous_loads = s.viscosity_solver.loads();
}

PressureInput pressure_input(const Model& model, const Scratch& s, double dt, bool with_surface_pressure)
{
    PressureInput input{.grid = &s.grid,
                        .solids = &s.solid_fields,
                        .liquid_distance = s.liquid_distance,
                        .density = s.density,
                        .uniform_density = model.liquids.front().density,
                        .dt = s.lead.force * dt};
    for (std::size_t a = 0; a < 3; ++a) {
        if (with_surface_pressure) input.surface_pressure[a] = s.surface_pressure[a];
        input.share[a] = s.immersion.share[a];
        input.flux[a] = s.immersion.flux[a];
        input.carried[a] = s.immersion.carrier[a];
    }
    input.free_tiles = s.free_liquid.tiles;
    if (s.openings.any()) input.openings = &s.openings;
    return input;
}

void solve_pressure(const Model& model, const State& state, Scratch& s, double dt)
{
    const bool is_second = !s.first_pressure.empty();
    if (is_second)
        s.pressure.pressure.assign(s.grid.field_size(), 0);
    else
        recall_pressure(state, s);
    project(model, s, dt, !is_second, model.options.pressure_tolerance);
    if (is_second)
        for (std::size_t c = 0; c < s.first_pressure.size(); ++c) s.pressure.pressure[c] += s.first_pressure[c];
    place_pockets(s.poisson, {s.grid, s.solid_fields, model.options.gravity, s.density, model.liquids.front().density},
                  s.pressure.pressure);
}

/// Strands that displace liquid.
ThinVolumes thin_volumes(const Scratch& s)
{
    if (s.immersion.flux[0].empty()) return {};
    return {&s.immersion.points.order(), s.immersion.points.points(), s.immersion.volume};
}

void solve_crowding(const Model& model, const State& state, Scratch& s, double dt)
{
    check_packing(model, state, s);
    const bool is_crowded = compute_crowding(s.grid, s.solid_fields, s.pressure.unknown, s.crowding, thin_volumes(s));
    s.lend_mass_to_displacement();
    for (auto& d : s.displacement) d.clear();
    if (!is_crowded) return;

    // The pressure's own system, asked for the divergence kCrowdingRelaxation * crowding / dt.
    std::vector<double>& potential = s.pressure.right_side; // the pressure's own is not needed any more
    potential.resize(s.grid.field_size());
    for_tiles_of(s, [&](std::size_t begin, std::size_t end) {
        for (std::size_t c = begin; c < end; ++c) s.crowding[c] *= kCrowdingRelaxation / dt;
        std::fill(&potential[begin], &potential[begin] + (end - begin), 0.0);
    });
    const PoissonResult result = s.poisson.solve_again(poisson_system(s), s.crowding, potential,
                                                       kCrowdingTolerance / dt, model.options.max_pressure_iterations);
    s.solver_iterations = result.iterations;
    if (!result.converged) throw SimulationError("crowding", "solver", result.iterations, "did not converge");
    for (auto& d : s.displacement) d.resize(s.grid.field_size());
    for_tiles_of(s, [&](std::size_t begin, std::size_t end) {
        for (auto& d : s.displacement) std::fill(&d[begin], &d[begin] + (end - begin), 0.0);
    });
    std::swap(potential, s.pressure.pressure);
    apply_pressure(pressure_input(model, s, dt, false), s.pressure, s.displacement);
    std::swap(potential, s.pressure.pressure);
}

void rub_on_walls(Scratch& s, double dt)
{
    mark_known_faces(s.grid, s.solid_fields, s.pressure.unknown, s.known_faces);
    rub_on_solids(s.grid, s.solids.view(), s.solid_fields, s.known_faces, s.has_viscosity, s.lead.force * dt,
                  s.faces.velocity);
}

void extend_velocity(const Model& model, Scratch& s, double dt)
{
    set_driven_faces(s, s.faces.velocity, s.known_faces);
    if (carries_change(model, dt))
        extrapolate_change(s.grid, s.solid_fields, s.faces.mass, s.transferred, kExtrapolatedLayers, s.faces.velocity,
                           s.known_faces);
    extrapolate_velocity(s.grid, kExtrapolatedLayers, s.faces.velocity, s.known_faces);
    const HoleFaces holes(s.openings, s.faces.velocity);
    constrain_to_solids(s.grid, s.solids.view(), s.solid_fields, s.known_faces, s.faces.velocity, s.face_solids);
    if (s.has_viscosity) s.viscosity_solver.extend_through_walls(s.faces.velocity);
    holes.restore(s.faces.velocity);
}

void project_start(const Model& model, Scratch& s, double dt)
{
    if (!s.lead.is_first) return;
    s.first_pressure.clear();
    s.pressure.pressure.assign(s.grid.field_size(), 0);
    project(model, s, dt, false, model.options.pressure_tolerance);
    s.start_velocity = s.faces.velocity;
    mark_known_faces(s.grid, s.solid_fields, s.pressure.unknown, s.known_faces);
    extend_velocity(model, s, dt);
    std::swap(s.start_velocity, s.faces.velocity);
}

} // namespace rivulet
