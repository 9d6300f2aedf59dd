#include "fluid/solids.h"

#include "base/rng.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

/// A ball of its own, so that this test stands on nothing else.
class Ball : public Shape {
public:
    explicit Ball(double radius) : radius_(radius) {}
    [[nodiscard]] double distance(const Vec3& x) const override { return x.norm() - radius_; }
    [[nodiscard]] Vec3 normal(const Vec3& x) const override { return x.normalized(); }
    [[nodiscard]] Aabb bounds() const override { return {Vec3::Constant(-radius_), Vec3::Constant(radius_)}; }
    [[nodiscard]] TriangleMesh tessellate(double) const override { return {}; }

private:
    double radius_;
};

TileGrid block(int tiles, double dx)
{
    std::vector<Vec3i> list;
    for (int z = -1; z <= tiles; ++z)
        for (int y = -1; y <= tiles; ++y)
            for (int x = -1; x <= tiles; ++x) list.emplace_back(x, y, z);
    return {Vec3::Zero(), dx, list};
}

TEST(OpenFraction, IsExactForStraightCuts)
{
    EXPECT_EQ(open_fraction(1, 1, 1, 1), 1);
    EXPECT_EQ(open_fraction(-1, -1, -1, -1), 0);
    EXPECT_EQ(open_fraction(0, 0, 0, 0), 0);                           // lies in the wall: closed
    EXPECT_NEAR(open_fraction(0.25, -0.75, -0.75, 0.25), 0.25, 1e-15); // x < 1/4
    // Half plane x + y > 1/2 of the unit square: 1 - 1/8.
    EXPECT_NEAR(open_fraction(-0.5, 0.5, 1.5, 0.5), 0.875, 1e-15);
    for (int i = 0; i < 1000; ++i) { // what is open and what is solid make the whole
        double v[4];
        for (int n = 0; n < 4; ++n) v[n] = random_unit(1, 2, std::uint64_t(4 * i + n)) - 0.5;
        EXPECT_NEAR(open_fraction(v[0], v[1], v[2], v[3]) + open_fraction(-v[0], -v[1], -v[2], -v[3]), 1, 1e-14);
    }
}

TEST(Solids, ClosedWallsOnGridPlanesCloseExactlyTheirFaces)
{
    const TileGrid grid = block(1, 0.125);
    Solids solids;
    solids.box = {Vec3::Zero(), Vec3::Ones()};
    solids.closed = {true, true, true, true, true, false};
    SolidFields fields;
    rasterize_solids(grid, solids, fields);
    const int t = grid.find({0, 0, 0});
    EXPECT_EQ(fields.open[0][grid.index(t, 0, 3, 3)], 0); // in the wall
    EXPECT_EQ(fields.open[0][grid.index(t, 1, 3, 3)], 1);
    EXPECT_EQ(fields.open[0][grid.index(t, 8, 3, 3)], 0);
    EXPECT_EQ(fields.open[0][grid.index(t, 9, 3, 3)], 0); // beyond
    EXPECT_EQ(fields.open[2][grid.index(t, 3, 3, 8)], 1); // the open lid
    EXPECT_EQ(fields.open[1][grid.index(t, 0, 4, 0)], 1);
}

// All corners of the cells between such walls lie on them.
TEST(Solids, WallsOneCellApartLeaveThatCellOpen)
{
    const double dx = 0.125;
    const TileGrid grid = block(1, dx);
    const Ball ball(0.3);
    const SolidBody body{&ball, {Vec3(0.5, 0.5 * dx, 0.5), Quat::Identity()}, {}, 0};
    Solids solids;
    solids.box = {Vec3::Zero(), Vec3(1, dx, 1)};
    solids.closed = {true, true, true, true, true, false};
    SolidFields fields, with_ball;
    rasterize_solids(grid, solids, fields);
    solids.bodies = {&body, 1};
    rasterize_solids(grid, solids, with_ball);
    const int t = grid.find({0, 0, 0});
    EXPECT_EQ(fields.open[0][grid.index(t, 3, 0, 3)], 1);
    EXPECT_EQ(fields.open[2][grid.index(t, 3, 0, 8)], 1); // the open lid
    EXPECT_EQ(fields.open[0][grid.index(t, 0, 0, 3)], 0); // in a wall that is far from the next
    EXPECT_EQ(fields.open[1][grid.index(t, 3, 0, 3)], 0);
    EXPECT_EQ(fields.open[1][grid.index(t, 3, 1, 3)], 0);
    EXPECT_EQ(fields.open[0][grid.index(t, 3, 1, 3)], 0); // beyond
    EXPECT_EQ(fields.open_volume[grid.index(t, 3, 0, 3)], kOpenCell);
    EXPECT_EQ(fields.open_volume[grid.index(t, 3, 1, 3)], 0);
    EXPECT_EQ(with_ball.open[0][grid.index(t, 4, 0, 4)], 0); // in the ball
    EXPECT_EQ(with_ball.open[0][grid.index(t, 7, 0, 7)], 1);
}

