#include "grid/transfer.h"

#include "base/hash.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "grid/bspline.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rivulet {
namespace {

/// Random particles over several tiles, negative coordinates included.
struct Cloud {
    std::vector<Vec3> position, velocity;
    std::vector<Mat3> affine;
    std::vector<double> mass, density{1}; // volumes that weigh one each
    TileGrid grid;
    ParticleOrder order;

    explicit Cloud(int n, double dx = 0.1)
    {
        std::uint64_t counter = 0;
        const auto uniform = [&](double lo, double hi) { return lo + (hi - lo) * random_unit(5, 1, counter++); };
        for (int p = 0; p < n; ++p) {
            position.emplace_back(uniform(-1.3, 1.1), uniform(-0.9, 0.7), uniform(-0.2, 1.9));
            velocity.emplace_back(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
            affine.emplace_back();
            for (int i = 0; i < 9; ++i) affine.back()(i / 3, i % 3) = uniform(-3, 3);
            mass.push_back(uniform(0.1, 2));
        }
        grid = tiles_around(position, Vec3(0.03, -0.02, 0.01), dx, 3);
        sort_particles(grid, position, order);
    }
    [[nodiscard]] ParticleInput input() const { return {position, velocity, affine, mass, {}, density}; }
};

Vec3 face_position(const TileGrid& grid, int t, int axis, int c)
{
    Vec3 offset(0.5, 0.5, 0.5);
    offset[axis] = 0;
    return grid.node(t, c % 8 + offset.x(), c / 8 % 8 + offset.y(), c / 64 + offset.z());
}

TEST(BSpline, IsAPartitionOfUnityThatReproducesLinearFunctionsAndHasSecondMomentOneQuarter)
{
    for (double x = -2.9; x < 3; x += 0.0371) {
        const BSplineWeights b = quadratic_bspline(x);
        double zeroth = 0;
        double first = 0;
        double second = 0;
        for (int i = 0; i < 3; ++i) {
            EXPECT_GE(b.w[i], 0);
            zeroth += b.w[i];
            first += b.w[i] * (b.first + i - x);
            second += b.w[i] * std::pow(b.first + i - x, 2);
        }
        EXPECT_NEAR(zeroth, 1, 1e-15);
        EXPECT_NEAR(first, 0, 1e-15);
        EXPECT_NEAR(second, 0.25, 1e-15);
    }
    EXPECT_EQ(quadratic_bspline(2.0).w[1], 0.75); // the spline's value at its own node
    EXPECT_EQ(quadratic_bspline(2.0).w[0], 0.125);
}

TEST(ParticleOrder, ListsEveryParticleOnceInTheCellThatHoldsIt)
{
    const Cloud cloud(5000);
    std::vector<int> seen(5000, 0);
    for (int t = 0; t < cloud.grid.n_tiles(); ++t)
        for (int c = 0; c < kTileCells; ++c)
            for (const int p : cloud.order.cell(t, c)) {
                ++seen[std::size_t(p)];
                const Vec3 d = (cloud.position[std::size_t(p)] - cloud.grid.cell_centre(t, c % 8, c / 8 % 8, c / 64));
                EXPECT_LE(d.cwiseAbs().maxCoeff(), 0.05 * (1 + 1e-12));
            }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 5000);
}

/// What the transfers calculate in, how exactly, and the cell size: few particles a cell, or about a hundred.
struct Arithmetic {
    TransferPrecision precision;
    double tolerance;
    double cell_size;
};
class Transfer : public testing::TestWithParam<Arithmetic> {};
INSTANTIATE_TEST_SUITE_P(Precisions, Transfer,
                         testing::Values(Arithmetic{TransferPrecision::Double, 1e-12, 0.1},
                                         Arithmetic{TransferPrecision::Double, 1e-12, 0.7},
                                         Arithmetic{TransferPrecision::Float, 1e-5, 0.1},
                                         Arithmetic{TransferPrecision::Float, 1e-5, 0.7}),
                         [](const auto& instance) {
                             return std::string(instance.param.precision == TransferPrecision::Double ? "Double"
                                                                                                      : "Float") +
                                    (instance.param.cell_size < 0.5 ? "Sparse" : "Crowded");
                         });

TEST_P(Transfer, ConservesMassAndLinearMomentum)
{
    const auto [precision, tolerance, dx] = GetParam();
    const Cloud cloud(3000, dx);
    FaceFields faces;
    particles_to_faces(cloud.grid, cloud.order, cloud.input(), faces, precision);
    double mass = 0;
    Vec3 momentum = Vec3::Zero();
    for (std::size_t p = 0; p < cloud.mass.size(); ++p) {
        mass += cloud.mass[p];
        momentum += cloud.mass[p] * cloud.velocity[p];
    }
    for (int a = 0; a < 3; ++a) {
        double grid_mass = 0;
        double grid_momentum = 0;
        for (std::size_t i = 0; i < faces.mass[0].size(); ++i) {
            grid_mass += faces.mass[std::size_t(a)][i];
            grid_momentum += faces.mass[std::size_t(a)][i] * faces.velocity[std::size_t(a)][i];
        }
        EXPECT_NEAR(grid_mass, mass, tolerance * mass);
        EXPECT_NEAR(grid_momentum, momentum[a], tolerance * mass);
    }
}

TEST_P(Transfer, LeadsAreAddedOnTheWayToTheGridAndMadeOfTheChangeOnTheWayBack)
{
    const auto [precision, tolerance, dx] = GetParam();
    const Cloud cloud(3000, dx);
    std::vector<Vec3f> lead(cloud.velocity.size());
    std::vector<Vec3> ahead = cloud.velocity;
    for (std::size_t p = 0; p < lead.size(); ++p) {
        const Vec3 sixteenths = (16 * cloud.affine[p] * cloud.position[p]).array().round();
        lead[p] = (sixteenths / 16).cast<float>();
        ahead[p] += 0.25 * lead[p].cast<double>();
    }
    ParticleInput with_lead = cloud.input(), moved = cloud.input();
    with_lead.lead = lead;
    with_lead.lead_part = 0.25;
    moved.velocity = ahead;
    FaceFields faces, expected;
    particles_to_faces(cloud.grid, cloud.order, with_lead, faces, precision);
    particles_to_faces(cloud.grid, cloud.order, moved, expected, precision);
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t i = 0; i < faces.mass[a].size(); ++i)
            EXPECT_NEAR(faces.velocity[a][i], expected.velocity[a][i], 10 * tolerance);

