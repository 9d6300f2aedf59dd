#include "sim/placement.h"

#include "geometry/shapes.h"
#include "sim/obstacles.h"
#include "sim/seed.h"

#include <fmt/format.h>

namespace rivulet {
namespace {

/// A body with more places than this is not looked at: it would take seconds, and is no slip of the pen.
constexpr double kMaxPlaces = 3e7;

/// What became of the places of the seeding lattice that were looked at.
struct Places {
    bool any_inside = false; ///< of the shape and the domain
    bool any_free = false;   ///< of these, outside of solids
};

/// Looks at places of the lattice of seed_body() until one is free.
Places look_for_free_place(const Model& model, const LiquidBody& body, const Aabb& box, double h)
{
    const SolidSet set = solids_at(model, 0, 0);
    const Solids solids = set.view();
    const Vec3 origin = model.domain.box.lower;
    const Vec3 first = ((box.lower - origin) / h - Vec3::Constant(0.5)).array().ceil();
    const Vec3 last = ((box.upper - origin) / h - Vec3::Constant(0.5)).array().floor();
    Places places;
    for (double k = first.z(); k <= last.z(); ++k)
        for (double j = first.y(); j <= last.y(); ++j)
            for (double i = first.x(); i <= last.x(); ++i) {
                const Vec3 x = origin + h * Vec3(i + 0.5, j + 0.5, k + 0.5);
                if (!(body.shape->distance(body.pose.to_body(x)) < 0)) continue;
                places.any_inside = true;
                places.any_free = solids.distance(x) > 0;
                if (places.any_free) return places;
            }
    return places;
}

void look_at_body(const Model& model, const LiquidBody& body, std::vector<std::string>& warnings)
{
    const Aabb bounds = make_placed(body.shape, body.pose)->bounds();
    const Aabb box{bounds.lower.cwiseMax(model.domain.box.lower), bounds.upper.cwiseMin(model.domain.box.upper)};
    const double h = model.options.cell_size / kParticlesPerEdge;
    Places places;
    if (!box.is_empty()) {
        if (box.size().prod() > kMaxPlaces * h * h * h) return;
        places = look_for_free_place(model, body, box, h);
    }
    if (places.any_free) return;
    warnings.push_back(fmt::format(
        "bodies.{} holds no liquid: {}", body.name,
        places.any_inside ? "it lies wholly inside of obstacles"
                          : fmt::format("nothing of it lies in the domain, or it is thinner than {:.3g} m", h)));
}

/// Obstacle that holds each strand; -1: none.
std::vector<std::int32_t> holders(const StrandModel& strands)
{
    std::vector<std::int32_t> of_vertex(static_cast<std::size_t>(strands.n_vertices()), -1);
    for (const StrandPin& pin : strands.pins) of_vertex[static_cast<std::size_t>(pin.vertex)] = pin.body;
    std::vector<std::int32_t> of_strand;
    for (std::int32_t s = 0; s < strands.n_strands(); ++s)
        of_strand.push_back(of_vertex[static_cast<std::size_t>(strands.first[static_cast<std::size_t>(s)])]);
    return of_strand;
}

/// Where a strand's first edge ends: grown ones leave the surface in the middle of that edge.
const Vec3& beginning(const Model& model, std::int32_t strand)
{
    const auto v = static_cast<std::size_t>(model.strands.first[static_cast<std::size_t>(strand)]);
    return model.strands_at_start.position[v + 1];
}

void look_at_group(const Model& model, const StrandGroup& group, const std::vector<std::int32_t>& holder,
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
    warn(count([&](std::int32_t s) { return !model.domain.box.contains(beginning(model, s)); }),
         "outside of the domain");
    for (std::size_t o = 0; o < model.obstacles.size(); ++o) {
        const Obstacle& obstacle = model.obstacles[o];
        const Pose pose = obstacle.motion.pose(0);
        warn(count([&](std::int32_t s) {
                 return holder[static_cast<std::size_t>(s)] != static_cast<std::int32_t>(o) &&
                        obstacle.shape->distance(pose.to_body(beginning(model, s))) < 0;
             }),
             fmt::format("inside of obstacles.{}, which does not hold them", obstacle.name));
    }
}

} // namespace

std::vector<std::string> placement_warnings(const Model& model)
{
    std::vector<std::string> warnings;
    for (const LiquidBody& body : model.bodies) look_at_body(model, body, warnings);
    const std::vector<std::int32_t> holder = holders(model.strands);
    for (const StrandGroup& group : model.strand_groups) look_at_group(model, group, holder, warnings);
    return warnings;
}

} // namespace rivulet
