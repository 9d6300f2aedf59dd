#include "scene/balance.h"
#include "scene/scene.h"
#include "scene_texts.h"
#include "temporary_folder.h"

#include "geometry/shapes.h"
#include "sim/diagnostics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace rivulet {
namespace {

TEST(StrandScene, IsBuiltAsWritten)
{
    const Model m = parse_scene(kStrandScene, "strands.toml").model;
    ASSERT_EQ(m.strands.n_strands(), 19 + 9 + 3 + 25);
    ASSERT_EQ(m.strand_groups.size(), 7u);
    EXPECT_EQ(m.strand_groups[0].name, "fur"); // by name, as all groups of a scene
    EXPECT_EQ(m.strand_groups[0].n_strands, 10);
    EXPECT_EQ(m.strand_groups[0].picture_radius, 2e-4);
    const RodMaterial& hair = m.strands.materials[0];
    EXPECT_DOUBLE_EQ(hair.density, 1300);
    EXPECT_DOUBLE_EQ(hair.youngs_modulus, 4e9);
    EXPECT_DOUBLE_EQ(hair.radius_a, 40e-6);
    EXPECT_DOUBLE_EQ(hair.radius_b, 20e-6);
    EXPECT_DOUBLE_EQ(m.strands.materials[1].youngs_modulus, 1e5); // the noodle's, from the library
    EXPECT_EQ(m.options.strand_integrator, StrandIntegrator::Euler);
    EXPECT_EQ(m.options.strand_contact, StrandContactLaw::None);
    EXPECT_EQ(m.options.strand_penalty.stiffness, 2000);
    EXPECT_EQ(m.options.strand_penalty.range, 1.2);
    EXPECT_EQ(m.air.velocity, Vec3(1, 0, 0));
    // Ten pins of the fur, a clamp (two pins) of the reed, none of the noodle; three on each of the tow.
    ASSERT_EQ(m.strands.pins.size(), 12u + 3u * 7u);
    EXPECT_EQ(m.strands.pins[0].release, 0.5);
    EXPECT_TRUE(m.strands.pins[10].clamps_edge);
    ASSERT_EQ(m.strands.loads.size(), 8u);
    EXPECT_EQ(m.strands.loads[0].vertex, m.strands.first[12] - 1);
    EXPECT_EQ(m.strands.loads[1].vertex, m.strands.first[12] + 12);
    EXPECT_EQ(m.strands.loads[1].stop, 0.2);
    ASSERT_EQ(m.strands.joints.size(), 7u);
    for (std::size_t i = 0; i < 7; ++i) {
        const StrandJoint& j = m.strands.joints[i];
        EXPECT_EQ(j.a, m.strands.first[12 + i] + 20);
        EXPECT_EQ(j.s, 0);
        EXPECT_TRUE(j.b < m.strands.first[12 + i] || j.b >= m.strands.first[13 + i]); // another of the tow
        const auto& x = m.strands_at_start.position;
        const auto b = static_cast<std::size_t>(j.b);
        const Vec3 tied = (1 - j.t) * x[b] + j.t * x[b + 1];
        EXPECT_LT((x[static_cast<std::size_t>(j.a)] - tied).norm(), 0.3e-3); // 0.2 mm lie between them
    }
}

TEST(StrandScene, PinsHoldVerticesCountedFromEitherEndWhereTheyAre)
{
    const Model m = parse_scene(kStrandScene, "strands.toml").model;
    const std::int32_t begin = m.strands.first[12], end = m.strands.first[13];
    const StrandPin &moved = m.strands.pins[12], &clamp = m.strands.pins[13], &after = m.strands.pins[14];
    EXPECT_EQ(moved.vertex, begin + 3);
    EXPECT_EQ(moved.release, 1);
    const Vec3 world = m.obstacles[0].motion.pose(0).to_world(moved.position);
    EXPECT_LT((world - m.strands_at_start.position[static_cast<std::size_t>(begin + 3)]).norm(), 1e-15);
    EXPECT_EQ(clamp.vertex, end - 2);
    EXPECT_EQ(clamp.body, -1);
    EXPECT_TRUE(clamp.clamps_edge);
    EXPECT_EQ(after.vertex, end - 1);
    EXPECT_FALSE(after.clamps_edge);
    EXPECT_EQ(m.probes[4].kind, ProbeKind::StrandPosition); // by name: caught, dripped, pull, strain, tip
    EXPECT_EQ(m.probes[4].strand, 9);
    EXPECT_EQ(probe_columns(m.probes[4]).size(), 3u);
    EXPECT_EQ(probe_unit(m.probes[2]), "N");
    EXPECT_EQ(m.probes[0].kind, ProbeKind::CaughtVolume);
    EXPECT_EQ(m.probes[1].object, "rinse");
    EXPECT_EQ(probe_unit(m.probes[1]), "m3");
}

/// A hair that stands up falls over from 9 cm on (Greenhill 1881), and the stiffness that it takes to stand grows with
/// the cube of the length.
TEST(StrandScene, StrandsWhoseBalanceWithGravityIsNotStableAreWarnedOf)
{
    const auto warnings = [](const std::string& length, const std::string& sag_free) {
        const std::string text = R"([simulation]
cell_size = "1 cm"
[domain]
lower = "0 0 0 m"
upper = "1 1 1 m"
[strands.hair]
kind = "bundle"
count = 3
vertices = 41
radius = "35 um"
density = "1300 kg/m3"
youngs_modulus = "3.9 GPa"
shear_modulus = "1.3 GPa"
start = "0.5 0.5 0.5 m"
)";
        return balance_warnings(
            parse_scene(text + "end = \"0.5 0.5 " + length + " m\"\nsag_free = " + sag_free + "\n", "hair.toml"));
    };
    EXPECT_TRUE(warnings("0.7", "false").empty());
    EXPECT_TRUE(warnings("0.58", "true").empty());
    EXPECT_TRUE(warnings("0.1", "true").empty()); // hangs
    const std::vector<std::string> lines = warnings("0.7", "true");
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_TRUE(lines[0].starts_with("strands.hair: 3 of 3 will not stay where they begin in spite of sag_free"));
    const double stiffer = std::stod(lines[0].substr(lines[0].find("shear_modulus are ") + 18));
    EXPECT_NEAR(stiffer, 10.6, 0.3) << lines[0]; // (20 cm less half an edge, over 8.99 cm)^3
}