    const std::vector<Vec3f> old = lead;
    std::vector<Vec3> velocity = cloud.velocity;
    std::vector<Mat3> affine = cloud.affine;
    faces_to_particles(cloud.grid, cloud.order, faces.velocity, cloud.position, velocity, affine, precision,
                       {lead, 0.5, 2});
    for (std::size_t p = 0; p < lead.size(); ++p) {
        const Vec3 sum = 0.5 * old[p].cast<double>() + 2 * (velocity[p] - cloud.velocity[p]);
        EXPECT_LT((lead[p].cast<double>() - sum).norm(), 1e-6 * (1 + sum.norm()));
    }
}

TEST(ParticleInput, WeighsEveryParticleByItsLiquid)
{
    const std::vector<double> volume{2, 3}, density{1000, 1200};
    const std::vector<std::int32_t> liquid{1, 0};
    EXPECT_EQ((ParticleInput{{}, {}, {}, volume, liquid, density}.mass(0)), 2400);
    EXPECT_EQ((ParticleInput{{}, {}, {}, volume, {}, density}.mass(1)), 3000);
}

// Angular momentum of APIC particles [Jiang 2015]: x cross m v + m dx^2/4 * (antisymmetric part of C).
TEST_P(Transfer, ConservesAngularMomentumToTheGridAndBack)
{
    const auto [precision, tolerance, cell_size] = GetParam();
    Cloud cloud(3000, cell_size);
    FaceFields faces;
    particles_to_faces(cloud.grid, cloud.order, cloud.input(), faces, precision);
    const auto of_particles = [&, dx = cell_size] {
        Vec3 total = Vec3::Zero();
        for (std::size_t p = 0; p < cloud.mass.size(); ++p) {
            const Mat3& c = cloud.affine[p];
            const Vec3 curl(c(2, 1) - c(1, 2), c(0, 2) - c(2, 0), c(1, 0) - c(0, 1));
            total += cloud.mass[p] * (cloud.position[p].cross(cloud.velocity[p]) + 0.25 * dx * dx * curl);
        }
        return total;
    };
    Vec3 of_grid = Vec3::Zero();
    for (int a = 0; a < 3; ++a)
        for (int t = 0; t < cloud.grid.n_tiles(); ++t)
            for (int c = 0; c < kTileCells; ++c) {
                const std::size_t i = std::size_t(t) * kTileCells + std::size_t(c);
                Vec3 momentum = Vec3::Zero();
                momentum[a] = faces.mass[std::size_t(a)][i] * faces.velocity[std::size_t(a)][i];
                of_grid += face_position(cloud.grid, t, a, c).cross(momentum);
            }
    const Vec3 before = of_particles();
    EXPECT_LT((of_grid - before).norm(), tolerance * 3000);
    faces_to_particles(cloud.grid, cloud.order, faces.velocity, cloud.position, cloud.velocity, cloud.affine,
                       precision);
    EXPECT_LT((of_particles() - before).norm(), tolerance * 3000); // measured 1.4e-16 and 5e-9 of that scale
}

