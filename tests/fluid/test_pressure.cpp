#include "fluid/pressure.h"

#include "fluid/poisson.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// A closed box of 8 x 8 x 8 cells, full of liquid.
struct FullBox {
    TileGrid grid;
    SolidFields fields;
    std::vector<double> distance;
    std::array<std::vector<double>, 3> velocity, share, flux;
    PressureSystem system;

    FullBox()
    {
        std::vector<Vec3i> tiles;
        for (int n = 0; n < 27; ++n) tiles.emplace_back(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1);
        grid = TileGrid(Vec3::Zero(), 0.1, std::move(tiles));
        Solids solids;
        solids.box = {Vec3::Zero(), Vec3::Constant(0.8)};
        solids.closed.fill(true);
        rasterize_solids(grid, solids, fields);
        const auto inside = static_cast<std::size_t>(grid.find(Vec3i::Zero())) * kTileCells;
        distance.assign(grid.field_size(), 0.1);
        for (std::size_t c = inside; c < inside + kTileCells; ++c) distance[c] = -0.1;
        for (auto* fields_of_faces : {&velocity, &share, &flux})
            for (auto& f : *fields_of_faces) f.assign(grid.field_size(), 0);
    }

    void project()
    {
        PressureInput input{&grid, &fields, distance, {}, 1000, 0.01};
        for (std::size_t a = 0; a < 3; ++a) {
            input.share[a] = share[a];
            input.flux[a] = flux[a];
        }
        assemble_pressure(input, velocity, system);
        system.pressure.assign(grid.field_size(), 0);
        PoissonSolver solver;
        const PoissonResult result =
            solver.solve({&grid,
                          system.unknown,
                          {system.coefficient[0], system.coefficient[1], system.coefficient[2]},
                          system.diagonal},
                         system.right_side, system.pressure, 1e-12, 200);
        EXPECT_TRUE(result.converged);
        apply_pressure(input, system, velocity);
        EXPECT_LT(largest_divergence(input, system, velocity), 1e-10);
    }
};

TEST(Pressure, LiquidFlowsBackWhereThinThingsAreDrawnThroughAFullBox)
{
    FullBox box;
    // A fifth of the box moves with 0.4 m/s: four fifths go back with 0.1 m/s, whatever they did before.
    for (std::size_t f = 0; f < box.grid.field_size() - kTileCells; ++f) {
        for (std::size_t a = 0; a < 3; ++a) box.share[a][f] = 0.2;
        box.flux[0][f] = 0.2 * 0.4;
        box.velocity[0][f] = 0.7;
    }
    box.project();
    const int t = box.grid.find(Vec3i::Zero());
    for (int i = 1; i < 8; ++i)
        for (int n = 0; n < 64; ++n) EXPECT_NEAR(box.velocity[0][box.grid.index(t, i, n % 8, n / 8)], -0.1, 1e-9);
    // rho du/dt = -grad p
    const std::size_t face = box.grid.index(t, 4, 3, 2);
    PressureInput input{&box.grid, &box.fields, box.distance, {}, 1000, 0.01};
    EXPECT_NEAR(pressure_gradient(input, box.system, 0, face).value(), 1000 * 0.8 / 0.01, 1e-4);
    EXPECT_FALSE(pressure_gradient(input, box.system, 0, box.grid.index(t, 0, 3, 2)).has_value()); // a wall
}

