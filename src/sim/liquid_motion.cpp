// The last stages of the liquid: what the grid knows goes to the particles, and they move.
#include "base/parallel.h"
#include "sim/occupied_cells.h"
#include "sim/openings.h"
#include "sim/sources.h"
#include "sim/stages.h"
#include "sim/step.h"

#include <algorithm>

namespace rivulet {
namespace {

/// Leads of the start, where any body begins with some; empty: none.
std::vector<Vec3f> first_leads(const LiquidParticles& l)
{
    const bool has_some = std::any_of(l.lead.begin(), l.lead.end(), [](const Vec3f& v) { return !v.isZero(0); });
    return has_some ? l.lead : std::vector<Vec3f>();
}

/// After the first step: takes from the velocity what it gained in that, which is lead.
void return_to_start(const std::vector<Vec3f>& led, const LeadFactors& factors, LiquidParticles& l)
{
    parallel_for(static_cast<std::int64_t>(l.size()), "return to start", [&](std::int64_t i) {
        const auto p = static_cast<std::size_t>(i);
        l.velocity[p] -= l.lead[p].cast<double>();
        if (!led.empty()) l.velocity[p] += factors.kept * led[p].cast<double>();
    });
}

/// Marks the particles that met a drain on their way.
void find_drained(const ActiveDrains& drains, const std::vector<Vec3>& before, const LiquidParticles& l,
                  std::vector<std::uint8_t>& drained)
{
    drained.assign(before.size(), 0);
    parallel_for(
        l.size(), "find drained",
        [&](std::int64_t i) {
            const auto p = static_cast<std::size_t>(i);
            drained[p] = drains.take(before[p], l.position[p]);
        },
        4096);
}

} // namespace

void commit_liquid(const Model& model, State& state, Scratch& s, double dt)
{
    LiquidParticles& l = state.liquid;
    std::vector<Vec3f> led;
    if (s.lead.is_first) { // what the velocity gains beyond that of the start is lead
        faces_to_particles(s.grid, s.order, s.start_velocity, l.position, l.velocity, l.affine);
        led = first_leads(l);
        s.start_velocity = {};
    }
    faces_to_particles(s.grid, s.order, s.faces.velocity, l.position, l.velocity, l.affine, TransferPrecision::Double,
                       {l.lead, s.lead.kept, s.lead.gained});
    DrivenParticles driven;
    if (!s.lead.is_first) limit_spray(model, state, s, dt);
    if (!s.lead.is_first) driven = lead_driven(model, state.clock.time, dt, state);
    for_occupied_cells(s, "keep pressure", [&](std::size_t cell, std::span<const std::int32_t> particles) {
        const auto pressure = static_cast<float>(s.pressure.pressure[cell]);
        for (const std::int32_t p : particles) l.pressure[static_cast<std::size_t>(p)] = pressure;
    });
    if (!s.displacement[0].empty())
        parallel_for(s.grid.n_tiles(), "add displacement", [&](std::int64_t t) {
            for (std::size_t a = 0; a < 3; ++a)
                for (std::int64_t c = t * kTileCells; c < (t + 1) * kTileCells; ++c)
                    s.faces.velocity[a][static_cast<std::size_t>(c)] += s.displacement[a][static_cast<std::size_t>(c)];
        });
    s.lend_mass_to_displacement(); // and back
    const LeadInput lead = s.lead.is_first ? LeadInput{} : LeadInput{l.lead, l.affine};
    const ActiveDrains drains(model, end_of_step(model, state.clock, dt));
    const std::vector<Vec3> before = drains.any() ? l.position : std::vector<Vec3>();
    advect_midpoint(s.grid, s.order, s.faces.velocity, l.velocity, dt, l.position, lead);
    if (s.lead.is_first) {
        return_to_start(led, s.lead, l);
        limit_spray(model, state, s, dt);
    }
    let_go(model, driven, state.clock.time, state);
    s.drained.clear();
    if (drains.any()) find_drained(drains, before, l, s.drained);
}

void keep_out_of_solids(const Model& model, State& state, const Scratch& s, double time)
{
    const SolidSet solids = solids_at(model, time, 0);
    const Solids view = solids.view();
    const double margin = kContactMargin * model.options.cell_size;
    parallel_for(s.grid.n_tiles(), "contact", [&](std::int64_t t) {
        // A particle that began in an open tile is more than a cell away from any solid.
        if (s.solid_fields.tiles[static_cast<std::size_t>(t)] == TileSolidity::Open) return;
        const auto begin = static_cast<std::size_t>(s.order.tile_begin[static_cast<std::size_t>(t)]);
        const auto end = static_cast<std::size_t>(s.order.tile_begin[static_cast<std::size_t>(t) + 1]);
        // Where one particle is far from all solids, so are those around it.
        Vec3 clear = Vec3::Zero();
        double clear_radius = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const auto p = static_cast<std::size_t>(s.order.order[i]);
            if (!s.drained.empty() && s.drained[p] != 0) continue; // goes through the hole that it is in
            Vec3& x = state.liquid.position[p];
            if (clear_radius > 0 && (x - clear).squaredNorm() < clear_radius * clear_radius) continue;
            const double distance = push_out(view, margin, x);
            clear = x;
            clear_radius = 0.999 * (distance - margin);
        }
    });
}

} // namespace rivulet
