#include "sim/immersion_stages.h"

#include "base/parallel.h"
#include "sim/scratch.h"
#include "sim/stages.h"
#include "wetting/exchange.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Densest packing of parallel cylinders, pi / (2 sqrt 3): strands take no more of a face.
constexpr double kDensestPacking = 0.9068996821171089;
constexpr std::int64_t kPointsPerTask = 256;

const RodMaterial& material_of(const StrandModel& model, std::size_t strand)
{
    return model.materials[static_cast<std::size_t>(model.material[strand])];
}

/// Distance to the liquid at a point of tile t, linear between the centres of cells; 1 cell where there is no grid.
double distance_at(const TileGrid& grid, const std::vector<double>& distance, int t, const Vec3& x)
{
    const Vec3 s = (x - grid.node(t, 0.5, 0.5, 0.5)) / grid.cell_size();
    const Vec3 low = s.array().floor(), part = s - low;
    const std::size_t outside = static_cast<std::size_t>(grid.n_tiles()) * kTileCells;
    double sum = 0;
    for (int n = 0; n < 8; ++n) {
        const int i = n % 2, j = n / 2 % 2, k = n / 4;
        const std::size_t cell =
            grid.index(t, static_cast<int>(low.x()) + i, static_cast<int>(low.y()) + j, static_cast<int>(low.z()) + k);
        sum += (i == 1 ? part.x() : 1 - part.x()) * (j == 1 ? part.y() : 1 - part.y()) *
               (k == 1 ? part.z() : 1 - part.z()) * (cell < outside ? distance[cell] : grid.cell_size());
    }
    return sum;
}

/// Direction of a strand at one of its vertices.
Vec3 direction_at(const StrandModel& model, const std::vector<Vec3>& x, std::size_t strand, std::size_t v)
{
    const std::size_t from = v > static_cast<std::size_t>(model.first[strand]) ? v - 1 : v;
    const std::size_t to = v + 1 < static_cast<std::size_t>(model.first[strand + 1]) ? v + 1 : v;
    const Vec3 chord = x[to] - x[from];
    const double length = chord.norm();
    return length > 0 ? Vec3(chord / length) : Vec3(Vec3::UnitX());
}

template <class Body>
void for_points(const Immersion& m, const char* name, Body&& body)
{
    parallel_for(
        static_cast<std::int64_t>(m.vertex.size()), name,
        [&](std::int64_t i) {
            body(static_cast<std::size_t>(i), static_cast<std::size_t>(m.vertex[static_cast<std::size_t>(i)]));
        },
        kPointsPerTask);
}

/// Sum over the faces around a point of weight * value(axis, face).
template <class Value>
Vec3 gather(const FacePoints& points, std::size_t i, Value&& value)
{
    Vec3 sum = Vec3::Zero();
    points.for_faces(
        i, [&](int a, std::size_t face, double w) { sum[a] += w * value(static_cast<std::size_t>(a), face); });
    return sum;
}

void reset_faces(const TileGrid& grid, std::array<std::vector<double>, 3>& fields)
{
    for (auto& f : fields) f.assign(grid.field_size(), 0);
}

/// Volume of strands around each point, as a part of the whole.
void find_fractions(const Model& model, const std::vector<double>& dry, Workspace::Scratch& s)
{
    Immersion& m = s.immersion;
    const double cell = std::pow(model.options.cell_size, 3);
    std::vector<Vec3> amount(m.vertex.size());
    for (std::size_t i = 0; i < amount.size(); ++i) amount[i] = Vec3::Constant(dry[i] / cell);
    reset_faces(s.grid, m.share);
    m.points.scatter(amount, m.share);
    m.fraction.resize(m.vertex.size());
    for_points(m, "strand fraction", [&](std::size_t i, std::size_t) {
        m.fraction[i] = gather(m.points, i, [&](std::size_t a, std::size_t f) { return m.share[a][f]; }).sum() / 3;
    });
}

