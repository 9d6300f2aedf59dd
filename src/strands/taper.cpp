#include "strands/taper.h"

#include "base/assert.h"
#include "strands/strands.h"

#include <algorithm>
#include <limits>

namespace rivulet {

double StrandModel::inertia_length(std::size_t edge) const
{
    return rest_length[edge] * (scale.empty() ? 1 : cone_inertia(scale[edge], scale[edge + 1]));
}
double StrandModel::stretch_length(std::size_t edge) const
{
    return rest_length[edge] * (scale.empty() ? 1 : cone_stiffness(scale[edge], scale[edge + 1]));
}
double StrandModel::volume_length(std::size_t v) const
{
    if (scale.empty()) return vertex_length(v);
    const double before = v > 0 ? rest_length[v - 1] : 0, after = rest_length[v];
    return 0.5 * ((before > 0 ? before * cone_volume(scale[v], mean_scale(v - 1)) : 0) +
                  (after > 0 ? after * cone_volume(scale[v], mean_scale(v)) : 0));
}
double StrandModel::bend_length(std::size_t v) const
{
    if (scale.empty()) return vertex_length(v);
    return 0.5 * (rest_length[v - 1] * cone_compliance(scale[v], mean_scale(v - 1)) +
                  rest_length[v] * cone_compliance(scale[v], mean_scale(v)));
}

void taper_strand(StrandModel& model, std::int32_t strand, double tip)
{
    RIVULET_VERIFY(tip > 0);
    const auto begin = static_cast<std::size_t>(model.first[static_cast<std::size_t>(strand)]);
    const auto last = static_cast<std::size_t>(model.first[static_cast<std::size_t>(strand) + 1]) - 1;
    double length = 0, at = 0;
    for (std::size_t v = begin; v < last; ++v) length += model.rest_length[v];
    model.scale.resize(model.rest_length.size(), 1);
    for (std::size_t v = begin; v < last; ++v) {
        model.scale[v] = 1 + (tip - 1) * at / length;
        at += model.rest_length[v];
    }
    model.scale[last] = tip;
}

double thinnest_length(const StrandModel& model, std::size_t begin, std::size_t end)
{
    double length = 0, thinnest = std::numeric_limits<double>::infinity();
    for (std::size_t v = begin; v + 1 < end; ++v) {
        length += model.rest_length[v] * cone_volume(model.scale[v], model.scale[v + 1]);
        thinnest = std::min(thinnest, cone_stiffness(model.scale[v], model.scale[v + 1]));
    }
    return length / thinnest;
}

std::vector<double> tapered_masses(const StrandModel& model)
{
    std::vector<double> mass(model.rest_length.size());
    for (std::size_t s = 0; s < model.material.size(); ++s) {
        const RodMaterial& m = model.materials[static_cast<std::size_t>(model.material[s])];
        for (auto v = static_cast<std::size_t>(model.first[s]); v < static_cast<std::size_t>(model.first[s + 1]); ++v)
            mass[v] = m.density * m.area() * model.volume_length(v);
    }
    return mass;
}

} // namespace rivulet
