#include "strands/strands.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "strands/rod_system.h"
#include "strands/taper.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace rivulet {
namespace {

/// StretchedEdges: the strain of a strand that counts as inextensible, and of softer ones how many times its own weight
/// it may bear.
constexpr double kMostStrain = 0.01, kWeightsBorne = 10;

/// v turned by the smallest rotation that takes a to b.
Vec3 transported(const Vec3& v, const Vec3& a, const Vec3& b)
{
    const Vec3 axis = a.cross(b);
    const double c = a.dot(b);
    return c * v + axis.cross(v) + axis.dot(v) / (1 + c) * axis;
}

/// Of bending and twist at vertex v between edges of tangents t0 and t1.
double twice_bend_energy(const StrandModel& model, const StrandState& state, const RodMaterial& m, std::size_t v,
                         const Vec3& t0, const Vec3& t1)
{
    const Vec3 kb = 2 / (1 + t0.dot(t1)) * t0.cross(t1);
    const Vec3 &d0 = state.director[v - 1], &d1 = state.director[v];
    const double kappa[4] = {t0.cross(d0).dot(kb), -d0.dot(kb), t1.cross(d1).dot(kb), -d1.dot(kb)};
    const double moment[2] = {m.bending_moment_1(), m.bending_moment_2()};
    double bent = 0;
    for (std::size_t a = 0; a < 4; ++a)
        bent += 0.5 * moment[a % 2] * (kappa[a] - model.rest_curvature[v][a]) * (kappa[a] - model.rest_curvature[v][a]);
    const double turned = state.twist[v] - model.rest_twist[v];
    return (m.youngs_modulus * bent + m.shear_modulus * m.torsion_moment() * turned * turned) / model.bend_length(v);
}

} // namespace

double RodMaterial::area() const { return std::numbers::pi * radius_a * radius_b; }
double RodMaterial::bending_moment_1() const { return 0.25 * area() * radius_a * radius_a; }
double RodMaterial::bending_moment_2() const { return 0.25 * area() * radius_b * radius_b; }
double RodMaterial::torsion_moment() const
{
    const double a2 = radius_a * radius_a, b2 = radius_b * radius_b;
    return area() * a2 * b2 / (a2 + b2);
}

void StrandState::resize(std::size_t n)
{
    position.resize(n, Vec3::Zero());
    velocity.resize(n, Vec3::Zero());
    director.resize(n, Vec3::Zero());
    spin.resize(n, 0);
    twist.resize(n, 0);
}

std::int32_t add_strand(StrandModel& model, StrandState& state, std::span<const Vec3> points, std::int32_t material,
                        const Vec3& director)
{
    const std::size_t n = points.size(), begin = state.position.size();
    RIVULET_VERIFY(n >= 3 && static_cast<std::size_t>(model.n_vertices()) == begin);
    RIVULET_VERIFY(material >= 0 && static_cast<std::size_t>(material) < model.materials.size());
    state.resize(begin + n);
    model.rest_length.resize(begin + n, 0);
    model.rest_curvature.resize(begin + n);
    model.rest_twist.resize(begin + n, 0);
    Vec3 tangent_before, d;
    for (std::size_t k = 0; k < n; ++k) {
        state.position[begin + k] = points[k];
        if (k + 1 == n) break;
        const Vec3 edge = points[k + 1] - points[k];
        const double length = edge.norm();
        RIVULET_VERIFY(length > 0);
        const Vec3 tangent = edge / length;
        d = k == 0 ? director : transported(d, tangent_before, tangent);
        d = (d - d.dot(tangent) * tangent).normalized();
        RIVULET_VERIFY(d.allFinite());
        model.rest_length[begin + k] = length;
        state.director[begin + k] = d;
        if (k > 0) {
            const Vec3 kb = 2 / (1 + tangent_before.dot(tangent)) * tangent_before.cross(tangent);
            const Vec3& before = state.director[begin + k - 1];
            model.rest_curvature[begin + k] = {tangent_before.cross(before).dot(kb), -before.dot(kb),
                                               tangent.cross(d).dot(kb), -d.dot(kb)};
        }
        tangent_before = tangent;
    }
    model.first.push_back(static_cast<std::int32_t>(begin + n));
    model.material.push_back(material);
    return model.n_strands() - 1;
}

void group_strands(StrandModel& model)
{
    std::vector<std::int32_t> order(static_cast<std::size_t>(model.n_strands()));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int32_t a, std::int32_t b) { return model.n_vertices(a) < model.n_vertices(b); });
    model.batches.clear();
    if (!model.scale.empty()) model.scale.resize(model.rest_length.size(), 1);
    std::size_t lane = kStrandLanes;
    for (const std::int32_t strand : order) {
        const int n = model.n_vertices(strand);
        if (lane == kStrandLanes || model.batches.back().n_vertices != n) {
            model.batches.push_back({.n_vertices = n});
            lane = 0;
        }
        model.batches.back().strand[lane++] = strand;
    }
}

