#include "geometry/surfacing.h"

#include "base/hash.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "geometry/liquid_samples.h"
#include "geometry/mesh_topology.h"

#include <gtest/gtest.h>

#include <numbers>

namespace rivulet {
namespace {

using test::kCell;
using test::Liquid;
using test::seed;
using test::surface;

Liquid pool(double jitter)
{
    return seed({24, 24, 8}, jitter, [](const Vec3&) { return true; });
}

std::uint64_t hash_of(const TriangleMesh& mesh)
{
    Hasher hasher;
    hasher.bytes(std::as_bytes(std::span(mesh.vertices)));
    hasher.bytes(std::as_bytes(std::span(mesh.triangles)));
    hasher.bytes(std::as_bytes(std::span(mesh.colours)));
    return hasher.value();
}

/// Heights of the vertices of the free surface away from the walls [cells above the true level].
std::vector<double> top_heights(const TriangleMesh& mesh)
{
    std::vector<double> heights;
    for (const Vec3& x : mesh.vertices)
        if (x.z() > 4 * kCell && x.x() > 0.04 && x.x() < 0.2 && x.y() > 0.04 && x.y() < 0.2)
            heights.push_back((x.z() - 8 * kCell) / kCell);
    return heights;
}

TEST(Surfacing, PoolHasItsLevelAndIsFlat)
{
    const std::vector<double> heights = top_heights(surface(pool(0)));
    ASSERT_GT(heights.size(), 500u);
    for (const double h : heights) {
        EXPECT_NEAR(h, 0, 0.05); // measured 0.005
    }
    double mean = 0, squares = 0;
    const std::vector<double> jittered = top_heights(surface(pool(1)));
    for (const double h : jittered) mean += h / double(jittered.size());
    for (const double h : jittered) squares += (h - mean) * (h - mean) / double(jittered.size());
    EXPECT_NEAR(mean, 0, 0.05);          // measured 4e-4
    EXPECT_LT(std::sqrt(squares), 0.05); // measured 0.035
}

TEST(Surfacing, BallKeepsItsVolume)
{
    const double radius = 0.1;
    const Vec3 centre(0.12, 0.12, 0.12);
    const Liquid ball = seed({24, 24, 24}, 1, [&](const Vec3& p) { return (p - centre).norm() < radius; });
    const TriangleMesh mesh = surface(ball);
    EXPECT_TRUE(examine_topology(mesh).is_closed_manifold());
    const double exact = 4 * std::numbers::pi / 3 * radius * radius * radius;
    EXPECT_NEAR(enclosed_volume(mesh), exact, 0.03 * exact);                                   // measured -0.9 %
    for (const Vec3& x : mesh.vertices) EXPECT_NEAR((x - centre).norm(), radius, 0.4 * kCell); // measured 0.24
}

TEST(Surfacing, MeshOfASplashIsAClosedManifold)
{
    // Random particles of sizes 0.5 to 2, some dense, some alone.
    Liquid splash;
    for (std::uint64_t i = 0; i < 20000; ++i) {
        const double spread = i % 4 == 0 ? 0.4 : 0.1;
        splash.positions.emplace_back(spread * random_unit(5, 0, i), spread * random_unit(5, 1, i),
                                      spread * random_unit(5, 2, i));
        splash.volumes.push_back(kCell * kCell * kCell / 8 * std::exp2(2 * random_unit(5, 3, i) - 1));
    }
    const TriangleMesh mesh = surface(splash);
    EXPECT_GT(mesh.triangles.size(), 10000u);
    EXPECT_TRUE(examine_topology(mesh).is_closed_manifold());
    EXPECT_GT(enclosed_volume(mesh), 0);
}

TEST(Surfacing, DropsHaveTheVolumeOfTheirParticlesWhereverTheyAre)
{
    // One or two particles of sizes 0.25 to 2, anywhere between the nodes.
    for (std::uint64_t i = 0; i < 300; ++i) {
        const auto point = [&](std::uint64_t n) {
            return Vec3(random_unit(2, n, i), random_unit(2, n + 1, i), random_unit(2, n + 2, i));
        };
        const double size = kCell * kCell * kCell / 8 * std::exp2(3 * random_unit(2, 9, i) - 2);
        Liquid drop{{point(0) * kCell}, {size}, {}};
        if (i % 3 == 0) {
            drop.positions.emplace_back(drop.positions[0] + 0.25 * kCell * point(3));
            drop.volumes.push_back(size);
        }
        const double exact = size * double(drop.volumes.size());
        const TriangleMesh mesh = surface(drop);
        EXPECT_NEAR(enclosed_volume(mesh), exact, 0.02 * exact) << i;
        EXPECT_TRUE(examine_topology(mesh).is_closed_manifold());
    }
}

TEST(Surfacing, DropOfOneParticleIsABallOfItsVolume)
{
    for (std::uint64_t i = 0; i < 100; ++i) {
        const Vec3 x = kCell * Vec3(random_unit(4, 0, i), random_unit(4, 1, i), random_unit(4, 2, i));
        const double volume = kCell * kCell * kCell / 8 * std::exp2(2 * random_unit(4, 3, i) - 1);
        const double radius = std::cbrt(3 * volume / (4 * std::numbers::pi));
        const TriangleMesh mesh = surface({{x}, {volume}, {}});
        EXPECT_TRUE(examine_topology(mesh).is_closed_manifold());
        EXPECT_NEAR(enclosed_volume(mesh), volume, 0.02 * volume);
        for (const Vec3& v : mesh.vertices) // an octahedron's are at 1.28 of the radius
            EXPECT_NEAR((v - x).norm(), radius, 0.2 * radius) << i;
    }
}

TEST(Surfacing, DropDoesNotTakeWhatIsBesideIt)
{
    // A lone particle three cells above a pool keeps its own volume, and so does the pool.
    const Liquid without = pool(0.5);
    Liquid with = without;
    const double size = kCell * kCell * kCell / 8;
    with.positions.emplace_back(0.1203, 0.1211, 11.1 * kCell);
    with.volumes.push_back(size);
    EXPECT_NEAR(enclosed_volume(surface(with)) - enclosed_volume(surface(without)), size, 1e-3 * size);
}

TEST(Surfacing, ThinSheetHasNoHoles)
{
    // One layer of particles, at the spacing of a sheet that was stretched to half of a layer's thickness.
    Liquid sheet;
    const double s = 0.7 * kCell;
    for (int i = 0; i < 40; ++i)
        for (int j = 0; j < 40; ++j) {
            sheet.positions.emplace_back(s * i, s * j, 0.1234);
            sheet.volumes.push_back(kCell * kCell * kCell / 8);
        }
    const TriangleMesh mesh = surface(sheet);
    const auto n =
        static_cast<std::int64_t>(mesh.vertices.size()) - static_cast<std::int64_t>(mesh.triangles.size()) / 2;
    EXPECT_EQ(n, 2) << "Euler's number of one closed surface without handles";
    EXPECT_TRUE(examine_topology(mesh).is_closed_manifold());
}

TEST(Surfacing, SplittingAParticleInTwoDoesNotPop)
{
    const Liquid whole = pool(0.5);
    Liquid split = whole;
    for (std::size_t i = 0; i < whole.positions.size(); i += 3) {
        split.volumes[i] *= 0.5;
        split.volumes.push_back(split.volumes[i]);
        split.positions.emplace_back(split.positions[i] + Vec3(0.1 * kCell, 0, 0));
        split.positions[i].x() -= 0.1 * kCell;
    }
    double worst = 0;
    for (const double h : top_heights(surface(split))) worst = std::max(worst, std::abs(h));
    EXPECT_LT(worst, 0.15);
    EXPECT_NEAR(enclosed_volume(surface(split)), enclosed_volume(surface(whole)),
                2e-3 * enclosed_volume(surface(whole)));
}

TEST(Surfacing, ColoursFollowTheirParticles)
{
    const Liquid liquid = pool(0.5);
    const TriangleMesh mesh = surface_particles(liquid.positions, liquid.volumes, liquid.colours, {.cell_size = kCell});
    ASSERT_EQ(mesh.colours.size(), mesh.vertices.size());
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        EXPECT_NEAR(mesh.colours[v].sum(), 1, 1e-5);
        if (mesh.vertices[v].x() < 0.1 - 3 * kCell) {
            EXPECT_NEAR(mesh.colours[v].x(), 1, 1e-5);
        }
        if (mesh.vertices[v].x() > 0.1 + 3 * kCell) {
            EXPECT_NEAR(mesh.colours[v].z(), 1, 1e-5);
        }
    }
    EXPECT_TRUE(surface(liquid).colours.empty());
}

TEST(Surfacing, DeepLiquidIsTheSameAsIfItWereBuiltWhole)
{
    // 40 cells across: blocks in the middle are skipped, and no surface appears there.
    const Liquid cube = seed({40, 40, 40}, 1, [](const Vec3&) { return true; });
    const TriangleMesh mesh = surface(cube);
    EXPECT_TRUE(examine_topology(mesh).is_closed_manifold());
    EXPECT_NEAR(enclosed_volume(mesh), 0.064, 0.01 * 0.064);
    for (const Vec3& x : mesh.vertices) {
        EXPECT_GT((x - Vec3::Constant(0.2)).cwiseAbs().maxCoeff(), 0.18);
    }
}

TEST(Surfacing, SameBitsOnAnyNumberOfThreads)
{
    const Liquid liquid = pool(1);
    std::uint64_t expected = 0;
    for (const int n : {1, 2, 3, 8}) {
        const std::uint64_t hash = with_threads(n, [&](int) {
            return hash_of(surface_particles(liquid.positions, liquid.volumes, liquid.colours, {.cell_size = kCell}));
        });
        if (n == 1) expected = hash;
        EXPECT_EQ(hash, expected) << n << " threads";
    }
}

TEST(Surfacing, NoParticlesNoSurface) { EXPECT_TRUE(surface({}).triangles.empty()); }

} // namespace
} // namespace rivulet
