#include "scene/schema.h"

#include "scene/materials.h"
#include "scene/schema_words.h"

namespace rivulet {
namespace {

using namespace schema_words;

std::vector<Key> pose_keys()
{
    return {
        vector("position", "m", "Where the origin of the shape's frame is put.")
            .between(-kFar, kFar)
            .otherwise("0 0 0 m"),
        nested("rotation", KeyKind::Table, "rotation", "How the shape is turned about its origin.")
            .absent("not turned"),
    };
}

std::vector<Key> moving_keys()
{
    return pose_keys() +
           std::vector<Key>{
               nested("motion", KeyKind::Table, "motion", "Scripted motion; takes the place of position and rotation.")
                   .absent("at rest")
                   .replaces({"position", "rotation"}),
           };
}

std::vector<Key> interval_keys()
{
    return {
        number("start", "s", "Time from which it works.").between(0, kLong).otherwise("0 s"),
        number("stop", "s", "Time at which it ends.").above(0, kLong).absent("never"),
    };
}

Record scene_root()
{
    return {"scene",
            "The scene file.",
            "",
            {
                text("title", "What the scene shows, in a few words.").otherwise("").for_pictures(),
                make_key("include", KeyKind::Texts,
                         "Scene files that are put underneath this one, later files over earlier ones, each relative "
                         "to the file that names it.")
                    .absent("none")
                    .for_pictures(),
                nested("simulation", KeyKind::Table, "simulation", "Resolution, time and accuracy.").mandatory(),
                nested("domain", KeyKind::Table, "domain", "The box that the simulation lives in.").mandatory(),
                named_tables("liquids", "liquid", "The liquids of the scene."),
                named_tables("bodies", "body", "Liquid that is there at the start."),
                named_tables("obstacles", "obstacle", "Solids that liquid cannot enter."),
                named_tables("sources", "source", "Where liquid enters."),
                named_tables("drains", "drain", "Where liquid leaves."),
                named_tables("strands", "strands", "Hair, bristles, yarn: thin elastic rods."),
                table("air", "air", "The air that strands move through."),
                nested("wetting", KeyKind::Table, "wetting", "Liquid on strands: films, what they catch and shed.")
                    .absent("strands stay dry"),
                named_tables("probes", "probe", "Numbers that are written to probes.csv."),
                table("camera", "camera", "Where pictures are taken from.").for_pictures(),
                table("render", "render", "How pictures are drawn.").for_pictures(),
                named_tables("test", "expectation", "Expected numbers: a run that misses one ends with exit code 3.")
                    .for_pictures(),
            }};
}

Record simulation_record()
{
    return {
        "simulation",
        "Resolution, time and accuracy.",
        "",
        {
            number("cell_size", "m", "Edge of a grid cell; eight particles fill a cell.")
                .between(1e-6, 1e3)
                .mandatory(),
            vector("gravity", "m/s2", "Acceleration of free fall.")
                .between(-1e4, 1e4)
                .down()
                .otherwise("0 0 -9.81 m/s2"),
            number("end_time", "s", "Simulated time to reach: the run ends with the first frame at or after it.")
                .above(0, kLong)
                .otherwise("1 s")
                .for_pictures(),
            number("frame_rate", "Hz", "Frames written a simulated second.").between(1e-6, 1e6).otherwise("24 Hz"),
            number("frame_interval", "s", "Simulated time from frame to frame, instead of frame_rate.")
                .between(1e-6, kLong)
                .absent("1/frame_rate")
                .replaces({"frame_rate"}),
            number("max_step", "s", "Largest time step.").between(1e-9, 10).otherwise("10 ms"),
            number("min_step", "s", "Smallest time step: the run fails rather than go below, except to end on a frame.")
                .between(1e-12, 10)
                .otherwise("1e-7 s"),
            number("cfl", "", "Cells that the fastest particle may cross in a step.").between(0.01, 10).otherwise("1"),
            integer(
                "max_retries",
                "Halvings of one step before the run fails. Contacts of strands for which no forces are found end no "
                "run: after three halvings, or after these if they are fewer, the step goes on and "
                "`missed_contacts` counts them; with 0 at once.")
                .between(0, 30)
                .otherwise(std::int64_t{5}),
            number("pressure_tolerance", "", "Divergence left by the pressure solve, as a fraction of a cell a step.")
                .between(1e-14, 0.1)
                .otherwise("1e-7"),
            integer("max_pressure_iterations", "Iterations after which a pressure solve counts as failed.")
                .between(1, 1e6)
                .otherwise(std::int64_t{200}),
            boolean("surface_tension", "Surface tension and contact angles of the liquids; its waves limit the time "
                                       "step, in water to 1.5 ms with cells of 1 mm and to 47 us with cells of 0.1 mm.")
                .otherwise(false),
            number("strand_step", "s", "Largest time step while there are strands.")
                .between(1e-9, 10)
                .otherwise("1 ms"),
            word("strand_integrator", {"euler", "midpoint"},
                 "`euler` damps what the time step cannot resolve; `midpoint` is of second order and damps nothing.")
                .otherwise("euler"),
            word("strand_contact", {"cone", "penalty", "none"},
                 "`cone`: strands touch each other and obstacles, with Coulomb's friction; `penalty`: they push each "
                 "other away before they touch, without friction (both with the integrator `euler` only, and with "
                 "liquid bridges between wet strands); `none`: they pass through everything.")
                .otherwise("cone"),
            number("strand_penalty_stiffness", "Pa", "Push of `penalty`: force per length of strand and of approach.")
                .above(0, 1e12)
                .otherwise("1000 Pa"),
            number("strand_penalty_range", "",
                   "Distance of centre lines at which that push begins, over the one at which strands touch.")
                .between(1.01, 10)
                .otherwise("1.5"),
            integer("seed", "Seed of the random numbers.").between(0, kMaxInteger).otherwise(std::int64_t{1}),
        }};
}

Record domain_record()
{
    return {"domain",
            "The box that the simulation lives in.",
            "",
            {
                vector("lower", "m", "Lower corner.").between(-kFar, kFar).mandatory(),
                vector("upper", "m", "Upper corner.").between(-kFar, kFar).mandatory(),
                table("walls", "walls", "Which sides hold liquid and strands back; one word stands for all six.")
                    .all_at_once(),
                number("friction", "", "Friction of the closed walls with liquid, as that of obstacles.")
                    .between(0, 1)
                    .otherwise("0"),
                number("strand_friction", "",
                       "Coulomb's coefficient of the closed walls; between them and a strand acts the root of the "
                       "product of both.")
                    .between(0, 10)
                    .absent("that of the strand"),
            }};
}

Record walls_record()
{
    std::vector<Key> keys;
    for (const char* side : {"-x", "+x", "-y", "+y", "-z", "+z"})
        keys.push_back(word(side, {"closed", "open"},
                            std::string("The wall at the ") + (side[0] == '-' ? "lower" : "upper") + " end of the " +
                                side[1] + " axis: what passes an open wall is booked and gone.")
                           .otherwise("closed"));
    return {"walls", "The six walls; write the keys with + in quotes: \"+x\".", "", std::move(keys)};
}

Record liquid_record()
{
    const std::string of_material = "that of the material";
    return {"liquid",
            "A Newtonian liquid.",
            "",
            {
                word("material", liquid_material_names(),
                     "Liquid of the library that gives the values left out here. The table's own name says nothing: "
                     "`[liquids.honey]` alone is water.")
                    .otherwise("water"),
                number("density", "kg/m3", "Mass of a unit of volume.").between(1, 1e5).absent(of_material),
                number("viscosity", "Pa s", "Dynamic viscosity.").between(0, 1e6).absent(of_material),
                number("surface_tension", "N/m", "Surface tension against air; 0 turns it off.")
                    .between(0, 10)
                    .absent(of_material),
                number("contact_angle", "rad", "Angle at obstacles and walls, measured through the liquid.")
                    .between(0, 3.14159265358979312)
                    .absent(of_material),
                colour("colour", "Colour in pictures; liquids that mix mix their colours.").absent(of_material),
            }};
}

Record body_record()
{
    return {
        "body", "Liquid that is there at the start.", "",
        std::vector<Key>{
            reference("liquid", {"liquids"}, "The liquid that it is made of.").mandatory(),
            shape_key("shape", "The region that is filled.").mandatory(),
        } + pose_keys() +
            std::vector<Key>{
                vector("velocity", "m/s", "Velocity at the start.").between(-kFast, kFast).otherwise("0 0 0 m/s"),
                vector("angular_velocity", "rad/s", "Angular velocity at the start, about the body's position.")
                    .between(-kTurn, kTurn)
                    .otherwise("0 0 0 rad/s"),
                number("vortex_speed", "m/s",
                       "Largest speed of vortices about z that fill squares, side by side, turning in opposite "
                       "senses (Taylor-Green). A corner of four of them is at the body's position.")
                    .between(-kFast, kFast)
                    .otherwise("0 m/s"),
                number("vortex_size", "m", "Edge of the square that a vortex fills.").above(0, kFar).otherwise("1 m"),
                boolean("jitter", "Moves each particle at random within its eighth of a cell.").otherwise(false),
            }};
}

Record obstacle_record()
{
    return {
        "obstacle", "A solid that liquid cannot enter; it moves as scripted.", "",
        std::vector<Key>{shape_key("shape", "The solid region.").mandatory()} + moving_keys() +
            std::vector<Key>{
                number("friction", "",
                       "0 = liquid slips freely, 1 = liquid sticks. Between them viscous liquid slips over a length "
                       "of 1 cm (1 - f) / f, and liquid of any kind that slips at u is held back by a stress of "
                       "f u (0.1 m/s) times its density.")
                    .between(0, 1)
                    .otherwise("0"),
                number("strand_friction", "",
                       "Coulomb's coefficient of its surface; between it and a strand acts the root of the product "
                       "of both.")
                    .between(0, 10)
                    .absent("that of the strand"),
                colour("colour", "Colour in pictures.").otherwise("0.6 0.6 0.6").for_pictures(),
                boolean("visible", "Whether pictures show it.").otherwise(true).for_pictures(),
                boolean("transparent", "Whether pictures show it as clear glass tinted with `colour`.")
                    .otherwise(false)
                    .for_pictures(),
            }};
}

Record source_record()
{
    return {"source", "A region that is kept full of liquid that moves with `velocity`.", "",
            std::vector<Key>{
                reference("liquid", {"liquids"}, "The liquid that enters.").mandatory(),
                shape_key("shape", "The region that is kept full.").mandatory(),
            } + moving_keys() +
                std::vector<Key>{
                    vector("velocity", "m/s",
                           "Velocity of the liquid in the source's frame, on top of its own motion. It brings this "
                           "speed times the area that the shape shows to the flow, also where it flows obliquely.")
                        .between(-kFast, kFast)
                        .otherwise("0 0 0 m/s"),
                } +
                interval_keys()};
}

Record drain_record()
{
    return {"drain", "A region that takes out, and books, the liquid that enters it.", "",
            std::vector<Key>{shape_key("shape", "The region that takes liquid out.").mandatory()} + moving_keys() +
                interval_keys()};
}

Record shape_record()
{
    const auto length = [](const char* name, const char* documentation) {
        return number(name, "m", documentation).above(0, kFar).mandatory();
    };
    const auto point = [](const char* name, const char* documentation) {
        return vector(name, "m", documentation).between(-kFar, kFar);
    };
    return {
        "shape", "A solid region: a primitive, a mesh, or several put together.", "type",
        std::vector<Key>{
            word("type",
                 {"box", "sphere", "ellipsoid", "capsule", "cylinder", "torus", "plane", "union", "difference", "mesh"},
                 "What the shape is; decides which other keys it has.")
                .mandatory(),
            point("lower", "Lower corner.").mandatory().only({"box"}),
            point("upper", "Upper corner.").mandatory().only({"box"}),
            point("centre", "Centre.").otherwise("0 0 0 m").only({"sphere", "ellipsoid", "torus"}),
            point("start", "Middle of the one end.").mandatory().only({"capsule", "cylinder"}),
            point("end", "Middle of the other end.").mandatory().only({"capsule", "cylinder"}),
            length("radius", "Radius.").only({"sphere", "capsule", "cylinder"}),
            vector("radii", "m", "Half of the lengths along x, y and z.")
                .between(0, kFar)
                .mandatory()
                .only({"ellipsoid"}),
            direction("axis", "Direction that the ring turns about.").otherwise("0 0 1").only({"torus"}),
            length("major_radius", "From the centre to the middle of the tube.").only({"torus"}),
            length("minor_radius", "Radius of the tube.").only({"torus"}),
            point("point", "A point of the plane.").otherwise("0 0 0 m").only({"plane"}),
            direction("normal", "Direction out of the solid half space.").otherwise("0 0 1").only({"plane"}),
            nested("shapes", KeyKind::Tables, "shape",
                   "The shapes that are joined (union), or the first less all the others (difference).")
                .between(1, kMaxParts)
                .mandatory()
                .only({"union", "difference"}),
            make_key("file", KeyKind::File, "A closed mesh as OBJ or PLY, in metres before `scale`.")
                .mandatory()
                .only({"mesh"}),
            number("scale", "", "Factor on the mesh's coordinates.").above(0, 1e6).otherwise("1").only({"mesh"}),
        } + pose_keys()};
}

Record rotation_record()
{
    return {"rotation",
            "A turn about an axis through the origin of the shape's frame.",
            "",
            {
                direction("axis", "Direction of the axis.").otherwise("0 0 1"),
                number("angle", "rad", "Angle, by the right-hand rule.").between(-kTurn, kTurn).mandatory(),
            }};
}

Record motion_record()
{
    return {
        "motion",
        "Scripted rigid motion: keyframes, then a steady drift and spin on top.",
        "",
        {
            nested("keyframes", KeyKind::Tables, "keyframe",
                   "Poses at given times, held before the first and after the last.")
                .between(1, kMaxParts)
                .absent("none"),
            vector("drift", "m/s", "Steady velocity on top of the keyframes.")
                .between(-kFast, kFast)
                .otherwise("0 0 0 m/s"),
            nested("spin", KeyKind::Table, "spin", "Steady turning about the object's origin on top of the keyframes.")
                .absent("none"),
        }};
}

Record keyframe_record()
{
    return {"keyframe",
            "A pose at a time.",
            "",
            {
                number("time", "s", "When.").between(-kLong, kLong).mandatory(),
                vector("position", "m", "Where the object's origin is.").between(-kFar, kFar).otherwise("0 0 0 m"),
                nested("rotation", KeyKind::Table, "rotation",
                       "How the object is turned; angles beyond half a turn are turned through.")
                    .absent("not turned"),
                word("easing", {"linear", "smooth", "in", "out", "step"},
                     "How the motion goes from here to the next keyframe.")
                    .otherwise("linear"),
            }};
}

Record spin_record()
{
    return {"spin",
            "Steady turning.",
            "",
            {
                direction("axis", "Direction of the axis, in the world's frame.").otherwise("0 0 1"),
                number("rate", "rad/s", "Angular velocity, by the right-hand rule.").between(-kTurn, kTurn).mandatory(),
            }};
}

Record camera_record()
{
    return {
        "camera",
        "Where pictures are taken from.",
        "",
        {
            vector("position", "m", "Where the camera is.").between(-kFar, kFar).absent("frames the scene by itself"),
            vector("target", "m", "Point that it looks at.").between(-kFar, kFar).absent("the middle of the domain"),
            direction("up", "Direction that is up in the picture.").otherwise("0 0 1"),
            number("field_of_view", "rad", "Vertical angle of view.").between(0.01, 3).otherwise("0.6 rad"),
        }};
}

Record render_record()
{
    return {"render",
            "How pictures are drawn.",
            "",
            {
                integer("width", "Width of a picture in pixels.").between(16, 16384).otherwise(std::int64_t{960}),
                integer("height", "Height of a picture in pixels.").between(16, 16384).otherwise(std::int64_t{540}),
                integer("samples", "Light paths a pixel: more is slower and less grainy.")
                    .between(1, 65536)
                    .otherwise(std::int64_t{16}),
                direction("sun_direction", "Direction towards the sun.").otherwise("-0.6 0.25 0.8"),
                boolean("ground", "A large floor under the domain.").otherwise(true),
                boolean("particles", "Liquid as spheres instead of a surface.").otherwise(false),
                word("colour_by", {"material", "strand", "speed", "tension", "strain", "contact", "film"},
                     "What the colour of strands shows: `material`: their own colour, each a little lighter or darker; "
                     "`strand`: which is which; or along each strand, from dark blue to light yellow, its speed, "
                     "elastic tension or strain, the force of what it touches, or the thickness of the film on it.")
                    .otherwise("material"),
                number("colour_from", "", "Value that is dark blue, in the unit of what `colour_by` shows.")
                    .between(-1e300, 1e300)
                    .any_unit()
                    .absent("the smallest of the frame"),
                number("colour_to", "", "Value that is light yellow.")
                    .between(-1e300, 1e300)
                    .any_unit()
                    .absent("the largest of the frame"),
            }};
}

Record expectation_record()
{
    return {"expectation",
            "A number that the run must reach.",
            "",
            {
                text("quantity", "A column of probes.csv, or a path of report.json such as \"ledger.relative_error\".")
                    .mandatory(),
                word("when", {"final", "minimum", "maximum", "mean", "cycles"},
                     "How the values of the run become one number; `cycles` counts how often they rise from the lowest "
                     "quarter of their range to the highest.")
                    .otherwise("final"),
                number("from", "s", "Earlier values do not count.").between(0, 1e6).otherwise("0 s"),
                number("value", "", "The expected number.").between(-1e300, 1e300).any_unit().mandatory(),
                number("tolerance", "", "Largest difference from `value` that passes.")
                    .between(0, 1e300)
                    .any_unit()
                    .mandatory(),
            }};
}

} // namespace

const std::vector<Record>& scene_records()
{
    static const std::vector<Record> kRecords{
        scene_root(),        simulation_record(),  domain_record(),       walls_record(),   liquid_record(),
        body_record(),       obstacle_record(),    source_record(),       drain_record(),   shape_record(),
        rotation_record(),   motion_record(),      keyframe_record(),     spin_record(),    probe_record(),
        camera_record(),     render_record(),      expectation_record(),  strands_record(), strand_point_record(),
        strand_pin_record(), strand_load_record(), strand_joint_record(), air_record(),     wetting_record(),
        film_record()};
    return kRecords;
}

} // namespace rivulet
