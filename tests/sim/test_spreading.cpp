#include "base/parallel.h"
#include "contact/groove_suction.h"
#include "sim/diagnostics.h"
#include "sim/models.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

constexpr double kRadius = 5e-5;
constexpr int kVertices = 6;

/// A row of strands side by side, a tenth of a radius apart, along x; without weight.
Model row_of_strands(int n_strands, bool is_held)
{
    Model m;
    m.options.cell_size = 2.5e-3;
    m.options.frame_interval = 0.1;
    m.options.max_step = 4e-3;
    m.options.gravity.setZero();
    m.options.strand_contact = StrandContactLaw::Cone;
    m.domain.box = {Vec3::Constant(-0.1), Vec3::Constant(0.1)};
    m.liquids.push_back({"syrup", 1000, 1, 0.072, 0, {0.1, 0.3, 0.6}});
    m.wetting = Wetting{};
    m.wetting->film = {.density = 1000, .viscosity = 1, .surface_tension = 0}; // no beads
    m.wetting->surface_tension = 0.072;
    m.wetting->captures = m.wetting->drips = false;
    m.wetting->spreads = true;
    m.strands.materials = {{1300, 3.4e8, 5.4e6, 0, kRadius, kRadius}};
    for (int i = 0; i < n_strands; ++i) {
        std::vector<Vec3> points;
        for (int k = 0; k < kVertices; ++k) points.emplace_back(1e-3 * k, 2.1 * kRadius * i, 0);
        const std::int32_t s = add_strand(m.strands, m.strands_at_start, points, 0, Vec3::UnitZ());
        for (int k = 0; is_held && k < kVertices; ++k)
            m.strands.pins.push_back(
                {m.strands.first[static_cast<std::size_t>(s)] + k, -1, points[static_cast<std::size_t>(k)]});
    }
    group_strands(m.strands);
    m.shortest_edge = 1e-3;
    m.strand_groups = {{"row", 0, n_strands}};
    m.film_at_start.assign(static_cast<std::size_t>(m.strands.n_vertices()), 0.0);
    return m;
}

void wet(Model& m, int strand, double thickness)
{
    const std::int32_t first = m.strands.first[static_cast<std::size_t>(strand)];
    for (int k = 0; k < kVertices; ++k) m.film_at_start[static_cast<std::size_t>(first + k)] = thickness;
}

/// Volume on each strand.
std::vector<double> volumes(const Model& m, const State& state)
{
    std::vector<double> sums(static_cast<std::size_t>(m.strands.n_strands()), 0.0);
    for (std::size_t s = 0; s < sums.size(); ++s)
        for (auto v = m.strands.first[s]; v < m.strands.first[s + 1]; ++v)
            sums[s] += state.film.volume[static_cast<std::size_t>(v)];
    return sums;
}

struct Spread {
    double volume = 0, centre = 0, variance = 0; ///< [m^3], [strands], [strands^2]
    int width = 0;                               ///< strands with a thousandth of the liquid or more
};
Spread spread_of(const Model& m, const State& state)
{
    Spread r;
    const std::vector<double> v = volumes(m, state);
    for (const double x : v) r.volume += x;
    for (std::size_t s = 0; s < v.size(); ++s) r.centre += static_cast<double>(s) * v[s] / r.volume;
    for (std::size_t s = 0; s < v.size(); ++s) {
        r.variance += std::pow(static_cast<double>(s) - r.centre, 2) * v[s] / r.volume;
        r.width += v[s] > 1e-3 * r.volume ? 1 : 0;
    }
    return r;
}

TEST(GrooveSuction, IsThatOfTheMeniscusBetweenTouchingStrands)
{
    const GrooveSuction suction(0);
    // Wetted to a right angle the meniscus is flat: the square about both half circles less these, (4 - pi) r^2.
    EXPECT_NEAR(suction(4 - std::numbers::pi), 0, 1e-3);
    // To 60 degrees it has the strand's radius; area by hand, r^2 (sqrt(3) - 2 (pi/3 - sqrt(3)/4) - 2 (pi/6 -
    // sqrt(3)/4)).
    const double at_60 =
        std::sqrt(3) - 2 * (std::numbers::pi / 3 - std::sqrt(3) / 4) - 2 * (std::numbers::pi / 6 - std::sqrt(3) / 4);
    EXPECT_NEAR(suction(at_60), 1, 1e-3);
    EXPECT_NEAR(suction(1e-9) / suction(8e-9), 4, 1e-6); // A ~ alpha^3, R ~ alpha^2
    double last = suction(0);
    EXPECT_TRUE(std::isinf(last));
    for (double area = 1e-6; area < 100; area *= 1.1) {
        EXPECT_LE(suction(area), last);
        last = suction(area);
    }
    EXPECT_EQ(GrooveSuction(2)(0.1), 0); // does not wet
}

TEST(Spreading, GoesOutwardsFromTheWetStrandsOfARow) // H17
{
    Model m = row_of_strands(25, true);
    for (const int s : {11, 12, 13}) wet(m, s, 2 * kRadius);
    State state = initial_state(m);
    const Spread start = spread_of(m, state);
    EXPECT_EQ(start.width, 3);
    Spread last = start;
    std::vector<double> variance;
    for (int i = 1; i <= 6; ++i) {
        test::run_until(m, state, 0.4 * i);
        const Spread now = spread_of(m, state);
        EXPECT_GE(now.width, last.width);
        EXPECT_GT(now.variance, last.variance);
        EXPECT_NEAR(now.centre, 12, 1e-2);
        EXPECT_NEAR(now.volume, start.volume, 1e-14 * start.volume);
        variance.push_back(now.variance);
        last = now;
    }
    EXPECT_LE(ledger_balance(state).relative_error, 1e-12);
    const double early = variance[2] - variance[0], late = variance[5] - variance[3];
    EXPECT_NEAR(late / early, 1, 0.15); // about linear in time; measured 0.93

    m.wetting->spreads = false;
    State apart = initial_state(m);
    test::run_until(m, apart, 0.4);
    EXPECT_EQ(volumes(m, apart), volumes(m, initial_state(m)));
}

TEST(Spreading, TakesMomentumAlong)
{
    Model m = row_of_strands(2, false);
    wet(m, 0, 0.3 * kRadius);
    m.air.density = 0;
    for (std::size_t v = 0; v < kVertices; ++v) m.strands_at_start.velocity[v] = {2e-3, 0, 2e-4};
    State state = initial_state(m);
    const Vec3 before = diagnose(m, state).momentum;
    const double first = volumes(m, state)[0];
    test::run_until(m, state, 0.2);
    EXPECT_LT(volumes(m, state)[0], 0.9 * first);
    EXPECT_GT(volumes(m, state)[1], 0.1 * first);
    EXPECT_LT((diagnose(m, state).momentum - before).norm(), 1e-10 * before.norm());
}

} // namespace
} // namespace rivulet
