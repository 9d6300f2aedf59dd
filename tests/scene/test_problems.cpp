#include "scene/problems.h"
#include "scene_texts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace rivulet {
namespace {

const std::string kSmall = "[simulation]\ncell_size = 0.1\n[domain]\nlower = [0, 0, 0]\nupper = [1, 1, 1]\n";

TEST(SceneProblems, CarryFileLineColumnKeyAndWhatIsAllowed)
{
    EXPECT_EQ(
        problem_of("[simulation]\ncell_size = \"2 s\"\n[domain]\nlower = [0,0,0]\nupper = [1,1,1]\n"),
        "test.toml:2:13: simulation.cell_size: \"2 s\" is a time, expected a length; allowed: a length from 1e-06 to "
        "1000 m, or text with a unit such as \"1 m\"");
}

TEST(SceneProblems, UnknownKeysGetTheNearestOne)
{
    const std::string message = problem_of("[simulation]\ncel_size = 1\n");
    EXPECT_NE(message.find("test.toml:2:1: simulation.cel_size: unknown key (did you mean \"cell_size\"?)"),
              std::string::npos)
        << message;
    EXPECT_NE(problem_of(kSmall + "[liquids.a]\nmaterial = \"wather\"\n").find("did you mean \"water\"?"),
              std::string::npos);
    EXPECT_NE(problem_of(kSmall + "[liquids.water]\n[bodies.b]\nliquid='watr'\n").find("did you mean \"water\"?"),
              std::string::npos);
}

TEST(SceneProblems, AreAllReportedAtOnce)
{
    const std::string message = problem_of(
        "[simulation]\ncell_size = -1\ncfl = \"fast\"\nwind = 3\n[domain]\nlower = [0,0,0]\nupper = [1,1,-1]\n"
        "[bodies.b]\nliquid = \"nobody\"\nshape = { type = \"blob\" }\n");
    for (const char* part : {":2:13: simulation.cell_size:", ":3:7: simulation.cfl:", ":4:1: simulation.wind:",
                             ":7:9: domain.upper:", ":9:10: bodies.b.liquid:", ":10:18: bodies.b.shape.type:"})
        EXPECT_NE(message.find(part), std::string::npos) << part << "\n" << message;
}

TEST(SceneProblems, WhatPicturesColourStrandsByMustBeThere)
{
    const std::string strands = kSmall + "[strands.s]\nkind = 'bundle'\nstart = '0 0 0 m'\nend = '0 0 1 m'\n";
    const auto problem = [&](const char* render) { return problem_of(strands + "[render]\n" + render); };
    EXPECT_EQ(problem("colour_by = 'film'"), "test.toml:11:13: render.colour_by: \"film\" needs a table [wetting]");
    EXPECT_NE(problem("colour_by = 'sped'").find("did you mean \"speed\"?"), std::string::npos);
    EXPECT_NE(problem("colour_by = 'speed'\ncolour_from = '3 N'\n").find("\"3 N\" is a force; allowed: a number, or"),
              std::string::npos);
    EXPECT_NE(problem("colour_by = 'speed'\ncolour_from = 2\ncolour_to = '1 m/s'\n").find("larger than"),
              std::string::npos);
    EXPECT_NE(problem("colour_to = 3").find("has no meaning with colour_by = \"material\""), std::string::npos);
    EXPECT_NE(problem_of(kSmall + "[render]\ncolour_by = 'strand'").find("colours strands, and the scene has none"),
              std::string::npos);
    EXPECT_NE(problem_of(strands, {"render.colour_by=contact", "simulation.strand_contact=none"})
                  .find("needs strand_contact = \"cone\""),
              std::string::npos);
}

TEST(SceneProblems, SyntaxErrorsHaveAPlace)
{
    EXPECT_EQ(problem_of("title = \"a\"\ntitle = \"b\"\n").rfind("test.toml:2:", 0), 0u);
    EXPECT_EQ(problem_of("title = \n").rfind("test.toml:1:", 0), 0u);
}

TEST(SceneProblems, OverridesAreNamedAsTyped)
{
    EXPECT_EQ(problem_of(kSmall, {"simulation.cell_size=2 s"})
                  .rfind("--set simulation.cell_size=2 s: simulation.cell_size: ", 0),
              0u);
    EXPECT_EQ(problem_of(kSmall, {"simulation.cel_size=2"})
                  .rfind("--set simulation.cel_size=2: simulation.cel_size: unknown", 0),
              0u);
    EXPECT_NE(problem_of(kSmall, {"nonsense"}).find("expected path.to.key=value"), std::string::npos);
    EXPECT_NE(problem_of(kSmall, {"=1"}), "");
    EXPECT_NE(problem_of(kSmall, {"a..b=1"}), "");
}

struct Nonsense {
    const char* text;
    const char* message;
};
class SceneMeaning : public testing::TestWithParam<Nonsense> {};

TEST_P(SceneMeaning, IsChecked)
{
    const std::string message = problem_of(kSmall + "[liquids.water]\n" + GetParam().text);
    EXPECT_NE(message.find(GetParam().message), std::string::npos) << GetParam().text << "\n" << message;
    EXPECT_EQ(message.rfind("test.toml:", 0), 0u) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Rules, SceneMeaning,
    testing::Values(
        Nonsense{"[bodies.b]\nliquid='water'\nshape={type='sphere',centre=[9,9,9],radius=1}\n",
                 "bodies.b.shape: lies outside"},
        Nonsense{"[bodies.b]\nliquid='water'\nshape={type='box',lower=[1,0,0],upper=[0,1,1]}\n", "bodies.b.shape"},
        Nonsense{"[obstacles.o]\nshape={type='torus',major_radius=1,minor_radius=2}\n", "obstacles.o.shape"},
        Nonsense{"[obstacles.o]\nshape={type='sphere',radius=1,lower=[0,0,0]}\n",
                 "does not apply where type is \"sphere\""},
        Nonsense{"[obstacles.o]\nposition=[0,0,0]\nmotion={}\nshape={type='sphere',radius=1}\n", "not both"},
        Nonsense{"[obstacles.o]\nshape={type='sphere',radius=1}\nmotion.keyframes=[{time=1},{time=1}]\n",
                 "obstacles.o.motion.keyframes[1].time: 1 s is not after"},
        Nonsense{"[obstacles.o]\nshape={type='sphere',radius=1}\nmotion.keyframes=[]\n",
                 "obstacles.o.motion.keyframes: [] is a list of 0; allowed: a list of 1 to"},
        Nonsense{"[drains.d]\nstart=2\nstop=1\nshape={type='sphere',radius=1}\n",
                 "drains.d.stop: 1 s is not after start"},
        Nonsense{"[probes.p]\nkind='force'\nobject='water'\n", "probes.p.object: there is no \"water\""},
        Nonsense{"[probes.p]\nkind='value'\nfield='speed'\npoint=[2,2,2]\n", "probes.p.point: lies outside"},
        Nonsense{"[liquids.total]\n", "liquids.total: is the name of the sum"},
        Nonsense{"[probes.time]\nkind='volume'\n", "probes.time: is a column of the clock"},
        Nonsense{"[camera]\nposition=[1,1,1]\ntarget=[1,1,1]\n", "camera.target"},
        Nonsense{"[camera]\nposition=[1,1,5]\ntarget=[1,1,0]\n", "camera.target: must not lie along camera.up"},
        Nonsense{"[obstacles.'a b']\nshape={type='sphere',radius=1}\n", "not a good name"}));

TEST(SceneMeaning, SizesAreBounded)
{
    EXPECT_NE(problem_of(kSmall, {"simulation.cell_size=10 m"}).find("larger than the domain"), std::string::npos);
    EXPECT_NE(problem_of(kSmall, {"domain.upper=[9e4, 1, 1]", "simulation.cell_size=1 cm"}).find("cells along an axis"),
              std::string::npos);
    EXPECT_NE(problem_of(kSmall + "[liquids.w]\n[bodies.b]\nliquid='w'\nshape={type='plane',point=[0,0,1]}\n",
                         {"simulation.cell_size=0.1 mm"})
                  .find("particles; allowed: at most 4e+09"),
              std::string::npos);
    EXPECT_NE(problem_of(kSmall, {"simulation.end_time=1e6", "simulation.frame_rate=1 MHz"}).find("frames"),
              std::string::npos);
    EXPECT_NE(problem_of(kSmall, {"simulation.min_step=1 s"}).find("above max_step"), std::string::npos);
}

TEST(SceneNesting, IsBounded)
{
    std::string dots = "a", brackets = "a = ", quoted = "\"=\"";
    for (int i = 0; i < 200000; ++i) {
        dots += ".a";
        brackets += "[";
        quoted += ".\"=\"";
    }
    for (const std::string& text : {dots + " = 1", brackets, quoted + " = 1", "x = \"\"\"\n'\"\"\"\n" + dots + " = 1",
                                    "x = { a = \"\"\"b\"\"\"\", " + dots + " = 1 }"})
        EXPECT_NE(problem_of(text).find("nested deeper than 32 levels"), std::string::npos);
    EXPECT_EQ(problem_of(kSmall + "[test.t]\nquantity = '" + std::string(150, '.') + "'\nvalue=0\ntolerance=0\n"), "");
}

TEST(SceneProblems, TooManyAreCountedAndNotShown)
{
    std::string text = kSmall + "[liquids.w]\n";
    for (int i = 0; i < 20000; ++i) text += fmt::format("[bodies.b{}]\nliquid='nobody'\nshap=1\n", i);
    const std::string message = problem_of(text);
    EXPECT_LT(std::ranges::count(message, '\n'), 101);
    EXPECT_NE(message.find("\nand "), std::string::npos);
}

TEST(SceneText, CharactersBeyondAsciiArriveAndKeepTheirPlace)
{
    // Latin, Greek, Cyrillic, Japanese, a blank that is no TOML blank, an emoji; and one written as an escape.
    const std::string text = "\u00c4rger \u03c3 \u0416 \u3053 \u00a0 \U0001f30a";
    const Scene scene = parse_scene("title = \"" + text + " \\u00e9\" # \u00b3\n" + kSmall, "test.toml");
    EXPECT_EQ(scene.model.title, text + " \u00e9");
    EXPECT_EQ(parse_scene(scene.resolved_toml, "test.toml").model.title, text + " \u00e9");
    const std::string message = problem_of("test.\"\u00e9\u3053\" = { wert = 1, \"\u03c3\" = 2 }\n" + kSmall);
    EXPECT_NE(message.find("test.toml:1:25: test.\"\u00e9\u3053\".\"\u03c3\": unknown key"), std::string::npos)
        << message;
}

TEST(SceneText, OutsideOfQuotesMustBeAscii)
{
    EXPECT_EQ(problem_of("\ntit\u00b3le = 1\n").rfind("test.toml:2:4: ", 0), 0u);
    const std::string refusal = "a character of the private plane 16; allowed: those below U+100000";
    EXPECT_EQ(problem_of("title = \"\\U00100080\"\n" + kSmall), "test.toml:1:10: " + refusal);
    EXPECT_EQ(problem_of(kSmall + "# \u00e9\ntitle = \"\u00e9\u3053 \U00100000\"\n"), "test.toml:7:13: " + refusal);
    EXPECT_NE(problem_of("title = \"\xed\xa0\x80\"\n" + kSmall), ""); // a surrogate is no character
}

class Includes : public testing::Test {
protected:
    void SetUp() override { std::filesystem::create_directories(folder_ / "sub"); }
    void TearDown() override { std::filesystem::remove_all(folder_); }
    void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
    [[nodiscard]] std::string problem(const std::string& name) const
    {
        try {
            static_cast<void>(load_scene(folder_ / name));
            return "";
        } catch (const InputError& error) {
            return error.what();
        }
    }
    const std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() /
        fmt::format("rivulet_includes_{}_{}", getpid(), testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(Includes, LieUnderneathAndLaterOnesWin)
{
    write("sub/a.toml", "title='a'\n[simulation]\ncell_size=0.1\ncfl=2\nmax_retries=3\n");
    write("sub/b.toml", "title='b'\ninclude=['a.toml']\n[simulation]\ncfl=3\n");
    write("c.toml", "[simulation]\nseed=9\ncfl=4\n");
    write("scene.toml",
          "include=['sub/b.toml', 'c.toml']\n[simulation]\nmax_retries=7\n[domain]\nlower=[0,0,0]\nupper=[1,1,1]\n");
    const Scene scene = load_scene(folder_ / "scene.toml");
    EXPECT_EQ(scene.model.title, "b");
    EXPECT_DOUBLE_EQ(scene.model.options.cell_size, 0.1);
    EXPECT_DOUBLE_EQ(scene.model.options.cfl, 4);
    EXPECT_EQ(scene.model.options.max_retries, 7);
    EXPECT_EQ(scene.model.options.seed, 9u);
}

TEST_F(Includes, ThatIncludeThemselvesAreAnError)
{
    write("a.toml", "include=['b.toml']\n");
    write("b.toml", "\ninclude=['sub/../a.toml']\n");
    EXPECT_NE(problem("a.toml").find("b.toml:2:10: include: "), std::string::npos) << problem("a.toml");
    EXPECT_NE(problem("a.toml").find("includes itself"), std::string::npos);
}

TEST_F(Includes, WhoseKeysAreWrongAreNamed)
{
    write("sub/a.toml", "[simulation]\ncell_size='1 kg'\n");
    write("scene.toml", "include=['sub/a.toml']\n[domain]\nlower=[0,0,0]\nupper=[1,1,1]\n");
    EXPECT_EQ(problem("scene.toml").rfind((folder_ / "sub/a.toml").string() + ":2:11: simulation.cell_size: ", 0), 0u)
        << problem("scene.toml");
    write("lost.toml", "include=['nowhere.toml']\n");
    EXPECT_NE(problem("lost.toml").find("lost.toml:1:10: include: "), std::string::npos) << problem("lost.toml");
    EXPECT_NE(problem_of("include = 'a.toml'").find("expected a list of file names"), std::string::npos);
}

TEST_F(Includes, AndMeshesAreRefusedWhereFilesAreNotAllowed)
{
    write("a.toml", "title='a'\n");
    EXPECT_THROW(static_cast<void>(parse_scene("include=['a.toml']\n" + kSmall, folder_ / "scene.toml", {},
                                               {.files = FileAccess::Refused})),
                 InputError);
}

TEST_F(Includes, MeshesAreFoundNextToTheFileThatNamesThemAndCountByContent)
{
    const std::string mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    write("sub/t.obj", mesh);
    write("sub/solid.toml", "[obstacles.t]\nshape={type='mesh', file='t.obj', scale=0.5}\n");
    write("scene.toml", "include=['sub/solid.toml']\n" + kSmall);
    const Scene scene = load_scene(folder_ / "scene.toml");
    EXPECT_LT(scene.model.obstacles.at(0).shape->distance({0.1, 0.1, 0.1}), 0); // inside x + y + z < 1/2
    EXPECT_GT(scene.model.obstacles.at(0).shape->distance({0.2, 0.2, 0.2}), 0);
    const Scene again = parse_scene(scene.resolved_toml, "elsewhere.toml");
    EXPECT_EQ(again.fingerprint, scene.fingerprint);
    write("sub/t.obj", mesh + "# edited\n");
    const Scene edited = load_scene(folder_ / "scene.toml");
    ASSERT_EQ(scene_differences(scene, edited).size(), 1u);
    EXPECT_EQ(scene_differences(scene, edited)[0].rfind("obstacles.t.shape.file: \"t.obj\" (content ", 0), 0u);
    write("sub/t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    EXPECT_NE(problem("scene.toml").find("solid.toml:2:7: obstacles.t.shape: "), std::string::npos)
        << problem("scene.toml");
}

} // namespace
} // namespace rivulet
