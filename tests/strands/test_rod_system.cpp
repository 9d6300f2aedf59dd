#include "strands/rod_system.h"

#include "strands/hair.h"
#include "strands/loaded_batch.h"
#include "strands/random_rods.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

using Lanes4 = AlignedVector<Lane>;

Lanes4 gradient_of(const RodSystem& s, const RodConfiguration& c)
{
    Lanes4 g(static_cast<std::size_t>(4 * s.n - 1));
    potential_gradient(s, c, g.data());
    return g;
}

double largest(const Lanes4& values)
{
    double most = 0;
    for (const Lane& v : values)
        for (int l = 0; l < kStrandLanes; ++l) most = std::max(most, std::abs(v[l]));
    return most;
}

TEST(LaneMath, SineAndCosineAreThoseOfTheLibrary)
{
    RandomLanes random(1);
    for (int i = 0; i < 2000; ++i) {
        const Lane angle = (i % 2 == 0 ? 4.0 : 1e4) * random.lane();
        const LaneSinCos v = lane_sincos(angle);
        for (int l = 0; l < kStrandLanes; ++l) {
            EXPECT_NEAR(v.sin[l], std::sin(angle[l]), 3e-16);
            EXPECT_NEAR(v.cos[l], std::cos(angle[l]), 3e-16);
        }
    }
}

TEST(LaneMath, ArcTangentIsThatOfTheLibrary)
{
    RandomLanes random(2);
    for (int i = 0; i < 2000; ++i) {
        const double small = std::pow(10.0, -(i % 17));
        const Lane y = (i % 2 == 0 ? small : 1.0) * random.lane(), x = (i % 3 == 0 ? small : 1.0) * random.lane();
        const Lane v = lane_atan2(y, x);
        for (int l = 0; l < kStrandLanes; ++l)
            EXPECT_NEAR(v[l], std::atan2(y[l], x[l]), 1e-15 * std::abs(v[l]) + 1e-300);
    }
    EXPECT_EQ(lane_atan2(Lane{}, spread(1.0))[0], 0);
    EXPECT_EQ(lane_atan2(Lane{}, Lane{})[0], 0);
    EXPECT_EQ(lane_atan2(Lane{}, spread(-1.0))[0], std::numbers::pi);
}

TEST(RodSystem, GradientIsTheDerivativeOfThePotential)
{
    const RodSystem s = random_rods(6, 3);
    const RodConfiguration c = away_from_start(s);
    const Lanes4 g = gradient_of(s, c);
    const double step = 1e-5, scale = largest(g);
    for (int i = 0; i < 4 * s.n - 1; ++i) {
        const Lane p = potential(s, nudged(s, c, i, step)), m = potential(s, nudged(s, c, i, -step));
        const Lane p2 = potential(s, nudged(s, c, i, 2 * step)), m2 = potential(s, nudged(s, c, i, -2 * step));
        for (int l = 0; l < kStrandLanes; ++l) {
            const double difference = (8 * (p[l] - m[l]) - (p2[l] - m2[l])) / (12 * step);
            EXPECT_NEAR(g[static_cast<std::size_t>(i)][l], difference, 1e-7 * scale) << i; // measured 1.8e-11
        }
    }
}

struct HessianError {
    double error = 0, scale = 0; ///< largest difference, and largest entry
};

/// Against central differences of the gradient. Their antisymmetric part is the turn of frames on the way round a small
/// loop, which no potential has: the Hessian is the symmetric part.
HessianError hessian_error(const RodSystem& s, const RodConfiguration& c)
{
    const int n = 4 * s.n - 1;
    const double step = 1e-4;
    std::vector<Lanes4> column;
    for (int i = 0; i < n; ++i) {
        const Lanes4 p = gradient_of(s, nudged(s, c, i, step)), m = gradient_of(s, nudged(s, c, i, -step));
        const Lanes4 p2 = gradient_of(s, nudged(s, c, i, 2 * step)), m2 = gradient_of(s, nudged(s, c, i, -2 * step));
        Lanes4 difference(p.size());
        for (std::size_t j = 0; j < p.size(); ++j)
            difference[j] = (8.0 * (p[j] - m[j]) - (p2[j] - m2[j])) / (12 * step);
        column.push_back(difference);
    }
    Lanes4 g(static_cast<std::size_t>(n));
    RodMatrix hessian;
    potential_hessian(s, c, spread(1.0), g.data(), hessian);
    HessianError found;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j)
            for (int l = 0; l < kStrandLanes; ++l) {
                const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
                const double exact = i - j <= kRodBandwidth ? hessian.at(i, j)[l] : 0;
                found.error = std::max(found.error, std::abs(0.5 * (column[a][b][l] + column[b][a][l]) - exact));
                found.scale = std::max(found.scale, std::abs(exact));
            }
    const Lanes4 alone = gradient_of(s, c);
    for (std::size_t i = 0; i < g.size(); ++i)
        for (int l = 0; l < kStrandLanes; ++l) EXPECT_NEAR(g[i][l], alone[i][l], 1e-13 * largest(g));
    return found;
}

