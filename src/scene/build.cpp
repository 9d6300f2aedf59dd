#include "scene/build.h"

#include "base/error.h"
#include "scene/read.h"

#include <algorithm>
#include <limits>

namespace rivulet {
namespace {

Options build_options(const Value& simulation)
{
    Options options;
    options.cell_size = number(simulation, "cell_size");
    options.gravity = vector(simulation, "gravity");
    options.end_time = number(simulation, "end_time");
    const Value* interval = simulation.find("frame_interval");
    options.frame_interval = interval ? number(simulation, "frame_interval") : 1 / number(simulation, "frame_rate");
    options.max_step = number(simulation, "max_step");
    options.min_step = number(simulation, "min_step");
    options.cfl = number(simulation, "cfl");
    options.max_retries = integer(simulation, "max_retries");
    options.pressure_tolerance = number(simulation, "pressure_tolerance");
    options.max_pressure_iterations = integer(simulation, "max_pressure_iterations");
    options.surface_tension = get<bool>(simulation, "surface_tension");
    options.strand_step = number(simulation, "strand_step");
    options.strand_integrator =
        text(simulation, "strand_integrator") == "midpoint" ? StrandIntegrator::Midpoint : StrandIntegrator::Euler;
    const std::string contact = text(simulation, "strand_contact");
    options.strand_contact = contact == "none"      ? StrandContactLaw::None
                             : contact == "penalty" ? StrandContactLaw::Penalty
                                                    : StrandContactLaw::Cone;
    options.strand_penalty = {number(simulation, "strand_penalty_stiffness"),
                              number(simulation, "strand_penalty_range")};
    options.seed = static_cast<std::uint64_t>(get<std::int64_t>(simulation, "seed"));
    return options;
}

Domain build_domain(const Value& table)
{
    Domain domain;
    domain.box = {vector(table, "lower"), vector(table, "upper")};
    const Value& walls = *table.find("walls");
    std::size_t side = 0;
    for (const char* name : {"-x", "+x", "-y", "+y", "-z", "+z"})
        domain.walls.at(side++) = text(walls, name) == "open" ? Wall::Open : Wall::Closed;
    domain.friction = number(table, "friction");
    if (table.find("strand_friction")) domain.strand_friction = number(table, "strand_friction");
    return domain;
}

Liquid build_liquid(const std::string& name, const Value& table)
{
    return {name,
            number(table, "density"),
            number(table, "viscosity"),
            number(table, "surface_tension"),
            number(table, "contact_angle"),
            vector(table, "colour")};
}

ProbeKind probe_kind(const std::string& word)
{
    static const std::map<std::string, ProbeKind, std::less<>> kKinds{{"volume", ProbeKind::Volume},
                                                                      {"mean", ProbeKind::Mean},
                                                                      {"minimum", ProbeKind::Minimum},
                                                                      {"maximum", ProbeKind::Maximum},
                                                                      {"force", ProbeKind::Force},
                                                                      {"centre_of_mass", ProbeKind::CentreOfMass},
                                                                      {"torque", ProbeKind::Torque},
                                                                      {"value", ProbeKind::Value},
                                                                      {"kinetic", ProbeKind::Kinetic},
                                                                      {"caught_volume", ProbeKind::CaughtVolume},
                                                                      {"shed_volume", ProbeKind::ShedVolume},
                                                                      {"strand_position", ProbeKind::StrandPosition},
                                                                      {"strand_tension", ProbeKind::StrandTension},
                                                                      {"strand_length", ProbeKind::StrandLength},
                                                                      {"strand_twist", ProbeKind::StrandTwist},
                                                                      {"strand_strain", ProbeKind::StrandStrain},
                                                                      {"strand_kinetic", ProbeKind::StrandKinetic},
                                                                      {"film_volume", ProbeKind::FilmVolume},
                                                                      {"film_centre", ProbeKind::FilmCentre},
                                                                      {"film_thickness", ProbeKind::FilmThickness},
                                                                      {"bridges", ProbeKind::Bridges},
                                                                      {"clusters", ProbeKind::Clusters},
                                                                      {"largest_cluster", ProbeKind::LargestCluster},
                                                                      {"mean_cluster", ProbeKind::MeanCluster},
                                                                      {"film_shed", ProbeKind::FilmShed},
                                                                      {"film_shed_rate", ProbeKind::FilmShedRate}};
    return kKinds.at(word);
}

class ModelBuilder {
public:
    ModelBuilder(const Value& root, const ShapeMap& shapes, const CurveMap& curves)
        : root_(root), shapes_(shapes), curves_(curves)
    {
    }

    Model build()
    {
        model_.title = text(root_, "title");
        model_.options = build_options(*root_.find("simulation"));
        model_.domain = build_domain(*root_.find("domain"));
        for (const auto& [name, table] : group("liquids")) model_.liquids.push_back(build_liquid(name, table));
        for (const auto& [name, table] : group("bodies")) model_.bodies.push_back(body(name, table));
        for (const auto& [name, table] : group("obstacles")) model_.obstacles.push_back(obstacle(name, table));
        for (const auto& [name, table] : group("sources")) model_.sources.push_back(source(name, table));
        for (const auto& [name, table] : group("drains")) model_.drains.push_back(drain(name, table));
        build_strands(root_, curves_, model_);
        for (const auto& [name, table] : group("probes")) model_.probes.push_back(probe(name, table));
        model_.measures_loads = std::ranges::any_of(model_.probes, [](const Probe& probe) {
            return probe.kind == ProbeKind::Force || probe.kind == ProbeKind::Torque;
        });
        return std::move(model_);
    }

private:
    static constexpr double kNever = std::numeric_limits<double>::infinity();

