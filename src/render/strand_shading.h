#pragma once

#include "render/optics.h"

namespace rivulet {

/// Reflection of a strand: a cylinder's diffuse term and two highlights along its tangent [Kajiya 1989], the first
/// white and tilted to the tip, the second coloured and tilted to the root, as light that went through the strand
/// [Marschner 2003]. Liquid on a strand darkens its colour and makes its highlights narrow and strong.
struct StrandShading {
    Rgb albedo;          ///< of the diffuse term, wetness applied
    float shine = 0.25f; ///< strength of the first highlight
    float exponent = 40; ///< its sharpness

    StrandShading(const Rgb& colour, float wetness);
    /// Seen from within liquid: as dark as a soaked strand, but its own surface hardly shines.
    [[nodiscard]] static StrandShading in_liquid(const Rgb& colour);
    /// Outgoing radiance for unit irradiance. `tangent`, `to_light` and `to_eye` are unit vectors.
    [[nodiscard]] Rgb reflected(const Vec3f& tangent, const Vec3f& to_light, const Vec3f& to_eye) const;
};

} // namespace rivulet
