#include "scene/build.h"

#include "base/rng.h"
#include "scene/materials.h"
#include "scene/read.h"
#include "scene/strand_joints.h"
#include "scene/vertex_index.h"
#include "strands/held_inside.h"
#include "strands/sag_free.h"

#include <cmath>
#include <limits>

namespace rivulet {
namespace {

constexpr std::uint64_t kStiffnessStream = (std::uint64_t{1} << 40) + 1; // beyond the numbers of strands and radii
constexpr double kNotReleased = std::numeric_limits<double>::infinity();

/// `stiffer`: how many times.
RodMaterial build_rod_material(const Value& table, double radius, double stiffer)
{
    return {number(table, "density"),
            stiffer * number(table, "youngs_modulus"),
            stiffer * number(table, "shear_modulus"),
            stiffer * number(table, "internal_viscosity"),
            radius,
            radius * number(table, "flatness"),
            number(table, "friction")};
}

/// A strand's by its number and the seed alone.
double stiffness_of(const Value& table, double variation, std::size_t strand)
{
    if (!(variation > 0)) return 1;
    const auto seed = static_cast<std::uint64_t>(get<std::int64_t>(table, "seed"));
    return 1 + variation * (2 * random_unit(seed, kStiffnessStream, strand) - 1);
}

class StrandBuilder {
public:
    explicit StrandBuilder(Model& model) : model_(model) {}

    void add_group(const std::string& name, const Value& table, const Curves& curves)
    {
        StrandModel& strands = model_.strands;
        const StrandMaterial& material = strand_material(text(table, "material"));
        const double radius = get_or(table, "radius", material.radius.value);
        const double variation = get_or(table, "stiffness_variation", 0.0);
        const std::int32_t first = strands.n_strands();
        const bool differ = variation > 0 || !curves.radius.empty();
        if (!differ) strands.materials.push_back(build_rod_material(table, radius, 1));
        for (std::size_t i = 0; i < curves.size(); ++i) {
            if (differ)
                strands.materials.push_back(build_rod_material(table, curves.radius.empty() ? radius : curves.radius[i],
                                                               stiffness_of(table, variation, i)));
            add(table, curves[i], get_or(table, "tip_radius", radius) / radius);
        }
        model_.strand_groups.push_back({.name = name,
                                        .first_strand = first,
                                        .n_strands = strands.n_strands() - first,
                                        .colour = get_or(table, "colour", material.colour),
                                        .picture_radius = get_or(table, "picture_radius", 0.0),
                                        .is_random = text(table, "kind") == "groom",
                                        .picture_strands = integer(table, "picture_strands"),
                                        .picture_spread = number(table, "picture_spread"),
                                        .picture_clump = number(table, "picture_clump"),
                                        .colours = curves.colour});
    }

    /// When all groups are there.
    void add_joints(const Value& table, const Curves& curves, const std::string& name, const Value& root,
                    const CurveMap& all)
    {
        for (const Value& joint : get<Value::List>(table, "joints")) {
            const std::string& other = text(joint, "strands");
            const auto found = all.find(root.find("strands")->find(other));
            if (found == all.end()) continue;
            for (std::size_t s = 0; s < curves.size(); ++s) {
                const std::size_t n = curves[s].size();
                const std::size_t v = vertex_index(get<std::int64_t>(joint, "vertex"), n);
                const NearestPlace place = nearest_place(curves[s][v], found->second, other == name ? s : kNoStrand);
                const bool is_last = v + 1 == n; // which begins no edge
                model_.strands.joints.push_back(
                    {.a = first_vertex(name, s) + static_cast<std::int32_t>(is_last ? v - 1 : v),
                     .b = first_vertex(other, place.strand) + static_cast<std::int32_t>(place.edge),
                     .s = is_last ? 1.0 : 0.0,
                     .t = place.at});
            }
        }
    }

private:
    [[nodiscard]] std::int32_t first_vertex(const std::string& group, std::size_t strand) const
    {
        for (const StrandGroup& g : model_.strand_groups)
            if (g.name == group) return model_.strands.first[static_cast<std::size_t>(g.first_strand) + strand];
        RIVULET_VERIFY(false);
        return 0;
    }

