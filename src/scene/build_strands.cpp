#include "scene/build.h"
#include "scene/groom.h"
#include "scene/read.h"
#include "scene/resolve.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace rivulet {
namespace {

constexpr double kMaxStrandVertices = 1e7;
constexpr double kFewestEdgesInATurn = 6;
constexpr double kSharpestFold = -0.99; // cosine of the angle between neighbouring edges

Groom build_groom(const Value& table)
{
    return {integer(table, "vertices"),        number(table, "length"),
            number(table, "length_variation"), number(table, "curl_radius"),
            number(table, "curl_pitch"),       static_cast<std::uint64_t>(get<std::int64_t>(table, "seed"))};
}

RodMaterial build_rod_material(const Value& table)
{
    const double radius = number(table, "radius");
    return {number(table, "density"),
            number(table, "youngs_modulus"),
            number(table, "shear_modulus"),
            number(table, "internal_viscosity"),
            radius,
            radius * number(table, "flatness")};
}

std::vector<Vec3> build_points(const Value& table)
{
    std::vector<Vec3> points;
    for (const Value& point : get<Value::List>(table, "points")) points.push_back(vector(point, "position"));
    return points;
}

class StrandBuilder {
public:
    StrandBuilder(const ShapeMap& shapes, const ParseOptions& options, Model& model)
        : shapes_(shapes), options_(options), model_(model)
    {
    }

    void add_group(const std::string& name, const Value& table)
    {
        StrandModel& strands = model_.strands;
        body_ = -1;
        if (const Value* obstacle = table.find("obstacle")) body_ = obstacle_index(*obstacle->as<std::string>());
        pose_ = body_ < 0 ? Pose{} : obstacle().motion.pose(0);
        strands.materials.push_back(build_rod_material(table));
        const std::int32_t first = strands.n_strands();
        if (text(table, "kind") == "polyline")
            add_polyline(table);
        else if (options_.grows_strands)
            add_groom(table);
        const double drawn = get_or(table, "picture_radius", 0.0);
        model_.strand_groups.push_back({name, first, strands.n_strands() - first, vector(table, "colour"), drawn});
    }

private:
    [[nodiscard]] std::int32_t obstacle_index(const std::string& name) const
    {
        for (std::size_t i = 0; i < model_.obstacles.size(); ++i)
            if (model_.obstacles[i].name == name) return static_cast<std::int32_t>(i);
        RIVULET_VERIFY(false);
        return -1;
    }
    [[nodiscard]] const Obstacle& obstacle() const { return model_.obstacles[static_cast<std::size_t>(body_)]; }

    void add_groom(const Value& table)
    {
        const Groom groom = build_groom(table);
        const Value* region = table.find("region");
        const RootSampler roots(*obstacle().shape, region ? shapes_.at(region).get() : nullptr, groom.seed);
        const auto n = get<std::int64_t>(table, "count");
        for (std::int64_t i = 0; i < n; ++i) {
            std::vector<Vec3> points = grow_strand(groom, roots.root(i), i);
            for (Vec3& x : points) x = pose_.to_world(x);
            add(table, points, Vec3::Zero());
        }
    }

    void add_polyline(const Value& table)
    {
        add(table, build_points(table), get_or<Vec3>(table, "director", Vec3::Zero()));
        if (const Value* load = table.find("tip_load"))
            model_.strands.loads.push_back({.vertex = model_.strands.n_vertices() - 1, .force = *load->as<Vec3>()});
    }

    /// A strand at rest on its moving body; no director = any.
    void add(const Value& table, const std::vector<Vec3>& points, const Vec3& director)
    {
        StrandModel& strands = model_.strands;
        StrandState& state = model_.strands_at_start;
        const Vec3 edge = (points[1] - points[0]).normalized();
        const Vec3 any = edge.cross(std::abs(edge.z()) < 0.9 ? Vec3::UnitZ() : Vec3::UnitX());
        const std::int32_t v = strands.n_vertices();
        add_strand(strands, state, points, static_cast<std::int32_t>(strands.materials.size()) - 1,
                   director == Vec3::Zero() ? any : director);
        if (body_ >= 0) {
            const Twist twist = obstacle().motion.twist(0);
            for (std::size_t k = 0; k < points.size(); ++k)
                state.velocity[static_cast<std::size_t>(v) + k] = twist.velocity_at(points[k], pose_);
        }
        const std::string& held = text(table, "held");
        if (held == "free") return;
        const double release = get_or(table, "release", std::numeric_limits<double>::infinity());
        const bool clamps = held == "clamp";
        const Vec3 frame = pose_.rotation.conjugate() * state.director[static_cast<std::size_t>(v)];
        strands.pins.push_back({v, body_, pose_.to_body(points[0]), clamps, frame, release});
        if (clamps) strands.pins.push_back({v + 1, body_, pose_.to_body(points[1]), false, frame, release});
    }

