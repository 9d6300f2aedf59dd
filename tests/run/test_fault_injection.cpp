#include "base/error.h"
#include "base/log.h"
#include "base/rng.h"
#include "effort.h"
#include "run/small_scene.h"
#include "sim/advance.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <set>

namespace rivulet {
namespace {

/// Registered arrays that can hold a NaN and are not empty.
std::vector<std::string> real_arrays(const State& state)
{
    std::vector<std::string> names;
    for (const ArrayView& view : state_arrays(state))
        if ((view.scalar == Scalar::Float64 || view.scalar == Scalar::Float32) && view.count > 0)
            names.emplace_back(view.name);
    return names;
}

void poison(State& state, const std::string& name, std::uint64_t pick, double value)
{
    for (const ArrayView& view : state_arrays(state)) {
        if (view.name != name) continue;
        const std::uint64_t n = static_cast<std::uint64_t>(view.count) * static_cast<std::uint64_t>(view.components);
        const auto narrow = static_cast<float>(value);
        if (view.scalar == Scalar::Float64)
            std::memcpy(view.data + 8 * (pick % n), &value, 8);
        else
            std::memcpy(view.data + 4 * (pick % n), &narrow, 4);
    }
}

/// Puts NaN or Inf into an array of the state that is not empty by then, at one of the first steps, by number `trial`:
/// true if the step in which that was done failed and named the array, which goes to `hit`.
bool is_caught(const Scene& scene, Workspace& workspace, std::uint64_t trial, std::set<std::string>& hit)
{
    State state = initial_state(scene.model);
    const auto target = static_cast<std::int64_t>(random_bits(11, 1, trial) % 6);
    const double value =
        trial % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    std::string name;
    workspace.after_stage = [&](const char* stage, State& s) {
        if (std::strcmp(stage, "begin") != 0 || s.clock.step != target) return;
        const std::vector<std::string> names = real_arrays(s);
        name = names[random_bits(11, 0, trial) % names.size()];
        poison(s, name, random_bits(11, 2, trial), value);
    };
    for (int i = 0; i <= target; ++i) {
        try {
            advance(scene.model, state, workspace);
        } catch (const SimulationError& error) {
            hit.insert(name);
            EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << name << ": " << error.what();
            return i == target;
        }
    }
    return false;
}

constexpr int kTrials = test::kIsSlowBuild ? 15 : 200;

TEST(FaultInjection, NotANumberInAnyArrayAtAnyStepIsCaughtInThatStepByName)
{
    const Scene scene = test::small_scene();
    Workspace workspace;
    std::set<std::string> hit;
    int caught = 0;
    for (std::uint64_t trial = 0; trial < kTrials; ++trial) caught += is_caught(scene, workspace, trial, hit) ? 1 : 0;
    EXPECT_EQ(caught, kTrials);
}

TEST(FaultInjection, AlsoInFilmsBridgesAndContactsOfWetStrands)
{
    const Scene scene = test::small_scene({"wetting.liquid='water'", "wetting.dripping=false", "strands.reeds.count=30",
                                           "strands.reeds.film={thickness='15 mm'}", "strands.reeds.radius='1 mm'",
                                           "wetting.film_parts=3"});
    Workspace workspace;
    std::set<std::string> hit;
    int caught = 0;
    for (std::uint64_t trial = 0; trial < kTrials; ++trial) caught += is_caught(scene, workspace, trial, hit) ? 1 : 0;
    EXPECT_EQ(caught, kTrials);
    if (test::kIsSlowBuild) return; // few trials
    for (const char* array :
         {"film.volume", "film.flow", "film.mesh_flow", "film.pool", "bridges.force", "immersion.pressure_gradient"})
        EXPECT_TRUE(hit.contains(array)) << array;
}

/// Yarns that touch each other from the first step on, without any liquid.
constexpr const char* kDry = R"(
[simulation]
cell_size = "1 cm"
end_time = "0.2 s"
strand_step = "5 ms"
frame_rate = "20 Hz"
[domain]
lower = "-0.1 -0.1 0 m"
upper = "0.1 0.1 0.2 m"
[strands.cloth]
kind = "woven"
rows = 2
columns = 3
spacing = "1 cm"
edges = 4
radius = "1.9 mm"
amplitude = "1.9 mm"
position = "0 0 10 cm"
held = "pin"
youngs_modulus = "2 MPa"
)";

TEST(FaultInjection, AlsoInPositionsAndContactsOfDryStrands)
{
    const Scene scene = parse_scene(kDry, "dry.toml");
    Workspace workspace;
    std::set<std::string> hit;
    int caught = 0;
    for (std::uint64_t trial = 0; trial < kTrials; ++trial) caught += is_caught(scene, workspace, trial, hit) ? 1 : 0;
    EXPECT_EQ(caught, kTrials);
    if (test::kIsSlowBuild) return; // few trials
    for (const char* array : {"strands.position", "strands.velocity", "strands.director", "strands.spin",
                              "strands.twist", "strand_contacts.force", "strand_ledger.contact_work"})
        EXPECT_TRUE(hit.contains(array)) << array;
}

} // namespace
} // namespace rivulet
