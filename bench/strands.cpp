#include "bench.h"

#include "band_reference.h"
#include "base/parallel.h"
#include "hair.h"
#include "rubbing_bundles.h"
#include "sim/scratch.h"
#include "strand_contact.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace rivulet {
namespace {

constexpr int kBatches = 250; ///< 1000 strands
constexpr int kLongStrand = 50;
constexpr int kShortStrand = 25; ///< vertices
constexpr int kKernelRounds = 40;
constexpr int kReferenceRounds = 8;

BenchFigure vertex_figure(std::string name, double seconds, double reference_seconds, double n_vertices, double bar)
{
    const double ns = 1e9 / n_vertices, ratio = reference_seconds / seconds;
    return {std::move(name), ns * seconds, "ns/vertex", ns * reference_seconds, ratio, bar, bar == 0 || ratio >= bar};
}

/// For 1000 strands of 50 vertices [s], each the shortest of many.
struct KernelTimes {
    double solve = 1e300; ///< and a copy of the matrix, as in the references: factors replace it
    double from_memory = 1e300;
    double copy = 1e300;
    double lapack = 1e300, eigen = 1e300;
    double assembly = 1e300;
    double trial = 1e300;    ///< what a line search asks for: edges, frames, curvatures, potential
    double disagreement = 0; ///< of the solutions, against the largest entry
};

class Kernels {
public:
    Kernels()
        : hairs_(kLongStrand),
          gradient_(kUnknowns), plain_{.n = kUnknowns, .half_bandwidth = kRodBandwidth, .entries = {}}
    {
        potential_hessian(hairs_.system, hairs_.configuration, spread(1.0), gradient_.data(), matrix_);
        right_ = gradient_;
        stored_.assign(kBatches, matrix_);
        plain_.entries.assign(static_cast<std::size_t>(kStrandLanes * kBatches * plain_.entries_of_one()), 0);
        for (int strand = 0; strand < kStrandLanes * kBatches; ++strand)
            for (int i = 0; i < kUnknowns; ++i) {
                const int lane = strand % kStrandLanes;
                plain_right_.push_back(right_[static_cast<std::size_t>(i)][lane]);
                for (int j = std::max(0, i - kRodBandwidth); j <= i; ++j)
                    plain_.at(strand, i, j) = matrix_.at(i, j)[lane];
            }
    }

    /// All in turns: others may use the machine.
    KernelTimes measure()
    {
        KernelTimes best;
        SparseReference sparse(plain_);
        std::vector<double> x;
        const auto take = [](double& time, auto&& action) {
            time = std::min(time, best_seconds(1, cpu_seconds_now, action));
        };
        for (int round = 0; round < kKernelRounds; ++round) {
            take(best.copy, [&] { copy_matrices(); });
            take(best.solve, [&] { solve_in_cache(); });
            take(best.from_memory, [&] { solve_from_memory(); });
            take(best.assembly, [&] { assemble(); });
            take(best.trial, [&] { try_out(); });
            if (round >= kReferenceRounds) continue;
            x = plain_right_;
            take(best.eigen, [&] { sparse.solve(plain_, x); });
            best.disagreement = std::max(best.disagreement, disagreement(x));
            if (!has_lapack()) continue;
            x = plain_right_;
            take(best.lapack, [&] { solve_by_lapack(plain_, x); });
            best.disagreement = std::max(best.disagreement, disagreement(x));
        }
        return best;
    }

private:
    static constexpr int kUnknowns = 4 * kLongStrand - 1;

