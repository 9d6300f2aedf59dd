#include "wetting/film_mesh.h"

#include "base/parallel.h"
#include "random_numbers.h"
#include "wet_strand.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

// Films with a mesh of their own, finer than that of their strands.

constexpr double kThin = 5e-5; // radius of strands [m]
const Vec3 kWeight(0, 0, -9.81), kUpright(0, 0, -0.047);

FilmStep step_under(const Vec3& gravity, double dt)
{
    FilmStep step;
    step.dt = dt;
    step.gravity = gravity;
    return step;
}

TEST(StrandFilm, ChangesTheMomentumOfStrandAndFilmByWhatComesFromOutsideOnly)
{
    RandomNumbers random(5);
    for (const double tip : {1.0, 0.3})
        for (const int parts : {1, 3, 5})
            for (const bool is_viscous : {false, true})
                for (const double tension : {0.0, 0.072})
                    for (const bool has_open_tip : {false, true}) {
                        WetStrand s(20, Vec3::Zero(), kUpright, kThin, drop(4e-4, 0.01, 0.006));
                        FilmStep step = step_under(kWeight, 5e-4);
                        step.has_open_tip = has_open_tip;
                        step.liquid.viscosity = is_viscous ? 8.9e-4 : 0;
                        step.liquid.surface_tension = tension;
                        for (std::size_t j = 0; j < s.position.size(); ++j) {
                            s.position[j] +=
                                Vec3(3e-3 * std::sin(0.5 * static_cast<double>(j)), 1e-3 * random.number(-1, 1), 0);
                            s.velocity[j] = random.vector(1);
                        }
                        s.refine(parts);
                        if (tip < 1) s.taper(tip);
                        for (double& u : s.flow) u = random.number(-0.3, 0.3);
                        for (double& v : s.volume) v *= random.number(0, 1);
                        s.owed.assign(s.position.size(), Vec3::Zero());
                        for (std::size_t j = 0; j < s.position.size(); ++j) { // partly under water
                            s.lift.push_back(random.vector(5));
                            s.exposure.push_back(random.number(0, 1));
                            s.sliding.push_back(std::max(random.number(-0.5, 1), 0.0));
                        }
                        const auto mass = [&](std::size_t v) {
                            double sum = s.strand_mass[v];
                            for (std::size_t j = 0; j < s.volume.size(); ++j)
                                if (s.owner(j) == v) sum += 1000 * s.volume[j];
                            return sum;
                        };
                        const auto total = [&] {
                            Vec3 sum = film_motion(s.strands(), step.liquid, s.state()).momentum;
                            for (std::size_t j = 0; j < s.position.size(); ++j)
                                sum += mass(j) * s.velocity[j] + s.owed[j];
                            return sum;
                        };
                        for (int i = 0; i < 20; ++i) {
                            const Vec3 before = total();
                            // Somebody moves the strand at will; his impulse is what is left of its balance.
                            FilmCoupling coupling;
                            film_coupling(s.strands(), step, s.state(), coupling);
                            Vec3 outside = Vec3::Zero();
                            std::vector<Vec3> end = s.velocity;
                            for (std::size_t j = 0; j < end.size(); ++j) {
                                end[j] += random.vector(0.1);
                                outside += mass(j) * (end[j] - s.velocity[j]) - step.dt * coupling.force[j].at(end[j]);
                                outside -= s.owed[j]; // this was given
                            }
                            s.drawn.assign(s.flow.size(), Vec3::Zero());
                            for (std::size_t e = 0; e + 1 < s.flow.size(); ++e) {
                                s.drawn[e] = random.vector(1e-6);
                                outside += s.drawn[e];
                            }
                            std::vector<Vec3> due;
                            due_momentum(s.strands(), step, s.state(), coupling, end, due);
                            s.acceleration.resize(end.size());
                            for (std::size_t j = 0; j < end.size(); ++j) {
                                s.acceleration[j] = (end[j] - s.velocity[j]) / step.dt;
                                s.position[j] += step.dt * end[j];
                            }
                            s.velocity = end;
                            s.owed.assign(end.size(), Vec3::Zero());
                            s.due = due;
                            const FilmOutcome& out = s.advance(step);
                            const Vec3 change = total() + out.momentum - before;
                            EXPECT_LT((change - outside).norm(), 1e-12 * before.norm()) << parts << " " << i;
                        }
                        EXPECT_GT(s.total(), 0);
                    }
}

