#include "strands/loaded_batch.h"

#include "base/assert.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Turn of an edge about itself in a step of Euler's [rad] beyond which inertia does not carry it: it would be a whole
/// period of what bends or twists it, of which the step sees only where it ends.
constexpr double kMostTurn = 1;

} // namespace

void LoadedBatch::load(const StrandBatch& batch, RodConfiguration& start)
{
    take_seats(batch);
    for (const BatchSeat& seat : seats) {
        for (int k = 0; k < n; ++k) load_vertex(seat, k);
        load_drag(seat);
        load_coupling(seat);
    }
    load_stiffness();
    system.prepare();
    start.resize(n);
    std::fill(start.u.begin(), start.u.end(), LaneVec3{});
    std::fill(start.spin.begin(), start.spin.end(), Lane{});
    configure(system, start);
    for (int i = 0; i + 1 < n; ++i)
        for (const BatchSeat& seat : seats) load_law(seat, i, start);
}

void LoadedBatch::take_seats(const StrandBatch& batch)
{
    n = batch.n_vertices;
    for (int l = 0; l < kStrandLanes; ++l) {
        const std::int32_t strand = batch.strand[static_cast<std::size_t>(l)];
        const auto s = static_cast<std::size_t>(strand >= 0 ? strand : batch.strand[0]);
        seats[static_cast<std::size_t>(l)] = {l, static_cast<std::size_t>(model_.first[s]),
                                              &model_.materials[static_cast<std::size_t>(model_.material[s])], strand};
    }
    system.resize(n);
    system.h = is_midpoint ? 0.5 * step_.dt : step_.dt;
    target.resize(static_cast<std::size_t>(n));
    target_director.resize(static_cast<std::size_t>(n));
    is_clamped = LaneMask{};
}

void LoadedBatch::load_vertex(const BatchSeat& seat, int i)
{
    const auto k = static_cast<std::size_t>(i);
    const std::size_t v = seat.begin + k;
    const int l = seat.lane;
    const RodMaterial& m = *seat.material;
    const bool is_last = i + 1 == n;
    const double length = model_.volume_length(v);
    const double mass = m.density * m.area() * length + (step_.added_mass.empty() ? 0 : step_.added_mass[v]);
    system.mass[k][l] = mass;
    Vec3 acceleration = step_.gravity;
    if (!step_.force.empty()) acceleration += step_.force[v] / mass;
    if (!step_.contact_force.empty()) acceleration += step_.contact_force[v] / mass;
    const double h = system.h;
    put(system.predicted[k], l, h * state_.velocity[v] + h * h * acceleration);
    system.free[k][l] = hold(v) == Hold::Free ? 1 : 0;
    if (hold(v) != Hold::Free) put(target[k], l, (is_midpoint ? 0.5 : 1.0) * (step_.target[v] - state_.position[v]));
    system.free_spin[k][l] = hold(v) == Hold::VertexAndEdge || is_last ? 0 : 1;
    system.twist[k][l] = state_.twist[v];
    if (is_last) return;
    system.inertia[k][l] =
        0.25 * m.density * m.area() * model_.inertia_length(v) * (m.radius_a * m.radius_a + m.radius_b * m.radius_b) +
        (step_.added_inertia.empty() ? 0 : step_.added_inertia[v]);
    const double turn = h * state_.spin[v];
    system.predicted_spin[k][l] = is_midpoint ? turn : std::clamp(turn, -kMostTurn, kMostTurn);
    put(system.edge[k], l, state_.position[v + 1] - state_.position[v]);
    put(system.director[k], l, state_.director[v]);
    if (hold(v) != Hold::VertexAndEdge) return;
    const Vec3 wanted = step_.target_director[v];
    put(target_director[k], l, is_midpoint ? (wanted + state_.director[v]).normalized() : wanted);
    RIVULET_VERIFY(hold(v + 1) != Hold::Free);
    if (i == 0) is_clamped[l] = -1;
}

