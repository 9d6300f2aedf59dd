#include "base/error.h"
#include "render/camera.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

TEST(Camera, AutomaticViewHoldsEveryCornerAndFillsThePicture)
{
    for (const double scale : {1e-3, 1.0, 50.0})
        for (const Vec3& size : {Vec3(1, 1, 1), Vec3(3, 0.5, 0.2), Vec3(0.3, 0.3, 2), Vec3(1, 4, 0.5)}) {
            RenderSettings settings;
            const Aabb box{scale * Vec3(0.7, -0.2, 0.1), scale * (Vec3(0.7, -0.2, 0.1) + size)};
            const Camera camera = framed_camera(settings, box);
            const Vec3 forward = (camera.target - camera.position).normalized();
            const Vec3 right = forward.cross(camera.up).normalized(), up = right.cross(forward);
            const double tan_y = std::tan(camera.field_of_view / 2), tan_x = tan_y * 960 / 540;
            double fill = 0;
            for (int c = 0; c < 8; ++c) {
                const Vec3 corner(c & 1 ? box.upper.x() : box.lower.x(), c & 2 ? box.upper.y() : box.lower.y(),
                                  c & 4 ? box.upper.z() : box.lower.z());
                const Vec3 p = corner - camera.position;
                ASSERT_GT(p.dot(forward), 0);
                fill = std::max({fill, std::abs(p.dot(right)) / p.dot(forward) / tan_x,
                                 std::abs(p.dot(up)) / p.dot(forward) / tan_y});
            }
            EXPECT_LE(fill, 0.97);
            EXPECT_GE(fill, 0.85);
        }
}

TEST(Camera, DirectionsSpanTheFieldOfView)
{
    const float field = 0.8f;
    const PinholeCamera camera(Vec3f(0, -1, 0), Vec3f::Zero(), Vec3f::UnitZ(), field, 200, 100);
    EXPECT_NEAR((camera.direction(100, 50) - Vec3f::UnitY()).norm(), 0, 1e-6);
    const Vec3f top = camera.direction(100, 0), bottom = camera.direction(100, 100);
    EXPECT_NEAR(std::acos(top.dot(bottom)), field, 1e-5);
    EXPECT_GT(top.z(), 0);
    EXPECT_GT(camera.direction(200, 50).x(), 0);
}

TEST(Camera, RefusesAViewWithoutDirection)
{
    EXPECT_THROW(PinholeCamera(Vec3f::Zero(), Vec3f::Zero(), Vec3f::UnitZ(), 1, 4, 4), InputError);
    EXPECT_THROW(PinholeCamera(Vec3f::Zero(), Vec3f::UnitZ(), Vec3f::UnitZ(), 1, 4, 4), InputError);
}

} // namespace
} // namespace rivulet
