#include "scene/groom.h"
#include "scene/strand_patterns.h"

#include "geometry/shapes.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rivulet {
namespace {

TEST(Bundle, StrandsArePackedAndWoundAroundTheirLines)
{
    const Bundle bundle{.count = 19, .n_vertices = 61, .start = Vec3(1, 2, 3), .end = Vec3(1, 2, 5), .spacing = 0.01};
    const Curves straight = bundle_curves(bundle);
    ASSERT_EQ(straight.size(), 19u); // a hexagon of two rings: 12 of 19 at distances 2 and sqrt(3), 6 at 1
    double sum = 0, nearest = 1;
    for (std::size_t i = 0; i < straight.size(); ++i) {
        sum += (straight[i][0] - bundle.start).squaredNorm();
        EXPECT_LT((straight[i][60] - straight[i][0] - Vec3(0, 0, 2)).norm(), 1e-14);
        for (std::size_t j = 0; j < i; ++j) nearest = std::min(nearest, (straight[i][0] - straight[j][0]).norm());
    }
    EXPECT_NEAR(sum, 1e-4 * (6 * 1 + 6 * 3 + 6 * 4), 1e-15);
    EXPECT_NEAR(nearest, 0.01, 1e-14);
    Bundle helix = bundle;
    helix.count = 1;
    helix.curl_radius = 0.1;
    helix.curl_pitch = 0.5; // 15 edges a turn
    const Curves wound = bundle_curves(helix);
    for (std::size_t k = 0; k < 61; ++k) {
        const Vec3 across = wound[0][k] - bundle.start - Vec3(0, 0, 2 * static_cast<double>(k) / 60);
        EXPECT_NEAR(across.z(), 0, 1e-14);
        EXPECT_NEAR(across.norm(), 0.1, 1e-14);
    }
    EXPECT_LT((wound[0][15] - wound[0][0] - Vec3(0, 0, 0.5)).norm(), 1e-14);
}

TEST(Bundle, StrandsLieInARowAcrossTheirAxis)
{
    const Bundle bundle{.count = 4,
                        .n_vertices = 3,
                        .start = Vec3(1, 2, 3),
                        .end = Vec3(1, 2, 2),
                        .spacing = 0.01,
                        .row = Vec3(2, 0, 7)}; // of which only x is across
    const Curves row = bundle_curves(bundle);
    ASSERT_EQ(row.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_LT((row[i][0] - Vec3(1 + 0.01 * (static_cast<double>(i) - 1.5), 2, 3)).norm(), 1e-14);
        EXPECT_LT((row[i][2] - row[i][0] - Vec3(0, 0, -1)).norm(), 1e-14);
    }
}

TEST(Groom, StrandsHaveTheirLengthAndCurl)
{
    const Groom groom{.n_vertices = 200, .length = 0.2, .curl_radius = 0.004, .curl_pitch = 0.02};
    const std::vector<Vec3> points = grow_strand(groom, {Vec3::Zero(), Vec3::UnitZ()}, 3);
    double length = -0.5 * groom_edge(groom);
    for (std::size_t k = 1; k < points.size(); ++k) length += (points[k] - points[k - 1]).norm();
    EXPECT_NEAR(length, 0.2, 1e-12);
    // Points half a turn apart are two radii apart, across.
    const auto half = static_cast<std::size_t>(std::lround(0.5 * *edges_in_a_turn(groom)));
    EXPECT_NEAR((points[150] - points[150 + half]).head<2>().norm(), 0.008, 1e-4);
    EXPECT_NEAR(*edges_in_a_turn(groom), 0.02 * std::sqrt(1 + std::pow(0.4 * M_PI, 2)) / (0.2 / 198.5), 1e-9);
    EXPECT_NE(grow_strand(groom, {Vec3::Zero(), Vec3::UnitZ()}, 4).back(), points.back()); // phases differ
}

TEST(Groom, RootsAreEvenlySpread)
{
    const auto sphere = make_sphere(Vec3::Zero(), 1);
    const RootSampler roots(*sphere, nullptr, 9);
    int above = 0, top = 0; // bands of a sphere of equal height have equal area
    constexpr int kRoots = 4000;
    for (int i = 0; i < kRoots; ++i) {
        const RootPlace root = roots.root(i);
        EXPECT_NEAR(root.position.norm(), 1, 1e-9);
        EXPECT_LT((root.normal - root.position).norm(), 1e-6);
        above += root.position.z() > 0;
        top += root.position.z() > 0.5;
    }
    EXPECT_NEAR(above, kRoots / 2, 4 * std::sqrt(kRoots * 0.25));
    EXPECT_NEAR(top, kRoots / 4, 4 * std::sqrt(kRoots * 0.1875));
}

double length_of(std::span<const Vec3> curve)
{
    double length = 0;
    for (std::size_t k = 1; k < curve.size(); ++k) length += (curve[k] - curve[k - 1]).norm();
    return length;
}

/// Angle of the last edge from the first.
double turn_of(std::span<const Vec3> curve)
{
    const std::size_t n = curve.size();
    return std::acos((curve[1] - curve[0]).normalized().dot((curve[n - 1] - curve[n - 2]).normalized()));
}

TEST(Groom, BendingTurnsTheTipAndKeepsTheLength)
{
    const Groom groom{.n_vertices = 101, .length = 0.1, .bend = 1.2, .bend_direction = Vec3(1, 0, -5)};
    const std::vector<Vec3> points = grow_strand(groom, {Vec3::Zero(), Vec3::UnitZ()}, 0);
    EXPECT_NEAR(length_of(points) - 0.5 * groom_edge(groom), 0.1, 1e-12);
    EXPECT_NEAR(turn_of(points), 1.2 * 98.5 / 99.5, 1e-6); // half an edge at either end has no part in it
    EXPECT_GT(points.back().x(), 0.02);
    EXPECT_NEAR(points.back().y(), 0, 1e-12);
    // An arc of angle 1.2: radius 0.1/1.2, tip at (1 - cos, sin) of it.
    EXPECT_NEAR(points.back().x(), 0.1 / 1.2 * (1 - std::cos(1.2)), 1e-3);
    EXPECT_NEAR(points.back().z(), 0.1 / 1.2 * std::sin(1.2), 1e-3);
}

TEST(Groom, RandomStrandsStrayButLeaveTheSurfaceStraight)
{
    const Groom groom{.n_vertices = 41, .length = 0.1, .randomness = 1};
    double spread = 0;
    for (int i = 0; i < 100; ++i) {
        const std::vector<Vec3> points = grow_strand(groom, {Vec3::Zero(), Vec3::UnitZ()}, i);
        EXPECT_EQ(points, grow_strand(groom, {Vec3::Zero(), Vec3::UnitZ()}, i));
        EXPECT_NEAR(length_of(points) - 0.5 * groom_edge(groom), 0.1, 1e-12);
        EXPECT_LT((points[1] - points[0]).head<2>().norm(), 1e-12);
        EXPECT_LT((points[2] - points[1]).head<2>().norm(), 0.1 * groom_edge(groom));
        spread += points.back().head<2>().squaredNorm() / 100;
    }
    EXPECT_GT(std::sqrt(spread), 0.005);
    EXPECT_LT(std::sqrt(spread), 0.03);
}

/// Mean distance of the tips from their mean.
double spread_of_tips(const Curves& curves)
{
    Vec3 mean = Vec3::Zero();
    const auto n = static_cast<double>(curves.size());
    for (std::size_t i = 0; i < curves.size(); ++i) mean += curves[i].back() / n;
    double spread = 0;
    for (std::size_t i = 0; i < curves.size(); ++i) spread += (curves[i].back() - mean).norm() / n;
    return spread;
}

TEST(Groom, ClumpsDrawTipsTogetherAndTaperPointsABrush)
{
    const auto disc = make_cylinder(Vec3(0, 0, -0.01), Vec3::Zero(), 0.02);
    const auto top = make_box(Vec3(-1, -1, -1e-4), Vec3(1, 1, 1));
    const RootSampler roots(*disc, top.get(), 4);
    EXPECT_NEAR(roots.area(), M_PI * 4e-4, 0.05 * M_PI * 4e-4);
    Groom groom{.n_vertices = 30, .length = 0.1};
    const double free = spread_of_tips(grow_strands(groom, roots, 200));
    EXPECT_NEAR(free, 2.0 / 3 * 0.02, 0.002); // of a disc
    groom.taper = 0.8;
    const Curves pointed = grow_strands(groom, roots, 200);
    EXPECT_NEAR(spread_of_tips(pointed) / free, 0.2, 0.02);
    for (std::size_t i = 0; i < pointed.size(); ++i)
        EXPECT_NEAR(length_of(pointed[i]) - 0.5 * groom_edge(groom), 0.1, 1e-12);
    groom.taper = 0;
    groom.n_clumps = 5;
    groom.clump = 1;
    const Curves clumped = grow_strands(groom, roots, 200);
    for (std::size_t i = 5; i < 200; ++i) { // every tip is near one of the five
        double nearest = 1;
        for (std::size_t g = 0; g < 5; ++g) nearest = std::min(nearest, (clumped[i].back() - clumped[g].back()).norm());
        EXPECT_LT(nearest, 0.005); // measured 3.1e-3: strands keep their length, so those from further away end lower
    }
    EXPECT_GT(spread_of_tips(clumped), 0.3 * free);
}

double least_distance(std::span<const Vec3> a, std::span<const Vec3> b)
{
    double least = 1e300;
    for (const Vec3& x : a)
        for (const Vec3& y : b) least = std::min(least, (x - y).norm());
    return least;
}

TEST(Weave, YarnsGoOverAndUnderByTurns)
{
    const Weave weave{.rows = 3, .columns = 4, .spacing = 0.01, .amplitude = 0.001, .edges_per_crossing = 8};
    const Curves curves = woven_curves(weave);
    ASSERT_EQ(curves.size(), 7u);
    ASSERT_EQ(curves[0].size(), 33u);
    ASSERT_EQ(curves[3].size(), 25u);
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 4; ++j) {
            const Vec3 &row = curves[i][8 * j + 4], &column = curves[3 + j][8 * i + 4]; // where they cross
            EXPECT_LT((row - column).head<2>().norm(), 1e-15);
            EXPECT_NEAR(row.z() - column.z(), (i + j) % 2 == 0 ? 0.002 : -0.002, 1e-15);
            EXPECT_NEAR(least_distance(curves[i], curves[3 + j]), 0.002, 1e-12);
        }
    EXPECT_NEAR(least_distance(curves[0], curves[1]), 0.01, 1e-4);
}

