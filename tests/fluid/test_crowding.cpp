#include "fluid/crowding.h"

#include "fluid/filled_volume.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rivulet {
namespace {

/// A box of 16^3 cells of unit size, closed on all sides, filled with the regular lattice below z = top.
struct Pool {
    std::vector<Vec3> position;
    std::vector<double> volume;
    TileGrid grid;
    ParticleOrder order;
    SolidFields solids;
    std::vector<std::uint8_t> liquid;
    std::vector<double> crowding;

    explicit Pool(double top)
    {
        for (double z = 0.25; z < top; z += 0.5)
            for (double y = 0.25; y < 16; y += 0.5)
                for (double x = 0.25; x < 16; x += 0.5) {
                    position.emplace_back(x, y, z);
                    volume.push_back(0.125);
                }
    }
    void compute()
    {
        grid = tiles_around(position, Vec3::Zero(), 1, 3);
        sort_particles(grid, position, order);
        Solids walls;
        walls.box = {Vec3::Zero(), Vec3::Constant(16)};
        walls.closed = {true, true, true, true, true, true};
        rasterize_solids(grid, walls, solids);
        liquid.assign(grid.field_size(), 0);
        for (int t = 0; t < grid.n_tiles(); ++t)
            for (int c = 0; c < kTileCells; ++c) liquid[std::size_t(t * kTileCells + c)] = order.count(t, c) > 0;
        find_crowding();
    }
    void find_crowding()
    {
        scatter_volume(grid, order, position, volume, crowding);
        compute_crowding(grid, solids, liquid, crowding);
    }
    [[nodiscard]] double at(int i, int j, int k) const { return crowding[grid.index(grid.find({0, 0, 0}), i, j, k)]; }
};

TEST(Crowding, IsZeroInARegularPoolWallsAndSurfaceIncluded)
{
    Pool pool(11);
    pool.compute();
    for (const double c : pool.crowding) EXPECT_EQ(c, 0);
}

TEST(Crowding, SeesParticlesThatAreTooManyAndTooFew)
{
    Pool pool(16);
    // Twice the volume everywhere below z = 8: crowding there is 1, limited to a half.
    for (std::size_t p = 0; p < pool.position.size(); ++p)
        if (pool.position[p].z() < 8) pool.volume[p] *= 2;
    // A cell without particles, three quarters of whose surroundings are full: 1 - 0.6875^3 - 1 by hand.
    std::erase_if(pool.position, [](const Vec3& x) { return (x - Vec3(5.5, 5.5, 12.5)).cwiseAbs().maxCoeff() < 0.5; });
    pool.volume.erase(pool.volume.end() - 8, pool.volume.end());
    pool.compute();
    EXPECT_EQ(pool.at(5, 5, 4), 0.5);
    pool.liquid[pool.grid.index(pool.grid.find({0, 0, 0}), 5, 5, 12)] = 1;
    pool.find_crowding();
    EXPECT_NEAR(pool.at(5, 5, 12), -std::pow(0.6875, 3) + 0.05, 1e-12);
}

TEST(Crowding, DoesNotPullTheFreeSurface)
{
    Pool pool(11);
    std::erase_if(pool.position, [](const Vec3& x) { return x.z() > 10.5; }); // the top layer is half full
    pool.volume.resize(pool.position.size());
    pool.compute();
    for (const double c : pool.crowding) EXPECT_EQ(c, 0);
}

// Division by the cell size and multiplication by its inverse may disagree about the tile of a particle on its border.
TEST(Crowding, ParticlesOnTileBordersStayWithinBounds)
{
    const double dx = 0.02;
    std::vector<Vec3> position;
    for (int n = -40; n <= 40; ++n)
        for (int ulp = -2; ulp <= 2; ++ulp) {
            double x = n * 8 * dx;
            for (int i = 0; i < std::abs(ulp); ++i) x = std::nextafter(x, ulp < 0 ? -1e9 : 1e9);
            position.emplace_back(x, x, -x);
        }
    const std::vector<double> volume(position.size(), 1e-6);
    const TileGrid grid = tiles_around(position, Vec3(0.1, -0.3, 0.7), dx, 3);
    ParticleOrder order;
    sort_particles(grid, position, order);
    SolidFields solids;
    rasterize_solids(grid, Solids{}, solids);
    std::vector<double> crowding;
    scatter_volume(grid, order, position, volume, crowding);
    compute_crowding(grid, solids, std::vector<std::uint8_t>(grid.field_size(), 1), crowding);
    for (const double c : crowding) EXPECT_TRUE(std::isfinite(c));
}

} // namespace
} // namespace rivulet
