#include "run/bench.h"

#include "base/error.h"
#include "io/json.h"
#include "run/thread_arena.h"

#include <algorithm>

namespace rivulet {

std::vector<BenchName> benches()
{
    std::vector<BenchName> names;
    for (const Bench& bench : bench_table()) names.push_back({bench.name, bench.sentence});
    return names;
}

void run_benches(const std::string& name, int threads, const std::function<void(const BenchFigure&)>& report)
{
    const std::vector<Bench>& table = bench_table();
    const auto is_named = [&](const Bench& bench) { return bench.name == name; };
    if (!name.empty() && std::none_of(table.begin(), table.end(), is_named))
        throw InputError("bench '" + name + "' is not known (rivulet bench --list shows all)");
    with_threads(threads, [&](int) {
        for (const Bench& bench : table)
            if (name.empty() || is_named(bench)) bench.run(report);
        return 0;
    });
}

BenchFigure make_figure(std::string bench, double value, std::string unit, double reference, double bar)
{
    const double ratio = value / reference;
    return {std::move(bench), value, std::move(unit), reference, ratio, bar, ratio <= bar};
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
