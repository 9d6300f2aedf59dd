#include "commands.h"
#include "print.h"

#include "rivulet/bench.h"
#include "rivulet/error.h"

#include <cstdio>
#include <memory>

namespace {

struct BenchArguments {
    std::string name;
    bool json = false;
    bool list = false;
    bool full = false;
    int threads = 0;
};

const char* verdict(const rivulet::BenchFigure& figure)
{
    if (!figure.meets) return "MISSES";
    return figure.bar == 0 ? "informs" : "meets";
}

void print_figure(const rivulet::BenchFigure& figure, bool json)
{
    if (json)
        print(stdout, "{}\n", rivulet::to_json(figure));
    else
        print(stdout, "{:<24} {:>12.4g} {:<8} reference {:>12.4g}  ratio {:>8.3g}  bar {:<8.3g} {}\n", figure.bench,
              figure.value, figure.unit, figure.reference, figure.ratio, figure.bar, verdict(figure));
    std::fflush(stdout);
}

int bench(const BenchArguments& arguments)
{
    if (arguments.list)
        for (const rivulet::BenchName& entry : rivulet::benches())
            print(stdout, "{:<20} {}\n", entry.name, entry.sentence);
    else
        rivulet::run_benches(arguments.name, arguments.full, arguments.threads,
                             [&](const rivulet::BenchFigure& figure) { print_figure(figure, arguments.json); });
    return rivulet::kExitDone;
}

} // namespace

void add_bench_command(CLI::App& app, Action& action)
{
    auto arguments = std::make_shared<BenchArguments>();
    CLI::App* command = app.add_subcommand("bench", "benchmarks as ratios to a reference in the same program");
    command->add_option("NAME", arguments->name, "one benchmark; all without");
    command->add_flag("--json", arguments->json, "one JSON object a figure and line");
    command->add_flag("--full", arguments->full, "the largest sizes too");
    command->add_flag("--list", arguments->list, "names and sentences only");
    command->add_option("--threads", arguments->threads, "threads [all cores]")->check(CLI::Range(0, 4096));
    command->callback([arguments, &action] { action = [arguments] { return bench(*arguments); }; });
}
