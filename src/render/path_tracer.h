#pragma once

#include "render/accel.h"
#include "render/caustics.h"
#include "render/sampler.h"
#include "render/sky.h"

namespace rivulet {

/// What the eye meets first along a path; guides the denoiser.
struct PathFeatures {
    Rgb albedo = Rgb::Zero();     ///< of the first surface that is not clear
    Vec3f normal = Vec3f::Zero(); ///< of the first surface
    float inverse_distance = 0;   ///< to the first surface; 0 = sky
};

/// Follows light backwards from the eye. Clear surfaces are traced by Fresnel and Snell, with absorption; the sun is
/// sampled directly, the sky is found by the paths themselves. Liquid focusses sunlight on the ground (CausticMap); on
/// other things it shines straight through.
class PathTracer {
public:
    PathTracer(const SceneAccel& accel, const Sky& sky, const CausticMap& caustics, float contact_gap);

    /// Radiance that arrives at `origin` against `direction`.
    [[nodiscard]] Rgb trace(const Vec3f& origin, const Vec3f& direction, Sampler& sampler,
                            PathFeatures& features) const;

private:
    /// The end of a path so far.
    struct Path {
        Vec3f origin, direction;
        Rgb throughput = Rgb::Ones();
        bool mirror = true;    ///< only clear surfaces so far: the sun's disc is seen
        bool may_split = true; ///< no clear surface so far: reflection and refraction are both followed
        const ShadedMaterial* liquid = nullptr; ///< what the path is in
        Rgb liquid_colour = Rgb::Ones();
        int n_overlaps = 0; ///< parts of liquid that it is in besides
        int clear_bounces = 0;
        int diffuse_bounces = 0;
    };
    enum class Outcome { Continues, Ended };

    [[nodiscard]] Rgb follow(Path path, Sampler& sampler, PathFeatures* features) const;
    void absorb(Path& path, const SurfaceHit& hit, Rgb& radiance) const;
    /// Whether liquid goes on behind this surface of liquid, as before it.
    [[nodiscard]] static bool is_within_liquid(const Path& path, const SurfaceHit& hit);
    Outcome meet_liquid(Path& path, const SurfaceHit& hit, Sampler& sampler, Rgb& radiance,
                        PathFeatures* features) const;
    void meet_glass(Path& path, const SurfaceHit& hit, Sampler& sampler) const;
    Outcome meet_opaque(Path& path, const SurfaceHit& hit, Sampler& sampler, Rgb& radiance,
                        PathFeatures* features) const;
    Outcome meet_strand(Path& path, const SurfaceHit& hit, Sampler& sampler, Rgb& radiance,
                        PathFeatures* features) const;
    Outcome bounce(Path& path, const Vec3f& position, const Vec3f& normal, const Rgb& albedo, Sampler& sampler,
                   Rgb& radiance) const;
    [[nodiscard]] bool touches(const Path& path, const SurfaceHit& hit, SurfaceHit& beyond) const;
    /// The sun's irradiance that arrives: straight through glass and, if asked, through liquid.
    [[nodiscard]] Rgb sunlight(const Path& path, const Vec3f& position, const Vec3f& to_sun, bool through_liquid) const;

    const SceneAccel& accel_;
    const Sky& sky_;
    const CausticMap& caustics_;
    float contact_gap_;
};

} // namespace rivulet