/// How much of a drag that the liquid answers to within the step is left: 1/(1 + dt drag/mass) for one strand alone,
/// with that of all strands around where they share the liquid. The face that gives way most decides, so that none is
/// thrown beyond the speed of the strand, however little liquid is there.
std::vector<double> answered(const Immersion& m, const TileGrid& grid, const std::vector<double>& coefficient,
                             double dt)
{
    std::array<std::vector<double>, 3> rate; // at which the faces give way [1/s]
    reset_faces(grid, rate);
    std::vector<Vec3> amount(m.vertex.size(), Vec3::Zero());
    for (std::size_t i = 0; i < amount.size(); ++i)
        if (coefficient[i] > 0) amount[i] = coefficient[i] * m.liquid_mass[i].cwiseInverse();
    m.points.scatter(amount, rate, &m.carrier);
    std::vector<double> left(m.vertex.size(), 1.0);
    for_points(m, "answered drag", [&](std::size_t i, std::size_t) {
        if (!(coefficient[i] > 0)) return;
        double fastest = 0;
        m.points.for_faces(i, [&](int a, std::size_t face, double w) {
            if (w > 0) fastest = std::max(fastest, rate[static_cast<std::size_t>(a)][face]);
        });
        left[i] = 1 / (1 + dt * fastest);
    });
    return left;
}

void find_drag(const Model& model, const State& state, Workspace::Scratch& s, double dt)
{
    Immersion& m = s.immersion;
    const Liquid& liquid = model.liquids[static_cast<std::size_t>(model.wetting->liquid)];
    std::vector<double> across(m.vertex.size(), 0.0), along(m.vertex.size(), 0.0);
    std::vector<Vec3>& flow = m.flow;
    const std::vector<double> mass = vertex_masses(model.strands);
    for_points(m, "drag", [&](std::size_t i, std::size_t v) {
        if (!(m.submersion[i] > 0) || !(m.liquid_mass[i].minCoeff() > 0)) return;
        const RodMaterial& material = material_of(model.strands, static_cast<std::size_t>(m.strand[i]));
        flow[i] = gather(m.points, i, [&](std::size_t a, std::size_t f) {
                      return m.carrier[a][f] * s.faces.velocity[a][f];
                  }).cwiseQuotient(m.liquid_mass[i]);
        // Mass is rounded as the sum of halves of edges, and is as it was where nothing is tapered.
        const double length = model.strands.scale.empty() ? mass[v] / (material.density * material.area())
                                                          : model.strands.vertex_length(v);
        const double radius = std::sqrt(material.radius_a * material.radius_b) * model.strands.scale_at(v);
        const StrandDrag c = drag_coefficients(strand_drag(m.fraction[i]), radius, liquid.density, liquid.viscosity,
                                               (flow[i] - state.strands.velocity[v]).norm());
        across[i] = m.submersion[i] * length * c.across;
        along[i] = m.submersion[i] * length * c.along;
        m.dragged[i] = m.submersion[i] * length;
    });
    const std::vector<double> left = answered(m, s.grid, across, dt);
    for_points(m, "drag", [&](std::size_t i, std::size_t v) {
        if (!(across[i] > 0)) return;
        const Vec3 t = direction_at(model.strands, state.strands.position, static_cast<std::size_t>(m.strand[i]), v);
        m.drag[i].add_drag(left[i] * across[i]);
        m.drag[i].add_drag(left[i] * (along[i] - across[i]), t);
        m.drag[i].push = m.drag[i].times_drag(flow[i]);
        m.dragged[i] *= left[i];
    });
}

/// -V grad p of the last projection, and less when the strands now accelerate more than they did then: strands that
/// take the part phi of a closed space meet the resistance rho V phi/(1 - phi) of the liquid that must flow back.
/// Known a step late only, it would throw light strands to and fro.
void find_lift(const Model& model, const State& state, Immersion& m, double dt)
{
    const double density = model.liquids[static_cast<std::size_t>(model.wetting->liquid)].density;
    for (std::size_t i = 0; i < m.vertex.size(); ++i) {
        const auto v = static_cast<std::size_t>(m.vertex[i]);
        const double phi = std::min(m.fraction[i], kDensestPacking), volume = m.submersion[i] * m.volume[i];
        const double resistance = density * volume * phi / (1 - phi);
        m.lift[i].add_drag(resistance / dt);
        m.lift[i].push = resistance * (state.immersion.acceleration[v] + state.strands.velocity[v] / dt) -
                         volume * state.immersion.pressure_gradient[v];
    }
}

void add(const VelocityForce& from, VelocityForce& to)
{
    for (std::size_t e = 0; e < 6; ++e) to.drag[e] += from.drag[e];
    to.push += from.push;
}

