#include "wet_bundles.h"

#include "base/rng.h"
#include "strands/penalty_contacts.h"
#include "strands/strand_batches.h"
#include "strands/strand_bridges.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

/// Human hair as in the published table, in silicone oil.
constexpr double kWetRadius = 3.7e-5, kWetFilm = 2.2e-5, kWetStep = 1e-3, kWetLength = 0.047, kWetTension = 0.0206;
constexpr double kOilDensity = 950, kWetAngle = std::numbers::pi / 3;
constexpr double kWetArea = std::numbers::pi * kWetFilm * (kWetFilm + 2 * kWetRadius);

} // namespace

WetBundles::WetBundles(int n_bundles)
{
    model.materials = {{.density = 1300,
                        .youngs_modulus = 3.9e9,
                        .shear_modulus = 1.4e9,
                        .radius_a = kWetRadius,
                        .radius_b = kWetRadius}};
    const int side = static_cast<int>(std::ceil(std::sqrt(n_bundles)));
    for (int i = 0; i < n_bundles; ++i)
        add_bundle({5e-3 * (i % side), 5e-3 * (i / side), 0}, static_cast<std::uint64_t>(i));
    group_strands(model);
    hold.assign(state.position.size(), Hold::Free);
    for (const std::int32_t v : model.first)
        for (const auto k : {static_cast<std::size_t>(v), static_cast<std::size_t>(v) + 1})
            if (k < hold.size()) hold[k] = Hold::Vertex;
    move_freely();
    keep_matrices();
    find_springs();
}

/// Hairs in the closest packing, 1.2 diameters apart give or take a tenth of a radius, on a common soft wave.
void WetBundles::add_bundle(const Vec3& place, std::uint64_t seed)
{
    constexpr double kSpacing = 2.4 * kWetRadius, kWave = 2e-3;
    constexpr int kColumns = 8;
    for (int h = 0; h < kHairs; ++h) {
        const auto stray = [&](std::uint64_t axis) {
            return 0.1 * kWetRadius * (2 * random_unit(7, axis, seed * kHairs + static_cast<std::uint64_t>(h)) - 1);
        };
        const int i = h % kColumns, j = h / kColumns;
        const Vec3 root =
            place + Vec3(kSpacing * (i + 0.5 * (j % 2)) + stray(1), std::sqrt(0.75) * kSpacing * j + stray(2), 0);
        std::vector<Vec3> points;
        for (int k = 0; k < kVertices; ++k) {
            const double share = static_cast<double>(k) / (kVertices - 1);
            points.push_back(root +
                             Vec3(kWave * std::sin(2 * std::numbers::pi * share) * share, 0, -kWetLength * share));
        }
        add_strand(model, state, points, 0, Vec3::UnitY());
    }
}

/// A step without each other, which leaves the factors.
void WetBundles::move_freely()
{
    std::vector<double> mass(state.position.size());
    for (std::size_t v = 0; v < mass.size(); ++v) mass[v] = kOilDensity * kWetArea * model.rest_length[v];
    const StrandStep step{
        .dt = kWetStep, .gravity = {0, 0, -9.81}, .hold = hold, .target = state.position, .added_mass = mass};
    factors.resize(model.batches.size());
    begin_update(model, update_);
    solve_batches(model, state, step, all_batches(model), nullptr, factors, update_);
}

/// What pushes and pulls between strands where they would be then.
void WetBundles::find_springs()
{
    const StrandEdges edges(model);
    const StrandMotion motion{state.position, update_.state.position, hold};
    EdgePairs pairs, bridge_pairs;
    std::vector<StrandPenalty> springs = find_penalties(edges, motion, {}, {}, pairs);
    const StrandBridgeTable table(kWetAngle);
    const std::vector<double> area(state.position.size(), kWetArea);
    BridgeLinks links;
    BridgeInput input{.film_area = area, .surface_tension = kWetTension, .strands = &table, .links = &links};
    const BridgeScene scene{state.position, hold, {}};
    links = update_links(edges, scene, input, {}, bridge_pairs);
    const std::vector<StrandBridge> bridges = place_bridges(edges, scene, input);
    for (const StrandBridge& bridge : bridges)
        springs.push_back(
            {.contact = bridge.contact,
             .distance = bridge.contact.gap + bridge.contact.normal.dot(contact_motion(bridge.contact, motion)),
             .length = bridge.length,
             .curve = PenaltyCurve({.stiffness = 0}, bridge.curve.touch()),
             .attraction = &bridge.curve});
    std::sort(springs.begin(), springs.end());
    for (const StrandPenalty& p : springs) {
        contacts.push_back(p.contact);
        normal.push_back(p.contact.normal);
        stiffness.push_back(p.length * p.curve.newton_stiffness(p.distance, p.attraction));
        b.push_back(-p.length * p.curve.force(p.distance, p.attraction));
    }
}

