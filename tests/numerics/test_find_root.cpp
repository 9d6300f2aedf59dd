#include "numerics/find_root.h"

#include <gtest/gtest.h>

namespace rivulet {
namespace {

TEST(FindRoot, FindsKnownRootsToTheLastDigits)
{
    EXPECT_NEAR(find_root(0, 2, [](double x) { return x * x - 2; }), 1.4142135623730951, 4e-16);
    EXPECT_NEAR(find_root(0, 1, [](double x) { return std::cos(x) - x; }), 0.7390851332151607, 3e-16);
    EXPECT_NEAR(find_root(1, 3, [](double x) { return std::pow(x - 2, 9); }), 2, 4e-16);
    EXPECT_EQ(find_root(0, 5, [](double x) { return x; }), 0);
    EXPECT_EQ(find_root(-5, 0, [](double x) { return x; }), 0);
}

TEST(FindRoot, FindsWhereAJumpIs)
{
    EXPECT_NEAR(find_root(-3, 9, [](double x) { return x < 0.3 ? -1e6 : 1.0; }), 0.3, 1e-15);
}

TEST(FindRoot, NeedsFewEvaluations)
{
    int n = 0;
    const double root = find_root(0, 2, [&](double x) { return ++n, std::exp(x) - 3; });
    EXPECT_NEAR(root, 1.0986122886681098, 3e-16);
    EXPECT_LE(n, 14); // measured 10
}

} // namespace
} // namespace rivulet
