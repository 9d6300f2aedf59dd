#include "scene/materials.h"
#include "scene/schema.h"
#include "scene/schema_words.h"

namespace rivulet {
namespace {

using namespace schema_words;

constexpr double kThick = 0.1; // largest radius of a strand [m]
constexpr double kManyVertices = 1e7;

std::vector<Key> material_keys()
{
    const std::string of_material = "that of the material";
    return {
        word("material", strand_material_names(), "Material of the library that gives the values left out here.")
            .otherwise("human_hair"),
        number("density", "kg/m3", "Mass of a unit of volume.").between(1, 1e5).absent(of_material),
        number("youngs_modulus", "Pa", "Stiffness against stretching and bending.")
            .between(1, 1e13)
            .absent(of_material),
        number("shear_modulus", "Pa", "Stiffness against twisting.").between(1, 1e13).absent(of_material),
        number("internal_viscosity", "Pa s",
               "Resistance against changes of shape, three times as much against stretching and bending as against "
               "twisting (Trouton); 0 = none.")
            .between(0, 1e12)
            .absent(of_material),
        number("friction", "", "Coulomb's coefficient of its surface.").between(0, 10).absent(of_material),
        number("radius", "m", "Larger half axis of the elliptical section.").between(1e-7, kThick).absent(of_material),
        number("tip_radius", "m",
               "Larger half axis at the last vertex, down to a hundredth of `radius`, which then is that at the first: "
               "linear between along the strand, the smaller half axis likewise. Films lie on the strand as thick as "
               "it is "
               "where they are.")
            .between(1e-9, kThick)
            .absent("as thick as `radius` all along"),
        number("radius_variation", "", "Largest random difference of a strand's radius, either way, as a part of it.")
            .between(0, 0.5)
            .otherwise("0")
            .only({"groom", "bundle", "noodles"}),
        number("stiffness_variation", "",
               "Largest random difference of a strand's moduli and internal viscosity, either way, as a part of them.")
            .between(0, 0.9)
            .otherwise("0")
            .only({"groom", "bundle", "noodles"}),
        number("flatness", "", "Smaller half axis of the section as a part of the larger.")
            .between(0.05, 1)
            .otherwise("1"),
        colour("colour", "Colour in pictures.").absent(of_material).for_pictures(),
        number("picture_radius", "m", "Radius in pictures, where hair of its own thickness would be lost.")
            .between(1e-7, kThick)
            .absent("the real one")
            .for_pictures(),
        integer("picture_strands",
                "Strands that pictures draw for each one: itself, and others beside it that only pictures know.")
            .between(1, 1000)
            .otherwise(std::int64_t{1})
            .for_pictures(),
        number("picture_spread", "m", "How far from it, at the root, those are drawn.")
            .between(0, 10)
            .otherwise("5 mm")
            .for_pictures(),
        number("picture_clump", "", "Part by which they are nearer to it at the tip; 1 = all end where it does.")
            .between(0, 1)
            .otherwise("0.5")
            .for_pictures(),
    };
}

std::vector<Key> groom_keys()
{
    const std::vector<std::string> groom{"groom"};
    return {
        reference("obstacle", {"obstacles"}, "Obstacle that the strands grow on and move with.")
            .mandatory()
            .only(groom),
        shape_key("region", "They grow only where the surface lies inside (frame of the obstacle).")
            .absent("everywhere")
            .only(groom),
        integer("count", "Number of strands.").between(1, 1e6).absent("as `roots_per_area` says").only(groom),
        number("roots_per_area", "1/m2", "Strands on a unit of area, instead of `count`.")
            .above(0, 1e12)
            .absent("as `count` says")
            .replaces({"count"})
            .only(groom),
        number("length", "m", "Length of a strand, along its curls.").above(0, 1e3).mandatory().only(groom),
        number("length_variation", "", "Largest random shortening, as a part of the length.")
            .between(0, 0.9)
            .otherwise("0")
            .only(groom),
        number("bend", "rad", "Angle that a strand turns by, from root to tip, towards `bend_direction`.")
            .between(0, 6)
            .otherwise("0 rad")
            .only(groom),
        direction("bend_direction", "Where strands bend to (frame of the obstacle).").otherwise("0 0 -1").only(groom),
        number("randomness", "", "How far each strand strays from its way; 1 = by about a tenth of its length.")
            .between(0, 3)
            .otherwise("0")
            .only(groom),
        integer("clumps", "The first strands, so many, draw all others that are nearest to them into clumps; 0 = none.")
            .between(0, 2000)
            .otherwise(std::int64_t{0})
            .only(groom),
        number("clump", "", "How far tips are drawn to that of their clump: 1 = to the same place. Needs `clumps`.")
            .between(0, 1)
            .absent("0.5")
            .only(groom),
        number("taper", "", "Part by which the whole tuft is narrower at its tips than at its roots.")
            .between(0, 1)
            .otherwise("0")
            .only(groom),
    };
}

std::vector<Key> curl_keys()
{
    const std::vector<std::string> curled{"groom", "bundle"};
    return {
        integer("vertices", "Vertices of each strand.")
            .between(3, 2000)
            .otherwise(std::int64_t{25})
            .only({"groom", "bundle", "noodles"}),
        number("curl_radius", "m", "Radius of the helix that a strand rests in; 0 = straight.")
            .between(0, 1)
            .otherwise("0 m")
            .only(curled),
        number("curl_pitch", "m", "Way along the helix' axis from turn to turn.")
            .above(0, 10)
            .otherwise("1 cm")
            .only(curled),
    };
}

std::vector<Key> patch_keys()
{
    const std::vector<std::string> patch{"woven", "knitted"};
    const auto number_of = [&](const char* name, const char* documentation) {
        return integer(name, documentation).between(1, 10000).mandatory().only(patch);
    };
    return {
        number_of("rows", "Yarns along x (`woven`), or rows of loops, a yarn each (`knitted`)."),
        number_of("columns", "Yarns along y (`woven`), or loops of a row (`knitted`)."),
        number("spacing", "m", "Distance of neighbouring yarns (`woven`) or loops (`knitted`).")
            .above(0, 10)
            .mandatory()
            .only(patch),
        number("amplitude", "m", "How far each yarn goes up and down from the middle of the cloth.")
            .above(0, 1)
            .absent("1.05 times the radius")
            .only({"woven"}),
        integer("edges", "Edges from crossing to crossing.").between(4, 100).otherwise(std::int64_t{8}).only({"woven"}),
        integer("edges", "Edges of a loop.").between(16, 400).otherwise(std::int64_t{32}).only({"knitted"}),
    };
}

std::vector<Key> noodle_keys()
{
    const std::vector<std::string> noodles{"noodles"};
    return {
        integer("count", "Number of strands.").between(1, 1e6).mandatory().only(noodles),
        integer("per_layer", "Strands side by side in a layer.").between(1, 1e6).mandatory().only(noodles),
        number("length", "m", "Length of a strand, along its waves.").above(0, 1e3).mandatory().only(noodles),
        number("spacing", "m", "Distance of neighbouring strands' axes, and of layers.")
            .above(0, 10)
            .absent("three times the radius")
            .only(noodles),
        number("wave_height", "m", "From crest to trough of the waves; 0 = straight.")
            .between(0, 10)
            .otherwise("0 m")
            .only(noodles),
        number("wave_length", "m", "From crest to crest.").above(0, 10).otherwise("5 cm").only(noodles),
    };
}

std::vector<Key> shared_keys()
{
    const std::vector<std::string> placed{"file", "woven", "knitted", "noodles"};
    return {
        integer("seed", "Seed of the random numbers of these strands.")
            .between(0, kMaxInteger)
            .otherwise(std::int64_t{1})
            .only({"groom", "bundle", "noodles"}),
        vector("position", "m", "Where the origin of the strands' frame is put.")
            .between(-kFar, kFar)
            .otherwise("0 0 0 m")
            .only(placed),
        nested("rotation", KeyKind::Table, "rotation", "How the strands are turned about that origin.")
            .absent("not turned")
            .only(placed),
    };
}

std::vector<Key> bundle_keys()
{
    const std::vector<std::string> bundle{"bundle"};
    return {
        integer("count", "Number of strands, side by side in the closest packing.")
            .between(1, 1e6)
            .otherwise(std::int64_t{1})
            .only(bundle),
        vector("start", "m", "Where the axis of the bundle begins (world frame).")
            .between(-kFar, kFar)
            .mandatory()
            .only(bundle),
        vector("end", "m", "Where it ends.").between(-kFar, kFar).mandatory().only(bundle),
        direction("row", "Strands lie in a row across the axis, in this direction.")
            .absent("the closest packing")
            .only(bundle),
        number("spacing", "m", "Distance of neighbouring strands' axes.")
            .above(0, 10)
            .absent("three times the radius")
            .only(bundle),
    };
}

std::vector<Key> file_keys()
{
    const std::vector<std::string> file{"file"};
    return {
        make_key(
            "file", KeyKind::File,
            "Polylines as OBJ (lines), PLY (edges) or HAIR (Cem Yuksel's format), in metres before `scale`; strands "
            "begin where the lines do.")
            .mandatory()
            .only(file),
        number("scale", "", "Factor on the coordinates, and on the thickness that a HAIR file may give its points.")
            .above(0, 1e6)
            .otherwise("1")
            .only(file),
        number("thickness_scale", "",
               "Another factor on that thickness. Each strand has the radius that is half of its mean, and the mean "
               "of the colours of its points, unless `radius` or `colour` are given here: then all have those.")
            .above(0, 1e6)
            .otherwise("1")
            .only(file),
        integer("vertices", "Vertices that are spread evenly along each strand.")
            .between(3, 2000)
            .absent("those of the file")
            .only(file),
        integer("count", "Number of strands that are taken, evenly from the first to the last of the file.")
            .between(1, 1e6)
            .absent("all")
            .only(file),
    };
}

std::vector<Key> polyline_keys()
{
    const std::vector<std::string> polyline{"polyline"};
    return {
        reference("obstacle", {"obstacles"}, "Obstacle that its beginning is held by and moves with.")
            .absent("the world")
            .only({"polyline", "bundle", "file", "woven", "knitted", "noodles"}),
        nested("points", KeyKind::Tables, "strand_point", "Its vertices at rest and at the start, at least three.")
            .between(3, kMaxParts)
            .mandatory()
            .only(polyline),
        direction("director", "A direction across the first edge: that of the larger half axis of the section.")
            .absent("any")
            .only(polyline),
        vector("tip_load", "N", "Force on the last vertex.").between(-1e6, 1e6).absent("none").only(polyline),
    };
}

} // namespace

Record strands_record()
{
    return {
        "strands", "Thin elastic rods of one material.", "kind",
        std::vector<Key>{word("kind", {"groom", "polyline", "bundle", "file", "woven", "knitted", "noodles"},
                              "`groom`: many that grow on an obstacle; `polyline`: one, vertex by vertex; `bundle`: "
                              "straight ones or helices side by side; `file`: those of a file; `woven`: a patch in "
                              "plain weave; `knitted`: one in stockinette; `noodles`: wavy ones in layers.")
                             .mandatory()} +
            groom_keys() + bundle_keys() + curl_keys() + patch_keys() + noodle_keys() + file_keys() + shared_keys() +
            polyline_keys() + material_keys() +
            std::vector<Key>{
                word("held", {"clamp", "pin", "free"},
                     "How the beginning is held: its first edge with its frame (which then bends from the middle of "
                     "that edge on), its first vertex, or not at all.")
                    .otherwise("clamp"),
                number("release", "s", "Time at which the beginning is let go.").between(0, kLong).absent("never"),
                boolean("sag_free",
                        "Strands rest such that gravity does not move them at the start; they must be held by their "
                        "clamped beginnings alone.")
                    .otherwise(false),
                nested("film", KeyKind::Table, "film", "Liquid on them at the start; needs [wetting].").absent("none"),
                nested("pins", KeyKind::Tables, "strand_pin", "What else holds each strand.")
                    .between(0, kMaxParts)
                    .otherwise(Value{Value::List{}, {}, {}}, "none"),
                nested("loads", KeyKind::Tables, "strand_load", "Forces on each strand.")
                    .between(0, kMaxParts)
                    .otherwise(Value{Value::List{}, {}, {}}, "none"),
                nested("joints", KeyKind::Tables, "strand_joint", "What each strand is tied to.")
                    .between(0, kMaxParts)
                    .otherwise(Value{Value::List{}, {}, {}}, "none"),
            }};
}

Record strand_point_record()
{
    return {"strand_point",
            "A vertex of a strand.",
            "",
            {vector("position", "m", "Where it is at the start (world frame).").between(-kFar, kFar).mandatory()}};
}

Record strand_pin_record()
{
    return {"strand_pin",
            "Holds a vertex where it is at the start, or moves it with an obstacle.",
            "",
            {
                integer("vertex", "Number of the vertex, from 0; below 0 counted from the end.")
                    .between(-kManyVertices, kManyVertices)
                    .mandatory(),
                reference("obstacle", {"obstacles"}, "Obstacle that it moves with.").absent("the world"),
                word("held", {"pin", "clamp"}, "`clamp` holds the edge that begins there too, with its frame.")
                    .otherwise("pin"),
                number("release", "s", "Time at which it is let go.").between(0, kLong).absent("never"),
            }};
}

Record strand_load_record()
{
    return {"strand_load",
            "A steady force on a vertex.",
            "",
            {
                integer("vertex", "Number of the vertex, from 0; below 0 counted from the end.")
                    .between(-kManyVertices, kManyVertices)
                    .otherwise(std::int64_t{-1}),
                vector("force", "N", "The force (world frame).").between(-1e6, 1e6).mandatory(),
                number("start", "s", "Time from which it acts.").between(0, kLong).otherwise("0 s"),
                number("stop", "s", "Time at which it ends.").above(0, kLong).absent("never"),
            }};
}

Record strand_joint_record()
{
    return {"strand_joint",
            "A knot that ties a vertex of each strand to the nearest place of another strand, free to turn about it. "
            "Strands do not touch each other within three edges of a knot.",
            "",
            {
                integer("vertex", "Number of the vertex, from 0; below 0 counted from the end.")
                    .between(-kManyVertices, kManyVertices)
                    .otherwise(std::int64_t{-1}),
                reference("strands", {"strands"}, "Group of strands to which it is tied; may be its own.").mandatory(),
                number("within", "m", "Farthest place that it is tied to; places that are apart are drawn together.")
                    .above(0, 1)
                    .otherwise("1 mm"),
            }};
}

Record air_record()
{
    return {
        "air",
        "The air that strands move through; it resists across them about twice as much as along them.",
        "",
        {
            number("density", "kg/m3", "Mass of a unit of volume; 0 = no drag.").between(0, 1e4).otherwise("1.2 kg/m3"),
            number("viscosity", "Pa s", "Dynamic viscosity.").above(0, 1e3).otherwise("1.8e-5 Pa s"),
            vector("wind", "m/s", "Velocity of the air.").between(-kFast, kFast).otherwise("0 0 0 m/s"),
        }};
}

} // namespace rivulet