std::vector<double> vertex_masses(const StrandModel& model)
{
    if (!model.scale.empty()) return tapered_masses(model);
    std::vector<double> mass(static_cast<std::size_t>(model.n_vertices()), 0);
    for (std::int32_t s = 0; s < model.n_strands(); ++s) {
        const RodMaterial& m = model.materials[static_cast<std::size_t>(model.material[static_cast<std::size_t>(s)])];
        for (auto v = static_cast<std::size_t>(model.first[static_cast<std::size_t>(s)]);
             v + 1 < static_cast<std::size_t>(model.first[static_cast<std::size_t>(s) + 1]); ++v) {
            const double half = 0.5 * m.density * m.area() * model.rest_length[v];
            mass[v] += half;
            mass[v + 1] += half;
        }
    }
    return mass;
}

double drag_across(const Air& air, double diameter, double speed)
{
    // Drag coefficient of a long cylinder: Lamb's solution of Oseen's equations for creeping flow, the fit of
    // [White 2006] from Reynolds numbers of about one on, and a passage between the two.
    const double re = std::max(air.density * diameter * speed / air.viscosity, 1e-6);
    const double creeping = 8 * std::numbers::pi / (re * std::log(7.4 / std::min(re, 1.0)));
    const double fast = 1 + 10 / std::cbrt(re * re);
    const double share = std::clamp(std::log10(re) + 1, 0.0, 1.0);
    return 0.5 * air.viscosity * re * ((1 - share) * creeping + share * fast);
}

double drag_along(const Air& air, double diameter, double speed)
{
    // Half of that across in creeping flow.
    const double re = std::clamp(air.density * diameter * speed / air.viscosity, 1e-6, 1.0);
    return 2 * std::numbers::pi * air.viscosity / std::log(7.4 / re);
}

double elastic_energy(const StrandModel& model, const StrandState& state)
{
    return ordered_sum(model.n_strands(), "strand energy", [&](std::int64_t i) {
        const auto s = static_cast<std::size_t>(i);
        const RodMaterial& m = model.materials[static_cast<std::size_t>(model.material[s])];
        double twice = 0;
        Vec3 before = Vec3::Zero();
        for (auto v = static_cast<std::size_t>(model.first[s]); v + 1 < static_cast<std::size_t>(model.first[s + 1]);
             ++v) {
            const Vec3 edge = state.position[v + 1] - state.position[v];
            const double strain = edge.norm() / model.rest_length[v] - 1;
            twice += m.youngs_modulus * m.area() * strain * strain * model.stretch_length(v);
            const Vec3 tangent = edge.normalized();
            if (v > static_cast<std::size_t>(model.first[s]))
                twice += twice_bend_energy(model, state, m, v, before, tangent);
            before = tangent;
        }
        return 0.5 * twice;
    });
}

double largest_strain(const StrandModel& model, const StrandState& state)
{
    double largest = 0;
    for (std::size_t v = 0; v + 1 < state.position.size(); ++v)
        if (model.rest_length[v] > 0)
            largest = std::max(largest,
                               std::abs((state.position[v + 1] - state.position[v]).norm() / model.rest_length[v] - 1));
    return largest;
}

StretchedEdges find_stretched_edges(const StrandModel& model, const StrandState& state, double gravity)
{
    const auto worse = [](StretchedEdges a, const StretchedEdges& b) {
        a.largest_strain = std::max(a.largest_strain, b.largest_strain);
        a.count += b.count;
        if (b.worst >= 0 && (a.worst < 0 || std::abs(b.worst_strain) > std::abs(a.worst_strain))) {
            a.worst = b.worst;
            a.worst_strain = b.worst_strain;
        }
        return a;
    };
    const auto of_strand = [&](std::size_t s) {
        const auto begin = static_cast<std::size_t>(model.first[s]), end = static_cast<std::size_t>(model.first[s + 1]);
        const RodMaterial& m = model.materials[static_cast<std::size_t>(model.material[s])];
        double length = 0;
        for (std::size_t v = begin; v + 1 < end; ++v) length += model.rest_length[v];
        if (!model.scale.empty()) length = thinnest_length(model, begin, end);
        const double allowed = std::max(kMostStrain, kWeightsBorne * m.density * gravity * length / m.youngs_modulus);
        StretchedEdges found;
        for (std::size_t v = begin; v + 1 < end; ++v) {
            const double strain = (state.position[v + 1] - state.position[v]).norm() / model.rest_length[v] - 1;
            const bool is_stretched = std::abs(strain) > allowed;
            found = worse(found, {std::abs(strain), is_stretched ? 1 : 0,
                                  is_stretched ? static_cast<std::int32_t>(v) : -1, strain});
        }
        return found;
    };
    return ordered_reduce(
        model.n_strands(), "stretched edges", StretchedEdges{},
        [&](std::int64_t first, std::int64_t last) {
            StretchedEdges found;
            for (std::int64_t s = first; s < last; ++s) found = worse(found, of_strand(static_cast<std::size_t>(s)));
            return found;
        },
        worse);
}

} // namespace rivulet