    const ShapeMap& shapes_;
    const ParseOptions& options_;
    Model& model_;
    std::int32_t body_ = -1;
    Pose pose_;
};

class StrandChecker {
public:
    StrandChecker(const Value& root, const ShapeMap& shapes, const ParseOptions& options, Problems& problems)
        : root_(root), shapes_(shapes), options_(options), problems_(problems)
    {
    }

    void run()
    {
        const Value* groups = root_.find("strands");
        if (!groups) return;
        double vertices = 0;
        for (const auto& [name, table] : *groups->as<Value::Table>()) {
            if (!is_complete(scene_record("strands"), table)) continue;
            const std::string path = "strands." + name;
            if (text(table, "kind") == "groom") {
                vertices += static_cast<double>(get<std::int64_t>(table, "count")) * integer(table, "vertices");
                check_curl(path, table);
                check_surface(path, table);
            } else {
                check_points(path, table);
            }
        }
        if (vertices > kMaxStrandVertices)
            problems_.add(groups->where, "strands",
                          fmt::format("{:.3g} vertices; allowed: at most {:.0e}", vertices, kMaxStrandVertices));
    }

private:
    void check_curl(const std::string& path, const Value& table)
    {
        const auto edges = edges_in_a_turn(build_groom(table));
        if (edges && *edges < kFewestEdgesInATurn)
            problems_.add(table.where, path + ".vertices",
                          fmt::format("gives {:.2g} edges in a turn of the curl; allowed: at least {}", *edges,
                                      kFewestEdgesInATurn));
    }

    void check_surface(const std::string& path, const Value& table)
    {
        const Value* obstacles = root_.find("obstacles");
        const Value* obstacle = obstacles ? obstacles->find(text(table, "obstacle")) : nullptr;
        const auto shape = obstacle ? shapes_.find(obstacle->find("shape")) : shapes_.end();
        const Value* region = table.find("region");
        const auto inside = region ? shapes_.find(region) : shapes_.end();
        if (shape == shapes_.end() || (region && inside == shapes_.end())) return;
        if (!(shape->second->bounds().size().maxCoeff() < 1e20)) {
            problems_.add(table.where, path + ".obstacle", "has no end; allowed: obstacles of finite size");
            return;
        }
        if (!options_.grows_strands) return;
        if (RootSampler(*shape->second, region ? inside->second.get() : nullptr, 0).is_empty())
            problems_.add(region ? region->where : table.where, path + (region ? ".region" : ".obstacle"),
                          "holds nothing of the obstacle's surface; allowed: regions that do");
    }

    void check_points(const std::string& path, const Value& table)
    {
        const std::vector<Vec3> points = build_points(table);
        const Where where = table.find("points")->where;
        for (std::size_t k = 1; k < points.size(); ++k) {
            const Vec3 edge = points[k] - points[k - 1];
            if (!(edge.norm() > 1e-9)) {
                problems_.add(where, fmt::format("{}.points[{}]", path, k), "is where the point before is");
                return;
            }
            const Vec3 before = k > 1 ? points[k - 1] - points[k - 2] : edge;
            if (before.normalized().dot(edge.normalized()) < kSharpestFold)
                problems_.add(where, fmt::format("{}.points[{}]", path, k), "folds the strand back on itself");
        }
        const Value* director = table.find("director");
        if (director && director->as<Vec3>()->normalized().cross((points[1] - points[0]).normalized()).norm() < 1e-6)
            problems_.add(director->where, path + ".director",
                          "is along the first edge; allowed: directions across it");
    }

    const Value& root_;
    const ShapeMap& shapes_;
    const ParseOptions& options_;
    Problems& problems_;
};

} // namespace

void check_strands(const Value& root, const ShapeMap& shapes, const ParseOptions& options, Problems& problems)
{
    StrandChecker(root, shapes, options, problems).run();
}

void build_strands(const Value& root, const ShapeMap& shapes, const ParseOptions& options, Model& model)
{
    const Value& air = *root.find("air");
    model.air = {number(air, "density"), number(air, "viscosity"), vector(air, "wind")};
    StrandBuilder builder(shapes, options, model);
    for (const auto& [name, table] : get<Value::Table>(root, "strands")) builder.add_group(name, table);
    group_strands(model.strands);
}

} // namespace rivulet
