#include "scene/schema.h"
#include "scene/schema_words.h"

namespace rivulet {

using namespace schema_words;

Record wetting_record()
{
    return {
        "wetting",
        "How strands are wetted: a film flows along each, hangs from its tip, catches liquid and drips; liquid around "
        "them drags and lifts them.",
        "",
        {
            reference("liquid", {"liquids"}, "The liquid of the films; strands take up no other.").mandatory(),
            number("contact_angle", "rad", "Angle on strands, measured through the liquid.")
                .between(0, 3.14159265358979312)
                .absent("that of the liquid"),
            boolean("tension", "Surface tension along the films: evens them out and makes them bead.").otherwise(true),
            boolean("beading",
                    "The part of `tension` that makes films bead; `false` leaves the part that evens them out.")
                .otherwise(true),
            boolean("friction", "Viscosity holds films back.").otherwise(true),
            boolean("flow", "Films run along the strands; `false` leaves them where they are, for comparison.")
                .otherwise(true),
            boolean("inertia",
                    "Films lag behind strands that speed up, are stopped or turn, so that they run outwards on what "
                    "turns; `false` takes them along, for comparison.")
                .otherwise(true),
            integer("film_parts",
                    "Parts of a strand's edge on the mesh of its film, an odd number: more follow beads that are "
                    "shorter than a few edges, at a cost that goes with them.")
                .between(1, 9)
                .otherwise(std::int64_t{1}),
            word("momentum", {"transport", "mass_only", "rescale"},
                 "Velocity of strands where liquid comes and goes: `transport` is right; `mass_only` leaves it, "
                 "`rescale` divides by the mass. The latter two are there for comparison and do not keep momentum.")
                .otherwise("transport"),
            boolean("bridges", "Liquid between strands, and between strands and obstacles, draws them together, unless "
                               "simulation.strand_contact is \"none\".")
                .otherwise(true),
            word("shares", {"even", "alike"},
                 "How the bridges of a strand share its liquid at each place: `even`, as published; `alike`, by the "
                 "squares of their lengths, so that they have one shape, and a strand between a near one and a far one "
                 "is not drawn to the far one.")
                .otherwise("even"),
            boolean("spreading", "Liquid passes through these bridges from strand to strand, drawn by their suction.")
                .otherwise(false),
            boolean("capture", "Strands take up liquid that they touch.").otherwise(true),
            number("capture_time", "s", "Time in which a film under liquid fills to 63 %.")
                .above(0, kLong)
                .otherwise("0.1 s"),
            number("thickest", "", "Outer radius that they fill their films to, in radii of the strand.")
                .between(1.01, 1000)
                .otherwise("6"),
            boolean("dripping", "What strands cannot hold falls off, in drops of a quarter of a particle or more.")
                .otherwise(true),
            number("drip_factor", "", "Its square times what surface tension could hold at most is held.")
                .between(0.001, 1000)
                .otherwise("0.5"),
            boolean("drag", "Liquid that strands are in drags them along, and they it.").otherwise(true),
            boolean("buoyancy", "Its pressure lifts them, and they take its space.").otherwise(true),
        }};
}

Record film_record()
{
    return {
        "film",
        "A film of one thickness on a part of each strand.",
        "",
        {
            number("thickness", "m", "From the surface of the strand to that of the film.").between(0, 0.1).mandatory(),
            number("from", "", "Where it begins, as a part of the strand's length from its beginning.")
                .between(0, 1)
                .otherwise("0"),
            number("to", "", "Where it ends.").between(0, 1).otherwise("1"),
        }};
}

} // namespace rivulet
