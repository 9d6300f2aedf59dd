#include "run/expectations.h"

#include "base/error.h"
#include "run/small_scene.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rivulet {
namespace {

Records records()
{
    Records r;
    r.probes = {{"step", "time", "height"}, {{"0", "0", "1"}, {"1", "0.5", ""}, {"2", "1", "4"}, {"3", "1.5", "2.5"}}};
    r.ledger = {{"frame", "time", "liquid", "bulk"},
                {{"0", "0", "water", "7"}, {"0", "0", "total", "8"}, {"1", "1", "total", "9"}}};
    r.energy = {{"frame", "time", "kinetic"}, {{"0", "0", "0"}, {"1", "1", "3"}}};
    return r;
}

double measured(const std::string& quantity, Expectation::When when)
{
    Scene scene;
    scene.expectations.push_back({"e", quantity, when, 0, 0});
    return evaluate(scene, records(), parse_json(R"({"steps": 27})")).at(0).measured;
}

TEST(Expectations, ReduceOverTheRunWithoutTheGaps)
{
    using When = Expectation::When;
    EXPECT_EQ(measured("height", When::Final), 2.5);
    EXPECT_EQ(measured("height", When::Minimum), 1);
    EXPECT_EQ(measured("height", When::Maximum), 4);
    EXPECT_EQ(measured("height", When::Mean), 2.5); // (1 + 4 + 2.5) / 3
    EXPECT_EQ(measured("ledger.bulk", When::Minimum), 8);
    EXPECT_EQ(measured("energy.kinetic", When::Maximum), 3);
    EXPECT_EQ(measured("steps", When::Final), 27);
    EXPECT_TRUE(std::isnan(measured("nothing", When::Final)));
}

TEST(Expectations, ToleranceIsInclusiveAndNothingMeasuredIsAMiss)
{
    Scene scene;
    scene.expectations = {{"edge", "height", Expectation::When::Final, 2, 0.5},
                          {"beyond", "height", Expectation::When::Final, 2, 0.49},
                          {"absent", "nothing", Expectation::When::Final, 0, 1e300}};
    const auto results = evaluate(scene, records(), Json());
    EXPECT_TRUE(results[0].met);
    EXPECT_FALSE(results[1].met);
    EXPECT_FALSE(results[2].met);
    EXPECT_EQ(results[1].text(), "beyond: measured 2.5, expected 2 +- 0.49, difference 0.5: missed");
}

TEST(Expectations, UnknownQuantitiesAreNamedBeforeTheRun)
{
    Scene scene = test::small_scene();
    scene.expectations = {{"known", "ledger.bulk", Expectation::When::Maximum, 0, 0}};
    EXPECT_NO_THROW(require_known_quantities(scene));
    scene.expectations = {{"typo", "front.z", Expectation::When::Final, 0, 0},
                          {"late", "steps", Expectation::When::Mean, 0, 0}};
    try {
        require_known_quantities(scene);
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("test.typo"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("test.late"), std::string::npos);
    }
}

} // namespace
} // namespace rivulet