// Corners on the floor are at distance 0 from it, whatever the pillar that goes through it cuts of the faces there.
TEST(Solids, FacesOnTheFloorAreCutByAnObstacleAsTheFacesAbove)
{
    const double dx = 0.125;
    const TileGrid grid = block(1, dx);
    class Pillar : public Ball {
    public:
        Pillar() : Ball(9) {}
        [[nodiscard]] double distance(const Vec3& x) const override { return x.head<2>().norm() - 0.27; }
    };
    const Pillar pillar;
    const SolidBody body{&pillar, {Vec3(0.51, 0.47, 0), Quat::Identity()}, {}, 0};
    Solids solids;
    solids.box = {Vec3::Zero(), Vec3::Ones()};
    solids.bodies = {&body, 1};
    SolidFields fields, without_walls;
    rasterize_solids(grid, solids, without_walls);
    solids.closed = {true, true, true, true, true, true};
    rasterize_solids(grid, solids, fields);
    const int t = grid.find({0, 0, 0});
    int n_cut = 0;
    for (int c = 0; c < kTileCells; ++c) {
        const auto cell = static_cast<std::size_t>(t * kTileCells + c);
        for (std::size_t a = 0; a < 3; ++a) {
            const bool in_wall = (a == 0 ? c % 8 : a == 1 ? c / 8 % 8 : c / 64) == 0;
            EXPECT_EQ(fields.open[a][cell], in_wall ? 0 : without_walls.open[a][cell]);
            n_cut += fields.open[a][cell] > 0 && fields.open[a][cell] < 1;
        }
        EXPECT_EQ(fields.open_volume[cell], without_walls.open_volume[cell]);
        EXPECT_EQ(fields.centre_inside[cell], without_walls.centre_inside[cell]);
    }
    EXPECT_GT(n_cut, 100);
}

// Whether a box ends on a wall, a little beyond or far beyond makes no difference to liquid, also where the wall lies
// between the grid's planes, as the upper one does here.
TEST(Solids, ABoxThatEndsOnAWallCutsFacesLikeOneThatGoesThroughIt)
{
    class Slab : public Ball { // of 0.43 by 0.31, from z = lower to upper
    public:
        Slab(double lower, double upper) : Ball(9), middle_(0.5 * (lower + upper)), half_(0.5 * (upper - lower)) {}
        [[nodiscard]] double distance(const Vec3& x) const override
        {
            const Vec3 q = Vec3(x.x(), x.y(), x.z() - middle_).cwiseAbs() - Vec3(0.215, 0.155, half_);
            return q.maxCoeff() <= 0 ? q.maxCoeff() : q.cwiseMax(0).norm();
        }
        [[nodiscard]] Vec3 normal(const Vec3& x) const override { return Shape::normal(x); }

    private:
        double middle_, half_;
    };
    const double dx = 0.125, ceiling = 0.94;
    const TileGrid grid = block(1, dx);
    const Quat turned(Eigen::AngleAxisd(0.3, Vec3::UnitZ()));
    const auto raster = [&](double lower, double upper) {
        const Slab slab(lower, upper);
        const SolidBody body{&slab, {Vec3(0.51, 0.47, 0), turned}, {}, 0};
        Solids solids;
        solids.box = {Vec3::Zero(), Vec3(1, 1, ceiling)};
        solids.closed = {true, true, true, true, true, true};
        solids.cell_size = dx;
        solids.bodies = {&body, 1};
        SolidFields fields;
        rasterize_solids(grid, solids, fields);
        return fields;
    };
    const int t = grid.find({0, 0, 0});
    for (const double inner : {0.1, 0.3, 0.44}) { // also thinner than a cell
        for (const bool on_floor : {true, false}) {
            const auto slab = [&](double beyond) {
                return on_floor ? raster(-beyond, inner) : raster(ceiling - inner, ceiling + beyond);
            };
            const SolidFields through = slab(1);
            int n_cut = 0;
            for (const double beyond : {0.0, 0.03, 0.2}) {
                const SolidFields fields = slab(beyond);
                for (int c = 0; c < kTileCells; ++c) {
                    const auto cell = static_cast<std::size_t>(t * kTileCells + c);
                    for (std::size_t a = 0; a < 3; ++a) {
                        EXPECT_NEAR(fields.open[a][cell], through.open[a][cell], 1e-6)
                            << "axis " << a << " cell " << c % 8 << ' ' << c / 8 % 8 << ' ' << c / 64 << ", " << inner
                            << (on_floor ? " on" : " under") << ", " << beyond << " beyond";
                        n_cut += fields.open[a][cell] > 0 && fields.open[a][cell] < 1;
                    }
                    EXPECT_NEAR(fields.open_volume[cell], through.open_volume[cell], 1);
                    EXPECT_EQ(fields.centre_inside[cell], through.centre_inside[cell]);
                }
            }
            EXPECT_GT(n_cut, 60);
        }
    }
}

