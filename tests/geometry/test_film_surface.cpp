#include "geometry/film_surface.h"

#include "base/parallel.h"
#include "geometry/mesh_topology.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

constexpr double kPi = std::numbers::pi;

/// One strand along x, of radius 0.1 mm and vertices 1 mm apart.
struct WetLine {
    std::vector<Vec3> positions;
    std::vector<std::int32_t> first{0};
    std::vector<double> inner, outer, pools;

    void add(int n_vertices, double y = 0)
    {
        for (int v = 0; v < n_vertices; ++v) positions.emplace_back(1e-3 * v, y, 0);
        first.push_back(static_cast<std::int32_t>(positions.size()));
        inner.assign(positions.size(), 1e-4);
        outer.resize(positions.size(), 1e-4);
        pools.push_back(0);
    }
    [[nodiscard]] FilmCurves curves() const { return {positions, first, inner, outer, pools}; }
};

TEST(FilmSurface, ACoatIsNoBody)
{
    WetLine line;
    line.add(11);
    line.outer.assign(11, 1.9e-4);
    line.pools[0] = 4 * kPi / 3 * std::pow(1.5e-4, 3);
    EXPECT_TRUE(surface_films(line.curves(), {}).triangles.empty());
    line.outer.assign(11, 2.1e-4);
    EXPECT_FALSE(surface_films(line.curves(), {}).triangles.empty());
    EXPECT_TRUE(surface_films(line.curves(), {.smallest = 2.2e-4}).triangles.empty());
}

TEST(FilmSurface, AFilmIsATubeOfItsVolumeWithRoundEnds)
{
    WetLine line;
    line.add(21);
    line.outer.assign(21, 5e-4);
    const TriangleMesh mesh = surface_films(line.curves(), {.n_around = 24});
    EXPECT_TRUE(examine_topology(mesh).is_closed_manifold());
    const double exact = kPi * 25e-8 * 20e-3 + 4 * kPi / 3 * 125e-12;
    EXPECT_NEAR(enclosed_volume(mesh), exact, 2e-3 * exact);
    for (const Vec3& x : mesh.vertices) EXPECT_LE(std::hypot(x.y(), x.z()), 5.1e-4);
}

TEST(FilmSurface, ABeadReachesItsNeighboursAndNoFurther)
{
    WetLine line;
    line.add(21);
    line.outer[10] = 8e-4;
    line.outer[9] = line.outer[11] = 6e-4;
    const std::vector<std::uint8_t> inside = vertices_in_drops(line.curves(), {});
    for (std::size_t v = 0; v < 21; ++v) EXPECT_EQ(inside[v], v >= 9 && v <= 11) << v;
    const TriangleMesh mesh = surface_films(line.curves(), {});
    EXPECT_TRUE(examine_topology(mesh).is_closed_manifold());
    double low = 1, high = 0, widest = 0;
    for (const Vec3& x : mesh.vertices) {
        low = std::min(low, x.x());
        high = std::max(high, x.x());
        widest = std::max(widest, std::hypot(x.y(), x.z()));
    }
    EXPECT_NEAR(low, 8e-3, 1e-12);
    EXPECT_NEAR(high, 12e-3, 1e-12);
    EXPECT_NEAR(widest, 8e-4, 0.03 * 8e-4); // a polygon of the circle's area
}

TEST(FilmSurface, BodiesWithOneDryVertexBetweenThemAreOne)
{
    WetLine line;
    line.add(21);
    line.outer[8] = line.outer[10] = 5e-4;
    line.outer[14] = 5e-4;
    const TriangleMesh mesh = surface_films(line.curves(), {.n_around = 6});
    int n_ends = 0;
    for (const Vec3& x : mesh.vertices) n_ends += x.y() == 0 && x.z() == 0;
    EXPECT_EQ(n_ends, 4); // two bodies
}

TEST(FilmSurface, ADropAtTheTipAddsThePool)
{
    const double pool = 5e-9; // a ball of 1.06 mm
    for (const double film : {1e-4, 6e-4}) {
        WetLine line;
        line.add(21);
        line.outer.assign(21, film);
        line.pools[0] = pool;
        const TriangleMesh mesh = surface_films(line.curves(), {.n_around = 48});
        EXPECT_TRUE(examine_topology(mesh).is_closed_manifold());
        // The film counts where the body has it, its round end at the root too.
        double low = 1, high = 0;
        for (const Vec3& x : mesh.vertices) {
            low = std::min(low, x.x());
            high = std::max(high, x.x());
        }
        const double root = low < 0 ? 2 * kPi / 3 * film * film * film : 0;
        const double exact = pool + root + kPi * film * film * (20e-3 - std::max(0.0, low));
        EXPECT_NEAR(enclosed_volume(mesh), exact, 0.02 * exact) << film;
        EXPECT_GT(high, 20e-3 + 1.06e-3); // the tip is its centre
        EXPECT_LT(high, 20e-3 + 1.35e-3);
    }
}

TEST(FilmSurface, ABentStrandStaysInsideOfItsFilm)
{
    WetLine ring;
    ring.add(9);
    for (std::size_t v = 0; v < 9; ++v) {
        const double angle = 0.5 * static_cast<double>(v);
        ring.positions[v] = 2e-3 * Vec3(std::cos(angle), std::sin(angle), 0);
    }
    ring.outer.assign(9, 4e-4);
    const TriangleMesh mesh = surface_films(ring.curves(), {.n_around = 24});
    EXPECT_TRUE(examine_topology(mesh).is_closed_manifold());
    for (const Vec3& x : mesh.vertices) {
        const double angle = std::atan2(x.y(), x.x());
        if (angle < 0.6 && angle > -0.6) continue; // around the ends
        if (angle < -1.9 && angle > -2.9) continue;
        EXPECT_NEAR((x - 2e-3 * Vec3(std::cos(angle), std::sin(angle), 0)).norm(), 4e-4, 0.05 * 4e-4);
    }
}

TEST(FilmSurface, IsTheSameOnAnyNumberOfThreadsAndCostsWhatIsWet)
{
    WetLine many;
    for (int s = 0; s < 40; ++s) many.add(30, 1e-3 * s);
    for (std::size_t v = 0; v < many.outer.size(); v += 7) many.outer[v] = 3e-4;
    const auto mesh = [&](int threads) {
        return with_threads(threads, [&](int) { return surface_films(many.curves(), {}); });
    };
    const TriangleMesh one = mesh(1), three = mesh(3);
    EXPECT_EQ(one.vertices, three.vertices);
    EXPECT_EQ(one.triangles, three.triangles);
    for (int s = 0; s < 40; ++s) many.add(30, 1e-3 * s); // dry
    EXPECT_EQ(mesh(1).vertices.size(), one.vertices.size());
}

} // namespace
} // namespace rivulet
