#include "contact/edge_overlap.h"
#include "contact/penalty_curve.h"
#include "contact/penalty_solver.h"
#include "random_numbers.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <cmath>

namespace rivulet {
namespace {

constexpr double kRadius = 35e-6;
constexpr double kTouch = 2 * kRadius, kRest = 3 * kRadius, kBlend = 4 * kRadius;
const PenaltyCurve kCurve({.stiffness = 1e3, .range = 1.5}, kTouch);

/// f_s = peak (1 - fall d), which breaks at `at`.
struct LinearBridge final : PairAttraction {
    explicit LinearBridge(double breaks_at, double newton_per_metre = 0.06) : at(breaks_at), peak(newton_per_metre) {}
    [[nodiscard]] double force(double d) const override { return peak * (1 - fall * d); }
    [[nodiscard]] double slope(double /*d*/) const override { return -peak * fall; }
    [[nodiscard]] double energy(double d) const override { return peak * d * (1 - 0.5 * fall * d); }
    [[nodiscard]] double rupture() const override { return at; }

    double at, peak;
    double fall = 1 / (20 * kRadius);
};

TEST(PenaltyCurve, HasTheValuesOfThePaper) // by hand: k = 1000 Pa, r = 35 um
{
    EXPECT_NEAR(kCurve.force(kTouch, nullptr), -1e3 * kRadius, 1e-15);        // k (2r - 3r)
    EXPECT_NEAR(kCurve.force(kRadius, nullptr), -2e3 * kRadius, 1e-15);       // k (r - 3r)
    EXPECT_NEAR(kCurve.force(2.5 * kRadius, nullptr), -250 * kRadius, 1e-15); // k/2 (-r/2)
    EXPECT_NEAR(kCurve.energy(kTouch, nullptr), 1e3 * kRadius * kRadius / 3, 1e-18);
    const LinearBridge bridge(10 * kRadius);
    EXPECT_NEAR(kCurve.force(3.5 * kRadius, &bridge), 0.024, 1e-15); // half of f_s(4r) = 0.06 (1 - 0.2)
    EXPECT_NEAR(kCurve.force(6 * kRadius, &bridge), 0.042, 1e-15);   // f_s itself
    // Between touch and rest, K is the mean of k and f_s(B)/r: -(r/2) (1000 + 0.048/r)/2.
    EXPECT_NEAR(kCurve.force(2.5 * kRadius, &bridge), -0.25 * (1e3 * kRadius + 0.048), 1e-15);
    EXPECT_EQ(kCurve.force(11 * kRadius, &bridge), 0);
}

/// Dry, wet, and wet with a bridge that breaks within the blend or before it begins.
TEST(PenaltyCurve, IsContinuousAndPushesWithinItsRestAndNeverBeyond)
{
    const LinearBridge wide(10 * kRadius), thin(3.5 * kRadius), dry(2.9 * kRadius);
    for (const PairAttraction* bridge :
         {static_cast<const PairAttraction*>(nullptr), static_cast<const PairAttraction*>(&wide),
          static_cast<const PairAttraction*>(&thin), static_cast<const PairAttraction*>(&dry)}) {
        const double scale = kCurve.stiffness * kRadius, e = 1e-14 * kRadius;
        for (const double d : {kTouch, kRest, kBlend})
            EXPECT_NEAR(kCurve.force(d - e, bridge), kCurve.force(d + e, bridge), 1e-12 * scale) << d;
        const double h = 1e-7 * kRadius; // of one slope at rest
        const double before = -kCurve.force(kRest - h, bridge) / h, after = kCurve.force(kRest + h, bridge) / h;
        EXPECT_NEAR(before, after, 1e-6 * kCurve.stiffness);
        for (double d = -kRadius; d < 12 * kRadius; d += 0.01 * kRadius) {
            if (d < kRest - e) {
                EXPECT_LT(kCurve.force(d, bridge), 0) << d;
            } else {
                EXPECT_GE(kCurve.force(d, bridge), 0) << d;
            }
            EXPECT_GE(kCurve.secant(d, bridge), 0);
            EXPECT_GE(kCurve.newton_stiffness(d, bridge), kCurve.secant(d, bridge));
            EXPECT_EQ(kCurve.force(d, bridge), kCurve.secant(d, bridge) * (d - kRest));
            if (bridge == &dry) {
                EXPECT_EQ(kCurve.force(d, bridge), kCurve.force(d, nullptr));
            }
        }
        EXPECT_EQ(kCurve.force(kCurve.reach(bridge), bridge), 0);
    }
}

TEST(PenaltyCurve, EnergyIsTheIntegralOfTheForce)
{
    const LinearBridge wide(10 * kRadius), thin(3.5 * kRadius);
    for (const PairAttraction* bridge :
         {static_cast<const PairAttraction*>(nullptr), static_cast<const PairAttraction*>(&wide),
          static_cast<const PairAttraction*>(&thin)}) {
        EXPECT_EQ(kCurve.energy(kRest, bridge), 0);
        // Simpson's rule is exact on every branch: each is a polynomial of at most third degree.
        const std::vector<double> ends{0, kTouch, kRest, 3.5 * kRadius, kBlend, 9.99 * kRadius};
        for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
            const double a = ends[i], b = ends[i + 1], e = 1e-12 * (b - a);
            const double integral =
                (b - a) / 6 *
                (kCurve.force(a, bridge) + 4 * kCurve.force(0.5 * (a + b), bridge) + kCurve.force(b - e, bridge));
            EXPECT_NEAR(kCurve.energy(b, bridge) - kCurve.energy(a, bridge), integral,
                        1e-10 * kCurve.stiffness * kRadius * kRadius)
                << i;
        }
        const double h = 1e-6 * kRadius;
        for (double d = 0.505 * kRadius; d < 3 * kRadius; d += 0.1 * kRadius) { // slopes, where K is less
            const double fd = (kCurve.force(d + h, bridge) - kCurve.force(d - h, bridge)) / (2 * h);
            EXPECT_NEAR(kCurve.newton_stiffness(d, bridge), std::max(fd, kCurve.secant(d, bridge)),
                        1e-8 * kCurve.stiffness);
        }
    }
}

TEST(EdgeOverlap, IsWhatParallelAndCrossingEdgesShare)
{
    const double range = 1e-4;
    const Segment p{{0, 0, 0}, {1e-3, 0, 0}};
    const auto beside = edge_overlap(p, {{0.4e-3, 5e-5, 0}, {1.6e-3, 5e-5, 0}}, range);
    ASSERT_TRUE(beside);
    EXPECT_NEAR(beside->length, 0.6e-3, 1e-15);
    EXPECT_NEAR(beside->s, 0.7, 1e-12);
    EXPECT_NEAR(beside->t, 0.25, 1e-12);
    const auto reversed = edge_overlap(p, {{1.6e-3, 5e-5, 0}, {0.4e-3, 5e-5, 0}}, range);
    ASSERT_TRUE(reversed);
    EXPECT_NEAR(reversed->t, 0.75, 1e-12);
    // At a right angle, 60 um apart: within 100 um for 80 um to either side.
    const auto across = edge_overlap(p, {{0.5e-3, -1e-3, 6e-5}, {0.5e-3, 1e-3, 6e-5}}, range);
    ASSERT_TRUE(across);
    EXPECT_NEAR(across->length, 1.6e-4, 1e-15);
    EXPECT_NEAR(across->s, 0.5, 1e-12);
    EXPECT_NEAR(across->t, 0.5, 1e-12);
    // A tip that points at an edge from 40 um away: its last 60 um are near, of the edge nothing is beside it.
    const auto tip = edge_overlap(p, {{0.3e-3, 0, 1e-3}, {0.3e-3, 0, 4e-5}}, range);
    ASSERT_TRUE(tip);
    EXPECT_NEAR(tip->length, 0.5 * 6e-5, 1e-15);
    EXPECT_NEAR(tip->s, 0.3, 1e-12);
    EXPECT_FALSE(edge_overlap(p, {{0, 1.01e-4, 0}, {1e-3, 1.01e-4, 0}}, range));
    EXPECT_FALSE(edge_overlap(p, {{1.1e-3, 0, 0}, {2e-3, 0, 0}}, range)); // behind each other
}

/// Two skew edges glide past each other: the force between them has no jumps.
TEST(EdgeOverlap, ForceOfAPairChangesContinuously)
{
    const Segment p{{-1e-3, 0, 0}, {1e-3, 0, 0}};
    double largest = 0, jump = 0;
    Vec3 last = Vec3::Zero();
    for (double x = -3e-3; x < 3e-3; x += 1e-3 * kRadius) {
        const Vec3 shift(x, 0.2 * x, 0.005 * x + 6e-5);
        const Segment q{shift + Vec3(-3e-4, -6e-4, 2e-5), shift + Vec3(3e-4, 6e-4, -3e-5)};
        Vec3 force = Vec3::Zero();
        if (const auto overlap = edge_overlap(p, q, kRest)) {
            const Vec3 offset = p.at(overlap->s) - q.at(overlap->t);
            force = -overlap->length * kCurve.force(offset.norm(), nullptr) * offset.normalized();
        }
        jump = std::max(jump, (force - last).norm());
        largest = std::max(largest, force.norm());
        last = force;
    }
    EXPECT_GT(largest, 1e-7);
    EXPECT_LT(jump, 0.01 * largest); // measured 0.0011
}

/// Bodies with a dense matrix, and contacts that move with some of their dofs.
struct DenseBodies final : ContactCompliance {
    DenseBodies(int n_dofs, int n_contacts, RandomNumbers& random)
        : matrix(n_dofs, n_dofs), jacobian(3 * n_contacts, n_dofs)
    {
        for (int i = 0; i < n_dofs; ++i)
            for (int j = 0; j < n_dofs; ++j) matrix(i, j) = random.number(-1, 1);
        matrix = matrix * matrix.transpose() + 0.01 * Eigen::MatrixXd::Identity(n_dofs, n_dofs);
        for (int i = 0; i < 3 * n_contacts; ++i)
            for (int j = 0; j < n_dofs; ++j) jacobian(i, j) = random.number(-1, 1);
        compliance = jacobian * matrix.inverse() * jacobian.transpose();
    }
    void apply(std::span<const Vec3> force, std::span<Vec3> motion) override
    {
        const auto n = static_cast<Eigen::Index>(3 * force.size());
        Eigen::Map<Eigen::VectorXd>(motion[0].data(), n) =
            compliance * Eigen::Map<const Eigen::VectorXd>(force[0].data(), n);
    }
    Eigen::MatrixXd matrix, jacobian, compliance;
};

/// More contacts than dofs: forces are not unique, what they do is.
TEST(PenaltySolver, AgreesWithADirectSolution)
{
    RandomNumbers random(3);
    for (const int n_contacts : {3, 10, 40}) {
        const auto n = static_cast<std::size_t>(n_contacts);
        DenseBodies bodies(24, n_contacts, random);
        std::vector<Vec3> normal(n);
        std::vector<double> stiffness(n), b(n), force(n), motion(n);
        Eigen::MatrixXd j(n_contacts, 24);
        for (std::size_t i = 0; i < n; ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            normal[i] = random.vector().normalized();
            stiffness[i] = std::pow(10, random.number(-2, 2));
            b[i] = random.number(-1, 1);
            j.row(row) = normal[i].transpose() * bodies.jacobian.middleRows(3 * row, 3);
        }
        const Eigen::Map<const Eigen::VectorXd> k(stiffness.data(), n_contacts), rhs(b.data(), n_contacts);
        const Eigen::MatrixXd system = bodies.matrix + j.transpose() * k.asDiagonal() * j;
        EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(system).eigenvalues()[0], 0);
        const Eigen::VectorXd x = system.ldlt().solve(j.transpose() * rhs), expected = j * x;
        const CompliantSolution s = solve_compliant(bodies, normal, stiffness, b, {.tolerance = 1e-13}, force, motion);
        EXPECT_TRUE(s.converged);
        EXPECT_LE(s.iterations, 100); // 24 in exact arithmetic; measured 61
        const Eigen::Map<const Eigen::VectorXd> m(motion.data(), n_contacts), f(force.data(), n_contacts);
        EXPECT_LT((m - expected).norm(), 1e-8 * expected.norm());
        const Eigen::VectorXd law = rhs - k.cwiseProduct(expected);
        EXPECT_LT((f - law).norm(), 1e-8 * law.norm());
        EXPECT_LT((j.transpose() * f - bodies.matrix * x).norm(), 1e-8 * (bodies.matrix * x).norm());
    }
}

