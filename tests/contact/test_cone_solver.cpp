#include "contact/cone_solver.h"

#include "base/parallel.h"
#include "cone_problems.h"
#include "numerics/coulomb.h"

namespace rivulet {
namespace {

/// Fewer freedoms than forces: some are redundant.
TEST(ConeSolver, ManyContactsObeyCoulombsLaw)
{
    constexpr int kCount = 60;
    DenseCompliance w(random_compliance(kCount, 120, 5));
    ConeProblem p = random_problem(kCount, w, 6);
    const std::vector<Vec3> free = p.motion;
    EXPECT_TRUE(solve_cones(p.contacts, w, {1e-9, 20000}, p.guess, p.force, p.motion).converged);
    expect_coulomb(p, w, free);

    ConeProblem q = random_problem(kCount, w, 6);
    EXPECT_TRUE(sweep_cones(q.contacts, w.blocks(q.contacts), {1e-9, 20000}, q.guess, q.force, q.motion).converged);
    expect_coulomb(q, w, free);
    for (std::size_t i = 0; i < kCount; ++i) EXPECT_LT((p.motion[i] - q.motion[i]).norm(), 1e-6);
}

/// Most contacts are far apart, some come too near only through the forces of others: what is left out until then makes
/// no difference.
TEST(ConeSolver, ContactsThatRestMakeNoDifference)
{
    constexpr int kCount = 60;
    DenseCompliance w(random_compliance(kCount, 120, 5));
    ConeProblem p = random_problem(kCount, w, 6);
    for (std::size_t i = 0; i < kCount; ++i) {
        p.contacts[i].cohesion = 0;
        if (i % 3 == 0) p.contacts[i].gap += i % 2 == 0 ? 1.5 : 100;
    }
    ConeProblem q = p;
    const std::vector<Vec3> free = p.motion;
    EXPECT_TRUE(solve_cones(p.contacts, w, {1e-9, 20000}, p.guess, p.force, p.motion).converged);
    int n_free = 0, n_loaded = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
        n_free += p.contacts[i].gap + p.contacts[i].normal.dot(free[i]) >= 0;
        n_loaded += p.contacts[i].gap + p.contacts[i].normal.dot(free[i]) >= 0 && p.force[i] != Vec3::Zero();
    }
    EXPECT_GT(n_free, 15);
    EXPECT_GT(n_loaded, 0); // pushed together by others: measured 2

    w.has_parts = true;
    EXPECT_TRUE(solve_cones(q.contacts, w, {1e-9, 20000}, q.guess, q.force, q.motion).converged);
    expect_coulomb(q, w, free);
    EXPECT_GT(*w.largest_part, 20);
    EXPECT_LT(*w.largest_part, 55);
    for (std::size_t i = 0; i < kCount; ++i) EXPECT_LT((p.motion[i] - q.motion[i]).norm(), 1e-6);
}

/// Liquid bridges among the contacts: each pulls as its curve says, by both solvers.
TEST(ConeSolver, BridgesObeyTheirCurvesAmongContacts)
{
    constexpr int kCount = 30;
    constexpr double kThin = 5e-5, kLength = 1e-3, kSoft = 0.04;
    const BridgeTable table(1);
    std::vector<BridgeCurve> curves;
    RandomNumbers random(8);
    DenseCompliance w(kSoft * random_compliance(kCount, 60, 7));
    ConeProblem p;
    for (int i = 0; i < kCount; ++i) {
        const double area = random.number(1, 20) * kThin * kThin;
        curves.push_back(BridgeCurve(table, {kThin, 2 * kThin, area, 0.072}).rising_about(2 * kThin));
        const bool is_bridge = i % 2 == 0;
        p.contacts.push_back({.normal = random.vector().normalized(),
                              .gap = (is_bridge ? random.number(2, 9) : random.number(0, 0.5)) * kThin,
                              .friction = 0.3,
                              .compliance = w.own(i)});
        p.motion.push_back(kThin * random.vector());
    }
    for (std::size_t i = 0; i < kCount; i += 2) {
        p.contacts[i].bridge = &curves[i];
        p.contacts[i].length = kLength;
    }
    p.guess.assign(kCount, Vec3::Zero());
    p.force = p.guess;
    ConeProblem q = p;
    EXPECT_TRUE(solve_cones(p.contacts, w, {1e-7 * kThin, 50000}, p.guess, p.force, p.motion).converged);
    EXPECT_TRUE(
        sweep_cones(q.contacts, w.blocks(q.contacts), {1e-7 * kThin, 50000}, q.guess, q.force, q.motion).converged);
    int n_pulling = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
        const ConeContact& c = p.contacts[i];
        const Vec3 off = p.motion[i] - q.motion[i];
        EXPECT_LT(c.bridge ? std::abs(c.normal.dot(off)) : off.norm(), 1e-3 * kThin);
        if (!c.bridge) continue;
        const double pull = kLength * curves[i].force(c.gap + c.normal.dot(q.motion[i]));
        EXPECT_NEAR(-c.normal.dot(q.force[i]), pull, 1e-4 * 0.144 * kLength);
        EXPECT_LT((q.force[i] - c.normal.dot(q.force[i]) * c.normal).norm(), 1e-12 * kLength);
        n_pulling += pull > 0;
    }
    EXPECT_GT(n_pulling, 5);
}