TEST(RodSystem, HessianIsTheDerivativeOfTheGradient)
{
    const RodSystem s = random_rods(6, 4);
    const HessianError found = hessian_error(s, at_start(s));
    EXPECT_LT(found.error, 1e-5 * found.scale); // measured 4e-13
}

/// Four rods of the size of one with internal viscosity, some way into a step: curved, twisted and stretched at its
/// start, and moved on from there.
TEST(RodSystem, HessianIsTheDerivativeOfTheGradientInTheMidstOfAViscousStep)
{
    StrandModel model;
    StrandState state;
    model.materials = {
        {.density = 1, .youngs_modulus = 2, .shear_modulus = 1, .viscosity = 0.2, .radius_a = 0.7, .radius_b = 0.5}};
    for (int l = 0; l < kStrandLanes; ++l)
        add_strand(model, state, helix(5, 4 + 0.2 * l, 0.5, 6), 0, Vec3(0.3, 0.2, 1));
    group_strands(model);
    for (std::size_t v = 0; v < state.position.size(); ++v) {
        const auto random = [&](std::uint64_t i) { return 2 * random_unit(5, v, i) - 1; };
        state.position[v] += 0.2 * Vec3(random(0), random(1), random(2));
        state.velocity[v] = Vec3(random(3), random(4), random(5));
        state.twist[v] += 0.3 * random(6);
    }
    for (std::size_t v = 0; v + 1 < state.position.size(); ++v) { // across the edges that were moved
        const Vec3 t = (state.position[v + 1] - state.position[v]).normalized();
        if (model.rest_length[v] > 0)
            state.director[v] = (state.director[v] - state.director[v].dot(t) * t).normalized();
    }
    const StrandStep step{.dt = 0.1, .air = {0.5, 0.3, Vec3(1, 0, 2)}};
    LoadedBatch batch(model, state, step);
    RodConfiguration start;
    batch.load(model.batches[0], start);
    ASSERT_NEAR(batch.system.stretch[1].weight[0], (2 + 3 * 0.2 / 0.1) * std::numbers::pi * 0.35 * model.rest_length[1],
                1e-12); // E + 3 eta/h
    const RodConfiguration c = away_from_start(batch.system);
    // Left out is what inertia's moment about the edge does as the turn on the way from the start changes for the
    // second time: nothing at the start of a step, and here where spins are those that inertia gives.
    const HessianError with_moments = hessian_error(batch.system, c);
    EXPECT_LT(with_moments.error, 0.03 * with_moments.scale); // measured 0.013
    for (std::size_t k = 0; k < c.spin.size(); ++k) batch.system.predicted_spin[k] = c.spin[k];
    const HessianError found = hessian_error(batch.system, c);
    EXPECT_LT(found.error, 1e-9 * found.scale); // measured 6e-13
}

TEST(RodSystem, GaussNewtonMatrixIsPositiveDefinite)
{
    RodSystem s = random_rods(8, 5);
    for (auto& law : s.bend)
        for (Lane& r : law.rest) r *= 20.0; // far from rest
    RodConfiguration c = at_start(s);
    Lanes4 g(static_cast<std::size_t>(4 * s.n - 1));
    RodMatrix a;
    potential_hessian(s, c, Lane{}, g.data(), a);
    const Lane pivot = a.factor();
    for (int l = 0; l < kStrandLanes; ++l) EXPECT_GT(pivot[l], 0);
}

/// Turns all of a strand by the same rotation.
LaneVec3 turned(const Quat& q, const LaneVec3& v)
{
    LaneVec3 out;
    for (int l = 0; l < kStrandLanes; ++l) {
        const Vec3 r = q * Vec3(v.x[l], v.y[l], v.z[l]);
        out.x[l] = r.x();
        out.y[l] = r.y();
        out.z[l] = r.z();
    }
    return out;
}

TEST(RodSystem, RigidMotionProducesNoForce)
{
    RodSystem s = random_rods(8, 6);
    for (auto& m : s.mass) m = Lane{};
    for (auto& i : s.inertia) i = Lane{};
    for (auto& d : s.drag) d = {};
    for (auto& p : s.push) p = {};
    const RodConfiguration rest = at_start(s);
    for (std::size_t k = 0; k + 1 < s.edge.size(); ++k) { // the present shape becomes the rest shape
        s.stretch[k].inverse_rest_length = rest.edge[k].inverse_length;
        s.stretch[k].strain = Lane{};
        for (int a = 0; a < 4; ++a) s.bend[k].rest[a] = rest.bend[k].kappa[a];
        s.bend[k].twist_rest = rest.bend[k].twist;
    }
    const Quat q(Eigen::AngleAxisd(1.1, Vec3(1, 2, -0.5).normalized()));
    for (std::size_t k = 0; k + 1 < s.edge.size(); ++k) {
        s.edge[k] = turned(q, s.edge[k]);
        s.director[k] = turned(q, s.director[k]);
    }
    s.prepare();
    EXPECT_LT(largest(gradient_of(s, at_start(s))), 1e-11); // measured 4.4e-15, forces of a strained rod are about 1

    // And as a motion within a step: displacements and spins of a rotation about the first vertex.
    RodConfiguration moved = at_start(s);
    const Quat half(Eigen::AngleAxisd(0.7, Vec3(-1, 0.3, 0.8).normalized()));
    for (std::size_t k = 0; k + 1 < s.edge.size(); ++k) {
        moved.u[k + 1] = moved.u[k] + turned(half, s.edge[k]) - s.edge[k];
        const LaneVec3 tangent = turned(half, s.tangent[k]);
        const LaneVec3 carried = transport(s.director[k], s.tangent[k], tangent);
        const LaneVec3 wanted = turned(half, s.director[k]);
        moved.spin[k] = lane_atan2(dot(cross(tangent, carried), wanted), dot(carried, wanted));
    }
    configure(s, moved);
    EXPECT_LT(largest(gradient_of(s, moved)), 1e-11); // measured 2.2e-15
}

