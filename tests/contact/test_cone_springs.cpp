#include "contact/cone_springs.h"

#include "cone_problems.h"

namespace rivulet {
namespace {

/// With springs friction is taken from the search before, which ends where it is weak.
TEST(ConeSprings, SolveForContactsWithLittleFriction)
{
    constexpr int kCount = 60;
    DenseCompliance w(random_compliance(kCount, 120, 5));
    ConeProblem p = random_problem(kCount, w, 6);
    for (ConeContact& c : p.contacts) c.friction *= 0.5;
    const std::vector<Vec3> free = p.motion;
    DenseCompliance axes = w.axes(p.contacts);
    EXPECT_TRUE(spring_cones(p.contacts, w, axes, {1e-9, 1000}, p.guess, p.force, p.motion).converged);
    expect_coulomb(p, w, free, 2);
}

/// Six rigid bodies in a row, six bridges and six contacts between any two neighbours. Bridges draw them together with
/// forces that could move them by a thousand radii, over a gap of one: contacts hold against the sum. Sweeps over
/// single contacts find that balance too slowly to be of use; with springs it is found to a millionth of a radius.
TEST(ConeSprings, SolveForContactsThatStrongBridgesPress)
{
    constexpr int kBodies = 6, kTies = 12, kCount = kTies * (kBodies - 1);
    constexpr double kThin = 5e-5, kLength = 1e-3, kFree = 700; // [m], [m], [m/N]
    const BridgeTable table(1);
    RandomNumbers random(12);
    Matrix arms = Matrix::Zero(3 * kCount, 6 * kBodies); // motion of a contact for those of the bodies
    ConeProblem p;
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
    ConeProblem swept = p;
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

} // namespace
} // namespace rivulet