    void factor_and_solve()
    {
        smallest_ = scratch_.factor();
        solution_ = right_;
        scratch_.solve(solution_.data());
    }
    void copy_matrices()
    {
        for (int b = 0; b < kBatches; ++b) {
            scratch_ = matrix_;
            smallest_ += scratch_.at(b % kUnknowns, b % kUnknowns);
        }
    }
    /// As in a step, where the matrix was assembled just before.
    void solve_in_cache()
    {
        for (int b = 0; b < kBatches; ++b) {
            scratch_ = matrix_;
            factor_and_solve();
        }
    }
    void solve_from_memory()
    {
        for (const RodMatrix& stored : stored_) {
            scratch_ = stored;
            factor_and_solve();
        }
    }
    void assemble()
    {
        for (int b = 0; b < kBatches; ++b)
            potential_hessian(hairs_.system, hairs_.configuration, spread(1.0), gradient_.data(), scratch_);
    }
    void try_out()
    {
        for (int b = 0; b < kBatches; ++b) {
            configure(hairs_.system, hairs_.configuration);
            smallest_ += potential(hairs_.system, hairs_.configuration);
        }
    }
    [[nodiscard]] double disagreement(const std::vector<double>& reference) const
    {
        double worst = 0, largest = 0;
        for (std::size_t i = 0; i < solution_.size(); ++i)
            for (std::size_t lane = 0; lane < kStrandLanes; ++lane) {
                const double other = reference[lane * solution_.size() + i];
                worst = std::max(worst, std::abs(solution_[i][lane] - other));
                largest = std::max(largest, std::abs(other));
            }
        return worst / largest;
    }

    FourHairs hairs_;
    AlignedVector<Lane> gradient_, right_, solution_;
    RodMatrix matrix_, scratch_;
    std::vector<RodMatrix> stored_; ///< a copy of it for every batch, beyond the caches
    BandMatrices plain_;            ///< one for every strand
    std::vector<double> plain_right_;
    Lane smallest_{}; ///< keeps what it is made of from being optimised away
};

KernelTimes bench_kernels(std::vector<BenchFigure>& figures)
{
    constexpr double kLapackBar = 8, kSolveBar = 45, kAssemblyBar = 1.0 / 3, kAgreement = 1e-6;
    constexpr double kN = kStrandLanes * kBatches * kLongStrand;
    const KernelTimes t = Kernels().measure();
    const auto against = [&](const char* name, double reference, double bar) {
        figures.push_back(vertex_figure(name, t.solve, reference, kN, bar));
        figures.back().meets = figures.back().meets && t.disagreement <= kAgreement;
    };
    const double ns = 1e9 / kN * t.solve;
    figures.push_back({"strands_solve", ns, "ns/vertex", 0, 0, kSolveBar, ns <= kSolveBar});
    if (has_lapack()) against("strands_solve_lapack", t.lapack, kLapackBar);
    against("strands_solve_eigen", t.eigen, 0);
    figures.push_back(vertex_figure("strands_solve_memory", t.from_memory, t.solve, kN, 0));
    figures.push_back(vertex_figure("strands_assembly", t.assembly, t.solve - t.copy, kN, kAssemblyBar));
    figures.push_back(vertex_figure("strands_trial", t.trial, t.solve - t.copy, kN, 0));
    return t;
}

/// Steps of hair that touches nothing, on a head that nods.
class DryHair {
public:
    DryHair(int n_strands, int n_vertices)
        : model_(head_of_hair(n_strands, n_vertices, StrandContactLaw::None)), state_(model_.strands_at_start)
    {
        begin();
        for (int i = 0; i < kWarmUpSteps; ++i) {
            step();
            go_on();
        }
    }

    /// Any number of times from the same state.
    void step() { step_strands(model_.strands, state_, step_, update_); }
    /// Makes the end of the step the beginning of the next.
    void go_on()
    {
        std::swap(state_, update_.state);
        time_ += step_.dt;
        begin();
    }
    [[nodiscard]] double n_vertices() const { return model_.strands.n_vertices(); }
    /// Of Newton, for the slowest of four strands, on average.
    [[nodiscard]] double iterations() const
    {
        return static_cast<double>(update_.iterations) / static_cast<double>(model_.strands.batches.size());
    }

private:
    static constexpr int kWarmUpSteps = 3;

    void begin()
    {
        const double dt = model_.options.strand_step;
        place_holds(model_, time_, dt, holds_);
        step_ = {.dt = dt,
                 .gravity = model_.options.gravity,
                 .hold = holds_.hold,
                 .target = holds_.target,
                 .target_director = holds_.director};
    }

