#include "geometry/motion.h"

#include <gtest/gtest.h>

#include <numbers>

namespace rivulet {
namespace {

Motion swinging(Easing easing)
{
    Motion motion;
    motion.keyframes = {{0.5, {0, 0, 0}, {0.2, -0.1, 0.4}, easing},
                        {2.0, {1, -2, 3}, {-1.3, 2.2, 0.7}, easing},
                        {3.0, {0, 1, 0}, {4.0, 0.5, -2.0}, easing}};
    motion.drift = {0.3, 0, -0.1};
    motion.spin = {0.5, -1.1, 2.0};
    return motion;
}

Vec3 angular_velocity_by_differences(const Motion& motion, double t, double h)
{
    const Quat turn = motion.pose(t + h).rotation * motion.pose(t - h).rotation.conjugate();
    const Eigen::AngleAxisd a(turn);
    return a.angle() * a.axis() / (2 * h);
}

TEST(Motion, TwoTurnsAMinuteIsTwelveDegreesASecond)
{
    Motion motion;
    motion.spin = {0, 0, 2 * 2 * std::numbers::pi / 60};
    const Vec3 x = motion.pose(1.0).to_world({1, 0, 0});
    EXPECT_NEAR(x.x(), 0.97814760073380563793, 1e-14); // cos 12 deg
    EXPECT_NEAR(x.y(), 0.20791169081775933710, 1e-14); // sin 12 deg
    EXPECT_NEAR(motion.twist(7.0).angular.z(), 0.20943951023931953, 1e-15);
}

TEST(Motion, TwistIsTheTimeDerivativeOfThePose)
{
    const double h = 1e-6;
    for (const Easing easing : {Easing::Linear, Easing::Smooth, Easing::In, Easing::Out}) {
        const Motion motion = swinging(easing);
        for (const double t : {0.1, 0.7, 1.234, 1.9, 2.01, 2.5, 2.99, 4.0}) {
            const Twist twist = motion.twist(t);
            const Vec3 v = (motion.pose(t + h).position - motion.pose(t - h).position) / (2 * h);
            EXPECT_LT((twist.linear - v).norm(), 1e-8) << t;
            EXPECT_LT((twist.angular - angular_velocity_by_differences(motion, t, h)).norm(), 1e-8) << t;
        }
    }
}

TEST(Motion, VelocityOfAPointIsThatOfTheMovingBody)
{
    const Motion motion = swinging(Easing::Smooth);
    const Vec3 body(0.3, -0.2, 0.9);
    const double t = 1.4, h = 1e-6;
    const Vec3 v = (motion.pose(t + h).to_world(body) - motion.pose(t - h).to_world(body)) / (2 * h);
    const Pose pose = motion.pose(t);
    EXPECT_LT((motion.twist(t).velocity_at(pose.to_world(body), pose) - v).norm(), 1e-8);
}

TEST(Motion, SmallRotationsHaveExactAngularVelocity)
{
    Motion motion; // about one fixed axis the angular velocity is the rate of the angle
    motion.keyframes = {{0, Vec3::Zero(), Vec3::Zero(), Easing::Linear}, {1, Vec3::Zero(), {0, 1e-3, 0}}};
    EXPECT_LT((motion.twist(0.5).angular - Vec3(0, 1e-3, 0)).norm(), 1e-18);
    motion.keyframes[1].rotation = {0, 20 * std::numbers::pi, 0}; // ten turns are turned through
    EXPECT_NEAR(motion.twist(0.99).angular.y(), 20 * std::numbers::pi, 1e-12);
    EXPECT_NEAR(motion.pose(0.025).to_world({0, 0, 1}).x(), 1, 1e-12); // a quarter turn
}

TEST(Motion, PoseIsContinuousAtKeyframesAndHeldOutside)
{
    for (const Easing easing : {Easing::Linear, Easing::Smooth, Easing::In, Easing::Out}) {
        Motion motion = swinging(easing);
        for (const double t : {0.5, 2.0, 3.0}) {
            const Pose before = motion.pose(t - 1e-9), after = motion.pose(t + 1e-9);
            EXPECT_LT((before.position - after.position).norm(), 1e-7);
            EXPECT_LT(before.rotation.angularDistance(after.rotation), 1e-7);
        }
        motion.drift = motion.spin = Vec3::Zero();
        EXPECT_EQ(motion.pose(-5).position, motion.keyframes.front().position);
        EXPECT_EQ(motion.pose(50).position, motion.keyframes.back().position);
        EXPECT_EQ(motion.twist(50).angular, Vec3(Vec3::Zero()));
    }
}

TEST(Motion, EasingHasItsNamedShape)
{
    Motion motion;
    motion.keyframes = {{0, {0, 0, 0}}, {2, {1, 0, 0}}};
    const auto at_quarter = [&](Easing easing) {
        motion.keyframes[0].easing = easing;
        return motion.pose(0.5).position.x();
    };
    EXPECT_DOUBLE_EQ(at_quarter(Easing::Linear), 0.25);
    EXPECT_DOUBLE_EQ(at_quarter(Easing::Smooth), 0.15625); // 3/16 - 2/64
    EXPECT_DOUBLE_EQ(at_quarter(Easing::In), 0.0625);
    EXPECT_DOUBLE_EQ(at_quarter(Easing::Out), 0.4375);
    EXPECT_DOUBLE_EQ(at_quarter(Easing::Step), 0);
    EXPECT_EQ(motion.pose(2.0).position.x(), 1);
    EXPECT_EQ(motion.twist(1.0).linear, Vec3(Vec3::Zero()));
}

TEST(Motion, OnlyWhatMovesIsNotStatic)
{
    Motion motion;
    EXPECT_TRUE(motion.is_static());
    motion.keyframes = {{0, {1, 2, 3}}, {1, {1, 2, 3}}};
    EXPECT_TRUE(motion.is_static());
    motion.keyframes[1].rotation = {0, 0, 1};
    EXPECT_FALSE(motion.is_static());
    motion.keyframes.clear();
    motion.spin = {0, 1, 0};
    EXPECT_FALSE(motion.is_static());
}

} // namespace
} // namespace rivulet
