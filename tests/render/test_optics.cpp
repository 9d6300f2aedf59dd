#include "render/optics.h"
#include "render/strand_shading.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rivulet {
namespace {

TEST(Fresnel, NormalIncidenceOnWaterReflectsTwoPercent)
{
    EXPECT_NEAR(fresnel_reflectance(1, 1 / 1.33f), 0.020059, 1e-6); // (0.33 / 2.33)^2 by hand
    EXPECT_NEAR(fresnel_reflectance(1, 1.33f), 0.020059, 1e-6);     // the same from inside
}

TEST(Fresnel, BrewsterAngleReflectsHalfOfThePerpendicularPart)
{
    // At tan(a) = n = 1.5 the parallel part vanishes; the perpendicular one is ((n^2 - 1) / (n^2 + 1))^2 = 0.147929.
    EXPECT_NEAR(fresnel_reflectance(1 / std::sqrt(1 + 2.25f), 1 / 1.5f), 0.5 * 0.147929, 1e-5);
}

TEST(Fresnel, GrazingAndTotallyReflectedLightComesBackWhole)
{
    EXPECT_NEAR(fresnel_reflectance(0, 1 / 1.33f), 1, 1e-6);
    EXPECT_EQ(fresnel_reflectance(std::cos(0.86f), 1.33f), 1); // critical angle of water: 0.8509 rad
    EXPECT_LT(fresnel_reflectance(std::cos(0.84f), 1.33f), 0.9f);
}

TEST(Snell, FortyFiveDegreesIntoWaterBecomesThirtyTwo)
{
    const float s = std::sqrt(0.5f);
    Vec3f out;
    ASSERT_TRUE(refract(Vec3f(s, 0, -s), Vec3f::UnitZ(), 1 / 1.33f, out));
    EXPECT_NEAR(std::asin(out.x()), 0.560558, 1e-5); // asin(sin(45 deg) / 1.33) = 32.118 deg
    EXPECT_NEAR(out.norm(), 1, 1e-6);
    EXPECT_LT(out.z(), 0);
}

TEST(Snell, TheWayBackIsTheSame)
{
    const Vec3f in = Vec3f(0.3f, -0.5f, -0.8f).normalized();
    Vec3f inside, outside;
    ASSERT_TRUE(refract(in, Vec3f::UnitZ(), 1 / 1.4f, inside));
    ASSERT_TRUE(refract(inside, Vec3f::UnitZ(), 1.4f, outside));
    EXPECT_NEAR((outside - in).norm(), 0, 1e-6);
}

TEST(Snell, BeyondTheCriticalAngleNothingPasses)
{
    Vec3f out;
    EXPECT_FALSE(refract(Vec3f(std::sin(0.86f), 0, -std::cos(0.86f)), Vec3f::UnitZ(), 1.33f, out));
}

TEST(BeerLambert, LeavesTheColourAfterItsDistanceAndItsSquareAfterTwice)
{
    const Rgb colour(0.1f, 0.3f, 0.6f);
    EXPECT_NEAR((transmittance(colour, 0.5f, 0.5f) - colour).abs().maxCoeff(), 0, 1e-6);
    EXPECT_NEAR((transmittance(colour, 0.5f, 1.0f) - Rgb(0.01f, 0.09f, 0.36f)).abs().maxCoeff(), 0, 1e-6);
    EXPECT_NEAR(transmittance(colour, 0.5f, 0.125f)[0], 0.562341, 1e-5); // 0.1^(1/4)
    EXPECT_EQ(transmittance(Rgb::Zero(), 1, 0)[0], 1);
}

TEST(ToneMap, KeepsBlackNeverDecreasesAndEndsAtWhite)
{
    EXPECT_EQ(tone_map(Rgb::Zero())[1], 0);
    float last = 0;
    for (float x = 0; x < 20; x += 0.01f) {
        const float y = tone_map(Rgb::Constant(x))[0];
        EXPECT_GE(y, last);
        EXPECT_LE(y, 1);
        last = y;
    }
    EXPECT_GT(last, 0.99f);
}

TEST(SrgbEncode, MiddleGreyIsTheStandardsValue)
{
    EXPECT_NEAR(srgb_encode(0.2140411f), 0.5, 1e-5); // IEC 61966-2-1: 0.5 decodes to 0.2140411
    EXPECT_EQ(srgb_encode(-1), 0);
    EXPECT_NEAR(srgb_encode(7), 1, 1e-6);
}

TEST(StrandShading, UnderWaterAStrandIsDarkAndItsOwnShineIsLow)
{
    const Rgb colour(0.4f, 0.2f, 0.1f);
    const StrandShading dry(colour, 0), soaked(colour, 1), under = StrandShading::in_liquid(colour);
    EXPECT_GT(soaked.shine, dry.shine);
    EXPECT_TRUE((under.albedo == soaked.albedo).all());
    EXPECT_LT(soaked.albedo[0], dry.albedo[0]);
    // (0.217 / 2.883)^2 over (0.55 / 2.55)^2, by hand
    EXPECT_NEAR(under.shine / dry.shine, 0.12179, 1e-4);
}

TEST(StrandShading, LiquidDarkensAStrandAndSharpensItsHighlight)
{
    // Light from right above, an eye 0.1 rad towards the root sees the first highlight in full. By hand, of a black
    // strand: its strength there, and cos(0.4) to the power of its sharpness 0.4 rad off.
    const Vec3f tangent = Vec3f::UnitX(), light = Vec3f::UnitZ();
    const auto seen = [&](const Rgb& colour, float wetness, float angle) {
        return StrandShading(colour, wetness).reflected(tangent, light, {std::sin(angle), 0, std::cos(angle)})[0];
    };
    const Rgb black = Rgb::Zero(), brown(0.5f, 0.3f, 0.1f);
    EXPECT_NEAR(seen(black, 0, -0.1f), 0.10, 1e-5);
    EXPECT_NEAR(seen(black, 1, -0.1f), 0.55, 1e-5);
    EXPECT_NEAR(seen(black, 0, -0.5f) / seen(black, 0, -0.1f), 0.0848, 1e-3); // cos(0.4)^30
    EXPECT_NEAR(seen(black, 1, -0.5f) / seen(black, 1, -0.1f), 4.4e-6, 1e-6); // cos(0.4)^150
    EXPECT_NEAR(seen(brown, 0, 1.2f), 0.5 / M_PI, 1e-3);                      // no highlight there
    EXPECT_NEAR(seen(brown, 1, 1.2f), 0.45 * 0.5 / M_PI, 1e-3);
}

} // namespace
} // namespace rivulet
