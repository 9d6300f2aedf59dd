#include "sim/strand_probes.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "sim/film_thickness.h"
#include "sim/wet_span.h"
#include "strands/taper.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rivulet {
namespace {

const StrandGroup& group_named(const Model& model, const std::string& name)
{
    const auto found = std::ranges::find(model.strand_groups, name, &StrandGroup::name);
    RIVULET_VERIFY(found != model.strand_groups.end());
    return *found;
}

/// Vertices of one strand, or of all strands of a group.
struct VertexRange {
    std::size_t begin = 0, end = 0;
};
VertexRange vertices_of(const StrandModel& strands, std::int32_t first, std::int32_t count)
{
    return {static_cast<std::size_t>(strands.first[static_cast<std::size_t>(first)]),
            static_cast<std::size_t>(strands.first[static_cast<std::size_t>(first + count)])};
}

double edge_length(const State& state, std::size_t v)
{
    return (state.strands.position[v + 1] - state.strands.position[v]).norm();
}

/// Force that an elastic edge pulls its ends together with [N]; the internal viscosity's is not in it.
double edge_tension(const Model& model, const State& state, std::int32_t strand, std::size_t v)
{
    const StrandModel& strands = model.strands;
    const RodMaterial& m =
        strands.materials[static_cast<std::size_t>(strands.material[static_cast<std::size_t>(strand)])];
    const double area = m.area() * cone_stiffness(strands.scale_at(v), strands.scale_at(v + 1));
    return m.youngs_modulus * area * (edge_length(state, v) / strands.rest_length[v] - 1);
}

/// Of the group, without the edges' spin [J].
double group_kinetic_energy(const Model& model, const State& state, const VertexRange& all)
{
    const std::vector<double> mass = vertex_masses(model.strands);
    return ordered_sum(static_cast<std::int64_t>(all.end - all.begin), "probe", [&](std::int64_t i) {
        const std::size_t v = all.begin + static_cast<std::size_t>(i);
        return 0.5 * mass[v] * state.strands.velocity[v].squaredNorm();
    });
}

double group_strain(const Model& model, const State& state, const VertexRange& all)
{
    double largest = 0;
    for (std::size_t v = all.begin; v + 1 < all.end; ++v)
        if (model.strands.rest_length[v] > 0)
            largest = std::max(largest, std::abs(edge_length(state, v) / model.strands.rest_length[v] - 1));
    return largest;
}

std::vector<double> sample_film_probe(const Model& model, const State& state, const StrandGroup& group, ProbeKind kind)
{
    if (kind == ProbeKind::FilmThickness) {
        const VertexRange all = vertices_of(model.strands, group.first_strand, group.n_strands);
        const std::vector<double> thickness = film_thicknesses(model, state);
        return {*std::max_element(thickness.begin() + static_cast<std::ptrdiff_t>(all.begin),
                                  thickness.begin() + static_cast<std::ptrdiff_t>(all.end))};
    }
    double volume = 0;
    Vec3 moment = Vec3::Zero();
    const std::vector<Vec3>& x = state.strands.position;
    for (std::int32_t s = group.first_strand; state.film.is_there() && s < group.first_strand + group.n_strands; ++s) {
        const VertexRange one = vertices_of(model.strands, s, 1);
        const double pool = state.film.pool[static_cast<std::size_t>(s)];
        volume += pool;
        moment += pool * x[one.end - 1];
        const WetSpan strand = span_of(model, state, static_cast<std::size_t>(s));
        for (std::size_t v = one.begin; v < one.end; ++v) {
            volume += state.film.volume[v];
            strand.for_cell(v, [&](std::size_t j) { moment += mesh_volume(state)[j] * strand.place(j); });
        }
    }
    if (kind == ProbeKind::FilmVolume) return {volume};
    const Vec3 centre = moment / volume; // not a number where all is dry
    return {centre.x(), centre.y(), centre.z()};
}

/// Whether an edge, named by the vertex at which it begins, has the probe's vertex for an end.
bool is_edge_at(const StrandModel& strands, std::int32_t edge, std::int32_t vertex)
{
    const auto after = std::upper_bound(strands.first.begin(), strands.first.end(), edge);
    const std::int32_t at = (vertex < 0 ? *after : after[-1]) + vertex;
    return edge == at || edge + 1 == at;
}

/// Whether bridge i has a surface: both of its sides are in the air somewhere.
bool is_exposed(const State& state, std::size_t i)
{
    const auto is_out = [&](std::int32_t edge) {
        const auto v = static_cast<std::size_t>(edge);
        return edge < 0 || state.immersion.exposure.empty() || state.immersion.exposure[v] > 0 ||
               state.immersion.exposure[v + 1] > 0;
    };
    return is_out(state.bridges.a[i]) && is_out(state.bridges.b[i]);
}

/// How many strands of the group are in each cluster of strands that bridges join, all of them or those at the probe's
/// vertex.
std::vector<std::int64_t> cluster_sizes(const Model& model, const State& state, const StrandGroup& group,
                                        const Probe& probe)
{
    const StrandModel& strands = model.strands;
    std::vector<std::int32_t> chief(static_cast<std::size_t>(strands.n_strands()));
    std::iota(chief.begin(), chief.end(), 0);
    const auto strand_of = [&](std::int32_t vertex) {
        return std::upper_bound(strands.first.begin(), strands.first.end(), vertex) - strands.first.begin() - 1;
    };
    const auto find = [&](std::ptrdiff_t s) {
        auto root = static_cast<std::int32_t>(s);
        while (chief[static_cast<std::size_t>(root)] != root) root = chief[static_cast<std::size_t>(root)];
        return root;
    };
    for (std::size_t i = 0; i < state.bridges.size(); ++i) {
        if (state.bridges.b[i] < 0 || !is_exposed(state, i)) continue; // to an obstacle, or none
        if (probe.is_local && !is_edge_at(strands, state.bridges.a[i], probe.vertex) &&
            !is_edge_at(strands, state.bridges.b[i], probe.vertex))
            continue;
        const std::int32_t a = find(strand_of(state.bridges.a[i])), b = find(strand_of(state.bridges.b[i]));
        chief[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
    std::vector<std::int64_t> sizes(chief.size(), 0);
    for (std::int32_t s = group.first_strand; s < group.first_strand + group.n_strands; ++s)
        ++sizes[static_cast<std::size_t>(find(s))];
    std::erase(sizes, 0);
    return sizes;
}

double sample_cluster_probe(const Model& model, const State& state, const StrandGroup& group, const Probe& probe)
{
    const std::vector<std::int64_t> sizes = cluster_sizes(model, state, group, probe);
    if (probe.kind == ProbeKind::LargestCluster)
        return static_cast<double>(*std::max_element(sizes.begin(), sizes.end()));
    const auto n = static_cast<double>(sizes.size());
    return probe.kind == ProbeKind::Clusters ? n : group.n_strands / n;
}

/// What fell off the group, since the start or per second since the last frame.
double sample_shed_probe(const Model& model, const State& state, const StrandGroup& group, ProbeKind kind)
{
    double sum = 0, before = 0;
    for (std::int32_t s = group.first_strand; state.film.is_there() && s < group.first_strand + group.n_strands; ++s) {
        sum += state.film.shed[static_cast<std::size_t>(s)];
        before += state.film.shed_before[static_cast<std::size_t>(s)];
    }
    if (kind == ProbeKind::FilmShed) return sum;
    const double interval = model.options.frame_interval, frame = static_cast<double>(state.clock.frame);
    const bool is_at_frame = state.clock.time == frame * interval;
    const double time = is_at_frame ? interval : state.clock.time - frame * interval;
    return (sum - before) / time;
}

} // namespace

bool is_strand_probe(ProbeKind kind) { return kind >= ProbeKind::StrandPosition; }

std::string strand_probe_unit(ProbeKind kind)
{
    switch (kind) {
    case ProbeKind::StrandPosition:
    case ProbeKind::StrandLength:
    case ProbeKind::FilmCentre:
    case ProbeKind::FilmThickness:
        return "m";
    case ProbeKind::FilmVolume:
    case ProbeKind::FilmShed:
        return "m3";
    case ProbeKind::FilmShedRate:
        return "m3/s";
    case ProbeKind::StrandTension:
        return "N";
    case ProbeKind::StrandTwist:
        return "rad";
    case ProbeKind::StrandKinetic:
        return "J";
    default:
        return "";
    }
}

std::vector<double> sample_strand_probe(const Model& model, const State& state, const Probe& probe)
{
    const StrandGroup& group = group_named(model, probe.object);
    const VertexRange all = vertices_of(model.strands, group.first_strand, group.n_strands);
    const std::int32_t strand = group.first_strand + probe.strand;
    const VertexRange one = vertices_of(model.strands, strand, 1);
    const auto counted_from = static_cast<std::int64_t>(probe.vertex < 0 ? one.end : one.begin);
    const auto v = static_cast<std::size_t>(counted_from + probe.vertex);
    RIVULET_VERIFY(probe.strand < group.n_strands && v >= one.begin && v < one.end);
    double sum = 0;
    switch (probe.kind) {
    case ProbeKind::StrandPosition:
        return {state.strands.position[v].x(), state.strands.position[v].y(), state.strands.position[v].z()};
    case ProbeKind::StrandTension:
        return {edge_tension(model, state, strand, v)};
    case ProbeKind::StrandLength:
        for (std::size_t e = one.begin; e + 1 < one.end; ++e) sum += edge_length(state, e);
        return {sum};
    case ProbeKind::StrandTwist:
        for (std::size_t k = one.begin; k < one.end; ++k) sum += state.strands.twist[k];
        return {sum};
    case ProbeKind::StrandStrain:
        return {group_strain(model, state, all)};
    case ProbeKind::StrandKinetic:
        return {group_kinetic_energy(model, state, all)};
    case ProbeKind::FilmVolume:
    case ProbeKind::FilmCentre:
    case ProbeKind::FilmThickness:
        return sample_film_probe(model, state, group, probe.kind);
    case ProbeKind::Bridges:
        for (std::size_t i = 0; i < state.bridges.size(); ++i) {
            const auto is_of_group = [&](std::int32_t edge) {
                return edge >= 0 && static_cast<std::size_t>(edge) >= all.begin &&
                       static_cast<std::size_t>(edge) < all.end;
            };
            const bool joins = is_of_group(state.bridges.a[i]) || is_of_group(state.bridges.b[i]);
            sum += joins && is_exposed(state, i) ? 1 : 0;
        }
        return {sum};
    case ProbeKind::FilmShed:
    case ProbeKind::FilmShedRate:
        return {sample_shed_probe(model, state, group, probe.kind)};
    case ProbeKind::Clusters:
    case ProbeKind::LargestCluster:
    case ProbeKind::MeanCluster:
        return {sample_cluster_probe(model, state, group, probe)};
    default:
        break;
    }
    throw InternalError("not a probe of strands: " + probe.name);
}

} // namespace rivulet
