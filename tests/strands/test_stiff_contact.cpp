#include "base/parallel.h"
#include "geometry/shapes.h"
#include "strands/stiff_strands.h"
#include "strands/touching.h"

#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

/// Bristles that are clamped above a plate and pressed down on it.
struct PressedBristle : Touching {
    static constexpr double kLength = 0.02, kRadius = 1e-4, kSpeed = 0.01;
    static constexpr int kEdges = 20;

    /// The tip is off by `bend` times the length and slides without friction.
    explicit PressedBristle(double bend, int count = 1)
        : Touching({.density = 1300,
                    .youngs_modulus = 3e9,
                    .shear_modulus = 1e9,
                    .viscosity = 1e4,
                    .radius_a = kRadius,
                    .radius_b = kRadius,
                    .friction = 0}),
          plate(make_plane(Vec3::Zero(), Vec3::UnitZ()))
    {
        for (int i = 0; i < count; ++i) {
            std::vector<Vec3> points;
            for (int k = 0; k <= kEdges; ++k) {
                const double part = static_cast<double>(k) / kEdges;
                points.emplace_back(bend * kLength * part * part, 20 * i * kRadius,
                                    kLength * (1 - part) + (1.05 + 0.01 * i) * kRadius);
            }
            add(points);
        }
        group_strands(model);
        obstacles = {{plate.get(), {}, {}, std::nullopt}};
        hold.assign(state.position.size(), Hold::Free);
        for (const std::int32_t v : model.first)
            if (v < model.n_vertices()) held.push_back(static_cast<std::size_t>(v));
        for (const std::size_t v : held) {
            hold[v] = Hold::VertexAndEdge;
            hold[v + 1] = Hold::Vertex;
        }
        target = state.position;
        director = state.director;
    }
    double press(double dt)
    {
        for (const std::size_t v : held)
            for (const std::size_t end : {v, v + 1}) target[end].z() -= kSpeed * dt;
        advance({.dt = dt, .hold = hold, .target = target, .target_director = director});
        double force = 0;
        for (const StrandContact& c : contact.contacts) force += c.force.z();
        return force;
    }
    decltype(make_plane(Vec3::Zero(), Vec3::UnitZ())) plate;
    std::vector<Hold> hold;
    std::vector<std::size_t> held; ///< first vertices
    std::vector<Vec3> target, director;
};

/// Load of a column of this length that is clamped at one end and bent by the shortening `part`, over Euler's, by the
/// elastica: P = (2 K/pi)^2 Euler, 1 - part = 2 E/K - 1 with the complete elliptic integrals of the modulus k.
double load_of_elastica(double part)
{
    double low = 0, high = 0.9;
    for (int i = 0; i < 60; ++i) {
        const double k = 0.5 * (low + high);
        (2 - 2 * std::comp_ellint_2(k) / std::comp_ellint_1(k) < part ? low : high) = k;
    }
    return std::pow(2 * std::comp_ellint_1(low) / std::numbers::pi, 2);
}

/// Pressed along its axis a straight bristle is shortened as stiffly as it can be by 10 um a step, for which it would
/// have to bear 30 times what it can: it buckles, in a step, and from then on bears what the elastica has.
TEST(StiffContact, AStraightBristlePressedAlongItsAxisBearsEulersLoad)
{
    for (const double bend : {1e-5, 2e-3}) {
        PressedBristle s(bend);
        // The clamped edge bends by half.
        const double length = PressedBristle::kLength * (1 - 0.5 / PressedBristle::kEdges);
        const double inertia = 0.25 * std::numbers::pi * std::pow(PressedBristle::kRadius, 4);
        const double euler = std::pow(0.5 * std::numbers::pi / length, 2) * 3e9 * inertia;
        for (int i = 1; i <= 150; ++i) {
            const double force = s.press(1e-3);
            EXPECT_EQ(s.contact.n_missed, 0) << i;
            EXPECT_TRUE(s.contact.is_bearable) << i;
            for (const Vec3& v : s.state.velocity) ASSERT_LT(v.norm(), 0.5) << i; // measured 0.34; thrown: 32
            EXPECT_GT(s.state.position.back().z(), 0.9 * PressedBristle::kRadius) << i;
            if (i % 50 != 0) continue;
            const double shortening = (i * 1e-3 * PressedBristle::kSpeed - 0.05 * PressedBristle::kRadius) / length;
            const double expected = load_of_elastica(shortening) * euler;
            EXPECT_NEAR(force, expected, 0.015 * expected) << bend << " " << i;
        }
    }
}

