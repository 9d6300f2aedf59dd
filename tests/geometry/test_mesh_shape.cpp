#include "geometry/shapes.h"

#include "base/error.h"
#include "base/rng.h"
#include "geometry/mesh_distance.h"
#include "geometry/mesh_topology.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace rivulet {
namespace {

Vec3 random_point(std::uint64_t i)
{
    return {4 * random_unit(3, 0, i) - 2, 4 * random_unit(3, 1, i) - 2, 4 * random_unit(3, 2, i) - 2};
}

std::string error_of(TriangleMesh mesh)
{
    try {
        (void)make_mesh_shape(std::move(mesh));
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(MeshShape, DistanceToABoxMeshIsThatOfTheBox)
{
    const ShapePtr box = make_box({-1, -0.5, -0.2}, {0.8, 0.9, 0.3});
    const ShapePtr mesh = make_mesh_shape(box->tessellate(0.25));
    for (std::uint64_t i = 0; i < 5000; ++i) {
        const Vec3 x = random_point(i);
        EXPECT_NEAR(mesh->distance(x), box->distance(x), 1e-12) << x.transpose();
        // On the bisecting planes inside the box either side is right.
        if (box->distance(x) > 0.01) {
            EXPECT_GT(mesh->normal(x).dot(box->normal(x)), 1 - 1e-6);
        }
    }
}

TEST(MeshShape, DistanceToATorusMeshFollowsTheTorus)
{
    const ShapePtr torus = make_torus({0, 0, 0}, {0, 0, 1}, 1, 0.4);
    const ShapePtr mesh = make_mesh_shape(torus->tessellate(0.05));
    for (std::uint64_t i = 0; i < 5000; ++i) {
        const Vec3 x = random_point(i);
        EXPECT_NEAR(mesh->distance(x), torus->distance(x), 1e-3); // sagitta of the facets: edge^2 / 8r = 8e-4
    }
}

TEST(MeshShape, SignIsRightAtASpikeWhereFaceNormalsDisagree)
{
    // A thin tetrahedron: seen from beyond its tip, some faces look away from the point.
    TriangleMesh mesh;
    mesh.vertices = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0.9, 0.2, 1}};
    mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    const ShapePtr spike = make_mesh_shape(mesh);
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const Vec3 x = Vec3(0.9, 0.2, 1) + 0.05 * random_point(i);
        bool is_inside = true; // a tetrahedron is where four half spaces meet
        for (const auto& t : mesh.triangles) {
            const Vec3 a = mesh.vertices[static_cast<std::size_t>(t[0])],
                       b = mesh.vertices[static_cast<std::size_t>(t[1])],
                       c = mesh.vertices[static_cast<std::size_t>(t[2])];
            is_inside = is_inside && (b - a).cross(c - a).dot(x - a) < 0;
        }
        EXPECT_EQ(spike->distance(x) < 0, is_inside) << x.transpose();
    }
}

TEST(MeshShape, VerticesWrittenSeveralTimesAreMadeOne)
{
    const TriangleMesh box = make_box({0, 0, 0}, {1, 1, 1})->tessellate(1);
    TriangleMesh soup;
    for (const auto& t : box.triangles) {
        const auto first = static_cast<std::int32_t>(soup.vertices.size());
        for (const std::int32_t v : t) soup.vertices.push_back(box.vertices[static_cast<std::size_t>(v)]);
        soup.triangles.push_back({first, first + 1, first + 2});
    }
    EXPECT_NEAR(make_mesh_shape(soup)->distance({0.5, 0.5, 3}), 2, 1e-12);
}

TEST(MeshShape, OpenAndInvertedMeshesAreRefusedWithTheReason)
{
    TriangleMesh box = make_box({0, 0, 0}, {1, 1, 1})->tessellate(1);
    TriangleMesh open = box;
    open.triangles.pop_back();
    EXPECT_NE(error_of(open).find("3 open edges"), std::string::npos) << error_of(open);
    TriangleMesh twisted = box;
    std::swap(twisted.triangles[4][0], twisted.triangles[4][1]);
    EXPECT_NE(error_of(twisted).find("3 edges"), std::string::npos) << error_of(twisted);
    for (auto& t : box.triangles) std::swap(t[0], t[1]);
    EXPECT_NE(error_of(box).find("inside out"), std::string::npos);
    box.triangles[0][0] = 1000;
    EXPECT_NE(error_of(box).find("vertex index 1000"), std::string::npos);
    EXPECT_NE(error_of({}).find("no triangles"), std::string::npos);
}

TEST(MeshShape, TrianglesWithoutAreaDoNotDisturb)
{
    TriangleMesh mesh = make_box({0, 0, 0}, {1, 1, 1})->tessellate(1);
    // Split one edge of one triangle by a flat triangle: closed, with a zero-area face.
    auto t = mesh.triangles[0];
    const Vec3 middle =
        0.5 * (mesh.vertices[static_cast<std::size_t>(t[0])] + mesh.vertices[static_cast<std::size_t>(t[1])]);
    const auto m = static_cast<std::int32_t>(mesh.vertices.size());
    mesh.vertices.push_back(middle);
    mesh.triangles[0] = {t[0], m, t[2]};
    mesh.triangles.push_back({m, t[1], t[2]});
    mesh.triangles.push_back({t[0], t[1], m});
    const ShapePtr shape = make_mesh_shape(mesh), box = make_box({0, 0, 0}, {1, 1, 1});
    for (std::uint64_t i = 0; i < 2000; ++i)
        EXPECT_NEAR(shape->distance(random_point(i)), box->distance(random_point(i)), 1e-12);
}

} // namespace
} // namespace rivulet
