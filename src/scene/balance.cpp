#include "scene/balance.h"

#include "base/parallel.h"
#include "strands/strand_stability.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

namespace rivulet {
std::vector<std::string> balance_warnings(const Scene& scene)
{
    const Model& model = scene.model;
    std::vector<std::string> warnings;
    for (const StrandGroup& group : model.strand_groups) {
        const auto key = scene.resolved_keys.find("strands." + group.name + ".sag_free");
        if (key == scene.resolved_keys.end() || key->second != "true") continue;
        std::vector<StrandStability> all(static_cast<std::size_t>(group.n_strands));
        parallel_for(group.n_strands, "balance of strands", [&](std::int64_t s) {
            all[static_cast<std::size_t>(s)] = strand_stability(model.strands, model.strands_at_start,
                                                                group.first_strand + static_cast<std::int32_t>(s));
        });
        std::int32_t n = 0;
        StrandStability worst;
        for (const StrandStability& stability : all) {
            n += stability.stiffer > 1 ? 1 : 0;
            worst = {std::max(worst.stiffer, stability.stiffer), std::max(worst.growth, stability.growth)};
        }
        if (n == 0) continue;
        warnings.push_back(fmt::format(
            "strands.{}: {} of {} will not stay where they begin in spite of sag_free: gravity is balanced, but the "
            "slightest push doubles, at worst within {:.2g} s (steps longer than that may hide it). All of them stay "
            "when "
            "youngs_modulus and shear_modulus are {:.3g} times as large; shorter, thicker or hanging strands help too",
            group.name, n, group.n_strands, std::numbers::ln2 / worst.growth, worst.stiffer));
    }
    return warnings;
}

} // namespace rivulet
