#include "grid/collocated.h"

#include "base/hash.h"
#include "base/parallel.h"
#include "base/rng.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rivulet {
namespace {

constexpr int kPoints = 3000;

/// Random material points over several tiles, negative coordinates included; few a cell, or about a hundred.
template <class Real>
struct Points {
    std::vector<Vec3> position;
    std::vector<PointMotion<Real>> motion;
    TileGrid grid;
    ParticleOrder order;
    std::vector<NodeMotion<Real>> nodes;

    explicit Points(double dx)
    {
        std::uint64_t counter = 0;
        const auto uniform = [&](double lo, double hi) { return lo + (hi - lo) * random_unit(5, 1, counter++); };
        for (int p = 0; p < kPoints; ++p) {
            position.emplace_back(uniform(-1.3, 1.1), uniform(-0.9, 0.7), uniform(-0.2, 1.9));
            PointMotion<Real> m{};
            for (Real& v : m.velocity) v = Real(uniform(-1, 1));
            m.mass = Real(uniform(0.1, 2));
            for (auto& column : m.affine)
                for (int a = 0; a < 3; ++a) column[a] = Real(uniform(-3, 3));
            for (auto& column : m.affine) column[3] = Real(7); // not used: must not reach the nodes
            motion.push_back(m);
        }
        grid = tiles_around(position, Vec3(0.03, -0.02, 0.01), dx, 3);
        sort_particles(grid, position, order);
    }
    void to_grid() { particles_to_nodes<Real>(grid, order, position, motion, nodes); }
    void to_particles() { nodes_to_particles<Real>(grid, order, nodes, position, motion); }
    [[nodiscard]] Vec3 node_position(std::size_t i) const
    {
        const int c = static_cast<int>(i % kTileCells);
        return grid.cell_centre(static_cast<int>(i / kTileCells), c % 8, c / 8 % 8, c / 64);
    }
};

template <class Real>
Vec3 vector_of(const Real (&v)[3])
{
    return {double(v[0]), double(v[1]), double(v[2])};
}

template <class Real>
Mat3 matrix_of(const PointMotion<Real>& m)
{
    Mat3 c;
    for (int i = 0; i < 9; ++i) c(i / 3, i % 3) = double(m.affine[i % 3][i / 3]);
    return c;
}

template <class Real>
class Collocated : public testing::Test {
protected:
    static constexpr double kTolerance = sizeof(Real) == 8 ? 1e-12 : 1e-5;
};
using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Collocated, Reals);

// Angular momentum of APIC particles [Jiang 2015]: x cross m v + m dx^2/4 * (antisymmetric part of C).
TYPED_TEST(Collocated, ConservesMassAndLinearAndAngularMomentumToTheGridAndBack)
{
    for (const double dx : {0.1, 0.7}) {
        Points<TypeParam> points(dx);
        struct Totals {
            double mass = 0;
            Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
        };
        const auto of_particles = [&] {
            Totals total;
            for (std::size_t p = 0; p < points.motion.size(); ++p) {
                const Mat3 c = matrix_of(points.motion[p]);
                const Vec3 curl(c(2, 1) - c(1, 2), c(0, 2) - c(2, 0), c(1, 0) - c(0, 1));
                const Vec3 v = vector_of(points.motion[p].velocity);
                const double m = points.motion[p].mass;
                total.mass += m;
                total.linear += m * v;
                total.angular += m * (points.position[p].cross(v) + 0.25 * dx * dx * curl);
            }
            return total;
        };
        const Totals before = of_particles();
        points.to_grid();
        Totals on_grid;
        for (std::size_t i = 0; i < points.nodes.size() - kTileCells; ++i) {
            const Vec3 momentum = points.nodes[i].mass * vector_of(points.nodes[i].velocity);
            on_grid.mass += points.nodes[i].mass;
            on_grid.linear += momentum;
            on_grid.angular += points.node_position(i).cross(momentum);
        }
        points.to_particles();
        for (const Totals& after : {on_grid, of_particles()}) {
            EXPECT_NEAR(after.mass, before.mass, this->kTolerance * before.mass);
            EXPECT_LT((after.linear - before.linear).norm(), this->kTolerance * before.mass);
            EXPECT_LT((after.angular - before.angular).norm(),
                      this->kTolerance * before.mass); // measured 7e-17, 4e-9 of the mass
        }
    }
}

