// Water at rest in gaps between solids that are narrower than the cells.
#include "models.h"
#include "sim/advance.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rivulet {
namespace {

constexpr double kGapCell = 0.01;

/// Water at rest around boxes, for ten steps.
struct AtRest {
    double fastest = 0; ///< of the particles [m/s]
    std::vector<Vec3> force;

    explicit AtRest(const std::vector<Obstacle>& obstacles, double viscosity = 0)
    {
        Model model = test::tank({0.18, 0.1, 0.14}, {0.18, 0.1, 0.12}, kGapCell);
        model.options.pressure_tolerance = 1e-10;
        model.liquids.front().viscosity = viscosity;
        model.obstacles = obstacles;
        State state = initial_state(model);
        test::run_until(model, state, 0.1);
        for (const Vec3& u : state.liquid.velocity) fastest = std::max(fastest, u.norm());
        force = state.loads.force;
    }
};

Obstacle box(const Vec3& lower, const Vec3& upper)
{
    Obstacle o;
    o.shape = make_box(lower, upper);
    return o;
}

double lift(const Vec3& lower, const Vec3& upper) { return 1000 * 9.81 * (upper - lower).prod(); }

} // namespace

// No face across the gap is open, and the middle of it is more than three cells from any that is: water in there fell
// freely.
TEST(Gaps, WaterUnderABoxJustAboveTheFloorStaysAtRest)
{
    for (const double gap : {0.3, 0.7, 1.0, 1.5}) {
        const Vec3 lower(0.03, 0.02, gap * kGapCell), upper(0.15, 0.08, 0.061);
        const AtRest rest({box(lower, upper)});
        EXPECT_LT(rest.fastest, 1e-6) << gap;
        EXPECT_NEAR(rest.force[0].z(), lift(lower, upper), 0.01 * lift(lower, upper)) << gap;
    }
}

// Narrower than a cell and between its corners, both boxes close all faces, and yet the gap is there.
TEST(Gaps, LiquidBetweenTwoBoxesStaysAtRest)
{
    struct Case {
        double gap, place, viscosity; ///< in cells, from a plane of the grid; [Pa s]
    };
    for (const auto [gap, place, viscosity] :
         {Case{0.3, 0.35, 0}, Case{0.3, 0.85, 0}, Case{0.6, 0.2, 0}, Case{1, 0, 0}, Case{1, 0.3, 0},
          Case{0.3, 0.35, 10}, Case{0.5, 0.25, 10}, Case{1, 0, 10}}) {
        const double a = 0.08 + place * kGapCell, b = a + gap * kGapCell;
        // More than two cells below the surface, which solids that cut cells disturb: see Levels.
        const Vec3 lower(0.03, 0.02, 0.015), upper(a, 0.08, 0.092), lower_2(b, 0.02, 0.015), upper_2(0.15, 0.08, 0.092);
        const AtRest rest({box(lower, upper), box(lower_2, upper_2)}, viscosity);
        EXPECT_LT(rest.fastest, 1e-6) << gap << " at " << place;
        for (const std::size_t n : {0U, 1U}) {
            const double expected = n == 0 ? lift(lower, upper) : lift(lower_2, upper_2);
            EXPECT_NEAR(rest.force[n].z(), expected, 0.01 * expected) << gap << " at " << place << ", " << viscosity;
            EXPECT_LT(rest.force[n].head<2>().norm(), 0.01 * expected) << gap << " at " << place << ", " << viscosity;
        }
    }
}

// The floor in the gap bears its water itself; it was booked to one of the boxes.
TEST(Gaps, BoxesThatStandOnTheFloorBesideAGapBearTheWaterAboveThem)
{
    for (const double gap : {0.4, 0.8})
        for (const double a : {0.07, 0.075, 0.08}) {
            const double b = a + gap * kGapCell, top = 0.06;
            const AtRest rest({box({0.04, 0.02, 0}, {a, 0.08, top}), box({b, 0.02, 0}, {b + 0.04, 0.08, top})});
            for (const std::size_t n : {0U, 1U}) {
                const double expected = -1000 * 9.81 * (0.12 - top) * (n == 0 ? a - 0.04 : 0.04) * 0.06;
                EXPECT_NEAR(rest.force[n].z(), expected, -0.07 * expected) << gap << " at " << a << ", " << n;
            }
        }
}

// Plates of half width L that close at speed u each leave 2 u L / gap for the water between them; gaps below an eighth
// of a cell are closed. The speed grew without bound as they met.
TEST(Gaps, PlatesThatMeetUnderWaterSqueezeItOutAtABoundedSpeed)
{
    const double speed = 0.1, half_width = 0.04;
    Model model = test::tank({0.2, 0.16, 0.16}, {0.2, 0.16, 0.12}, kGapCell);
    for (const double side : {-1.0, 1.0}) {
        Obstacle plate = box({side < 0 ? -0.02 : 0, 0.04, -0.01}, {side < 0 ? 0 : 0.02, 0.12, 0.3});
        plate.motion.keyframes = {{.time = 0, .position = {0.1 + 0.02 * side, 0, 0}},
                                  {.time = 0.3, .position = {0.1 + (0.02 - 0.3 * speed) * side, 0, 0}}};
        model.obstacles.push_back(plate);
    }
    State state = initial_state(model);
    Workspace workspace;
    double fastest = 0;
    while (state.clock.time < 0.25) fastest = std::max(fastest, advance(model, state, workspace).max_speed);
    EXPECT_GT(fastest, speed * half_width / kGapCell); // as with half of a cell between each and the middle
    EXPECT_LT(fastest, 2 * 2 * speed * half_width / (kGapCell / 8));
}

TEST(Gaps, WaterBesideARoughBallStaysAtRest)
{
    for (const double friction : {0.3, 1.0}) {
        Obstacle ball;
        ball.shape = make_sphere({0.087, 0.052, 0.056}, 0.034);
        ball.friction = friction;
        EXPECT_LT(AtRest({ball}).fastest, 1e-6) << friction;
    }
}

} // namespace rivulet
