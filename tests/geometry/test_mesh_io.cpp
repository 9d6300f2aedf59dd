#include "geometry/mesh_io.h"

#include "base/error.h"
#include "base/rng.h"
#include "geometry/mesh_topology.h"
#include "geometry/shapes.h"

#include <gtest/gtest.h>

#include <sstream>

namespace rivulet {
namespace {

template <class Parse>
std::string error_of(Parse&& parse)
{
    try {
        (void)parse();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no error";
}

std::string obj_error(const std::string& text)
{
    return error_of([&] { return parse_obj(text, "a.obj"); });
}
std::string ply_error(const std::string& text)
{
    return error_of([&] { return parse_ply(text, "a.ply"); });
}

std::string box_obj()
{
    return "# box\nmtllib x.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\r\nv 0 0 1\nv +1 0 1\nv 1 1 1\nv 0 1 1e0\nvt 0 0\n"
           "usemtl red\nf 1/1/1 4/1 3//1 2\nf -4 -3 -2 -1\nf 1 2 6 5\nf 2 3 7 \\\n 6\nf 3 4 8 7 # side\nf 4 1 5 8\n";
}

TEST(MeshIo, ObjOfAUnitBoxEnclosesOneCubicMetre)
{
    const TriangleMesh mesh = parse_obj(box_obj(), "box.obj");
    EXPECT_EQ(mesh.vertices.size(), 8u);
    EXPECT_EQ(mesh.triangles.size(), 12u);
    EXPECT_TRUE(examine_topology(mesh).is_closed_manifold());
    EXPECT_DOUBLE_EQ(enclosed_volume(mesh), 1);
}

TEST(MeshIo, ConcavePolygonsKeepTheirArea)
{
    // An L of area 3, whose fan from its first corner would overlap itself.
    const TriangleMesh mesh =
        parse_obj("v 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 0\nf 1 2 3 4 5 6\n", "l.obj");
    double area = 0;
    for (const auto& t : mesh.triangles) {
        const Vec3 a = mesh.vertices[static_cast<std::size_t>(t[0])];
        const double z = (mesh.vertices[static_cast<std::size_t>(t[1])] - a)
                             .cross(mesh.vertices[static_cast<std::size_t>(t[2])] - a)
                             .z();
        EXPECT_GT(z, 0);
        area += z / 2;
    }
    EXPECT_DOUBLE_EQ(area, 3);
}

TEST(MeshIo, WrongObjLinesAreNamed)
{
    EXPECT_EQ(obj_error("v 0 0 0\nv 1 zero 0\n"), "a.obj:2: expected a finite number, not 'zero'");
    EXPECT_EQ(obj_error("v 0 0\n"), "a.obj:1: a vertex needs 3 coordinates, there are 2");
    EXPECT_EQ(obj_error("v 0 0 0\nf 1 1 4\n"), "a.obj:2: vertex index 4, but there are 1 vertices");
    EXPECT_EQ(obj_error("v 0 0 0\nf 1 1 0\n"), "a.obj:2: vertex index 0, but there are 1 vertices");
    EXPECT_EQ(obj_error("v 0 0 0\nf 1 1 -2\n"), "a.obj:2: vertex index -2, but there are 1 vertices");
    EXPECT_EQ(obj_error("v 0 0 0\nf 1 1 99999999999999999999\n"),
              "a.obj:2: expected a vertex index, not '99999999999999999999'");
    EXPECT_EQ(obj_error("v 0 0 0\nf 1 1\n"), "a.obj:2: a face needs 3 vertices, there are 2");
    EXPECT_EQ(obj_error("v 0 0 nan\n"), "a.obj:1: expected a finite number, not 'nan'");
    EXPECT_EQ(obj_error("\x7f"
                        "ELF\n"),
              "a.obj:1: unknown statement '?ELF'");
    EXPECT_EQ(obj_error(""), "a.obj:0: the file has no faces");
}

const char* const kTextPly = "ply\nformat ascii 1.0\ncomment by hand\nelement vertex 4\nproperty float x\n"
                             "property float y\nproperty float z\nproperty uchar red\nproperty uchar green\n"
                             "property uchar blue\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n"
                             "0 0 0 255 0 0\n1 0 0 255 0 0\n1 1 0 0 255 0\n0 1 0 188 0 255\n3 0 1 2\n3 0 2 3\n";

TEST(MeshIo, TextPlyIsRead)
{
    const TriangleMesh mesh = parse_ply(kTextPly, "a.ply");
    EXPECT_EQ(mesh.triangles, (std::vector<std::array<std::int32_t, 3>>{{0, 1, 2}, {0, 2, 3}}));
    EXPECT_EQ(mesh.vertices[2], Vec3(1, 1, 0));
    EXPECT_EQ(mesh.colours[2], Vec3(0, 1, 0));
    EXPECT_NEAR(mesh.colours[3].x(), 0.5029, 1e-4); // sRGB code 188 is half of the light
}

TEST(MeshIo, BigEndianPlyIsRead)
{
    std::string bytes = "ply\nformat binary_big_endian 1.0\nelement vertex 3\nproperty double x\nproperty short y\n"
                        "property float z\nelement face 1\nproperty list ushort uint vertex_index\nend_header\n";
    const auto put = [&](std::initializer_list<int> values) {
        for (const int v : values) bytes += static_cast<char>(v);
    };
    put({0x40, 0x04, 0, 0, 0, 0, 0, 0, 0xff, 0xfe, 0x3f, 0x80, 0, 0}); // 2.5, -2, 1
    put({0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0x00, 0xc0, 0, 0, 0});          // 0, 256, -2
    put({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    put({0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0});
    const TriangleMesh mesh = parse_ply(bytes, "a.ply");
    EXPECT_EQ(mesh.vertices[0], Vec3(2.5, -2, 1));
    EXPECT_EQ(mesh.vertices[1], Vec3(0, 256, -2));
    EXPECT_EQ(mesh.triangles[0], (std::array<std::int32_t, 3>{2, 1, 0}));
}

TEST(MeshIo, WhatIsWrittenIsReadBack)
{
    TriangleMesh mesh = make_torus({1, 2, 3}, {1, 1, 0}, 0.5, 0.2)->tessellate(0.1);
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v)
        mesh.colours.emplace_back(random_unit(1, 0, v), random_unit(1, 1, v), random_unit(1, 2, v));
    std::ostringstream ply, obj;
    write_ply(ply, mesh);
    write_obj(obj, mesh);
    for (const TriangleMesh& read : {parse_ply(ply.str(), "a.ply"), parse_obj(obj.str(), "a.obj")}) {
        ASSERT_EQ(read.triangles, mesh.triangles);
        ASSERT_EQ(read.colours.size(), mesh.colours.size());
        for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
            EXPECT_LT((read.vertices[v] - mesh.vertices[v]).norm(), 1e-6);
            EXPECT_LT((read.colours[v] - mesh.colours[v]).norm(), 0.01); // 8 bits
        }
    }
}

TEST(MeshIo, PointsAreWrittenWithTheirAttributes)
{
    const std::vector<Vec3> positions{{1, 2, 3}, {4, 5, 6}}, velocities{{0, 0, -1}, {0, 0, -2}};
    const std::vector<double> speeds{1, 2};
    const std::vector<PointAttribute> attributes{{"speed", speeds}, {"velocity", velocities}, {"colour", velocities}};
    std::ostringstream out;
    write_ply_points(out, positions, attributes);
    const std::string text = out.str();
    EXPECT_NE(text.find("property float speed\nproperty float velocity_x\n"), std::string::npos);
    EXPECT_NE(text.find("property uchar red\n"), std::string::npos);
    const std::size_t header = text.find("end_header\n") + 11;
    EXPECT_EQ(text.size() - header, 2 * (7 * 4 + 3u));
    float speed = 0;
    std::copy_n(text.data() + header + 12, 4, reinterpret_cast<char*>(&speed));
    EXPECT_EQ(speed, 1.0f);
    std::ostringstream empty;
    write_ply_points(empty, {},
                     std::vector<PointAttribute>{{"speed", std::span<const double>()},
                                                 {"velocity", std::span<const Vec3>()},
                                                 {"colour", std::span<const Vec3>()}});
    std::string same = text.substr(0, header);
    same.replace(same.find("vertex 2"), 8, "vertex 0");
    EXPECT_EQ(empty.str(), same);
}

TEST(MeshIo, WrongPlyFilesAreNamed)
{
    EXPECT_NE(ply_error("plx\n").find("a.ply:1: not a PLY file"), std::string::npos);
    EXPECT_NE(ply_error("ply\nformat ascii 1.0\n").find("end_header"), std::string::npos);
    const std::string start = "ply\nformat ascii 1.0\nelement vertex 1\n";
    EXPECT_EQ(ply_error(start + "property quad x\n"), "a.ply:4: unknown type 'quad'");
    const std::string header = start + "property float x\nproperty float y\nproperty float z\nelement face 1\n"
                                       "property list uchar int vertex_indices\nend_header\n";
    EXPECT_EQ(ply_error(header + "0 0\n"), "a.ply:10: vertex 0 of 1: fewer values than properties");
    EXPECT_EQ(ply_error(header + "0 0 0\n3 0 0 7\n"),
              "a.ply:11: face 0 of 1: a vertex index is not among the 1 vertices");
    EXPECT_EQ(ply_error(header + "0 0 0\n200 0 0 0\n"), "a.ply:11: face 0 of 1: impossible list length");
    EXPECT_EQ(ply_error(header + "0 0 0\n"), "a.ply:10: face 0 of 1: the file ends");
}

TEST(MeshIo, AbsurdCountsDoNotAskForMemory)
{
    const std::string vertices = "property float x\nproperty float y\nproperty float z\n";
    for (const std::string format : {"ascii", "binary_little_endian"}) {
        const std::string start = "ply\nformat " + format + " 1.0\n";
        EXPECT_NE(ply_error(start + "element vertex 2000000000\n" + vertices + "end_header\n1 2 3\n").find("file ends"),
                  std::string::npos);
        EXPECT_NE(ply_error(start + "element junk 18446744073709551615\nend_header\n").find("no properties"),
                  std::string::npos);
        EXPECT_NE(ply_error(start + "element junk 18446744073709551615\nproperty list int int a\nend_header\n")
                      .find("file ends"),
                  std::string::npos);
    }
    EXPECT_NE(ply_error("ply\nformat ascii 1.0\nelement vertex 99999999999999999999999\n").find("expected a number"),
              std::string::npos);
}

TEST(MeshIo, GarbledFilesNeverCrash)
{
    std::ostringstream binary;
    write_ply(binary, make_box({0, 0, 0}, {1, 1, 1})->tessellate(0.5));
    int n_read = 0;
    const std::vector<std::string> originals{box_obj(), kTextPly, binary.str()};
    for (std::uint64_t i = 0; i < 6000; ++i) {
        const std::size_t which = i % 3;
        std::string bytes = originals[which];
        for (std::uint64_t k = 0; k < 1 + i % 4; ++k)
            bytes[random_bits(9, i, 2 * k) % bytes.size()] = static_cast<char>(random_bits(9, i, 2 * k + 1));
        if (i % 5 == 0) bytes.resize(random_bits(9, i, 100) % bytes.size());
        try {
            const TriangleMesh mesh = which == 0 ? parse_obj(bytes, "x") : parse_ply(bytes, "x");
            for (const auto& t : mesh.triangles)
                for (const std::int32_t v : t) ASSERT_LT(static_cast<std::size_t>(v), mesh.vertices.size());
            ++n_read;
        } catch (const InputError&) {
        }
    }
    EXPECT_GT(n_read, 100);  // a comment or a digit was hit
    EXPECT_LT(n_read, 5000); // and most damage was noticed
}

TEST(MeshIo, FilesThatCannotBeReadAreNamed)
{
    EXPECT_THROW((void)read_mesh("no/such/file.obj"), IoError);
    EXPECT_NE(error_of([] { return read_mesh("thing.stl"); }).find("thing.stl: meshes are read from"),
              std::string::npos);
}

} // namespace
} // namespace rivulet
