#include "render/renderer.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/parallel.h"
#include "render/camera.h"
#include "render/caustics.h"
#include "render/path_tracer.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

constexpr int kTile = 16; // pixels on a side
/// A single path brighter than this is dimmed to it: no bright specks.
constexpr float kMaxSampleLuminance = 12;

void validate(const RenderSettings& settings)
{
    const auto check = [](bool condition, const char* what) {
        if (!condition) throw InputError(std::string("picture: ") + what);
    };
    check(settings.width >= 1 && settings.width <= 16384, "width is between 1 and 16384 pixels");
    check(settings.height >= 1 && settings.height <= 16384, "height is between 1 and 16384 pixels");
    check(settings.samples >= 1 && settings.samples <= static_cast<int>(Sampler::kMaxSamples),
          "samples are between 1 and 65536");
    check(settings.camera.field_of_view > 0.001 && settings.camera.field_of_view < 3,
          "the field of view is between 0.001 and 3 rad");
}

PinholeCamera make_camera(const RenderSettings& settings, const Aabb& framed, const Placement& placement)
{
    const Camera camera = framed_camera(settings, framed);
    return {placement.point(camera.position),
            placement.point(camera.target),
            camera.up.cast<float>(),
            static_cast<float>(camera.field_of_view),
            settings.width,
            settings.height};
}

/// Bounds of the liquid meshes and drops, in the renderer's units.
Eigen::AlignedBox3f liquid_bounds(const RenderScene& scene, const Placement& placement)
{
    Eigen::AlignedBox3f box;
    for (const MeshDrawable& drawable : scene.meshes)
        if (drawable.material.surface == Surface::Liquid)
            for (const Vec3& x : drawable.mesh.vertices) box.extend(placement.point(x));
    for (const SphereDrawable& spheres : scene.spheres)
        if (spheres.material.surface == Surface::Liquid)
            for (const Vec3& x : spheres.centres) box.extend(placement.point(x));
    return box;
}

void render_pixel(const PathTracer& tracer, const PinholeCamera& camera, int samples, int x, int y,
                  RadianceImage& image)
{
    const std::size_t p =
        static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x);
    Rgb sum = Rgb::Zero(), albedo = Rgb::Zero();
    Vec3f normal = Vec3f::Zero();
    float inverse_distance = 0, mean = 0, spread = 0;
    for (int s = 0; s < samples; ++s) {
        Sampler sampler(p, static_cast<std::uint32_t>(s));
        const auto [u, v] = sampler.next();
        PathFeatures features;
        Rgb radiance =
            tracer.trace(camera.position(), camera.direction(static_cast<float>(x) + u, static_cast<float>(y) + v),
                         sampler, features);
        float luma = luminance(radiance);
        if (luma > kMaxSampleLuminance) {
            radiance *= kMaxSampleLuminance / luma;
            luma = kMaxSampleLuminance;
        }
        sum += radiance;
        albedo += features.albedo;
        normal += features.normal;
        inverse_distance += features.inverse_distance;
        const float change = luma - mean;
        mean += change / static_cast<float>(s + 1);
        spread += change * (luma - mean);
    }
    const auto n = static_cast<float>(samples);
    image.radiance[p] = sum / n;
    image.albedo[p] = albedo / n;
    image.normal[p] = normal / n;
    image.inverse_distance[p] = inverse_distance / n;
    image.variance[p] = samples > 1 ? spread / (n * (n - 1)) : 1;
}

} // namespace

RadianceImage render_radiance(const RenderScene& scene, const RenderSettings& settings)
{
    validate(settings);
    validate(scene);
    const Aabb framed = framed_bounds(scene);
    const Placement placement = place(framed);
    const PinholeCamera camera = make_camera(settings, framed, placement);
    const SceneAccel accel(scene, placement, camera.position(), camera.pixel_angle(), settings.ground);
    const Sky sky(scene.lighting, settings.sun_direction);
    const float contact_gap = placement.length(scene.contact_gap);
    const CausticMap caustics(accel, sky, liquid_bounds(scene, placement), contact_gap);
    const PathTracer tracer(accel, sky, caustics, contact_gap);

    RadianceImage image(settings.width, settings.height);
    const int tiles_x = (settings.width + kTile - 1) / kTile, tiles_y = (settings.height + kTile - 1) / kTile;
    parallel_for(static_cast<std::int64_t>(tiles_x) * tiles_y, "render", [&](std::int64_t tile) {
        const int x0 = static_cast<int>(tile % tiles_x) * kTile, y0 = static_cast<int>(tile / tiles_x) * kTile;
        for (int y = y0; y < std::min(y0 + kTile, settings.height); ++y)
            for (int x = x0; x < std::min(x0 + kTile, settings.width); ++x)
                render_pixel(tracer, camera, settings.samples, x, y, image);
    });
    return image;
}

Image develop(const std::vector<Rgb>& radiance, int width, int height, double exposure)
{
    Image image(width, height);
    RIVULET_VERIFY(image.pixels.size() == 3 * radiance.size());
    parallel_for(
        static_cast<std::int64_t>(radiance.size()), "develop",
        [&](std::int64_t i) {
            const auto p = static_cast<std::size_t>(i);
            const Rgb mapped = tone_map(radiance[p] * static_cast<float>(exposure));
            // Rounding by a random threshold hides the steps of slow gradients.
            const auto threshold = static_cast<float>(random_unit(3, p, 0));
            for (int c = 0; c < 3; ++c)
                image.pixels[3 * p + static_cast<std::size_t>(c)] =
                    static_cast<std::uint8_t>(std::min(255.0f, 255 * srgb_encode(mapped[c]) + threshold));
        },
        4096);
    return image;
}

Image render(const RenderScene& scene, const RenderSettings& settings)
{
    const RadianceImage image = render_radiance(scene, settings);
    return develop(denoise(image), image.width, image.height, scene.lighting.exposure);
}

} // namespace rivulet