TEST(StrandScene, VerticesThatAreNotThereOrHeldTwiceAreRefused)
{
    const auto expect = [](const std::string& override_, const std::string& message) {
        EXPECT_NE(problem_of(kStrandScene, {override_}).find(message), std::string::npos)
            << problem_of(kStrandScene, {override_});
    };
    expect("strands.tow.pins=[{vertex=31}]", "strands.tow.pins[0].vertex: 31 is beyond the strand; allowed: -31 to 30");
    expect("strands.tow.pins=[{vertex=-1,held='clamp'}]", "strands.tow.pins[0].vertex: -1 is beyond the strand's last");
    expect("strands.tow.pins=[{vertex=5,held='clamp'},{vertex=6}]", "strands.tow.pins[1].vertex: is held already");
    expect("strands.reed.pins=[{vertex=1}]", "strands.reed.pins[0].vertex: is held already");
    expect("strands.fur.sag_free=true", "strands.fur.sag_free: needs strands that are held by their clamped");
    expect("strands.tow.loads=[{vertex=-32,force=[0,0,0]}]", "strands.tow.loads[0].vertex: -32 is beyond");
    expect("simulation.strand_integrator=\"midpoint\"", "simulation.strand_integrator: does not go with joints");
    expect("simulation.strand_contact=\"penalty\"", "simulation.strand_contact: \"penalty\" does not go with joints");
    expect("strands.tow.joints=[{vertex=31,strands=\"tow\"}]", "strands.tow.joints[0].vertex: 31 is beyond");
    expect("strands.tow.joints=[{strands=\"tow\",within=\"1 um\"}]", "strands.tow.joints[0].strands: strand 0 is");
    expect("strands.tow.joints=[{strands=\"tow\",within=\"1 kg\"}]", "strands.tow.joints[0].within");
    expect("strands.tow.joints=[{strands=\"nobody\"}]", "strands.tow.joints[0].strands");
    expect("strands.tow.loads=[{force=[0,0,0],start=1,stop=1}]", "strands.tow.loads[0].stop: 1 s is not after start");
    expect("probes.tip.strand=10", "probes.tip.strand: 10 is beyond the group; allowed: 0 to 9");
    expect("probes.tip.vertex=40", "probes.tip.vertex: 40 is beyond the strand; allowed: -40 to 39");
    expect("probes.pull.vertex=30", "probes.pull.vertex: 30 is beyond the strand's last edge; allowed: -31 to 29");
    expect("strands.tow.end='0 0 0 m'", "strands.tow.end: is where the start is");
    expect("strands.tow.vertices=12", "strands.tow.vertices: gives 3.7 edges in a turn");
}