/// A9: a cohesive contact of masses m1 and m2 that part with v0 keeps them together, or slows them by what it bears; by
/// both solvers.
TEST(ConeSolver, CohesionShiftsTheCone)
{
    const double m1 = 0.3, m2 = 0.7, bears = 0.05, inverse = 1 / m1 + 1 / m2;
    DenseCompliance w(inverse * Matrix::Identity(3, 3));
    const std::vector<ConeContact> contact{{Vec3::UnitY(), 0, 0.4, bears, inverse}};
    const auto expect_motion = [&](const Vec3& free, const Vec3& expected) {
        const std::vector<Vec3> guess{Vec3::Zero()};
        std::vector<Vec3> force = guess, motion{free};
        EXPECT_TRUE(solve_cones(contact, w, {1e-13, 10000}, guess, force, motion).converged);
        EXPECT_LT((motion[0] - expected).norm(), 1e-12);
        force = guess;
        motion = {free};
        EXPECT_TRUE(sweep_cones(contact, w.blocks(contact), {1e-13, 10000}, guess, force, motion).converged);
        EXPECT_LT((motion[0] - expected).norm(), 1e-12);
    };
    for (const double v0 : {0.05, 0.2, 0.5}) expect_motion({0, v0, 0}, {0, std::max(0.0, v0 - inverse * bears), 0});
    // Friction is bounded by the coefficient times normal force and cohesion together.
    const double pressed = 0.02, most = 0.4 * (pressed + bears);
    for (const double pull : {0.9, 1.1})
        expect_motion(inverse * Vec3(pull * most, -pressed, 0), inverse * Vec3(std::max(0.0, pull - 1) * most, 0, 0));
}

TEST(ConeSolver, AgreesWithTheLocalSolution)
{
    for (std::uint64_t seed = 1; seed < 40; ++seed) {
        const Matrix m = random_compliance(1, 5, seed);
        DenseCompliance w(m);
        RandomNumbers random(seed);
        const double friction = random.number(0, 1);
        const Vec3 free = random.vector() - Vec3(0, 0, 0.5);
        const ConeContact contact{Vec3::UnitX(), 0, friction, 0, w.own(0)};
        std::vector<Vec3> force{Vec3::Zero()}, motion{free};
        const std::vector<Vec3> guess = force;
        EXPECT_TRUE(solve_cones({&contact, 1}, w, {1e-12, 20000}, guess, force, motion).converged);
        const Mat3 full = m;
        EXPECT_LT((force[0] - solve_coulomb(full, free, friction)).norm(), 1e-7) << seed;
    }
}

TEST(ConeSolver, SameBitsOnAnyNumberOfThreads)
{
    const auto forces_on = [](int n_threads) {
        return with_threads(n_threads, [](int) {
            DenseCompliance w(random_compliance(400, 300, 8));
            ConeProblem p = random_problem(400, w, 9);
            solve_cones(p.contacts, w, {1e-12, 20}, p.guess, p.force, p.motion);
            return p.force;
        });
    };
    const auto one = forces_on(1);
    for (const int n : {2, 3, 8}) EXPECT_EQ(one, forces_on(n));
}

} // namespace
} // namespace rivulet
