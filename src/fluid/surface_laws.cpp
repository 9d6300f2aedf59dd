#include "fluid/surface_laws.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "fluid/liquid_share.h"

namespace rivulet {

SurfaceLaws mean_surface_laws(const TileGrid& grid, const ParticleOrder& order, std::span<const Vec3> position,
                              std::span<const double> volume, std::span<const std::int32_t> liquid,
                              std::span<const SurfaceLaw> laws)
{
    RIVULET_VERIFY(!laws.empty());
    const auto is_first = [&](const SurfaceLaw& l) { return l == laws.front(); };
    if (std::all_of(laws.begin(), laws.end(), is_first)) return {laws.front(), {}, {}};
    const std::vector<double> filled = smoothed_volume(grid, order, position, volume);
    const auto mean_of = [&](double SurfaceLaw::*value) {
        std::vector<double> weighted(volume.size());
        parallel_for(
            static_cast<std::int64_t>(weighted.size()), "surface law",
            [&](std::int64_t i) {
                const auto p = static_cast<std::size_t>(i);
                weighted[p] = volume[p] * laws[static_cast<std::size_t>(liquid[p])].*value;
            },
            4096);
        std::vector<double> mean = smoothed_volume(grid, order, position, weighted);
        set_cells(grid, "surface law", mean, [&](std::size_t c) { return filled[c] > 0 ? mean[c] / filled[c] : 0; });
        return mean;
    };
    return {laws.front(), mean_of(&SurfaceLaw::tension), mean_of(&SurfaceLaw::contact_cosine)};
}

} // namespace rivulet
