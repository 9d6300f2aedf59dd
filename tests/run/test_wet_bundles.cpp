#include "effort.h"
#include "geometry/segments.h"
#include "scene/scene.h"
#include "sim/advance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace rivulet {
namespace {

constexpr double kHairRadius = 40e-6;

/// Seven hairs three radii apart, whose films of water touch.
const std::string kBundle = R"(
[simulation]
cell_size = "2.5 mm"
end_time = "0.3 s"
frame_rate = "125 Hz"
strand_step = "8 ms"
max_step = "8 ms"
[domain]
lower = "-4 -2 -5 cm"
upper = "4 2 1 cm"
walls = "open"
[liquids.water]
material = "water"
[wetting]
liquid = "water"
capture = false
[strands.hair]
kind = "bundle"
obstacle = "holder"
count = 7
spacing = "0.12 mm"
vertices = 20
start = "0 0 -0.1 mm"
end = "0 0 -30.1 mm"
material = "human_hair"
radius = "40 um"
film = { thickness = "25 um" }
[obstacles.holder]
shape = { type = "box", lower = "-5 -5 0 mm", upper = "5 5 3 mm" }
)";

/// Of any two centre lines, in radii. The first two edges are held beside each other.
double nearest_of(const Model& model, const State& state)
{
    const std::vector<Vec3>& x = state.strands.position;
    const auto edge = [&](std::int32_t v) {
        return Segment{x[static_cast<std::size_t>(v)], x[static_cast<std::size_t>(v) + 1]};
    };
    double nearest = std::numeric_limits<double>::infinity();
    const std::vector<std::int32_t>& first = model.strands.first;
    for (std::size_t s = 0; s + 1 < first.size(); ++s)
        for (std::size_t t = s + 1; t + 1 < first.size(); ++t)
            for (std::int32_t a = first[s] + 2; a + 1 < first[s + 1]; ++a)
                for (std::int32_t b = first[t] + 2; b + 1 < first[t + 1]; ++b)
                    nearest = std::min(nearest, nearest_points(edge(a), edge(b)).distance);
    return nearest / kHairRadius;
}

void expect_to_stay_apart(const std::string& text, double end, double least)
{
    const Scene scene = parse_scene(text, "bundle.toml");
    State state = initial_state(scene.model);
    Workspace workspace;
    while (state.clock.time < end - 1e-9) {
        EXPECT_EQ(advance(scene.model, state, workspace).retries, 0) << state.clock.time;
        ASSERT_GT(nearest_of(scene.model, state), least) << state.clock.time;
    }
    EXPECT_EQ(state.strand_contacts.n_missed, 0);
}

/// In steps of 8 ms hairs went 310 radii into each other, and through, within a step that was taken for a solution:
/// nothing looked at contacts that were known and left deep. From 0.19 s on they still came as near as 0.47 radii, a
/// little more in every step: forces were searched for too briefly.
TEST(WetBundles, SwungInLongStepsDoNotGoThroughEachOther)
{
    RIVULET_SKIP_IN_SLOW_BUILD();
    const std::string swung = R"(motion.keyframes = [
  { time = "0 s", position = "0 0 0 mm", easing = "smooth" },
  { time = "0.1 s", position = "15 0 0 mm", easing = "smooth" },
  { time = "0.2 s", position = "0 0 0 mm" },
])";
    expect_to_stay_apart(kBundle + swung, 0.24, 1.5); // measured 1.63, at 16 ms; before 0.47
}

} // namespace
} // namespace rivulet
