#pragma once

#include "render/optics.h"
#include "render/settings.h"

namespace rivulet {

/// The camera that is used: `settings.camera`, or a three-quarter view from above that holds `box` with a margin.
[[nodiscard]] Camera framed_camera(const RenderSettings& settings, const Aabb& box);

/// Turns positions on the picture into rays. Works in the renderer's own units (see Placement).
class PinholeCamera {
public:
    PinholeCamera(const Vec3f& position, const Vec3f& target, const Vec3f& up, float field_of_view, int width,
                  int height);

    [[nodiscard]] const Vec3f& position() const noexcept { return position_; }
    /// Unit direction through the point (x, y) [pixels], from the top left corner.
    [[nodiscard]] Vec3f direction(float x, float y) const noexcept;
    /// Width of a pixel at unit distance.
    [[nodiscard]] float pixel_angle() const noexcept { return pixel_; }

private:
    Vec3f position_, forward_, right_, up_;
    float pixel_, half_width_, half_height_;
};

} // namespace rivulet
