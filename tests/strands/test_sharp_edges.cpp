#include "geometry/shapes.h"
#include "strands/edge_in_shape.h"
#include "strands/slid_contacts.h"
#include "strands/touching.h"

#include <algorithm>
#include <array>
#include <numbers>

namespace rivulet {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
const double kHairRadius = human_hair().radius_a;

/// An edge that goes down at an angle over the edge of a box along y, deeper than that by h, in any direction: both say
/// together which way is out, and how far.
TEST(SharpEdge, AnEdgeLeavesTheEdgeOfABoxAtARightAngleToBoth)
{
    const auto box = make_box({-0.1, -0.1, -0.1}, {0, 0.1, 0});
    for (const double h : {-10e-6, 5e-6, 35e-6, 200e-6})
        for (const double angle : {15.0, 45.0, 75.0})
            for (const double aside : {0.0, 0.7}) {
                const Vec3 along = Vec3(std::cos(angle * kDegree), aside, -std::sin(angle * kDegree)).normalized();
                const Vec3 out(std::sin(angle * kDegree), 0, std::cos(angle * kDegree));
                const Segment edge{Vec3(-h * out - 1.7e-3 * along), Vec3(-h * out + 3.3e-3 * along)};
                const double s = deepest_between_ends(*box, edge, kHairRadius);
                ASSERT_GT(s, 0);
                const EdgePlace place = place_across(*box, edge, s);
                EXPECT_NEAR(place.s, 0.34, 1e-3 + 150 * std::abs(h)); // as deep on the plane that bisects the corner
                EXPECT_NEAR(place.distance, -h, 1e-6 + 1e-3 * std::abs(h)) << h << ' ' << angle << ' ' << aside;
                EXPECT_LT((place.normal - out).norm(), 2e-3) << h << ' ' << angle << ' ' << aside;
            }
}

/// A wire that is thinner than a hundredth of its way in the step, across edges that stand, lean, and turn.
TEST(SharpEdge, AThinWireThatSweepsAcrossAnEdgeInAStepIsFound)
{
    const auto wire = make_cylinder({0, -0.1, 0}, {0, 0.1, 0}, 50e-6);
    for (const double lean : {0.0, 0.5, 2.0})
        for (const double turn : {0.0, 2e-3}) {
            Touching s(human_hair());
            s.add(line({-2.5e-3 * lean, 0, 2.5e-3}, {7.5e-3 * lean, 0, -7.5e-3}, 2));
            const StrandEdges edges(s.model);
            EdgePairs pairs;
            std::vector<Vec3> end = s.state.position;
            end[0].z() += turn;
            const std::vector<StrandObstacle> obstacles{
                {wire.get(), Pose{.position = {-0.0057, 0, 7e-4}}, Pose{.position = {0.0068, 0, 7e-4}}, std::nullopt}};
            const auto found = find_contacts(edges, {s.state.position, end, {}}, obstacles, pairs);
            ASSERT_EQ(found.size(), 1U) << lean << ' ' << turn;
            EXPECT_GT(found[0].normal.x(), 0.4); // it stays ahead
            // The whole way, less where it begins, is to be undone.
            const double depth =
                -(found[0].gap + found[0].normal.dot(contact_motion(found[0], {s.state.position, end, {}})));
            EXPECT_GT(depth, 2e-3) << lean << ' ' << turn;
        }
}

/// Hair over the edge of a table, pulled by one end with 5 cm/s while a load hangs on the other: what pulls it over one
/// edge of its own after the other [N], with the least distance of its centre line from the table.
struct Pull {
    double mean = 0, nearest = 1;
};
Pull pull_over_edge(double friction, double load)
{
    RodMaterial hair = human_hair();
    hair.friction = friction;
    hair.viscosity = 3.7e7; // as the scenes' human_hair
    Touching s(hair);
    const double gap = 1.5 * hair.radius_a, length = 5e-3;
    std::vector<Vec3> points;
    for (int k = -10; k <= 0; ++k) points.emplace_back(gap + length * k, 0, gap);
    for (int k = 1; k <= 14; ++k) points.emplace_back(gap, 0, gap - length * k);
    s.add(points);
    group_strands(s.model);
    const auto table = make_box({-0.2, -0.1, -0.1}, {0, 0.1, 0});
    s.obstacles = {{table.get(), {}, {}, std::nullopt}};
    const std::size_t n = points.size();
    std::vector<Hold> hold(n, Hold::Free);
    hold[0] = Hold::Vertex;
    std::vector<Vec3> target = s.state.position, force(n, Vec3::Zero());
    force[n - 1] = {0, 0, -load};
    Pull pull;
    for (int i = 0; i < 400; ++i) { // at rest, ever faster, the first edge, and two more of 0.1 s each
        if (i >= 50) target[0].x() -= 5e-5 * std::min(1.0, (i - 50) / 50.0);
        s.advance({.dt = 1e-3, .hold = hold, .target = target, .force = force});
        EXPECT_EQ(s.contact.n_missed, 0);
        EXPECT_TRUE(s.contact.is_bearable);
        if (i >= 200) pull.mean -= s.update.outcome[0].support.x() / 1e-3 / 200;
        for (std::size_t v = 0; v + 1 < n; ++v) {
            const Segment edge{s.state.position[v], s.state.position[v + 1]};
            pull.nearest = std::min(pull.nearest, deepest_place(*table, edge, hair.radius_a).distance);
        }
    }
    EXPECT_LT(largest_strain(s.model, s.state), 1e-3);
    return pull;
}

/// What friction adds is between the capstan's exp(mu pi/2), for a bend that is round, and tan(45 degrees + atan mu),
/// for a single straight edge that lies across the corner. (It was locked, and pulled in two.)
TEST(SharpEdge, HairIsDrawnOverTheEdgeOfATableAsOverACapstan)
{
    const double mu = 0.16;
    const Pull slippery = pull_over_edge(0, 1e-3), rough = pull_over_edge(mu, 1e-3);
    EXPECT_GT(slippery.nearest, 0.7 * kHairRadius);
    EXPECT_GT(rough.nearest, 0.7 * kHairRadius);
    EXPECT_GT(rough.mean / slippery.mean, std::exp(mu * std::numbers::pi / 2));
    EXPECT_LT(rough.mean / slippery.mean, std::tan(45 * kDegree + std::atan(mu)));
    EXPECT_LT(slippery.mean, 1.4e-3); // viscous, it takes work to bend and unbend
}

/// A wire of 0.2 mm goes at 10 m/s, 1 cm a step, through hairs that hang from their roots, and takes them along: ahead
/// of it is where its centre was driven to, by hand.
TEST(SharpEdge, AThinWireAtTenMetresASecondTakesHairAlong)
{
    const double wire_radius = 2e-4;
    const auto wire = make_cylinder({0, -0.1, 0}, {0, 0.1, 0}, wire_radius);
    RodMaterial hair = human_hair();
    hair.viscosity = 3.7e7;
    Touching s(hair);
    s.add(line({0, 0, 0.14}, {0, 0, -0.05}, 39));
    group_strands(s.model);
    std::vector<Hold> hold(40, Hold::Free);
    hold[0] = Hold::Vertex;
    for (int i = 0; i < 8; ++i) {
        const double x = -0.0137 + 0.01 * i;
        s.obstacles = {{wire.get(), Pose{.position = {x, 0, 0}}, Pose{.position = {x + 0.01, 0, 0}}, std::nullopt}};
        s.advance({.dt = 1e-3, .gravity = {0, 0, -9.81}, .hold = hold, .target = s.state.position});
        EXPECT_EQ(s.contact.n_missed + s.contact.n_unbearable, 0) << i;
        double nearest = 1;
        bool is_ahead = false; // where it is as high as the wire
        for (std::size_t v = 0; v + 1 < 40; ++v) {
            const Vec3 shift(x + 0.01, 0, 0);
            const Segment edge{s.state.position[v] - shift, s.state.position[v + 1] - shift};
            nearest = std::min(nearest, deepest_place(*wire, edge, kHairRadius).distance);
            if (edge.a.z() >= 0 && edge.b.z() < 0)
                is_ahead = edge.at(edge.a.z() / (edge.a.z() - edge.b.z())).x() > wire_radius;
        }
        EXPECT_TRUE(is_ahead) << i;
        EXPECT_GT(nearest, 0.3 * kHairRadius) << i; // measured 0.41
    }
    EXPECT_LT(largest_strain(s.model, s.state), 5e-3);
}

/// An edge that lies across the top of a box, both ends beyond it, and is turned about one of the box's edges into the
/// other touches both: held at one alone it would turn about that, step by step, into the box.
TEST(SharpEdge, AnEdgeAcrossAFacetTouchesAtBothOfItsEdges)
{
    const auto box = make_box({-1e-3, -0.1, -0.1}, {1e-3, 0.1, 0});
    const std::vector<StrandObstacle> obstacles{{box.get(), {}, {}, std::nullopt}};
    Touching s(human_hair());
    s.add(line({-2e-3, 0, kHairRadius}, {6e-3, 0, kHairRadius}, 2));
    std::vector<Vec3> start = s.state.position, end = start;
    start[0].z() -= 1e-6; // it rests on the first
    end[0].z() += kHairRadius;
    end[1].z() -= 3 * kHairRadius;
    const StrandEdges edges(s.model);
    EdgePairs pairs;
    const auto found = find_contacts(edges, {start, end, {}}, obstacles, pairs);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_NEAR(found[0].s, 0.75, 0.01); // sorted by their names
    EXPECT_NEAR(found[1].s, 0.25, 0.01);
    for (const StrandContact& c : found) EXPECT_GT(c.normal.z(), 0.999);
    // By hand: 3/4 of the way from one radius up to three down.
    EXPECT_NEAR(-(found[0].gap + found[0].normal.dot(contact_motion(found[0], {start, end, {}}))), 2 * kHairRadius,
                2e-6);
}

/// What is not opposed is told of: an edge that a step takes across the corner of a box, by three radii at its middle
/// while both of its ends are outside, though the one contact that is known of it is elsewhere and well.
TEST(SharpEdge, AnEdgeThatIsDeepInAnObstacleIsCountedWhateverItsContactSays)
{
    const auto box = make_box({-0.1, -0.1, -0.1}, {0, 0.1, 0});
    const std::vector<StrandObstacle> obstacles{{box.get(), {}, {}, std::nullopt}};
    Touching s(human_hair());
    const Vec3 along = Vec3(1, 0, -1).normalized(), out = Vec3(1, 0, 1).normalized();
    s.add(line(Vec3(2 * kHairRadius * out - 2.5e-3 * along), Vec3(2 * kHairRadius * out + 7.5e-3 * along), 2));
    const StrandEdges edges(s.model);
    const std::vector<StrandContact> contacts{{.a = 0, .b = -1}};
    const auto count = [&](double from, double to) { // depth of the centre line, in radii
        std::vector<Vec3> start = s.state.position, end = start;
        for (Vec3& x : start) x -= (2 + from) * kHairRadius * out;
        for (Vec3& x : end) x -= (2 + to) * kHairRadius * out;
        return count_deep_edges(edges, {start, end, {}}, obstacles, contacts, 1, 2);
    };
    EXPECT_EQ(count(-1, 3).n_unbearable, 1);
    EXPECT_NEAR(count(-1, 3).deepest, 3 * kHairRadius, 1e-2 * kHairRadius);
    EXPECT_EQ(count(-1, 1.5).n_missed, 1);
    EXPECT_EQ(count(0.99, 1.01).n_missed, 1); // it creeps in
    EXPECT_EQ(count(-1, 0.9).n_missed, 0);
    EXPECT_EQ(count(3, 2.9).n_unbearable, 0); // on its way out
    EXPECT_EQ(count(2.1, 4).n_unbearable, 0); // it set out in there: strands that begin in a box that turns
    EXPECT_EQ(count(1.9, 4).n_unbearable, 1);
}

/// Two boxes close on an edge and leave it no room: nothing keeps it out of both. Two that lie beside each other are
/// one with a seam.
TEST(SharpEdge, AnEdgeIsPinchedBetweenObstaclesThatFaceEachOtherAndNotAtTheirSeam)
{
    const auto below = make_box({-0.1, -0.1, -0.1}, {0.1, 0.1, 0}), above = make_box({-0.1, -0.1, 0}, {0.1, 0.1, 0.1}),
               beside = make_box({-0.1, 0.1, -0.1}, {0.1, 0.3, 0});
    Touching s(human_hair());
    const double y = 0.1 - 4 * kHairRadius, z = 2 * kHairRadius;
    s.add(line({0, y, z}, {0.01, y, z}, 2));
    const StrandEdges edges(s.model);
    const std::vector<StrandContact> contacts{{.a = 0, .b = -1}};
    const auto count = [&](const Shape& other) {
        const std::vector<StrandObstacle> obstacles{{below.get(), {}, {}, std::nullopt},
                                                    {&other, {}, {}, std::nullopt}};
        std::vector<Vec3> end = s.state.position;
        for (Vec3& x : end) x.z() -= 5 * kHairRadius; // to three radii below the floor
        return count_deep_edges(edges, {s.state.position, end, {}}, obstacles, contacts, 1, 2);
    };
    EXPECT_EQ(count(*above).n_unbearable, 0);
    EXPECT_EQ(count(*above).n_missed, 1);
    EXPECT_EQ(count(*beside).n_unbearable, 1);
    EXPECT_EQ(count(*beside).n_missed, 0);
}

} // namespace
} // namespace rivulet
