#include "render/sky.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {

Sky::Sky(const Lighting& lighting, const Vec3& sun_direction)
    : zenith_(lighting.zenith.cast<float>().array()), horizon_(lighting.horizon.cast<float>().array()),
      sun_(lighting.sun.cast<float>().array()), sun_radius_(static_cast<float>(lighting.sun_radius))
{
    if (!(sun_direction.norm() > 0)) throw InputError("picture: the direction towards the sun is not zero");
    sun_direction_ = sun_direction.normalized().cast<float>();
    complete_frame(sun_direction_, sun_side_, sun_up_);
    // Mean of sqrt(z) over the upper half is 2/3: see radiance().
    ambient_ = horizon_ + (zenith_ - horizon_) * (2.0f / 3);
}

Rgb Sky::radiance(const Vec3f& direction) const noexcept
{
    const float height = std::sqrt(std::max(0.0f, direction.z()));
    return horizon_ + (zenith_ - horizon_) * height;
}

Rgb Sky::sun_glint(const Vec3f& direction) const noexcept
{
    constexpr float kBrightest = 12;
    const float distance = (direction - sun_direction_).norm() / sun_radius_;
    if (distance >= 1.5f) return Rgb::Zero();
    const float edge = std::clamp(3 - 2 * distance, 0.0f, 1.0f);
    const float area = std::numbers::pi_v<float> * sun_radius_ * sun_radius_;
    return (sun_ / area).min(kBrightest) * (edge * edge * (3 - 2 * edge));
}

Vec3f Sky::sample_sun(const std::array<float, 2>& u) const noexcept
{
    const float r = sun_radius_ * std::sqrt(u[0]), phi = 2 * std::numbers::pi_v<float> * u[1];
    return (sun_direction_ + r * std::cos(phi) * sun_side_ + r * std::sin(phi) * sun_up_).normalized();
}

Vec3f sample_cosine(const Vec3f& normal, const std::array<float, 2>& u) noexcept
{
    Vec3f side, up;
    complete_frame(normal, side, up);
    const float r = std::sqrt(u[0]), phi = 2 * std::numbers::pi_v<float> * u[1];
    return (r * std::cos(phi) * side + r * std::sin(phi) * up + std::sqrt(std::max(0.0f, 1 - u[0])) * normal)
        .normalized();
}

void complete_frame(const Vec3f& normal, Vec3f& side, Vec3f& up) noexcept
{
    const Vec3f other = std::abs(normal.x()) < 0.7f ? Vec3f(Vec3f::UnitX()) : Vec3f(Vec3f::UnitY());
    side = normal.cross(other).normalized();
    up = normal.cross(side);
}

} // namespace rivulet
