#include "fluid/liquid_surface.h"

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
        volume.assign(position.size(), 0.125);
        grid = tiles_around(position, Vec3::Zero(), 1, 2);
        ParticleOrder order;
        sort_particles(grid, position, order);
        Solids box;
        box.box = {Vec3::Zero(), Vec3::Constant(16)};
        box.closed.fill(true);
        SolidFields fields;
        rasterize_solids(grid, box, fields);
        compute_liquid_distance(grid, order, position, volume, fields, distance);
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

} // namespace
} // namespace rivulet
