#include "run/strand_colours.h"

#include "base/rng.h"
#include "render/colour_map.h"
#include "strands/taper.h"

#include <fmt/format.h>

#include <algorithm>

namespace rivulet {
namespace {

/// A quantity at the vertices of strands, with its name and unit.
struct StrandField {
    const char *name, *unit;
    std::vector<double> value;
};

/// Values of edges, stored where they begin, as those of vertices: the mean of both beside it.
std::vector<double> at_vertices(const Frame& frame, const std::vector<double>& edge)
{
    std::vector<double> value(edge.size());
    for (std::size_t s = 0; s + 1 < frame.strand_first.size(); ++s) {
        const auto begin = static_cast<std::size_t>(frame.strand_first[s]);
        const auto last = static_cast<std::size_t>(frame.strand_first[s + 1]) - 1;
        for (std::size_t v = begin; v <= last; ++v)
            value[v] = 0.5 * (edge.at(v > begin ? v - 1 : v) + edge.at(v < last ? v : v - 1));
    }
    return value;
}

std::vector<double> tensions(const StrandModel& strands, const Frame& frame)
{
    std::vector<double> tension = frame.strand_strain;
    for (std::size_t s = 0; s < strands.material.size(); ++s) {
        const RodMaterial& m = strands.materials[static_cast<std::size_t>(strands.material[s])];
        for (auto v = static_cast<std::size_t>(strands.first[s]);
             v + 1 < static_cast<std::size_t>(strands.first[s + 1]); ++v)
            tension.at(v) *= m.youngs_modulus * m.area() * cone_stiffness(strands.scale_at(v), strands.scale_at(v + 1));
    }
    return tension;
}

StrandField field_of(const Scene& scene, const Frame& frame)
{
    switch (scene.render.colour_by) {
    case StrandColour::Tension:
        return {"tension", "N", at_vertices(frame, tensions(scene.model.strands, frame))};
    case StrandColour::Strain:
        return {"strain", "", at_vertices(frame, frame.strand_strain)};
    case StrandColour::Contact:
        return {"contact", "N", frame.strand_contact};
    case StrandColour::Film:
        return {"film", "m", frame.film_thickness};
    default:
        break;
    }
    std::vector<double> speed;
    for (const Vec3& v : frame.strand_velocity) speed.push_back(v.norm());
    return {"speed", "m/s", std::move(speed)};
}

/// One colour a strand.
std::vector<Vec3> whole_strands(const Scene& scene, const Frame& frame)
{
    std::vector<Vec3> colours;
    for (const StrandGroup& group : scene.model.strand_groups)
        for (std::int32_t n = 0; n < group.n_strands; ++n) {
            const auto s = static_cast<std::size_t>(group.first_strand + n);
            const Vec3 colour = scene.render.colour_by == StrandColour::Strand
                                    ? map_colour(random_unit(2, 0, s))
                                    : group.colour_of(static_cast<std::size_t>(n));
            colours.insert(colours.end(),
                           static_cast<std::size_t>(frame.strand_first.at(s + 1) - frame.strand_first.at(s)), colour);
        }
    return colours;
}

} // namespace

StrandColours strand_colours(const Scene& scene, const Frame& frame)
{
    const StrandColour by = scene.render.colour_by;
    if (by == StrandColour::Material || by == StrandColour::Strand || frame.strand_position.empty())
        return {whole_strands(scene, frame), ""};
    const StrandField field = field_of(scene, frame);
    const auto [least, most] = std::minmax_element(field.value.begin(), field.value.end());
    const double from = scene.render.colour_from.value_or(*least), to = scene.render.colour_to.value_or(*most);
    StrandColours colours;
    for (const double value : field.value) // a frame of one value, or beyond the end that is given: that end
        colours.colour.push_back(map_colour(to > from ? (value - from) / (to - from) : 0));
    colours.legend = fmt::format("{} {:.4g} to {:.4g}{}{}", field.name, from, to, *field.unit ? " " : "", field.unit);
    return colours;
}

} // namespace rivulet