/// Forty strands that lie on each other, of which the contacts bear forces; those numbered in `thrown` are moved by
/// three radii against where inertia takes all.
struct ThrownStack : Touching {
    static constexpr int kCount = 40;

    explicit ThrownStack(const std::vector<std::int32_t>& thrown) : Touching(human_hair())
    {
        const double radius = human_hair().radius_a;
        for (int i = 0; i < kCount; ++i) add(line({0, 0, 2 * i * radius}, {0.01, 0, 2 * i * radius}, 4), {1, 0, 0});
        group_strands(model);
        for (std::int32_t i = 0; i + 1 < kCount; ++i)
            carried.push_back(
                {.a = 5 * i + 1, .b = 5 * i + 6, .s = 0.5, .t = 0.5, .normal = -Vec3::UnitZ(), .force = {0, 0, -1e-3}});
        update.state = state;
        update.outcome.assign(kCount, {.converged = true});
        inertial.assign(state.position.size(), {1e-3, 0, 0});
        for (std::size_t v = 0; v < inertial.size(); ++v) update.state.position[v] += inertial[v];
        for (const std::int32_t s : thrown)
            for (std::size_t k = 0; k < 5; ++k)
                update.state.position[static_cast<std::size_t>(5 * s) + k].z() += 3 * radius;
    }
    /// Which of them are stiff then.
    std::vector<int> buckled()
    {
        const StrandStep step{.dt = 1e-3};
        std::vector<RodMatrix> factors;
        const StrandEdges edges(model);
        const ContactCase given{model, state, step, {}, memory, options, edges, factors, human_hair().radius_a};
        StiffStrands stiff(given);
        std::vector<std::int32_t> batches = all_batches(model);
        const bool any = stiff.add_buckled(carried, update, inertial, batches);
        EXPECT_EQ(any, !stiff.empty());
        std::vector<int> out;
        for (int s = 0; s < kCount; ++s)
            if (stiff.touches({.a = 5 * s, .b = -1})) out.push_back(s);
        return out;
    }
    std::vector<StrandContact> carried;
    std::vector<Vec3> inertial;
};

/// One or two of forty that are thrown by the forces that held them have buckled; five of them were struck.
TEST(StiffContact, OneOfManyThatForcesThrowHasBuckledManyWereStruck)
{
    EXPECT_EQ(ThrownStack({}).buckled(), std::vector<int>{});
    EXPECT_EQ(ThrownStack({3}).buckled(), std::vector<int>{3});
    EXPECT_EQ(ThrownStack({0, 31}).buckled(), (std::vector<int>{0, 31}));
    EXPECT_EQ(ThrownStack({1, 3, 5, 20, 33}).buckled(), std::vector<int>{});
}

/// Where every other one goes the other way, by 28 radii in the step, three radii are no sign of buckling; thirty are.
TEST(StiffContact, OneThatSlidesHasNotBuckled)
{
    const double radius = human_hair().radius_a;
    const auto slide = [&](double thrown) {
        ThrownStack stack({3});
        for (std::size_t v = 0; v < stack.inertial.size(); ++v) {
            if (v / 5 % 2 == 0) stack.inertial[v] = -stack.inertial[v];
            stack.update.state.position[v] = stack.state.position[v] + stack.inertial[v];
            if (v / 5 == 3) stack.update.state.position[v].z() += thrown * radius;
        }
        return stack.buckled();
    };
    EXPECT_EQ(slide(3), std::vector<int>{});
    EXPECT_EQ(slide(30), std::vector<int>{3});
}