// Two boxes that no corner of a cell lies between: the faces across the gap are open by its width. Boxes that touch or
// overlap have none, also along their edges, and close the faces that one box in their place does.
TEST(Solids, AGapBetweenTwoBoxesIsOpenAndWhereTheyTouchThereIsNone)
{
    class Bar : public Ball { // from x = lower to upper, 0.69 by 0.63
    public:
        Bar(double lower, double upper) : Ball(9), middle_(0.5 * (lower + upper)), half_(0.5 * (upper - lower)) {}
        [[nodiscard]] double distance(const Vec3& x) const override
        {
            const Vec3 q = Vec3(x.x() - middle_, x.y() - 0.5, x.z() - 0.5).cwiseAbs() - Vec3(half_, 0.345, 0.315);
            return q.maxCoeff() <= 0 ? q.maxCoeff() : q.cwiseMax(0).norm();
        }
        [[nodiscard]] Vec3 normal(const Vec3& x) const override { return Shape::normal(x); }

    private:
        double middle_, half_;
    };
    const double dx = 0.125;
    const TileGrid grid = block(1, dx);
    const int t = grid.find({0, 0, 0});
    const auto raster = [&](const Bar& a, const Bar& b) {
        const std::array<SolidBody, 2> bodies{SolidBody{&a, {}, {}, 0}, SolidBody{&b, {}, {}, 0}};
        Solids solids;
        solids.box = {Vec3::Zero(), Vec3::Ones()};
        solids.cell_size = dx;
        solids.bodies = bodies;
        SolidFields fields;
        rasterize_solids(grid, solids, fields);
        return fields;
    };
    for (const double place : {0.0, 0.2, 0.55}) { // of a gap of 0.4 cells in the fourth cell
        const double lower = (4 + place) * dx, upper = lower + 0.4 * dx;
        const SolidFields fields = raster({0.13, lower}, {upper, 0.87});
        for (const std::size_t a : {1U, 2U}) EXPECT_NEAR(fields.open[a][grid.index(t, 4, 4, 4)], 0.4, 1e-12) << place;
        EXPECT_NEAR(fields.open_volume[grid.index(t, 4, 4, 4)], 0.4 * kOpenCell, 0.1 * kOpenCell) << place;
        EXPECT_EQ(fields.open[0][grid.index(t, 4, 4, 4)], 0);
    }
    const SolidFields one = raster({0.13, 0.87}, {0.13, 0.87});
    for (const double overlap : {0.0, 0.03}) {
        const SolidFields fields = raster({0.13, 0.54 + overlap}, {0.54, 0.87});
        int n_closed = 0;
        for (int c = 0; c < kTileCells; ++c)
            for (std::size_t a = 0; a < 3; ++a) {
                const auto face = static_cast<std::size_t>(t * kTileCells + c);
                EXPECT_EQ(fields.open[a][face] == 0, one.open[a][face] == 0) << a << ", " << c << ", " << overlap;
                n_closed += one.open[a][face] == 0;
            }
        EXPECT_GT(n_closed, 100);
    }
}

