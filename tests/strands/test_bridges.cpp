#include "strands/strand_bridges.h"

#include "geometry/shapes.h"
#include "random_numbers.h"
#include "strands/wet_strands.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

double pull_of(const std::vector<StrandBridge>& bridges)
{
    double sum = 0;
    for (const StrandBridge& b : bridges) sum += b.length * b.curve.force(b.contact.gap);
    return sum;
}
double length_of(const std::vector<StrandBridge>& bridges)
{
    double sum = 0;
    for (const StrandBridge& b : bridges) sum += b.length;
    return sum;
}

/// Two strands of two edges of 1 mm, side by side along x.
struct WetPair : WetCones {
    WetPair()
    {
        for (int i = 0; i < 2; ++i) add(line({0, 0, 0}, {2e-3, 0, 0}, 2));
        group_strands(model);
        wet(kFilm, 0.072);
    }
    /// The second turned by an angle about the middle of its first edge, and shifted.
    void put(double angle, const Vec3& shift)
    {
        for (std::size_t k = 0; k < 3; ++k) {
            const double x = 1e-3 * static_cast<double>(k) - 0.5e-3;
            state.position[3 + k] = Vec3(0.5e-3 + x * std::cos(angle), x * std::sin(angle), 0) + shift;
        }
    }
    void link_all() { links = {{0, 0, 1, 1}, {3, 4, 3, 4}, {0, 0, 0, 0}}; }
};

TEST(Bridges, PullIsContinuousAsEdgesSweepThroughRupture) // H4
{
    WetPair s;
    s.link_all();
    const double rupture = 2 * kThick + kLian * std::sqrt(2 * kFilmArea), sweep = 1e-3 * kThick;
    for (const double degrees : {90.0, 40.0, 10.0})
        for (const Vec3& way : {Vec3(0, 0, 1), Vec3(0, 0.3, 1), Vec3(0.3, 0.2, 1)}) {
            double peak = 0, jump = 0, before = 0, last = 1;
            const double from = rupture - 2 * kThick, to = 3 * rupture;
            for (double d = from; d < to; d += sweep) {
                s.put(degrees * std::numbers::pi / 180, d * way);
                last = pull_of(s.bridges());
                if (d > from) jump = std::max(jump, std::abs(last - before));
                before = last;
                peak = std::max(peak, last);
                if (last == 0) break;
            }
            EXPECT_GT(peak, 1e-6);
            EXPECT_EQ(last, 0);
            EXPECT_LT(jump, 0.01 * peak) << degrees << " " << way.transpose(); // measured 0.0027 at most
        }
}

TEST(Bridges, ForcesAndTorquesAddUpToNothing) // H4
{
    WetPair s;
    s.link_all();
    RandomNumbers random(3);
    int n_bridges = 0;
    for (int i = 0; i < 50; ++i) {
        s.put(random.number(0, 3), 3 * kThick * (random.vector() + Vec3(0, 0, 2)));
        std::vector<StrandContact> contacts;
        double size = 0;
        for (const StrandBridge& b : s.bridges()) {
            contacts.push_back(b.contact);
            contacts.back().force = -b.length * b.curve.force(b.contact.gap) * b.contact.normal;
            size += contacts.back().force.norm();
        }
        Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
        const std::vector<Vec3> forces = vertex_forces(contacts, 6);
        for (std::size_t v = 0; v < 6; ++v) {
            force += forces[v];
            torque += s.state.position[v].cross(forces[v]);
        }
        EXPECT_LE(force.norm(), 1e-12 * size);
        EXPECT_LE(torque.norm(), 1e-12 * size * 1e-3);
        n_bridges += static_cast<int>(contacts.size());
    }
    EXPECT_GT(n_bridges, 50);
}