TEST(StrandScene, FilesArePlacedThinnedAndSpreadAnew)
{
    const TemporaryFolder temporary;
    const std::filesystem::path& folder = temporary.path();
    std::ofstream file(folder / "hair.obj");
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 4; ++k) file << "v " << i << " 0 " << k << "\n";
    for (int i = 0; i < 6; ++i)
        file << "l " << 4 * i + 1 << " " << 4 * i + 2 << " " << 4 * i + 3 << " " << 4 * i + 4 << "\n";
    file << "v 9 9 9\nv 9 9 8\nl 25 26\n"; // too short a strand, the seventh
    file.close();
    const std::string text = "[domain]\nlower=[0,0,0]\nupper=[1,1,1]\n[simulation]\ncell_size=0.1\n[strands.s]\n"
                             "kind='file'\nfile='hair.obj'\nscale=0.01\nposition='1 0 0 m'\n"
                             "rotation={axis=[1,0,0],angle='90 deg'}\n";
    const auto build = [&](const std::string& more) { return parse_scene(text + more, folder / "s.toml").model; };
    const Model m = build("count=3\n"); // numbers 0, 2, 4
    ASSERT_EQ(m.strands.n_strands(), 3);
    EXPECT_EQ(m.strands.n_vertices(), 12);
    EXPECT_LT((m.strands_at_start.position[7] - Vec3(1.02, -0.03, 0)).norm(), 1e-12);
    const Model dense = build("vertices=7\n");
    ASSERT_EQ(dense.strands.n_strands(), 7);
    EXPECT_LT((dense.strands_at_start.position[1] - Vec3(1, -0.005, 0)).norm(), 1e-12);
    try {
        (void)build("");
        FAIL() << "not noticed";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("strand 6 has 2 vertices; allowed: at least 3"), std::string::npos);
    }
}

TEST(StrandScene, PinsThatMeetInTheLongerStrandsOfAGroupAreRefused)
{
    const TemporaryFolder temporary;
    const std::filesystem::path& folder = temporary.path();
    std::ofstream file(folder / "hair.obj");
    for (int k = 0; k < 10; ++k) file << "v 0 " << (k < 4 ? 0 : 1) << " " << k << "\n";
    file << "l 1 2 3 4\nl 5 6 7 8 9 10\n"; // vertex -3 is 1 of the first strand, 3 of the second
    file.close();
    const std::string text = "[domain]\nlower=[0,0,0]\nupper=[9,9,9]\n[simulation]\ncell_size=0.5\n[strands.s]\n"
                             "kind='file'\nfile='hair.obj'\nheld='free'\npins=[{vertex=3},{vertex=-3}]\n";
    try {
        (void)parse_scene(text, folder / "s.toml");
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("strands.s.pins[1].vertex: is held already in strands of 6 vertices"),
                  std::string::npos)
            << error.what();
    }
}

TEST(StrandScene, GroomsStayEmptyWhereNothingIsToGrow)
{
    const ParseOptions options{.grows_strands = false};
    const Scene scene = parse_scene(kStrandScene, "strands.toml", {"strands.fur.count=20"}, options);
    EXPECT_EQ(scene.model.strand_groups[0].n_strands, 0);
    EXPECT_EQ(scene.model.strands.n_strands(), 2);
    EXPECT_EQ(scene.fingerprint, parse_scene(kStrandScene, "strands.toml", {"strands.fur.count=20"}).fingerprint);
}

TEST(StrandScene, RootsAreOnTheSurfaceInTheRegionAndHeldByTheBody)
{
    const Model m = parse_scene(kStrandScene, "strands.toml").model;
    for (std::size_t s = 0; s < 10; ++s) {
        const StrandPin& pin = m.strands.pins[s];
        const auto v = static_cast<std::size_t>(m.strands.first[s]);
        const Vec3 world = m.obstacles[0].motion.pose(0).to_world(pin.position);
        EXPECT_LT((world - m.strands_at_start.position[v]).norm(), 1e-15);
        const double edge = m.strands.rest_length[v]; // half of the first edge is below the surface
        EXPECT_NEAR(pin.position.norm(), 0.1 - 0.5 * edge, 1e-12);
        EXPECT_GT(pin.position.z(), 0.02 - edge);
        EXPECT_GT(m.strands_at_start.velocity[v].norm(), 0.01); // the body moves from the start
    }
}

TEST(StrandScene, RootsByAreaAreAsManyAsTheSurfaceHolds)
{
    const Model m =
        parse_scene("[domain]\nlower=[-1,-1,-1]\nupper=[1,1,1]\n[simulation]\ncell_size=0.1\n[obstacles.o]\n"
                    "shape={type='sphere',radius='10 cm'}\n[strands.s]\nkind='groom'\nobstacle='o'\n"
                    "roots_per_area='0.1 1/cm2'\nlength='1 cm'\n",
                    "s.toml")
            .model;
    EXPECT_NEAR(m.strands.n_strands(), 0.1 * 4 * M_PI * 100, 1.5); // 125.7, the mesh has a little less area
}