// A particle in the lowest layer that came into a box is put back beside the box, not under the floor.
TEST(Solids, PushOutOfABoxOnTheFloorIsSideways)
{
    class Cube : public Ball {
    public:
        Cube() : Ball(9) {}
        [[nodiscard]] double distance(const Vec3& x) const override
        {
            const Vec3 q = x.cwiseAbs() - Vec3::Constant(0.25);
            return q.maxCoeff() <= 0 ? q.maxCoeff() : q.cwiseMax(0).norm();
        }
        [[nodiscard]] Vec3 normal(const Vec3& x) const override { return Shape::normal(x); }
    };
    const Cube cube;
    const SolidBody body{&cube, {Vec3(0.5, 0.5, 0.25), Quat::Identity()}, {}, 0};
    Solids solids;
    solids.bodies = {&body, 1};
    solids.box = {Vec3::Zero(), Vec3::Ones()};
    solids.closed = {true, true, true, true, true, true};
    solids.cell_size = 0.05;
    Vec3 x(0.27, 0.5, 0.004);
    push_out(solids, 0.001, x);
    EXPECT_LT((x - Vec3(0.249, 0.5, 0.004)).norm(), 1e-9) << x.transpose();
}

// The open areas around a closed solid are what the divergence theorem says: sum of |1 - open| projected along an axis
// is twice the disc, and the volume by sums of x n dA is that of the ball.
TEST(Solids, CutFacesOfABallHaveItsVolume)
{
    double previous = 1;
    for (const int n : {1, 2, 4}) {
        const double dx = 0.125 / n;
        const TileGrid grid = block(n, dx);
        const Ball ball(0.3);
        const SolidBody body{&ball, {Vec3(0.51, 0.47, 0.53), Quat::Identity()}, {}, 0};
        Solids solids;
        solids.bodies = {&body, 1};
        SolidFields fields;
        rasterize_solids(grid, solids, fields);
        double volume = 0;
        for (int t = 0; t < grid.n_tiles(); ++t)
            for (int c = 0; c < kTileCells; ++c)
                volume += (1 - fields.open[0][std::size_t(t * kTileCells + c)]) * dx * dx * dx;
        const double exact = 4.0 / 3 * std::numbers::pi * 0.027;
        const double error = std::abs(volume / exact - 1);
        EXPECT_LT(error, 0.08 / (n * n)); // measured 0.05, 0.013, 0.003: second order
        EXPECT_LT(error, previous);
        previous = error;
    }
}

TEST(Solids, CutCellsAreThoseOfTheExactDistances)
{
    const double dx = 0.1;
    const TileGrid grid = block(3, dx);
    const Ball ball(0.83);
    const Vec3 centre(1.21, 1.18, 1.33);
    const SolidBody body{&ball, {centre, Quat::Identity()}, {}, 0};
    Solids solids;
    solids.bodies = {&body, 1};
    SolidFields fields;
    rasterize_solids(grid, solids, fields);
    const auto d = [&](const Vec3& x) { return (x - centre).norm() - 0.83; };
    int n_cut = 0;
    for (int t = 0; t < grid.n_tiles(); ++t)
        for (int c = 0; c < kTileCells; ++c) {
            const int i = c % 8, j = c / 8 % 8, k = c / 64;
            const auto at = [&](double x, double y, double z) { return d(grid.node(t, i + x, j + y, k + z)); };
            const auto cell = static_cast<std::size_t>(t * kTileCells + c);
            const double open = open_fraction(at(0, 0, 0), at(0, 1, 0), at(0, 1, 1), at(0, 0, 1));
            EXPECT_NEAR(fields.open[0][cell], open < 1e-6 ? 0 : open, 1e-9);
            EXPECT_EQ(fields.centre_inside[cell], at(0.5, 0.5, 0.5) < 0);
            n_cut += fields.open_volume[cell] > 0 && fields.open_volume[cell] < kOpenCell;
            if (std::abs(at(0.5, 0.5, 0.5)) > 0.87 * dx) {
                EXPECT_EQ(fields.open_volume[cell], at(0.5, 0.5, 0.5) > 0 ? kOpenCell : 0);
            }
        }
    // A layer about a cell thick: 4 pi r^2 / dx^2 = 866.
    EXPECT_NEAR(n_cut, 866, 300);
}

