#include "io/usda.h"

#include "io/atomic_file.h"
#include "temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rivulet {
namespace {

/// Brackets and quotes close in the order in which they open.
bool is_balanced(const std::string& text)
{
    std::string open;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            if (c == '\\') ++i;
            if (c == '"') in_string = false;
        } else if (c == '"') {
            in_string = true;
        } else if (c == '(' || c == '[' || c == '{') {
            open += c == '(' ? ')' : c == '[' ? ']' : '}';
        } else if (c == ')' || c == ']' || c == '}') {
            if (open.empty() || open.back() != c) return false;
            open.pop_back();
        }
    }
    return open.empty() && !in_string;
}

std::size_t count_of(const std::string& text, const std::string& part)
{
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
}

class Usda : public testing::Test {
protected:
    [[nodiscard]] std::filesystem::path path() const { return folder_.path() / "run.usda"; }

    /// Three frames: falling drops, one more each frame; a turning ball; a strand.
    std::string write_run()
    {
        UsdaWriter usd(path(), 24, "a \"test\"");
        const std::vector<Vec3> triangle{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
        const std::vector<std::array<std::int32_t, 3>> faces{{0, 1, 2}};
        for (int frame = 0; frame < 3; ++frame) {
            usd.begin_frame(frame);
            std::vector<Vec3> drops, velocities;
            std::vector<double> wetness;
            for (int i = 0; i <= frame; ++i) {
                drops.emplace_back(0.25 * i, 0, 1 - 0.5 * frame);
                velocities.emplace_back(0, 0, -1.5);
                wetness.push_back(0.125 * i);
            }
            const std::vector<double> width{0.01};
            const std::vector<UsdQuantity> quantities{{"wetness", wetness, {}}, {"velocity", {}, velocities}};
            usd.points("liquid", drops, width, {}, quantities);
            usd.xform("red ball", {0, 0, 0.1 * frame}, Quat(Eigen::AngleAxisd(0.5 * frame, Vec3::UnitZ())));
            usd.mesh("red ball/surface", triangle, faces, {});
            usd.curves("hair", triangle, std::array<std::int32_t, 1>{3}, width, {});
        }
        usd.finish();
        return read_text(path());
    }

private:
    TemporaryFolder folder_;
};

TEST_F(Usda, StageSaysMetresAndZUpAndItsFrames)
{
    const std::string text = write_run();
    EXPECT_EQ(text.substr(0, 10), "#usda 1.0\n");
    for (const char* line : {"metersPerUnit = 1\n", "upAxis = \"Z\"\n", "startTimeCode = 0\n", "endTimeCode = 2\n",
                             "timeCodesPerSecond = 24\n", "defaultPrim = \"World\"\n", "doc = \"a \\\"test\\\"\"\n"})
        EXPECT_NE(text.find(line), std::string::npos) << line;
    EXPECT_TRUE(is_balanced(text));
}

TEST_F(Usda, WhatChangesHasASampleAFrameAndWhatDoesNotIsWrittenOnce)
{
    const std::string text = write_run();
    EXPECT_NE(text.find("point3f[] points.timeSamples = {\n            0: [(0, 0, 1)],\n"
                        "            1: [(0, 0, 0.5), (0.25, 0, 0.5)],\n"
                        "            2: [(0, 0, 0), (0.25, 0, 0), (0.5, 0, 0)],\n        }\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("float[] primvars:wetness.timeSamples"), std::string::npos);
    EXPECT_NE(text.find("2: [0, 0.125, 0.25],"), std::string::npos);
    EXPECT_NE(text.find("vector3f[] velocities.timeSamples"), std::string::npos);
    EXPECT_EQ(count_of(text, "faceVertexIndices = [0, 1, 2]\n"), 1u);
    EXPECT_EQ(count_of(text, "curveVertexCounts = [3]\n"), 1u);
}

TEST_F(Usda, PrimsNestByTheirPathsUnderValidNames)
{
    const std::string text = write_run();
    const std::size_t ball = text.find("    def Xform \"red_ball\"\n"),
                      mesh = text.find("        def Mesh \"surface\"\n");
    ASSERT_NE(ball, std::string::npos);
    ASSERT_NE(mesh, std::string::npos);
    EXPECT_LT(ball, mesh);
    EXPECT_NE(text.find("quatf xformOp:orient.timeSamples"), std::string::npos);
    // Half the angle of one radian: cos and sin of 0.5.
    EXPECT_NE(text.find("2: (0.87758255, 0, 0, 0.47942555),"), std::string::npos) << text;
    EXPECT_EQ(usd_identifier("3 cups-of tea"), "_3_cups_of_tea");
}

TEST_F(Usda, NamesThatBecomeEqualStayApart)
{
    UsdaWriter usd(path(), 30);
    usd.begin_frame(0);
    usd.xform("a-b", Vec3::Zero(), Quat::Identity());
    usd.xform("a b", Vec3::Ones(), Quat::Identity());
    usd.finish();
    const std::string text = read_text(path());
    EXPECT_EQ(count_of(text, "def Xform \"a_b\"\n"), 1u);
    EXPECT_EQ(count_of(text, "def Xform \"a_b_2\"\n"), 1u);
}

TEST_F(Usda, QuaternionsTakeTheShortWay)
{
    UsdaWriter usd(path(), 30);
    usd.begin_frame(0);
    usd.xform("a", Vec3::Zero(), Quat(1, 0, 0, 0));
    usd.begin_frame(1);
    usd.xform("a", Vec3::Zero(), Quat(-1, 0, 0, 0));
    usd.finish();
    EXPECT_NE(read_text(path()).find("quatf xformOp:orient = (1, "), std::string::npos);
}

TEST_F(Usda, WithoutFinishNothingIsLeft)
{
    {
        UsdaWriter usd(path(), 24);
        usd.begin_frame(0);
        usd.xform("a", Vec3::Zero(), Quat::Identity());
    }
    EXPECT_TRUE(std::filesystem::is_empty(path().parent_path()));
    write_run();
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path().parent_path()), {}), 1);
}

} // namespace
} // namespace rivulet
