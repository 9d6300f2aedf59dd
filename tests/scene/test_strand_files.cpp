#include "scene/scene.h"
#include "scene_texts.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>

namespace rivulet {
namespace {

/// Three hairs of three points, 20, 40 and 60 um thick in centimetres, the first red, the second green, the third blue.
std::string three_hairs()
{
    std::string bytes = "HAIR";
    const auto append = [&](auto value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
    for (const std::uint32_t value : {3u, 9u, 2u + 4u + 16u, 2u}) append(value);
    bytes.append(108, '\0');
    for (int p = 0; p < 9; ++p)
        for (const int x : {p / 3, 0, p % 3}) append(static_cast<float>(x));
    for (int p = 0; p < 9; ++p) append(2e-3f * static_cast<float>(1 + p / 3));
    for (int p = 0; p < 9; ++p)
        for (int i = 0; i < 3; ++i) append(i == p / 3 ? 1.0f : 0.0f);
    return bytes;
}

TEST(StrandScene, HairsOfAFileHaveTheirOwnThicknessAndColour)
{
    const TemporaryFolder temporary;
    std::ofstream(temporary.path() / "a.hair", std::ios::binary) << three_hairs();
    const std::string text = "[domain]\nlower=[0,0,0]\nupper=[1,1,1]\n[simulation]\ncell_size=0.1\n[strands.s]\n"
                             "kind='file'\nfile='a.hair'\nscale=0.01\nflatness=0.5\n";
    const auto build = [&](const std::string& more) { return parse_scene(text + more, temporary.path() / "s.toml"); };
    const auto radius = [](const Model& m, std::size_t strand) {
        return m.strands.materials.at(static_cast<std::size_t>(m.strands.material.at(strand))).radius_a;
    };
    const Scene scene = build("");
    for (std::size_t s = 0; s < 3; ++s) {
        EXPECT_NEAR(radius(scene.model, s), 1e-5 * static_cast<double>(s + 1), 1e-11);
        EXPECT_EQ(scene.model.strand_groups[0].colour_of(s), Vec3::Unit(static_cast<int>(s)));
    }
    EXPECT_NEAR(scene.model.strands.materials[2].radius_b, 1.5e-5, 1e-11);
    const Scene kept = parse_scene(scene.resolved_toml, temporary.path() / "s.toml"); // as a run folder keeps it
    EXPECT_EQ(radius(kept.model, 2), radius(scene.model, 2));
    EXPECT_NEAR(radius(build("thickness_scale=3\ncount=2\n").model, 1), 6e-5, 1e-11);
    const Model plain = build("radius='50 um'\ncolour=[0.5,0.5,0.5]\n").model; // what is given counts for all
    EXPECT_EQ(plain.strands.materials.size(), 1u);
    EXPECT_NEAR(radius(plain, 1), 50e-6, 1e-18);
    EXPECT_EQ(plain.strand_groups[0].colour_of(1), Vec3(0.5, 0.5, 0.5));
    try {
        (void)build("thickness_scale=1e-4\n");
        FAIL() << "not noticed";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("thickness of strand 0 makes its radius 1e-09 m; allowed: from 1e-07"),
                  std::string::npos)
            << error.what();
    }
}

TEST(StrandScene, RadiiVaryByTheSeedWithinTheirBounds)
{
    const std::string text = "[domain]\nlower=[0,0,0]\nupper=[1,1,1]\n[simulation]\ncell_size=0.1\n"
                             "[obstacles.b]\nshape={type='sphere',radius=0.1}\nposition='0.5 0.5 0.5 m'\n[strands.s]\n"
                             "kind='groom'\nobstacle='b'\ncount=1000\nvertices=4\nlength=0.1\nradius='40 um'\n";
    const auto radii = [&](const std::string& more) {
        std::vector<double> values;
        for (const RodMaterial& m : parse_scene(text + more, "s.toml").model.strands.materials)
            values.push_back(m.radius_a);
        return values;
    };
    ASSERT_EQ(radii("").size(), 1u);
    EXPECT_NEAR(radii("")[0], 40e-6, 1e-18);
    const std::vector<double> varied = radii("radius_variation=0.3\n");
    ASSERT_EQ(varied.size(), 1000u);
    const auto [least, most] = std::minmax_element(varied.begin(), varied.end());
    EXPECT_GE(*least, 28e-6);
    EXPECT_LT(*least, 28.5e-6);
    EXPECT_LE(*most, 52e-6);
    EXPECT_GT(*most, 51.5e-6);
    EXPECT_NEAR(std::accumulate(varied.begin(), varied.end(), 0.0) / 1000, 40e-6, 0.9e-6); // four standard deviations
    EXPECT_EQ(radii("radius_variation=0.3\n"), varied);
    EXPECT_NE(radii("radius_variation=0.3\nseed=2\n"), varied);
}

/// A strand is as much stiffer against stretching as against twisting and change, and its radius is another matter.
TEST(StrandScene, StiffnessVariesByTheSeedWithinItsBounds)
{
    const std::string text = "[domain]\nlower=[0,0,0]\nupper=[1,1,1]\n[simulation]\ncell_size=0.1\n"
                             "[strands.s]\nkind='bundle'\nstart=[0.5,0.5,0.5]\nend=[0.5,0.5,0.4]\nspacing='1 mm'\n"
                             "count=1000\nvertices=4\nyoungs_modulus='2 GPa'\nshear_modulus='1 GPa'\n"
                             "internal_viscosity='3 MPa s'\n";
    const auto materials = [&](const std::string& more) {
        return parse_scene(text + more, "s.toml").model.strands.materials;
    };
    ASSERT_EQ(materials("").size(), 1u);
    const std::vector<RodMaterial> varied = materials("stiffness_variation=0.5\n");
    ASSERT_EQ(varied.size(), 1000u);
    double least = 1e30, most = 0, sum = 0;
    for (const RodMaterial& m : varied) {
        EXPECT_NEAR(m.shear_modulus / m.youngs_modulus, 0.5, 1e-15);
        EXPECT_NEAR(m.viscosity / m.youngs_modulus, 1.5e-3, 1e-18);
        EXPECT_EQ(m.radius_a, varied[0].radius_a);
        least = std::min(least, m.youngs_modulus);
        most = std::max(most, m.youngs_modulus);
        sum += m.youngs_modulus;
    }
    EXPECT_GE(least, 1e9);
    EXPECT_LT(least, 1.02e9);
    EXPECT_LE(most, 3e9);
    EXPECT_GT(most, 2.98e9);
    EXPECT_NEAR(sum / 1000, 2e9, 0.08e9); // four standard deviations
    EXPECT_NE(materials("stiffness_variation=0.5\nseed=2\n")[0].youngs_modulus, varied[0].youngs_modulus);
}

TEST(StrandScene, WhatIsSaidInVainOrTwiceIsRefused)
{
    const std::string text = "[domain]\nlower=[0,0,0]\nupper=[1,1,1]\n[simulation]\ncell_size=0.1\n"
                             "[obstacles.b]\nshape={type='sphere',radius=0.1}\nposition='0.5 0.5 0.5 m'\n[strands.s]\n";
    EXPECT_NE(problem_of(text + "kind='groom'\nobstacle='b'\ncount=3\nlength=0.1\nclump=0.9\n")
                  .find("strands.s.clump: has no meaning without clumps"),
              std::string::npos);
    EXPECT_NE(problem_of(text + "kind='woven'\nrows=3\ncolumns=3\nspacing='3 mm'\nradius='2 mm'\n")
                  .find("strands.s.radius: 0.002 m is too thick to weave; allowed: up to 0.0006 m (a fifth of the "
                        "spacing)"),
              std::string::npos);
    EXPECT_NE(problem_of(text +
                         "kind='bundle'\nstart=[0,0,0]\nend=[0.1,0,0]\n[strands.t]\nkind='bundle'\nvertices=5\n"
                         "start=[0,0,0]\nend=[0,0.1,0]\njoints=[{vertex=0,strands='s'},{vertex=-5,strands='s'}]\n")
                  .find("strands.t.joints[1]: ties what is tied to 's' already"),
              std::string::npos);
    EXPECT_NE(problem_of(text + "kind='bundle'\nstart=[0,0,0]\nend=[0.1,0,0]\njoints=[{strands='s',within=1}]\n")
                  .find("strands.s.joints[0].strands: 's' has no other strand; strands are not tied to themselves"),
              std::string::npos);
}

/// Both half axes, of each strand as much of its own; as thick at the tip as at the root is not tapered at all.
TEST(StrandScene, TipsAreAsThickAsIsSaid)
{
    const std::string text = "[domain]\nlower=[0,0,0]\nupper=[1,1,1]\n[simulation]\ncell_size=0.1\n[strands.a]\n"
                             "kind='bundle'\nstart=[0.5,0.5,0.5]\nend=[0.5,0.5,0.4]\nvertices=5\ncount=3\n"
                             "radius='40 um'\nradius_variation=0.2\n[strands.b]\nkind='polyline'\n"
                             "points=[{position=[0.2,0,0]},{position=[0.3,0,0]},{position=[0.6,0,0]}]\n";
    EXPECT_TRUE(parse_scene(text, "s.toml", {"strands.a.tip_radius=40 um"}).model.strands.scale.empty());
    const StrandModel m = parse_scene(text, "s.toml", {"strands.a.tip_radius=10 um"}).model.strands;
    ASSERT_EQ(m.scale.size(), 18u);
    for (std::size_t v = 0; v < 18; ++v)
        EXPECT_NEAR(m.scale[v], v < 15 ? 1 - 0.75 * 0.25 * static_cast<double>(v % 5) : 1, 1e-12);
    EXPECT_NE(m.materials[0].radius_a, m.materials[1].radius_a);
    const StrandModel b = parse_scene(text + "radius='30 um'\ntip_radius='6 um'\n", "s.toml").model.strands;
    EXPECT_NEAR(b.scale[16], 1 - 0.8 * 0.25, 1e-12); // a quarter of its length from the root
    EXPECT_NEAR(b.scale[17], 0.2, 1e-12);
}

TEST(StrandScene, TipsThatCannotBeAreRefused)
{
    const TemporaryFolder temporary;
    std::ofstream(temporary.path() / "a.hair", std::ios::binary) << three_hairs();
    const std::string text = "[domain]\nlower=[0,0,0]\nupper=[1,1,1]\n[simulation]\ncell_size=0.1\n[strands.s]\n"
                             "kind='file'\nfile='a.hair'\nscale=0.01\n";
    const auto problem = [&](const std::string& more) -> std::string {
        try {
            (void)parse_scene(text + more, temporary.path() / "s.toml");
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    const auto expect = [&](const std::string& more, const std::string& wanted) {
        EXPECT_NE(problem(more).find(wanted), std::string::npos) << more << problem(more);
    };
    EXPECT_EQ(problem("radius='50 um'\ntip_radius='50 um'\n"), "");
    EXPECT_EQ(problem("radius='50 um'\ntip_radius='0.5 um'\n"), "");
    expect("tip_radius='20 um'\n", "s.toml:10:12: strands.s.tip_radius: does not go with the thickness");
    expect("radius='50 um'\ntip_radius='51 um'\n", "tip_radius: 5.1e-05 m is more than `radius`; allowed: 5e-07 m to");
    expect("radius='50 um'\ntip_radius='0.4 um'\n", "tip_radius: 4e-07 m is less than a hundredth of `radius`");
    expect("radius='50 um'\ntip_radius='0 m'\n", "strands.s.tip_radius");
    expect("radius='50 um'\ntip_radius='-1 um'\n", "strands.s.tip_radius");
}

} // namespace
} // namespace rivulet
