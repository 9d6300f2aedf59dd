#include "render/colour_map.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rivulet {
namespace {

/// CIE 1976 lightness of linear RGB (Rec. 709), 0 to 100.
double lightness(const Vec3& c)
{
    const double y = Vec3(0.2126, 0.7152, 0.0722).dot(c);
    return y > 216.0 / 24389 ? 116 * std::cbrt(y) - 16 : y * 24389 / 27;
}

TEST(ColourMap, CanBeShownOnAScreen)
{
    for (int i = 0; i <= 1000; ++i) {
        const Vec3 c = map_colour(i / 1000.0);
        EXPECT_GE(c.minCoeff(), 0) << i; // smallest 0.022
        EXPECT_LE(c.maxCoeff(), 1) << i; // largest 0.942
    }
}

TEST(ColourMap, RisesEvenlyInLightness)
{
    const double whole = lightness(map_colour(1)) - lightness(map_colour(0));
    EXPECT_GT(whole, 50); // of 100
    for (int i = 1; i <= 20; ++i) {
        const double step = lightness(map_colour(i / 20.0)) - lightness(map_colour((i - 1) / 20.0));
        EXPECT_GT(step, 0.85 * whole / 20) << i; // measured 0.907 to 1.090 of an even one
        EXPECT_LT(step, 1.15 * whole / 20) << i;
    }
}

TEST(ColourMap, HoldsItsEndsBeyondThem)
{
    EXPECT_EQ(map_colour(-3), map_colour(0));
    EXPECT_EQ(map_colour(7), map_colour(1));
    EXPECT_GT(map_colour(0).z(), 5 * map_colour(0).x());   // blue
    EXPECT_LT(map_colour(1).z(), 0.2 * map_colour(1).x()); // yellow
}

} // namespace
} // namespace rivulet
