#include "strands/strands.h"

#include "base/parallel.h"
#include "strands/hair.h"
#include "strands/random_rods.h"

#include <gtest/gtest.h>

namespace rivulet {
namespace {

constexpr double kPi = std::numbers::pi;

Vec3 momentum(const Strands& s)
{
    const std::vector<double> mass = vertex_masses(s.model);
    Vec3 sum = Vec3::Zero();
    for (std::size_t v = 0; v < mass.size(); ++v) sum += mass[v] * s.state.velocity[v];
    return sum;
}

/// Orbital, and of the edges' spin.
Vec3 angular_momentum(const Strands& s)
{
    const std::vector<double> mass = vertex_masses(s.model);
    const RodMaterial& m = s.model.materials[0];
    Vec3 sum = Vec3::Zero();
    for (std::size_t v = 0; v < mass.size(); ++v) {
        sum += mass[v] * s.state.position[v].cross(s.state.velocity[v]);
        if (!(s.model.rest_length[v] > 0)) continue;
        const double inertia = 0.5 * m.density * m.area() * s.model.rest_length[v] * m.radius_a * m.radius_a;
        sum += inertia * s.state.spin[v] * (s.state.position[v + 1] - s.state.position[v]).normalized();
    }
    return sum;
}

/// The shorter the rod, the more of its angular momentum is in the spin of its edges, which turn: (r/L)^2 of the whole.
/// Without their gyroscopic couple 5e-11, 1.8e-10 and 6e-10 of it were lost in a step.
TEST(Strands, FreeRodKeepsMomentumAndAngularMomentum)
{
    for (const double length : {0.3, 0.1, 0.05}) {
        Strands s = one_strand(helix(60, length, length / 30, length / 5), human_hair());
        for (std::size_t v = 0; v < s.state.position.size(); ++v) // turns, drifts and is sheared
            s.state.velocity[v] = Vec3(0.5, -0.2, 0.1) + Vec3(3, 8, -5).cross(s.state.position[v]) +
                                  Vec3(0, 20 * s.state.position[v].x() * s.state.position[v].x(), 0);
        StrandStep step{.dt = 1e-3, .integrator = StrandIntegrator::Midpoint};
        StrandUpdate update;
        double worst = 0, worst_angular = 0;
        for (int i = 0; i < 50; ++i) {
            const Vec3 p = momentum(s), l = angular_momentum(s);
            ASSERT_TRUE(advance(s, step, update));
            worst = std::max(worst, (momentum(s) - p).norm() / p.norm());
            worst_angular = std::max(worst_angular, (angular_momentum(s) - l).norm() / l.norm());
        }
        EXPECT_LT(worst, 1e-10);                   // measured 5e-16
        EXPECT_LT(worst_angular, 1e-10) << length; // measured 1.4e-13, 6.5e-13, 2.3e-12
    }
}

/// A free straight rod that spins about itself keeps its spin, but for one that would take it round by more than a
/// radian in a step: strands with a curve of their own, held by others, gained energy without bound from such turns.
TEST(Strands, SpinsThatAStepCanSeeAreKept)
{
    for (const double turn : {0.3, 0.99, 5.0, -256.0}) { // in a step [rad]
        std::vector<Vec3> points;
        for (int k = 0; k <= 10; ++k) points.emplace_back(0.01 * k, 0, 0);
        Strands s = one_strand(points, human_hair());
        const StrandStep step{.dt = 1e-3};
        for (std::size_t v = 0; v + 1 < points.size(); ++v) s.state.spin[v] = turn / step.dt;
        StrandUpdate update;
        for (int i = 0; i < 10; ++i) ASSERT_TRUE(advance(s, step, update));
        const double kept = std::clamp(turn, -1.0, 1.0) / step.dt;
        for (std::size_t v = 0; v + 1 < points.size(); ++v) EXPECT_NEAR(s.state.spin[v], kept, 1e-6);
    }
}

/// Tip of the elastica of a heavy rod that leaves a wall horizontally, by shooting for the bending moment at the wall:
///   EI theta'' = -w (L - s) cos(theta),  theta(0) = 0,  theta'(L) = 0,  theta downwards from the horizontal.
Vec3 heavy_elastica_tip(double stiffness, double weight, double length)
{
    Vec3 tip;
    const auto end_slope = [&](double slope) {
        constexpr int kSteps = 4000;
        const double ds = length / kSteps;
        using State = Eigen::Vector4d; // theta, theta', x, z
        const auto rate = [&](double s, const State& y) {
            return State(y[1], -weight / stiffness * (length - s) * std::cos(y[0]), std::cos(y[0]), -std::sin(y[0]));
        };
        State y(0, slope, 0, 0);
        for (int i = 0; i < kSteps; ++i) {
            const double s = i * ds;
            const State a = rate(s, y), b = rate(s + ds / 2, y + ds / 2 * a), c = rate(s + ds / 2, y + ds / 2 * b);
            y += ds / 6 * (a + 2 * b + 2 * c + rate(s + ds, y + ds * c));
        }
        tip = Vec3(y[2], 0, y[3]);
        return y[1];
    };
    double low = 0, high = weight * length * length / stiffness;
    for (int i = 0; i < 60; ++i) (end_slope(0.5 * (low + high)) < 0 ? low : high) = 0.5 * (low + high);
    return tip;
}

/// A strand that is clamped by its first edge leaves the clamp in the middle of that edge.
double cantilever_tip_error(int n_edges, double length)
{
    const RodMaterial hair = human_hair();
    const double edge = length / (n_edges - 0.5);
    Strands s = one_strand(straight_line(n_edges, n_edges * edge, Vec3::UnitX()), hair);
    const Clamp clamp(s.state);
    StrandStep step{.dt = 0.2, .gravity = Vec3(0, 0, -9.81)}; // large steps: settles in a few
    clamp.apply(step);
    StrandUpdate update;
    for (int i = 0; i < 60; ++i) EXPECT_TRUE(advance(s, step, update)) << i;
    const Vec3 exact =
        heavy_elastica_tip(hair.youngs_modulus * hair.bending_moment_1(), 9.81 * hair.density * hair.area(), length);
    return (s.state.position.back() - Vec3(0.5 * edge, 0, 0) - exact).norm() / length;
}

TEST(Strands, CantileverUnderItsWeightIsTheElastica)
{
    const double at_20 = cantilever_tip_error(20, 0.1), at_40 = cantilever_tip_error(40, 0.1);
    EXPECT_LT(at_40, 5e-3);                   // measured 8.7e-4
    EXPECT_GT(std::log2(at_20 / at_40), 1.8); // measured 2.02
}

/// First natural frequency of a clamped beam, omega = 1.8751041^2/L^2 sqrt(EI/(rho A)), excited in its own shape.
TEST(Strands, FirstBendingFrequencyIsThatOfABeam)
{
    const RodMaterial hair = human_hair();
    constexpr int kEdges = 40;
    const double length = 0.05, edge = length / (kEdges - 0.5);
    Strands s = one_strand(straight_line(kEdges, kEdges * edge, Vec3::UnitX()), hair);
    const double lambda = 1.87510407;
    const double ratio = (std::cosh(lambda) + std::cos(lambda)) / (std::sinh(lambda) + std::sin(lambda));
    for (std::size_t v = 2; v < s.state.position.size(); ++v) {
        const double x = lambda * (s.state.position[v].x() - 0.5 * edge) / length;
        s.state.velocity[v].z() = 1e-3 * (std::cosh(x) - std::cos(x) - ratio * (std::sinh(x) - std::sin(x)));
    }
    const double omega = lambda * lambda / (length * length) *
                         std::sqrt(hair.youngs_modulus * hair.bending_moment_1() / (hair.density * hair.area()));
    const Clamp clamp(s.state);
    StrandStep step{.dt = 2 * kPi / omega / 200, .integrator = StrandIntegrator::Midpoint};
    clamp.apply(step);
    StrandUpdate update;
    std::vector<double> crossings; // of the tip, upwards
    double before = 0;
    for (int i = 1; crossings.size() < 2; ++i) {
        ASSERT_LT(i, 500);
        ASSERT_TRUE(advance(s, step, update));
        const double now = s.state.position.back().z();
        if (i > 1 && before < 0 && now >= 0) crossings.push_back((i - now / (now - before)) * step.dt);
        before = now;
    }
    const double measured = 2 * kPi / (crossings[1] - crossings[0]);
    EXPECT_NEAR(measured / omega, 1, 0.01); // measured 0.99982
}

TEST(Strands, SmallTipLoadBendsAsTheBeamFormulaSays)
{
    const RodMaterial hair = human_hair();
    constexpr int kEdges = 40;
    const double length = 0.02, edge = length / (kEdges - 0.5);
    Strands s = one_strand(straight_line(kEdges, kEdges * edge, Vec3::UnitX()), hair);
    const Clamp clamp(s.state);
    const double force = 1e-8;
    std::vector<Vec3> forces(s.state.position.size(), Vec3::Zero());
    forces.back() = Vec3(0, force, 0);
    StrandStep step{.dt = 0.5};
    clamp.apply(step);
    step.force = forces;
    StrandUpdate update;
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(advance(s, step, update));
    // F L^3/(3 E I)
    const double exact = force * length * length * length / (3 * hair.youngs_modulus * hair.bending_moment_1());
    EXPECT_NEAR(s.state.position.back().y() / exact, 1, 2e-3); // measured 0.99984
    // What holds it takes the load and its moment.
    EXPECT_NEAR((update.support_force[0] + update.support_force[1]).y(), -force, 1e-6 * force);
}

/// A flat ribbon bends 1/4 as far against its wide side: I = pi/4 a b^3 against pi/4 b a^3, a/b = 2.
TEST(Strands, EllipticalSectionsHaveTwoStiffnesses)
{
    RodMaterial ribbon = human_hair();
    ribbon.radius_a = 2 * ribbon.radius_b;
    Vec3 tip[2];
    for (const int way : {0, 1}) {
        Strands s;
        s.model.materials = {ribbon};
        add_strand(s.model, s.state, straight_line(20, 0.02, Vec3::UnitX()), 0, Vec3::UnitY()); // m1 = y
        group_strands(s.model);
        const Clamp clamp(s.state);
        std::vector<Vec3> forces(s.state.position.size(), Vec3::Zero());
        forces.back() = 1e-9 * (way == 0 ? Vec3(Vec3::UnitY()) : Vec3(Vec3::UnitZ()));
        StrandStep step{.dt = 0.5};
        clamp.apply(step);
        step.force = forces;
        StrandUpdate update;
        for (int i = 0; i < 20; ++i) ASSERT_TRUE(advance(s, step, update));
        tip[way] = s.state.position.back();
    }
    EXPECT_NEAR(tip[1].z() / tip[0].y(), 4, 1e-3);
    EXPECT_NEAR(ribbon.torsion_moment() / std::pow(ribbon.radius_b, 4), kPi * 8 / 5, 1e-12); // pi a^3 b^3/(a^2 + b^2)
}

TEST(Strands, EdgesBeyondOnePercentCountUnlessTheirOwnWeightDoesATenthOfThat)
{
    RodMaterial soft = human_hair();
    soft.density = 1000;
    soft.youngs_modulus = 1e5;
    Strands s;
    s.model.materials = {human_hair(), soft};
    for (const int material : {0, 1})
        add_strand(s.model, s.state, straight_line(10, 0.2, Vec3::UnitX()), material, Vec3::UnitZ());
    EXPECT_EQ(find_stretched_edges(s.model, s.state, 9.81).count, 0);
    s.state.position[4].x() += 0.025 * 0.02; // of the hair: its edge 3 is longer by 2.5 %, its edge 4 shorter
    s.state.position[21].x() -= 0.15 * 0.02; // of the soft one, whose weight of 1000 * 9.81 * 0.2 Pa is 1.96 % of E
    const StretchedEdges found = find_stretched_edges(s.model, s.state, 9.81);
    EXPECT_NEAR(found.largest_strain, 0.15, 1e-12);
    EXPECT_EQ(found.count, 2);
    EXPECT_EQ(found.worst, 3);
    EXPECT_NEAR(found.worst_strain, 0.025, 1e-12);
    s.state.position[21].x() -= 0.05 * 0.02; // 20 %, more than 19.62 %
    EXPECT_EQ(find_stretched_edges(s.model, s.state, 9.81).count, 3);
    EXPECT_EQ(find_stretched_edges(s.model, s.state, 9.81).worst, 20);
    EXPECT_NEAR(find_stretched_edges(s.model, s.state, 9.81).worst_strain, -0.2, 1e-12);
    EXPECT_EQ(find_stretched_edges(s.model, s.state, 9.82 * 0.2 / 0.1962).count, 2);
}

/// A clamp that turns about the strand's own axis turns all of it, with as many turns as it has made.
TEST(Strands, TwistIsPassedOnAndWholeTurnsAreCounted)
{
    Strands s = one_strand(straight_line(10, 0.02, Vec3::UnitX()), human_hair());
    Clamp clamp(s.state);
    clamp.hold[9] = Hold::VertexAndEdge; // the far end is held
    clamp.hold[10] = Hold::Vertex;
    StrandStep step{.dt = 1e-3};
    StrandUpdate update;
    const double turns = 2.5;
    for (int i = 1; i <= 40; ++i) {
        clamp.move(Vec3::Zero(), Quat(Eigen::AngleAxisd(2 * kPi * turns * i / 40, Vec3::UnitX())));
        clamp.apply(step);
        ASSERT_TRUE(advance(s, step, update)) << i;
    }
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(advance(s, step, update));
    for (std::size_t v = 1; v < 10; ++v) EXPECT_NEAR(s.state.twist[v], -2 * kPi * turns / 9, 1e-9);
    // Moment G J twist/length over the nine bends between the two held edges, by hand from r = 35 um.
    const double moment = 1.4e9 * kPi / 2 * std::pow(35e-6, 4) * 2 * kPi * turns / (9 * 0.002);
    EXPECT_NEAR(update.support_moment[0], moment, 1e-6 * moment);
    EXPECT_NEAR(update.support_moment[9], -moment, 1e-6 * moment);
}

TEST(Strands, InternalViscosityDampsAsTheLawSays)
{
    // Stretch of a two-edge rod between held ends... the middle vertex moves along the rod:
    // m x'' = -2 k x - 2 c x', k = E A/l, c = 3 eta A/l; overdamped, so x decays with k/c = E/(3 eta).
    RodMaterial m = human_hair();
    m.youngs_modulus = 1e6;
    m.viscosity = 1e5;
    Strands s = one_strand(straight_line(2, 0.02, Vec3::UnitX()), m);
    s.state.position[1].x() *= 1.001;
    const double x0 = s.state.position[1].x() - 0.01;
    std::vector<Hold> hold{Hold::Vertex, Hold::Free, Hold::Vertex};
    const std::vector<Vec3> target = s.state.position;
    StrandStep step{.dt = 1e-3, .hold = hold, .target = target};
    StrandUpdate update;
    for (int i = 0; i < 300; ++i) ASSERT_TRUE(advance(s, step, update));
    const double decay = m.youngs_modulus / (3 * m.viscosity); // 3.33/s
    EXPECT_NEAR((s.state.position[1].x() - 0.01) / x0, std::exp(-0.3 * decay), 2e-3);
}

/// A thick rod clamped by its first edge whose second is turned by 0.01, of E = 1 MPa and 100 kPa s: its inertia is
/// nothing, and bending decays with E/(3 eta) = 3.33/s as stretching does.
TEST(Strands, InternalViscosityActsThreefoldOnBending)
{
    RodMaterial m = human_hair();
    m.youngs_modulus = 1e6;
    m.viscosity = 1e5;
    m.radius_a = m.radius_b = 1e-3;
    Strands s = one_strand(straight_line(2, 0.02, Vec3::UnitX()), m);
    const Clamp clamp(s.state);
    s.state.position[2] = Vec3(0.01 + 0.01 * std::cos(0.01), 0.01 * std::sin(0.01), 0);
    StrandStep step{.dt = 1e-3};
    clamp.apply(step);
    StrandUpdate update;
    for (int i = 0; i < 300; ++i) ASSERT_TRUE(advance(s, step, update));
    const Vec3 edge = s.state.position[2] - s.state.position[1];
    EXPECT_NEAR(std::atan2(edge.y(), edge.x()) / 0.01, 0.367879, 2e-3); // exp(-1), measured 0.36849
}

/// The middle one of three edges, of which the others are held, is turned about itself by 0.1: that decays with
/// G/eta = 10/s, not with a third of it.
TEST(Strands, InternalViscosityActsOnceOnTwist)
{
    RodMaterial m = human_hair();
    m.shear_modulus = 1e6;
    m.viscosity = 1e5;
    Strands s = one_strand(straight_line(3, 0.03, Vec3::UnitX()), m);
    const std::vector<Vec3> target = s.state.position, director = s.state.director;
    const std::vector<Hold> hold{Hold::VertexAndEdge, Hold::Vertex, Hold::VertexAndEdge, Hold::Vertex};
    s.state.director[1] = Eigen::AngleAxisd(0.1, Vec3::UnitX()) * director[1];
    s.state.twist = {0, 0.1, -0.1, 0};
    const StrandStep step{.dt = 1e-3, .hold = hold, .target = target, .target_director = director};
    StrandUpdate update;
    for (int i = 0; i < 200; ++i) ASSERT_TRUE(advance(s, step, update));
    EXPECT_NEAR(s.state.twist[1] / 0.1, 0.135335, 2e-3); // exp(-2), measured 0.13669
    EXPECT_NEAR(s.state.twist[2] / -0.1, 0.135335, 2e-3);
}

/// In creeping flow the drag along is half of that across: a rod at 45 degrees slides sideways with a third of the
/// speed of its fall. In oil of 1 Pa s the Reynolds number is below 1e-6, from which on both are constant.
TEST(Strands, SlantedRodDriftsSidewaysAsItFalls)
{
    Strands s = one_strand(straight_line(8, 0.02, Vec3(1, 0, -1).normalized()), human_hair());
    StrandStep step{.dt = 1e-3, .gravity = Vec3(0, 0, -9.81), .air = {1.2, 1.0, Vec3::Zero()}};
    StrandUpdate update;
    for (int i = 0; i < 50; ++i) ASSERT_TRUE(advance(s, step, update));
    for (const Vec3& v : s.state.velocity) {
        EXPECT_NEAR(v.x() / -v.z(), 1.0 / 3, 1e-6);
        EXPECT_NEAR(-v.z(), 9.266243e-5, 1e-9); // 3/2 of the weight of 4.907930e-5 N/m over 4 pi mu/ln(7.4e6)
        EXPECT_NEAR(v.y(), 0, 1e-12);
    }
    // At Reynolds number 0.01: 2 pi mu/ln(740) = 1.711871e-5 N s/m^2; from 1 on 2 pi mu/ln(7.4) = 5.650685e-5.
    const Air air{1.2, 1.8e-5, Vec3::Zero()};
    EXPECT_NEAR(drag_along(air, 70e-6, 0.01 * 1.8e-5 / (1.2 * 70e-6)), 1.711871e-5, 1e-10);
    EXPECT_NEAR(drag_along(air, 70e-6, 8 * 1.8e-5 / (1.2 * 70e-6)), 5.650685e-5, 1e-10);
}

TEST(Strands, FallsAtTheSpeedAtWhichDragCarriesItsWeight)
{
    const RodMaterial hair = human_hair();
    Strands s = one_strand(straight_line(8, 0.02, Vec3::UnitX()), hair);
    StrandStep step{.dt = 2e-3, .gravity = Vec3(0, 0, -9.81), .air = {1.2, 1.8e-5, Vec3(0.3, 0, 0)}};
    StrandUpdate update;
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(advance(s, step, update));
    const double v = -s.state.velocity[4].z();
    // Weight of a metre is 1300 * 3.848451e-9 * 9.81 = 4.907930e-5 N; drag/(length speed) at Re = 1.2 * 70e-6 v/1.8e-5.
    EXPECT_NEAR(drag_across(step.air, 70e-6, v) * v, 4.907930e-5, 1e-9);
    EXPECT_NEAR(s.state.velocity[4].x(), 0.3, 1e-3); // the wind takes it along
    // Reynolds number 8: drag coefficient 1 + 10/4 = 3.5, so 0.5 mu Re C = 2.52e-4.
    EXPECT_NEAR(drag_across(step.air, 70e-6, 8 * 1.8e-5 / (1.2 * 70e-6)), 2.52e-4, 1e-10);
    // Reynolds number 0.01: 4 pi mu/ln(740) = 3.423742e-5 N s/m^2.
    EXPECT_NEAR(drag_across(step.air, 70e-6, 0.01 * 1.8e-5 / (1.2 * 70e-6)), 3.423742e-5, 1e-10);
}

TEST(Strands, MomentumIsBookedToWhatActs)
{
    Strands s = one_strand(helix(20, 0.1, 0.005, 0.03), human_hair());
    Clamp clamp(s.state);
    std::vector<Vec3> forces(s.state.position.size(), Vec3::Zero());
    forces[15] = Vec3(1e-6, 0, 2e-6);
    StrandStep step{.dt = 1e-3, .gravity = Vec3(0, 0, -9.81), .air = {1.2, 1.8e-5, Vec3(0, 1, 0)}};
    step.force = forces;
    StrandUpdate update;
    double total = 0;
    for (const double mass : vertex_masses(s.model)) total += mass;
    for (int i = 1; i <= 20; ++i) {
        clamp.move(Vec3(0.01 * i * i * 0.05, 0, 0), Quat::Identity());
        clamp.apply(step);
        const Vec3 before = momentum(s);
        ASSERT_TRUE(advance(s, step, update));
        const StrandOutcome& o = update.outcome[0];
        const Vec3 booked = o.support + o.drag + o.load + step.dt * total * step.gravity;
        EXPECT_LT((momentum(s) - before - booked).norm(), 1e-10 * momentum(s).norm());
    }
}

/// A fur of strands of several lengths and materials.
Strands fur(const std::vector<std::size_t>& order)
{
    Strands s;
    s.model.materials = {human_hair(), human_hair()};
    s.model.materials[1].radius_a = 50e-6;
    for (const std::size_t i : order) {
        const double x = static_cast<double>(i);
        const auto points = helix(8 + static_cast<int>(i % 3), 0.05 + 1e-3 * x, 0.003, 0.02 + 1e-3 * x);
        add_strand(s.model, s.state, points, static_cast<std::int32_t>(i % 2), Vec3(0.1 * x, 0.2, 1));
    }
    group_strands(s.model);
    return s;
}

void fall(Strands& s)
{
    StrandStep step{.dt = 2e-3, .gravity = Vec3(0, 0, -9.81), .air = {1.2, 1.8e-5, Vec3(1, 2, 0)}};
    std::vector<Hold> hold(s.state.position.size(), Hold::Free);
    for (const std::int32_t first : s.model.first)
        if (first < s.model.n_vertices()) hold[static_cast<std::size_t>(first)] = Hold::Vertex;
    const std::vector<Vec3> target = s.state.position;
    step.hold = hold;
    step.target = target;
    StrandUpdate update;
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(advance(s, step, update));
}

TEST(Strands, HasTheSameBitsOnAnyNumberOfThreadsAndInAnyOrder)
{
    std::vector<std::size_t> order(23), shuffled;
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (std::size_t i = 0; i < order.size(); ++i) shuffled.push_back(order[i * 7 % order.size()]);
    Strands one = fur(order);
    with_threads(1, [&](int) { fall(one); });
    for (const int threads : {2, 3, 8}) {
        Strands many = fur(order);
        with_threads(threads, [&](int) { fall(many); });
        EXPECT_EQ(one.state.position, many.state.position);
        EXPECT_EQ(one.state.director, many.state.director);
    }
    Strands mixed = fur(shuffled);
    fall(mixed);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto from = static_cast<std::size_t>(mixed.model.first[i]);
        const auto to = static_cast<std::size_t>(one.model.first[shuffled[i]]);
        for (int k = 0; k < mixed.model.n_vertices(static_cast<std::int32_t>(i)); ++k) {
            const auto offset = static_cast<std::size_t>(k);
            EXPECT_EQ(mixed.state.position[from + offset], one.state.position[to + offset]);
            EXPECT_EQ(mixed.state.twist[from + offset], one.state.twist[to + offset]);
        }
    }
}

} // namespace
} // namespace rivulet
