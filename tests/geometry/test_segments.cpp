#include "geometry/segments.h"

#include "random_numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace rivulet {
namespace {

class SegmentsTest : public ::testing::Test {
protected:
    Vec3 vector(double size) { return random_.vector(size); }
    Segment random(double size = 1) { return {vector(size), vector(size)}; }

private:
    RandomNumbers random_{3};
};

TEST_F(SegmentsTest, NearestPointsAreNearerThanAnyOthers)
{
    for (int i = 0; i < 500; ++i) {
        const Segment p = random(), q = random();
        const NearestPoints n = nearest_points(p, q);
        EXPECT_NEAR((p.at(n.s) - q.at(n.t) - n.offset).norm(), 0, 1e-14);
        for (int k = 0; k <= 20; ++k)
            for (int l = 0; l <= 20; ++l) EXPECT_LE(n.distance, (p.at(k / 20.0) - q.at(l / 20.0)).norm() + 1e-12);
    }
}

TEST_F(SegmentsTest, ParallelOnesTouchInTheMiddleOfWhatTheyShare)
{
    const NearestPoints n = nearest_points({{0, 0, 0}, {4, 0, 0}}, {{6, 1, 0}, {2, 1, 0}});
    EXPECT_NEAR(n.distance, 1, 1e-15);
    EXPECT_NEAR(n.s, 0.75, 1e-12); // they share x from 2 to 4
    EXPECT_NEAR(n.t, 0.75, 1e-12);
    EXPECT_NEAR(nearest_points({{0, 0, 0}, {1, 0, 0}}, {{2, 0, 0}, {5, 0, 0}}).distance, 1, 1e-15);
}

/// Hair of 35 um that crosses hair at 10 m/s moves by 140 diameters in a step of 1 ms.
TEST_F(SegmentsTest, FastThinOnesAreNotMissed)
{
    const Segment still{{-5e-3, 0, 0}, {5e-3, 0, 0}};
    for (int i = 0; i < 1000; ++i) {
        const Vec3 through = still.at(0.1 + 0.8e-3 * i), along = vector(1).normalized();
        const Vec3 tilt = Vec3(0, along.y(), along.z()).normalized();
        const Vec3 way = 10e-3 * Vec3(0, tilt.z(), -tilt.y());
        const Segment from{through - 0.4 * way - 3e-3 * tilt, through - 0.4 * way + 3e-3 * tilt};
        const Segment to{from.a + way, from.b + way};
        const auto touch = first_touch(still, still, from, to, 70e-6);
        ASSERT_TRUE(touch);
        EXPECT_NEAR(touch->time, 0.4 - 70e-6 / 10e-3, 2e-4);
        EXPECT_NEAR(touch->s, 0.1 + 0.8e-3 * i, 1e-6);
        EXPECT_GT(touch->normal.dot(way), 0.99 * way.norm()); // towards the first: the side that was come from
    }
}

TEST_F(SegmentsTest, FirstTouchAgreesWithManySmallSteps)
{
    int n_touches = 0;
    for (int i = 0; i < 300; ++i) {
        const Segment p0 = random(), p1 = random(), q0 = random(), q1 = random();
        const double reach = 0.1;
        double first = 2;
        for (int k = 0; k <= 2000 && first > 1; ++k) {
            const double t = k / 2000.0;
            const Segment p{p0.a + t * (p1.a - p0.a), p0.b + t * (p1.b - p0.b)};
            const Segment q{q0.a + t * (q1.a - q0.a), q0.b + t * (q1.b - q0.b)};
            if (nearest_points(p, q).distance <= reach) first = t;
        }
        const auto touch = first_touch(p0, p1, q0, q1, reach);
        if (first <= 1) {
            ++n_touches;
            ASSERT_TRUE(touch) << i;
            EXPECT_LE(touch->time, first + 1e-12);
        }
        if (touch) {
            const Segment p{p0.a + touch->time * (p1.a - p0.a), p0.b + touch->time * (p1.b - p0.b)};
            const Segment q{q0.a + touch->time * (q1.a - q0.a), q0.b + touch->time * (q1.b - q0.b)};
            EXPECT_LE(nearest_points(p, q).distance, 1.011 * reach);
        }
    }
    EXPECT_GT(n_touches, 50);
}

/// Whether two triangles are links of a chain: the sides of one pierce the other's face an odd number of times.
bool are_linked(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b)
{
    const auto volume = [](const Vec3& p, const Vec3& q, const Vec3& r, const Vec3& s) {
        return (q - p).cross(r - p).dot(s - p) > 0;
    };
    bool odd = false;
    for (std::size_t i = 0; i < 3; ++i) {
        const Vec3 &p = a[i], &q = a[(i + 1) % 3];
        if (volume(b[0], b[1], b[2], p) == volume(b[0], b[1], b[2], q)) continue;
        const bool side = volume(p, q, b[0], b[1]);
        odd ^= side == volume(p, q, b[1], b[2]) && side == volume(p, q, b[2], b[0]);
    }
    return odd;
}

/// Rings become linked, or free, only by going through each other an odd number of times.
TEST_F(SegmentsTest, RingsThatPassThroughEachOtherAreLinkedOrFreed)
{
    int n_changes = 0;
    for (int i = 0; i < 2000; ++i) {
        std::array<std::array<Vec3, 3>, 4> rings; // a at the start and the end, b at both
        for (auto& ring : rings)
            for (Vec3& x : ring) x = vector(1);
        bool odd = false;
        for (std::size_t k = 0; k < 9; ++k) {
            const auto side = [&](std::size_t ring, std::size_t first) {
                return Segment{rings[ring][first], rings[ring][(first + 1) % 3]};
            };
            odd ^= passed_through(side(0, k / 3), side(1, k / 3), side(2, k % 3), side(3, k % 3)).has_value();
        }
        const bool changed = are_linked(rings[0], rings[2]) != are_linked(rings[1], rings[3]);
        EXPECT_EQ(odd, changed) << i;
        n_changes += changed;
    }
    EXPECT_GT(n_changes, 200);
}

TEST_F(SegmentsTest, WhatPassesThroughIsToldWhereAndFromWhichSide)
{
    const Segment still{{-1, 0, 0}, {3, 0, 0}}, from{{0, -1, 2}, {0, 1, 2}}, to{{0, -1, -6}, {0, 1, -6}};
    const auto passed = passed_through(from, to, still, still);
    ASSERT_TRUE(passed);
    EXPECT_NEAR(passed->time, 0.25, 1e-12);
    EXPECT_NEAR(passed->s, 0.5, 1e-12);
    EXPECT_NEAR(passed->t, 0.25, 1e-12);
    EXPECT_NEAR(passed->normal.z(), 1, 1e-12); // it came from above
    EXPECT_FALSE(passed_through(from, {{0, -1, 0.01}, {0, 1, 0.01}}, still, still));
    EXPECT_FALSE(passed_through(from, {{-8, -1, -6}, {-8, 1, -6}}, still, still)); // past its end
}

} // namespace
} // namespace rivulet
