#include "sim/film_thickness.h"

#include "base/parallel.h"
#include "wetting/film_section.h"

#include <cmath>

namespace rivulet {

double round_radius(const StrandModel& strands, std::size_t strand)
{
    const RodMaterial& material = strands.materials[static_cast<std::size_t>(strands.material[strand])];
    return std::sqrt(material.radius_a * material.radius_b);
}
double round_radius(const StrandModel& strands, std::size_t strand, std::size_t v)
{
    return round_radius(strands, strand) * strands.scale_at(v);
}

std::vector<double> film_thicknesses(const Model& model, const State& state)
{
    const StrandModel& strands = model.strands;
    const std::vector<Vec3>& x = state.strands.position;
    std::vector<double> thickness(x.size(), 0.0);
    if (!state.film.is_there()) return thickness;
    parallel_for(strands.n_strands(), "film thickness", [&](std::int64_t strand) {
        const auto s = static_cast<std::size_t>(strand);
        const auto begin = static_cast<std::size_t>(strands.first[s]),
                   end = static_cast<std::size_t>(strands.first[s + 1]);
        double before = 0;
        for (std::size_t v = begin; v < end; ++v) {
            const double after = v + 1 < end ? (x[v + 1] - x[v]).norm() : 0;
            thickness[v] = film_thickness(state.film.volume[v] / (0.5 * (before + after)), round_radius(strands, s, v));
            before = after;
        }
    });
    return thickness;
}

} // namespace rivulet
