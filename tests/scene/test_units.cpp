#include "base/error.h"
#include "scene/units.h"

#include <gtest/gtest.h>

namespace rivulet {
namespace {

struct Conversion {
    const char* text;
    double si;
    Dimension dimension; // length, mass, time, angle
};

// Expected values from the SI brochure (9th ed., tables 4 and 8) and NIST SP 811 appendix B, not from this code.
class UnitConversion : public testing::TestWithParam<Conversion> {};

TEST_P(UnitConversion, MatchesTheTables)
{
    const Conversion& expected = GetParam();
    const Quantity quantity = parse_quantity(expected.text);
    EXPECT_NEAR(quantity.value, expected.si, 1e-9 * std::abs(expected.si)) << expected.text;
    EXPECT_EQ(quantity.dimension, expected.dimension) << expected.text;
}

INSTANTIATE_TEST_SUITE_P(
    Tables, UnitConversion,
    testing::Values(
        Conversion{"35 um", 3.5e-5, {1, 0, 0, 0}}, Conversion{"35 µm", 3.5e-5, {1, 0, 0, 0}},
        Conversion{"1 cP", 1e-3, {-1, 1, -1, 0}}, Conversion{"0.89 cP", 8.9e-4, {-1, 1, -1, 0}},
        Conversion{"1 mPa s", 1e-3, {-1, 1, -1, 0}}, Conversion{"72 dyn/cm", 0.072, {0, 1, -2, 0}},
        Conversion{"72 mN/m", 0.072, {0, 1, -2, 0}}, Conversion{"1.3 g/cm3", 1300, {-3, 1, 0, 0}},
        Conversion{"1.3 g/cm^3", 1300, {-3, 1, 0, 0}}, Conversion{"1.3 g cm-3", 1300, {-3, 1, 0, 0}},
        Conversion{"1.3 g/cm³", 1300, {-3, 1, 0, 0}}, Conversion{"20 deg", 0.3490658503988659, {0, 0, 0, 1}},
        Conversion{"20°", 0.3490658503988659, {0, 0, 0, 1}}, Conversion{"2 rpm", 0.20943951023931953, {0, 0, -1, 1}},
        Conversion{"9.81 m/s2", 9.81, {1, 0, -2, 0}}, Conversion{"24 Hz", 24, {0, 0, -1, 0}},
        Conversion{"24 1/s", 24, {0, 0, -1, 0}}, Conversion{"12 inch", 0.3048, {1, 0, 0, 0}},
        Conversion{"1 ft", 0.3048, {1, 0, 0, 0}}, Conversion{"1 l", 1e-3, {3, 0, 0, 0}},
        Conversion{"5 ml", 5e-6, {3, 0, 0, 0}}, Conversion{"1 psi", 6894.757293168, {-1, 1, -2, 0}},
        Conversion{"1 atm", 101325, {-1, 1, -2, 0}}, Conversion{"1 mbar", 100, {-1, 1, -2, 0}},
        Conversion{"90 km/h", 25, {1, 0, -1, 0}}, Conversion{"2 min", 120, {0, 0, 1, 0}},
        Conversion{"10 cSt", 1e-5, {2, 0, -1, 0}}, Conversion{"3 kg/(m s)", 3, {-1, 1, -1, 0}},
        Conversion{"3 N*s/m2", 3, {-1, 1, -1, 0}}, Conversion{"1 lb", 0.45359237, {0, 1, 0, 0}},
        Conversion{"5 dam2", 500, {2, 0, 0, 0}}, Conversion{"50 %", 0.5, {0, 0, 0, 0}},
        Conversion{"-1.5e-3", -1.5e-3, {0, 0, 0, 0}}, Conversion{"1 turn/min", 0.10471975511965977, {0, 0, -1, 1}}));

TEST(Units, VectorTextSharesOneUnit)
{
    const VectorQuantity vector = parse_vector_quantity("1 -2.5 3e1 cm");
    EXPECT_TRUE(vector.value.isApprox(Vec3(0.01, -0.025, 0.3), 1e-15));
    EXPECT_EQ(vector.dimension, (Dimension{1, 0, 0, 0}));
}

TEST(Units, WhatIsNoQuantityIsRefused)
{
    for (const char* text : {"",      " ",     "m",     "1 parsec", "1 m/", "1 m^",   "1 m^x",
                             "1 (m",  "1 m)",  "inf m", "nan",      "0x10", "1e999",  "1 kg/m s",
                             "1 m0",  "1 m99", "1 2",   "--1",      "+-1",  "1 m//s", "1 ((((((((((m))))))))))",
                             "1 kmin"})
        EXPECT_THROW(static_cast<void>(parse_quantity(text)), InputError) << text;
    for (const char* text : {"1 2", "1 2 3 4", "1 2 x", "1, 2, 3"})
        EXPECT_THROW(static_cast<void>(parse_vector_quantity(text)), InputError) << text;
}

TEST(Units, HertzAndTurnsAreDifferentThings)
{
    EXPECT_NE(parse_unit("Hz").dimension, parse_unit("rpm").dimension);
    EXPECT_EQ(parse_unit("rad/s").dimension, parse_unit("rpm").dimension);
}

} // namespace
} // namespace rivulet
