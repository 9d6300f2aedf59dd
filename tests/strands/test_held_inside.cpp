#include "strands/held_inside.h"

#include "geometry/shapes.h"
#include "strands/touching.h"

#include <gtest/gtest.h>

namespace rivulet {
namespace {

using Edges = std::vector<std::int32_t>;

/// A strand of ten edges of 5 mm along x from where it is held, beside a ball of 1 cm about `centre`.
struct HeldByBall : Touching {
    explicit HeldByBall(const Vec3& centre, std::int32_t pinned = 0)
        : Touching(human_hair()), ball(make_sphere(centre, 0.01))
    {
        add(line({0, 0, 0}, {0.05, 0, 0}, 10));
        group_strands(model);
        model.pins = {{.vertex = pinned, .body = 0, .position = state.position[static_cast<std::size_t>(pinned)]}};
        obstacles = {{ball.get(), {}, {}, {}}};
    }
    [[nodiscard]] Edges found() const { return find_held_inside(model, state.position, obstacles); }
    [[nodiscard]] std::size_t n_contacts() const
    {
        std::vector<Hold> hold(state.position.size(), Hold::Free);
        for (const StrandPin& pin : model.pins) hold[static_cast<std::size_t>(pin.vertex)] = Hold::Vertex;
        EdgePairs pairs;
        return find_contacts(StrandEdges(model), {state.position, state.position, hold}, obstacles, pairs).size();
    }

    ShapePtr ball;
};

/// The third edge begins on the surface and leaves it; the fourth begins 5 mm away.
TEST(HeldInside, EdgesUpToWhereTheStrandComesOutOfWhatHoldsIt)
{
    HeldByBall s({0, 0, 0});
    const Edges three{0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
    EXPECT_EQ(s.found(), three);
    EXPECT_GT(s.n_contacts(), 0U);
    s.model.held_inside = s.found();
    EXPECT_EQ(s.n_contacts(), 0U);
}

/// Held at 25 mm, where the ball is: from 15 to 35 mm, on both sides, and the edges that leave it.
TEST(HeldInside, ToBothSidesOfAHeldPlace)
{
    EXPECT_EQ(HeldByBall({0.025, 0, 0}, 5).found(), (Edges{-1, -1, 0, 0, 0, 0, 0, 0, -1, -1, -1}));
}

/// A strand that is held on the surface and lies along it touches it, as does one that is held elsewhere, and one that
/// the ball does not hold.
TEST(HeldInside, NotWhatLiesOnTheSurfaceOrIsHeldByOthers)
{
    HeldByBall s({0, 0, 0});
    s.ball = make_plane({0, 0, 0}, Vec3::UnitZ());
    s.obstacles[0].shape = s.ball.get();
    EXPECT_EQ(s.found(), Edges{});
    EXPECT_EQ(HeldByBall({0.025, 0, 0}).found(), Edges{});
    HeldByBall free({0, 0, 0});
    free.model.pins[0].body = -1;
    EXPECT_EQ(free.found(), Edges{});
}

/// Held at the centre it hangs there as if nothing were around it. It was pushed out, and torn.
TEST(HeldInside, AStrandHeldInsideIsNotPushedOut)
{
    HeldByBall s({0, 0, 0});
    s.model.held_inside = s.found();
    std::vector<Hold> hold(s.state.position.size(), Hold::Free);
    hold[0] = Hold::Vertex;
    const std::vector<Vec3> target(s.state.position.size(), Vec3::Zero());
    for (int i = 0; i < 20; ++i) s.advance({.dt = 1e-3, .hold = hold, .target = target});
    EXPECT_LT(largest_strain(s.model, s.state), 1e-6); // nothing acts on it
    EXPECT_LT((s.state.position.back() - Vec3(0.05, 0, 0)).norm(), 1e-9);
}

} // namespace
} // namespace rivulet
