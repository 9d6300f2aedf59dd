#include "sim/diagnostics.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "sim/strand_probes.h"
#include "sim/strand_stages.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rivulet {
namespace {

int index_of(const Model& model, const std::string& name, const char* kind)
{
    const auto find = [&](const auto& list) {
        for (std::size_t i = 0; i < list.size(); ++i)
            if (list[i].name == name) return static_cast<int>(i);
        return -1;
    };
    return std::string_view(kind) == "liquid" ? find(model.liquids) : find(model.obstacles);
}

double field_value(const Model& model, const State& state, const std::string& field, std::size_t p)
{
    const LiquidParticles& l = state.liquid;
    const auto component = [&](const Vec3& v) { return v[field.back() - 'x']; };
    if (field == "speed") return velocity_ahead(state, p, 2).norm();
    if (field.starts_with("velocity.")) return component(velocity_ahead(state, p, 2));
    if (field.starts_with("position.")) return component(l.position[p]);
    if (field == "pressure") return l.pressure[p];
    if (field == "volume") return l.volume[p];
    if (field == "density") return density_of(model, state, p);
    throw InternalError("probe of an unknown field " + field);
}

/// What a probe reduces over: particles of its liquid inside of its region.
struct Selection {
    const State& state;
    int liquid; ///< -1 = all
    const Shape* region;

    [[nodiscard]] bool has(std::size_t p) const
    {
        return (liquid < 0 || state.liquid.liquid[p] == liquid) &&
               (region == nullptr || region->distance(state.liquid.position[p]) < 0);
    }
};

template <class Value>
double sum_over(const Selection& selection, Value&& value)
{
    return ordered_sum(selection.state.liquid.size(), "probe", [&](std::int64_t i) {
        const auto p = static_cast<std::size_t>(i);
        return selection.has(p) ? value(p) : 0.0;
    });
}

/// Extreme of `value` with sign +1 (largest) or -1 (smallest); NaN when nothing is selected.
template <class Value>
double extreme_over(const Selection& selection, double sign, Value&& value)
{
    const double none = -std::numeric_limits<double>::infinity();
    const double best = ordered_reduce(
        selection.state.liquid.size(), "probe", none,
        [&](std::int64_t begin, std::int64_t end) {
            double largest = none;
            for (std::int64_t i = begin; i < end; ++i)
                if (selection.has(static_cast<std::size_t>(i)))
                    largest = std::max(largest, sign * value(static_cast<std::size_t>(i)));
            return largest;
        },
        [](double a, double b) { return std::max(a, b); });
    return best == none ? std::numeric_limits<double>::quiet_NaN() : sign * best;
}

/// Mean of the particles near a point, weighted by a cone of one cell's radius.
double value_at(const Model& model, const State& state, const Probe& probe, const Selection& selection)
{
    const double reach = model.options.cell_size;
    const auto weight = [&](std::size_t p) {
        return std::max(0.0, 1 - (state.liquid.position[p] - probe.point).norm() / reach) * state.liquid.volume[p];
    };
    const double total = sum_over(selection, weight);
    const double sum =
        sum_over(selection, [&](std::size_t p) { return weight(p) * field_value(model, state, probe.field, p); });
    return total > 0 ? sum / total : std::numeric_limits<double>::quiet_NaN();
}

Vec3 centre_of_mass(const Model& model, const State& state, const Selection& selection)
{
    const auto mass = [&](std::size_t p) { return state.liquid.volume[p] * density_of(model, state, p); };
    const double total = sum_over(selection, mass);
    Vec3 centre;
    for (int a = 0; a < 3; ++a)
        centre[a] = sum_over(selection, [&](std::size_t p) { return mass(p) * state.liquid.position[p][a]; }) / total;
    return centre;
}

/// Of one liquid, or of all where its number is below 0.
double booked(const std::vector<Account>& accounts, int liquid)
{
    double sum = 0;
    for (std::size_t l = 0; l < accounts.size(); ++l)
        if (liquid < 0 || l == static_cast<std::size_t>(liquid)) sum += accounts[l].total();
    return sum;
}

bool is_vector(ProbeKind kind)
{
    return kind == ProbeKind::CentreOfMass || kind == ProbeKind::Force || kind == ProbeKind::Torque ||
           kind == ProbeKind::StrandPosition || kind == ProbeKind::FilmCentre;
}

} // namespace