TYPED_TEST(Collocated, IsAPartitionOfUnityAndReproducesAffineFields)
{
    Mat3 gradient;
    gradient << 1, -2, 3, 0.5, 4, -1, 2, 2, -5;
    const Vec3 shift(0.3, -0.7, 1.1);
    for (const double dx : {0.1, 0.7}) {
        Points<TypeParam> points(dx);
        for (std::size_t p = 0; p < points.motion.size(); ++p) {
            const Vec3 v = gradient * points.position[p] + shift;
            for (int a = 0; a < 3; ++a) points.motion[p].velocity[a] = TypeParam(v[a]);
            for (int i = 0; i < 9; ++i) points.motion[p].affine[i % 3][i / 3] = TypeParam(gradient(i / 3, i % 3));
        }
        points.to_grid();
        for (std::size_t i = 0; i < points.nodes.size() - kTileCells; ++i) {
            NodeMotion<TypeParam>& node = points.nodes[i];
            const Vec3 exact = gradient * points.node_position(i) + shift;
            if (node.mass > 1e-6) { // quotients of tiny weights lose digits
                EXPECT_LT((vector_of(node.velocity) - exact).norm(), 30 * this->kTolerance);
            }
            for (int a = 0; a < 3; ++a) node.velocity[a] = TypeParam(exact[a]);
        }
        const auto masses = points.motion;
        points.to_particles(); // from the full affine field, particles get value and gradient back
        for (std::size_t p = 0; p < points.motion.size(); ++p) {
            const Vec3 exact = gradient * points.position[p] + shift;
            EXPECT_LT((vector_of(points.motion[p].velocity) - exact).norm(), 10 * this->kTolerance);
            EXPECT_LT((matrix_of(points.motion[p]) - gradient).norm(), 100 * this->kTolerance);
            EXPECT_EQ(points.motion[p].mass, masses[p].mass);
        }
    }
}

// By hand: a particle at the centre of a cell gives 27/64 of its mass to that cell's node, 3/4 * 3/4 * 1/8 to a face
// neighbour and 1/512 to a corner; a unit gradient moves the neighbour at distance dx by dx.
TYPED_TEST(Collocated, GivesTheSharesOfTheBSplineToTheNodes)
{
    Points<TypeParam> points(0.5);
    points.position = {Vec3(0.25, 0.25, 0.25)};
    points.motion = {{{2, 0, 0}, 64, {{0, 3, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}}}; // dv_y/dx = 3
    points.grid = tiles_around(points.position, Vec3::Zero(), 0.5, 3);
    sort_particles(points.grid, points.position, points.order);
    points.to_grid();
    const int t = points.grid.find({0, 0, 0});
    const auto node = [&](int i, int j, int k) { return points.nodes[points.grid.index(t, i, j, k)]; };
    EXPECT_EQ(node(0, 0, 0).mass, TypeParam(27));
    EXPECT_EQ(node(1, 0, 0).mass, TypeParam(4.5));
    EXPECT_EQ(node(-1, 1, -1).mass, TypeParam(0.125));
    EXPECT_EQ(node(1, 0, 0).velocity[0], TypeParam(2));
    EXPECT_EQ(node(1, 0, 0).velocity[1], TypeParam(1.5));
    EXPECT_EQ(node(-1, 0, 0).velocity[1], TypeParam(-1.5));
    EXPECT_EQ(node(2, 0, 0).mass, TypeParam(0));
}

TYPED_TEST(Collocated, HasTheSameBitsOnAnyNumberOfThreads)
{
    std::uint64_t reference = 0;
    for (const int threads : {1, 2, 3, 8}) {
        const std::uint64_t hash = with_threads(threads, [](int) {
            Points<TypeParam> points(0.1);
            points.to_grid();
            points.to_particles();
            Hasher hasher;
            hasher.bytes(std::as_bytes(std::span(points.motion)));
            return hasher.value();
        });
        if (threads == 1) reference = hash;
        EXPECT_EQ(hash, reference) << threads << " threads";
    }
}

} // namespace
} // namespace rivulet
