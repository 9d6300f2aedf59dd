#include "run/expectations.h"

#include "base/error.h"
#include "run/small_scene.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

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

double measured(const std::string& quantity, Expectation::When when, double from = 0)
{
    Scene scene;
    scene.expectations.push_back({"e", quantity, when, 0, 0, from});
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

TEST(Expectations, ValuesBeforeATimeDoNotCount)
{
    using When = Expectation::When;
    EXPECT_EQ(measured("height", When::Mean, 1), 3.25); // (4 + 2.5) / 2
    EXPECT_EQ(measured("height", When::Minimum, 0.25), 2.5);
    EXPECT_EQ(measured("ledger.bulk", When::Minimum, 1), 9);
    EXPECT_EQ(measured("energy.kinetic", When::Mean, 0.5), 3);
    EXPECT_TRUE(std::isnan(measured("height", When::Mean, 2)));
}

TEST(Expectations, CyclesAreRisesThroughMostOfTheRange)
{
    // Five and a half waves with a ripple of a tenth of their height.
    Records r;
    r.probes.columns = {"step", "time", "height"};
    for (int i = 0; i <= 1100; ++i) {
        const double phase = 2 * std::numbers::pi * i / 200;
        r.probes.rows.push_back({"0", "0", std::to_string(3 - std::cos(phase) + 0.2 * std::sin(31 * phase))});
    }
    Scene scene;
    scene.expectations = {{"waves", "height", Expectation::When::Cycles, 6, 0}};
    EXPECT_EQ(evaluate(scene, r, Json()).at(0).measured, 6); // the last half wave rises too
    for (auto& row : r.probes.rows) row[2] = std::to_string(3);
    EXPECT_EQ(evaluate(scene, r, Json()).at(0).measured, 0);
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
                          {"late", "steps", Expectation::When::Mean, 0, 0},
                          {"part", "steps", Expectation::When::Final, 0, 0, 0.1},
                          {"after", "ledger.bulk", Expectation::When::Mean, 0, 0, 1e5}};
    try {
        require_known_quantities(scene);
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("test.typo"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("test.late"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("test.part"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("has no values from 100000 s on"), std::string::npos);
    }
}

/// What the check says of an expectation; empty when it is content.
std::string complaint(const std::string& quantity, const std::string& written)
{
    Scene scene = test::small_scene();
    scene.expectations = {
        {"e", quantity, Expectation::When::Final, 0, 0, 0, "at the quantity", {{"value", written, "at the value"}}}};
    try {
        require_known_quantities(scene);
        return "";
    } catch (const InputError& error) {
        return error.what();
    }
}

TEST(Expectations, FiguresOfTheProcessAreRefusedAsTheyAreNoResults)
{
    for (const char* quantity : {"wall_s", "cpu_s", "peak_rss_bytes", "threads", "resumed_from_step", "exit",
                                 "stages.pressure.wall_s", "stages.pressure.calls"})
        EXPECT_NE(complaint(quantity, "").find("is about the process"), std::string::npos) << quantity;
}

TEST(Expectations, AnUnknownQuantityIsToldWhatIsAllowed)
{
    const std::string said = complaint("counts.particle", "");
    EXPECT_NE(said.find("at the quantity: test.e.quantity: 'counts.particle'"), std::string::npos) << said;
    EXPECT_NE(said.find("did you mean \"counts.particles\"?"), std::string::npos) << said;
    for (const char* allowed : {"front", "ledger.liquids.water.bulk", "momentum.linear.2", "strands.largest_strain"})
        EXPECT_NE(said.find(allowed), std::string::npos) << allowed;
    EXPECT_EQ(said.find("wall_s"), std::string::npos);
}

TEST(Expectations, AWrongUnitIsPlacedAtTheNumberThatHasIt)
{
    EXPECT_EQ(complaint("ledger.bulk", "2 kg"), "at the value: test.e.value: \"2 kg\" is a mass; ledger.bulk is in m3");
}

TEST(Expectations, UnitsOfAllNumbersOfTheReportAreChecked)
{
    const std::pair<const char*, const char*> right[] = {{"energy.elastic", "1 mJ"},
                                                         {"ledger.relative_error", "1"},
                                                         {"ledger.bulk", "1 l"},
                                                         {"ledger.liquids.water.bulk", "1 cm3"},
                                                         {"ledger.liquids.water.merges", "1"},
                                                         {"particle_volume.nominal", "1 ml"},
                                                         {"particle_volume.below_half", "1"},
                                                         {"sim_time_s", "1 ms"},
                                                         {"steps", "1"},
                                                         {"counts.particles", "1"},
                                                         {"max_speed", "1 cm/s"},
                                                         {"momentum.linear.0", "1 N s"},
                                                         {"momentum.angular.2", "1 N m s"},
                                                         {"strands.momentum.gravity.2", "1 kg m/s"},
                                                         {"strands.energy.initial", "1 J"},
                                                         {"strands.max_speed", "1 m/s"},
                                                         {"strands.contact_residual", "1 um"},
                                                         {"strands.largest_strain", "1"},
                                                         {"strands.missed_contacts", "1"},
                                                         {"strands.worst_strain", "1"},
                                                         {"strands.stretched_edges", "1"},
                                                         {"front", "1 cm"}};
    for (const auto& [quantity, written] : right) {
        EXPECT_EQ(complaint(quantity, written), "");
        EXPECT_EQ(complaint(quantity, "1"), "");
        EXPECT_NE(complaint(quantity, "0 kg").find("is a mass"), std::string::npos) << quantity;
    }
}

} // namespace
} // namespace rivulet
