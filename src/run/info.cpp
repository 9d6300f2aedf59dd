#include "rivulet/info.h"

#include "base/error.h"
#include "base/hash.h"
#include "io/atomic_file.h"
#include "io/hdf5_file.h"
#include "io/json.h"
#include "io/sealed_file.h"
#include "run/checkpoint.h"
#include "run/report.h"
#include "run/run_folder.h"

#include <fmt/format.h>

#include <system_error>

namespace rivulet {
namespace {

std::string array_table(const Hdf5Reader& reader, const std::string& group)
{
    std::string text;
    for (const std::string& name : reader.list(group)) {
        const std::string path = (group == "/" ? "" : group + "/") + name;
        if (reader.is_group(path)) {
            text += array_table(reader, path);
            continue;
        }
        if (name == "name") {
            text += fmt::format("  {:<28} {}\n", path, fmt::join(reader.strings(path), ", "));
            continue;
        }
        const Hdf5Shape shape = reader.shape(path);
        const std::string unit = reader.has_attribute(path, "unit") ? reader.text(path, "unit") : "";
        text += fmt::format("  {:<28} {:>10} x {} {}\n", path, shape.count, shape.components, unit);
    }
    return text;
}

std::string describe_file(const std::filesystem::path& path)
{
    const Hdf5Reader reader(path);
    const std::string kind = reader.has_attribute("/", "kind") ? reader.text("/", "kind") : "";
    if (kind != "frame" && kind != "checkpoint") throw IoError(path.string() + ": neither a frame nor a checkpoint");
    std::string text = fmt::format("{} {}: frame {}, step {}, t = {:.6g} s, layout {}, intact\n", kind, path.string(),
                                   reader.integer("/", "frame"), reader.integer("/", "step"),
                                   reader.number("/", "time"), reader.integer("/", "version"));
    if (kind == "checkpoint") text += fmt::format("  state hash {}\n", reader.text("/", "state_hash"));
    return text + array_table(reader, "/");
}

std::string report_text(const Json& report)
{
    std::string text;
    for (const auto& [name, value] : report.members())
        if (value.members().empty())
            text += fmt::format("  {:<18} {}\n", name, value.text().empty() ? value.dump(false) : value.text());
    for (const char* group : {"counts", "ledger", "energy"}) {
        const Json* members = report.find(group);
        if (!members) continue;
        for (const auto& [name, value] : members->members())
            if (value.is_number())
                text += fmt::format("  {:<18} {}\n", std::string(group) + "." + name, value.dump(false));
    }
    return text;
}

std::string describe_run(const RunFolder& folder)
{
    const std::vector<std::int64_t> frames = folder.frames(), checkpoints = folder.checkpoints();
    std::string text = fmt::format("run {}: {} frames", folder.path().string(), frames.size());
    if (!frames.empty()) text += fmt::format(" ({} to {})", frames.front(), frames.back());
    text += checkpoints.empty() ? ", no checkpoint\n" : fmt::format(", checkpoint at step {}\n", checkpoints.back());
    std::error_code error;
    if (std::filesystem::exists(folder.file("report.json"), error)) return text + report_text(read_report(folder));
    return text + fmt::format("  not finished: there is no report.json; unless it is running now, continue it with\n"
                              "  rivulet run {} --out {} --resume\n",
                              folder.file("scene.toml").string(), folder.path().string());
}

} // namespace

std::string describe(const std::filesystem::path& path)
{
    std::error_code error;
    if (!std::filesystem::exists(path, error)) throw InputError(path.string() + ": no such file or folder");
    if (std::filesystem::is_directory(path, error)) return describe_run(open_run(path));
    if (!begins_with_seal(path) && path.extension() != ".h5") // one of that name is damaged
        throw InputError(path.string() + ": neither a run folder nor a frame or checkpoint (NNNNNN.h5)");
    return describe_file(path);
}

} // namespace rivulet
