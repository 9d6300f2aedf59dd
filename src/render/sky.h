#pragma once

#include "render/optics.h"
#include "render/sampler.h"
#include "render/scene.h"

namespace rivulet {

/// Lighting ready for use.
class Sky {
public:
    Sky(const Lighting& lighting, const Vec3& sun_direction);

    /// Without the sun.
    [[nodiscard]] Rgb radiance(const Vec3f& direction) const noexcept;
    /// The sun's disc as seen by the eye or in a mirror, bounded so that single glints do not outshine a pixel.
    [[nodiscard]] Rgb sun_glint(const Vec3f& direction) const noexcept;
    /// A direction towards a point of the disc.
    [[nodiscard]] Vec3f sample_sun(const std::array<float, 2>& u) const noexcept;

    /// Towards the middle of the disc.
    [[nodiscard]] const Vec3f& sun_direction() const noexcept { return sun_direction_; }
    [[nodiscard]] bool has_sun() const noexcept { return sun_.maxCoeff() > 0; }
    [[nodiscard]] const Rgb& sun_irradiance() const noexcept { return sun_; }
    /// Mean radiance of the upper half.
    [[nodiscard]] const Rgb& ambient() const noexcept { return ambient_; }

private:
    Rgb zenith_, horizon_, sun_, ambient_;
    Vec3f sun_direction_, sun_side_, sun_up_;
    float sun_radius_;
};

/// Cosine-weighted direction about a unit normal.
[[nodiscard]] Vec3f sample_cosine(const Vec3f& normal, const std::array<float, 2>& u) noexcept;
/// Two unit vectors that complete a unit normal to a right-handed frame.
void complete_frame(const Vec3f& normal, Vec3f& side, Vec3f& up) noexcept;

} // namespace rivulet
