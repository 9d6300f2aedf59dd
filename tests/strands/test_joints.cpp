#include "base/parallel.h"
#include "strands/strand_contacts.h"
#include "strands/touching.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace rivulet {
namespace {

/// Strands of 8 edges, tied where asked.
struct Tied : Touching {
    Tied() : Touching({.youngs_modulus = 1e6, .shear_modulus = 4e5, .radius_a = 1e-3, .radius_b = 1e-3}) {}
    void add(const Vec3& from, const Vec3& to) { Touching::add(line(from, to, 8)); }
    [[nodiscard]] double distance(const StrandJoint& j) const
    {
        const auto at = [&](std::int32_t vertex, double s) {
            const auto v = static_cast<std::size_t>(vertex);
            return Vec3((1 - s) * state.position[v] + s * state.position[v + 1]);
        };
        return (at(j.a, j.s) - at(j.b, j.t)).norm();
    }
};

constexpr double kDensity = 1300, kSection = 3.14159265358979e-6; // of the material above

TEST(StrandJoints, AKnotBearsWhatHangsFromIt)
{
    for (const bool only_joints : {true, false}) {
        Tied s;
        s.options.only_joints = only_joints;
        s.add({0, 0, 0}, {0, 0, -0.1});
        s.add({0, 0, -0.1}, {0, 0, -0.2});
        s.model.joints = {{.a = 7, .b = 9, .s = 1, .t = 0}};
        group_strands(s.model);
        Clamp clamp(s.state);
        StrandStep step{.dt = 0.01, .gravity = {0, 0, -9.81}};
        clamp.apply(step);
        for (int i = 0; i < 200; ++i) s.advance(step);
        ASSERT_EQ(s.contact.contacts.size(), 1U); // edges beside the knot lie inside of each other and do not touch
        const double weight = 9.81 * kDensity * kSection * 0.1;
        EXPECT_NEAR(s.contact.contacts[0].force.z(), -weight, 2e-3 * weight);
        EXPECT_LT(s.distance(s.model.joints[0]), 1e-5);
    }
}

/// Two strands are tied to the end of a third, and a fourth to one of them: all lie in each other there, whether or not
/// a knot joins the two, and none tears the others open.
TEST(StrandJoints, AKnotOfManyStrandsStaysClosed)
{
    Tied s; // vertices 0 to 8, 9 to 17, 18 to 26, 27 to 35
    s.add({0, 0, 0}, {0.1, 0, 0});
    s.add({0.1, 0, 0}, {0.15, 0, 0.08});
    s.add({0.1, 0, 0}, {0.15, 0.06, -0.05});
    s.add({0.1, 0, 0}, {0.15, -0.06, -0.05});
    s.model.joints = {
        {.a = 9, .b = 7, .s = 0, .t = 1}, {.a = 18, .b = 7, .s = 0, .t = 1}, {.a = 27, .b = 18, .s = 0, .t = 0}};
    group_strands(s.model);
    for (int i = 0; i < 100; ++i) s.advance({.dt = 1e-3});
    for (const StrandJoint& j : s.model.joints) EXPECT_LT(s.distance(j), 1e-5);
    for (const Vec3& v : s.state.velocity) EXPECT_LT(v.norm(), 1e-6); // nothing moves them
    const StrandEdges edges(s.model);
    EXPECT_TRUE(edges.are_tied(0 + 7, 9 + 2));
    EXPECT_TRUE(edges.are_tied(9, 27 + 2));  // through two others
    EXPECT_FALSE(edges.are_tied(9, 27 + 4)); // beyond the edges that a knot keeps apart
}

/// Along a rope knots every 0.49 edges are not one knot.
TEST(StrandJoints, KnotsOfAFringeDoNotKeepAllOfItApart)
{
    Tied s; // vertices 0 to 8 are the rope
    s.add({0, 0, 0}, {0.08, 0, 0});
    for (int i = 0; i < 16; ++i) {
        const double place = 0.49 * i;
        s.add({0.01 * place, 0, 0}, {0.01 * place, 0, -0.05});
        const auto edge = static_cast<std::int32_t>(place);
        s.model.joints.push_back({.a = 9 + 9 * i, .b = edge, .s = 0, .t = place - edge});
    }
    group_strands(s.model);
    const StrandEdges edges(s.model);
    EXPECT_TRUE(edges.are_tied(0, 9));           // the rope and the first of the fringe
    EXPECT_TRUE(edges.are_tied(9, 9 + 9));       // half an edge apart
    EXPECT_FALSE(edges.are_tied(9, 9 + 9 * 2));  // a whole one
    EXPECT_FALSE(edges.are_tied(9, 9 + 9 * 15)); // 7 edges apart
}

/// A hair hangs from the middle of another that is held at both ends and becomes taut at once: the knot stays closed.
TEST(StrandJoints, AKnotOfHairThatBecomesTautStaysClosed)
{
    for (const double load : {1e-4, 1e-3}) {
        Touching s(human_hair());
        s.add(line({-0.05, 0, 0}, {0.05, 0, 0}, 20));
        s.add(line({0, 0, 0}, {0, 0, -0.08}, 20));
        s.model.joints = {{.a = 21, .b = 10, .s = 0, .t = 0}};
        group_strands(s.model);
        std::vector<Hold> hold(42, Hold::Free);
        hold[0] = hold[20] = Hold::Vertex;
        std::vector<Vec3> force(42, Vec3::Zero());
        const std::vector<Vec3> target = s.state.position;
        force[41].z() = -load;
        for (int i = 0; i < 60; ++i) {
            s.advance({.dt = 1e-3,
                       .gravity = {0, 0, -9.81},
                       .hold = hold,
                       .target = target,
                       .target_director = s.state.director,
                       .force = force});
            const double open = (s.state.position[21] - s.state.position[10]).norm();
            EXPECT_LT(open, 0.1 * 35e-6) << load << " " << i;
            EXPECT_LE(open, s.contact.residual + 1e-15); // it is told
            EXPECT_EQ(s.contact.n_missed, 0);
        }
    }
}

TEST(StrandJoints, TiedPlacesOfFreeStrandsKeepTheirMomentum)
{
    Tied s; // the second begins in the middle of an edge of the first, a tenth of a millimetre off
    s.add({0, 0, 0}, {0.1, 0, 0});
    s.add({0.05625, 0, 0.0001}, {0.05625, 0.05, 0.1});
    s.model.joints = {{.a = 4, .b = 9, .s = 0.5, .t = 0}};
    group_strands(s.model);
    for (std::size_t v = 9; v < 18; ++v) s.state.velocity[v] = {0.3, -0.2, 0.5};
    const Vec3 before = s.momentum();
    for (int i = 0; i < 100; ++i) {
        s.advance({.dt = 2e-3});
        EXPECT_LT((s.momentum() - before).norm(), 1e-9 * before.norm()); // of what the strands' own solves leave
        EXPECT_TRUE(s.contact.converged);
    }
    EXPECT_LT(s.distance(s.model.joints[0]), 2e-5);
    EXPECT_GT(s.state.velocity[0].norm(), 0.05); // the first was pulled along
}

TEST(StrandJoints, HasTheSameBitsOnAnyNumberOfThreads)
{
    const auto end = [](int n_threads) {
        return with_threads(n_threads, [](int) {
            Tied s; // a ladder
            for (const double x : {0.0, 0.1}) s.add({x, 0, 0}, {x, 0, -0.8});
            for (int k = 1; k < 8; ++k) {
                s.add({0, 0, -0.1 * k}, {0.1, 0, -0.1 * k});
                const std::int32_t begin = s.model.n_vertices() - 9;
                s.model.joints.push_back({.a = begin, .b = k, .s = 0, .t = 0});
                s.model.joints.push_back({.a = begin + 7, .b = 9 + k, .s = 1, .t = 0});
            }
            group_strands(s.model);
            for (Vec3& v : s.state.velocity) v = {0, 1, 0};
            StrandStep step{.dt = 5e-3, .gravity = {0, 0, -9.81}};
            Clamp clamp(s.state);
            clamp.hold[9] = Hold::Vertex;
            clamp.apply(step);
            for (int i = 0; i < 20; ++i) s.advance(step);
            for (const StrandJoint& j : s.model.joints) EXPECT_LT(s.distance(j), 2e-4);
            return std::pair(s.state.position, s.memory.force);
        });
    };
    const auto one = end(1);
    for (const int n : {2, 3, 8}) EXPECT_EQ(one, end(n));
}

} // namespace
} // namespace rivulet
