#include "base/error.h"
#include "rivulet/scene.h"
#include "run/expectations.h"
#include "scene/balance.h"
#include "scene/scene.h"
#include "sim/diagnostics.h"
#include "sim/placement.h"

#include <fmt/format.h>

namespace rivulet {
namespace {

std::string summary(const Scene& scene)
{
    const Model& model = scene.model;
    const Options& options = model.options;
    const Vec3 size = model.domain.box.size();
    std::string text = fmt::format("{}: ok\n", scene.file.string());
    if (!model.title.empty()) text += fmt::format("  title      {}\n", model.title);
    text += fmt::format("  domain     {:.4g} x {:.4g} x {:.4g} m, cells of {:.4g} m\n", size.x(), size.y(), size.z(),
                        options.cell_size);
    text += fmt::format("  time       {:.4g} s, a frame every {:.4g} s\n", options.end_time, options.frame_interval);
    text += fmt::format("  objects    {} liquids, {} bodies, {} obstacles, {} sources, {} drains, {} probes\n",
                        model.liquids.size(), model.bodies.size(), model.obstacles.size(), model.sources.size(),
                        model.drains.size(), model.probes.size());
    if (model.strands.n_strands() > 0)
        text += fmt::format("  strands    {} of {} vertices in all, in {} groups\n", model.strands.n_strands(),
                            model.strands.n_vertices(), model.strand_groups.size());
    for (const std::string& warning : placement_warnings(model)) text += fmt::format("  warning    {}\n", warning);
    for (const std::string& warning : balance_warnings(scene)) text += fmt::format("  warning    {}\n", warning);
    return text;
}

std::string estimate_text(const MemoryEstimate& estimate)
{
    std::string text = "memory of a run at its peak [bytes]\n";
    const std::pair<const char*, double> parts[] = {{"particles", estimate.particles}, {"grid", estimate.grid},
                                                    {"solver", estimate.solver},       {"output", estimate.output},
                                                    {"strands", estimate.strands},     {"base", estimate.base},
                                                    {"total", estimate.total()}};
    for (const auto& [name, bytes] : parts) text += fmt::format("  {:<10} {:>14.0f}\n", name, bytes);
    return text;
}

} // namespace

std::string check_scene(const std::filesystem::path& file, const std::vector<std::string>& overrides,
                        bool with_estimate)
{
    const Scene scene = load_scene(file, overrides);
    require_known_quantities(scene);
    return summary(scene) + (with_estimate ? estimate_text(estimate_memory(scene.model)) : std::string());
}

std::string explain_key(const std::string& key) { return explain(key); }
std::string reference_markdown() { return scene_reference_markdown(); }
std::string editor_schema() { return scene_json_schema(); }

} // namespace rivulet