Diagnostics diagnose(const Model& model, const State& state)
{
    const LiquidParticles& l = state.liquid;
    const double dx = model.options.cell_size;
    const auto sum = [&](auto&& value) {
        return ordered_sum(l.size(), "diagnostics", [&](std::int64_t i) {
            const auto p = static_cast<std::size_t>(i);
            return l.volume[p] * density_of(model, state, p) * value(p);
        });
    };
    Diagnostics d;
    // The affine part of APIC carries dx^2/8 |C|^2 per mass [Jiang 2015].
    d.kinetic_energy = sum([&](std::size_t p) {
        return 0.5 * velocity_ahead(state, p, 2).squaredNorm() + 0.125 * dx * dx * l.affine[p].squaredNorm();
    });
    d.potential_energy = sum([&](std::size_t p) { return -model.options.gravity.dot(l.position[p]); });
    // Angular momentum is that of the velocities where the grid gave them, x - dt (v + l): a step old.
    const double dt = state.clock.previous_step;
    for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3;
        const int c = (a + 2) % 3;
        d.momentum[a] = sum([&](std::size_t p) { return velocity_ahead(state, p, 2)[a]; });
        d.angular_momentum[a] = sum([&](std::size_t p) {
            const Vec3 x = l.position[p] - dt * velocity_ahead(state, p, 1);
            return x[b] * l.velocity[p][c] - x[c] * l.velocity[p][b] +
                   0.25 * dx * dx * (l.affine[p](c, b) - l.affine[p](b, c));
        });
    }
    const Selection all{state, -1, nullptr};
    d.max_speed =
        l.size() > 0 ? extreme_over(all, 1, [&](std::size_t p) { return velocity_ahead(state, p, 2).norm(); }) : 0;
    const StrandSums strands = sum_strands(model, state);
    d.kinetic_energy += strands.kinetic_energy;
    d.potential_energy += strands.potential_energy;
    d.elastic_energy = strands.elastic_energy;
    d.surface_energy = strands.surface_energy;
    d.momentum += strands.momentum - Vec3(Eigen::Map<const Vec3>(state.strand_ledger.lead.data()));
    d.angular_momentum += strands.angular_momentum;
    d.max_speed = std::max(d.max_speed, strands.max_speed);
    return d;
}

double worst_ledger_error(const Model& model, const State& state)
{
    return std::max(ledger_balance(state).relative_error, sum_strands(model, state).relative_error);
}

std::vector<std::string> probe_columns(const Probe& probe)
{
    if (!is_vector(probe.kind)) return {probe.name};
    return {probe.name + ".x", probe.name + ".y", probe.name + ".z"};
}

std::string probe_unit(const Probe& probe)
{
    if (is_strand_probe(probe.kind)) return strand_probe_unit(probe.kind);
    switch (probe.kind) {
    case ProbeKind::Volume:
    case ProbeKind::CaughtVolume:
    case ProbeKind::ShedVolume:
        return "m3";
    case ProbeKind::Kinetic:
        return "J";
    case ProbeKind::Force:
        return "N";
    case ProbeKind::Torque:
        return "N m";
    case ProbeKind::CentreOfMass:
        return "m";
    default: {
        const auto& fields = liquid_fields();
        const auto found =
            std::find_if(fields.begin(), fields.end(), [&](const FieldName& f) { return f.name == probe.field; });
        return found == fields.end() ? "" : found->unit;
    }
    }
}

std::vector<double> sample_probe(const Model& model, const State& state, const Probe& probe)
{
    if (is_strand_probe(probe.kind)) return sample_strand_probe(model, state, probe);
    const auto as_list = [](const Vec3& v) { return std::vector<double>{v.x(), v.y(), v.z()}; };
    if (probe.kind == ProbeKind::Force || probe.kind == ProbeKind::Torque) {
        const int b = index_of(model, probe.object, "obstacle");
        RIVULET_VERIFY(b >= 0);
        return as_list((probe.kind == ProbeKind::Force ? state.loads.force : state.loads.torque)[std::size_t(b)]);
    }
    const int liquid = probe.object.empty() ? -1 : index_of(model, probe.object, "liquid");
    RIVULET_VERIFY(probe.object.empty() || liquid >= 0);
    const Selection selection{state, liquid, probe.region.get()};
    const auto volume = [&](std::size_t p) { return state.liquid.volume[p]; };
    const auto value = [&](std::size_t p) { return field_value(model, state, probe.field, p); };
    switch (probe.kind) {
    case ProbeKind::Volume:
        return {sum_over(selection, volume)};
    case ProbeKind::Mean:
        return {sum_over(selection, [&](std::size_t p) { return volume(p) * value(p); }) / sum_over(selection, volume)};
    case ProbeKind::Minimum:
        return {extreme_over(selection, -1, value)};
    case ProbeKind::Maximum:
        return {extreme_over(selection, 1, value)};
    case ProbeKind::CentreOfMass:
        return as_list(centre_of_mass(model, state, selection));
    case ProbeKind::Value:
        return {value_at(model, state, probe, selection)};
    case ProbeKind::CaughtVolume:
        return {booked(state.ledger.caught, liquid)};
    case ProbeKind::ShedVolume:
        return {booked(state.ledger.shed, liquid)};
    case ProbeKind::Kinetic:
        return {sum_over(selection, [&](std::size_t p) {
            return 0.5 * volume(p) * density_of(model, state, p) * velocity_ahead(state, p, 2).squaredNorm();
        })};
    default:
        break;
    }
    throw InternalError("not a probe of liquid: " + probe.name);
}

} // namespace rivulet
