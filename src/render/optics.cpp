#include "render/optics.h"

#include "base/assert.h"

#include <algorithm>
#include <cmath>

namespace rivulet {

float fresnel_reflectance(float cosine, float ratio) noexcept
{
    const float sine2_t = ratio * ratio * (1 - cosine * cosine);
    if (sine2_t >= 1) return 1;
    const float cosine_t = std::sqrt(1 - sine2_t);
    const float parallel = (cosine - ratio * cosine_t) / (cosine + ratio * cosine_t);
    const float perpendicular = (ratio * cosine - cosine_t) / (ratio * cosine + cosine_t);
    return 0.5f * (parallel * parallel + perpendicular * perpendicular);
}

bool refract(const Vec3f& direction, const Vec3f& normal, float ratio, Vec3f& refracted) noexcept
{
    const float cosine = -direction.dot(normal);
    const float sine2_t = ratio * ratio * (1 - cosine * cosine);
    if (sine2_t >= 1) return false;
    refracted = (ratio * direction + (ratio * cosine - std::sqrt(1 - sine2_t)) * normal).normalized();
    return true;
}

Rgb transmittance(const Rgb& colour, float distance, float length) noexcept
{
    // A channel of zero would be opaque at any depth and give 0 * infinity at depth zero.
    return (colour.max(1e-4f).min(1.0f).log() * (length / distance)).exp();
}

Rgb tone_map(const Rgb& x) noexcept
{
    // Rational fit of a film curve [Narkowicz 2016].
    const Rgb mapped = x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f);
    return mapped.max(0.0f).min(1.0f);
}

float srgb_encode(float linear) noexcept
{
    const float x = std::clamp(linear, 0.0f, 1.0f);
    return x <= 0.0031308f ? 12.92f * x : 1.055f * std::pow(x, 1 / 2.4f) - 0.055f;
}

} // namespace rivulet
