#include "render/camera.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

Vec3 box_corner(const Aabb& box, int corner)
{
    return {corner & 1 ? box.upper.x() : box.lower.x(), corner & 2 ? box.upper.y() : box.lower.y(),
            corner & 4 ? box.upper.z() : box.lower.z()};
}

/// Least distance along `back` from `target` at which all corners of the box are inside the picture.
double framing_distance(const Aabb& box, const Vec3& target, const Vec3& right, const Vec3& up, const Vec3& back,
                        double tan_x, double tan_y)
{
    double distance = 0;
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 p = box_corner(box, corner) - target;
        distance = std::max(distance, p.dot(back) + std::abs(p.dot(right)) / tan_x);
        distance = std::max(distance, p.dot(back) + std::abs(p.dot(up)) / tan_y);
    }
    return distance;
}

/// Middle of the box's outline as seen from `eye`, as an offset at unit distance.
Vec3 picture_centre(const Aabb& box, const Vec3& eye, const Vec3& right, const Vec3& up, const Vec3& back)
{
    Aabb outline;
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 p = box_corner(box, corner) - eye;
        outline.include(Vec3(p.dot(right), p.dot(up), 0) / -p.dot(back));
    }
    return outline.centre().x() * right + outline.centre().y() * up;
}

} // namespace

Camera framed_camera(const RenderSettings& settings, const Aabb& box)
{
    Camera camera = settings.camera;
    if (!camera.automatic) return camera;
    constexpr double kMargin = 0.92; // share of the picture that the box may fill
    const Vec3 back = Vec3(0.50, -1.0, 0.52).normalized();
    const Vec3 right = Vec3::UnitZ().cross(back).normalized(), up = back.cross(right);
    const double tan_y = std::tan(camera.field_of_view / 2);
    const double tan_x = tan_y * settings.width / settings.height;
    camera.target = box.centre();
    double distance = 0;
    // Perspective moves the middle of the picture away from the middle of the box: a few rounds settle it.
    for (int round = 0; round < 8; ++round) {
        distance = framing_distance(box, camera.target, right, up, back, kMargin * tan_x, kMargin * tan_y);
        camera.target += picture_centre(box, camera.target + distance * back, right, up, back) * distance;
    }
    camera.position = camera.target + distance * back;
    camera.up = Vec3::UnitZ();
    return camera;
}

PinholeCamera::PinholeCamera(const Vec3f& position, const Vec3f& target, const Vec3f& up, float field_of_view,
                             int width, int height)
    : position_(position), pixel_(2 * std::tan(field_of_view / 2) / static_cast<float>(height)),
      half_width_(0.5f * static_cast<float>(width)), half_height_(0.5f * static_cast<float>(height))
{
    const Vec3f view = target - position;
    if (!(view.norm() > 0)) throw InputError("camera: position and target are the same point");
    forward_ = view.normalized();
    const Vec3f side = forward_.cross(up);
    if (!(side.norm() > 1e-6f * up.norm())) throw InputError("camera: up is parallel to the view direction");
    right_ = side.normalized();
    up_ = right_.cross(forward_);
}

Vec3f PinholeCamera::direction(float x, float y) const noexcept
{
    return (forward_ + pixel_ * ((x - half_width_) * right_ - (y - half_height_) * up_)).normalized();
}

} // namespace rivulet