    [[nodiscard]] const Value::Table& group(std::string_view name) const { return get<Value::Table>(root_, name); }
    [[nodiscard]] const std::shared_ptr<const Shape>& shape(const Value& table) const
    {
        return shapes_.at(table.find("shape"));
    }
    [[nodiscard]] int liquid_index(const Value& table) const
    {
        const auto& liquids = group("liquids");
        return static_cast<int>(std::distance(liquids.begin(), liquids.find(text(table, "liquid"))));
    }

    [[nodiscard]] LiquidBody body(const std::string& name, const Value& table) const
    {
        return {name,
                shape(table),
                build_pose(table),
                liquid_index(table),
                vector(table, "velocity"),
                vector(table, "angular_velocity"),
                number(table, "vortex_speed"),
                number(table, "vortex_size"),
                get<bool>(table, "jitter")};
    }
    [[nodiscard]] Obstacle obstacle(const std::string& name, const Value& table) const
    {
        return {name,
                shape(table),
                build_motion(table),
                number(table, "friction"),
                table.find("strand_friction") ? std::optional(number(table, "strand_friction")) : std::nullopt,
                vector(table, "colour"),
                get<bool>(table, "visible"),
                get<bool>(table, "transparent")};
    }
    [[nodiscard]] Source source(const std::string& name, const Value& table) const
    {
        return {name,
                shape(table),
                build_motion(table),
                liquid_index(table),
                vector(table, "velocity"),
                number(table, "start"),
                get_or(table, "stop", kNever)};
    }
    [[nodiscard]] Drain drain(const std::string& name, const Value& table) const
    {
        return {name, shape(table), build_motion(table), number(table, "start"), get_or(table, "stop", kNever)};
    }
    [[nodiscard]] Probe probe(const std::string& name, const Value& table) const
    {
        Probe probe;
        probe.name = name;
        probe.kind = probe_kind(text(table, "kind"));
        probe.field = get_or<std::string>(table, "field", "");
        probe.object = get_or<std::string>(table, "object", "");
        probe.point = get_or<Vec3>(table, "point", Vec3::Zero());
        if (const Value* region = table.find("region")) probe.region = shapes_.at(region);
        probe.every = text(table, "every") == "step" ? Sampling::Step : Sampling::Frame;
        probe.strand = static_cast<std::int32_t>(get_or<std::int64_t>(table, "strand", 0));
        probe.vertex = static_cast<std::int32_t>(get_or<std::int64_t>(table, "vertex", -1));
        probe.is_local = table.find("vertex") != nullptr;
        return probe;
    }

    const Value& root_;
    const ShapeMap& shapes_;
    const CurveMap& curves_;
    Model model_;
};

Expectation::When when_of(const std::string& word)
{
    static const std::map<std::string, Expectation::When, std::less<>> kWhens{{"final", Expectation::When::Final},
                                                                              {"minimum", Expectation::When::Minimum},
                                                                              {"maximum", Expectation::When::Maximum},
                                                                              {"mean", Expectation::When::Mean},
                                                                              {"cycles", Expectation::When::Cycles}};
    return kWhens.at(word);
}

StrandColour build_strand_colour(const std::string& word)
{
    static const std::map<std::string, StrandColour, std::less<>> kColours{
        {"material", StrandColour::Material}, {"strand", StrandColour::Strand}, {"speed", StrandColour::Speed},
        {"tension", StrandColour::Tension},   {"strain", StrandColour::Strain}, {"contact", StrandColour::Contact},
        {"film", StrandColour::Film}};
    return kColours.at(word);
}

} // namespace

Model build_model(const Value& root, const ShapeMap& shapes, const CurveMap& curves)
{
    return ModelBuilder(root, shapes, curves).build();
}

RenderSettings build_render(const Value& root)
{
    RenderSettings settings;
    const Value &camera = *root.find("camera"), &render = *root.find("render"), &domain = *root.find("domain");
    const Vec3 middle = 0.5 * (vector(domain, "lower") + vector(domain, "upper"));
    settings.camera.automatic = !camera.find("position");
    settings.camera.position = get_or<Vec3>(camera, "position", Vec3::Zero());
    settings.camera.target = get_or<Vec3>(camera, "target", middle);
    settings.camera.up = vector(camera, "up");
    settings.camera.field_of_view = number(camera, "field_of_view");
    settings.width = integer(render, "width");
    settings.height = integer(render, "height");
    settings.samples = integer(render, "samples");
    settings.sun_direction = vector(render, "sun_direction");
    settings.ground = get<bool>(render, "ground");
    settings.particles = get<bool>(render, "particles");
    settings.colour_by = build_strand_colour(text(render, "colour_by"));
    if (render.find("colour_from")) settings.colour_from = number(render, "colour_from");
    if (render.find("colour_to")) settings.colour_to = number(render, "colour_to");
    return settings;
}

std::vector<Expectation> build_expectations(const Value& root, const std::vector<SceneSource>& sources)
{
    std::vector<Expectation> expectations;
    const auto place_of = [&](const Value& value) {
        return place(sources.at(static_cast<std::size_t>(value.where.source)), value.where);
    };
    for (const auto& [name, table] : get<Value::Table>(root, "test")) {
        Expectation expectation{name,
                                text(table, "quantity"),
                                when_of(text(table, "when")),
                                number(table, "value"),
                                number(table, "tolerance"),
                                number(table, "from"),
                                place_of(*table.find("quantity"))};
        for (const char* key : {"value", "tolerance"})
            expectation.written.push_back({key, table.find(key)->written, place_of(*table.find(key))});
        expectations.push_back(std::move(expectation));
    }
    return expectations;
}

} // namespace rivulet
