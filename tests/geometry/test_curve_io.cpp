#include "geometry/curve_io.h"

#include "base/error.h"
#include "base/rng.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

namespace rivulet {
namespace {

template <class Parse>
std::string curve_error(Parse&& parse)
{
    try {
        (void)parse();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}
std::string obj_curve_error(const std::string& text)
{
    return curve_error([&] { return parse_obj_curves(text, "a.obj"); });
}
std::string ply_curve_error(const std::string& text)
{
    return curve_error([&] { return parse_ply_curves(text, "a.ply"); });
}
std::string hair_error(const std::string& bytes)
{
    return curve_error([&] { return parse_hair(bytes, "a.hair"); });
}

template <class T>
void append(std::string& bytes, T value)
{
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Two strands of three and four points, with all arrays.
std::string two_hairs()
{
    std::string bytes = "HAIR";
    for (const std::uint32_t value : {2u, 7u, 31u, 0u}) append(bytes, value);
    for (const float value : {0.1f, 0.0f, 0.5f, 0.25f, 0.125f}) append(bytes, value);
    bytes.append(88, ' ');
    for (const int segments : {2, 3}) append(bytes, static_cast<std::uint16_t>(segments));
    for (int p = 0; p < 7; ++p)
        for (const int axis : {0, 1, 2}) append(bytes, static_cast<float>(10 * axis + p));
    for (int p = 0; p < 7 * 5; ++p) append(bytes, 0.5f); // thickness, transparency, colour
    return bytes;
}
template <class T>
std::string with(std::string bytes, std::size_t offset, T value)
{
    std::memcpy(bytes.data() + offset, &value, sizeof value);
    return bytes;
}

const std::string kEdges = "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\nproperty float y\n"
                           "property float z\nelement edge 3\nproperty uchar red\nproperty int vertex1\n"
                           "property int vertex2\nend_header\n"
                           "0 0 0\n1 0 0\n2 0 0\n5 5 5\n6 5 5\n7 2 1\n7 0 1\n7 4 3\n";

TEST(CurveIo, HairsHaveTheirPoints)
{
    const Curves curves = parse_hair(two_hairs(), "a.hair");
    ASSERT_EQ(curves.size(), 2u);
    ASSERT_EQ(curves[0].size(), 3u);
    ASSERT_EQ(curves[1].size(), 4u);
    EXPECT_EQ(curves[1][0], Vec3(3, 13, 23));
    EXPECT_EQ(curves[1][3], Vec3(6, 16, 26));
}

TEST(CurveIo, HairsHaveTheMeanThicknessAndColourOfTheirPoints)
{
    std::string bytes = two_hairs();
    const std::size_t thickness = 132 + 12 * 7, colour = thickness + 8 * 7;
    const auto set = [&](std::size_t offset, float value) {
        bytes.replace(offset, sizeof value, std::string(reinterpret_cast<const char*>(&value), sizeof value));
    };
    set(thickness, 0.2f); // of the first: 0.2, 0.8, 0.5
    set(thickness + 4, 0.8f);
    set(thickness + 12, 2.5f); // of the second: 2.5, three times 0.5
    for (std::size_t p = 0; p < 3; ++p) set(colour + 12 * p, 1.0f);
    const Curves curves = parse_hair(bytes, "a.hair");
    ASSERT_EQ(curves.radius.size(), 2u);
    EXPECT_NEAR(curves.radius[0], 0.25, 1e-7);
    EXPECT_NEAR(curves.radius[1], 0.5, 1e-7);
    ASSERT_EQ(curves.colour.size(), 2u);
    EXPECT_NEAR((curves.colour[0] - Vec3(1, 0.214041, 0.214041)).norm(), 0, 1e-6); // sRGB 0.5 is 0.214041 of light
    EXPECT_NEAR((curves.colour[1] - Vec3::Constant(0.214041)).norm(), 0, 1e-6);
    const Curves plain = parse_hair(with(two_hairs(), 12, 3u), "a.hair");
    EXPECT_TRUE(plain.radius.empty());
    EXPECT_TRUE(plain.colour.empty());
    set(thickness, std::numeric_limits<float>::infinity());
    EXPECT_EQ(hair_error(bytes), "a.hair: thickness or colour of strand 0 is not finite");
}

TEST(CurveIo, HairsOfOneLengthNeedNoListOfLengths)
{
    std::string bytes = "HAIR";
    for (const std::uint32_t value : {3u, 6u, 2u, 1u}) append(bytes, value);
    bytes.append(108, '\0');
    for (int i = 0; i < 18; ++i) append(bytes, static_cast<float>(i));
    const Curves curves = parse_hair(bytes, "a.hair");
    ASSERT_EQ(curves.size(), 3u);
    EXPECT_EQ(curves[2][1], Vec3(15, 16, 17));
}

TEST(CurveIo, WrongHairFilesAreNamed)
{
    const std::string good = two_hairs();
    EXPECT_EQ(hair_error(good), "no error");
    EXPECT_NE(hair_error("HAIR").find("a.hair: not a HAIR file"), std::string::npos);
    EXPECT_NE(hair_error(with(good, 0, 'X')).find("not a HAIR file"), std::string::npos);
    EXPECT_EQ(hair_error(good.substr(0, good.size() - 1)), "a.hair: ends after 355 of 356 bytes");
    EXPECT_EQ(hair_error(with(good, 4, 0u)), "a.hair: has no strands");
    EXPECT_NE(hair_error(with(good, 4, 3u)).find("ends after 356 of 358"), std::string::npos);
    EXPECT_NE(hair_error(with(good, 4, 0xffffffffu)).find("ends after 356 of"), std::string::npos);
    EXPECT_NE(hair_error(with(good, 8, 0xffffffffu)).find("ends after 356 of"), std::string::npos);
    EXPECT_EQ(hair_error(with(good, 12, 29u)), "a.hair: has no points");
    EXPECT_NE(hair_error(with(good, 12, 63u)).find("does not know"), std::string::npos);
    EXPECT_EQ(hair_error(with(good, 128, std::uint16_t{1})), "a.hair: strands have 6 points, the header says 7");
    EXPECT_NE(hair_error(with(good, 130, std::uint16_t{4})).find("strand 1 has more points"), std::string::npos);
    EXPECT_EQ(hair_error(with(good, 132 + 4 * 3 * 2, std::numeric_limits<float>::quiet_NaN())),
              "a.hair: point 2 is not finite");
    // Many strands of a size by default in a file that holds none of them.
    std::string empty = with(with(good.substr(0, 128), 12, 2u), 8, 0u);
    EXPECT_NE(hair_error(with(empty, 4, 0xffffffffu)).find("strand 0 has more points"), std::string::npos);
}

TEST(CurveIo, ObjLinesAreStrandsAndPiecesAreJoined)
{
    const std::string vertices = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nv 4 0 0\nv 5 0 0\n";
    const Curves curves = parse_obj_curves(vertices + "o hair\nl 3 2/1 1\nf 1 2 3\nl -1 -2\nl 5 4\n", "a.obj");
    ASSERT_EQ(curves.size(), 2u);
    EXPECT_EQ(curves[0][0], Vec3(2, 0, 0)); // as written
    ASSERT_EQ(curves[1].size(), 3u);
    EXPECT_EQ(curves[1][0], Vec3(3, 0, 0)); // from the lower number on
    EXPECT_EQ(curves[1][2], Vec3(5, 0, 0));
    EXPECT_EQ(obj_curve_error(vertices + "f 1 2 3\n"), "a.obj:7: the file has no lines");
    EXPECT_EQ(obj_curve_error(vertices + "l 1\n"), "a.obj:7: a line needs 2 vertices, there are 1");
    EXPECT_NE(obj_curve_error(vertices + "l 1 7\n").find("vertex index 7"), std::string::npos);
    EXPECT_NE(obj_curve_error(vertices + "l 1 2\nl 1 3\nl 1 4\n").find("more than two edges meet at vertex 0"),
              std::string::npos);
    EXPECT_NE(obj_curve_error(vertices + "l 1 2\nl 2 3\nl 3 1\n").find("is closed"), std::string::npos);
    EXPECT_EQ(obj_curve_error(vertices + "l 1 2 3 1\n"), "a.obj:7: the line is closed; strands have two ends");
    EXPECT_NE(obj_curve_error(vertices + "l 4 4\n").find("edge 0 ends where it begins"), std::string::npos);
}

TEST(CurveIo, PlyEdgesAreJoined)
{
    const Curves curves = parse_ply_curves(kEdges, "a.ply");
    ASSERT_EQ(curves.size(), 2u);
    ASSERT_EQ(curves[0].size(), 3u);
    EXPECT_EQ(curves[0][2], Vec3(2, 0, 0));
    EXPECT_EQ(curves[1][0], Vec3(5, 5, 5));
    std::string wrong = kEdges;
    wrong.replace(wrong.rfind("4 3"), 3, "5 3");
    EXPECT_NE(ply_curve_error(wrong).find("edge 2 of 3: a vertex index"), std::string::npos);
    wrong = kEdges;
    wrong.replace(wrong.find("vertex2"), 7, "vertexx");
    EXPECT_EQ(ply_curve_error(wrong), "a.ply: edges need the properties vertex1 and vertex2");
}

TEST(CurveIo, GarbledAndTruncatedFilesNeverCrash)
{
    const std::vector<std::string> originals{two_hairs(), kEdges,
                                             "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 1 0\nl 1 2 3\nl 3 4\n"};
    const auto parse = [&](std::size_t which, const std::string& bytes) {
        return which == 0   ? parse_hair(bytes, "x")
               : which == 1 ? parse_ply_curves(bytes, "x")
                            : parse_obj_curves(bytes, "x");
    };
    int n_read = 0;
    const auto attempt = [&](std::size_t which, const std::string& bytes) {
        try {
            const Curves curves = parse(which, bytes);
            ASSERT_GT(curves.size(), 0u);
            ASSERT_EQ(curves.first.back(), curves.points.size());
            ++n_read;
        } catch (const InputError&) {
        }
    };
    for (std::size_t which = 0; which < originals.size(); ++which)
        for (std::size_t n = 0; n < originals[which].size(); ++n) attempt(which, originals[which].substr(0, n));
    EXPECT_LT(n_read, 20); // text that ends within its last numbers
    n_read = 0;
    for (std::uint64_t i = 0; i < 6000; ++i) {
        std::string bytes = originals[i % 3];
        for (std::uint64_t k = 0; k < 1 + i % 4; ++k)
            bytes[random_bits(9, i, 2 * k) % bytes.size()] = static_cast<char>(random_bits(9, i, 2 * k + 1));
        attempt(i % 3, bytes);
    }
    EXPECT_GT(n_read, 100);
}

TEST(CurveIo, FilesAreReadByTheirEnding)
{
    EXPECT_THROW((void)read_curves("no/such/file.hair"), IoError);
    EXPECT_NE(curve_error([] { return read_curves("thing.abc"); }).find("strands are read from"), std::string::npos);
    const auto path = std::filesystem::temp_directory_path() / ("rivulet_curves_" + std::to_string(getpid()) + ".HAIR");
    std::ofstream(path, std::ios::binary) << two_hairs();
    EXPECT_EQ(read_curves(path).size(), 2u);
    std::filesystem::remove(path);
}

TEST(Curves, ResamplingSpreadsPointsEvenly)
{
    const std::vector<Vec3> corner{{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 3, 0}}; // a point twice
    const std::vector<Vec3> points = resampled(corner, 9);
    ASSERT_EQ(points.size(), 9u);
    EXPECT_EQ(points[0], corner[0]);
    EXPECT_LT((points[1] - Vec3(0.5, 0, 0)).norm(), 1e-15);
    EXPECT_LT((points[5] - Vec3(1, 1.5, 0)).norm(), 1e-15);
    EXPECT_EQ(points[8], corner[3]);
}

} // namespace
} // namespace rivulet
