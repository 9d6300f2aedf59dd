#include "run/report.h"

#include "base/error.h"
#include "base/hash.h"
#include "io/atomic_file.h"
#include "sim/diagnostics.h"
#include "sim/resample.h"
#include "sim/strand_stages.h"

namespace rivulet {
namespace {

Json vector_json(const Vec3& v) { return Json::Array{v.x(), v.y(), v.z()}; }

Json ledger_json(const LedgerBalance& balance)
{
    Json json;
    json.set("initial", balance.initial).set("emitted", balance.emitted).set("drained", balance.drained);
    json.set("left", balance.left).set("bulk", balance.bulk).set("relative_error", balance.relative_error);
    json.set("film", balance.film).set("pool", balance.pool);
    json.set("caught", balance.caught).set("shed", balance.shed);
    json.set("merged", balance.merged).set("split", balance.split);
    json.set("merges", balance.n_merges).set("splits", balance.n_splits);
    return json;
}

Json ledgers_json(const Model& model, const State& state)
{
    Json json = ledger_json(ledger_balance(state));
    Json::Object liquids;
    for (std::size_t i = 0; i < model.liquids.size(); ++i)
        liquids.emplace_back(model.liquids[i].name, ledger_json(ledger_balance(state, static_cast<int>(i))));
    return json.set("liquids", liquids);
}

Json stages_json(const StageTimers& timers)
{
    Json::Object stages;
    for (const auto& stage : timers.stages()) {
        Json json;
        json.set("wall_s", stage->wall_s).set("calls", stage->calls).set("iterations", stage->iterations);
        stages.emplace_back(stage->name, json);
    }
    return stages;
}

Json counts_json(const Model& model, const State& state)
{
    // Cloth is not part of a scene yet; the member is there for programs that read reports.
    Json json;
    json.set("particles", state.liquid.size()).set("strands", std::int64_t{model.strands.n_strands()});
    json.set("strand_vertices", state.strands.size()).set("triangles", 0);
    return json;
}

Json account_json(const std::vector<Account>& account)
{
    return Json::Array{account[0].total(), account[1].total(), account[2].total()};
}

/// Where the momentum of the strands came from, and what became of their energy.
Json strands_json(const Model& model, const State& state, const RunFigures& figures)
{
    const StrandSums sums = sum_strands(model, state);
    const StrandLedger& ledger = state.strand_ledger;
    Json json, momentum, energy;
    momentum.set("initial", account_json(ledger.initial)).set("gravity", account_json(ledger.gravity));
    momentum.set("support", account_json(ledger.support)).set("drag", account_json(ledger.drag));
    momentum.set("load", account_json(ledger.load)).set("contact", account_json(ledger.contact));
    momentum.set("caught", account_json(ledger.caught)).set("shed", account_json(ledger.shed));
    momentum.set("flow", account_json(ledger.flow)).set("buoyancy", account_json(ledger.buoyancy));
    momentum.set("now", vector_json(sums.momentum));
    energy.set("initial", ledger.initial_energy.total()).set("support_work", ledger.support_work.total());
    energy.set("load_work", ledger.load_work.total()).set("drag_work", ledger.drag_work.total());
    energy.set("kinetic", sums.kinetic_energy).set("potential", sums.potential_energy);
    energy.set("elastic", sums.elastic_energy).set("dissipated", sums.dissipated);
    json.set("relative_error", sums.relative_error).set("largest_strain", sums.largest_strain);
    energy.set("exchange", ledger.exchange_energy.total());
    energy.set("liquid_work", ledger.liquid_work.total());
    energy.set("contact_work", ledger.contact_work.total());
    json.set("max_speed", sums.max_speed).set("contacts", sums.n_contacts);
    json.set("worst_strain", figures.worst_strain).set("stretched_edges", figures.stretched_edges);
    json.set("contact_residual", state.strand_contacts.residual);
    json.set("worst_contact_residual", figures.worst_contact_residual);
    json.set("missed_contacts", state.strand_contacts.n_missed);
    return json.set("momentum", momentum).set("energy", energy);
}

Json sizes_json(const Model& model, const State& state)
{
    const ParticleSizes sizes = particle_sizes(model, state);
    Json json;
    json.set("nominal", sizes.nominal).set("smallest", sizes.smallest).set("largest", sizes.largest);
    json.set("below_half", sizes.n_below_half).set("above_twice", sizes.n_above_twice);
    return json;
}

} // namespace

Json make_report(const Scene& scene, const State& state, const StageTimers& timers, const RunFigures& figures)
{
    const Diagnostics sums = diagnose(scene.model, state);
    Json energy, momentum, report;
    energy.set("kinetic", sums.kinetic_energy).set("potential", sums.potential_energy);
    energy.set("elastic", sums.elastic_energy).set("surface", sums.surface_energy);
    momentum.set("linear", vector_json(sums.momentum)).set("angular", vector_json(sums.angular_momentum));
    report.set("version", RIVULET_VERSION).set("scene", scene.name).set("title", scene.model.title);
    report.set("fingerprint", hex(scene.fingerprint)).set("threads", figures.threads);
    report.set("steps", state.clock.step).set("frames", state.clock.frame).set("sim_time_s", state.clock.time);
    report.set("wall_s", figures.wall).set("cpu_s", figures.cpu);
    report.set("peak_rss_bytes", static_cast<std::int64_t>(figures.peak_memory));
    report.set("resumed_from_step", figures.resumed_from_step);
    report.set("counts", counts_json(scene.model, state)).set("stages", stages_json(timers));
    report.set("particle_volume", sizes_json(scene.model, state));
    report.set("ledger", ledgers_json(scene.model, state)).set("energy", energy).set("momentum", momentum);
    report.set("strands", strands_json(scene.model, state, figures));
    report.set("max_speed", sums.max_speed).set("state_hash", hex(state_hash(state))).set("exit", figures.exit);
    return report;
}

Json read_report(const RunFolder& folder)
{
    const std::filesystem::path path = folder.file("report.json");
    try {
        return parse_json(read_text(path));
    } catch (const InputError& error) {
        throw IoError(path.string() + ": altered or not whole: " + error.what());
    }
}

} // namespace rivulet
