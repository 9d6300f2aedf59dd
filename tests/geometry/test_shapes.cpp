#include "geometry/mesh_topology.h"
#include "geometry/shapes.h"

#include "base/error.h"
#include "base/rng.h"

#include <gtest/gtest.h>

#include <numbers>

namespace rivulet {
namespace {

Vec3 random_point(std::uint64_t i, double half)
{
    return {half * (2 * random_unit(7, 0, i) - 1), half * (2 * random_unit(7, 1, i) - 1),
            half * (2 * random_unit(7, 2, i) - 1)};
}

struct NamedShape {
    const char* name;
    ShapePtr shape;
    double volume; ///< by formula [m^3]
};

std::vector<NamedShape> primitives()
{
    const Vec3 a(-0.3, 0.1, -0.2), b(0.2, 0.4, 0.3);
    const double length = (b - a).norm();
    return {
        {"box", make_box({-0.5, -0.4, -0.3}, {0.5, 0.2, 0.6}), 1.0 * 0.6 * 0.9},
        {"sphere", make_sphere({0.1, 0.2, -0.1}, 0.5), 4 * std::numbers::pi / 3 * 0.125},
        {"ellipsoid", make_ellipsoid({0.1, 0, -0.1}, {0.6, 0.3, 0.45}), 4 * std::numbers::pi / 3 * 0.6 * 0.3 * 0.45},
        {"capsule", make_capsule(a, b, 0.3), std::numbers::pi * 0.09 * length + 4 * std::numbers::pi / 3 * 0.027},
        {"cylinder", make_cylinder(a, b, 0.3), std::numbers::pi * 0.09 * length},
        {"torus", make_torus({0.1, 0, 0}, {1, 2, 3}, 0.5, 0.2), 2 * std::numbers::pi * std::numbers::pi * 0.5 * 0.04}};
}

TEST(Shapes, DistancesOfHandPickedPoints)
{
    const ShapePtr box = make_box({0, 0, 0}, {2, 4, 6});
    EXPECT_DOUBLE_EQ(box->distance({5, 8, 6}), 5); // 3-4-5 triangle from the edge
    EXPECT_DOUBLE_EQ(box->distance({1, 2, 5.5}), -0.5);
    EXPECT_DOUBLE_EQ(make_sphere({1, 0, 0}, 2)->distance({4, 4, 0}), 3);
    const ShapePtr ellipsoid = make_ellipsoid({0, 0, 1}, {2, 3, 1});
    EXPECT_NEAR(ellipsoid->distance({5, 0, 1}), 3, 1e-9);
    EXPECT_NEAR(ellipsoid->distance({0, 0, 1}), -1, 1e-9); // the shortest axis is nearest to the centre
    // On the normal (x/4, y/9, 0) of its point (sqrt(2), 3/sqrt(2), 0), at twice that vector's length.
    const Vec3 foot(std::sqrt(2.0), 3 / std::sqrt(2.0), 0), normal(foot.x() / 4, foot.y() / 9, 0);
    EXPECT_NEAR(ellipsoid->distance(foot + 2 * normal + Vec3(0, 0, 1)), 2 * normal.norm(), 1e-9);
    EXPECT_NEAR(ellipsoid->distance(foot - 0.1 * normal + Vec3(0, 0, 1)), -0.1 * normal.norm(), 1e-9);
    EXPECT_DOUBLE_EQ(make_capsule({0, 0, 0}, {0, 0, 10}, 1)->distance({3, 0, 14}), 4);
    const ShapePtr cylinder = make_cylinder({0, 0, 0}, {0, 0, 10}, 1);
    EXPECT_DOUBLE_EQ(cylinder->distance({4, 0, 14}), 5);
    EXPECT_DOUBLE_EQ(cylinder->distance({0.25, 0, 5}), -0.75);
    const ShapePtr torus = make_torus({0, 0, 0}, {0, 0, 2}, 3, 1);
    EXPECT_DOUBLE_EQ(torus->distance({0, 0, 4}), 4);
    EXPECT_DOUBLE_EQ(torus->distance({0, 3, 0}), -1);
    EXPECT_DOUBLE_EQ(make_plane({0, 0, 1}, {0, 0, 2})->distance({7, 7, 0}), -1);
}

TEST(Shapes, GradientOfTheDistanceHasUnitLength)
{
    for (const auto& [name, shape, volume] : primitives())
        for (std::uint64_t i = 0; i < 500; ++i) {
            const Vec3 x = random_point(i, 1.0);
            const Vec3 n = shape->normal(x);
            EXPECT_NEAR(n.norm(), 1, 1e-12);
            const double rate = (shape->distance(x + 1e-6 * n) - shape->distance(x - 1e-6 * n)) / 2e-6;
            EXPECT_GT(rate, 0.9) << name << " " << x.transpose(); // less on the medial axis only
            // Walking the distance along the normal ends on the surface: the distance is exact.
            const double d = shape->distance(x);
            if (std::abs(rate - 1) < 1e-6) {
                EXPECT_NEAR(shape->distance(x - d * n), 0, 1e-4) << name;
            }
        }
}

TEST(Shapes, BoundsHoldTheSolidAndTouchIt)
{
    for (const auto& [name, shape, volume] : primitives()) {
        const Aabb box = shape->bounds();
        const TriangleMesh mesh = shape->tessellate(0.02);
        Aabb touched;
        for (const Vec3& x : mesh.vertices) touched.include(x);
        EXPECT_TRUE(box.dilated(1e-12).contains(touched.lower) && box.dilated(1e-12).contains(touched.upper)) << name;
        EXPECT_LT((box.size() - touched.size()).maxCoeff(), 0.02) << name;
    }
}

TEST(Shapes, TessellationsAreClosedOutwardAndOnTheSurface)
{
    for (const auto& [name, shape, volume] : primitives()) {
        const TriangleMesh mesh = shape->tessellate(0.03);
        EXPECT_TRUE(examine_topology(mesh).is_closed_manifold()) << name;
        EXPECT_NEAR(enclosed_volume(mesh), volume, 0.01 * volume) << name;
        for (const Vec3& x : mesh.vertices) ASSERT_NEAR(shape->distance(x), 0, 1e-12) << name;
    }
}

TEST(Shapes, TessellationOfAPlaneIsAClosedSlabBelowIt)
{
    const ShapePtr plane = make_plane({1, 2, 3}, {1, 1, 0});
    const TriangleMesh mesh = plane->tessellate(0.1);
    EXPECT_TRUE(examine_topology(mesh).is_closed_manifold());
    EXPECT_NEAR(enclosed_volume(mesh), 10 * 10 * 0.1, 1e-9);
    for (const Vec3& x : mesh.vertices) ASSERT_LT(plane->distance(x), 1e-12);
}

TEST(Shapes, NormalsOfUnionAndDifferenceAreThoseOfTheWallThatIsNear)
{
    const ShapePtr tank = make_difference(make_box({-5, -5, -5}, {5, 5, 5}), make_sphere({0, 0, 0}, 3));
    const Vec3 direction = Vec3(1, -2, 2) / 3;
    EXPECT_LT((tank->normal(2.9 * direction) + direction).norm(), 1e-15); // into the hollow
    EXPECT_LT((tank->normal(3.2 * direction) + direction).norm(), 1e-15);
    EXPECT_LT((tank->normal({0.3, 4.9, 0.2}) - Vec3::UnitY()).norm(), 1e-9);
    const ShapePtr both = make_union({make_sphere({0, 0, 0}, 1), make_sphere({4, 0, 0}, 1)});
    EXPECT_LT((both->normal(1.1 * direction) - direction).norm(), 1e-15);
    EXPECT_LT((both->normal(Vec3(4, 0, 0) + 0.9 * direction) - direction).norm(), 1e-14);
}

TEST(Shapes, UnionAndDifferenceHaveTheSignOfTheSets)
{
    const ShapePtr a = make_sphere({0, 0, 0}, 0.5), b = make_box({0, -1, -1}, {1, 1, 1});
    const ShapePtr both = make_union({a, b}), rest = make_difference(a, b);
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const Vec3 x = random_point(i, 1.2);
        const bool in_a = x.norm()<0.5, in_b = x.x()> 0 && x.x() < 1 && std::abs(x.y()) < 1 && std::abs(x.z()) < 1;
        EXPECT_EQ(both->distance(x) < 0, in_a || in_b);
        EXPECT_EQ(rest->distance(x) < 0, in_a && !in_b);
        if (in_a && !in_b) {
            EXPECT_LE(-rest->distance(x), std::min(0.5 - x.norm(), -x.x()) + 1e-12);
        }
    }
}

TEST(Shapes, CombinedShapesAreMeshedClosedWithTheirVolume)
{
    const ShapePtr ball = make_sphere({0, 0, 0}, 0.5);
    const ShapePtr half = make_difference(ball, make_box({0, -1, -1}, {1, 1, 1}));
    const TriangleMesh mesh = half->tessellate(0.02);
    EXPECT_TRUE(examine_topology(mesh).is_closed_manifold());
    EXPECT_NEAR(enclosed_volume(mesh), 2 * std::numbers::pi / 3 * 0.125, 0.01 * 0.26);
    const TriangleMesh two = make_union({ball, make_sphere({2, 0, 0}, 0.5)})->tessellate(0.03);
    EXPECT_TRUE(examine_topology(two).is_closed_manifold());
    EXPECT_NEAR(enclosed_volume(two), 8 * std::numbers::pi / 3 * 0.125, 0.01);
    const TriangleMesh cut = make_difference(make_plane({0, 0, 0}, {0, 0, 1}), ball)->tessellate(0.1);
    EXPECT_TRUE(examine_topology(cut).is_closed_manifold()) << "an infinite solid is cut off and closed";
}

/// However long the edges asked for: the teeth of a comb and the walls of a tray are there.
TEST(Shapes, ThinPartsOfCombinedShapesAreMeshed)
{
    const ShapePtr tooth = make_capsule({0, 0, 0}, {0, 4, 0}, 0.08);
    const TriangleMesh comb =
        make_union({make_box({-2, -0.5, -0.2}, {2, -0.1, 0.2}), make_placed(tooth, {{-1, 0, 0}, Quat::Identity()}),
                    make_placed(tooth, {{1, 0, 0}, Quat::Identity()})})
            ->tessellate(5);
    const double of_tooth = std::numbers::pi * 0.08 * 0.08 * (4 + 4 * 0.08 / 3);
    EXPECT_NEAR(enclosed_volume(comb), 4 * 0.4 * 0.4 + 2 * of_tooth, 0.02);
    EXPECT_GT(enclosed_volume(comb), 4 * 0.4 * 0.4 + of_tooth);
    const ShapePtr tray = make_difference(make_box({0, 0, 0}, {8, 8, 2}), make_box({0.1, 0.1, 0.1}, {7.9, 7.9, 3}));
    EXPECT_NEAR(enclosed_volume(tray->tessellate(5)), 8 * 8 * 2 - 7.8 * 7.8 * 1.9, 0.5);
}

TEST(Shapes, PlacedShapeIsTheShapeSeenFromItsFrame)
{
    const Pose pose{{1, 2, 3}, Quat(Eigen::AngleAxisd(std::numbers::pi / 2, Vec3::UnitZ()))};
    const ShapePtr box = make_placed(make_box({0, 0, 0}, {4, 1, 1}), pose);
    EXPECT_NEAR(box->distance({0.5, 8, 3.5}), 2, 1e-12); // the long side now points along y
    EXPECT_LT((box->normal({0.5, 8, 3.5}) - Vec3::UnitY()).norm(), 1e-9);
    EXPECT_LT((box->bounds().lower - Vec3(0, 2, 3)).norm() + (box->bounds().upper - Vec3(1, 6, 4)).norm(), 1e-12);
    EXPECT_NEAR(enclosed_volume(box->tessellate(0.5)), 4, 1e-12);
}

TEST(Shapes, WrongArgumentsAreNamed)
{
    EXPECT_THROW((void)make_box({0, 0, 0}, {1, 0, 1}), InputError);
    EXPECT_THROW((void)make_sphere({0, 0, 0}, -1), InputError);
    EXPECT_THROW((void)make_sphere({0, std::nan(""), 0}, 1), InputError);
    EXPECT_THROW((void)make_ellipsoid({0, 0, 0}, {1, 0, 1}), InputError);
    EXPECT_THROW((void)make_cylinder({0, 0, 0}, {0, 0, 0}, 1), InputError);
    EXPECT_THROW((void)make_torus({0, 0, 0}, {0, 0, 1}, 1, 1.5), InputError);
    EXPECT_THROW((void)make_plane({0, 0, 0}, {0, 0, 0}), InputError);
    EXPECT_THROW((void)make_union({}), InputError);
    EXPECT_THROW((void)make_difference(nullptr, make_sphere({0, 0, 0}, 1)), InputError);
}

} // namespace
} // namespace rivulet