void LoadedBatch::load_drag(const BatchSeat& seat)
{
    if (!(step_.air.density > 0)) return;
    const RodMaterial& m = *seat.material;
    for (int i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const std::size_t v = seat.begin + k;
        const Vec3 chord = state_.position[i + 1 < n ? v + 1 : v] - state_.position[i > 0 ? v - 1 : v];
        const Vec3 t = chord.norm() > 0 ? Vec3(chord.normalized()) : Vec3(Vec3::UnitX());
        const Vec3 w = state_.velocity[v] - step_.air.velocity;
        const double along = std::abs(w.dot(t)), across = (w - w.dot(t) * t).norm();
        const double diameter = (m.radius_a + m.radius_b) * model_.scale_at(v);
        const double length = (step_.exposure.empty() ? 0.5 : 0.5 * step_.exposure[v]) *
                              ((i > 0 ? model_.rest_length[v - 1] : 0) + (i + 1 < n ? model_.rest_length[v] : 0));
        const double normal = length * drag_across(step_.air, diameter, across);
        const double tangential = length * drag_along(step_.air, diameter, along);
        const Mat3 c = normal * Mat3::Identity() + (tangential - normal) * t * t.transpose();
        const double entries[6] = {c(0, 0), c(0, 1), c(0, 2), c(1, 1), c(1, 2), c(2, 2)};
        for (std::size_t e = 0; e < 6; ++e) system.drag[k].v[e][seat.lane] = entries[e];
        put(system.push[k], seat.lane, c * step_.air.velocity);
    }
}

void LoadedBatch::load_coupling(const BatchSeat& seat)
{
    if (step_.coupling.empty()) return;
    const bool is_in_air = step_.air.density > 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
        const VelocityForce& force = step_.coupling[seat.begin + k];
        for (std::size_t e = 0; e < 6; ++e) {
            Lane& entry = system.drag[k].v[e];
            entry[seat.lane] = force.drag[e] + (is_in_air ? entry[seat.lane] : 0);
        }
        put(system.push[k], seat.lane, is_in_air ? Vec3(get(system.push[k], seat.lane) + force.push) : force.push);
    }
}

void LoadedBatch::load_stiffness()
{
    const std::size_t count = step_.contact_stiffness.empty() ? 0 : static_cast<std::size_t>(n);
    system.stiffness.resize(count);
    system.stiffness_next.resize(count);
    for (const BatchSeat& seat : seats)
        for (std::size_t k = 0; k < count; ++k)
            for (std::size_t e = 0; e < 6; ++e) {
                const ContactStiffness& at = step_.contact_stiffness[seat.begin + k];
                system.stiffness[k].v[e][seat.lane] = at.own[e];
                system.stiffness_next[k].v[e][seat.lane] = at.next[e];
            }
}

/// Stiffness and rest shape, elastic and viscous put together: k_e (q - rest)^2 + k_v (q - start)^2 is, up to a
/// constant, (k_e + k_v)(q - both)^2.
void LoadedBatch::load_law(const BatchSeat& seat, int i, const RodConfiguration& start)
{
    const auto k = static_cast<std::size_t>(i);
    const std::size_t v = seat.begin + k;
    const int l = seat.lane;
    const RodMaterial& m = *seat.material;
    // Trouton: viscous stretching and bending resist with three times the viscosity.
    const double stretch_viscosity = 3 * m.viscosity / system.h, twist_viscosity = m.viscosity / system.h;
    const double young = m.youngs_modulus + stretch_viscosity, shear = m.shear_modulus + twist_viscosity;
    const double length = model_.rest_length[v];
    RodStretchLaw& stretch = system.stretch[k];
    stretch.weight[l] = young * m.area() * model_.stretch_length(v);
    stretch.inverse_rest_length[l] = 1 / length;
    stretch.strain[l] = stretch_viscosity / young * (start.edge[k].length[l] / length - 1);
    if (i == 0) return;
    const double voronoi = model_.bend_length(v);
    RodBendLaw& bend = system.bend[k];
    bend.weight[0][l] = young * m.bending_moment_1() / (2 * voronoi);
    bend.weight[1][l] = young * m.bending_moment_2() / (2 * voronoi);
    bend.twist_weight[l] = shear * m.torsion_moment() / voronoi;
    const double old = stretch_viscosity / young, old_twist = twist_viscosity / shear;
    for (std::size_t a = 0; a < 4; ++a)
        bend.rest[a][l] = (1 - old) * model_.rest_curvature[v][a] + old * start.bend[k].kappa[a][l];
    bend.twist_rest[l] = (1 - old_twist) * model_.rest_twist[v] + old_twist * start.bend[k].twist[l];
}

} // namespace rivulet