TEST(Pressure, TheRightSideAloneIsThatOfTheWholeSystem)
{
    FullBox box;
    for (std::size_t f = 0; f < box.grid.field_size() - kTileCells; ++f) {
        box.share[0][f] = 0.2;
        box.flux[0][f] = 0.03;
        for (std::size_t a = 0; a < 3; ++a) box.velocity[a][f] = std::sin(0.7 * static_cast<double>(f * (a + 1)));
    }
    PressureInput input{&box.grid, &box.fields, box.distance, {}, 1000, 0.01};
    input.share[0] = box.share[0];
    input.flux[0] = box.flux[0];
    assemble_pressure(input, box.velocity, box.system);
    const std::vector<double> whole = box.system.right_side;
    // In the corner cell only the upper faces are open: what flows out there, over the cell's size.
    const int t = box.grid.find(Vec3i::Zero());
    double outflow = 0.8 * box.velocity[0][box.grid.index(t, 1, 0, 0)] + 0.03;
    outflow += box.velocity[1][box.grid.index(t, 0, 1, 0)] + box.velocity[2][box.grid.index(t, 0, 0, 1)];
    EXPECT_NEAR(whole[box.grid.index(t, 0, 0, 0)], -outflow / 0.1, 1e-12);
    for (double& b : box.system.right_side) b = 1e9;
    assemble_right_side(input, box.velocity, box.system);
    for (std::size_t c = 0; c < whole.size() - kTileCells; ++c) EXPECT_NEAR(box.system.right_side[c], whole[c], 1e-12);
}

TEST(Pressure, ThinThingsThatMoveWithTheLiquidChangeNothing)
{
    FullBox box;
    const int t = box.grid.find(Vec3i::Zero());
    // Round and round in the plane, with a share that differs from face to face.
    const auto stream = [](int i, int j) { return 0.01 * i * (8 - i) * j * (8 - j); };
    for (int c = 0; c < kTileCells; ++c) {
        const int i = c % 8, j = c / 8 % 8;
        const auto f = static_cast<std::size_t>(t * kTileCells + c);
        box.velocity[0][f] = stream(i, j + 1) - stream(i, j);
        box.velocity[1][f] = stream(i, j) - stream(i + 1, j);
        for (std::size_t a = 0; a < 2; ++a) {
            box.share[a][f] = 0.05 * ((3 * i + 5 * j) % 10);
            box.flux[a][f] = box.share[a][f] * box.velocity[a][f];
        }
    }
    const auto before = box.velocity;
    box.project();
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t f = 0; f < before[a].size(); ++f) EXPECT_NEAR(box.velocity[a][f], before[a][f], 1e-12);
}

/// Liquid that comes in under a lid that rises at 0.1 m/s from the floor of an open box and leaves the part `open` of
/// the four sides of one cell: all of it, in speed times sides, and the fastest.
struct UnderLid {
    double inflow = 0, fastest = 0; ///< [m/s]
};
UnderLid under_rising_lid(double open)
{
    FullBox box;
    const int t = box.grid.find(Vec3i::Zero());
    for (int n = 0; n < 64; ++n) box.distance[box.grid.index(t, n % 8, n / 8, 7)] = 0.1; // a free surface
    const auto close = [&](std::size_t axis, const Vec3i& at, double part, double speed) {
        const std::size_t face = box.grid.index(t, at.x(), at.y(), at.z());
        box.fields.open[axis][face] = part;
        box.fields.velocity[axis][face] = speed;
    };
    close(2, {3, 3, 1}, 0, 0.1);
    for (const int side : {0, 1}) {
        close(0, {3 + side, 3, 0}, open, 0);
        close(1, {3, 3 + side, 0}, open, 0);
    }
    box.project();
    UnderLid found;
    for (const int side : {0, 1}) {
        const double x = box.velocity[0][box.grid.index(t, 3 + side, 3, 0)];
        const double y = box.velocity[1][box.grid.index(t, 3, 3 + side, 0)];
        found.inflow += open * (side == 0 ? x + y : -x - y);
        found.fastest = std::max({found.fastest, std::abs(x), std::abs(y)});
    }
    return found;
}

TEST(Pressure, GapsFillThroughTheirSidesAndSliversAreNoJets)
{
    EXPECT_NEAR(under_rising_lid(0.1).inflow, 0.1, 1e-9);
    // 0.1 / (4 * 1e-5) = 2500 m/s if all that the lid sweeps had to come through; most of it is solid already.
    EXPECT_LT(under_rising_lid(1e-5).fastest, 0.31); // measured 0.300
}

} // namespace
} // namespace rivulet
