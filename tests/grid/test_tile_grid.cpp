#include "grid/tile_grid.h"

#include <gtest/gtest.h>

namespace rivulet {
namespace {

TEST(TileGrid, FindsWhatExistsAndPointsOutsideElsewhere)
{
    const TileGrid grid(Vec3::Zero(), 0.5, {{0, 0, 0}, {1, 0, 0}, {-1, 2, 3}, {0, 0, 0}});
    ASSERT_EQ(grid.n_tiles(), 3);
    for (int t = 0; t < 3; ++t) EXPECT_EQ(grid.find(grid.tile(t)), t);
    EXPECT_EQ(grid.find({5, 5, 5}), 3);
    EXPECT_EQ(grid.field_size(), 4u * 512u);
}

TEST(TileGrid, LayoutDependsOnTheSetAlone)
{
    const TileGrid a(Vec3::Zero(), 1, {{3, 1, 0}, {-2, 0, 0}, {0, 0, 1}});
    const TileGrid b(Vec3::Zero(), 1, {{0, 0, 1}, {3, 1, 0}, {-2, 0, 0}, {3, 1, 0}});
    ASSERT_EQ(a.n_tiles(), b.n_tiles());
    for (int t = 0; t < a.n_tiles(); ++t) EXPECT_EQ(a.tile(t), b.tile(t));
}

TEST(TileGrid, IndexCrossesTileBordersAndPointsAgree)
{
    const TileGrid grid(Vec3(1, 2, 3), 0.25, {{0, 0, 0}, {1, 0, 0}, {0, -1, 0}});
    const int t = grid.find({0, 0, 0});
    EXPECT_EQ(grid.index(t, 8, 3, 4), std::size_t(grid.find({1, 0, 0})) * 512 + 0 + 8 * 3 + 64 * 4);
    EXPECT_EQ(grid.index(t, 5, -1, 0), std::size_t(grid.find({0, -1, 0})) * 512 + 5 + 8 * 7);
    EXPECT_EQ(grid.index(t, 0, 0, -1) / 512, std::size_t(grid.n_tiles()));
    EXPECT_EQ(grid.cell_centre(t, 8, 0, 0), grid.cell_centre(grid.find({1, 0, 0}), 0, 0, 0));
    EXPECT_EQ(grid.cell_centre(t, 0, 0, 0), Vec3(1.125, 2.125, 3.125)); // by hand
}

TEST(TileGrid, TilesOfAColourAreNeverNeighbours)
{
    std::vector<Vec3i> tiles;
    for (int i = 0; i < 64; ++i) tiles.emplace_back(i % 4 - 2, i / 4 % 4 - 2, i / 16 - 2);
    const TileGrid grid(Vec3::Zero(), 1, tiles);
    std::size_t total = 0;
    for (const auto& colour : grid.colours()) {
        total += colour.size();
        for (const int a : colour)
            for (const int b : colour) {
                {
                    if (a != b) {
                        EXPECT_GT((grid.tile(a) - grid.tile(b)).cwiseAbs().maxCoeff(), 1);
                    }
                }
            }
    }
    EXPECT_EQ(total, 64u);
}

TEST(TileGrid, KeysAreReversible)
{
    for (const Vec3i& t : {Vec3i(0, 0, 0), Vec3i(-7, 12345, -99999), Vec3i(1000000, -1000000, 3)})
        EXPECT_EQ(tile_of_key(tile_key(t)), t);
}

} // namespace
} // namespace rivulet
