#include "fluid/extrapolate.h"

#include "base/rng.h"
#include "geometry/shapes.h"

#include <gtest/gtest.h>

namespace rivulet {
namespace {

using Faces = std::array<std::vector<double>, 3>;
using Marks = std::array<std::vector<std::uint8_t>, 3>;

TileGrid row_of_tiles(int first, int last)
{
    std::vector<Vec3i> tiles;
    for (int x = first; x <= last; ++x)
        for (int n = 0; n < 4; ++n) tiles.emplace_back(x, n % 2, n / 2);
    return {Vec3::Zero(), 0.04, tiles};
}

/// Velocities of their own on all faces, of which one in `rarity` is known.
void fill_at_random(const TileGrid& grid, std::uint64_t rarity, Faces& velocity, Marks& known)
{
    for (std::size_t a = 0; a < 3; ++a) {
        velocity[a].assign(grid.field_size(), 0);
        known[a].assign(grid.field_size(), 0);
        for (std::size_t n = 0; n + kTileCells < grid.field_size(); ++n) {
            velocity[a][n] = random_unit(7, a, n);
            known[a][n] = random_bits(8, a, n) % rarity == 0 ? 1 : 0;
        }
    }
}

/// One layer of one component, face by face: what extrapolate_velocity says it does.
void grow_plainly(const TileGrid& grid, std::vector<double>& velocity, std::vector<std::uint8_t>& known)
{
    const auto before = known;
    for (int t = 0; t < grid.n_tiles(); ++t)
        for (int c = 0; c < kTileCells; ++c) {
            const auto face = static_cast<std::size_t>(t * kTileCells + c);
            if (before[face] != 0) continue;
            double sum = 0;
            int n = 0;
            for (int side = 0; side < 6; ++side) {
                Vec3i at(c % 8, c / 8 % 8, c / 64);
                at[side / 2] += side % 2 == 0 ? -1 : 1;
                const std::size_t other = grid.index(t, at.x(), at.y(), at.z());
                if (before[other] == 0) continue;
                sum += velocity[other];
                ++n;
            }
            if (n == 0) continue;
            velocity[face] = sum / n;
            known[face] = 1;
        }
}

TEST(Extrapolation, EveryLayerIsTheMeanOfTheKnownFacesAround)
{
    const TileGrid grid = row_of_tiles(0, 1);
    Faces velocity, plain;
    Marks known, plainly_known;
    fill_at_random(grid, 300, velocity, known);
    plain = velocity;
    plainly_known = known;
    constexpr int kLayers = 3;
    extrapolate_velocity(grid, kLayers, velocity, known);
    for (std::size_t a = 0; a < 3; ++a) {
        for (int layer = 0; layer < kLayers; ++layer) grow_plainly(grid, plain[a], plainly_known[a]);
        EXPECT_EQ(known[a], plainly_known[a]);
        EXPECT_EQ(velocity[a], plain[a]);
    }
}

/// Faces with mass, and without solids; one in twenty is empty.
Faces random_mass(const TileGrid& grid, SolidFields& solids)
{
    Faces mass;
    for (std::size_t a = 0; a < 3; ++a) {
        mass[a].assign(grid.field_size(), 0);
        solids.open[a].assign(grid.field_size(), 1);
        for (std::size_t n = 0; n + kTileCells < grid.field_size(); ++n)
            mass[a][n] = random_bits(9, a, n) % 20 == 0 ? 0 : random_unit(10, a, n);
    }
    return mass;
}

TEST(Extrapolation, LumpedMassGivesTheMomentumOfWhatIsCarriedOutwards)
{
    const TileGrid grid = row_of_tiles(0, 1);
    SolidFields solids;
    const Faces mass = random_mass(grid, solids);
    constexpr int kLayers = 4;
    for (const bool by_change : {false, true}) {
        Faces velocity, lumped;
        Marks known;
        fill_at_random(grid, 2000, velocity, known);
        lump_mass(grid, solids, mass, kLayers, by_change, known, lumped);
        Faces changed = velocity; // where there is something to change
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t n = 0; n < velocity[a].size(); ++n)
                changed[a][n] += lumped[a][n] > 0 ? 0.1 + velocity[a][n] : 0;
        const Faces given = changed, old = velocity;
        Marks marks = known;
        if (by_change) {
            extrapolate_change(grid, solids, mass, velocity, kLayers, changed, marks);
        } else {
            extrapolate_velocity(grid, kLayers, velocity, marks);
            marks = known;
            extrapolate_velocity(grid, kLayers, changed, marks);
        }
        for (std::size_t a = 0; a < 3; ++a) {
            double carried = 0, put = 0, total = 0;
            for (std::size_t n = 0; n < mass[a].size(); ++n) {
                carried += mass[a][n] * (changed[a][n] - velocity[a][n]);
                put += lumped[a][n] * (given[a][n] - old[a][n]);
                total += lumped[a][n] - mass[a][n];
                EXPECT_TRUE(known[a][n] != 0 || marks[a][n] == 0 || lumped[a][n] == 0);
            }
            EXPECT_NEAR(carried / put, 1, 1e-12);
            EXPECT_NEAR(total, 0, 1e-9);
        }
    }
}

TEST(Extrapolation, LumpedMassGivesTheMomentumOfWhatSlipsAlongAWallToo)
{
    const TileGrid grid = row_of_tiles(0, 1);
    constexpr int kLayers = 4;
    for (const double friction : {0.0, 0.5}) {
        Solids solids;
        solids.box = {Vec3(-1, 0.08, -1), Vec3::Ones()}; // the wall takes two rows of cells
        solids.closed[2] = true;
        solids.wall_friction = friction;
        SolidFields fields;
        rasterize_solids(grid, solids, fields);
        Faces velocity, lumped, plain;
        SolidFields none;
        const Faces mass = random_mass(grid, none);
        Marks known;
        fill_at_random(grid, 50, velocity, known);
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t n = 0; n < mass[a].size(); ++n)
                if (!(fields.open[a][n] > 0)) known[a][n] = 0;
        FaceSolids at_rest;
        const SlipWalls walls{solids, at_rest};
        lump_mass(grid, fields, mass, kLayers, false, known, lumped, nullptr, &walls);
        lump_mass(grid, fields, mass, kLayers, false, known, plain);
        Faces changed = velocity;
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t n = 0; n < velocity[a].size(); ++n) changed[a][n] += lumped[a][n] > 0 ? 0.1 : 0;
        const Faces given = changed, old = velocity;
        for (Faces* u : {&velocity, &changed}) {
            Marks marks = known;
            extrapolate_velocity(grid, kLayers, *u, marks);
            constrain_to_solids(grid, solids, fields, marks, *u, at_rest);
        }
        for (const std::size_t a : {0U, 2U}) { // along the wall
            double carried = 0, put = 0, in_open = 0, total = 0;
            for (std::size_t n = 0; n < mass[a].size(); ++n) {
                carried += mass[a][n] * (changed[a][n] - velocity[a][n]);
                put += lumped[a][n] * (given[a][n] - old[a][n]);
                total += lumped[a][n];
                in_open += plain[a][n];
            }
            EXPECT_NEAR(carried / put, 1, 1e-12) << friction;
            EXPECT_GT(total, 1.05 * in_open); // an eighth of all faces is in the wall
        }
        double across = 0, across_in_open = 0;
        for (std::size_t n = 0; n < mass[1].size(); ++n) {
            across += lumped[1][n];
            across_in_open += plain[1][n];
        }
        EXPECT_EQ(across, across_in_open); // the wall stops what goes into it
    }
}