/// Over a loop of one row, in the view from above, the row above crosses it four times: below, above, above, below.
TEST(Knit, LoopsAreDrawnThroughThoseOfTheRowBelow)
{
    for (const int columns : {3, 4}) {
        const Knit knit{.rows = 3, .columns = columns, .spacing = 2 * M_PI, .edges_per_loop = 100};
        const Curves curves = knitted_curves(knit);
        ASSERT_EQ(curves.size(), 3u);
        std::string signs;
        for (std::size_t k = 1; k < curves[0].size(); ++k)
            for (std::size_t l = 1; l < curves[1].size(); ++l) {
                const Vec3 p = curves[0][k - 1], r = curves[0][k] - p, q = curves[1][l - 1], s = curves[1][l] - q,
                           w = q - p;
                const double det = r.x() * s.y() - r.y() * s.x();
                const double u = (w.x() * s.y() - w.y() * s.x()) / det, v = (w.x() * r.y() - w.y() * r.x()) / det;
                if (u >= 0 && u < 1 && v >= 0 && v < 1) signs += p.z() > q.z() ? '+' : '-';
            }
        std::string expected;
        for (int i = 0; i < columns; ++i) expected += "-++-";
        EXPECT_EQ(signs, expected);
        EXPECT_GT(least_distance(curves[0], curves[1]) / knit.spacing, kKnitClearance - 1e-3);
        EXPECT_GT(least_distance(curves[0], curves[2]) / knit.spacing, kKnitClearance);
        EXPECT_NEAR(curves[0].front().y(), curves[0].back().y(), 1e-12);
    }
}

