#include "strand_contact.h"

#include "base/parallel.h"
#include "hair.h"
#include "run/process.h"
#include "sim/advance.h"

#include <algorithm>
#include <string>

namespace rivulet {
namespace {

constexpr int kContactSteps = 10;
constexpr int kHairVertices = 25;
constexpr int kBundleStrands = 500;
constexpr double kBytesOfVertexBar = 1500;

/// Some steps of a model, and the memory of all that they need, the model with it.
struct ContactRun {
    double cpu = 0; ///< of a step, the mean [s]
    double n_vertices = 0;
    double n_contacts = 0; ///< at the end
    double peak = 0;       ///< of the program [bytes]
    double memory = 0;     ///< above what was there before, of a vertex [bytes]; 0: the system does not say

    [[nodiscard]] double of_vertex() const { return cpu / n_vertices; }
};

template <class MakeModel>
ContactRun run_with_contact(MakeModel&& make_model)
{
    forget_peak_memory();
    const double before = resident_bytes();
    const Model model = make_model();
    const bool knows_memory = forget_peak_memory();
    State state = initial_state(model);
    Workspace workspace;
    ContactRun run;
    run.cpu = best_seconds(1, cpu_seconds_now,
                           [&] {
                               for (int i = 0; i < kContactSteps; ++i) advance(model, state, workspace);
                           }) /
              kContactSteps;
    run.peak = peak_resident_bytes();
    run.n_vertices = model.strands.n_vertices();
    run.n_contacts = static_cast<double>(state.strand_contacts.a.size());
    run.memory = knows_memory ? (run.peak - before) / run.n_vertices : 0;
    return run;
}

void add_figures(const std::string& name, const ContactRun& run, std::vector<BenchFigure>& figures)
{
    figures.push_back(plain_figure(name, run.cpu, "CPU s/step"));
    figures.push_back(plain_figure(name + "_count", run.n_contacts, "contacts"));
    figures.push_back(plain_figure(name + "_peak", 1e-9 * run.peak, "GB"));
    figures.push_back({name + "_memory", run.memory, "B/vertex", 0, 0, kBytesOfVertexBar,
                       run.memory > 0 && run.memory <= kBytesOfVertexBar});
}

BenchFigure growth_figure(const std::string& name, const ContactRun& many, const ContactRun& few, double bar)
{
    const double ratio = few.of_vertex() / many.of_vertex();
    return {name, 1e9 * many.of_vertex(), "ns/vertex", 1e9 * few.of_vertex(), ratio, bar, bar == 0 || ratio >= bar};
}

/// Wall time of the same steps with one thread and with two, in turns; the shortest of each counts.
void bench_two_threads_with_contact(std::vector<BenchFigure>& figures)
{
    constexpr double kDenseTwoThreadsBar = 1.8;
    constexpr int kTimedSteps = 2, kTurns = 4, kFewStrands = 200;
    const Model model = falling_bundles(1, kFewStrands);
    State state = initial_state(model);
    Workspace workspace;
    for (int i = 0; i < kContactSteps; ++i) advance(model, state, workspace);
    double times[2] = {0, 0}, cpu_of_two = 0;
    for (int step = 0; step < kTimedSteps; ++step) {
        double best[2] = {1e300, 1e300}, cpu = 0;
        State next;
        for (int turn = 0; turn < 2 * kTurns; ++turn) {
            const int two = turn % 2;
            const ThreadPool pool(1 + two);
            next = state;
            const double begin = cpu_seconds_now();
            const double time = best_seconds(1, wall_seconds_now, [&] { advance(model, next, workspace); });
            if (two == 1 && time < best[1]) cpu = cpu_seconds_now() - begin;
            best[two] = std::min(best[two], time);
        }
        state = std::move(next);
        for (const int two : {0, 1}) times[two] += best[two] / kTimedSteps;
        cpu_of_two += cpu / kTimedSteps;
    }
    figures.push_back(time_figure("strands_dense_two_threads", times[1], times[0], kDenseTwoThreadsBar));
    figures.push_back(plain_figure("strands_dense_two_threads_had", cpu_of_two / times[1], "cores"));
}

} // namespace

std::vector<BenchFigure> bench_strand_contact(bool full)
{
    constexpr double kGrowthBar = 1 / 1.3;
    std::vector<BenchFigure> figures;
    const auto head = [](int n) { return head_of_hair(n, kHairVertices, StrandContactLaw::Cone); };
    // From few to many: what earlier ones leave behind is small beside what later ones take.
    const ContactRun dense = run_with_contact([] { return falling_bundles(1, kBundleStrands); });
    const ContactRun few = run_with_contact([&] { return head(1000); });
    const ContactRun two = run_with_contact([] { return falling_bundles(2, kBundleStrands); });
    const ContactRun many = run_with_contact([&] { return head(10000); });
    add_figures("strands_cone_1k", few, figures);
    add_figures("strands_cone_10k", many, figures);
    figures.push_back(growth_figure("strands_cone_growth", many, few, 0));
    if (full) add_figures("strands_cone_100k", run_with_contact([&] { return head(100000); }), figures);
    add_figures("strands_dense", dense, figures);
    figures.push_back(growth_figure("strands_dense_growth", two, dense, kGrowthBar));
    bench_two_threads_with_contact(figures);
    return figures;
}

} // namespace rivulet
