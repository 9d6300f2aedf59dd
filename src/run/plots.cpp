#include "base/error.h"
#include "io/atomic_file.h"
#include "io/csv.h"
#include "io/json.h"
#include "io/plot.h"
#include "rivulet/plot.h"
#include "run/report.h"
#include "run/run_folder.h"

#include <algorithm>
#include <cmath>
#include <system_error>

namespace rivulet {
namespace {

std::vector<double> column(const CsvTable& table, const std::string& name)
{
    const int index = table.column(name);
    if (index < 0) throw IoError("a table of the run has no column '" + name + "'");
    return table.numbers(index);
}

PlotPanel over_time(const std::string& title, const std::string& label, bool logarithmic = false)
{
    PlotPanel panel;
    panel.title = title;
    panel.x.label = "time [s]";
    panel.y.label = label;
    panel.y.logarithmic = logarithmic;
    return panel;
}

CsvTable rows_of_liquid(const CsvTable& ledger, const std::string& liquid)
{
    CsvTable table{ledger.columns, {}};
    const int index = ledger.column("liquid");
    for (const auto& row : ledger.rows)
        if (index >= 0 && row[static_cast<std::size_t>(index)] == liquid) table.rows.push_back(row);
    return table;
}

Plot ledger_plot(const CsvTable& ledger)
{
    const CsvTable total = rows_of_liquid(ledger, "total");
    const std::vector<double> time = column(total, "time");
    PlotPanel accounts = over_time("Where the liquid is", "volume [m3]");
    for (const char* name : {"initial", "emitted", "drained", "left", "bulk", "film", "pool"})
        accounts.series.push_back({name, time, column(total, name)});
    PlotPanel residual = over_time("What the accounts do not explain", "relative error [1]", true);
    std::vector<double> error = column(total, "relative_error");
    for (double& value : error) value = std::max(value, 1e-18); // an exact zero has no place on a logarithmic axis
    residual.series.push_back({"residual", time, std::move(error)});
    return {"Ledger", {accounts, residual}};
}

Plot energy_plot(const CsvTable& energy)
{
    const std::vector<double> time = column(energy, "time");
    const std::vector<double> kinetic = column(energy, "kinetic"), potential = column(energy, "potential"),
                              elastic = column(energy, "elastic"), surface = column(energy, "surface");
    std::vector<double> total(kinetic.size()), change(kinetic.size());
    for (std::size_t i = 0; i < total.size(); ++i) {
        change[i] = potential[i] - potential[0];
        total[i] = kinetic[i] + change[i] + elastic[i] + surface[i];
    }
    PlotPanel energies = over_time("Energy; potential counted from the start", "energy [J]");
    energies.series = {{"kinetic", time, kinetic},
                       {"potential", time, change},
                       {"elastic", time, elastic},
                       {"surface of films", time, surface},
                       {"sum", time, total}};
    PlotPanel speed = over_time("Fastest particle or vertex", "speed [m/s]");
    speed.series = {{"", time, column(energy, "max_speed")}};
    return {"Energy", {energies, speed}};
}

Plot step_plot(const CsvTable& steps)
{
    const std::vector<double> time = column(steps, "time");
    PlotPanel dt = over_time("Step size", "step [s]", true);
    dt.series = {{"", time, column(steps, "dt")}};
    PlotPanel iterations = over_time("Iterations of the solvers", "iterations");
    iterations.series = {{"pressure", time, column(steps, "pressure_iterations")},
                         {"strands and contacts", time, column(steps, "strand_iterations")}};
    PlotPanel particles = over_time("Particles", "particles");
    particles.series = {{"", time, column(steps, "particles")}};
    return {"Steps", {dt, iterations, particles}};
}

/// Stages as marks over their rank; the names are in the legend.
Plot stage_plot(const Json& report)
{
    PlotPanel panel;
    panel.title = "Wall time by stage";
    panel.x.label = "stage, in order of the step";
    panel.y.label = "wall time [s]";
    double rank = 0;
    const Json* stages = report.find("stages");
    if (stages)
        for (const auto& [name, stage] : stages->members()) {
            const Json* wall = stage.find("wall_s");
            rank += 1;
            panel.series.push_back({name, {rank, rank}, {0, wall ? wall->number() : 0}, true, true});
        }
    return {"Stages", {panel}};
}

Plot probe_plot(const CsvTable& probes, std::size_t index)
{
    const std::vector<double> values = probes.numbers(static_cast<int>(index)), all_times = column(probes, "time");
    PlotSeries series;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i])) continue; // not sampled here
        series.x.push_back(all_times[i]);
        series.y.push_back(values[i]);
    }
    PlotPanel panel = over_time("", probes.columns[index]);
    panel.series = {series};
    return {"Probe " + probes.columns[index], {panel}};
}

std::string file_name(const std::string& probe)
{
    std::string name = "probe_" + probe + ".svg";
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '/' || c == ' '; }, '_');
    return name;
}

} // namespace

std::vector<std::filesystem::path> plot_run(const std::filesystem::path& run)
{
    const RunFolder folder = open_run(run);
    make_folder(folder.file("plots"));
    std::vector<std::filesystem::path> files;
    const auto draw = [&](const std::string& name, const Plot& plot) {
        files.push_back(folder.file("plots") / name);
        write_plot(files.back(), plot);
    };
    draw("ledger.svg", ledger_plot(read_csv(folder.file("ledger.csv"))));
    draw("energy.svg", energy_plot(read_csv(folder.file("energy.csv"))));
    draw("steps.svg", step_plot(read_csv(folder.file("steps.csv"))));
    std::error_code error; // a run that was killed has no report
    if (std::filesystem::exists(folder.file("report.json"), error)) draw("stages.svg", stage_plot(read_report(folder)));
    const CsvTable probes = read_csv(folder.file("probes.csv"));
    for (std::size_t i = 2; i < probes.columns.size(); ++i) draw(file_name(probes.columns[i]), probe_plot(probes, i));
    return files;
}

} // namespace rivulet
