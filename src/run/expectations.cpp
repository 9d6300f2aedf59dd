#include "run/expectations.h"

#include "base/error.h"
#include "run/report.h"
#include "run/tables.h"
#include "scene/units.h"
#include "sim/advance.h"
#include "sim/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string_view>

namespace rivulet {
namespace {

double reduce(const std::vector<double>& all, Expectation::When when)
{
    std::vector<double> values;
    std::copy_if(all.begin(), all.end(), std::back_inserter(values), [](double v) { return !std::isnan(v); });
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    double sum = 0;
    for (const double v : values) sum += v;
    switch (when) {
    case Expectation::When::Final:
        return values.back();
    case Expectation::When::Minimum:
        return *std::min_element(values.begin(), values.end());
    case Expectation::When::Maximum:
        return *std::max_element(values.begin(), values.end());
    case Expectation::When::Mean:
        return sum / static_cast<double>(values.size());
    }
    return values.back();
}

constexpr std::string_view kLedger = "ledger.", kEnergy = "energy.";

/// Everything that was recorded of a quantity, in order of time; empty when it is not a recorded one.
std::vector<double> series(const std::string& quantity, const Records& records)
{
    if (const int column = records.probes.column(quantity); column >= 0) return records.probes.numbers(column);
    if (quantity.starts_with(kEnergy)) {
        const int column = records.energy.column(quantity.substr(kEnergy.size()));
        return column < 0 ? std::vector<double>() : records.energy.numbers(column);
    }
    if (!quantity.starts_with(kLedger)) return {};
    const int column = records.ledger.column(quantity.substr(kLedger.size()));
    const int liquid = records.ledger.column("liquid");
    if (column < 0 || liquid < 0) return {};
    CsvTable totals{records.ledger.columns, {}};
    for (const auto& row : records.ledger.rows)
        if (row[static_cast<std::size_t>(liquid)] == "total") totals.rows.push_back(row);
    return totals.numbers(column);
}

double measure(const Expectation& expectation, const Records& records, const Json& report)
{
    const std::vector<double> values = series(expectation.quantity, records);
    if (!values.empty()) return reduce(values, expectation.when);
    const Json* value = report.find(expectation.quantity);
    return value ? value->number() : std::numeric_limits<double>::quiet_NaN();
}

bool is_recorded(const std::string& quantity)
{
    const bool is_nested = quantity.find('.') != quantity.rfind('.');
    return !is_nested && (quantity.starts_with(kLedger) || quantity.starts_with(kEnergy));
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// How the run was made, not what came of it: another machine has other figures, and the report that [test] is
/// compared with is made before they are known.
bool is_about_the_process(std::string_view quantity)
{
    return is_one_of(quantity, {"threads", "wall_s", "cpu_s", "peak_rss_bytes", "resumed_from_step", "exit"}) ||
           quantity.starts_with("stages.");
}

/// Of a number of the report, from its path: the group that it is in, and its name in there.
std::string report_unit(std::string_view quantity)
{
    const std::string_view name = quantity.substr(quantity.rfind('.') + 1);
    if (quantity == "sim_time_s") return "s";
    if (quantity == "strands.contact_residual") return "m";
    if (name == "max_speed") return "m/s";
    if (quantity.starts_with("strands.momentum.") || quantity.starts_with("momentum.linear.")) return "kg m/s";
    if (quantity.starts_with("momentum.angular.")) return "kg m2/s";
    if (quantity.starts_with(kEnergy) || quantity.starts_with("strands.energy.")) return "J";
    const bool is_volume =
        is_one_of(name, {"initial", "emitted", "drained", "left", "bulk", "merged", "split"}) ||
        is_one_of(quantity, {"particle_volume.nominal", "particle_volume.smallest", "particle_volume.largest"});
    return is_volume ? "m3" : "";
}

/// Of any known quantity; empty = a number without dimension.
std::string unit_of(const Model& model, const std::string& quantity)
{
    for (const Probe& probe : model.probes) {
        const std::vector<std::string> columns = probe_columns(probe);
        if (std::find(columns.begin(), columns.end(), quantity) != columns.end()) return probe_unit(probe);
    }
    return report_unit(quantity);
}

/// What is wrong with the units that the expectation was written in; empty when nothing is.
std::string unit_problem(const Model& model, const Expectation& expectation)
{
    const std::string unit = unit_of(model, expectation.quantity);
    const Dimension dimension = unit.empty() ? Dimension{} : parse_unit(unit).dimension;
    for (const std::string& text : expectation.written) {
        if (text.empty()) continue;
        const Quantity written = parse_quantity(text);
        if (written.has_unit && written.dimension != dimension)
            return "\"" + text + "\" is " + dimension_phrase(written.dimension) + "; " + expectation.quantity +
                   (unit.empty() ? " has no unit" : " is in " + unit);
    }
    return "";
}

} // namespace

std::string ExpectationResult::text() const
{
    return fmt::format("{}: measured {}, expected {} +- {}, difference {}: {}", name, measured, expected, tolerance,
                       measured - expected, met ? "met" : "missed");
}

void require_known_quantities(const Scene& scene)
{
    if (scene.expectations.empty()) return;
    Model empty = scene.model; // the numbers of a report do not depend on how much liquid there is
    empty.bodies.clear();
    const Json report = make_report(scene, initial_state(empty), {}, {});
    const std::vector<std::string> columns = all_probe_columns(scene.model);
    std::string problems;
    for (const Expectation& expectation : scene.expectations) {
        const bool is_probe = std::find(columns.begin(), columns.end(), expectation.quantity) != columns.end();
        const Json* value = report.find(expectation.quantity);
        const bool is_final = expectation.when == Expectation::When::Final || is_recorded(expectation.quantity);
        const bool is_result = !is_about_the_process(expectation.quantity);
        const bool is_known = is_probe || (value && value->is_number() && is_final && is_result);
        const std::string units = unit_problem(scene.model, expectation);
        if (is_known && units.empty()) continue;
        if (!problems.empty()) problems += '\n';
        if (is_known) {
            problems += expectation.place + ": test." + expectation.name + ": " + units;
            continue;
        }
        problems += expectation.place + ": test." + expectation.name + ".quantity: '" + expectation.quantity + "' " +
                    (!is_result           ? "is about the process, not a result of the simulation"
                     : !value             ? "is neither a probe column nor a number of report.json"
                     : value->is_number() ? "is known at the end alone: ask for its final value"
                                          : "is not a number");
    }
    if (!problems.empty()) throw InputError(problems);
}

Records read_records(const RunFolder& folder)
{
    return {read_csv(folder.file("probes.csv")), read_csv(folder.file("ledger.csv")),
            read_csv(folder.file("energy.csv"))};
}

std::vector<ExpectationResult> evaluate(const Scene& scene, const Records& records, const Json& report)
{
    std::vector<ExpectationResult> results;
    for (const Expectation& expectation : scene.expectations) {
        ExpectationResult result{expectation.name, measure(expectation, records, report), expectation.value,
                                 expectation.tolerance, false};
        result.met = std::abs(result.measured - result.expected) <= result.tolerance; // false for NaN
        results.push_back(result);
    }
    return results;
}

} // namespace rivulet
