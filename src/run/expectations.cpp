#include "run/expectations.h"

#include "base/error.h"
#include "run/report.h"
#include "run/tables.h"
#include "scene/problems.h"
#include "scene/units.h"
#include "sim/advance.h"
#include "sim/diagnostics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string_view>

namespace rivulet {
namespace {

/// How often the values rise from the lowest quarter of their range to the highest.
double count_cycles(const std::vector<double>& values)
{
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double quarter = 0.25 * (*most - *least);
    if (quarter == 0) return 0;
    int cycles = 0;
    bool was_low = false;
    for (const double v : values) {
        if (v <= *least + quarter) was_low = true;
        if (v < *most - quarter || !was_low) continue;
        was_low = false;
        ++cycles;
    }
    return cycles;
}

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
    case Expectation::When::Cycles:
        return count_cycles(values);
    }
    return values.back();
}

constexpr std::string_view kLedger = "ledger.", kEnergy = "energy.";

/// A column over time. Values before a time are left out; a time is written with all its digits.
std::vector<double> column_from(const CsvTable& table, int column, double from)
{
    const std::vector<double> time = table.numbers(table.column("time"));
    std::vector<double> values = table.numbers(column);
    const auto begin = std::lower_bound(time.begin(), time.end(), from) - time.begin();
    values.erase(values.begin(), values.begin() + begin);
    return values;
}

/// What was recorded of a quantity from a time on, in order of time; nothing when it is not a recorded one.
std::optional<std::vector<double>> series(const std::string& quantity, const Records& records, double from)
{
    if (const int column = records.probes.column(quantity); column >= 0)
        return column_from(records.probes, column, from);
    if (quantity.starts_with(kEnergy)) {
        const int column = records.energy.column(quantity.substr(kEnergy.size()));
        if (column < 0) return {};
        return column_from(records.energy, column, from);
    }
    if (!quantity.starts_with(kLedger)) return {};
    const int column = records.ledger.column(quantity.substr(kLedger.size()));
    const int liquid = records.ledger.column("liquid");
    if (column < 0 || liquid < 0) return {};
    CsvTable totals{records.ledger.columns, {}};
    for (const auto& row : records.ledger.rows)
        if (row[static_cast<std::size_t>(liquid)] == "total") totals.rows.push_back(row);
    return column_from(totals, column, from);
}

double measure(const Expectation& expectation, const Records& records, const Json& report)
{
    const auto values = series(expectation.quantity, records, expectation.from);
    if (values && (!values->empty() || expectation.from > 0)) return reduce(*values, expectation.when);
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
    if (quantity.starts_with("strands.") && quantity.ends_with("contact_residual")) return "m";
    if (name == "max_speed") return "m/s";
    if (quantity.starts_with("strands.momentum.") || quantity.starts_with("momentum.linear.")) return "kg m/s";
    if (quantity.starts_with("momentum.angular.")) return "kg m2/s";
    if (quantity.starts_with(kEnergy) || quantity.starts_with("strands.energy.")) return "J";
    const bool is_volume =
        is_one_of(name, {"initial", "emitted", "drained", "left", "bulk", "film", "pool", "caught", "shed", "merged",
                         "split"}) ||
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

/// What is wrong with the units that the expectation was written in, each with its place and key; empty when nothing
/// is.
std::vector<std::string> unit_problems(const Model& model, const Expectation& expectation)
{
    const bool is_count = expectation.when == Expectation::When::Cycles;
    const std::string unit = is_count ? "" : unit_of(model, expectation.quantity);
    const Dimension dimension = unit.empty() ? Dimension{} : parse_unit(unit).dimension;
    std::vector<std::string> problems;
    for (const Expectation::Written& number : expectation.written) {
        if (number.text.empty()) continue;
        const Quantity written = parse_quantity(number.text);
        if (written.has_unit && written.dimension != dimension)
            problems.push_back(fmt::format("{}: test.{}.{}: \"{}\" is {}; {} {}", number.place, expectation.name,
                                           number.key, number.text, dimension_phrase(written.dimension),
                                           is_count ? "a number of cycles" : expectation.quantity,
                                           unit.empty() ? "has no unit" : "is in " + unit));
    }
    return problems;
}

/// Paths of all numbers of a report that can be expected.
void list_results(const Json& json, const std::string& path, std::vector<std::string>& paths)
{
    if (json.is_number() && !is_about_the_process(path)) paths.push_back(path);
    const std::string before = path.empty() ? "" : path + ".";
    for (const auto& [name, member] : json.members()) list_results(member, before + name, paths);
    for (std::size_t i = 0; i < json.items().size(); ++i)
        list_results(json.items()[i], before + std::to_string(i), paths);
}

/// What can be expected of a scene: columns of its probes and numbers of its report.
class Expectable {
public:
    explicit Expectable(const Scene& scene)
        : end_time_(scene.model.options.end_time), columns_(all_probe_columns(scene.model))
    {
        Model empty = scene.model; // the numbers of a report do not depend on how much liquid there is
        empty.bodies.clear();
        report_ = make_report(scene, initial_state(empty), {}, {});
    }

    /// What is wrong with a quantity; empty when nothing is.
    [[nodiscard]] std::string problem(const Expectation& expectation) const
    {
        const std::string& quantity = expectation.quantity;
        if (expectation.from > end_time_)
            return fmt::format("has no values from {} s on: the run ends at {} s", expectation.from, end_time_);
        if (std::find(columns_.begin(), columns_.end(), quantity) != columns_.end()) return "";
        if (is_about_the_process(quantity)) return "is about the process, not a result of the simulation";
        const Json* value = report_.find(quantity);
        if (!value || !value->is_number()) return unknown(quantity);
        const bool is_final =
            (expectation.when == Expectation::When::Final && expectation.from == 0) || is_recorded(quantity);
        return is_final ? "" : "is known at the end alone: ask for its final value";
    }

private:
    [[nodiscard]] std::string unknown(const std::string& quantity) const
    {
        std::vector<std::string> results;
        list_results(report_, "", results);
        std::vector<std::string> all = columns_;
        all.insert(all.end(), results.begin(), results.end());
        return fmt::format("is neither a probe column nor a number of report.json{}; allowed: {}{}{}",
                           suggestion(quantity, all), fmt::join(columns_, ", "), columns_.empty() ? "" : ", ",
                           fmt::join(results, ", "));
    }

    double end_time_; ///< [s]
    std::vector<std::string> columns_;
    Json report_;
};

} // namespace

std::string ExpectationResult::text() const
{
    return fmt::format("{}: measured {}, expected {} +- {}, difference {}: {}", name, measured, expected, tolerance,
                       measured - expected, met ? "met" : "missed");
}

void require_known_quantities(const Scene& scene)
{
    if (scene.expectations.empty()) return;
    const Expectable expectable(scene);
    std::vector<std::string> problems;
    for (const Expectation& expectation : scene.expectations) {
        const std::string problem = expectable.problem(expectation);
        if (!problem.empty())
            problems.push_back(fmt::format("{}: test.{}.quantity: '{}' {}", expectation.place, expectation.name,
                                           expectation.quantity, problem));
        else
            for (std::string& line : unit_problems(scene.model, expectation)) problems.push_back(std::move(line));
    }
    if (!problems.empty()) throw InputError(fmt::format("{}", fmt::join(problems, "\n")));
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