TEST(Solids, BodiesThatAreTooFarToBeTheNearestAreLeftOutRightly)
{
    std::vector<Ball> balls;
    for (int b = 0; b < 20; ++b) balls.emplace_back(0.05 + 0.2 * random_unit(3, 0, std::uint64_t(b)));
    std::vector<SolidBody> bodies;
    std::vector<Vec3> centres;
    for (std::size_t b = 0; b < balls.size(); ++b) {
        const Vec3 centre(random_unit(4, 0, b), random_unit(4, 1, b), random_unit(4, 2, b));
        const Quat turned(Eigen::AngleAxisd(double(b % 2), Vec3::UnitY()));
        bodies.push_back({&balls[b], {centre, turned}, {}, 0});
        bodies.back().bound();
        EXPECT_EQ(bodies.back().is_upright, b % 2 == 0);
        centres.push_back(centre);
    }
    Solids solids;
    solids.bodies = bodies;
    for (std::uint64_t n = 0; n < 2000; ++n) {
        const Vec3 x = 2 * Vec3(random_unit(5, 0, n), random_unit(5, 1, n), random_unit(5, 2, n)) - Vec3::Constant(0.5);
        double nearest = 1e30;
        for (std::size_t b = 0; b < balls.size(); ++b)
            nearest = std::min(nearest, (x - centres[b]).norm() - balls[b].bounds().upper.x());
        EXPECT_NEAR(solids.distance(x), nearest, 1e-14);
    }
}

TEST(Solids, PushOutPutsPointsOnTheSurfaceAndLeavesOthersAlone)
{
    const Ball ball(0.3);
    const SolidBody body{&ball, {Vec3(0.5, 0.5, 0.5), Quat::Identity()}, {}, 0};
    Solids solids;
    solids.bodies = {&body, 1};
    solids.box = {Vec3::Zero(), Vec3::Ones()};
    solids.closed = {true, true, true, true, true, true};
    std::vector<Vec3> points = {{0.6, 0.5, 0.5}, {0.05, 0.5, 0.5}, {-0.1, 1.2, 0.5}};
    for (Vec3& x : points) push_out(solids, 0.01, x);
    EXPECT_LT((points[0] - Vec3(0.81, 0.5, 0.5)).norm(), 1e-12);
    EXPECT_EQ(points[1], Vec3(0.05, 0.5, 0.5));
    EXPECT_LT((points[2] - Vec3(0.01, 0.99, 0.5)).norm(), 1e-12);
}

TEST(Solids, TheSolidPartOfAFaceMovesWithItsBody)
{
    const TileGrid grid = block(1, 0.125);
    const Ball ball(0.3);
    SolidBody body{&ball, {Vec3(0.5, 0.5, 0.5), Quat::Identity()}, {}, 0};
    body.twist.linear = {1, 2, 3};
    body.twist.angular = {0, 0, 4};
    Solids solids;
    solids.bodies = {&body, 1};
    SolidFields fields;
    rasterize_solids(grid, solids, fields);
    const int t = grid.find({0, 0, 0});
    // Face of axis x at (0.375, 0.5625, 0.5625): u_x = 1 - 4 * (0.5625 - 0.5), by hand.
    EXPECT_NEAR(fields.velocity[0][grid.index(t, 3, 4, 4)], 0.75, 1e-15);
    EXPECT_NEAR(fields.velocity[2][grid.index(t, 3, 4, 4)], 3, 1e-15);
}

TEST(Solids, ACachedRasterIsTheSameBits)
{
    const Ball ball(0.3);
    SolidBody bodies[2] = {{&ball, {Vec3(0.2, 0.2, 0.2), Quat::Identity()}, {}, 0, true},
                           {&ball, {Vec3(3.1, 0.2, 0.2), Quat::Identity()}, {}, 0, false}};
    Solids solids;
    solids.bodies = bodies;
    std::vector<Vec3i> tiles;
    for (int x = -1; x < 12; ++x) tiles.emplace_back(x, 0, 0);
    SolidCache cache;
    cache.grid = TileGrid(Vec3::Zero(), 0.04, tiles);
    rasterize_solids(cache.grid, solids, cache.fields);
    bodies[1].pose.position.x() = 2.9; // one moves, and the tiles are others
    bodies[1].twist.linear.x() = -1;
    for (int x = 12; x < 14; ++x) tiles.emplace_back(x, 0, 0);
    tiles.erase(tiles.begin());
    const TileGrid grid(Vec3::Zero(), 0.04, tiles);
    SolidFields fresh;
    SolidFields cached;
    rasterize_solids(grid, solids, fresh);
    rasterize_solids(grid, solids, cached, &cache);
    EXPECT_EQ(fresh.tiles, cached.tiles);
    for (std::size_t a = 0; a < 3; ++a) {
        EXPECT_EQ(fresh.open[a], cached.open[a]);
        EXPECT_EQ(fresh.velocity[a], cached.velocity[a]);
    }
    EXPECT_EQ(fresh.centre_inside, cached.centre_inside);
    EXPECT_EQ(fresh.open_volume, cached.open_volume);
}

} // namespace
} // namespace rivulet