    Model model_;
    StrandState state_;
    StrandHolds holds_;
    StrandStep step_;
    StrandUpdate update_;
    double time_ = 0;
};

struct DryTimes {
    double step = 0; ///< [s]
    double iterations = 0;
    double n_vertices = 0;
};

/// Mean over some steps of one thread, of each the shortest of several times.
DryTimes run_dry(int n_strands, int n_vertices)
{
    constexpr int kDrySteps = 3;
    const int rounds = std::clamp(200000 / n_strands, 3, 20);
    const ThreadPool pool(1);
    DryHair hair(n_strands, n_vertices);
    DryTimes times{.n_vertices = hair.n_vertices()};
    for (int i = 0; i < kDrySteps; ++i) {
        times.step += best_seconds(rounds, cpu_seconds_now, [&] { hair.step(); }) / kDrySteps;
        times.iterations += hair.iterations() / kDrySteps;
        hair.go_on();
    }
    return times;
}

/// How a step of long strands divides: its Newton iterations, and what the kernels of one of them take.
void bench_dry_step(const KernelTimes& kernels, std::vector<BenchFigure>& figures)
{
    const DryTimes dry = run_dry(kStrandLanes * kBatches, kLongStrand);
    const double kernels_of_one = kernels.assembly + kernels.solve - kernels.copy + kernels.trial;
    figures.push_back(vertex_figure("strands_step", dry.step, dry.iterations * kernels_of_one, dry.n_vertices, 0));
    figures.push_back(plain_figure("strands_step_iterations", dry.iterations, "Newton"));
    figures.push_back(
        vertex_figure("strands_step_iteration", dry.step / dry.iterations, kernels_of_one, dry.n_vertices, 0));
}

/// Cost of a vertex among a thousand, ten thousand, a hundred thousand strands.
void bench_growth(std::vector<BenchFigure>& figures)
{
    constexpr double kGrowthBar = 1 / 1.3;
    double first = 0, cheapest = 1e300, dearest = 0;
    for (const int thousands : {1, 10, 100}) {
        const DryTimes dry = run_dry(1000 * thousands, kShortStrand);
        const double cost = dry.step / dry.n_vertices;
        if (first == 0) first = cost;
        cheapest = std::min(cheapest, cost);
        dearest = std::max(dearest, cost);
        figures.push_back(vertex_figure("strands_step_" + std::to_string(thousands) + "k", cost, first, 1, 0));
    }
    figures.push_back(vertex_figure("strands_growth", dearest, cheapest, 1, kGrowthBar));
}

/// Wall time of the same steps with one thread and with two, in turns; the shortest of each counts. Not too many
/// strands: on a busy machine only short steps may be left alone. How many cores the two threads had tells whether it
/// was busy.
void bench_two_threads(std::vector<BenchFigure>& figures)
{
    constexpr double kDryTwoThreadsBar = 1.8;
    constexpr int kTimedSteps = 3, kTurns = 40;
    DryHair hair(4000, kShortStrand);
    double one = 0, two = 0, cpu_of_two = 0;
    for (int i = 0; i < kTimedSteps; ++i) {
        double best_one = 1e300, best_two = 1e300, cpu = 0;
        for (int turn = 0; turn < kTurns; ++turn) {
            {
                const ThreadPool pool(1);
                best_one = std::min(best_one, best_seconds(1, wall_seconds_now, [&] { hair.step(); }));
            }
            const ThreadPool pool(2);
            const double begin = cpu_seconds_now();
            const double time = best_seconds(1, wall_seconds_now, [&] { hair.step(); });
            if (time < best_two) cpu = cpu_seconds_now() - begin;
            best_two = std::min(best_two, time);
        }
        one += best_one / kTimedSteps;
        two += best_two / kTimedSteps;
        cpu_of_two += cpu / kTimedSteps;
        hair.go_on();
    }
    figures.push_back(time_figure("strands_two_threads", two, one, kDryTwoThreadsBar));
    figures.push_back(plain_figure("strands_two_threads_had", cpu_of_two / two, "cores"));
}

} // namespace

std::vector<BenchFigure> bench_strands(bool full)
{
    // First, while the program has no free memory of its own that would hide what this takes.
    const std::vector<BenchFigure> contact = bench_strand_contact(full);
    const std::vector<BenchFigure> rubbing = bench_rubbing_bundles();
    std::vector<BenchFigure> figures;
    {
        const ThreadPool pool(1);
        bench_dry_step(bench_kernels(figures), figures);
        bench_growth(figures);
    }
    bench_two_threads(figures);
    figures.insert(figures.end(), contact.begin(), contact.end());
    figures.insert(figures.end(), rubbing.begin(), rubbing.end());
    return figures;
}

} // namespace rivulet
