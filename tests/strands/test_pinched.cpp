#include "geometry/shapes.h"
#include "strands/touching.h"

namespace rivulet {
namespace {

/// Plates close on a hair from above and below at 0.1 m/s until they leave half of what it takes: no force keeps it out
/// of both, so it is asked to the middle, and pressed no harder than what it takes to be there.
TEST(PinchedContact, AHairBetweenPlatesThatLeaveItNoRoomStaysInTheMiddle)
{
    RodMaterial hair = human_hair();
    const double r = hair.radius_a, start = 1.05 * r, step = 0.55 * r;
    const auto below = make_plane(Vec3::Zero(), Vec3::UnitZ()), above = make_plane(Vec3::Zero(), -Vec3::UnitZ());
    for (const double off : {0.0, 0.04}) { // of the hair from the middle, in radii
        Touching s(hair);
        s.add(line({0, 0, off * r}, {0.01, 0, off * r}, 10));
        group_strands(s.model);
        const auto at = [](double z) { return Pose{.position = {0, 0, z}}; };
        s.obstacles = {{below.get(), at(-start), at(step - start), std::nullopt},
                       {above.get(), at(start), at(start - step), std::nullopt}};
        s.advance({.dt = 1e-3});
        EXPECT_TRUE(s.contact.is_bearable);
        EXPECT_LT(s.contact.residual, 0.02 * r);
        EXPECT_EQ(s.contact.n_missed, 0);
        for (const Vec3& x : s.state.position) EXPECT_NEAR(x.z(), 0, 0.06 * r) << off;
        // What moves the hair by 0.06 r in the step.
        double pressed = 0;
        for (const StrandContact& c : s.contact.contacts) pressed += c.force.norm();
        EXPECT_LT(pressed, 0.06 * r * s.mass() / 1e-6) << off;
    }
}

} // namespace
} // namespace rivulet
