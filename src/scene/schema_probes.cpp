#include "scene/schema.h"
#include "scene/schema_words.h"
#include "sim/liquid_fields.h"

namespace rivulet {
namespace {

using namespace schema_words;

std::vector<std::string> field_names()
{
    std::vector<std::string> names;
    for (const FieldName& field : liquid_fields()) names.push_back(field.name);
    return names;
}

std::vector<Key> strand_probe_keys()
{
    constexpr double kMany = 1e7;
    const auto vertex = [](const char* documentation) {
        return integer("vertex", documentation).between(-kMany, kMany);
    };
    return {
        reference("object", {"strands"}, "Strands that are measured.")
            .mandatory()
            .only({"strand_position", "strand_tension", "strand_length", "strand_twist", "strand_strain",
                   "strand_kinetic", "film_volume", "film_centre", "film_thickness", "film_shed", "film_shed_rate",
                   "bridges", "clusters", "largest_cluster", "mean_cluster"}),
        integer("strand", "Number of the strand in its group, from 0.")
            .between(0, kMany)
            .otherwise(std::int64_t{0})
            .only({"strand_position", "strand_tension", "strand_length", "strand_twist"}),
        vertex("Number of the vertex, from 0; below 0 counted from the end.")
            .otherwise(std::int64_t{-1})
            .only({"strand_position"}),
        vertex("Number of the vertex at which the edge begins, from 0; below 0 counted from the end.")
            .mandatory()
            .only({"strand_tension"}),
        vertex("Only bridges at this vertex of each strand count, numbered from 0; below 0 counted from the end.")
            .absent("bridges anywhere")
            .only({"clusters", "largest_cluster", "mean_cluster"}),
    };
}

} // namespace

Record probe_record()
{
    const std::vector<std::string> of_field{"mean", "minimum", "maximum", "value"};
    const std::vector<std::string> of_region{"volume", "mean", "minimum", "maximum", "centre_of_mass", "kinetic"};
    const std::vector<std::string> of_liquid{"volume", "mean",    "minimum",       "maximum",    "centre_of_mass",
                                             "value",  "kinetic", "caught_volume", "shed_volume"};
    return {
        "probe", "A number that is written to probes.csv, in SI.", "kind",
        std::vector<Key>{
            word("kind", {"volume",          "mean",           "minimum",      "maximum",
                          "centre_of_mass",  "force",          "torque",       "value",
                          "kinetic",         "caught_volume",  "shed_volume",  "strand_position",
                          "strand_tension",  "strand_length",  "strand_twist", "strand_strain",
                          "strand_kinetic",  "film_volume",    "film_centre",  "film_thickness",
                          "film_shed",       "film_shed_rate", "bridges",      "clusters",
                          "largest_cluster", "mean_cluster"},
                 "What is measured; `kinetic` is the kinetic energy, `force` and `torque` are those on an obstacle, "
                 "`caught_volume` and `shed_volume` are what strands have caught of the liquid and shed since the "
                 "start, `strand_tension` is the elastic pull of an edge, `strand_twist` the angle from the beginning "
                 "of a "
                 "strand to its end, `strand_strain` the largest change of an edge's length as a part of it, "
                 "`film_volume` the liquid on "
                 "strands and hanging from their tips, `film_centre` its centre of mass, `film_thickness` the "
                 "greatest thickness of their films, `film_shed` what fell off them since the start, `film_shed_rate` "
                 "the same per second since the last frame, `bridges` how many pairs of edges, and of edges and "
                 "obstacles, liquid joins in the air, `clusters` how many groups of strands it joins them to, lone "
                 "ones counted, "
                 "`largest_cluster` and `mean_cluster` how many strands are in these; strands of other groups join "
                 "them, but "
                 "do not count.")
                .mandatory(),
            word("field", field_names(), "Field of the liquid that is measured.").mandatory().only(of_field),
            reference("object", {"liquids"}, "Liquid that is measured.").absent("all liquids").only(of_liquid),
            reference("object", {"obstacles"}, "Obstacle that liquid and strands push on.")
                .mandatory()
                .only({"force", "torque"}),
            vector("point", "m", "Where the field is read.").between(-kFar, kFar).mandatory().only({"value"}),
            shape_key("region", "Only what is inside counts (world frame).").absent("everywhere").only(of_region),
        } + strand_probe_keys() +
            std::vector<Key>{
                word("every", {"step", "frame"}, "How often a row is written.").otherwise("frame"),
            }};
}

} // namespace rivulet
