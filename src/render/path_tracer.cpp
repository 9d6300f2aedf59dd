#include "render/path_tracer.h"

#include "render/strand_shading.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace rivulet {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kInvPi = std::numbers::inv_pi_v<float>;
constexpr int kMaxClearBounces = 10;
constexpr int kMaxClearBouncesAfterDiffuse = 4;
/// A path that carries less is not worth following.
constexpr float kFaint = 0.02f;
constexpr int kMaxDiffuseBounces = 1;
constexpr int kMaxShadowCrossings = 12;
/// Share of the light absorbed in a liquid that comes back scattered, so that deep liquid shows its colour.
constexpr float kScattering = 0.22f;

/// The side of the surface that the ray comes from.
Vec3f towards(const Vec3f& normal, const Vec3f& direction)
{
    return normal.dot(direction) > 0 ? Vec3f(-normal) : normal;
}

/// Shading normal on the ray's side; the face's where smoothing would turn it away from the ray.
Vec3f facing_normal(const SurfaceHit& hit, const Vec3f& direction)
{
    const Vec3f face = towards(hit.face_normal, direction);
    const Vec3f smooth = hit.shading_normal.dot(face) < 0 ? Vec3f(-hit.shading_normal) : hit.shading_normal;
    return smooth.dot(direction) < -1e-3f ? smooth : face;
}

/// Normal of a small facet of a rough coat, distributed as GGX.
Vec3f sample_facet(const Vec3f& normal, float roughness, const std::array<float, 2>& u)
{
    const float alpha = std::max(1e-3f, roughness * roughness);
    const float tan2 = alpha * alpha * u[0] / std::max(1e-6f, 1 - u[0]);
    const float cosine = 1 / std::sqrt(1 + tan2), sine = std::sqrt(std::max(0.0f, 1 - cosine * cosine));
    const float phi = 2 * std::numbers::pi_v<float> * u[1];
    Vec3f side, up;
    complete_frame(normal, side, up);
    return sine * (std::cos(phi) * side + std::sin(phi) * up) + cosine * normal;
}

/// Highlight of the sun in a rough coat: radiance for unit irradiance across the sun's direction.
float coat_highlight(const Vec3f& normal, const Vec3f& to_sun, const Vec3f& to_eye, float roughness, float index)
{
    const Vec3f half = (to_sun + to_eye).normalized();
    const float nh = std::max(0.0f, normal.dot(half)), nl = normal.dot(to_sun), nv = normal.dot(to_eye);
    if (nl <= 0 || nv <= 0) return 0;
    const float alpha = std::max(0.01f, roughness * roughness), alpha2 = alpha * alpha;
    const float base = nh * nh * (alpha2 - 1) + 1;
    const float facets = alpha2 * kInvPi / (base * base);
    const float k = alpha / 2;
    const float shadowing = 1 / ((nl * (1 - k) + k) * (nv * (1 - k) + k));
    const float fresnel = fresnel_reflectance(std::max(0.0f, half.dot(to_eye)), 1 / index);
    return 0.25f * facets * shadowing * fresnel * nl;
}

} // namespace

PathTracer::PathTracer(const SceneAccel& accel, const Sky& sky, const CausticMap& caustics, float contact_gap)
    : accel_(accel), sky_(sky), caustics_(caustics), contact_gap_(contact_gap)
{
}

Rgb PathTracer::trace(const Vec3f& origin, const Vec3f& direction, Sampler& sampler, PathFeatures& features) const
{
    Path path;
    path.origin = origin;
    path.direction = direction;
    return follow(path, sampler, &features);
}

