#include "bench.h"

#include "base/error.h"
#include "base/parallel.h"
#include "io/json.h"
#include "run/process.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>

namespace rivulet {
namespace {

/// What a clock did not see meets no bar.
BenchFigure if_measured(BenchFigure figure)
{
    if (figure.bar != 0 && !(figure.value > 0 && std::isfinite(figure.ratio))) figure.meets = false;
    return figure;
}

} // namespace

std::vector<BenchName> benches()
{
    std::vector<BenchName> names;
    for (const Bench& bench : bench_table()) names.push_back({bench.name, bench.sentence});
    return names;
}

void run_benches(const std::string& name, bool full, int threads, const std::function<void(const BenchFigure&)>& report)
{
    const std::vector<Bench>& table = bench_table();
    const auto is_named = [&](const Bench& bench) { return bench.name == name; };
    if (!name.empty() && std::none_of(table.begin(), table.end(), is_named))
        throw InputError("bench '" + name + "' is not known (rivulet bench --list shows all)");
    with_threads(threads, [&](int) {
        for (const Bench& bench : table)
            if (name.empty() || is_named(bench))
                for (const BenchFigure& figure : bench.run(full)) report(if_measured(figure));
        return 0;
    });
}

BenchFigure time_figure(std::string bench, double value, double reference, double bar)
{
    const double ratio = reference / value;
    return {std::move(bench), value, "s", reference, ratio, bar, bar == 0 || ratio >= bar};
}

BenchFigure plain_figure(std::string bench, double value, std::string unit)
{
    return {std::move(bench), value, std::move(unit), 0, 0, 0, true};
}

double cpu_seconds_now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double wall_seconds_now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double resident_bytes()
{
    std::ifstream statm("/proc/self/statm");
    double total = 0, resident = 0;
    statm >> total >> resident;
    return 4096 * resident;
}

bool forget_peak_memory()
{
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << 5;
    return peak_resident_bytes() < 1.1 * resident_bytes();
}

std::string to_json(const BenchFigure& figure)
{
    Json json;
    json.set("bench", figure.bench)
        .set("value", figure.value)
        .set("unit", figure.unit)
        .set("reference", figure.reference);
    json.set("ratio", figure.ratio).set("bar", figure.bar).set("meets", figure.meets);
    return json.dump(false);
}

} // namespace rivulet