TEST(Bridges, FormWhenFilmsTouchAndLastUntilTheyBreak) // H25
{
    WetPair s;
    const double films = 2 * (kThick + kFilm), rupture = 2 * kThick + kLian * std::sqrt(2 * kFilmArea);
    for (double d = 1.2 * rupture; d > 2 * kThick; d -= 0.003 * rupture) {
        s.put(0, {0, 0, d});
        s.relink();
        EXPECT_EQ(pull_of(s.bridges()) > 0 || !s.links.a.empty(), d <= films) << d / kThick;
    }
    const BridgeSides sides{{kThick, kTheta}, {kThick, kTheta}};
    double last = 0;
    for (double d = 2 * kThick; d < 1.2 * rupture; d += 0.003 * rupture) {
        s.put(0, {0, 0, d});
        s.relink();
        EXPECT_EQ(!s.links.a.empty(), d <= rupture) << d / kThick;
        const double law = d <= rupture ? cohesion(sides, d - 2 * kThick, 2 * kFilmArea) : 0; // 0 if overfull
        EXPECT_NEAR(pull_of(s.bridges()), 2e-3 * 0.072 * law, 2e-3 * 0.072 * 0.02);
        if (d <= rupture) last = pull_of(s.bridges());
    }
    EXPECT_GT(last, 2e-3 * 0.072 * 1.5); // it does not fade
}

TEST(Bridges, SubmergedOnesDoNotPull) // H24
{
    WetPair s;
    s.link_all();
    s.put(0, {0, 0, 8 * kThick});
    const double pull = pull_of(s.bridges());
    EXPECT_GT(pull, 0);
    double before = 0;
    for (int i = 0; i <= 20; ++i) {
        const std::vector<double> in_air(6, 0.05 * i);
        s.input.in_air = in_air;
        const double now = pull_of(s.bridges());
        EXPECT_NEAR(now, 0.05 * i * pull, 1e-6 * pull);
        if (i == 0) {
            EXPECT_EQ(now, 0);
        }
        EXPECT_LE(now - before, 0.051 * pull);
        before = now;
        s.relink(); // by distance alone
        EXPECT_EQ(s.links.size(), 2U);
    }
}

TEST(Bridges, LiquidIsSharedByAllThatAStrandIsLinkedTo)
{
    WetCones s;
    for (int i = -1; i <= 1; ++i) s.add(line({0, 0, 4 * i * kThick}, {2e-3, 0, 4 * i * kThick}, 2));
    group_strands(s.model);
    s.wet(kFilm, 0.072);
    s.relink();
    ASSERT_EQ(s.links.size(), 4U); // the outer two are too far from each other
    for (const StrandBridge& b : s.bridges())
        EXPECT_NEAR(b.curve.rupture(), 2 * kThick + kLian * std::sqrt(1.5 * kFilmArea), 1e-9 * kThick);
}

/// The middle one of three is 4 radii from one neighbour and 6 from the other: they get 16 and 36 parts of 52 of its
/// liquid, where even halves leave the far bridge nearer to rupture.
TEST(Bridges, LiquidIsSharedByTheSquaresOfDistancesIfBridgesAreToBeAlike)
{
    WetCones s;
    for (const double z : {-4.0, 0.0, 6.0}) s.add(line({0, 0, z * kThick}, {2e-3, 0, z * kThick}, 2));
    group_strands(s.model);
    s.wet(kFilm, 0.072);
    s.links = {{0, 1, 3, 4}, {3, 4, 6, 7}, {0, 0, 0, 0}};
    for (const bool alike : {false, true}) {
        s.input.alike = alike;
        const std::vector<StrandBridge> bridges = s.bridges();
        ASSERT_EQ(bridges.size(), 4U);
        for (const StrandBridge& b : bridges) {
            const double part = !alike ? 0.5 : b.contact.b < 6 ? 16.0 / 52 : 36.0 / 52;
            EXPECT_NEAR(b.curve.rupture(), 2 * kThick + kLian * std::sqrt((1 + part) * kFilmArea), 1e-9 * kThick);
        }
    }
}

/// Beyond the films, within rupture: only because they were linked.
TEST(Bridges, GoAlongAsStrandsSlide)
{
    WetCones s;
    for (int i = 0; i < 2; ++i) s.add(line({0, 0, 0}, {0.02, 0, 0}, 20));
    group_strands(s.model);
    s.wet(kFilm, 0.072);
    const auto put = [&](double x, double z) {
        for (std::size_t k = 0; k <= 20; ++k) s.state.position[21 + k] = {x + 1e-3 * static_cast<double>(k), 0, z};
    };
    put(0, 4 * kThick);
    s.relink();
    EXPECT_NEAR(length_of(s.bridges()), 0.99 * 0.02, 1e-9); // less a hundredth of every edge
    for (double x = 0; x < 3.5e-3; x += 1e-4) {
        put(x, 8 * kThick);
        s.relink();
        EXPECT_NEAR(length_of(s.bridges()), 0.98 * (0.02 - x), 0.01 * 0.02) << x;
    }
    s.links = {};
    s.relink();
    EXPECT_EQ(s.links.size(), 0U);
}