TEST(Extrapolation, WhatIsKnownOfSolidsAtRestChangesNoBit)
{
    const auto hollow = make_difference(make_box({-9, -9, -9}, {9, 9, 9}), make_sphere(Vec3(1, 0.3, 0.3), 0.6));
    const auto ball = make_sphere(Vec3::Zero(), 0.15);
    SolidBody bodies[2] = {{hollow.get(), {}, {}, 0.25, true},
                           {ball.get(), {Vec3(1.5, 0.3, 0.3), Quat::Identity()}, {}, 0, false}};
    for (SolidBody& body : bodies) body.bound();
    Solids solids;
    solids.bodies = bodies;
    FaceSolids kept;
    for (int n = 0; n < 3; ++n) { // one body moves, and the tiles are others
        const TileGrid grid = row_of_tiles(-n, 6 - n);
        bodies[1].pose.position.x() = 1.5 - 0.5 * n;
        bodies[1].twist.linear.x() = -1;
        bodies[1].bound();
        SolidFields fields;
        rasterize_solids(grid, solids, fields);
        Faces velocity, fresh;
        Marks known;
        fill_at_random(grid, 2, velocity, known);
        fresh = velocity;
        const Faces before = velocity;
        FaceSolids nothing;
        constrain_to_solids(grid, solids, fields, known, velocity, kept);
        constrain_to_solids(grid, solids, fields, known, fresh, nothing);
        EXPECT_EQ(velocity, fresh) << "step " << n;
        EXPECT_NE(velocity, before);
    }
}

} // namespace
} // namespace rivulet