/// Two taut hairs across each other, the ends of the upper one moved down: both become a V, by as much, and press each
/// other with 2 T sin(angle), T from how long they have become.
TEST(StiffContact, CrossingTautHairsPressEachOtherAsTheyAreStretched)
{
    constexpr double kHalf = 0.01, kRadius = 35e-6, kSpeed = 0.2, kStep = 1e-3;
    constexpr int kEdges = 10;
    RodMaterial hair = human_hair();
    hair.viscosity = 1e4;
    Touching s(hair);
    s.add(line({-kHalf, 1e-5, 0}, {kHalf, 1e-5, 0}, kEdges));
    s.add(line({1e-5, -kHalf, 2.1 * kRadius}, {1e-5, kHalf, 2.1 * kRadius}, kEdges));
    group_strands(s.model);
    std::vector<Hold> hold(2 * kEdges + 2, Hold::Free);
    std::vector<Vec3> target = s.state.position;
    for (const std::size_t v : {0, kEdges, kEdges + 1, 2 * kEdges + 1}) hold[v] = Hold::Vertex;
    for (int i = 1; i <= 30; ++i) {
        for (const std::size_t v : {kEdges + 1, 2 * kEdges + 1}) target[v].z() -= kSpeed * kStep;
        s.advance({.dt = kStep, .hold = hold, .target = target, .target_director = s.state.director});
        EXPECT_EQ(s.contact.n_missed, 0) << i;
        EXPECT_TRUE(s.contact.is_bearable) << i;
        Vec3 force = Vec3::Zero(), impulse = Vec3::Zero();
        for (const StrandContact& c : s.contact.contacts) force += c.force;
        for (const StrandOutcome& o : s.update.outcome) impulse += o.contact;
        EXPECT_LT(impulse.norm(), 1e-13 * kStep * force.norm()) << i; // both bear the same
        const double sag = 0.5 * (i * kSpeed * kStep - 0.1 * kRadius);
        const double stretched = std::hypot(kHalf, sag);
        const double tension = hair.youngs_modulus * hair.area() * (stretched / kHalf - 1);
        const double expected = 2 * tension * sag / stretched;
        if (i == 30) {
            EXPECT_NEAR(force.norm(), expected, 0.02 * expected);
        }
    }
}

TEST(StiffContact, SameBitsOnAnyNumberOfThreads)
{
    const auto run = [](int n_threads) {
        return with_threads(n_threads, [](int) {
            PressedBristle s(1e-3, 21);
            for (int i = 0; i < 10; ++i) static_cast<void>(s.press(1e-3));
            return s.state.position;
        });
    };
    const std::vector<Vec3> one = run(1);
    for (const int n_threads : {2, 3, 8}) EXPECT_EQ(run(n_threads), one) << n_threads;
}

/// What a strand touches gives way by a radius under the force between them, whether it is thick and soft or thin and
/// stiff: not softer than a hundredth of its edges, not stiffer than these. By hand.
TEST(StiffContact, GivesWayByARadiusUnderItsForce)
{
    Touching noodle({.density = 1000, .youngs_modulus = 1e6, .shear_modulus = 4e5, .radius_a = 7e-4, .radius_b = 7e-4});
    noodle.add(line(Vec3::Zero(), Vec3(0.02, 0, 0), 10));
    group_strands(noodle.model);
    const StrandEdges edges(noodle.model);
    const StrandStep step{.dt = 1e-3};
    std::vector<RodMatrix> factors;
    const ContactCase given{noodle.model, noodle.state, step, noodle.obstacles, noodle.memory, noodle.options,
                            edges,        factors,      7e-4};
    const double edge = 769.6902; // EA/L = 1e6 pi 7e-4^2/2e-3 N/m
    EXPECT_NEAR(contact_stiffness(given, 3, 0.35), 500, 1e-9);
    EXPECT_NEAR(contact_stiffness(given, 3, 1e-4), 0.01 * edge, 1e-5);
    EXPECT_NEAR(contact_stiffness(given, 3, 10), edge, 1e-3);
}

} // namespace
} // namespace rivulet
