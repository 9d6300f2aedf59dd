#include "strands/sag_free.h"

#include "strands/hair.h"

#include <gtest/gtest.h>

namespace rivulet {
namespace {

/// Largest way of a vertex in one step of so long, over the strand's length.
double moved_in_a_step(Strands& s, double dt)
{
    const Clamp clamp(s.state);
    StrandStep step{.dt = dt, .gravity = Vec3(0, 0, -9.81)};
    step.tolerance = 1e-12;
    clamp.apply(step);
    const std::vector<Vec3> start = s.state.position;
    StrandUpdate update;
    EXPECT_TRUE(advance(s, step, update));
    double most = 0, length = 0;
    for (std::size_t v = 0; v < start.size(); ++v) {
        most = std::max(most, (s.state.position[v] - start[v]).norm());
        length += s.model.rest_length[v];
    }
    return most / length;
}

RodMaterial ribbon()
{
    RodMaterial m = human_hair();
    m.radius_a = 60e-6;
    return m;
}

/// Horizontal and curled strands, round and flat, start to fall with g when they rest as they are, and stay when they
/// rest otherwise.
TEST(SagFree, StrandsStayWhereTheyAre)
{
    for (const RodMaterial& material : {human_hair(), ribbon()})
        for (const auto& points : {straight_line(20, 0.05, Vec3::UnitX()), helix(60, 0.1, 0.006, 0.03)}) {
            Strands sagging = one_strand(points, material), balanced = one_strand(points, material);
            balance_gravity(balanced.model, balanced.state, 0, Vec3(0, 0, -9.81));
            EXPECT_GT(moved_in_a_step(sagging, 5e-3), 1e-3);
            EXPECT_LT(moved_in_a_step(balanced, 5e-3), 1e-9);
        }
}

/// A horizontal cantilever is straight under its weight if it rests with the curvature w (L - s)^2/(2 EI) upwards; at
/// the first bend, s = l/2 from the clamp, a straight rod of n edges of length l has (n - 1) l beyond: the moment of
/// the weight there is w l^2 (n - 1)^2/2.
TEST(SagFree, RestCurvatureIsTheMomentOfTheWeight)
{
    const RodMaterial hair = human_hair();
    Strands s = one_strand(straight_line(10, 0.05, Vec3::UnitX()), hair);
    balance_gravity(s.model, s.state, 0, Vec3(0, 0, -9.81));
    const double l = 0.005, weight = 9.81 * hair.density * hair.area();
    const double stiffness = hair.youngs_modulus * hair.bending_moment_1();
    const Vec3 m1 = s.state.director[1], m2 = Vec3::UnitX().cross(m1);
    const Vec3 binormal = s.model.rest_curvature[1][0] * m2 - s.model.rest_curvature[1][1] * m1;
    // Turns x towards +z: about -y. The integrated curvature is curvature times l.
    const double exact = weight * l * l * 81 / 2 / stiffness * l;
    EXPECT_NEAR(binormal.y() / -exact, 1, 1e-3);
    EXPECT_NEAR(binormal.z() / exact, 0, 1e-9);
    EXPECT_NEAR(s.model.rest_twist[1], 0, 1e-12);
}

} // namespace
} // namespace rivulet