TEST(FilmMesh, OfAHeldStrandIsAStrandOfAsManyVertices)
{
    const auto even = [](double) { return 4e-4; };
    WetStrand coarse(9, Vec3::Zero(), kUpright, kThin, even), fine(41, Vec3::Zero(), kUpright, kThin, even);
    RandomNumbers random(1);
    coarse.refine(5);
    ASSERT_EQ(coarse.volume.size(), fine.volume.size());
    for (std::size_t j = 0; j < fine.volume.size(); ++j) {
        EXPECT_NEAR(coarse.volume[j], fine.volume[j], 1e-13 * fine.volume[j]) << j;
        EXPECT_LT((coarse.place(j) - fine.position[j]).norm(), 1e-16) << j;
        coarse.volume[j] = fine.volume[j] = fine.volume[j] * random.number(0, 1);
    }
    FilmStep step = step_under(kWeight, 1e-4);
    step.liquid.surface_tension = 0.072;
    step.liquid.viscosity = 8.9e-4;
    for (int i = 0; i < 100; ++i) {
        const FilmOutcome a = coarse.advance(step), b = fine.advance(step);
        EXPECT_NEAR(a.volume, b.volume, 1e-9 * fine.total());
    }
    for (std::size_t j = 0; j < fine.volume.size(); ++j)
        EXPECT_NEAR(coarse.volume[j], fine.volume[j], 1e-9 * fine.total()) << j;
    for (const Vec3& v : coarse.velocity) EXPECT_EQ(v, Vec3::Zero());
}

TEST(FilmMesh, DropsFallFreely) // H8, on edges of strand of 1.15 mm
{
    for (const int parts : {3, 5, 9}) {
        WetStrand s(42, Vec3::Zero(), kUpright, kThin, drop(1e-3, 6e-3, 4e-3));
        s.refine(parts);
        const FilmStep step = step_under(kWeight, 2.5e-4);
        const double z_0 = s.centre().z(), before = s.total();
        double t = 0, out = 0;
        while (out < 1e-6 * before) {
            out += s.advance(step).volume;
            t += step.dt;
            const double fall = z_0 - s.centre().z();
            EXPECT_NEAR(fall, 0.5 * 9.81 * t * t, 1e-5 * fall) << parts;
            EXPECT_GE(*std::min_element(s.volume.begin(), s.volume.end()), 0);
        }
        EXPECT_GT(t, 0.05);
        for (int i = 0; i < 400; ++i) out += s.advance(step).volume;
        EXPECT_NEAR(s.total() + out, before, 1e-12 * before);
        EXPECT_GT(out, 0.999 * before);
    }
}

TEST(FilmMesh, UniformMotionStaysUniform)
{
    const Vec3 wind(0.2, 0, 0);
    for (const int parts : {3, 5}) {
        WetStrand s(42, Vec3::Zero(), kUpright, kThin, drop(1e-3, 6e-3, 4e-3));
        s.refine(parts);
        std::fill(s.velocity.begin(), s.velocity.end(), wind);
        FilmStep step = step_under(kWeight, 1e-3);
        step.liquid.surface_tension = 0.0206;
        double worst = 0;
        for (int i = 0; i < 300; ++i) {
            s.advance(step);
            for (const Vec3& v : s.velocity) worst = std::max(worst, (v - wind).norm());
        }
        EXPECT_LT(worst, 1e-12);
    }
}

/// Of strand and film, about the strand [kg m^2/s].
double mesh_spin(const WetStrand& s)
{
    const std::size_t n = s.velocity.size(), size = s.volume.size();
    const double l = (s.position[1] - s.position[0]).norm() / s.parts;
    double sum = 0;
    for (std::size_t e = 0; e + 1 < n; ++e) sum += s.strand_inertia[e] * s.spin[e];
    for (std::size_t j = 0; j < size; ++j) {
        const double length = j == 0 || j + 1 == size ? 0.5 * l : l;
        sum += 1000 * length * film_polar_moment(s.volume[j] / length, s.radius_at(j)) *
               s.spin[std::min(s.owner(j), n - 2)];
    }
    return sum;
}

TEST(FilmMesh, KeepsVolumeAndSpin)
{
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        RandomNumbers random(seed);
        WetStrand s(static_cast<int>(2 + seed), Vec3::Zero(), kUpright, kThin,
                    [&](double) { return random.number(0, 1) < 0.3 ? 0 : 1e-3 * random.number(0, 1); });
        s.refine(seed % 2 == 0 ? 3 : 7);
        if (seed >= 20) s.taper(0.2);
        for (double& w : s.spin) w = 50;
        for (Vec3& v : s.velocity) v = random.vector(2);
        for (double& u : s.flow) u = random.number(-3, 3);
        for (double& v : s.volume) v *= random.number(0, 1);
        const double volume = s.total(), size = mesh_spin(s);
        for (double& w : s.spin) w = random.number(-50, 50);
        s.spin.back() = 0;
        const double spin = mesh_spin(s);
        double out = 0, spin_out = 0;
        for (int i = 0; i < 20; ++i) {
            const FilmOutcome& lost = s.advance(step_under(Vec3::Zero(), 1e-3));
            out += lost.volume;
            spin_out += lost.spin_momentum;
            for (const double v : s.volume) EXPECT_GE(v, 0);
        }
        EXPECT_NEAR(s.total() + out, volume, 1e-12 * volume) << seed;
        EXPECT_NEAR(mesh_spin(s) + spin_out, spin, 1e-12 * size) << seed;
    }
}

} // namespace
} // namespace rivulet
