#include "run/checkpoint.h"

#include "base/error.h"
#include "base/hash.h"

#include <algorithm>
#include <set>
#include <system_error>

namespace rivulet {
namespace {

Hdf5Type hdf5_type(Scalar scalar)
{
    switch (scalar) {
    case Scalar::Float64:
        return Hdf5Type::Float64;
    case Scalar::Float32:
        return Hdf5Type::Float32;
    case Scalar::Int64:
        return Hdf5Type::Int64;
    case Scalar::Int32:
        return Hdf5Type::Int32;
    }
    return Hdf5Type::UInt8;
}

Hdf5Shape shape_of(const ArrayView& view) { return {hdf5_type(view.scalar), view.count, view.components}; }

/// "liquid.position" is stored as state/liquid/position.
std::string dataset_name(std::string_view array)
{
    std::string name = "state/" + std::string(array);
    std::replace(name.begin(), name.end(), '.', '/');
    return name;
}

std::size_t stored_bytes(const std::vector<ArrayView>& views)
{
    std::size_t bytes = 1 << 16;
    for (const ArrayView& view : views) bytes += shape_of(view).bytes();
    return bytes + bytes / 64;
}

std::size_t n_datasets(const Hdf5Reader& reader, const std::string& group)
{
    std::size_t n = 0;
    for (const std::string& name : reader.list(group)) {
        const std::string path = group + "/" + name;
        n += reader.is_group(path) ? n_datasets(reader, path) : 1;
    }
    return n;
}

/// Arrays of one group count the same things.
void check_counts(const State& state, const Model& model, const std::filesystem::path& path)
{
    for (const ArrayView& view : state_arrays(state)) {
        const std::string group(view.name.substr(0, view.name.find('.')));
        std::int64_t expected = view.count;
        if (group == "liquid") expected = state.liquid.size();
        if (group == "ledger") expected = static_cast<std::int64_t>(model.liquids.size());
        if (group == "loads") expected = static_cast<std::int64_t>(model.obstacles.size());
        if (group == "strands") expected = model.strands.n_vertices();
        if (group == "bridges") expected = static_cast<std::int64_t>(state.bridges.size());
        if (group == "strand_contacts" && view.is_array)
            expected = static_cast<std::int64_t>(state.strand_contacts.a.size());
        if ((group == "film" || group == "immersion") && view.is_array) expected = film_entries(model, view.name);
        if (group == "strand_ledger" && view.is_array) expected = 3;
        if (view.count != expected)
            throw IoError(path.string() + ": " + std::string(view.name) + ": " + std::to_string(view.count) +
                          " entries where " + std::to_string(expected) + " belong");
    }
    const auto n_liquids = static_cast<std::int32_t>(model.liquids.size());
    for (const std::int32_t liquid : state.liquid.liquid)
        if (liquid < 0 || liquid >= n_liquids) throw IoError(path.string() + ": liquid.liquid: unknown liquid");
    if (state.film.liquid != (model.wetting ? model.wetting->liquid : 0))
        throw IoError(path.string() + ": film.liquid: not the liquid that wets the strands");
}

/// What became different since the checkpoint, in words; never empty.
std::vector<std::string> differences(const CheckpointFile& checkpoint, const Scene& scene)
{
    try {
        const std::filesystem::path kept = checkpoint.path().parent_path().parent_path() / "scene.toml";
        std::vector<std::string> found = scene_differences(parse_scene(checkpoint.scene_text(), kept), scene);
        if (found.empty()) found.emplace_back("what the program makes of it");
        return found;
    } catch (const InputError&) {
        return {"a file of the earlier scene, whose copy in the run folder cannot be read"};
    }
}

} // namespace

void write_checkpoint(const std::filesystem::path& path, const Scene& scene, const State& state,
                      const CoveredSizes& covered)
{
    const std::vector<ArrayView> views = state_arrays(state);
    Hdf5Writer writer(stored_bytes(views) + scene.kept_toml.size());
    writer.attribute("/", "kind", "checkpoint");
    writer.attribute("/", "version", kCheckpointVersion);
    writer.attribute("/", "program", RIVULET_VERSION);
    writer.attribute("/", "step", state.clock.step);
    writer.attribute("/", "frame", state.clock.frame);
    writer.attribute("/", "time", state.clock.time);
    writer.attribute("/", "fingerprint", hex(scene.fingerprint));
    writer.attribute("/", "state_hash", hex(state_hash(state)));
    writer.dataset("scene/text", {Hdf5Type::UInt8, static_cast<std::int64_t>(scene.kept_toml.size()), 1},
                   scene.kept_toml.data());
    for (const ArrayView& view : views) writer.dataset(dataset_name(view.name), shape_of(view), view.data, view.unit);
    for (const auto& [name, size] : covered) writer.dataset("output/" + name, {Hdf5Type::Int64, 1, 1}, &size, "byte");
    writer.save(path);
}

CheckpointFile::CheckpointFile(const std::filesystem::path& path) : path_(path), reader_(path)
{
    if (!reader_.has_attribute("/", "kind") || reader_.text("/", "kind") != "checkpoint")
        throw IoError(path.string() + ": not a checkpoint");
    const std::int64_t version = reader_.integer("/", "version");
    if (version != kCheckpointVersion)
        throw IoError(path.string() + ": checkpoint layout " + std::to_string(version) + ", this program reads " +
                      std::to_string(kCheckpointVersion));
    step_ = reader_.integer("/", "step");
    frame_ = reader_.integer("/", "frame");
    time_ = reader_.number("/", "time");
    fingerprint_ = reader_.text("/", "fingerprint");
    state_hash_ = reader_.text("/", "state_hash");
}

std::string CheckpointFile::scene_text() const
{
    const Hdf5Shape shape = reader_.shape("scene/text");
    std::string text(shape.bytes(), '\0');
    reader_.read("scene/text", {Hdf5Type::UInt8, shape.count, 1}, text.data());
    return text;
}

CoveredSizes CheckpointFile::covered() const
{
    CoveredSizes sizes;
    if (!reader_.has("output")) return sizes;
    for (const std::string& name : reader_.list("output"))
        reader_.read("output/" + name, {Hdf5Type::Int64, 1, 1}, &sizes[name]);
    return sizes;
}

State CheckpointFile::restore(const Model& model) const
{
    State state;
    std::size_t n_read = 0;
    for (const ArrayView& view : state_arrays(state)) {
        // By name: resizing moves the data that the views point to.
        const std::string name(view.name);
        if (view.is_array) resize_array(state, name, reader_.shape(dataset_name(name)).count);
    }
    for (const ArrayView& view : state_arrays(state)) {
        reader_.read(dataset_name(view.name), shape_of(view), view.data);
        ++n_read;
    }
    if (n_datasets(reader_, "state") != n_read)
        throw IoError(path_.string() + ": holds arrays that this program does not know");
    check_counts(state, model, path_);
    if (hex(rivulet::state_hash(state)) != state_hash_)
        throw IoError(path_.string() + ": the state does not have the hash it was stored with");
    return state;
}

void require_same_scene(const CheckpointFile& checkpoint, const Scene& scene)
{
    if (checkpoint.fingerprint() == hex(scene.fingerprint)) return;
    std::string message = "the scene is not the one that this run was started with:";
    for (const std::string& difference : differences(checkpoint, scene)) message += "\n  " + difference;
    throw InputError(message + "\nrun it into another folder with --out, or replace the earlier run with --force");
}

void drop_old_checkpoints(const RunFolder& folder)
{
    const std::vector<std::int64_t> steps = folder.checkpoints();
    for (std::size_t i = 0; i + 2 < steps.size(); ++i) {
        std::error_code ignored; // one checkpoint too many does no harm
        std::filesystem::remove(folder.checkpoint(steps[i]), ignored);
    }
}

} // namespace rivulet
