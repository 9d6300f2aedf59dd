#include "scene/build.h"
#include "scene/groom.h"
#include "scene/read.h"
#include "scene/resolve.h"
#include "scene/strand_patterns.h"

#include <fmt/format.h>

#include <cmath>

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

Bundle build_bundle(const Value& table)
{
    return {get<std::int64_t>(table, "count"),
            integer(table, "vertices"),
            vector(table, "start"),
            vector(table, "end"),
            get_or(table, "spacing", 3 * number(table, "radius")),
            number(table, "curl_radius"),
            number(table, "curl_pitch")};
}

/// Edges in a turn of a bundle's helices.
double edges_in_a_turn(const Bundle& bundle)
{
    return bundle.curl_pitch * (bundle.n_vertices - 1) / (bundle.end - bundle.start).norm();
}

class CurveBuilder {
public:
    CurveBuilder(const Value& root, const ShapeMap& shapes, Problems& problems)
        : root_(root), shapes_(shapes), problems_(problems)
    {
    }

    CurveMap run()
    {
        CurveMap map;
        const Value* groups = root_.find("strands");
        if (!groups) return map;
        for (const auto& [name, table] : *groups->as<Value::Table>()) {
            if (!is_complete(scene_record("strands"), table)) continue;
            path_ = "strands." + name;
            if (std::optional<Curves> curves = of_kind(text(table, "kind"), table)) map[&table] = std::move(*curves);
        }
        return map;
    }

private:
    std::optional<Curves> of_kind(const std::string& kind, const Value& table)
    {
        if (kind == "groom") return groom(table);
        if (kind == "bundle") return bundle(table);
        return polyline(table);
    }

    /// Whether there is room for so many more vertices.
    bool fits(const Value& table, double vertices)
    {
        vertices_ += vertices;
        if (vertices_ > kMaxStrandVertices)
            problems_.add(
                table.where, path_,
                fmt::format("makes it {:.3g} vertices in all; allowed: at most {:.0e}", vertices_, kMaxStrandVertices));
        return vertices_ <= kMaxStrandVertices;
    }

    bool has_smooth_curls(const Value& table, double edges)
    {
        if (edges >= kFewestEdgesInATurn) return true;
        problems_.add(
            table.where, path_ + ".vertices",
            fmt::format("gives {:.2g} edges in a turn of the curl; allowed: at least {}", edges, kFewestEdgesInATurn));
        return false;
    }

    std::optional<Curves> groom(const Value& table)
    {
        const Groom groom = build_groom(table);
        const auto n = get<std::int64_t>(table, "count");
        const auto edges = edges_in_a_turn(groom);
        if (!fits(table, static_cast<double>(n) * groom.n_vertices) || (edges && !has_smooth_curls(table, *edges)))
            return std::nullopt;
        const Value* obstacles = root_.find("obstacles");
        const Value* obstacle = obstacles ? obstacles->find(text(table, "obstacle")) : nullptr;
        const std::optional<RootSampler> roots = root_sampler(table, obstacle, groom.seed);
        if (!roots || !is_complete(scene_record("obstacle"), *obstacle)) return std::nullopt;
        const Pose pose = build_motion(*obstacle).pose(0);
        Curves curves;
        for (std::int64_t i = 0; i < n; ++i) {
            std::vector<Vec3> points = grow_strand(groom, roots->root(i), i);
            for (Vec3& x : points) x = pose.to_world(x);
            curves.add(points);
        }
        return curves;
    }

    std::optional<RootSampler> root_sampler(const Value& table, const Value* obstacle, std::uint64_t seed)
    {
        const auto shape = obstacle ? shapes_.find(obstacle->find("shape")) : shapes_.end();
        const Value* region = table.find("region");
        const auto inside = region ? shapes_.find(region) : shapes_.end();
        if (shape == shapes_.end() || (region && inside == shapes_.end())) return std::nullopt;
        if (!(shape->second->bounds().size().maxCoeff() < 1e20)) {
            problems_.add(table.where, path_ + ".obstacle", "has no end; allowed: obstacles of finite size");
            return std::nullopt;
        }
        RootSampler roots(*shape->second, region ? inside->second.get() : nullptr, seed);
        if (!roots.is_empty()) return roots;
        problems_.add(region ? region->where : table.where, path_ + (region ? ".region" : ".obstacle"),
                      "holds nothing of the obstacle's surface; allowed: regions that do");
        return std::nullopt;
    }

    std::optional<Curves> bundle(const Value& table)
    {
        const Bundle bundle = build_bundle(table);
        if (!((bundle.end - bundle.start).norm() > 1e-9)) {
            problems_.add(table.find("end")->where, path_ + ".end", "is where the start is");
            return std::nullopt;
        }
        if (!fits(table, static_cast<double>(bundle.count) * bundle.n_vertices)) return std::nullopt;
        if (bundle.curl_radius > 0 && !has_smooth_curls(table, edges_in_a_turn(bundle))) return std::nullopt;
        return bundle_curves(bundle);
    }

    std::optional<Curves> polyline(const Value& table)
    {
        Curves curves;
        std::vector<Vec3> points;
        for (const Value& point : get<Value::List>(table, "points")) points.push_back(vector(point, "position"));
        curves.add(points);
        const Value* director = table.find("director");
        if (!fits(table, static_cast<double>(points.size())) ||
            !is_smooth(points, table.find("points")->where, path_ + ".points"))
            return std::nullopt;
        if (director && director->as<Vec3>()->normalized().cross((points[1] - points[0]).normalized()).norm() < 1e-6) {
            problems_.add(director->where, path_ + ".director",
                          "is along the first edge; allowed: directions across it");
            return std::nullopt;
        }
        return curves;
    }

    /// No two neighbours in one place, no edge folded back on the one before.
    bool is_smooth(std::span<const Vec3> points, const Where& where, const std::string& path)
    {
        for (std::size_t k = 1; k < points.size(); ++k) {
            const Vec3 edge = points[k] - points[k - 1];
            if (!(edge.norm() > 1e-9)) {
                problems_.add(where, fmt::format("{}[{}]", path, k), "is where the point before is");
                return false;
            }
            const Vec3 before = k > 1 ? points[k - 1] - points[k - 2] : edge;
            if (before.normalized().dot(edge.normalized()) < kSharpestFold) {
                problems_.add(where, fmt::format("{}[{}]", path, k), "folds the strand back on itself");
                return false;
            }
        }
        return true;
    }

    const Value& root_;
    const ShapeMap& shapes_;
    Problems& problems_;
    std::string path_;
    double vertices_ = 0;
};

} // namespace

CurveMap build_curves(const Value& root, const ShapeMap& shapes, Problems& problems)
{
    return CurveBuilder(root, shapes, problems).run();
}

} // namespace rivulet