void WetBundles::keep_matrices()
{
    matrices_.resize(factors.size());
    for (std::size_t k = 0; k < factors.size(); ++k) factors[k].product(matrices_[k]);
}

void WetBundles::factor()
{
    factors = matrices_;
    for (RodMatrix& f : factors) (void)f.factor();
}

std::size_t WetBundles::first_unknown(std::size_t batch, std::size_t lane) const
{
    const std::int32_t strand = model.batches[batch].strand[lane];
    return 4 * static_cast<std::size_t>(model.first[static_cast<std::size_t>(strand)]);
}

WetBundles::Row WetBundles::row(std::size_t contact) const
{
    const StrandContact& c = contacts[contact];
    Row r;
    std::size_t n = 0;
    const auto add = [&](std::int32_t vertex, double weight) {
        const auto v = static_cast<std::size_t>(vertex);
        for (std::size_t axis = 0; axis < 3; ++axis, ++n) {
            r.unknown[n] = 4 * v + axis;
            r.weight[n] = hold[v] == Hold::Free ? weight * normal[contact][static_cast<Eigen::Index>(axis)] : 0.0;
        }
    };
    add(c.a, 1 - c.s);
    add(c.a + 1, c.s);
    add(c.b, -(1 - c.t));
    add(c.b + 1, -c.t);
    return r;
}

void WetBundles::multiply(std::span<const double> x, std::span<double> y) const
{
    std::fill(y.begin(), y.end(), 0.0);
    for_strand_entries([&](std::size_t i, std::size_t j, double a) {
        y[i] += a * x[j];
        if (i != j) y[j] += a * x[i];
    });
    for (std::size_t c = 0; c < contacts.size(); ++c) {
        const Row r = row(c);
        double motion = 0;
        for (std::size_t k = 0; k < r.unknown.size(); ++k) motion += r.weight[k] * x[r.unknown[k]];
        for (std::size_t k = 0; k < r.unknown.size(); ++k) y[r.unknown[k]] += stiffness[c] * motion * r.weight[k];
    }
}

std::vector<double> WetBundles::diagonal() const
{
    std::vector<double> d(n_unknowns(), 0);
    for_entries([&](std::size_t i, std::size_t j, double a) { d[i] += i == j ? a : 0; });
    return d;
}

std::vector<double> WetBundles::right_side() const
{
    std::vector<double> x(n_unknowns(), 0);
    add_forces(b, x);
    return x;
}

void WetBundles::add_forces(std::span<const double> force, std::span<double> x) const
{
    for (std::size_t c = 0; c < contacts.size(); ++c) {
        const Row r = row(c);
        for (std::size_t k = 0; k < r.unknown.size(); ++k) x[r.unknown[k]] += force[c] * r.weight[k];
    }
}

void WetBundles::solve_strands(std::span<double> x) const
{
    AlignedVector<Lane> u;
    for (std::size_t k = 0; k < factors.size(); ++k) {
        const auto n = static_cast<std::size_t>(factors[k].size());
        u.assign(n, Lane{});
        for (std::size_t lane = 0; lane < kStrandLanes; ++lane)
            for (std::size_t i = 0; i < n; ++i) u[i][lane] = x[first_unknown(k, lane) + i];
        factors[k].solve(u.data());
        for (std::size_t lane = 0; lane < kStrandLanes; ++lane)
            for (std::size_t i = 0; i < n; ++i) x[first_unknown(k, lane) + i] = u[i][lane];
    }
}

} // namespace rivulet
