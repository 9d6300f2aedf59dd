#include "sim/placement.h"

#include "base/assert.h"
#include "contact/edge_pairs.h"
#include "geometry/segments.h"
#include "geometry/shapes.h"
#include "sim/active_mouths.h"
#include "sim/obstacles.h"
#include "sim/seed_lattice.h"
#include "sim/source_columns.h"
#include "strands/strand_contacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numbers>
#include <set>
#include <span>

namespace rivulet {
namespace {

/// A body with more places than this is not looked at: it would take seconds, and is no slip of the pen.
constexpr double kMaxPlaces = 3e7;

/// What became of the cubes of the seeding lattice that were looked at.
struct Places {
    bool any_inside = false; ///< of the shape and the domain
    bool any_free = false;   ///< of these, outside of solids
};

/// Looks at cubes of the lattice of seed_body() until one gets liquid: of a placed shape, in a box, at a time.
Places look_for_free_place(const Model& model, const Shape& shape, const Aabb& box, double h, double time)
{
    const SolidSet set = solids_at(model, time, 0);
    const Solids solids = set.view();
    const Aabb& domain = model.domain.box;
    const auto inside = [&](const Vec3& x) { return std::max(shape.distance(x), box_distance(domain, x)); };
    const auto free = [&](const Vec3& x) { return std::max(inside(x), -solids.distance(x)); };
    Places places;
    for_lattice(box.dilated(h), domain.lower, h, [&](const Vec3& x) {
        if (places.any_free || !(inside(x) < h)) return;
        places.any_free = liquid_part(x, h, free).share > 0;
        places.any_inside = places.any_free || places.any_inside || liquid_part(x, h, inside).share > 0;
    });
    return places;
}

/// Where there is room for liquid in a shape at a time; free if that would take too long to tell.
Places places_of(const Model& model, const ShapePtr& shape, const Pose& pose, double time)
{
    const ShapePtr placed = make_placed(shape, pose);
    const Aabb box = intersection(placed->bounds(), model.domain.box);
    const double h = lattice_spacing(model);
    if (box.is_empty()) return {};
    if (box.size().prod() > kMaxPlaces * h * h * h) return {true, true};
    return look_for_free_place(model, *placed, box, h, time);
}

/// Whether a source that flows, however thin, has a line along its flow that leaves solids in it.
bool any_entry_is_free(const Model& model, const Source& source, double time, SourceColumns& columns)
{
    const double h = std::max(lattice_spacing(model), 0.01 * source.shape->bounds().size().norm());
    const ActiveMouths mouths(model, time, time);
    const auto m = std::find_if(mouths.all().begin(), mouths.all().end(),
                                [&](const ActiveMouths::Placed& o) { return o.source == &source; });
    if (m == mouths.all().end()) return false;
    const std::vector<SourceEntry> entries = source_entries(source, h, columns);
    return std::any_of(entries.begin(), entries.end(), [&](const SourceEntry& entry) {
        const Vec3 x = m->pose.to_world(entry.place);
        const double first = mouths.way_out_of_solids(*m, x, entry.length);
        return first < entry.length && model.domain.box.dilated(1e-3 * h).contains(x + first * m->flow.normalized());
    });
}

std::string no_place_text(const Model& model, const Places& places)
{
    return places.any_inside ? "it lies wholly inside of obstacles"
                             : fmt::format("nothing of it lies in the domain, or it is thinner than {:.3g} m",
                                           lattice_spacing(model) / 16);
}

void look_at_body(const Model& model, const LiquidBody& body, std::vector<std::string>& warnings)
{
    const Places places = places_of(model, body.shape, body.pose, 0);
    if (!places.any_free)
        warnings.push_back(fmt::format("bodies.{} holds no liquid: {}", body.name, no_place_text(model, places)));
}

/// Where anything moves, at some times of its work.
void look_at_source(const Model& model, const Source& source, std::vector<std::string>& warnings)
{
    constexpr int kTimes = 16;
    const double stop = std::min(source.stop, model.options.end_time);
    if (!(source.start < stop)) return;
    const bool rests = source.motion.is_static() && std::all_of(model.obstacles.begin(), model.obstacles.end(),
                                                                [](const Obstacle& o) { return o.motion.is_static(); });
    Places places;
    SourceColumns columns;
    for (int n = 0; n < (rests ? 1 : kTimes); ++n) {
        const double time = source.start + n * (stop - source.start) / kTimes;
        if (any_entry_is_free(model, source, time, columns)) return;
        const Places now = places_of(model, source.shape, source.motion.pose(time), time);
        if (now.any_free) return;
        places.any_inside = places.any_inside || now.any_inside;
    }
    warnings.push_back(fmt::format("sources.{} gives no liquid: {}", source.name, no_place_text(model, places)));
}

/// Drains and mouths narrower than this, in cells, are known to the grid by their part of a face alone.
constexpr double kNarrowOpening = 0.5;

/// `outline`: bounds of what liquid flows through, in its own frame.
void look_at_width(const Model& model, const std::string& name, const Aabb& outline, const char* consequence,
                   std::vector<std::string>& warnings)
{
    Vec3 size = outline.size();
    std::sort(size.data(), size.data() + 3);
    if (size.y() < kNarrowOpening * (1 - 1e-9) * model.options.cell_size)
        warnings.push_back(fmt::format("{} is {:.3g} mm across (its key shape), less than half a cell ({:.3g} mm): {}",
                                       name, 1e3 * size.y(), 1e3 * model.options.cell_size, consequence));
}

/// Obstacles that hold each strand, wherever on it.
std::vector<std::set<std::int32_t>> holders(const StrandModel& strands)
{
    std::vector<std::set<std::int32_t>> of_strand(static_cast<std::size_t>(strands.n_strands()));
    for (const StrandPin& pin : strands.pins) {
        const auto after = std::upper_bound(strands.first.begin(), strands.first.end(), pin.vertex);
        of_strand[static_cast<std::size_t>(after - strands.first.begin() - 1)].insert(pin.body);
    }
    return of_strand;
}

/// Where a strand's first edge ends: grown ones leave the surface in the middle of that edge.
const Vec3& beginning(const Model& model, std::int32_t strand)
{
    const auto v = static_cast<std::size_t>(model.strands.first[static_cast<std::size_t>(strand)]);
    return model.strands_at_start.position[v + 1];
}

/// Whether a strand that begins inside of the domain leaves it where it is closed.
bool passes_wall(const Model& model, std::int32_t strand)
{
    if (model.options.strand_contact == StrandContactLaw::None) return false;
    const Aabb& box = model.domain.box;
    if (!box.contains(beginning(model, strand))) return false;
    const auto s = static_cast<std::size_t>(strand);
    for (auto v = static_cast<std::size_t>(model.strands.first[s]) + 2;
         v < static_cast<std::size_t>(model.strands.first[s + 1]); ++v)
        for (int a = 0; a < 3; ++a) {
            const double x = model.strands_at_start.position[v][a];
            const auto side = static_cast<std::size_t>(2 * a);
            if (x < box.lower[a] && model.domain.walls[side] == Wall::Closed) return true;
            if (x > box.upper[a] && model.domain.walls[side + 1] == Wall::Closed) return true;
        }
    return false;
}

/// Whether an edge never touches an obstacle, which holds it and in which it begins.
bool is_held_inside(const StrandModel& strands, std::size_t edge, std::size_t obstacle)
{
    return !strands.held_inside.empty() && strands.held_inside[edge] == static_cast<std::int32_t>(obstacle);
}

/// Whether all edges of a strand do so.
bool is_wholly_inside(const StrandModel& strands, std::int32_t strand, std::size_t obstacle)
{
    const auto s = static_cast<std::size_t>(strand);
    for (auto v = static_cast<std::size_t>(strands.first[s]); v + 1 < static_cast<std::size_t>(strands.first[s + 1]);
         ++v)
        if (!is_held_inside(strands, v, obstacle)) return false;
    return true;
}

/// Whether a strand that begins outside of an obstacle, or comes out of it, is deep in it further on: deeper than its
/// own thickness, or if the obstacle holds it than its first edge is long, since curls may dip into it beside their
/// roots.
bool reaches_into(const Model& model, std::int32_t strand, std::size_t index, bool is_held)
{
    const Obstacle& obstacle = model.obstacles[index];
    if (model.options.strand_contact == StrandContactLaw::None) return false;
    const auto s = static_cast<std::size_t>(strand);
    const auto first = static_cast<std::size_t>(model.strands.first[s]);
    const auto end = static_cast<std::size_t>(model.strands.first[s + 1]);
    const std::vector<Vec3>& x = model.strands_at_start.position;
    const RodMaterial& material = model.strands.materials[static_cast<std::size_t>(model.strands.material[s])];
    const double thickness = (material.radius_a + material.radius_b) * model.strands.scale_at(first);
    const double allowed = is_held ? (x[first + 1] - x[first]).norm() : thickness;
    const Pose pose = obstacle.motion.pose(0);
    double known = 0; // way along the strand on which nothing can be so deep
    for (std::size_t v = first + 1; v < end; ++v) {
        known -= (x[v] - x[v - 1]).norm();
        if (known > 0 || is_held_inside(model.strands, v - 1, index) || is_held_inside(model.strands, v, index))
            continue;
        const double distance = obstacle.shape->distance(pose.to_body(x[v]));
        if (distance < -allowed) return v > first + 1;
        known = distance + allowed;
    }
    return false;
}

void look_at_group(const Model& model, const StrandGroup& group, const std::vector<std::set<std::int32_t>>& holder,
                   std::vector<std::string>& warnings)
{
    const auto warn = [&](std::int32_t n, const std::string& where) {
        if (n > 0)
            warnings.push_back(fmt::format("strands.{}: {} of {} begin {}", group.name, n, group.n_strands, where));
    };
    const auto count = [&](auto&& is_bad) {
        std::int32_t n = 0;
        for (std::int32_t s = group.first_strand; s < group.first_strand + group.n_strands; ++s) n += is_bad(s) ? 1 : 0;
        return n;
    };
    const auto is_held_by = [&](std::int32_t s, std::size_t o) {
        return holder[static_cast<std::size_t>(s)].contains(static_cast<std::int32_t>(o));
    };
    warn(count([&](std::int32_t s) { return !model.domain.box.contains(beginning(model, s)); }),
         "outside of the domain");
    if (const std::int32_t n = count([&](std::int32_t s) { return passes_wall(model, s); }); n > 0)
        warnings.push_back(fmt::format("strands.{}: {} of {} reach through closed walls of the domain", group.name, n,
                                       group.n_strands));
    for (std::size_t o = 0; o < model.obstacles.size(); ++o) {
        const Obstacle& obstacle = model.obstacles[o];
        const Pose pose = obstacle.motion.pose(0);
        warn(count([&](std::int32_t s) {
                 return !is_held_by(s, o) && obstacle.shape->distance(pose.to_body(beginning(model, s))) < 0;
             }),
             fmt::format("inside of obstacles.{}, which does not hold them", obstacle.name));
        if (const std::int32_t n = count([&](std::int32_t s) { return is_wholly_inside(model.strands, s, o); }); n > 0)
            warnings.push_back(fmt::format("strands.{}: {} of {} lie wholly inside of obstacles.{}, which holds them "
                                           "and does not push them out",
                                           group.name, n, group.n_strands, obstacle.name));
        for (const bool is_held : {true, false}) {
            const std::int32_t n = count(
                [&](std::int32_t s) { return is_held_by(s, o) == is_held && reaches_into(model, s, o, is_held); });
            if (n > 0)
                warnings.push_back(fmt::format("strands.{}: {} of {} reach deep into obstacles.{}, which {} them",
                                               group.name, n, group.n_strands, obstacle.name,
                                               is_held ? "holds" : "does not hold"));
        }
    }
}

/// Strands that are nearer than this part of the sum of their radii are not just touching.
constexpr double kOverlap = 0.9;

/// Two strands that lie inside of each other, and where.
struct Overlap {
    std::int32_t a = 0, b = 0;
    Vec3 place = Vec3::Zero(); ///< [m]
};

/// One a pair of strands. Edges that are held on both sides do not count: what holds them bears it.
std::vector<Overlap> overlapping_strands(const StrandModel& strands, std::span<const Vec3> position)
{
    const StrandEdges edges(strands);
    std::vector<bool> is_pinned(position.size());
    for (const StrandPin& pin : strands.pins) is_pinned[static_cast<std::size_t>(pin.vertex)] = true;
    EdgePairs near;
    near.update({edges.vertex, edges.strand, edges.radius, position, position}, 0);
    std::map<std::pair<std::int32_t, std::int32_t>, Overlap> found;
    for (const EdgePair& pair : near.pairs()) {
        const auto e = static_cast<std::size_t>(pair.first), f = static_cast<std::size_t>(pair.second);
        const auto v = static_cast<std::size_t>(edges.vertex[e]), w = static_cast<std::size_t>(edges.vertex[f]);
        const bool is_held = is_pinned[v] && is_pinned[v + 1] && is_pinned[w] && is_pinned[w + 1];
        if (is_held || edges.strand[e] == edges.strand[f] || edges.are_tied(edges.vertex[e], edges.vertex[f])) continue;
        const Segment first{position[v], position[v + 1]}, second{position[w], position[w + 1]};
        const NearestPoints nearest = nearest_points(first, second);
        if (nearest.distance < kOverlap * (edges.radius[e] + edges.radius[f]))
            found.try_emplace({edges.strand[e], edges.strand[f]},
                              Overlap{edges.strand[e], edges.strand[f], first.at(nearest.s)});
    }
    std::vector<Overlap> overlaps;
    for (const auto& [strands_of_pair, overlap] : found) overlaps.push_back(overlap);
    return overlaps;
}

const StrandGroup& group_of(const Model& model, std::int32_t strand)
{
    const auto after = std::upper_bound(model.strand_groups.begin(), model.strand_groups.end(), strand,
                                        [](std::int32_t s, const StrandGroup& g) { return s < g.first_strand; });
    RIVULET_VERIFY(after != model.strand_groups.begin());
    return *std::prev(after);
}

/// Leaves out what is chance: strands of one random group cross, the more the denser it is.
std::vector<Overlap> without_chance(const Model& model, std::vector<Overlap> overlaps)
{
    std::erase_if(overlaps, [&](const Overlap& o) {
        const StrandGroup& group = group_of(model, o.a);
        return group.is_random && &group == &group_of(model, o.b);
    });
    return overlaps;
}

/// "strand 3 of strands.fur"
std::string strand_text(const Model& model, std::int32_t strand)
{
    const StrandGroup& group = group_of(model, strand);
    return fmt::format("strand {} of strands.{}", strand - group.first_strand, group.name);
}

void look_for_overlaps(const Model& model, std::vector<std::string>& warnings)
{
    if (model.options.strand_contact == StrandContactLaw::None || model.strands.n_strands() < 2) return;
    if (model.strand_groups.size() == 1 && model.strand_groups[0].is_random) return;
    const std::vector<Overlap> overlaps =
        without_chance(model, overlapping_strands(model.strands, model.strands_at_start.position));
    if (overlaps.empty()) return;
    const Overlap& o = overlaps.front();
    warnings.push_back(fmt::format("{} of strands lie inside of each other at the start, such as {} and {} near {:.4g} "
                                   "{:.4g} {:.4g} m: contact will push them apart",
                                   overlaps.size() == 1 ? "a pair" : fmt::format("{} pairs", overlaps.size()),
                                   strand_text(model, o.a), strand_text(model, o.b), o.place.x(), o.place.y(),
                                   o.place.z()));
}

/// Contact angles from which on the edge of a liquid was seen to hold, on walls along the axes and on others [rad].
constexpr double kAngleOnWalls = 15 * std::numbers::pi / 180;
constexpr double kAngleOnObstacles = 75 * std::numbers::pi / 180;

void look_at_contact_angle(const Model& model, const Liquid& liquid, std::vector<std::string>& warnings)
{
    if (!model.options.surface_tension || liquid.surface_tension == 0) return;
    constexpr double kRounding = 1e-9;
    const double degrees = liquid.contact_angle * 180 / std::numbers::pi;
    if (liquid.contact_angle < kAngleOnWalls - kRounding)
        warnings.push_back(fmt::format("liquids.{} has a contact angle of {:.3g} degrees: below 15 its edge is thinner "
                                       "than the grid can tell and may go on spreading",
                                       liquid.name, degrees));
    else if (liquid.contact_angle < kAngleOnObstacles - kRounding && !model.obstacles.empty())
        warnings.push_back(
            fmt::format("liquids.{} has a contact angle of {:.3g} degrees: below 75, thin films may leave "
                        "its edge on obstacles that are not along the axes",
                        liquid.name, degrees));
}

/// Films that drip more than the cells around them hold.
void look_at_film(const Model& model, const StrandGroup& group, std::vector<std::string>& warnings)
{
    if (!model.wetting || !model.wetting->drips) return;
    const auto at = [&](std::int32_t strand) {
        return model.film_at_start.begin() + model.strands.first[static_cast<std::size_t>(strand)];
    };
    const auto begin = at(group.first_strand), end = at(group.first_strand + group.n_strands);
    const double thickest = begin == end ? 0 : *std::max_element(begin, end);
    if (thickest > model.options.cell_size)
        warnings.push_back(fmt::format("strands.{}: its film of {:.3g} mm is thicker than a cell ({:.3g} mm): it "
                                       "drips as fast as the cells around it have room",
                                       group.name, 1e3 * thickest, 1e3 * model.options.cell_size));
}

/// Films cover strands whatever the angle.
void look_at_wetting(const Model& model, std::vector<std::string>& warnings)
{
    if (!model.wetting || !(model.wetting->contact_angle > 0.5 * std::numbers::pi)) return;
    warnings.push_back(fmt::format("wetting: {} has a contact angle of {:.3g} degrees on strands: above 90 it would "
                                   "roll off, but strands catch and hold it as if they were wetted. Only the bridges "
                                   "between them know of the angle",
                                   model.liquids[static_cast<std::size_t>(model.wetting->liquid)].name,
                                   model.wetting->contact_angle * 180 / std::numbers::pi));
}

} // namespace

std::vector<std::string> placement_warnings(const Model& model)
{
    std::vector<std::string> warnings;
    for (const LiquidBody& body : model.bodies) look_at_body(model, body, warnings);
    for (const Source& source : model.sources) look_at_source(model, source, warnings);
    for (const Source& source : model.sources)
        look_at_width(model, "sources." + source.name, source.shape->bounds(),
                      "it brings its volume, but in a pool the jet has the mean speed of a cell", warnings);
    for (const Drain& drain : model.drains)
        look_at_width(model, "drains." + drain.name, drain.shape->bounds(), "it takes less than its area says",
                      warnings);
    const std::vector<std::set<std::int32_t>> holder = holders(model.strands);
    for (const StrandGroup& group : model.strand_groups) look_at_group(model, group, holder, warnings);
    for (const StrandGroup& group : model.strand_groups) look_at_film(model, group, warnings);
    look_for_overlaps(model, warnings);
    for (const Liquid& liquid : model.liquids) look_at_contact_angle(model, liquid, warnings);
    look_at_wetting(model, warnings);
    return warnings;
}

} // namespace rivulet
