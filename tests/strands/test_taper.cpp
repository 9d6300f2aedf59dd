#include "strands/taper.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "strands/hair.h"
#include "strands/sag_free.h"
#include "strands/strand_stability.h"
#include "strands/touching.h"

#include <gtest/gtest.h>

namespace rivulet {
namespace {

constexpr double kRound = std::numbers::pi;

/// A straight cone along x whose part beyond the middle of its clamped first edge is `length` long and goes from
/// `radius` to `tip` times that.
Strands clamped_cone(int n_edges, double length, double tip)
{
    const double edge = length / (n_edges - 0.5);
    Strands s = one_strand(straight_line(n_edges, n_edges * edge, Vec3::UnitX()), human_hair());
    for (const Vec3& x : s.state.position) s.model.scale.push_back(1 + (tip - 1) * (x.x() - 0.5 * edge) / length);
    return s;
}

/// To rest, with a force on the last vertex.
void load_tip(Strands& s, const Vec3& force, StrandUpdate& update)
{
    const Clamp clamp(s.state);
    std::vector<Vec3> forces(s.state.position.size(), Vec3::Zero());
    forces.back() = force;
    StrandStep step{.dt = 0.5};
    clamp.apply(step);
    step.force = forces;
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(advance(s, step, update));
}

TEST(Taper, ThicknessFallsEvenlyAlongTheRestLength)
{
    const std::vector<Vec3> points{{0, 0, 0}, {0.1, 0, 0}, {0.1, 0.3, 0}, {0.1, 0.3, 0.6}};
    Strands s = one_strand(points, human_hair());
    add_strand(s.model, s.state, points, 0, Vec3::UnitX() + Vec3::UnitZ());
    taper_strand(s.model, 1, 0.2);
    const double wanted[] = {1, 1, 1, 1, 1, 0.92, 0.68, 0.2}; // 1 - 0.8 s with s = 0, 0.1, 0.4 and 1
    ASSERT_EQ(s.model.scale.size(), 8u);
    for (std::size_t v = 0; v < 8; ++v) EXPECT_NEAR(s.model.scale[v], wanted[v], 1e-15);
    add_strand(s.model, s.state, points, 0, Vec3::UnitX() + Vec3::UnitZ());
    group_strands(s.model);
    ASSERT_EQ(s.model.scale.size(), 12u);
    for (std::size_t v = 8; v < 12; ++v) EXPECT_EQ(s.model.scale[v], 1);
}

/// pi L (r0^2 + r0 r1 + r1^2)/3, whatever the edges.
TEST(Taper, MassIsThatOfACone)
{
    const RodMaterial hair = human_hair();
    for (const int n : {2, 3, 17}) {
        Strands s = one_strand(straight_line(n, 0.1, Vec3::UnitX()), hair);
        taper_strand(s.model, 0, 0.3);
        double mass = 0;
        for (const double m : vertex_masses(s.model)) mass += m;
        const double cone = kRound * 0.1 * 35e-6 * 35e-6 * (1 + 0.3 + 0.09) / 3;
        EXPECT_NEAR(mass / (1300 * cone), 1, 1e-14) << n;
    }
    EXPECT_NEAR(cone_inertia(1, 0), 0.2, 1e-15); // of a whole cone 3/10 m r^2, m a third: a fifth of the cylinder's
    EXPECT_EQ(cone_volume(1, 1) + cone_inertia(1, 1) + cone_stiffness(1, 1) + cone_compliance(1, 1), 4);
}

/// 4 F L^3/(3 pi E r0^3 r1), the integral of F (L - x)^2/(E I) with I = pi r^4/4.
TEST(Taper, TipLoadBendsAConeAsTheBeamFormulaSays)
{
    const double length = 0.02, force = 1e-8, r = 35e-6;
    for (const double tip : {0.5, 0.2}) {
        const double exact = 4 * force * length * length * length / (3 * kRound * 3.9e9 * r * r * r * r * tip);
        double error[2];
        for (const int k : {0, 1}) {
            Strands s = clamped_cone(20 << k, length, tip);
            StrandUpdate update;
            load_tip(s, Vec3(0, force, 0), update);
            error[k] = s.state.position.back().y() / exact - 1;
            EXPECT_NEAR((update.support_force[0] + update.support_force[1]).y(), -force, 1e-6 * force);
        }
        EXPECT_LT(std::abs(error[1]), 2e-3) << tip; // measured 2.1e-4, 1.6e-3
        EXPECT_GT(std::log2(error[0] / error[1]), 1.7) << tip << ' ' << error[0] << ' ' << error[1];
    }
}

/// F L/(pi E r0 r1).
TEST(Taper, PullStretchesAConeAsItsSectionsSay)
{
    Strands s = clamped_cone(10, 0.02, 0.25);
    StrandUpdate update;
    const double force = 1e-4, start = s.state.position.back().x();
    load_tip(s, Vec3(force, 0, 0), update);
    // The clamped half of the first edge does not stretch, nor its other half: 19 of 20 halves do, from 0.25 on.
    const double first = s.model.mean_scale(0) + 0.5 * (s.model.scale[1] - s.model.scale[0]);
    const double free = s.state.position.back().x() - s.state.position[1].x();
    const double exact = force * (start - s.state.position[1].x()) / (kRound * 3.9e9 * 35e-6 * 35e-6 * first * 0.25);
    EXPECT_NEAR((free - (start - s.state.position[1].x())) / exact, 1, 1e-9);
}

/// M L (r0^2 + r0 r1 + r1^2) 2/(3 pi G r0^3 r1^3): between the middles of the first and the last edge.
TEST(Taper, EqualMomentsTwistAConeAsItsSectionsSay)
{
    const RodMaterial hair = human_hair();
    Strands s = one_strand(straight_line(12, 0.03, Vec3::UnitX()), hair);
    taper_strand(s.model, 0, 0.4);
    Clamp clamp(s.state);
    const std::size_t last = s.state.position.size() - 2;
    clamp.hold[last] = Hold::VertexAndEdge;
    clamp.hold[last + 1] = Hold::Vertex;
    const double angle = 0.3;
    clamp.director[last] = Eigen::AngleAxisd(angle, Vec3::UnitX()) * s.state.director[last];
    StrandStep step{.dt = 1e3};
    clamp.apply(step);
    StrandUpdate update;
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(advance(s, step, update));
    const double a = 35e-6 * s.model.mean_scale(0), b = 35e-6 * s.model.mean_scale(last), length = 0.03 * 11 / 12;
    const double moment = angle * 3 * kRound * 1.4e9 * a * a * a * b * b * b / (2 * length * (a * a + a * b + b * b));
    EXPECT_NEAR(update.support_moment[last] / moment, 1, 1e-9);
    EXPECT_NEAR(elastic_energy(s.model, s.state) / (0.5 * moment * angle), 1, 1e-9);
}

/// First natural frequency of a clamped cone of half the thickness at its tip: 4.62515 sqrt(E I/(rho A))/L^2 with the
/// section at the root (by Ritz' method with polynomials of degree 9; a cylinder has 3.51602).
TEST(Taper, FirstBendingFrequencyIsThatOfACone)
{
    const RodMaterial hair = human_hair();
    const double length = 0.05;
    Strands s = clamped_cone(40, length, 0.5);
    const double edge = length / 39.5;
    for (std::size_t v = 2; v < s.state.position.size(); ++v) {
        const double x = (s.state.position[v].x() - 0.5 * edge) / length;
        s.state.velocity[v].z() = 1e-3 * x * x * (0.8204 + 0.1543 * x - 0.1278 * x * x); // about its own shape
    }
    const double omega = 4.62515 / (length * length) *
                         std::sqrt(hair.youngs_modulus * hair.bending_moment_1() / (hair.density * hair.area()));
    const Clamp clamp(s.state);
    StrandStep step{.dt = 2 * kRound / omega / 200, .integrator = StrandIntegrator::Midpoint};
    clamp.apply(step);
    StrandUpdate update;
    std::vector<double> crossings; // of the tip, upwards
    double before = 0;
    for (int i = 1; crossings.size() < 6; ++i) {
        ASSERT_LT(i, 1500);
        ASSERT_TRUE(advance(s, step, update));
        const double now = s.state.position.back().z();
        if (i > 1 && before < 0 && now >= 0) crossings.push_back((i - now / (now - before)) * step.dt);
        before = now;
    }
    EXPECT_NEAR(2 * kRound * 5 / (crossings[5] - crossings[0]) / omega, 1, 0.005);
}

/// Strands of any thickness from vertex to vertex, bent and twisted: what the energy loses as a vertex moves is the
/// force that is felt there.
TEST(Taper, ForcesAreSlopesOfTheEnergy)
{
    Strands s = one_strand(helix(9, 0.02, 0.003, 0.012), human_hair());
    for (std::size_t v = 0; v < s.state.position.size(); ++v) {
        s.model.scale.push_back(0.3 + random_unit(3, 1, v));
        s.state.position[v] += 2e-5 * Vec3(random_unit(3, 2, v), random_unit(3, 3, v), random_unit(3, 4, v));
        s.model.rest_twist[v] = 0.2 * random_unit(3, 5, v);
    }
    for (std::size_t v = 0; v + 1 < s.state.position.size(); ++v) {
        const Vec3 t = (s.state.position[v + 1] - s.state.position[v]).normalized();
        s.state.director[v] = (s.state.director[v] - s.state.director[v].dot(t) * t).normalized();
    }
    // Held everywhere where it is, in a step so long that inertia is nothing, what holds is the force.
    std::vector<Hold> hold(s.state.position.size(), Hold::VertexAndEdge);
    hold.back() = Hold::Vertex;
    StrandStep step{.dt = 1e3};
    step.hold = hold;
    step.target = s.state.position;
    step.target_director = s.state.director;
    StrandUpdate update;
    const StrandState start = s.state;
    step_strands(s.model, s.state, step, update);
    double largest = 0;
    for (const Vec3& f : update.support_force) largest = std::max(largest, f.norm());
    // Stretching, which moves frames little: along the bisector the twist does not change.
    for (std::size_t v = 0; v < start.position.size(); ++v)
        for (int axis = 0; axis < 3; ++axis) {
            const double h = 1e-9;
            double energy[2];
            for (const int way : {0, 1}) {
                StrandState moved = start;
                moved.position[v][axis] += way == 0 ? -h : h;
                StrandStep there = step;
                there.target = moved.position;
                StrandUpdate carried; // frames carried along
                const std::vector<Vec3> target = moved.position;
                there.target = target;
                std::vector<Vec3> director(start.director);
                for (std::size_t e = 0; e + 1 < start.position.size(); ++e) {
                    const Vec3 a = (start.position[e + 1] - start.position[e]).normalized();
                    const Vec3 b = (target[e + 1] - target[e]).normalized();
                    director[e] = Quat::FromTwoVectors(a, b) * start.director[e];
                }
                there.target_director = director;
                step_strands(s.model, start, there, carried);
                energy[way] = elastic_energy(s.model, carried.state);
            }
            EXPECT_NEAR(update.support_force[v][axis], (energy[1] - energy[0]) / (2 * h), 1e-5 * largest) << v;
        }
}

TEST(Taper, SagFreeConesStayWhereTheyAre)
{
    for (const auto& points : {straight_line(20, 0.05, Vec3::UnitX()), helix(60, 0.1, 0.006, 0.03)}) {
        Strands s = one_strand(points, human_hair());
        taper_strand(s.model, 0, 0.3);
        balance_gravity(s.model, s.state, 0, Vec3(0, 0, -9.81));
        const Clamp clamp(s.state);
        StrandStep step{.dt = 5e-3, .gravity = Vec3(0, 0, -9.81)};
        step.tolerance = 1e-12;
        clamp.apply(step);
        const std::vector<Vec3> start = s.state.position;
        StrandUpdate update;
        ASSERT_TRUE(advance(s, step, update));
        for (std::size_t v = 0; v < start.size(); ++v) EXPECT_LT((s.state.position[v] - start[v]).norm(), 1e-10);
    }
}

/// With less weight high up.
TEST(Taper, ThinTipsLetHairStandHigher)
{
    const auto stiffer = [](double tip) {
        Strands s = one_strand(straight_line(60, 0.15, Vec3::UnitZ()), human_hair());
        if (tip < 1) taper_strand(s.model, 0, tip);
        balance_gravity(s.model, s.state, 0, Vec3(0, 0, -9.81));
        return strand_stability(s.model, s.state, 0).stiffer;
    };
    EXPECT_LT(stiffer(0.1), 0.6 * stiffer(1));
}

/// Contact takes edges for as thick as in their middle.
TEST(Taper, EdgesTouchAtTheirOwnThickness)
{
    Strands s = one_strand(straight_line(4, 0.04, Vec3::UnitX()), human_hair());
    taper_strand(s.model, 0, 0.2);
    const StrandEdges edges(s.model);
    const double wanted[] = {0.9, 0.7, 0.5, 0.3};
    for (std::size_t e = 0; e < 4; ++e) EXPECT_NEAR(edges.radius[e], wanted[e] * 35e-6, 1e-18);
}

Strands tapered_fur()
{
    Strands s;
    s.model.materials = {human_hair()};
    for (int i = 0; i < 11; ++i) {
        const auto points = helix(8 + i % 3, 0.05 + 1e-3 * i, 0.003, 0.02 + 1e-3 * i);
        const std::int32_t strand = add_strand(s.model, s.state, points, 0, Vec3(0.1 * i, 0.2, 1));
        if (i % 2 == 1) taper_strand(s.model, strand, 0.2 + 0.05 * i);
    }
    group_strands(s.model);
    return s;
}

void fall_in_wind(Strands& s)
{
    StrandStep step{.dt = 2e-3, .gravity = Vec3(0, 0, -9.81), .air = {1.2, 1.8e-5, Vec3(1, 2, 0)}};
    StrandUpdate update;
    for (int i = 0; i < 20; ++i) {
        Vec3 before = Vec3::Zero(), after = Vec3::Zero(), booked = Vec3::Zero();
        const std::vector<double> mass = vertex_masses(s.model);
        for (std::size_t v = 0; v < mass.size(); ++v) before += mass[v] * s.state.velocity[v];
        ASSERT_TRUE(advance(s, step, update));
        for (std::size_t v = 0; v < mass.size(); ++v) {
            after += mass[v] * s.state.velocity[v];
            booked += mass[v] * step.dt * step.gravity;
        }
        for (const StrandOutcome& o : update.outcome) booked += o.drag;
        EXPECT_LT((after - before - booked).norm(), 1e-10 * after.norm());
    }
}

TEST(Taper, MomentumIsBookedAndBitsAreTheSameOnAnyNumberOfThreads)
{
    Strands one = tapered_fur();
    with_threads(1, [&](int) { fall_in_wind(one); });
    for (const int threads : {2, 3, 8}) {
        Strands many = tapered_fur();
        with_threads(threads, [&](int) { fall_in_wind(many); });
        EXPECT_EQ(one.state.position, many.state.position);
        EXPECT_EQ(one.state.director, many.state.director);
    }
}

/// A strand whose thicknesses are all 1 is not another strand.
TEST(Taper, ThicknessOfOneHasTheBitsOfNone)
{
    Strands plain = tapered_fur(), ones = plain;
    plain.model.scale.clear();
    ones.model.scale.assign(ones.model.rest_length.size(), 1.0);
    fall_in_wind(plain);
    fall_in_wind(ones);
    EXPECT_EQ(plain.state.position, ones.state.position);
    EXPECT_EQ(plain.state.twist, ones.state.twist);
}

} // namespace
} // namespace rivulet