TEST(Noodles, TouchNoneOfTheirNeighbours)
{
    const Noodles noodles{.count = 25,
                          .per_layer = 10,
                          .n_vertices = 400,
                          .length = 0.1,
                          .spacing = 0.002,
                          .wave_height = 0.01,
                          .wave_length = 0.03};
    const Curves curves = noodle_curves(noodles);
    ASSERT_EQ(curves.size(), 25u);
    double least = 1;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        EXPECT_NEAR(length_of(curves[i]), 0.1, 1e-12);
        for (std::size_t j = 0; j < i; ++j) least = std::min(least, least_distance(curves[i], curves[j]));
    }
    EXPECT_GT(least, 0.00199);
    EXPECT_LT(least, 0.0021);
}

TEST(Groom, RootsOnAMeshAreEvenlySpreadOverItsFaces)
{
    // A box of 1 x 2 x 3 as twelve triangles: 22 m2, of which each side of 6 m2 has 27 %.
    TriangleMesh mesh = make_box(Vec3::Zero(), Vec3(1, 2, 3))->tessellate(10);
    const auto shape = make_mesh_shape(mesh);
    const RootSampler roots(*shape, nullptr, 2);
    EXPECT_NEAR(roots.area(), 22, 1e-9);
    int at_side = 0;
    constexpr int kRoots = 3000;
    for (int i = 0; i < kRoots; ++i) {
        const RootPlace root = roots.root(i);
        EXPECT_LT(std::abs(shape->distance(root.position)), 1e-9);
        at_side += root.position.x() > 1 - 1e-9;
    }
    EXPECT_NEAR(at_side, kRoots * 6.0 / 22, 4 * std::sqrt(kRoots * 6.0 / 22 * 16 / 22));
}

} // namespace
} // namespace rivulet