/// Of the pressure at a point, over the faces that have it; none: zero.
Vec3 gradient_at(const PressureInput& input, const PressureSystem& system, const FacePoints& points, std::size_t i)
{
    Vec3 sum = Vec3::Zero(), weight = Vec3::Zero();
    points.for_faces(i, [&](int a, std::size_t face, double w) {
        const auto gradient = pressure_gradient(input, system, static_cast<std::size_t>(a), face);
        if (!gradient) return;
        sum[a] += w * *gradient;
        weight[a] += w;
    });
    for (int a = 0; a < 3; ++a)
        if (weight[a] > 0) sum[a] /= weight[a];
    return sum;
}

} // namespace

double submersion(double distance, double cell_size) { return std::clamp(0.5 - 2 * distance / cell_size, 0.0, 1.0); }

void start_immersion(const Model& model, State& state)
{
    if (!model.wetting) return;
    // That of liquid at rest, until a projection has told.
    const Vec3 gradient = model.wetting->film.density * model.options.gravity;
    state.immersion.pressure_gradient.assign(state.strands.position.size(), gradient);
    state.immersion.acceleration.assign(state.strands.position.size(), Vec3::Zero());
    state.immersion.exposure.assign(state.strands.position.size(), 1.0);
}

void find_immersed(const Model& model, const State& state, Workspace::Scratch& s, double dt)
{
    Immersion& m = s.immersion;
    for (auto* list : {&m.vertex, &m.strand}) list->clear();
    for (auto* list : {&m.submersion, &m.volume}) list->clear();
    if (!state.film.is_there()) return;
    std::vector<Vec3> points;
    for (std::size_t strand = 0; strand < model.strands.material.size(); ++strand)
        for (std::int32_t v = model.strands.first[strand]; v < model.strands.first[strand + 1]; ++v) {
            const Vec3& x = state.strands.position[static_cast<std::size_t>(v)];
            const Vec3i cell = cell_of(x, s.grid.origin(), s.grid.cell_size());
            const int t = s.grid.find({cell.x() >> 3, cell.y() >> 3, cell.z() >> 3});
            if (t == s.grid.n_tiles()) continue;
            m.vertex.push_back(v);
            m.strand.push_back(static_cast<std::int32_t>(strand));
            m.submersion.push_back(submersion(distance_at(s.grid, s.liquid_distance, t, x), s.grid.cell_size()));
            points.push_back(x);
        }
    if (m.vertex.empty()) return;
    m.points.place(s.grid, points);
    const std::vector<double> mass = vertex_masses(model.strands), wet = film_masses(model, state);
    std::vector<double> dry;
    for (std::size_t i = 0; i < m.vertex.size(); ++i) {
        const auto v = static_cast<std::size_t>(m.vertex[i]);
        dry.push_back(mass[v] / material_of(model.strands, static_cast<std::size_t>(m.strand[i])).density);
        m.volume.push_back(dry[i] + wet[v] / model.wetting->film.density);
    }
    find_fractions(model, dry, s);
    m.liquid_mass.assign(m.vertex.size(), Vec3::Zero());
    if (std::none_of(m.submersion.begin(), m.submersion.end(), [](double p) { return p > 0; })) return;
    if (m.carrier[0].empty()) carry_mass(model, s, dt);
    for_points(m, "liquid around strands", [&](std::size_t i, std::size_t) {
        m.liquid_mass[i] = gather(m.points, i, [&](std::size_t a, std::size_t f) { return m.carrier[a][f]; });
        if (!(m.liquid_mass[i].minCoeff() > 0)) m.submersion[i] = 0; // none that could take part
    });
}

void push_immersed(const Model& model, const State& state, Workspace::Scratch& s, double dt)
{
    Immersion& m = s.immersion;
    m.coupling = s.films.coupling.force;
    m.flow.assign(m.vertex.size(), Vec3::Zero());
    m.dragged.assign(m.vertex.size(), 0.0);
    if (m.vertex.empty()) return;
    m.drag.assign(m.vertex.size(), {});
    m.lift.assign(m.vertex.size(), {});
    if (model.wetting->drags && !m.carrier[0].empty()) find_drag(model, state, s, dt);
    if (model.wetting->floats) find_lift(model, state, m, dt);
    for (std::size_t i = 0; i < m.vertex.size(); ++i) {
        const auto v = static_cast<std::size_t>(m.vertex[i]);
        add(m.drag[i], m.coupling[v]);
        add(m.lift[i], m.coupling[v]);
    }
}

