// Drops, threads, sheets and pools in the mesh hold what their particles hold, also while they part and join.
#include "geometry/drop_index.h"
#include "geometry/liquid_samples.h"
#include "geometry/mesh_parts.h"
#include "geometry/mesh_topology.h"
#include "geometry/shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

using test::kCell;
using test::Liquid;
using test::surface;

Vec3 random_point(std::uint64_t draw, std::uint64_t stream, std::uint64_t n)
{
    return {random_unit(draw, stream, n), random_unit(draw, stream + 1, n), random_unit(draw, stream + 2, n)};
}

/// How irregular a drop is.
struct Disorder {
    double jitter = 0; ///< by how much of their distance particles are moved
    double sizes = 0;  ///< powers of two by which their volumes differ, up and down
    double spread = 1; ///< their distance in half cells
};

/// The n places of a lattice of half a cell that are nearest to a point.
Liquid lattice_drop(std::size_t n, const Disorder& disorder, std::uint64_t draw)
{
    const Vec3 middle = random_point(draw, 0, 0) - Vec3::Constant(0.5), shift = random_point(draw, 3, 0);
    std::vector<std::pair<double, Vec3>> places;
    for (int k = 0; k < 13 * 13 * 13; ++k) {
        const Vec3 place = Vec3(k % 13, k / 13 % 13, k / 169) - Vec3::Constant(6);
        places.emplace_back((place - middle).norm(), place);
    }
    std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    Liquid drop;
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3 moved = places[i].second + disorder.jitter * (random_point(draw, 6, i) - Vec3::Constant(0.5));
        drop.positions.emplace_back(0.5 * kCell * (shift + disorder.spread * moved));
        drop.volumes.push_back(std::pow(kCell, 3) / 8 * std::exp2(disorder.sizes * (2 * random_unit(draw, 9, i) - 1)));
    }
    return drop;
}

Vec3 mean_position(const Liquid& liquid)
{
    Vec3 sum = Vec3::Zero();
    for (const Vec3& x : liquid.positions) sum += x;
    return sum / double(liquid.positions.size());
}

void add_liquid(const Liquid& more, const Vec3& shift, Liquid& liquid)
{
    for (const Vec3& x : more.positions) liquid.positions.emplace_back(x + shift);
    liquid.volumes.insert(liquid.volumes.end(), more.volumes.begin(), more.volumes.end());
}

double held_volume(const Liquid& liquid)
{
    double sum = 0;
    for (const double v : liquid.volumes) sum += v;
    return sum;
}

Liquid box_of_liquid(const Vec3i& n_cells)
{
    return test::seed(n_cells, 1, [](const Vec3&) { return true; });
}

TEST(DropVolumes, DropsOfAnyNumberOfParticlesHoldTheirVolume)
{
    for (const Disorder disorder :
         {Disorder{}, Disorder{1, 0, 1}, Disorder{1, 1, 1}, Disorder{1, 1, 1.3}, Disorder{1, 1, 1.6}})
        for (const std::size_t n : {1, 2, 3, 5, 8, 16, 32, 64, 200})
            for (std::uint64_t draw = 0; draw < 5; ++draw) {
                const Liquid drop = lattice_drop(n, disorder, draw);
                const TriangleMesh mesh = surface(drop);
                EXPECT_TRUE(examine_topology(mesh).is_closed_manifold());
                EXPECT_NEAR(enclosed_volume(mesh) / held_volume(drop), 1, 5e-3) // measured 2e-3; they were 0.61 to 6.6
                    << n << " particles, spread " << disorder.spread;
            }
}

TEST(DropVolumes, EachOfManyDropsHoldsItsOwn)
{
    // 27 drops of 1 to 53 particles, three cells from surface to surface.
    Liquid spray;
    std::vector<Vec3> centres;
    std::vector<double> held;
    for (std::size_t k = 0; k < 27; ++k) {
        const Liquid drop = lattice_drop(1 + 2 * k, {1, 1, 1}, k);
        centres.emplace_back(6 * kCell * Vec3(int(k % 3), int(k / 3 % 3), int(k / 9)));
        held.push_back(held_volume(drop));
        add_liquid(drop, centres.back() - mean_position(drop), spray);
    }
    const TriangleMesh mesh = surface(spray);
    const std::vector<std::int32_t> part = label_parts(mesh);
    const std::vector<double> volume = part_volumes(mesh, part);
    std::size_t n_parts = 0;
    for (std::size_t v = 0; v < part.size(); ++v) {
        if (part[v] != static_cast<std::int32_t>(v)) continue;
        ++n_parts;
        const auto nearest = std::min_element(centres.begin(), centres.end(), [&](const Vec3& a, const Vec3& b) {
            return (a - mesh.vertices[v]).norm() < (b - mesh.vertices[v]).norm();
        });
        const double exact = held[static_cast<std::size_t>(nearest - centres.begin())];
        EXPECT_NEAR(volume[v], exact, 1e-3 * exact);
    }
    EXPECT_EQ(n_parts, 27u);
}

TEST(DropVolumes, VolumeGoesOnAsTwoDropsJoin)
{
    for (const std::size_t n : {2, 8, 32, 100}) {
        const Liquid a = lattice_drop(n, {1, 1, 1}, 7), b = lattice_drop(n, {1, 1, 1}, 8);
        for (int step = 0; step <= 40; ++step) {
            Liquid both = a;
            add_liquid(b, (5 - 0.125 * step) * kCell * Vec3(1, 0.13, 0.29), both);
            // A step of up to 2.4 of the volume where they join, before.
            EXPECT_NEAR(enclosed_volume(surface(both)) / held_volume(both), 1, 1e-3) << n << " at " << step;
        }
    }
}

