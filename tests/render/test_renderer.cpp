#include "base/error.h"
#include "base/parallel.h"
#include "render/example_scene.h"
#include "render/renderer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace rivulet {
namespace {

Lighting unit_sky()
{
    Lighting lighting;
    lighting.zenith = lighting.horizon = Vec3::Ones();
    lighting.sun = Vec3::Zero();
    return lighting;
}

RenderSettings small_settings(int width, int height, int samples)
{
    RenderSettings settings;
    settings.width = width;
    settings.height = height;
    settings.samples = samples;
    return settings;
}

RenderScene one_sphere(const Material& material)
{
    RenderScene scene;
    SphereDrawable sphere;
    sphere.centres = {Vec3(0.1, 0.2, 0.3)};
    sphere.radii = {0.05};
    sphere.material = material;
    scene.spheres.push_back(sphere);
    return scene;
}

Rgb pixel(const RadianceImage& image, int x, int y)
{
    return image.radiance[static_cast<std::size_t>(y * image.width + x)];
}

/// Camera straight above the origin at height 2 m.
Camera from_above()
{
    Camera camera;
    camera.automatic = false;
    camera.position = {0, 0, 2};
    camera.up = Vec3::UnitY();
    camera.field_of_view = 0.5;
    return camera;
}

TEST(Renderer, SamePixelsOnAnyNumberOfThreads)
{
    const RenderScene scene = testing::example_scene(40);
    const RenderSettings settings = small_settings(120, 68, 4);
    std::vector<std::uint8_t> reference;
    for (const int n_threads : {1, 2, 3, 8}) {
        const Image image = with_threads(n_threads, [&](int) { return render(scene, settings); });
        if (reference.empty()) reference = image.pixels;
        EXPECT_EQ(image.pixels, reference) << n_threads << " threads";
    }
}

TEST(Renderer, WhiteFurnaceHidesAWhiteMattSphere)
{
    Material white;
    white.surface = Surface::Diffuse;
    white.colour = Vec3::Ones();
    RenderScene scene = one_sphere(white);
    scene.lighting = unit_sky();
    RenderSettings settings = small_settings(48, 48, 8);
    settings.ground = false;
    for (const Rgb& radiance : render_radiance(scene, settings).radiance)
        EXPECT_NEAR((radiance - 1).abs().maxCoeff(), 0, 1e-4);
}

TEST(Renderer, WhiteFurnaceHidesAClearDrop)
{
    Material clear;
    clear.surface = Surface::Liquid;
    clear.colour = Vec3::Ones();
    RenderScene scene = one_sphere(clear);
    scene.lighting = unit_sky();
    RenderSettings settings = small_settings(32, 32, 64);
    settings.ground = false;
    double sum = 0;
    const RadianceImage image = render_radiance(scene, settings);
    for (const Rgb& radiance : image.radiance) sum += luminance(radiance);
    EXPECT_NEAR(sum / static_cast<double>(image.radiance.size()), 1, 5e-3);
}

TEST(Renderer, LiquidInsideOfLiquidThatOverlapsIsNotSeen)
{
    Material clear;
    clear.surface = Surface::Liquid;
    clear.colour = Vec3(0.3, 0.5, 0.9);
    clear.absorption_distance = 0.05;
    clear.overlaps = true;
    RenderScene scene = one_sphere(clear);
    const auto mean = [&] {
        Rgb sum = Rgb::Zero();
        const RadianceImage image = render_radiance(scene, small_settings(48, 48, 16));
        for (int y = 18; y < 30; ++y)
            for (int x = 18; x < 30; ++x) sum += pixel(image, x, y) / 144;
        return sum;
    };
    scene.focus = content_bounds(scene);
    const Rgb alone = mean();
    scene.spheres[0].centres.emplace_back(0.11, 0.19, 0.30); // wholly inside
    scene.spheres[0].radii.push_back(0.03);
    EXPECT_LT((mean() - alone).abs().maxCoeff(), 0.01 * alone.maxCoeff());
    scene.spheres[0].material.overlaps = false;
    EXPECT_GT((mean() - alone).abs().maxCoeff(), 0.03 * alone.maxCoeff()); // else it would be seen
}

TEST(Renderer, GreySphereInAUnitSkyShowsItsAlbedo)
{
    Material grey;
    grey.surface = Surface::Diffuse;
    grey.colour = {0.2, 0.5, 0.8};
    RenderScene scene = one_sphere(grey);
    scene.lighting = unit_sky();
    RenderSettings settings = small_settings(33, 33, 8);
    settings.ground = false;
    EXPECT_NEAR((pixel(render_radiance(scene, settings), 16, 16) - Rgb(0.2f, 0.5f, 0.8f)).abs().maxCoeff(), 0, 1e-4);
}

TEST(Renderer, AnOpenMeshIsLitOnTheSideThatIsSeenWhicheverWayItIsWound)
{
    for (const bool is_turned : {false, true}) {
        MeshDrawable cloth; // a square without thickness
        cloth.mesh.vertices = {{-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}};
        cloth.mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
        if (is_turned)
            for (auto& triangle : cloth.mesh.triangles) std::swap(triangle[1], triangle[2]);
        cloth.material.surface = Surface::Diffuse;
        cloth.material.colour = {0.2, 0.5, 0.8};
        RenderScene scene;
        scene.focus = {Vec3(-1, -1, 0), Vec3(1, 1, 1)};
        scene.meshes.push_back(cloth);
        scene.lighting = unit_sky();
        scene.lighting.zenith = scene.lighting.horizon = Vec3::Zero();
        scene.lighting.sun = Vec3::Constant(M_PI);
        RenderSettings settings = small_settings(9, 9, 64);
        settings.ground = false;
        const auto seen = [&](double eye, double sun) {
            settings.camera = from_above();
            settings.camera.position.z() = 1 + eye;
            settings.camera.target = Vec3(0, 0, 1);
            settings.sun_direction = {0, 0, sun};
            return pixel(render_radiance(scene, settings), 4, 4);
        };
        const Rgb albedo(0.2f, 0.5f, 0.8f); // times irradiance over pi
        EXPECT_LT((seen(1, 1) - albedo).abs().maxCoeff(), 2e-3);
        EXPECT_LT((seen(-1, -1) - albedo).abs().maxCoeff(), 2e-3);
        EXPECT_EQ(seen(1, -1).maxCoeff(), 0); // the other side is in its shadow
        EXPECT_EQ(seen(-1, 1).maxCoeff(), 0);
    }
}

TEST(Renderer, GroundInFullSunReflectsAlbedoTimesIrradianceOverPi)
{
    RenderScene scene;
    scene.focus = {Vec3(-1, -1, 0), Vec3(1, 1, 1)};
    scene.ground_colour = Vec3::Constant(0.5);
    scene.lighting = unit_sky();
    scene.lighting.zenith = scene.lighting.horizon = Vec3::Zero();
    scene.lighting.sun = Vec3::Constant(M_PI);
    RenderSettings settings = small_settings(9, 9, 64);
    settings.camera = from_above();
    settings.sun_direction = {0, 0, 1};
    EXPECT_NEAR(pixel(render_radiance(scene, settings), 4, 4)[0], 0.5, 1e-3);
    settings.sun_direction = {std::sqrt(3.0), 0, 1}; // 60 degrees from the zenith: half
    EXPECT_NEAR(pixel(render_radiance(scene, settings), 4, 4)[0], 0.25, 2e-3);
}

TEST(Renderer, SunShadowLiesWhereGeometrySaysAndHasASoftEdge)
{
    RenderScene scene;
    scene.focus = {Vec3(-1, -1, 0), Vec3(1, 1, 1)};
    scene.lighting.zenith = scene.lighting.horizon = Vec3::Constant(1e-6);
    SphereDrawable ball;
    ball.centres = {Vec3(0.3, 0, 0.3)};
    ball.radii = {0.1};
    scene.spheres.push_back(ball);
    RenderSettings settings = small_settings(101, 101, 16);
    settings.camera = from_above();
    settings.sun_direction = {1, 0, 1}; // the shadow's middle is at the origin
    const RadianceImage image = render_radiance(scene, settings);
    const float shadow = luminance(pixel(image, 50, 50)), lit = luminance(pixel(image, 10, 50));
    EXPECT_LT(shadow, 1e-3f * lit);
    // Along y the shadow is 0.1 wide; a pixel is 2 * 2 * tan(0.25) / 101 = 0.0101. The half shade is at 9.9 pixels.
    EXPECT_LT(luminance(pixel(image, 50, 57)), 1e-3f * lit);
    EXPECT_GT(luminance(pixel(image, 50, 63)), 0.98f * lit);
    const float edge = luminance(pixel(image, 50, 60)) / lit;
    EXPECT_GT(edge, 0.1f);
    EXPECT_LT(edge, 0.98f);
}

TEST(Renderer, LiquidLayerTakesItsColourByDepth)
{
    // A slab 0.1 m thick over a black nothing, lit by a unit sky from behind: looking straight down through it.
    RenderScene scene;
    scene.focus = {Vec3(-1, -1, 0), Vec3(1, 1, 1)};
    scene.lighting = unit_sky();
    TriangleMesh slab;
    for (const double z : {0.0, 0.1})
        for (const double y : {-2.0, 2.0})
            for (const double x : {-2.0, 2.0}) slab.vertices.emplace_back(x, y, z);
    slab.triangles = {{4, 5, 7}, {4, 7, 6}, {0, 2, 3}, {0, 3, 1}};
    Material dye;
    dye.surface = Surface::Liquid;
    dye.colour = {0.25, 0.25, 0.25};
    dye.absorption_distance = 0.1;
    dye.refractive_index = 1.0001; // no reflection to speak of
    scene.meshes.push_back({slab, dye});
    RenderSettings settings = small_settings(9, 9, 4);
    settings.camera = from_above();
    settings.ground = false;
    const float through = pixel(render_radiance(scene, settings), 4, 4)[0];
    // 0.25 of the light passes; of the 0.75 absorbed, 0.22 * 0.25 is scattered back: 0.25 + 0.04125.
    EXPECT_NEAR(through, 0.29125, 2e-3);
}

TEST(Renderer, WaterIsBluerThanTheFloorBeneathAndNowhereBlack)
{
    RenderScene scene = testing::example_scene(30);
    const RenderSettings settings = small_settings(96, 54, 4);
    const RadianceImage wet = render_radiance(scene, settings);
    scene.meshes.clear();
    const RadianceImage dry = render_radiance(scene, settings);
    // Where water is in front of the floor the picture is bluer, and nowhere black.
    Rgb with = Rgb::Zero(), without = Rgb::Zero();
    for (int y = 30; y < 48; ++y)
        for (int x = 30; x < 66; ++x) {
            with += pixel(wet, x, y);
            without += pixel(dry, x, y);
        }
    EXPECT_GT(with[2] / with[0], 1.3f * without[2] / without[0]);
    for (const Rgb& radiance : wet.radiance) {
        EXPECT_TRUE(radiance.allFinite());
        EXPECT_GT(luminance(radiance), 1e-3f);
    }
}

TEST(Renderer, ASmallerSceneGivesTheSamePicture)
{
    const RenderScene scene = testing::example_scene(20);
    RenderScene small = scene;
    constexpr double kScale = 1.0 / 1024; // exact in floating point
    for (Vec3& x : small.meshes[0].mesh.vertices) x *= kScale;
    for (SphereDrawable& spheres : small.spheres) {
        for (Vec3& x : spheres.centres) x *= kScale;
        for (double& r : spheres.radii) r *= kScale;
    }
    for (Vec3& x : small.curves[0].vertices) x *= kScale;
    small.curves[0].radii[0] *= kScale;
    small.domain = {kScale * scene.domain.lower, kScale * scene.domain.upper};
    small.contact_gap *= kScale;
    RenderSettings settings = small_settings(64, 36, 2);
    settings.ground = false; // its tiles are round numbers of metres
    const Image a = render(scene, settings), b = render(small, settings);
    std::size_t n_different = 0;
    for (std::size_t i = 0; i < a.pixels.size(); ++i) n_different += std::abs(a.pixels[i] - b.pixels[i]) > 2;
    EXPECT_LT(n_different, a.pixels.size() / 100); // rounding may turn a path here and there
}

TEST(Renderer, WetStrandsAreDarkerThanDryOnes)
{
    RenderScene scene;
    scene.curves.push_back(testing::tuft(Vec3::Zero(), 300));
    RenderSettings settings = small_settings(64, 64, 4);
    const auto mean = [&](double wetness) {
        for (double& w : scene.curves[0].wetness) w = wetness;
        const RadianceImage image = render_radiance(scene, settings);
        double sum = 0;
        for (int y = 24; y < 40; ++y)
            for (int x = 24; x < 40; ++x) sum += luminance(pixel(image, x, y));
        return sum;
    };
    EXPECT_LT(mean(1), 0.85 * mean(0));
}

/// Luminance along x of a sheet of strands bent about y, which ends 30 degrees to either side, under the sun above it.
std::vector<double> across_bent_strands(double wetness)
{
    constexpr int kStrands = 120, kVertices = 33;
    RenderScene scene;
    CurveDrawable& curves = scene.curves.emplace_back();
    curves.radii = {0.004};
    for (int s = 0; s < kStrands; ++s) {
        curves.starts.push_back(static_cast<int>(curves.vertices.size()));
        for (int v = 0; v < kVertices; ++v) {
            const double angle = M_PI / 6 * (2.0 * v / (kVertices - 1) - 1);
            curves.vertices.emplace_back(std::sin(angle), 0.006 * (s - 0.5 * kStrands), std::cos(angle) - 1);
            curves.colours.emplace_back(0.3, 0.2, 0.1);
            curves.wetness.push_back(wetness);
        }
    }
    RenderSettings settings = small_settings(100, 40, 16);
    settings.camera = from_above();
    settings.sun_direction = Vec3::UnitZ();
    settings.ground = false;
    const RadianceImage image = render_radiance(scene, settings);
    std::vector<double> light;
    for (int x = 34; x < 66; ++x) { // beside it is the sky
        double sum = 0;
        for (int y = 14; y < 26; ++y) sum += luminance(pixel(image, x, y));
        light.push_back(sum / 12);
    }
    return light;
}

TEST(Renderer, WetStrandsShineMoreThanDryOnesInANarrowerHighlight)
{
    const std::vector<double> dry = across_bent_strands(0), wet = across_bent_strands(1);
    const auto peak = [](const std::vector<double>& light) { return *std::max_element(light.begin(), light.end()); };
    const auto width = [&](const std::vector<double>& light, double base) {
        return std::count_if(light.begin(), light.end(),
                             [&](double l) { return l - base > 0.5 * (peak(light) - base); });
    };
    const auto base = [](const std::vector<double>& light) { return std::min(light.front(), light.back()); };
    EXPECT_GT(peak(wet), 1.5 * peak(dry)); // measured 1.73 against 0.63
    EXPECT_LT(base(wet), 0.6 * base(dry)); // measured 0.45 of it, as the colour
    EXPECT_LT(width(wet, base(wet)), 0.7 * double(width(dry, base(dry))));
}

TEST(Renderer, RefusesWhatItCannotDraw)
{
    RenderScene scene = testing::example_scene(4);
    scene.meshes[0].mesh.triangles[0][1] = 1 << 20;
    EXPECT_THROW((void)render(scene, small_settings(8, 8, 1)), InputError);
    scene = testing::example_scene(4);
    scene.spheres[0].centres[0].x() = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW((void)render(scene, small_settings(8, 8, 1)), InputError);
    scene = testing::example_scene(4);
    EXPECT_THROW((void)render(scene, small_settings(0, 8, 1)), InputError);
    RenderSettings settings = small_settings(8, 8, 1);
    settings.camera.automatic = false; // position = target
    EXPECT_THROW((void)render(scene, settings), InputError);
}

TEST(Renderer, EmptySceneIsJustGroundAndSky)
{
    const Image image = render(RenderScene{}, small_settings(16, 9, 1));
    EXPECT_EQ(image.width, 16);
    for (const std::uint8_t value : image.pixels) EXPECT_GT(value, 30);
}

} // namespace
} // namespace rivulet