void return_drag(const Model& model, const State& state, Workspace::Scratch& s, double dt)
{
    const Immersion& m = s.immersion;
    if (m.vertex.empty()) return;
    draw_films(model, state, s, dt);
    std::vector<Vec3> amount(m.vertex.size(), Vec3::Zero());
    for (std::size_t i = 0; i < m.vertex.size(); ++i) {
        const auto v = static_cast<std::size_t>(m.vertex[i]);
        const Vec3& velocity = s.strands.state.velocity[v];
        if (!(m.liquid_mass[i].minCoeff() > 0)) continue;
        Vec3 taken = dt * m.drag[i].at(velocity) + s.films.taken[v];
        const Vec3 with_pressure = taken + dt * m.lift[i].at(velocity);
        // Solids bear what pressure does to strands; where there are none, the liquid does.
        if (push_free_liquid(m.points.points()[i], -s.lead.impulse * with_pressure, s)) taken = with_pressure;
        amount[i] = -s.lead.impulse * taken.cwiseQuotient(m.liquid_mass[i]);
    }
    if (!m.carrier[0].empty()) m.points.scatter(amount, s.faces.velocity, &m.carrier);
}

void displace_liquid(const Model& model, Workspace::Scratch& s)
{
    Immersion& m = s.immersion;
    if (m.vertex.empty() || !model.wetting->floats) {
        for (auto* fields : {&m.share, &m.flux})
            for (auto& f : *fields) f.clear();
        return;
    }
    const double cell = std::pow(model.options.cell_size, 3);
    std::vector<Vec3> taken(m.vertex.size()), moved(m.vertex.size());
    for_points(m, "strands in faces", [&](std::size_t i, std::size_t v) {
        taken[i] = Vec3::Constant(m.volume[i] / cell);
        moved[i] = m.volume[i] / cell * s.strands.state.velocity[v];
    });
    reset_faces(s.grid, m.share);
    reset_faces(s.grid, m.flux);
    m.points.scatter(taken, m.share);
    m.points.scatter(moved, m.flux);
    parallel_for(s.grid.n_tiles(), "strands in faces", [&](std::int64_t t) {
        for (std::size_t a = 0; a < 3; ++a)
            for (auto f = static_cast<std::size_t>(t) * kTileCells; f < static_cast<std::size_t>(t + 1) * kTileCells;
                 ++f) {
                if (m.share[a][f] <= kDensestPacking) continue;
                m.flux[a][f] *= kDensestPacking / m.share[a][f];
                m.share[a][f] = kDensestPacking;
            }
    });
}

void commit_immersion(const Model& model, State& state, const Workspace::Scratch& s, double dt)
{
    const Immersion& m = s.immersion;
    StrandLedger& ledger = state.strand_ledger;
    for (std::size_t i = 0; i < m.vertex.size(); ++i) {
        const auto v = static_cast<std::size_t>(m.vertex[i]);
        const Vec3& velocity = s.strands.state.velocity[v];
        const Vec3 drag = dt * m.drag[i].at(velocity), lift = dt * m.lift[i].at(velocity);
        book(ledger.flow, drag + s.films.taken[v]);
        book(ledger.buoyancy, lift);
        ledger.liquid_work.add(velocity.dot(drag + lift));
    }
    for (std::size_t a = 0; a < 3; ++a)
        ledger.lead[a] =
            s.lead.is_first
                ? 0
                : s.lead.gained * (s.lead.carried * ledger.lead[a] + s.free_liquid.given[static_cast<Eigen::Index>(a)]);
    state.immersion.exposure = s.films.exposure;
    std::vector<Vec3>& gradient = state.immersion.pressure_gradient;
    for (std::size_t v = 0; v < gradient.size(); ++v) {
        gradient[v].setZero();
        state.immersion.acceleration[v] = (s.strands.state.velocity[v] - state.strands.velocity[v]) / dt;
    }
    if (m.vertex.empty() || !model.wetting->floats) return;
    const PressureInput input = pressure_input(model, s, dt, true);
    for_points(m, "pressure on strands",
               [&](std::size_t i, std::size_t v) { gradient[v] = gradient_at(input, s.pressure, m.points, i); });
}

} // namespace rivulet