Rgb PathTracer::follow(Path path, Sampler& sampler, PathFeatures* features) const
{
    Rgb radiance = Rgb::Zero();
    SurfaceHit hit;
    for (;;) {
        if (!accel_.intersect(path.origin, path.direction, 0, kInfinity, hit)) {
            Rgb light = sky_.radiance(path.direction);
            if (features && features->albedo.isZero()) features->albedo = (path.throughput * light).min(1.0f);
            if (path.mirror && path.clear_bounces > 0) light += sky_.sun_glint(path.direction);
            return radiance + path.throughput * light;
        }
        absorb(path, hit, radiance);
        if (features && features->inverse_distance == 0 && !hit.is(Surface::Glass)) {
            features->normal = facing_normal(hit, path.direction);
            features->inverse_distance = 1 / hit.distance;
        }
        Outcome outcome = Outcome::Continues;
        if (hit.kind == SurfaceHit::Kind::Strand) {
            outcome = meet_strand(path, hit, sampler, radiance, features);
        } else if (hit.is(Surface::Liquid)) {
            outcome = meet_liquid(path, hit, sampler, radiance, features);
        } else if (hit.is(Surface::Glass)) {
            meet_glass(path, hit, sampler);
        } else {
            outcome = meet_opaque(path, hit, sampler, radiance, features);
        }
        if (outcome == Outcome::Ended) return radiance;
        const int limit = path.diffuse_bounces > 0 ? kMaxClearBouncesAfterDiffuse : kMaxClearBounces;
        if (path.clear_bounces > limit || path.throughput.maxCoeff() < kFaint)
            return radiance + 0.5f * path.throughput * sky_.ambient();
        if (path.diffuse_bounces > 0) features = nullptr;
    }
}

bool PathTracer::is_within_liquid(const Path& path, const SurfaceHit& hit)
{
    if (hit.face_normal.dot(path.direction) > 0) return path.n_overlaps > 0;
    return path.liquid && (path.liquid->overlaps || hit.material->overlaps);
}

void PathTracer::absorb(Path& path, const SurfaceHit& hit, Rgb& radiance) const
{
    const bool is_liquid = hit.is(Surface::Liquid), leaves = is_liquid && hit.face_normal.dot(path.direction) > 0;
    // Seen from outside: the path was not in liquid, or is in some that overlaps.
    if (is_liquid && !leaves && !is_within_liquid(path, hit)) path.liquid = nullptr;
    if (!path.liquid && !leaves) return;
    const Rgb colour =
        leaves ? (path.liquid ? Rgb(0.5f * (path.liquid_colour + hit.colour)) : hit.colour) : path.liquid_colour;
    const float distance = leaves ? hit.material->absorption_distance : path.liquid->absorption_distance;
    const Rgb left = transmittance(colour, distance, hit.distance);
    radiance += path.throughput * (1 - left) * kScattering * colour * sky_.ambient();
    path.throughput *= left;
}

PathTracer::Outcome PathTracer::meet_liquid(Path& path, const SurfaceHit& hit, Sampler& sampler, Rgb& radiance,
                                            PathFeatures* features) const
{
    const bool leaves = hit.face_normal.dot(path.direction) > 0;
    if (is_within_liquid(path, hit)) {
        path.n_overlaps += leaves ? -1 : 1;
        path.origin = hit.position + accel_.epsilon() * path.direction;
        return Outcome::Continues;
    }
    SurfaceHit beyond;
    if (leaves && path.diffuse_bounces == 0 && !hit.material->overlaps && touches(path, hit, beyond)) {
        path.liquid = hit.material;
        path.liquid_colour = hit.colour;
        // The light comes back into the liquid: start from its surface.
        beyond.position = hit.position - accel_.epsilon() * path.direction;
        return beyond.kind == SurfaceHit::Kind::Strand ? meet_strand(path, beyond, sampler, radiance, features)
                                                       : meet_opaque(path, beyond, sampler, radiance, features);
    }
    const Vec3f normal = facing_normal(hit, path.direction);
    const float index = hit.material->refractive_index;
    const float ratio = leaves ? index : 1 / index;
    const float reflectance = fresnel_reflectance(-normal.dot(path.direction), ratio);

    Path mirrored = path;
    mirrored.direction = reflect(path.direction, normal).normalized();
    const Vec3f face = towards(hit.face_normal, path.direction);
    // Smoothed normals can send a reflection below the face: lift it back.
    if (const float below = mirrored.direction.dot(face); below < 0.01f)
        mirrored.direction = (mirrored.direction + (0.01f - below) * face).normalized();
    mirrored.origin = hit.position + accel_.epsilon() * face;
    mirrored.liquid = leaves ? hit.material : nullptr;
    mirrored.liquid_colour = hit.colour;
    mirrored.may_split = false;
    ++mirrored.clear_bounces;

    Path bent = mirrored;
    const bool passes = refract(path.direction, normal, ratio, bent.direction);
    bent.origin = hit.position - accel_.epsilon() * face;
    bent.liquid = leaves ? nullptr : hit.material;

    const float u = sampler.next()[0];
    if (!passes) {
        path = mirrored;
    } else if (path.may_split) {
        // A faint reflection is followed by some of the paths only.
        const float share = std::min(1.0f, 0.15f + 6 * reflectance);
        mirrored.throughput *= reflectance / share;
        if (u < share) radiance += follow(mirrored, sampler, nullptr);
        path = bent;
        path.throughput *= 1 - reflectance;
    } else {
        path = u < reflectance ? mirrored : bent;
    }
    return Outcome::Continues;
}