TEST(StrandScene, WhatCannotGrowIsRefused)
{
    const auto with = [](const std::string& override_) { return problem_of(kStrandScene, {override_}); };
    EXPECT_NE(with("strands.fur.region.lower='-1 -1 0.5 m'").find("strands.fur.region: holds nothing"),
              std::string::npos);
    EXPECT_NE(with("obstacles.head.shape={type='plane'}").find("strands.fur.obstacle: has no end"), std::string::npos);
    EXPECT_NE(with("strands.fur.vertices=8").find("strands.fur.vertices: gives"), std::string::npos);
    EXPECT_NE(with("strands.fur.count=1000000").find("strands.fur: makes it 4e+07 vertices"), std::string::npos);
    EXPECT_NE(with("strands.tow.end='0 0 1e-8 m'").find("strands.tow: strand 0[1]: is where"), std::string::npos);
    EXPECT_NE(with("strands.fur.length='1e-9 m'").find("strands.fur: strand"), std::string::npos);
    EXPECT_NE(with("strands.fur.roots_per_area=1").find("strands.fur"), std::string::npos); // beside count
    EXPECT_NE(with("strands.weave.amplitude='1 mm'").find("strands.weave.amplitude: 0.001 m makes"), std::string::npos);
    EXPECT_NE(with("strands.yarn.radius='0.7 mm'").find("strands.yarn.radius: 0.0007 m makes"), std::string::npos);
    EXPECT_NE(with("strands.ziti.vertices=12").find("strands.ziti.vertices: gives 3.3 edges"), std::string::npos);
    EXPECT_NE(with("strands.reed.director=[1,0,0]").find("strands.reed.director: is along"), std::string::npos);
    EXPECT_NE(with("strands.reed.points=[{position='0 0 0 m'},{position='1 0 0 cm'},{position='0 0 0 m'}]")
                  .find("strands.reed.points[2]: folds"),
              std::string::npos);
    EXPECT_NE(with("strands.reed.points=[{position='0 0 0 m'},{position='0 0 0 cm'},{position='0 0 1 m'}]")
                  .find("strands.reed.points[1]: is where"),
              std::string::npos);
}

TEST(StrandScene, WhatCannotBeWetIsRefused)
{
    const std::string text = "[domain]\nlower=[0,0,0]\nupper=[1,1,1]\n[simulation]\ncell_size=0.1\n"
                             "[liquids.water]\nmaterial='water'\n[wetting]\nliquid='water'\n";
    EXPECT_NE(problem_of(text, {}).find("8:1: wetting: is about strands"), std::string::npos);
    EXPECT_NE(problem_of(text + "bridges=false\nspreading=true\n", {}).find("wetting.spreading: needs bridges"),
              std::string::npos);
    EXPECT_NE(
        problem_of(text + "spreading=true\n", {"simulation.strand_contact=none"}).find("wetting.spreading: needs"),
        std::string::npos);
    for (const int parts : {2, 4, 8})
        EXPECT_NE(problem_of(text + "film_parts=" + std::to_string(parts) + "\n", {})
                      .find("test.toml:10:12: wetting.film_parts: " + std::to_string(parts) +
                            " is even; allowed: 1, 3, 5, 7, 9"),
                  std::string::npos);
    for (const char* parts : {"0", "11"})
        EXPECT_NE(problem_of(text + "film_parts=" + parts + "\n", {}).find("test.toml:10:12: wetting.film_parts: "),
                  std::string::npos);
    const std::string strands = "[strands.s]\nkind='bundle'\nstart='0.2 0.5 0.5 m'\nend='0.3 0.5 0.5 m'\ncount=2\n"
                                "vertices=11\n";
    const auto film = [&](const char* part) { return text + strands + "film={thickness='1 mm'," + part + "}\n"; };
    EXPECT_NE(problem_of(film("from=0.21,to=0.29"), {}).find("strands.s.film: no vertex of strand 0 lies from 0.21"),
              std::string::npos);
    EXPECT_EQ(parse_scene(text + "film_parts=5\n" + strands, "s.toml").model.wetting->film_parts, 5);
    const Model m = parse_scene(film("from=0.2,to=0.3"), "s.toml").model;
    EXPECT_EQ(m.wetting->film_parts, 1);
    for (const std::size_t v : {0U, 1U, 2U, 3U, 4U, 10U})
        EXPECT_EQ(m.film_at_start[v], v == 2 || v == 3 ? 1e-3 : 0) << v;
}

} // namespace
} // namespace rivulet