    /// -1 = the world, where no obstacle is named.
    [[nodiscard]] std::int32_t body_of(const Value& table) const
    {
        const Value* name = table.find("obstacle");
        if (!name) return -1;
        for (std::size_t i = 0; i < model_.obstacles.size(); ++i)
            if (model_.obstacles[i].name == *name->as<std::string>()) return static_cast<std::int32_t>(i);
        RIVULET_VERIFY(false);
        return -1;
    }
    [[nodiscard]] const Motion* motion_of(std::int32_t body) const
    {
        return body < 0 ? nullptr : &model_.obstacles[static_cast<std::size_t>(body)].motion;
    }

    /// A strand that moves with the body that holds its beginning; at its tip it is `tip` times as thick as there.
    void add(const Value& table, std::span<const Vec3> points, double tip)
    {
        StrandModel& strands = model_.strands;
        StrandState& state = model_.strands_at_start;
        const Vec3 edge = (points[1] - points[0]).normalized();
        const Vec3 any = edge.cross(std::abs(edge.z()) < 0.9 ? Vec3::UnitZ() : Vec3::UnitX());
        const std::int32_t begin = strands.n_vertices();
        const std::int32_t strand =
            add_strand(strands, state, points, static_cast<std::int32_t>(strands.materials.size()) - 1,
                       get_or<Vec3>(table, "director", any));
        if (tip != 1 || !strands.scale.empty()) taper_strand(strands, strand, tip);
        if (get<bool>(table, "sag_free")) balance_gravity(strands, state, strand, model_.options.gravity);
        const std::int32_t body = body_of(table);
        if (const Motion* motion = motion_of(body)) {
            const Pose pose = motion->pose(0);
            const Twist twist = motion->twist(0);
            for (std::size_t k = 0; k < points.size(); ++k)
                state.velocity[static_cast<std::size_t>(begin) + k] = twist.velocity_at(points[k], pose);
        }
        const std::string& held = text(table, "held");
        if (held != "free") hold(begin, body, held == "clamp", get_or(table, "release", kNotReleased));
        add_pins(table, begin, points.size());
        add_loads(table, begin, points.size());
    }

    void add_pins(const Value& table, std::int32_t begin, std::size_t n)
    {
        for (const Value& pin : get<Value::List>(table, "pins")) {
            const std::size_t k = vertex_index(get<std::int64_t>(pin, "vertex"), n);
            hold(begin + static_cast<std::int32_t>(k), body_of(pin), text(pin, "held") == "clamp",
                 get_or(pin, "release", kNotReleased));
        }
    }

    void add_loads(const Value& table, std::int32_t begin, std::size_t n)
    {
        if (const Value* load = table.find("tip_load"))
            model_.strands.loads.push_back({.vertex = model_.strands.n_vertices() - 1, .force = *load->as<Vec3>()});
        for (const Value& load : get<Value::List>(table, "loads")) {
            const std::size_t k = vertex_index(get<std::int64_t>(load, "vertex"), n);
            model_.strands.loads.push_back({begin + static_cast<std::int32_t>(k), vector(load, "force"),
                                            number(load, "start"), get_or(load, "stop", kNotReleased)});
        }
    }

    /// Holds a vertex where it is at the start; a clamp holds the next one and the frame of the edge between too.
    void hold(std::int32_t vertex, std::int32_t body, bool clamps, double release)
    {
        const StrandState& state = model_.strands_at_start;
        const auto v = static_cast<std::size_t>(vertex);
        const Motion* motion = motion_of(body);
        const Pose pose = motion ? motion->pose(0) : Pose{};
        const Vec3 frame = pose.rotation.conjugate() * state.director[v];
        const auto pin = [&](std::int32_t which, bool with_edge) {
            const Vec3& x = state.position[static_cast<std::size_t>(which)];
            model_.strands.pins.push_back({which, body, pose.to_body(x), with_edge, frame, release});
        };
        pin(vertex, clamps);
        if (clamps) pin(vertex + 1, false);
    }