TEST_P(Transfer, ReproducesAffineFieldsExactly)
{
    const auto [precision, tolerance, dx] = GetParam();
    Cloud cloud(4000, dx);
    Mat3 gradient;
    gradient << 1, -2, 3, 0.5, 4, -1, 2, 2, -5;
    const Vec3 shift(0.3, -0.7, 1.1);
    for (std::size_t p = 0; p < cloud.mass.size(); ++p) {
        cloud.velocity[p] = gradient * cloud.position[p] + shift;
        cloud.affine[p] = gradient;
    }
    FaceFields faces;
    particles_to_faces(cloud.grid, cloud.order, cloud.input(), faces, precision);
    for (int a = 0; a < 3; ++a)
        for (int t = 0; t < cloud.grid.n_tiles(); ++t)
            for (int c = 0; c < kTileCells; ++c) {
                const std::size_t i = std::size_t(t) * kTileCells + std::size_t(c);
                if (faces.mass[std::size_t(a)][i] < 1e-6) continue; // quotients of tiny weights lose digits
                const Vec3 exact = gradient * face_position(cloud.grid, t, a, c) + shift;
                EXPECT_NEAR(faces.velocity[std::size_t(a)][i], exact[a], tolerance * 10);
            }
    // From a full affine field on the grid, particles get value and gradient back.
    for (int a = 0; a < 3; ++a)
        for (int t = 0; t < cloud.grid.n_tiles(); ++t)
            for (int c = 0; c < kTileCells; ++c)
                faces.velocity[std::size_t(a)][std::size_t(t) * kTileCells + std::size_t(c)] =
                    (gradient * face_position(cloud.grid, t, a, c) + shift)[a];
    std::vector<Vec3> velocity(cloud.mass.size());
    std::vector<Mat3> affine(cloud.mass.size());
    faces_to_particles(cloud.grid, cloud.order, faces.velocity, cloud.position, velocity, affine, precision);
    for (std::size_t p = 0; p < cloud.mass.size(); ++p) {
        const Vec3 exact = gradient * cloud.position[p] + shift;
        EXPECT_LT((velocity[p] - exact).norm(), tolerance * 10);
        EXPECT_LT((affine[p] - gradient).norm(), tolerance * 100);
        EXPECT_LT((interpolate_faces(cloud.grid, faces.velocity, cloud.position[p]) - exact).norm(), 1e-12 * 10);
        // About it, (x_f - x_p)^2 is dx^2/4 along each axis in the mean.
        const FaceMean mean = mean_of_faces(cloud.grid, faces.velocity, cloud.position[p]);
        EXPECT_NEAR(mean.square, mean.velocity.squaredNorm() + dx * dx / 4 * gradient.squaredNorm(), 1e-11);
    }
}

TEST(Transfer, SaysWhetherAllThatParticlesBringIsFinite)
{
    const double bad[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
    FaceFields faces;
    for (int n = 0; n < 9; ++n) {
        Cloud cloud(500);
        if (n < 2) cloud.velocity[300].y() = bad[n];
        if (n >= 2 && n < 4) cloud.affine[0](2, 1) = bad[n - 2];
        if (n >= 4 && n < 6) cloud.mass[499] = bad[n - 4];
        if (n >= 6 && n < 8) cloud.mass[499] = -bad[n - 6];
        particles_to_faces(cloud.grid, cloud.order, cloud.input(), faces);
        EXPECT_EQ(faces.is_finite, n == 8) << n;
    }
}

TEST(Advection, MidpointRuleTurnsWithARigidRotationToThirdOrder)
{
    // u = omega x r: one midpoint step keeps |r| to (omega dt)^4 / 8 relative; by hand r' = r (1 - h^2/2 + i h).
    Cloud cloud(500);
    FaceFields faces;
    faces.reset(cloud.grid);
    for (int a = 0; a < 2; ++a)
        for (int t = 0; t < cloud.grid.n_tiles(); ++t)
            for (int c = 0; c < kTileCells; ++c) {
                const Vec3 x = face_position(cloud.grid, t, a, c);
                faces.velocity[std::size_t(a)][std::size_t(t) * kTileCells + std::size_t(c)] = a == 0 ? -x.y() : x.x();
            }
    const double h = 0.05;
    std::vector<Vec3> moved = cloud.position;
    for (std::size_t p = 0; p < moved.size(); ++p) cloud.velocity[p] = {-moved[p].y(), moved[p].x(), 0};
    advect_midpoint(cloud.grid, cloud.order, faces.velocity, cloud.velocity, h, moved);
    for (std::size_t p = 0; p < moved.size(); ++p) {
        const Vec3& x = cloud.position[p];
        const double c = 1 - h * h / 2;
        EXPECT_LT((moved[p] - Vec3(c * x.x() - h * x.y(), c * x.y() + h * x.x(), x.z())).norm(), 1e-13);
    }
}

TEST_P(Transfer, HasTheSameBitsOnAnyNumberOfThreads)
{
    const auto [precision, tolerance, cell_size] = GetParam();
    std::uint64_t reference = 0;
    for (const int threads : {1, 2, 3, 8}) {
        const std::uint64_t hash = with_threads(threads, [precision = precision, dx = cell_size](int) {
            Cloud cloud(20000, dx);
            FaceFields faces;
            particles_to_faces(cloud.grid, cloud.order, cloud.input(), faces, precision);
            faces_to_particles(cloud.grid, cloud.order, faces.velocity, cloud.position, cloud.velocity, cloud.affine,
                               precision);
            Hasher hasher;
            hasher.bytes(std::as_bytes(std::span(cloud.velocity)));
            hasher.bytes(std::as_bytes(std::span(cloud.affine)));
            return hasher.value();
        });
        if (threads == 1) reference = hash;
        EXPECT_EQ(hash, reference) << threads << " threads";
    }
}

} // namespace
} // namespace rivulet
