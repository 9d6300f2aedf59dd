#include "render/caustics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rivulet {
namespace {

/// A scene over [-5, 5]^2 whose placement leaves lengths nearly as they are.
struct Lit {
    RenderScene scene;
    Placement placement;

    Lit()
    {
        scene.focus = {Vec3(-3, -3, 0), Vec3(3, 3, 5.291502622129181)}; // diagonal 10: the scale is 1
        placement = place(framed_bounds(scene));
        scene.lighting.sun = Vec3::Ones();
    }
    [[nodiscard]] Rgb irradiance(const Vec3& x, const Vec3& to_sun, const Aabb& liquid) const
    {
        const SceneAccel accel(scene, placement, Vec3f(0, -20, 10), 1e-3f, true);
        const Sky sky(scene.lighting, to_sun);
        const CausticMap map(accel, sky, {placement.point(liquid.lower), placement.point(liquid.upper)},
                             placement.length(0.02));
        EXPECT_TRUE(map.covers(placement.point(x)));
        return map.irradiance(placement.point(x));
    }
};

TriangleMesh block(const Vec3& a, const Vec3& b)
{
    TriangleMesh mesh;
    for (int c = 0; c < 8; ++c)
        mesh.vertices.emplace_back(c & 1 ? b.x() : a.x(), c & 2 ? b.y() : a.y(), c & 4 ? b.z() : a.z());
    mesh.triangles = {{4, 5, 7}, {4, 7, 6}, {0, 2, 3}, {0, 3, 1}, {0, 1, 5}, {0, 5, 4},
                      {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    return mesh;
}

TEST(Caustics, FlatWaterUnderTheSunPassesAllButFresnelAndAbsorption)
{
    Lit lit;
    Material water;
    water.surface = Surface::Liquid;
    water.colour = {0.25, 0.5, 1};
    water.absorption_distance = 1;
    const Aabb box{Vec3(-2, -2, 0.01), Vec3(2, 2, 0.51)};
    lit.scene.meshes.push_back({block(box.lower, box.upper), water});
    const Rgb light = lit.irradiance(Vec3(0.3, -0.2, 0), Vec3::UnitZ(), box);
    // 1 - ((1.333 - 1) / (1.333 + 1))^2 = 0.97963, then 0.25^0.5, 0.5^0.5, 1.
    EXPECT_NEAR(light[0], 0.97963 * 0.5, 2e-3);
    EXPECT_NEAR(light[1], 0.97963 * 0.70711, 2e-3);
    EXPECT_NEAR(light[2], 0.97963, 2e-3);
}

TEST(Caustics, SlantingSunIsWeakerByItsCosine)
{
    Lit lit;
    Material water;
    water.surface = Surface::Liquid;
    water.colour = Vec3::Ones();
    const Aabb box{Vec3(-2, -2, 0.01), Vec3(2, 2, 0.51)};
    lit.scene.meshes.push_back({block(box.lower, box.upper), water});
    const Rgb light = lit.irradiance(Vec3::Zero(), Vec3(1, 0, 1), box);
    EXPECT_NEAR(light[0], 0.70711 * (1 - 0.0282), 5e-3); // Fresnel at 45 degrees into water: 0.028
}

TEST(Caustics, BallOfWaterGathersLightAtItsFocus)
{
    Lit lit;
    SphereDrawable ball;
    ball.centres = {Vec3(0, 0, 2)}; // focal length of a ball: n R / (2 (n - 1)) = 2.0 R
    ball.radii = {1};
    ball.material.surface = Surface::Liquid;
    ball.material.colour = Vec3::Ones();
    lit.scene.spheres.push_back(ball);
    const Aabb box{Vec3(-1, -1, 1), Vec3(1, 1, 3)};
    EXPECT_GT(lit.irradiance(Vec3::Zero(), Vec3::UnitZ(), box)[0], 10);
    EXPECT_LT(lit.irradiance(Vec3(0.8, 0, 0), Vec3::UnitZ(), box)[0], 0.3);
}

TEST(Caustics, WithoutLiquidThereIsNoMap)
{
    const Lit lit;
    const SceneAccel accel(lit.scene, lit.placement, Vec3f(0, -20, 10), 1e-3f, true);
    const CausticMap map(accel, Sky(lit.scene.lighting, Vec3::UnitZ()), Eigen::AlignedBox3f(), 0);
    EXPECT_FALSE(map.covers(Vec3f::Zero()));
}

} // namespace
} // namespace rivulet
