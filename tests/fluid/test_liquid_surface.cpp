#include "fluid/liquid_surface.h"

#include "fluid/filled_volume.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rivulet {
namespace {

/// Particles in a closed box of 16^3 cells of unit size, and the distance that they make.
struct GappyPool {
    std::vector<Vec3> position;
    std::vector<double> volume;
    TileGrid grid;
    std::vector<double> distance;

    void compute()
    {
        volume.resize(position.size(), 0.125);
        grid = tiles_around(position, Vec3::Zero(), 1, 2);
        ParticleOrder order;
        sort_particles(grid, position, order);
        Solids box;
        box.box = {Vec3::Zero(), Vec3::Constant(16)};
        box.closed.fill(true);
        SolidFields fields;
        rasterize_solids(grid, box, fields);
        std::vector<double> filled, room;
        scatter_volume(grid, order, position, volume, filled);
        compute_liquid_distance(grid, order, position, volume, filled, fields, room, distance);
    }
    [[nodiscard]] double at(int i, int j, int k) const
    {
        const int t = grid.find({i >> 3, j >> 3, k >> 3});
        return distance[grid.index(t, i & 7, j & 7, k & 7)];
    }
};

TEST(LiquidSurface, WhatStretchingDrawsApartStaysFull)
{
    // A full box, drawn out to 32/9 times its length along x and as much thinner along y, as between vortices: planes
    // of particles 16/9 cells apart, and sheets of empty cells between them.
    GappyPool pool;
    for (double z = 0.25; z < 16; z += 0.5)
        for (double y = 9.0 / 128; y < 16; y += 9.0 / 64)
            for (double x = 8.0 / 9; x < 16; x += 16.0 / 9) pool.position.emplace_back(x, y, z);
    pool.compute();
    for (int k = 0; k < 16; ++k)
        for (int j = 0; j < 16; ++j)
            for (int i = 0; i < 16; ++i)
                ASSERT_LE(pool.at(i, j, k), -kFullDepth) << i << ' ' << j << ' ' << k; // was +0.24
}

TEST(LiquidSurface, GroovesAndSurfacesAreAir)
{
    // Filled up to z = 8, but for a groove of two by two cells along y.
    GappyPool pool;
    for (double z = 0.25; z < 8; z += 0.5)
        for (double y = 0.25; y < 16; y += 0.5)
            for (double x = 0.25; x < 16; x += 0.5)
                if (!(z > 6 && x > 7 && x < 9)) pool.position.emplace_back(x, y, z);
    pool.compute();
    for (int j = 0; j < 16; ++j)
        for (int i = 0; i < 16; ++i) {
            EXPECT_GT(pool.at(i, j, 8), 0) << i << ' ' << j;
            for (int k = 6; k < 8; ++k) EXPECT_EQ(pool.at(i, j, k) > 0, i == 7 || i == 8) << i << ' ' << j << ' ' << k;
        }
    // The surface of a flat pool is half way between the centres.
    EXPECT_NEAR(pool.at(2, 4, 7), -pool.at(2, 4, 8), 1e-12);
}

TEST(LiquidSurface, DepthIsTheInverseOfTheSplinesIntegral)
{
    // By Simpson's rule, which is exact for each of the spline's three parabolas.
    const auto spline = [](double x) {
        x = std::abs(x);
        return x < 0.5 ? 0.75 - x * x : x < 1.5 ? (1.5 - x) * (1.5 - x) / 2 : 0;
    };
    const auto integral = [&](double from, double to) {
        return to <= from ? 0 : (spline(from) + 4 * spline((from + to) / 2) + spline(to)) * (to - from) / 6;
    };
    for (double depth = -1.45; depth < 1.5; depth += 0.1) {
        const double share = integral(-1.5, std::min(depth, -0.5)) + integral(-0.5, std::min(depth, 0.5)) +
                             integral(0.5, std::min(depth, 1.5));
        EXPECT_NEAR(depth_of_share(share), depth, 1e-12);
    }
    EXPECT_EQ(depth_of_share(0), -1.5);
    EXPECT_EQ(depth_of_share(1.2), 1.5);
}

TEST(LiquidSurface, FlatSurfacesAreFoundBetweenThePlanesOfTheGrid)
{
    // Layers of particles from the surface down: between the cells' centres on both sides of it the distance is linear.
    for (double level = 8; level <= 9.01; level += 0.1) {
        GappyPool pool;
        for (double z = level - 0.25; z > 0; z -= 0.5)
            for (double y = 0.25; y < 16; y += 0.5)
                for (double x = 0.25; x < 16; x += 0.5) pool.position.emplace_back(x, y, z);
        pool.compute();
        for (int i = 0; i < 16; ++i) // beside walls too
            for (int k = 6; k < 11; ++k) {
                if (std::abs(level - k - 0.5) >= 0.6) continue;
                EXPECT_NEAR(pool.at(i, 4, k), k + 0.5 - level, 0.03) << level << ' ' << i; // measured 0.021
            }
    }
}

TEST(LiquidSurface, DropsJustAboveAPoolAreLiquid)
{
    GappyPool pool;
    for (double z = 0.25; z < 8; z += 0.5)
        for (double y = 0.25; y < 16; y += 0.5)
            for (double x = 0.25; x < 16; x += 0.5) pool.position.emplace_back(x, y, z);
    pool.position.emplace_back(8.5, 8.5, 9.3);
    pool.compute();
    EXPECT_LT(pool.at(8, 8, 9), 0);
    EXPECT_GT(pool.at(8, 8, 8), 0.3); // no liquid is in it
}

} // namespace
} // namespace rivulet
