#include "effort.h"
#include "scene_texts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

namespace rivulet {
namespace {

class SceneModel : public testing::Test {
protected:
    const Scene scene = parse_scene(kFullScene, "test.toml");
    const Model& model = scene.model;
};

TEST_F(SceneModel, OptionsArriveInSi)
{
    EXPECT_DOUBLE_EQ(model.options.cell_size, 0.02);
    EXPECT_TRUE(model.options.gravity.isApprox(Vec3(0, 0, -9.81)));
    EXPECT_DOUBLE_EQ(model.options.end_time, 0.5);
    EXPECT_DOUBLE_EQ(model.options.frame_interval, 1.0 / 30);
    EXPECT_DOUBLE_EQ(model.options.max_step, 0.005);
    EXPECT_DOUBLE_EQ(model.options.min_step, 1e-6);
    EXPECT_DOUBLE_EQ(model.options.cfl, 2);
    EXPECT_EQ(model.options.max_retries, 4);
    EXPECT_DOUBLE_EQ(model.options.pressure_tolerance, 1e-7);
    EXPECT_TRUE(model.options.surface_tension);
    EXPECT_EQ(model.options.max_pressure_iterations, 300);
    EXPECT_EQ(model.options.seed, 7u);
}

TEST_F(SceneModel, DomainHasItsWalls)
{
    EXPECT_EQ(model.domain.box.upper, Vec3(1, 1, 1));
    EXPECT_EQ(model.domain.walls[5], Wall::Open);
    EXPECT_EQ(model.domain.walls[0], Wall::Closed);
    EXPECT_DOUBLE_EQ(model.domain.friction, 0.25);
}

TEST_F(SceneModel, LiquidOverridesItsMaterialAndKeepsTheRest)
{
    ASSERT_EQ(model.liquids.size(), 2u);
    const Liquid &oil = model.liquids[0], &water = model.liquids[1];
    EXPECT_EQ(oil.name, "oil");
    EXPECT_NEAR(oil.density, 900, 1e-10);
    EXPECT_NEAR(oil.viscosity, 0.08, 1e-15);
    EXPECT_NEAR(oil.surface_tension, 0.032, 1e-15);
    EXPECT_NEAR(oil.colour.y(), 0.21586, 1e-5); // sRGB 128/255 by IEC 61966-2-1
    EXPECT_NEAR(water.density, 998.2, 1e-9);
    EXPECT_NEAR(water.viscosity, 1.002e-3, 1e-12);
    EXPECT_NEAR(water.surface_tension, 0.07275, 1e-12);
}

TEST_F(SceneModel, BodiesArePosedAndMove)
{
    ASSERT_EQ(model.bodies.size(), 2u);
    const LiquidBody &pool = model.bodies[0], &ring = model.bodies[1];
    EXPECT_EQ(model.liquids.at(static_cast<std::size_t>(pool.liquid)).name, "water");
    EXPECT_NEAR(pool.velocity.x(), 0.01, 1e-15);
    EXPECT_LT(pool.shape->distance({0.5, 0.5, 0.1}), 0);
    EXPECT_GT(pool.shape->distance({0.5, 0.5, 0.3}), 0);
    EXPECT_TRUE(ring.jitter);
    EXPECT_NEAR(ring.angular_velocity.z(), 2 * std::numbers::pi, 1e-12);
    // The ring's axis x turns into y, so that the tube passes 10 cm beside the centre along x.
    EXPECT_NEAR(ring.shape->distance(ring.pose.to_body({0.6, 0.5, 0.7})), -0.03, 1e-9);
}

TEST_F(SceneModel, ObstaclesMoveAsScripted)
{
    ASSERT_EQ(model.obstacles.size(), 2u);
    const Obstacle& stick = model.obstacles[1];
    EXPECT_FALSE(stick.visible);
    ASSERT_EQ(stick.motion.keyframes.size(), 2u);
    EXPECT_EQ(stick.motion.keyframes[1].easing, Easing::Smooth);
    EXPECT_NEAR(stick.motion.keyframes[1].rotation.z(), 2 * std::numbers::pi, 1e-12);
    EXPECT_NEAR(stick.motion.spin.y(), 0.20943951, 1e-8);
    EXPECT_NEAR(stick.motion.drift.x(), 0.01, 1e-15);
    EXPECT_TRUE(model.obstacles[0].motion.pose(0).position.isApprox(Vec3(0.2, 0.2, 0.3)));
}

TEST_F(SceneModel, DifferenceTakesAllButTheFirstAway)
{
    const Shape& bowl = *model.obstacles[0].shape;
    EXPECT_LT(bowl.distance({0, 0, -0.09}), 0); // in the shell
    EXPECT_GT(bowl.distance({0, 0, 0.02}), 0);  // in the hollow
    EXPECT_GT(bowl.distance({0, 0, 0.095}), 0); // cut by the plane
    EXPECT_GT(bowl.distance({0, 0, -0.12}), 0); // outside
}

TEST_F(SceneModel, SourcesDrainsAndProbesAreComplete)
{
    EXPECT_DOUBLE_EQ(model.sources.at(0).start, 0.1);
    EXPECT_DOUBLE_EQ(model.sources.at(0).stop, 0.2);
    EXPECT_EQ(model.sources.at(0).velocity, Vec3(0, 0, -1));
    EXPECT_DOUBLE_EQ(model.drains.at(0).stop, 9);
    ASSERT_EQ(model.probes.size(), 3u);
    EXPECT_EQ(model.probes[0].kind, ProbeKind::Value);
    EXPECT_TRUE(model.probes[0].point.isApprox(Vec3(0.5, 0.5, 0.1)));
    EXPECT_EQ(model.probes[1].object, "water");
    EXPECT_EQ(model.probes[1].every, Sampling::Step);
    EXPECT_LT(model.probes[1].region->distance({0.25, 0.5, 0.5}), 0);
    EXPECT_EQ(model.probes[2].kind, ProbeKind::Force);
}

TEST_F(SceneModel, PicturesAndExpectationsArrive)
{
    EXPECT_FALSE(scene.render.camera.automatic);
    EXPECT_NEAR(scene.render.camera.field_of_view, std::numbers::pi / 6, 1e-12);
    EXPECT_EQ(scene.render.width, 640);
    EXPECT_FALSE(scene.render.ground);
    ASSERT_EQ(scene.expectations.size(), 1u);
    EXPECT_EQ(scene.expectations[0].when, Expectation::When::Mean);
    EXPECT_NEAR(scene.expectations[0].value, 1e-3, 1e-18);
    EXPECT_NEAR(scene.expectations[0].tolerance, 1e-6, 1e-21);
}

void expect_round_trip(const Scene& scene)
{
    const Scene again = parse_scene(scene.resolved_toml, "elsewhere/resolved.toml");
    EXPECT_EQ(again.resolved_toml, scene.resolved_toml);
    EXPECT_EQ(again.resolved_keys, scene.resolved_keys);
    EXPECT_EQ(again.fingerprint, scene.fingerprint);
    EXPECT_TRUE(scene_differences(scene, again).empty());
}

TEST_F(SceneModel, ResolvedSceneLoadsToTheSameScene) { expect_round_trip(scene); }

TEST(SceneFiles, EveryGallerySceneLoadsAndRoundTrips)
{
    int found = 0;
    for (const auto& entry : std::filesystem::directory_iterator(RIVULET_SOURCE_DIR "/scenes")) {
        if (entry.path().extension() != ".toml") continue;
        if (test::kIsSlowBuild && entry.path().stem().string().ends_with("_full")) continue; // minutes of growing hair
        SCOPED_TRACE(entry.path().string());
        expect_round_trip(load_scene(entry.path()));
        ++found;
    }
    EXPECT_GE(found, 1);
}

TEST(SceneFingerprint, FollowsTheSimulationAndNotThePictures)
{
    const Scene plain = parse_scene(kFullScene, "test.toml");
    const auto with = [](const char* override_text) { return parse_scene(kFullScene, "test.toml", {override_text}); };
    EXPECT_EQ(with("render.width=320").fingerprint, plain.fingerprint);
    EXPECT_EQ(with("title=other").fingerprint, plain.fingerprint);
    EXPECT_EQ(with("obstacles.stick.visible=true").fingerprint, plain.fingerprint);
    EXPECT_EQ(with("simulation.cell_size=0.02").fingerprint, plain.fingerprint);
    EXPECT_NE(with("simulation.cell_size=2.5 cm").fingerprint, plain.fingerprint);
    EXPECT_NE(with("obstacles.stick.friction=0.5").fingerprint, plain.fingerprint);
    EXPECT_NE(with("simulation.seed=8").fingerprint, plain.fingerprint);
}

TEST(SceneDifferences, NameTheKeyWithOldAndNew)
{
    const Scene before = parse_scene(kFullScene, "test.toml");
    const Scene after = parse_scene(kFullScene, "test.toml", {"simulation.cell_size=2.5 cm", "title=other"});
    EXPECT_EQ(scene_differences(before, after), std::vector<std::string>{"simulation.cell_size: 0.02 -> 0.025"});
}

const std::string kBare = "[simulation]\ncell_size = 0.1\n[domain]\nlower = [0, 0, 0]\nupper = [1, 1, 1]\n";

TEST(SceneProbes, OfForcesAloneHaveLoadsMeasured)
{
    EXPECT_TRUE(parse_scene(kFullScene, "test.toml").model.measures_loads);
    const std::string text = kBare + "[liquids.water]\n[probes.p]\nkind='maximum'\nfield='speed'\nevery='step'\n";
    EXPECT_FALSE(parse_scene(text, "test.toml").model.measures_loads);
}

TEST(SceneOverrides, OfAKindKeepTheKeysThatItKnows)
{
    const std::string text = kBare + "[liquids.water]\n[probes.p]\nkind='maximum'\nfield='speed'\nevery='step'\n";
    const Probe probe = parse_scene(text, "test.toml", {"probes.p.kind=minimum"}).model.probes.at(0);
    EXPECT_EQ(probe.kind, ProbeKind::Minimum);
    EXPECT_EQ(probe.field, "speed");
    EXPECT_EQ(probe.every, Sampling::Step); // was lost without a word
}

TEST(SceneOverrides, OfATypeNameTheKeysThatItDoesNotKnow)
{
    const std::string text =
        kBare + "[obstacles.o]\nshape={type='capsule', start=[0,0,0], end=[0,0,0.2], radius=0.1, centre=[0,0,0]}\n";
    const std::string with_cylinder =
        kBare + "[obstacles.o]\nshape={type='cylinder', start=[0,0,0], end=[0,0,0.2], radius=0.1}\n";
    EXPECT_EQ(problem_of(with_cylinder, {"obstacles.o.shape.type=capsule"}), ""); // which has the same keys
    const std::string problem = problem_of(with_cylinder, {"obstacles.o.shape.type=sphere"});
    const std::string reason = "does not apply where type is \"sphere\", as set by --set obstacles.o.shape.type=sphere "
                               "(a table given as one, { type = \"sphere\", ... }, replaces all of this one)";
    EXPECT_NE(problem.find("test.toml:7:25: obstacles.o.shape.start: " + reason), std::string::npos) << problem;
    EXPECT_NE(problem.find("obstacles.o.shape.end: " + reason), std::string::npos) << problem;
    EXPECT_EQ(problem.find("shape.radius"), std::string::npos) << problem;
    EXPECT_EQ(problem_of(with_cylinder, {"obstacles.o.shape={type='sphere', radius=0.2}"}), "");
    // A mistake of one text alone is told as before.
    EXPECT_NE(problem_of(text).find("obstacles.o.shape.centre: does not apply where type is \"capsule\"; allowed"),
              std::string::npos)
        << problem_of(text);
}

TEST(SceneOverrides, AreParsedAsTomlAndElseAsText)
{
    const auto cell = [](const char* override_text) {
        return parse_scene(kFullScene, "test.toml", {override_text}).model.options.cell_size;
    };
    EXPECT_DOUBLE_EQ(cell("simulation.cell_size=4 cm"), 0.04);
    EXPECT_DOUBLE_EQ(cell("simulation.cell_size=\"4 cm\""), 0.04);
    EXPECT_DOUBLE_EQ(cell("simulation.cell_size=0.04"), 0.04);
    const Scene moved =
        parse_scene(kFullScene, "test.toml", {"bodies.pool.shape={type='sphere',centre='50 50 10 cm',radius='5 cm'}"});
    EXPECT_NEAR(moved.model.bodies[0].shape->distance({0.5, 0.5, 0.1}), -0.05, 1e-12);
}

TEST(SceneFileErrors, MissingFileIsAnIoErrorThatNamesIt)
{
    try {
        static_cast<void>(load_scene("no/such/scene.toml"));
        FAIL();
    } catch (const IoError& error) {
        EXPECT_NE(std::string(error.what()).find("no/such/scene.toml"), std::string::npos);
    }
}

} // namespace
} // namespace rivulet
