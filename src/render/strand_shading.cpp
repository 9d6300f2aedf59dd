#include "render/strand_shading.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

/// cos^n of the difference of the two inclinations to the tangent's normal plane, that of the eye tilted by `tilt`.
float highlight(float sine_light, float sine_eye, float tilt, float exponent)
{
    const float light = std::asin(std::clamp(sine_light, -1.0f, 1.0f));
    const float eye = std::asin(std::clamp(sine_eye, -1.0f, 1.0f));
    return std::pow(std::max(0.0f, std::cos(light + eye - tilt)), exponent);
}

} // namespace

StrandShading::StrandShading(const Rgb& colour, float wetness)
{
    const float w = std::clamp(wetness, 0.0f, 1.0f);
    albedo = colour * (1 - 0.55f * w);
    shine = 0.10f + 0.45f * w;
    exponent = 30 + 120 * w;
}

StrandShading StrandShading::in_liquid(const Rgb& colour)
{
    // Reflectance at right angles of keratin (1.55) in water over that in air.
    constexpr float kWater = (1.55f - 1.333f) / (1.55f + 1.333f), kAir = (1.55f - 1) / (1.55f + 1);
    StrandShading shading(colour, 0);
    shading.shine *= kWater * kWater / (kAir * kAir);
    shading.albedo = StrandShading(colour, 1).albedo;
    return shading;
}

Rgb StrandShading::reflected(const Vec3f& tangent, const Vec3f& to_light, const Vec3f& to_eye) const
{
    constexpr float kTilt = 0.10f; // of the scales of a strand [rad]
    const float sine_light = tangent.dot(to_light), sine_eye = tangent.dot(to_eye);
    const float diffuse = std::sqrt(std::max(0.0f, 1 - sine_light * sine_light));
    const float first = shine * highlight(sine_light, sine_eye, -kTilt, exponent);
    const float second = 0.7f * shine * highlight(sine_light, sine_eye, 1.5f * kTilt, 0.4f * exponent);
    return albedo * (std::numbers::inv_pi_v<float> * diffuse + second) + first;
}

} // namespace rivulet