/// A quarter circle of edge length l bent about m2: kappa = 2 tan(angle/2) by hand, and the energy
/// E I kappa^2/(2 l) summed by hand.
TEST(RodSystem, EnergyOfAnArcIsTheOneWrittenDown)
{
    RodSystem s(3);
    s.h = 1;
    const double angle = 0.3;
    s.edge[0] = {spread(1.0), Lane{}, Lane{}};
    s.edge[1] = {spread(std::cos(angle)), spread(std::sin(angle)), Lane{}};
    for (std::size_t k = 0; k < 2; ++k) s.director[k] = {Lane{}, Lane{}, spread(1.0)}; // m1 = z: the binormal
    for (auto& law : s.stretch) law = {spread(1.0), spread(1.0), Lane{}};
    s.bend[1].weight[0] = spread(7.0); // of m2 . kb: not bent that way
    s.bend[1].weight[1] = spread(3.0);
    s.prepare();
    const RodConfiguration c = at_start(s);
    // Two edges, each 3/2 (2 tan 0.15)^2: 3 * 0.30227044^2.
    EXPECT_NEAR(elastic_energy(s, c)[0], 0.27410225, 1e-8);
    EXPECT_NEAR(c.bend[1].twist[0], 0, 1e-15);
}

TEST(RodSystem, NewtonFindsTheMinimum)
{
    RodSystem s = random_rods(12, 7);
    for (std::size_t k = 0; k < 2; ++k) s.free[k] = Lane{}; // clamped
    s.free_spin[0] = Lane{};
    RodConfiguration c = at_start(s);
    const RodSolution solution = minimize_potential(s, {1e-11, 60}, c);
    EXPECT_FALSE(any(~solution.converged));
    EXPECT_LT(solution.iterations, 30);
    Lanes4 g = gradient_of(s, c);
    for (const std::size_t held : {0, 1, 2, 3, 4, 5, 6}) g[held] = Lane{};
    EXPECT_LT(largest(g), 1e-10); // measured 2e-11
    EXPECT_EQ(c.u[1].x[0], 0);
}

/// A strand's result does not depend on its lane nor on its neighbours.
TEST(RodSystem, LanesDoNotSeeEachOther)
{
    const RodSystem s = random_rods(9, 8);
    RodConfiguration together = at_start(s);
    const RodSolution all = minimize_potential(s, {1e-9, 60}, together);
    EXPECT_FALSE(any(~all.converged));
    for (int l = 0; l < kStrandLanes; ++l) {
        const int other = (l + 1) % kStrandLanes;
        RodSystem one = s; // strand l, in all lanes but its own
        const auto spread_lane_of = [&](auto& values) {
            auto* numbers = reinterpret_cast<double*>(values.data());
            const std::size_t n = values.size() * sizeof(values[0]) / sizeof(double);
            for (std::size_t i = 0; i < n; i += kStrandLanes)
                for (int j = 0; j < kStrandLanes; ++j)
                    if (j != l) numbers[i + static_cast<std::size_t>(j)] = numbers[i + static_cast<std::size_t>(l)];
        };
        spread_lane_of(one.mass), spread_lane_of(one.inertia), spread_lane_of(one.predicted);
        spread_lane_of(one.predicted_spin), spread_lane_of(one.edge), spread_lane_of(one.director);
        spread_lane_of(one.twist), spread_lane_of(one.stretch), spread_lane_of(one.bend);
        spread_lane_of(one.drag), spread_lane_of(one.push);
        one.prepare();
        RodConfiguration alone = at_start(one);
        EXPECT_FALSE(any(~minimize_potential(one, {1e-9, 60}, alone).converged));
        for (std::size_t k = 0; k < alone.u.size(); ++k) {
            EXPECT_EQ(alone.u[k].x[other], together.u[k].x[l]);
            EXPECT_EQ(alone.u[k].z[other], together.u[k].z[l]);
            EXPECT_EQ(alone.spin[k][other], together.spin[k][l]);
        }
    }
}

} // namespace
} // namespace rivulet