TEST(DropVolumes, VolumeGoesOnAsADropIsPulledToAThread)
{
    for (const std::size_t n : {4, 16, 64, 200}) {
        const Liquid whole = lattice_drop(n, {1, 1, 1}, 9);
        const Vec3 middle = mean_position(whole);
        for (int step = 0; step <= 40; ++step) {
            Liquid pulled = whole;
            const double stretch = 1 + 0.075 * step;
            const Vec3 scale(stretch, 1 / std::sqrt(stretch), 1 / std::sqrt(stretch));
            for (Vec3& x : pulled.positions) x = middle + scale.cwiseProduct(x - middle);
            EXPECT_NEAR(enclosed_volume(surface(pulled)) / held_volume(pulled), 1, 1e-3) << n << " at " << step;
        }
    }
}

TEST(DropVolumes, VolumeGoesOnAsADropFallsIntoAPool)
{
    const Liquid pool = box_of_liquid({24, 24, 8}), drop = lattice_drop(32, {1, 1, 1}, 5);
    const double before = enclosed_volume(surface(pool)), held = held_volume(drop);
    double last = 1;
    for (int step = 0; step <= 120; ++step) {
        Liquid both = pool;
        add_liquid(drop, kCell * Vec3(12, 12, 12 - 0.025 * step) - mean_position(drop), both);
        const double drawn = (enclosed_volume(surface(both)) - before) / held;
        if (step == 0) {
            EXPECT_NEAR(drawn, 1, 1e-3);
        }
        EXPECT_NEAR(drawn, last, 0.04) << step; // measured 0.02; with its volume in full up to the pool 0.26
        last = drawn;
    }
}

TEST(DropVolumes, PoolsHoldTheirVolumeToAPercent)
{
    for (const int depth : {1, 2, 4, 8, 16}) {
        const Liquid pool = box_of_liquid({40, 40, depth});
        EXPECT_NEAR(enclosed_volume(surface(pool)) / held_volume(pool), 1, 0.01) << depth;
    }
}

TEST(DropVolumes, BubblesInADropTakeNothingFromIt)
{
    // A ball of five cells around a bubble of two.
    const Vec3 centre = Vec3::Constant(0.06);
    const Liquid shell = test::seed({12, 12, 12}, 0.5, [&](const Vec3& x) {
        return (x - centre).norm() < 5 * kCell && (x - centre).norm() > 2 * kCell;
    });
    EXPECT_NEAR(enclosed_volume(surface(shell)) / held_volume(shell), 1, 0.03);
}

TEST(DropIndex, KnowsWhatIsInsideOfWhichBall)
{
    // Small ones and one that is not sorted into cubes.
    TriangleMesh mesh;
    std::vector<ClosedPart> parts;
    const std::vector<double> radii{0.1, 0.15, 0.3, 3};
    const double spacing = 0.05;
    for (std::size_t k = 0; k < radii.size(); ++k) {
        const TriangleMesh ball = make_sphere(Vec3(5 * double(k), 0.1, -0.2), radii[k])->tessellate(spacing);
        const auto first = static_cast<std::int32_t>(mesh.triangles.size());
        append_mesh(mesh, ball);
        ClosedPart& part = parts.emplace_back();
        for (const Vec3& x : ball.vertices) part.box.include(x);
        for (auto t = first; t < static_cast<std::int32_t>(mesh.triangles.size()); ++t) part.triangles.push_back(t);
    }
    const DropIndex index(mesh, parts, spacing);
    for (std::size_t k = 0; k < radii.size(); ++k)
        for (std::uint64_t i = 0; i < 500; ++i) {
            const Vec3 away = 1.5 * radii[k] * (2 * random_point(3, 3 * k, i) - Vec3::Ones());
            const double off = away.norm() / radii[k] - 1;
            if (std::abs(off) < 0.1) continue; // the mesh is not quite the ball
            const std::int32_t expected = off < 0 ? static_cast<std::int32_t>(k) : -1;
            EXPECT_EQ(index.holder(Vec3(5 * double(k), 0.1, -0.2) + away), expected);
        }
}

TEST(NearestVertices, AreThoseOfAFullSearch)
{
    TriangleMesh mesh;
    for (std::uint64_t i = 0; i < 2000; ++i) mesh.vertices.emplace_back(4 * random_point(6, 0, i) - Vec3::Constant(2));
    std::vector<std::uint8_t> is_marked(mesh.vertices.size());
    for (std::size_t v = 0; v < is_marked.size(); ++v) is_marked[v] = mesh.vertices[v].x() < 0;
    const double radius = 0.3;
    const NearestVertices nearest(mesh, is_marked, radius);
    for (std::uint64_t i = 0; i < 300; ++i) {
        const Vec3 x = 3 * random_point(6, 3, i) - Vec3(2.9, 1.5, 1.5);
        std::int32_t expected = -1;
        double least = radius;
        for (std::size_t v = 0; v < is_marked.size(); v += 2)
            if (const double d = (mesh.vertices[v] - x).norm(); d < least && mesh.vertices[v].x() < radius) {
                least = d;
                expected = static_cast<std::int32_t>(v);
            }
        const auto found =
            nearest.find(x, [&](std::int32_t v) { return v % 2 == 0 && mesh.vertices[std::size_t(v)].x() < radius; });
        EXPECT_EQ(found.vertex, expected);
        EXPECT_NEAR(found.distance, least, 1e-12);
    }
}

} // namespace
} // namespace rivulet
