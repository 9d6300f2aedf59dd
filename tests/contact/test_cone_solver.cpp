#include "contact/cone_solver.h"
#include "contact/cone_springs.h"

#include "base/parallel.h"
#include "contact/contact_frame.h"
#include "contact/penalty_solver.h"
#include "numerics/coulomb.h"
#include "random_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace rivulet {
namespace {

using Matrix = Eigen::MatrixXd;

/// (1 + W K) motion = W b, W along the normals, by elimination.
class DenseSprings final : public SpringBodies {
public:
    DenseSprings(Matrix w, std::span<const double> stiffness) : w_(std::move(w)), stiffness_(stiffness) {}
    CompliantSolution solve(std::span<const double> b, const CompliantOptions& /*options*/, std::span<double> force,
                            std::span<double> motion) override
    {
        const auto n = static_cast<Eigen::Index>(b.size());
        const Eigen::Map<const Eigen::VectorXd> rest(b.data(), n), k(stiffness_.data(), n);
        const Matrix all = Matrix::Identity(n, n) + w_ * k.asDiagonal();
        const Eigen::VectorXd found = all.partialPivLu().solve(w_ * rest);
        for (std::size_t i = 0; i < b.size(); ++i) {
            motion[i] = found[static_cast<Eigen::Index>(i)];
            force[i] = b[i] - stiffness_[i] * motion[i];
        }
        return {.iterations = 1, .converged = true};
    }
    void go(double /*part*/) override {} // nothing is lacking

private:
    Matrix w_;
    std::span<const double> stiffness_;
};

class DenseCompliance final : public ContactCompliance {
public:
    explicit DenseCompliance(Matrix w) : w_(std::move(w)) {}
    void apply(std::span<const Vec3> force, std::span<Vec3> motion) override
    {
        for (std::size_t i = 0; i < motion.size(); ++i) {
            motion[i] = Vec3::Zero();
            for (std::size_t j = 0; j < force.size(); ++j)
                motion[i] += w_.block<3, 3>(static_cast<int>(3 * i), static_cast<int>(3 * j)) * force[j];
        }
    }
    /// The same as one body that all contacts act on.
    [[nodiscard]] BlockCompliance blocks(std::span<const ConeContact> contacts) const
    {
        const std::size_t n = contacts.size();
        BlockCompliance out;
        out.first = {0, n};
        out.body.assign(n, 0);
        for (std::size_t i = 0; i < n; ++i) out.sides.push_back({static_cast<std::int32_t>(i), -1});
        out.resize(contacts);
        Matrix axes = Matrix::Zero(static_cast<Eigen::Index>(out.axis.back()), w_.rows());
        for (std::size_t i = 0; i < n; ++i) {
            const auto rows = static_cast<Eigen::Index>(n_axes(contacts[i]));
            axes.block(static_cast<Eigen::Index>(out.axis[i]), static_cast<Eigen::Index>(3 * i), rows, 3) =
                contact_frame(contacts[i].normal).topRows(rows);
        }
        const Matrix own_axes = axes * w_ * axes.transpose(); // symmetric: columns are rows
        std::copy(own_axes.data(), own_axes.data() + own_axes.size(), out.values.begin());
        return out;
    }
    SpringBodies* with_springs(std::span<const Vec3> normal, std::span<const double> stiffness) override
    {
        Matrix along = Matrix::Zero(w_.rows(), static_cast<Eigen::Index>(normal.size()));
        for (std::size_t i = 0; i < normal.size(); ++i)
            along.block<3, 1>(static_cast<Eigen::Index>(3 * i), static_cast<Eigen::Index>(i)) = normal[i];
        springs_ = std::make_unique<DenseSprings>(along.transpose() * w_ * along, stiffness);
        return springs_.get();
    }
    /// The same with every contact named once for each of its axes.
    [[nodiscard]] DenseCompliance axes(std::span<const ConeContact> contacts) const
    {
        std::vector<int> place;
        for (std::size_t i = 0; i < contacts.size(); ++i)
            place.insert(place.end(), n_axes(contacts[i]), 3 * static_cast<int>(i));
        const auto n = static_cast<int>(place.size());
        Matrix all(3 * n, 3 * n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                all.block<3, 3>(3 * i, 3 * j) =
                    w_.block<3, 3>(place[static_cast<std::size_t>(i)], place[static_cast<std::size_t>(j)]);
        return DenseCompliance(all);
    }
    [[nodiscard]] double own(int i) const { return w_.block<3, 3>(3 * i, 3 * i).trace() / 3; }

    [[nodiscard]] std::unique_ptr<ContactCompliance> only(std::span<const std::int32_t> contacts) override
    {
        if (!has_parts) return nullptr;
        const auto n = static_cast<int>(contacts.size());
        Matrix part(3 * n, 3 * n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                part.block<3, 3>(3 * i, 3 * j) = w_.block<3, 3>(3 * contacts[static_cast<std::size_t>(i)],
                                                                3 * contacts[static_cast<std::size_t>(j)]);
        *largest_part = std::max(*largest_part, n);
        return std::make_unique<DenseCompliance>(part);
    }
    bool has_parts = false;
    std::shared_ptr<int> largest_part = std::make_shared<int>(0); ///< contacts that took part in a search

private:
    Matrix w_;
    std::unique_ptr<DenseSprings> springs_;
};

Matrix random_compliance(int n, int rank, std::uint64_t seed)
{
    RandomNumbers random(seed);
    Matrix a(3 * n, rank);
    for (int i = 0; i < 3 * n; ++i)
        for (int j = 0; j < rank; ++j) a(i, j) = random.number(-1, 1);
    return a * a.transpose();
}

struct Problem {
    std::vector<ConeContact> contacts;
    std::vector<Vec3> guess, force, motion;
};
Problem random_problem(int n, const DenseCompliance& w, std::uint64_t seed)
{
    RandomNumbers random(seed);
    Problem p;
    for (int i = 0; i < n; ++i) {
        const Vec3 normal = random.vector().normalized();
        p.contacts.push_back({normal, random.number(0, 0.2), random.number(0, 0.8), random.number(0, 0.1), w.own(i)});
        p.motion.push_back(random.vector() - 0.7 * normal);
    }
    p.guess.assign(static_cast<std::size_t>(n), Vec3::Zero());
    p.force = p.guess;
    return p;
}

/// The whole law: open without a force, or touching and at rest, or touching and sliding against the largest friction.
void expect_coulomb(const Problem& p, DenseCompliance& w, const std::vector<Vec3>& free, int least_sticking = 5)
{
    constexpr double kSmall = 1e-6;
    std::vector<Vec3> moved(p.force.size());
    w.apply(p.force, moved);
    int n_open = 0, n_stick = 0, n_slide = 0;
    for (std::size_t i = 0; i < p.force.size(); ++i) {
        const ConeContact& c = p.contacts[i];
        EXPECT_LT((free[i] + moved[i] - p.motion[i]).norm(), 1e-9);
        const double gap = c.gap + p.motion[i].dot(c.normal);
        EXPECT_GT(gap, -1e-8);
        const Vec3 r = p.force[i] + c.cohesion * c.normal, across = r - r.dot(c.normal) * c.normal;
        EXPECT_LE(across.norm(), c.friction * r.dot(c.normal) + 1e-12);
        EXPECT_LT(std::abs(gap * r.dot(c.normal)), kSmall); // touches or bears nothing
        if (r.norm() < 1e-12) {
            ++n_open;
            continue;
        }
        const Vec3 slip = p.motion[i] - p.motion[i].dot(c.normal) * c.normal;
        const double most = c.friction * r.dot(c.normal);
        if (across.norm() < most - kSmall) {
            EXPECT_LT(slip.norm(), kSmall) << i;
            ++n_stick;
        } else if (slip.norm() > kSmall) {
            EXPECT_NEAR(across.norm(), most, kSmall) << i;
            EXPECT_LT((across + most / slip.norm() * slip).norm(), kSmall) << i;
            ++n_slide;
        }
    }
    EXPECT_GE(n_open, 5);
    EXPECT_GE(n_stick, least_sticking);
    EXPECT_GE(n_slide, 5);
}

/// Fewer freedoms than forces: some are redundant.
TEST(ConeSolver, ManyContactsObeyCoulombsLaw)
{
    constexpr int kCount = 60;
    DenseCompliance w(random_compliance(kCount, 120, 5));
    Problem p = random_problem(kCount, w, 6);
    const std::vector<Vec3> free = p.motion;
    EXPECT_TRUE(solve_cones(p.contacts, w, {1e-9, 20000}, p.guess, p.force, p.motion).converged);
    expect_coulomb(p, w, free);

    Problem q = random_problem(kCount, w, 6);
    EXPECT_TRUE(sweep_cones(q.contacts, w.blocks(q.contacts), {1e-9, 20000}, q.guess, q.force, q.motion).converged);
    expect_coulomb(q, w, free);
    for (std::size_t i = 0; i < kCount; ++i) EXPECT_LT((p.motion[i] - q.motion[i]).norm(), 1e-6);
}

/// With springs friction is taken from the search before, which ends where it is weak.
TEST(ConeSolver, ContactsWithLittleFrictionAreSolvedForWithSprings)
{
    constexpr int kCount = 60;
    DenseCompliance w(random_compliance(kCount, 120, 5));
    Problem p = random_problem(kCount, w, 6);
    for (ConeContact& c : p.contacts) c.friction *= 0.5;
    const std::vector<Vec3> free = p.motion;
    DenseCompliance axes = w.axes(p.contacts);
    EXPECT_TRUE(spring_cones(p.contacts, w, axes, {1e-9, 1000}, p.guess, p.force, p.motion).converged);
    expect_coulomb(p, w, free, 2);
}

/// Six rigid bodies in a row, six bridges and six contacts between any two neighbours. Bridges draw them together with
/// forces that could move them by a thousand radii, over a gap of one: contacts hold against the sum. Sweeps over
/// single contacts find that balance too slowly to be of use; with springs it is found to a millionth of a radius.
TEST(ConeSolver, ContactsThatStrongBridgesPressAreSolvedForWithSprings)
{
    constexpr int kBodies = 6, kTies = 12, kCount = kTies * (kBodies - 1);
    constexpr double kThin = 5e-5, kLength = 1e-3, kFree = 700; // [m], [m], [m/N]
    const BridgeTable table(1);
    RandomNumbers random(12);
    Matrix arms = Matrix::Zero(3 * kCount, 6 * kBodies); // motion of a contact for those of the bodies
    Problem p;
    std::vector<BridgeCurve> curves;
    curves.reserve(kCount);
    for (int i = 0; i < kCount; ++i) {
        const Vec3 place = random.vector();
        for (const int side : {0, 1}) {
            const int body = i / kTies + side;
            const double sign = side == 0 ? -1 : 1;
            arms.block<3, 3>(3 * i, 6 * body) = sign * Mat3::Identity();
            for (int a = 0; a < 3; ++a)
                arms.block<3, 1>(3 * i, 6 * body + 3 + a) = sign * Vec3(Vec3::Unit(a).cross(place));
        }
        const Vec3 normal = (Vec3::UnitX() + 0.2 * random.vector()).normalized();
        const bool is_bridge = i % 2 == 0;
        curves.push_back(BridgeCurve(table, {kThin, 2 * kThin, 5 * kThin * kThin, 0.072}).rising_about(2 * kThin));
        p.contacts.push_back(
            {.normal = normal, .gap = (is_bridge ? random.number(2, 3) : random.number(0, 0.3)) * kThin});
        if (is_bridge) curves.back().limit_closing(p.contacts.back().gap, kThin);
        p.motion.push_back(0.3 * kThin * random.vector());
    }
    DenseCompliance w(kFree * arms * arms.transpose());
    for (std::size_t i = 0; i < kCount; ++i) {
        p.contacts[i].compliance = w.own(static_cast<int>(i));
        if (i % 2 == 0) p.contacts[i].bridge = &curves[i];
        if (i % 2 == 0) p.contacts[i].length = kLength;
    }
    p.guess.assign(kCount, Vec3::Zero());
    p.force = p.guess;
    Problem swept = p;
    DenseCompliance axes = w.axes(p.contacts);
    const ConeSolution found = spring_cones(p.contacts, w, axes, {1e-6 * kThin, 400}, p.guess, p.force, p.motion);
    EXPECT_TRUE(found.converged) << found.residual / kThin;
    const ConeSolution slow =
        sweep_cones(swept.contacts, w.blocks(p.contacts), {1e-6 * kThin, 400}, p.guess, swept.force, swept.motion);
    EXPECT_GT(slow.residual, 1e-2 * kThin);
    double largest = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
        const ConeContact& c = p.contacts[i];
        const double apart = c.gap + c.normal.dot(p.motion[i]);
        if (c.bridge) continue;
        EXPECT_GT(apart, -2e-6 * kThin);
        EXPECT_LT(apart * c.normal.dot(p.force[i]), 1e-5 * kThin * kThin / kFree + 2e-6 * kThin * p.force[i].norm());
        largest = std::max(largest, c.compliance * p.force[i].norm());
    }
    EXPECT_GT(largest, 100 * kThin); // what holds them could throw them
}

/// Most contacts are far apart, some come too near only through the forces of others: what is left out until then makes
/// no difference.
TEST(ConeSolver, ContactsThatRestMakeNoDifference)
{
    constexpr int kCount = 60;
    DenseCompliance w(random_compliance(kCount, 120, 5));
    Problem p = random_problem(kCount, w, 6);
    for (std::size_t i = 0; i < kCount; ++i) {
        p.contacts[i].cohesion = 0;
        if (i % 3 == 0) p.contacts[i].gap += i % 2 == 0 ? 1.5 : 100;
    }
    Problem q = p;
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
    Problem p;
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
    Problem q = p;
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

/// Fifty bodies of six sides each, contacts between them at random, two sides of one body among them.
struct ManyBodies {
    explicit ManyBodies(std::uint64_t seed)
    {
        RandomNumbers random(seed);
        std::vector<double> values;
        for (std::size_t b = 0; b < 50; ++b) {
            const Matrix w = random_compliance(6, 24, seed + b);
            for (int i = 0; i < 18; ++i)
                for (int j = 0; j < 18; ++j) values.push_back(w(i, j));
        }
        for (std::size_t b = 0; b <= 50; ++b) blocks.first.push_back(6 * b);
        for (std::int32_t i = 0; i < 150; ++i) {
            blocks.body.insert(blocks.body.end(), {i / 3, i / 3});
            const std::int32_t other = (i * 7 + 11) % 150; // 7 and 150 have no common factor: each is met once
            blocks.sides.push_back({2 * i, 2 * other + 1});
            contacts.push_back({random.vector().normalized(), 0.1, 0.4, 0, 8.0 / 3 * 2});
            motion.push_back(random.vector() - 0.7 * contacts.back().normal);
        }
        blocks.resize(contacts);
        blocks.values = values;
    }
    BlockCompliance blocks;
    std::vector<ConeContact> contacts;
    std::vector<Vec3> motion;
};

TEST(ConeSolver, ContactsOfOneColourShareNoBody)
{
    const ManyBodies m(3);
    std::vector<int> times(150, 0);
    for (const auto& colour : colour_contacts(m.blocks)) {
        std::vector<int> uses(50, 0);
        for (const std::int32_t c : colour) {
            ++times[static_cast<std::size_t>(c)];
            const auto [a, b] = m.blocks.sides[static_cast<std::size_t>(c)];
            const std::int32_t first = m.blocks.body[static_cast<std::size_t>(a)];
            const std::int32_t second = m.blocks.body[static_cast<std::size_t>(b)];
            EXPECT_EQ(++uses[static_cast<std::size_t>(first)], 1);
            uses[static_cast<std::size_t>(second)] += second != first;
            EXPECT_EQ(uses[static_cast<std::size_t>(second)], 1);
        }
    }
    EXPECT_EQ(times, std::vector<int>(150, 1));
}

TEST(ConeSolver, SweepsHaveTheSameBitsOnAnyNumberOfThreads)
{
    const auto forces_on = [](int n_threads) {
        return with_threads(n_threads, [](int) {
            ManyBodies m(4);
            const std::vector<Vec3> guess(150, Vec3::Zero());
            std::vector<Vec3> force = guess;
            EXPECT_TRUE(sweep_cones(m.contacts, m.blocks, {1e-8, 2000}, guess, force, m.motion).converged);
            return force;
        });
    };
    const auto one = forces_on(1);
    for (const int n : {2, 3, 8}) EXPECT_EQ(one, forces_on(n));
}

/// Bodies that obey the law already are left alone, to the bit, while others are swept.
TEST(ConeSolver, SweepsLeaveAloneWhatObeysTheLaw)
{
    ManyBodies a(4), b(5);
    const std::vector<Vec3> none(150, Vec3::Zero());
    std::vector<Vec3> solved = none;
    std::vector<Vec3> moved = a.motion;
    ASSERT_TRUE(sweep_cones(a.contacts, a.blocks, {1e-8, 2000}, none, solved, moved).converged);

    // Both problems side by side: one begins with its solution, the other with nothing.
    const std::size_t n_bodies = a.blocks.first.size() - 1, n_sides = a.blocks.body.size();
    BlockCompliance both = a.blocks;
    both.first.pop_back();
    for (const std::size_t first : b.blocks.first) both.first.push_back(first + n_sides);
    for (const std::int32_t body : b.blocks.body) both.body.push_back(body + static_cast<std::int32_t>(n_bodies));
    const auto shift = static_cast<std::int32_t>(n_sides);
    for (const auto& [one, two] : b.blocks.sides) both.sides.push_back({one + shift, two < 0 ? two : two + shift});
    std::vector<ConeContact> contacts = a.contacts;
    contacts.insert(contacts.end(), b.contacts.begin(), b.contacts.end());
    both.resize(contacts);
    std::copy(a.blocks.values.begin(), a.blocks.values.end(), both.values.begin());
    std::copy(b.blocks.values.begin(), b.blocks.values.end(),
              both.values.begin() + static_cast<std::ptrdiff_t>(a.blocks.values.size()));
    std::vector<Vec3> force = solved, motion = moved;
    force.resize(300, Vec3::Zero());
    motion.insert(motion.end(), b.motion.begin(), b.motion.end());
    const std::vector<Vec3> guess = force;
    EXPECT_TRUE(sweep_cones(contacts, both, {1e-7, 2000}, guess, force, motion).converged);
    EXPECT_TRUE(std::equal(solved.begin(), solved.end(), force.begin()));
    const auto is_pushed = [](const Vec3& f) { return f != Vec3::Zero(); };
    EXPECT_GT(std::count_if(force.begin() + 150, force.end(), is_pushed), 20);
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

/// A body between two solids that leave it no room, by a and b: hard contacts have no solution, soft ones give way by e
/// for a force, and the body by w, so f + g = (a + b)/e and f - g = (a - b)/(2 w + e).
TEST(ConeSolver, SoftContactsBearWhatThereIsNoRoomFor)
{
    const double w = 0.3, e = 0.02, a = 1.5e-4, b = 0.5e-4;
    Matrix both = Matrix::Zero(6, 6);
    for (int i = 0; i < 3; ++i) both(i, i) = both(i + 3, i + 3) = both(i, i + 3) = both(i + 3, i) = w;
    const DenseCompliance compliance(both);
    for (const double softness : {0.0, e}) {
        Problem p;
        p.contacts = {{.normal = Vec3::UnitZ(), .gap = -a, .friction = 0.2, .compliance = w, .softness = softness},
                      {.normal = -Vec3::UnitZ(), .gap = -b, .friction = 0.2, .compliance = w, .softness = softness}};
        p.guess = p.force = p.motion = {Vec3::Zero(), Vec3::Zero()};
        const ConeSolution found =
            sweep_cones(p.contacts, compliance.blocks(p.contacts), {1e-12, 3000}, p.guess, p.force, p.motion);
        EXPECT_EQ(found.converged, softness > 0);
        if (softness == 0) continue;
        const double f = 0.5 * ((a + b) / e + (a - b) / (2 * w + e)), g = (a + b) / e - f;
        EXPECT_NEAR((p.force[0] - f * Vec3::UnitZ()).norm(), 0, 1e-8 * f);
        EXPECT_NEAR((p.force[1] + g * Vec3::UnitZ()).norm(), 0, 1e-8 * f);
        EXPECT_NEAR(p.motion[0].z(), w * (f - g), 1e-8 * a); // the body's own
    }
}

/// A body drawn along a solid that it is pressed against: what sticks does not give way along the surface. By hand,
/// with the free motion (t, 0, -p): t/w along it, p/(w + e) across.
TEST(ConeSolver, SoftContactsGiveWayAlongTheNormalOnly)
{
    const double w = 0.3, e = 0.02, p = 2e-4, t = 0.5e-4;
    const DenseCompliance compliance(w * Matrix::Identity(3, 3));
    const std::vector<ConeContact> contact{{.normal = Vec3::UnitZ(), .friction = 0.5, .compliance = w, .softness = e}};
    const std::vector<Vec3> guess{Vec3::Zero()};
    std::vector<Vec3> force = guess, motion{Vec3(t, 0, -p)};
    EXPECT_TRUE(sweep_cones(contact, compliance.blocks(contact), {1e-14, 1000}, guess, force, motion).converged);
    EXPECT_LT((force[0] - Vec3(-t / w, 0, p / (w + e))).norm(), 1e-8 * p / w);
    EXPECT_LT((motion[0] - Vec3(0, 0, -e * p / (w + e))).norm(), 1e-8 * p);
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
            Problem p = random_problem(400, w, 9);
            solve_cones(p.contacts, w, {1e-12, 20}, p.guess, p.force, p.motion);
            return p.force;
        });
    };
    const auto one = forces_on(1);
    for (const int n : {2, 3, 8}) EXPECT_EQ(one, forces_on(n));
}

} // namespace
} // namespace rivulet
