#pragma once

#include <Eigen/Dense>

namespace rivulet {

using Vec3f = Eigen::Vector3f;
/// Linear RGB.
using Rgb = Eigen::Array3f;

/// Share of unpolarised light that a smooth dielectric reflects. `cosine` of the angle of incidence, >= 0;
/// `ratio` = n_incident / n_transmitted. 1 in total internal reflection.
[[nodiscard]] float fresnel_reflectance(float cosine, float ratio) noexcept;

/// Direction after refraction by Snell's law. `direction` and `normal` are unit vectors with direction.normal <= 0;
/// `ratio` = n_incident / n_transmitted. False in total internal reflection.
[[nodiscard]] bool refract(const Vec3f& direction, const Vec3f& normal, float ratio, Vec3f& refracted) noexcept;

[[nodiscard]] inline Vec3f reflect(const Vec3f& direction, const Vec3f& normal) noexcept
{
    return direction - 2 * direction.dot(normal) * normal;
}

/// What is left of white light after `length` in a liquid that turns white into `colour` after `distance`
/// (Beer-Lambert): colour^(length / distance).
[[nodiscard]] Rgb transmittance(const Rgb& colour, float distance, float length) noexcept;

/// Filmic curve: linear radiance to [0, 1], with a soft shoulder, before gamma.
[[nodiscard]] Rgb tone_map(const Rgb& radiance) noexcept;
/// sRGB transfer function of one channel: [0, 1] to [0, 1].
[[nodiscard]] float srgb_encode(float linear) noexcept;

[[nodiscard]] inline float luminance(const Rgb& c) noexcept { return 0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2]; }

} // namespace rivulet
