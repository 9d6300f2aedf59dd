#include "rubbing_bundles.h"

#include "base/parallel.h"
#include "run/process.h"
#include "scene/scene.h"
#include "sim/advance.h"

#include <algorithm>
#include <filesystem>

namespace rivulet {
namespace {

/// The upper bundle is pressed down until 30 ms and then drawn, fastest at 80 ms.
constexpr double kRubsFrom = 0.075, kRubsTo = 0.085; // [s]
/// Of the published program on one core of 3.2 GHz, of the same 2192 strands and 90 thousand vertices in cream, with
/// steps of 0.2 ms.
constexpr double kReferenceCost = 18400, kReferencePeak = 1.0e9, kRubbingBar = 10;

/// Of a vertex [m].
double largest_way(const std::vector<Vec3>& before, const std::vector<Vec3>& after)
{
    double most = 0;
    for (std::size_t v = 0; v < before.size(); ++v) most = std::max(most, (after[v] - before[v]).norm());
    return most;
}

} // namespace

std::vector<BenchFigure> bench_rubbing_bundles()
{
    const ThreadPool pool(1);
    const Model model = load_scene(std::filesystem::path(RIVULET_GALLERY) / "bundle_rub_full.toml").model;
    forget_peak_memory();
    State state = initial_state(model);
    Workspace workspace;
    while (state.clock.time < kRubsFrom) advance(model, state, workspace);
    const double start = state.clock.time, begin = cpu_seconds_now();
    const std::vector<Vec3> before = state.strands.position;
    while (state.clock.time < kRubsTo) advance(model, state, workspace);
    const double cost = (cpu_seconds_now() - begin) / (state.clock.time - start), ratio = kReferenceCost / cost;
    const double peak = peak_resident_bytes();
    const auto contacts = static_cast<double>(state.strand_contacts.a.size());
    return {{"strands_rubbing", cost, "CPU s/s", kReferenceCost, ratio, kRubbingBar, ratio >= kRubbingBar},
            {"strands_rubbing_peak", 1e-6 * peak, "MB", 1e-6 * kReferencePeak, kReferencePeak / peak, 0, true},
            plain_figure("strands_rubbing_count", contacts, "contacts"),
            plain_figure("strands_rubbing_missed", static_cast<double>(state.strand_contacts.n_missed), "contacts"),
            plain_figure("strands_rubbing_way", 1e3 * largest_way(before, state.strands.position), "mm")};
}

} // namespace rivulet