/// The curves of all contacts hold at once, from a bad guess too, dry and wet.
TEST(PenaltySolver, AllCurvesHoldAtOnce)
{
    RandomNumbers random(7);
    const LinearBridge bridge(10 * kRadius, 0.003);
    for (const PairAttraction* attraction :
         {static_cast<const PairAttraction*>(nullptr), static_cast<const PairAttraction*>(&bridge)}) {
        const std::size_t n = 30;
        DenseBodies bodies(60, static_cast<int>(n), random);
        std::vector<PenaltyContact> contacts(n);
        std::vector<double> force(n), motion(n);
        for (std::size_t i = 0; i < n; ++i) {
            contacts[i] = {random.vector().normalized(), random.number(-1, 4) * kRadius, random.number(0, 1e-3), kCurve,
                           attraction};
            force[i] = random.number(-1e-5, 1e-5);
        }
        // 1e-9 is beyond what rounding leaves of motions of 40 radii.
        const PenaltyOptions options{
            .tolerance = (attraction ? 1e-6 : 1e-7) * kRadius, .max_steps = 60, .linear = {.tolerance = 1e-12}};
        const PenaltySolution s = solve_penalties(contacts, bodies, options, force, motion);
        EXPECT_TRUE(s.converged) << s.steps << " " << s.residual;
        EXPECT_LE(s.steps, attraction ? 60 : 15); // measured 15, 8; linear convergence where bridges pull
        for (std::size_t i = 0; i < n; ++i) {
            const PenaltyContact& c = contacts[i];
            EXPECT_NEAR(force[i], -c.length * kCurve.force(c.distance + motion[i], attraction), 1e-10);
        }
    }
}

} // namespace
} // namespace rivulet