    Model& model_;
};

int index_of_liquid(const Model& model, const std::string& name)
{
    for (std::size_t i = 0; i < model.liquids.size(); ++i)
        if (model.liquids[i].name == name) return static_cast<int>(i);
    RIVULET_VERIFY(false);
    return 0;
}

FilmMomentum film_momentum(const std::string& word)
{
    return word == "mass_only" ? FilmMomentum::MassOnly
           : word == "rescale" ? FilmMomentum::Rescale
                               : FilmMomentum::Transport;
}

/// Thickness of the film at the start on the vertices of a strand; on those at its ends in the part that is covered.
void add_film(const Value& film, const StrandModel& strands, std::int32_t strand, std::vector<double>& thickness)
{
    const auto begin = static_cast<std::size_t>(strands.first[static_cast<std::size_t>(strand)]);
    const auto end = static_cast<std::size_t>(strands.first[static_cast<std::size_t>(strand) + 1]);
    double length = 0, at = 0;
    for (std::size_t v = begin; v + 1 < end; ++v) length += strands.rest_length[v];
    for (std::size_t v = begin; v < end; ++v) {
        if (is_covered(at / length, number(film, "from"), number(film, "to"))) thickness[v] = number(film, "thickness");
        at += strands.rest_length[v];
    }
}

void build_wetting(const Value& root, Model& model)
{
    const StrandModel& strands = model.strands;
    for (std::size_t v = 0; v < strands.rest_length.size(); ++v) {
        const double length = strands.rest_length[v]; // 0 for the last vertex of a strand, which begins no edge
        if (length > 0 && (model.shortest_edge == 0 || length < model.shortest_edge)) model.shortest_edge = length;
    }
    const Value* table = root.find("wetting");
    if (!table) return;
    Wetting wetting;
    wetting.liquid = index_of_liquid(model, text(*table, "liquid"));
    const Liquid& liquid = model.liquids[static_cast<std::size_t>(wetting.liquid)];
    wetting.contact_angle = get_or(*table, "contact_angle", liquid.contact_angle);
    wetting.film = {.density = liquid.density,
                    .viscosity = get<bool>(*table, "friction") ? liquid.viscosity : 0,
                    .surface_tension = get<bool>(*table, "tension") ? liquid.surface_tension : 0,
                    .azimuthal_tension = get<bool>(*table, "beading")};
    wetting.surface_tension = liquid.surface_tension;
    wetting.momentum = film_momentum(text(*table, "momentum"));
    wetting.inertia = get<bool>(*table, "inertia");
    wetting.flows = get<bool>(*table, "flow");
    wetting.film_parts = integer(*table, "film_parts");
    wetting.bridges = get<bool>(*table, "bridges");
    wetting.bridges_alike = text(*table, "shares") == "alike";
    wetting.spreads = get<bool>(*table, "spreading");
    wetting.captures = get<bool>(*table, "capture");
    wetting.drips = get<bool>(*table, "dripping");
    wetting.capture_time = number(*table, "capture_time");
    wetting.thickest = number(*table, "thickest");
    wetting.drip_factor = number(*table, "drip_factor");
    wetting.drags = get<bool>(*table, "drag");
    wetting.floats = get<bool>(*table, "buoyancy");
    model.wetting = wetting;
    model.film_at_start.assign(static_cast<std::size_t>(strands.n_vertices()), 0.0);
    for (const StrandGroup& group : model.strand_groups)
        if (const Value* film = root.find("strands")->find(group.name)->find("film"))
            for (std::int32_t s = 0; s < group.n_strands; ++s)
                add_film(*film, strands, group.first_strand + s, model.film_at_start);
}

} // namespace

void build_strands(const Value& root, const CurveMap& curves, Model& model)
{
    const Value& air = *root.find("air");
    model.air = {number(air, "density"), number(air, "viscosity"), vector(air, "wind")};
    StrandBuilder builder(model);
    for (const auto& [name, table] : get<Value::Table>(root, "strands")) {
        const auto found = curves.find(&table);
        builder.add_group(name, table, found == curves.end() ? Curves{} : found->second);
    }
    for (const auto& [name, table] : get<Value::Table>(root, "strands"))
        if (const auto found = curves.find(&table); found != curves.end())
            builder.add_joints(table, found->second, name, root, curves);
    group_strands(model.strands);
    std::vector<StrandObstacle> obstacles;
    for (const Obstacle& o : model.obstacles) obstacles.push_back({o.shape.get(), o.motion.pose(0), {}, {}});
    model.strands.held_inside = find_held_inside(model.strands, model.strands_at_start.position, obstacles);
    build_wetting(root, model);
}

} // namespace rivulet