bool PathTracer::touches(const Path& path, const SurfaceHit& hit, SurfaceHit& beyond) const
{
    if (!(contact_gap_ > 0)) return false;
    const Vec3f start = hit.position - accel_.epsilon() * path.direction;
    const float slant = std::max(0.2f, hit.face_normal.dot(path.direction));
    float near = 0;
    const float far = 2 * accel_.epsilon() + contact_gap_ / slant;
    for (int crossing = 0; crossing < 3; ++crossing) {
        if (!accel_.intersect(start, path.direction, near, far, beyond)) return false;
        if (!beyond.is_clear()) return true;
        near = std::nextafter(beyond.distance, kInfinity);
    }
    return false;
}

void PathTracer::meet_glass(Path& path, const SurfaceHit& hit, Sampler& sampler) const
{
    const Vec3f normal = facing_normal(hit, path.direction);
    const float once = fresnel_reflectance(-normal.dot(path.direction), 1 / hit.material->refractive_index);
    const float reflectance = 2 * once / (1 + once); // both faces of the pane
    const Vec3f face = towards(hit.face_normal, path.direction);
    ++path.clear_bounces;
    if (sampler.next()[0] < reflectance) {
        path.direction = reflect(path.direction, normal).normalized();
        path.origin = hit.position + accel_.epsilon() * face;
    } else {
        path.origin = hit.position - accel_.epsilon() * face;
        path.throughput *= hit.colour;
    }
}

PathTracer::Outcome PathTracer::meet_opaque(Path& path, const SurfaceHit& hit, Sampler& sampler, Rgb& radiance,
                                            PathFeatures* features) const
{
    const Vec3f normal = facing_normal(hit, path.direction), to_eye = -path.direction;
    const bool coated = hit.material && hit.material->surface == Surface::Coated && !path.liquid;
    Rgb albedo = hit.colour;
    if (features && features->albedo.isZero()) features->albedo = (path.throughput * albedo).max(1e-3f);
    if (!hit.material && path.diffuse_bounces == 0) { // the ground fades into the horizon
        const float haze = 1 - std::exp(-std::max(0.0f, hit.distance - 25) / 60);
        radiance += path.throughput * haze * sky_.radiance(path.direction);
        path.throughput *= 1 - haze;
    }
    const Vec3f start = hit.position + accel_.epsilon() * towards(hit.face_normal, path.direction);
    const bool has_map = !hit.material && caustics_.covers(hit.position);
    if (has_map) radiance += path.throughput * albedo * kInvPi * caustics_.irradiance(hit.position);
    float reflectance = 0;
    if (coated) reflectance = fresnel_reflectance(-normal.dot(path.direction), 1 / hit.material->refractive_index);
    if (sky_.has_sun()) {
        const Vec3f to_sun = sky_.sample_sun(sampler.next());
        if (const float cosine = normal.dot(to_sun); cosine > 0) {
            Rgb response = albedo * (1 - reflectance) * kInvPi * cosine;
            if (coated && path.diffuse_bounces == 0)
                response +=
                    coat_highlight(normal, to_sun, to_eye, hit.material->roughness, hit.material->refractive_index);
            radiance += path.throughput * response * sunlight(path, start, to_sun, !has_map);
        }
    }
    if (coated && sampler.next()[0] < reflectance) {
        const Vec3f facet = sample_facet(normal, hit.material->roughness, sampler.next());
        path.direction = reflect(path.direction, facet).normalized();
        if (path.direction.dot(towards(hit.face_normal, -to_eye)) <= 0) return Outcome::Ended;
        path.origin = start;
        path.mirror = false;
        ++path.clear_bounces;
        return Outcome::Continues;
    }
    return bounce(path, start, normal, albedo, sampler, radiance);
}

