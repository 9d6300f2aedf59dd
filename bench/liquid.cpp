#include "bench.h"

#include "base/parallel.h"
#include "geometry/shapes.h"
#include "run/process.h"
#include "sim/advance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

namespace rivulet {
namespace {

constexpr int kWarmUp = 2;
constexpr int kSteps = 8; ///< one of which moves the particles into the order of their cells
constexpr int kRounds = 3;
constexpr int kMillion = 50; ///< cells along the edge of a cube that a million particles fill
constexpr double kBytesBar = 250;
constexpr double kTwoThreadsBar = 1.75;
constexpr double kExponentMargin = 0.05;

/// A closed tank with a cube of n^3 cells of water that moves askew against its walls.
Model box_of_water(int n)
{
    Model m;
    m.options.cell_size = 0.01;
    const double edge = n * m.options.cell_size;
    m.domain.box = {Vec3::Zero(), Vec3(edge, edge, 1.25 * edge)};
    m.liquids.push_back({"water", 1000, 1e-3, 0, 0, {0.1, 0.3, 0.6}});
    LiquidBody body;
    body.name = "cube";
    body.shape = make_box(Vec3::Zero(), Vec3::Constant(edge));
    body.velocity = {0.6, 0.3, 0};
    m.bodies.push_back(body);
    return m;
}

struct Run {
    double particles = 0;
    double cpu = 0;   ///< of one step [s]
    double bytes = 0; ///< of a particle; 0: not known
    StageTimers timers;
};

/// The same steps on one thread, several times over, after a few that do not count. The time of a step is the mean over
/// kSteps of them, of each the shortest: others may use the machine.
Run run_box(int n)
{
    const ThreadPool pool(1);
    const Model model = box_of_water(n);
    Run run;
    std::array<double, kSteps> best;
    best.fill(1e300);
    for (int round = 0; round < (n > kMillion ? 1 : kRounds); ++round) {
        const bool knows_memory = forget_peak_memory();
        const double before = resident_bytes();
        State state = initial_state(model);
        Workspace workspace;
        for (int i = 0; i < kWarmUp; ++i) advance(model, state, workspace);
        workspace.timers = {};
        for (double& time : best)
            time = std::min(time, best_seconds(1, cpu_seconds_now, [&] { advance(model, state, workspace); }));
        run.particles = static_cast<double>(state.liquid.size());
        if (knows_memory) run.bytes = std::max(run.bytes, (peak_resident_bytes() - before) / run.particles);
        run.timers = std::move(workspace.timers);
    }
    run.cpu = std::accumulate(best.begin(), best.end(), 0.0) / kSteps;
    return run;
}

/// Slope of log cost over log particles, by least squares.
double cost_exponent(const std::vector<Run>& runs)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (const Run& run : runs) {
        const double log_n = std::log(run.particles), log_cost = std::log(run.cpu);
        x += log_n;
        y += log_cost;
        xx += log_n * log_n;
        xy += log_n * log_cost;
    }
    const auto count = static_cast<double>(runs.size());
    return (count * xy - x * y) / (count * xx - x * x);
}

/// Wall time of the same steps with one thread and with two, in turns, after a few in which the workspace gets its
/// memory; the shortest of each step counts, since others may use the machine.
BenchFigure two_threads(int n)
{
    const Model model = box_of_water(n);
    const State begin = initial_state(model);
    std::array<std::array<double, kSteps>, 2> best;
    for (auto& times : best) times.fill(1e300);
    for (int round = 0; round < kRounds; ++round)
        for (std::size_t threads = 1; threads <= 2; ++threads) {
            const ThreadPool pool(static_cast<int>(threads));
            State state = begin;
            Workspace workspace;
            for (int i = 0; i < kWarmUp; ++i) advance(model, state, workspace);
            for (double& time : best[threads - 1])
                time = std::min(time, best_seconds(1, wall_seconds_now, [&] { advance(model, state, workspace); }));
        }
    double total[2] = {0, 0};
    for (std::size_t i = 0; i < 2; ++i)
        for (const double time : best[i]) total[i] += time / kSteps;
    return time_figure("liquid_two_threads", total[1], total[0], kTwoThreadsBar);
}

void add_shares(const Run& run, std::vector<BenchFigure>& figures)
{
    double total = 0;
    for (const auto& stage : run.timers.stages()) total += stage->wall_s;
    for (const auto& stage : run.timers.stages()) {
        const double share = 100 * stage->wall_s / total;
        if (share < 1) continue;
        std::string name = "liquid_share_" + stage->name;
        std::replace(name.begin(), name.end(), ' ', '_');
        figures.push_back({name, share, "%", 0, 0, 0, true});
    }
}

} // namespace

std::vector<BenchFigure> bench_liquid(bool full)
{
    std::vector<int> edges{24, 32, kMillion};
    if (full) edges.push_back(108);
    std::vector<Run> runs;
    std::vector<BenchFigure> figures;
    for (const int n : edges) {
        Run& run = runs.emplace_back(run_box(n));
        const double thousands = std::round(run.particles / 1000);
        figures.push_back({"liquid_step_" + std::to_string(static_cast<int>(thousands)) + "k",
                           1e-6 * run.particles / run.cpu, "M/s", 0, 0, 0, true});
        if (n == kMillion) add_shares(run, figures);
    }
    const double exponent = cost_exponent(runs);
    figures.push_back({"liquid_cost_exponent", exponent, "exponent", 1, exponent, 1 + kExponentMargin,
                       std::abs(exponent - 1) <= kExponentMargin});
    const double bytes = runs.back().bytes;
    figures.push_back({"liquid_memory", bytes, "B/particle", 0, 0, kBytesBar, bytes > 0 && bytes <= kBytesBar});
    runs.clear();
    figures.push_back(two_threads(kMillion));
    return figures;
}

} // namespace rivulet
