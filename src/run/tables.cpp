#include "run/tables.h"

#include "base/error.h"
#include "io/csv.h"

#include <fmt/format.h>

#include <limits>
#include <system_error>

namespace rivulet {
namespace {

constexpr const char* kSteps = "steps.csv";
constexpr const char* kEnergyFile = "energy.csv";
constexpr const char* kLedgerFile = "ledger.csv";
constexpr const char* kProbes = "probes.csv";

std::int64_t kept(const CoveredSizes& covered, const char* name)
{
    const auto found = covered.find(name);
    if (found == covered.end()) throw IoError("the checkpoint does not know the length of " + std::string(name));
    return found->second;
}

std::vector<std::string> ledger_row(const State& state, const std::string& liquid, const LedgerBalance& balance)
{
    std::vector<std::string> row{std::to_string(state.clock.frame), csv_number(state.clock.time), liquid};
    for (const double value :
         {balance.initial, balance.emitted, balance.drained, balance.left, balance.bulk, balance.relative_error})
        row.push_back(csv_number(value));
    for (const double value : {balance.merged, balance.split, balance.film, balance.pool, balance.caught, balance.shed})
        row.push_back(csv_number(value));
    for (const std::int64_t count : {balance.n_merges, balance.n_splits}) row.push_back(std::to_string(count));
    return row;
}

} // namespace

std::vector<std::string> all_probe_columns(const Model& model)
{
    std::vector<std::string> columns;
    for (const Probe& probe : model.probes)
        for (std::string& name : probe_columns(probe)) columns.push_back(std::move(name));
    return columns;
}

void require_rows(const RunFolder& folder, const CoveredSizes& covered)
{
    for (const char* name : {kSteps, kEnergyFile, kLedgerFile, kProbes}) {
        std::error_code error;
        const auto size = std::filesystem::file_size(folder.file(name), error);
        if (!error && static_cast<std::int64_t>(size) >= kept(covered, name)) continue;
        throw IoError(fmt::format("cannot continue {}: it {}; put it back, replace the run with --force, or choose "
                                  "another folder with --out",
                                  folder.file(name).string(),
                                  error ? "is not there" : "has lost rows that the checkpoint counts on"));
    }
}

RunTables::RunTables(const RunFolder& folder, const Model& model, const State& initial)
    : model_(model), steps_(folder.file(kSteps)), energy_(folder.file(kEnergyFile)), ledger_(folder.file(kLedgerFile)),
      probes_(folder.file(kProbes))
{
    steps_.append(csv_line({"step", "time", "dt", "limiter", "retries", "pressure_iterations", "pressure_residual",
                            "strand_iterations", "contacts", "contact_residual", "max_speed", "particles",
                            "largest_strain", "stretched_edges"}));
    energy_.append(csv_line({"frame", "time", "kinetic", "potential", "momentum.x", "momentum.y", "momentum.z",
                             "angular_momentum.x", "angular_momentum.y", "angular_momentum.z", "max_speed", "elastic",
                             "surface"}));
    ledger_.append(
        csv_line({"frame", "time", "liquid", "initial", "emitted", "drained", "left", "bulk", "relative_error",
                  "merged", "split", "film", "pool", "caught", "shed", "merges", "splits"}));
    std::vector<std::string> header{"step", "time"};
    for (std::string& name : all_probe_columns(model)) header.push_back(std::move(name));
    probes_.append(csv_line(header));
    record_frame(initial);
    record_probes(initial, true);
}

RunTables::RunTables(const RunFolder& folder, const Model& model, const CoveredSizes& covered)
    : model_(model), steps_(folder.file(kSteps), kept(covered, kSteps)),
      energy_(folder.file(kEnergyFile), kept(covered, kEnergyFile)),
      ledger_(folder.file(kLedgerFile), kept(covered, kLedgerFile)),
      probes_(folder.file(kProbes), kept(covered, kProbes))
{
}

void RunTables::record(const State& state, const StepInfo& info)
{
    record_step(state, info);
    if (info.frame_completed) record_frame(state);
    record_probes(state, info.frame_completed);
}

void RunTables::record_step(const State& state, const StepInfo& info)
{
    const ContactMemory& contacts = state.strand_contacts;
    steps_.append(csv_line({std::to_string(state.clock.step), csv_number(state.clock.time), csv_number(info.dt),
                            info.limiter, std::to_string(info.retries), std::to_string(info.pressure_iterations),
                            csv_number(info.pressure_residual), std::to_string(info.strand_iterations),
                            std::to_string(contacts.a.size()), csv_number(contacts.residual),
                            csv_number(info.max_speed), std::to_string(state.liquid.size()),
                            csv_number(info.stretched.largest_strain), std::to_string(info.stretched.count)}));
}

void RunTables::record_frame(const State& state)
{
    const Diagnostics sums = diagnose(model_, state);
    std::vector<std::string> row{std::to_string(state.clock.frame)};
    for (const double value :
         {state.clock.time, sums.kinetic_energy, sums.potential_energy, sums.momentum.x(), sums.momentum.y(),
          sums.momentum.z(), sums.angular_momentum.x(), sums.angular_momentum.y(), sums.angular_momentum.z(),
          sums.max_speed, sums.elastic_energy, sums.surface_energy})
        row.push_back(csv_number(value));
    energy_.append(csv_line(row));
    for (std::size_t i = 0; i < model_.liquids.size(); ++i)
        ledger_.append(csv_line(ledger_row(state, model_.liquids[i].name, ledger_balance(state, static_cast<int>(i)))));
    ledger_.append(csv_line(ledger_row(state, "total", ledger_balance(state))));
}

void RunTables::record_probes(const State& state, bool at_frame)
{
    std::vector<std::string> row{std::to_string(state.clock.step), csv_number(state.clock.time)};
    bool any = false;
    for (const Probe& probe : model_.probes) {
        const bool due = at_frame || probe.every == Sampling::Step;
        any |= due;
        const std::vector<double> values =
            due ? sample_probe(model_, state, probe)
                : std::vector<double>(probe_columns(probe).size(), std::numeric_limits<double>::quiet_NaN());
        for (const double value : values) row.push_back(csv_number(value));
    }
    if (any) probes_.append(csv_line(row));
}

void RunTables::flush()
{
    for (AppendFile* file : {&steps_, &energy_, &ledger_, &probes_}) file->flush();
}

CoveredSizes RunTables::sync()
{
    CoveredSizes sizes;
    for (AppendFile* file : {&steps_, &energy_, &ledger_, &probes_}) {
        file->sync();
        sizes[file->path().filename().string()] = file->size();
    }
    return sizes;
}

} // namespace rivulet