TEST(Bridges, AStrandIsNotLinkedToItself)
{
    WetCones s;
    s.add(line({0, 0, 0}, {2e-3, 0, 0}, 20)); // edges of two radii under a film of 14
    group_strands(s.model);
    s.wet(1e-3, 0.072);
    s.relink();
    EXPECT_EQ(s.links.size(), 0U);
}

/// Pull per length on a strand of 1 mm along x with a film of 20 um that floats 0.3 radii above the top of a shape.
double pull_on_solid(const Shape& shape, double top, double strand_angle, double solid_angle)
{
    WetCones s;
    s.add(line({-0.5e-3, 0, top + 1.3 * kThick}, {0.5e-3, 0, top + 1.3 * kThick}, 2));
    group_strands(s.model);
    s.wet(2e-5, 1);
    const SolidBridgeTable table(strand_angle, solid_angle);
    s.input.solids = &table;
    s.obstacles.push_back({&shape, {}, {}, {}});
    s.relink();
    const std::vector<StrandBridge> bridges = s.bridges();
    EXPECT_NEAR(length_of(bridges), 1e-3, 1e-12);
    return pull_of(bridges) / 1e-3;
}

TEST(Bridges, SolidsCountWithTheirContactAngleAndCurvature) // H2, hair and solid
{
    const double thick = 4 * kThick, area = std::numbers::pi * 2e-5 * (2e-5 + 2 * kThick);
    const ShapePtr along = make_cylinder({-1e-2, 0, 0}, {1e-2, 0, 0}, thick);
    const ShapePtr across = make_cylinder({0, -1e-2, 0}, {0, 1e-2, 0}, 1e3 * thick);
    const ShapePtr box = make_box({-1e-2, -1e-2, -1e-2}, {1e-2, 1e-2, 0});
    for (const auto& [strand, solid] : {std::pair(kTheta, kTheta), std::pair(kTheta, 0.4)}) {
        const auto law = [&area, strand_angle = strand, solid_angle = solid](double radius) {
            return cohesion({{kThick, strand_angle}, {radius, solid_angle}}, 0.3 * kThick, area);
        };
        EXPECT_NEAR(pull_on_solid(*along, thick, strand, solid), law(thick), 0.02);
        EXPECT_NEAR(pull_on_solid(*box, 0, strand, solid), law(INFINITY), 0.02);
        EXPECT_NEAR(pull_on_solid(*across, 1e3 * thick, strand, solid), law(INFINITY), 0.02);
        EXPECT_GT(std::abs(law(thick) - law(INFINITY)), 0.1);
    }
    // The angle of the solid alone makes a difference.
    EXPECT_GT(std::abs(pull_on_solid(*box, 0, kTheta, 0.4) - pull_on_solid(*box, 0, kTheta, kTheta)), 0.1);
}

TEST(Bridges, UnequalStrandsPullWithTheLawOfBothRadii) // H2, hair and hair
{
    for (const double ratio : {1.5, 3.0, 5.0}) {
        WetCones s;
        const double gap = 0.03 * kThick;
        s.add(line({0, 0, 0}, {1e-3, 0, 0}, 2));
        s.add(line({0, (1 + ratio) * kThick + gap, 0}, {1e-3, (1 + ratio) * kThick + gap, 0}, 2));
        s.model.materials.push_back(kWetHair);
        s.model.materials[1].radius_a = s.model.materials[1].radius_b = ratio * kThick;
        s.model.material[1] = 1;
        group_strands(s.model);
        s.wet(1.5e-6, 1);
        s.relink();
        const std::vector<StrandBridge> bridges = s.bridges();
        const double area = 2 * s.area[0], mean = 0.5 * (1 + ratio) * kThick;
        const double law = cohesion({{kThick, kTheta}, {ratio * kThick, kTheta}}, gap, area);
        EXPECT_GT(law, 0.1);
        EXPECT_NEAR(pull_of(bridges) / length_of(bridges), law, 0.01 * law) << ratio;
        EXPECT_GT(std::abs(cohesion({{mean, kTheta}, {mean, kTheta}}, gap, area) - law), 0.02 * law) << ratio;
    }
}

} // namespace
} // namespace rivulet