PathTracer::Outcome PathTracer::meet_strand(Path& path, const SurfaceHit& hit, Sampler& sampler, Rgb& radiance,
                                            PathFeatures* features) const
{
    const StrandShading shading =
        path.liquid ? StrandShading::in_liquid(hit.colour) : StrandShading(hit.colour, hit.wetness);
    const Vec3f normal = towards(hit.face_normal, path.direction);
    if (features && features->albedo.isZero()) features->albedo = (path.throughput * shading.albedo).max(1e-3f);
    const Vec3f start = hit.position + accel_.epsilon() * normal;
    if (sky_.has_sun()) {
        const Vec3f to_sun = sky_.sample_sun(sampler.next());
        if (normal.dot(to_sun) > 0)
            radiance += path.throughput * shading.reflected(hit.tangent, to_sun, -path.direction) *
                        sunlight(path, start, to_sun, true);
    }
    return bounce(path, start, normal, shading.albedo, sampler, radiance);
}

PathTracer::Outcome PathTracer::bounce(Path& path, const Vec3f& position, const Vec3f& normal, const Rgb& albedo,
                                       Sampler& sampler, Rgb& radiance) const
{
    path.throughput *= albedo;
    if (path.diffuse_bounces >= kMaxDiffuseBounces) {
        radiance += 0.5f * path.throughput * sky_.ambient(); // what further bounces would gather, roughly
        return Outcome::Ended;
    }
    path.origin = position;
    path.direction = sample_cosine(normal, sampler.next());
    path.mirror = path.may_split = false;
    path.clear_bounces = 0;
    ++path.diffuse_bounces;
    return Outcome::Continues;
}

Rgb PathTracer::sunlight(const Path& path, const Vec3f& position, const Vec3f& to_sun, bool through_liquid) const
{
    Rgb light = sky_.sun_irradiance();
    const ShadedMaterial* liquid = path.liquid;
    Rgb colour = path.liquid_colour;
    float near = 0, entered = 0;
    SurfaceHit hit;
    for (int crossing = 0; crossing < kMaxShadowCrossings; ++crossing) {
        if (!accel_.intersect(position, to_sun, near, kInfinity, hit)) return light;
        if (!hit.is_clear() || (hit.is(Surface::Liquid) && !through_liquid)) return Rgb::Zero();
        const float cosine = std::abs(hit.shading_normal.dot(to_sun));
        light *= 1 - fresnel_reflectance(cosine, 1 / hit.material->refractive_index);
        if (hit.is(Surface::Glass)) {
            light *= hit.colour;
        } else if (hit.face_normal.dot(to_sun) > 0) { // leaves liquid
            if (!liquid) colour = hit.colour;
            light *= transmittance(colour, hit.material->absorption_distance, hit.distance - entered);
            liquid = nullptr;
        } else {
            liquid = hit.material;
            colour = hit.colour;
            entered = hit.distance;
        }
        near = hit.distance + accel_.epsilon();
    }
    return Rgb::Zero();
}

} // namespace rivulet
