#include "base/error.h"
#include "base/rng.h"
#include "geometry/curve_io.h"
#include "scene/build.h"
#include "scene/groom.h"
#include "scene/read.h"
#include "scene/resolve.h"
#include "scene/strand_patterns.h"

#include <fmt/format.h>

#include <cmath>

namespace rivulet {
namespace {

constexpr std::uint64_t kRadiusStream = std::uint64_t{1} << 40; // beyond the numbers of strands
constexpr double kMaxStrandVertices = 1e7;
constexpr double kClump = 0.5; // how far tips are drawn to that of their clump, where nothing is said
constexpr double kFewestEdgesInATurn = 6;
constexpr double kFarthest = 1e6;       // [m]
constexpr double kSharpestFold = -0.99; // cosine of the angle between neighbouring edges

Groom build_groom(const Value& table)
{
    return {integer(table, "vertices"),
            number(table, "length"),
            number(table, "length_variation"),
            number(table, "curl_radius"),
            number(table, "curl_pitch"),
            static_cast<std::uint64_t>(get<std::int64_t>(table, "seed")),
            number(table, "bend"),
            vector(table, "bend_direction"),
            number(table, "randomness"),
            get<std::int64_t>(table, "clumps"),
            get_or(table, "clump", kClump),
            number(table, "taper")};
}

Bundle build_bundle(const Value& table)
{
    return {get<std::int64_t>(table, "count"),
            integer(table, "vertices"),
            vector(table, "start"),
            vector(table, "end"),
            get_or(table, "spacing", 3 * number(table, "radius")),
            number(table, "curl_radius"),
            number(table, "curl_pitch"),
            table.find("row") ? vector(table, "row") : Vec3::Zero()};
}

Noodles build_noodles(const Value& table)
{
    return {get<std::int64_t>(table, "count"),
            get<std::int64_t>(table, "per_layer"),
            integer(table, "vertices"),
            number(table, "length"),
            get_or(table, "spacing", 3 * number(table, "radius")),
            number(table, "wave_height"),
            number(table, "wave_length"),
            static_cast<std::uint64_t>(get<std::int64_t>(table, "seed"))};
}

/// Edges in a turn of a bundle's helices.
double edges_in_a_turn(const Bundle& bundle)
{
    return bundle.curl_pitch * (bundle.n_vertices - 1) / (bundle.end - bundle.start).norm();
}

class CurveBuilder {
public:
    CurveBuilder(const Value& root, const ShapeMap& shapes, const ParseOptions& options, Problems& problems)
        : root_(root), shapes_(shapes), options_(options), problems_(problems)
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
            std::optional<Curves> curves = of_kind(text(table, "kind"), table);
            if (!curves) continue;
            vary_radius(table, *curves);
            map[&table] = std::move(*curves);
        }
        return map;
    }

private:
    std::optional<Curves> of_kind(const std::string& kind, const Value& table)
    {
        if (kind == "polyline") return polyline(table);
        if (!options_.grows_strands) return std::nullopt;
        if (kind == "groom") return groom(table);
        if (kind == "bundle") return bundle(table);
        if (kind == "file") return from_file(table);
        if (kind == "woven") return woven(table);
        if (kind == "knitted") return knitted(table);
        return noodles(table);
    }

    /// Each strand's radius by its number and the seed alone.
    static void vary_radius(const Value& table, Curves& curves)
    {
        const double variation = get_or(table, "radius_variation", 0.0);
        if (!(variation > 0)) return;
        const auto seed = static_cast<std::uint64_t>(get<std::int64_t>(table, "seed"));
        for (std::size_t i = 0; i < curves.size(); ++i)
            curves.radius.push_back(number(table, "radius") *
                                    (1 + variation * (2 * random_unit(seed, kRadiusStream, i) - 1)));
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
        if (const Value* clump = table.find("clump"); clump && groom.n_clumps == 0) {
            problems_.add(clump->where, path_ + ".clump",
                          "has no meaning without clumps; allowed: with `clumps` above 0");
            return std::nullopt;
        }
        const auto edges = edges_in_a_turn(groom);
        if (edges && !has_smooth_curls(table, *edges)) return std::nullopt;
        const Value* obstacles = root_.find("obstacles");
        const Value* obstacle = obstacles ? obstacles->find(text(table, "obstacle")) : nullptr;
        const std::optional<RootSampler> roots = root_sampler(table, obstacle, groom.seed);
        if (!roots || !is_complete(scene_record("obstacle"), *obstacle)) return std::nullopt;
        const double n = number_of_roots(table, roots->area());
        if (!(n > 0) || !fits(table, n * groom.n_vertices)) return std::nullopt;
        Curves curves = grow_strands(groom, *roots, static_cast<std::int64_t>(n));
        place(curves, build_motion(*obstacle).pose(0));
        return if_smooth(std::move(curves), table);
    }

    /// A whole number; 0, with a problem added, if nothing says how many there are or there would be none.
    double number_of_roots(const Value& table, double area)
    {
        if (const Value* per_area = table.find("roots_per_area")) {
            const double n = std::round(*per_area->as<double>() * area);
            if (!(n >= 1))
                problems_.add(
                    per_area->where, path_ + ".roots_per_area",
                    fmt::format("gives no strand on {:.3g} m2; allowed: above {:.3g} 1/m2", area, 0.5 / area));
            return n;
        }
        if (const Value* count = table.find("count")) return static_cast<double>(*count->as<std::int64_t>());
        problems_.add(table.where, path_ + ".count", "missing; expected this or roots_per_area");
        return 0;
    }

    static void place(Curves& curves, const Pose& pose)
    {
        for (Vec3& x : curves.points) x = pose.to_world(x);
    }

    /// The curves; none, with a problem added, if one has points too near or folds.
    std::optional<Curves> if_smooth(Curves curves, const Value& table)
    {
        for (std::size_t i = 0; i < curves.size(); ++i)
            if (!is_smooth(curves[i], table.where, fmt::format("{}: strand {}", path_, i))) return std::nullopt;
        return curves;
    }

    std::optional<Curves> woven(const Value& table)
    {
        const double radius = number(table, "radius"), spacing = number(table, "spacing");
        const Weave weave{integer(table, "rows"), integer(table, "columns"), spacing,
                          get_or(table, "amplitude", 1.05 * radius), integer(table, "edges")};
        if (radius > 0.2 * spacing) {
            problems_.add(
                table.where, path_ + ".radius",
                fmt::format("{:.3g} m is too thick to weave; allowed: up to {:.3g} m (a fifth of the spacing)", radius,
                            0.2 * spacing));
            return std::nullopt;
        }
        if (!(weave.amplitude >= radius && weave.amplitude <= 0.2 * spacing)) {
            problems_.add(
                table.where, path_ + ".amplitude",
                fmt::format("{:.3g} m makes yarns overlap or stand upright; allowed: {:.3g} m (the radius) to "
                            "{:.3g} m (a fifth of the spacing)",
                            weave.amplitude, radius, 0.2 * spacing));
            return std::nullopt;
        }
        const double vertices =
            2.0 * weave.rows * weave.columns * weave.edges_per_crossing + weave.rows + weave.columns;
        if (!fits(table, vertices)) return std::nullopt;
        Curves curves = woven_curves(weave);
        place(curves, build_pose(table));
        return if_smooth(std::move(curves), table);
    }

    std::optional<Curves> knitted(const Value& table)
    {
        const Knit knit{integer(table, "rows"), integer(table, "columns"), number(table, "spacing"),
                        integer(table, "edges")};
        const double thickest = 0.5 * kKnitClearance * knit.spacing;
        if (number(table, "radius") > thickest) {
            problems_.add(table.where, path_ + ".radius",
                          fmt::format("{:.3g} m makes loops overlap; allowed: up to {:.3g} m with this spacing",
                                      number(table, "radius"), thickest));
            return std::nullopt;
        }
        if (!fits(table, knit.rows * (1.0 + knit.columns * knit.edges_per_loop))) return std::nullopt;
        Curves curves = knitted_curves(knit);
        place(curves, build_pose(table));
        return if_smooth(std::move(curves), table);
    }

    std::optional<Curves> noodles(const Value& table)
    {
        const Noodles noodles = build_noodles(table);
        if (!fits(table, static_cast<double>(noodles.count) * noodles.n_vertices)) return std::nullopt;
        const double edges = noodles.wave_length / noodles.length * (noodles.n_vertices - 1);
        if (noodles.wave_height > 0 && edges < kFewestEdgesInATurn) {
            problems_.add(
                table.where, path_ + ".vertices",
                fmt::format("gives {:.2g} edges in a wave; allowed: at least {}", edges, kFewestEdgesInATurn));
            return std::nullopt;
        }
        Curves curves = noodle_curves(noodles);
        place(curves, build_pose(table));
        return if_smooth(std::move(curves), table);
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
        if (table.find("row") && row_direction(bundle).norm() < 1e-6 * bundle.row.norm()) {
            problems_.add(table.find("row")->where, path_ + ".row", "lies along the strands; must point across");
            return std::nullopt;
        }
        if (!fits(table, static_cast<double>(bundle.count) * bundle.n_vertices)) return std::nullopt;
        if (bundle.curl_radius > 0 && !has_smooth_curls(table, edges_in_a_turn(bundle))) return std::nullopt;
        return if_smooth(bundle_curves(bundle), table);
    }

    std::optional<Curves> from_file(const Value& table)
    {
        const Where& where = table.find("file")->where;
        const std::string path = path_ + ".file";
        try {
            const Curves all = read_curves(text(table, "file"));
            const auto n = std::min<std::size_t>(
                all.size(), static_cast<std::size_t>(get_or<std::int64_t>(table, "count", INT64_MAX)));
            Curves curves;
            for (std::size_t i = 0; i < n; ++i) {
                const std::vector<Vec3> points = placed(table, all[i * all.size() / n]);
                if (points.size() < 3) {
                    problems_.add(where, path,
                                  fmt::format("strand {} has {} vertices; allowed: at least 3, or give `vertices`",
                                              i * all.size() / n, points.size()));
                    return std::nullopt;
                }
                if (!fits(table, static_cast<double>(points.size())) ||
                    !is_smooth(points, where, fmt::format("{}: strand {}", path, i * all.size() / n)))
                    return std::nullopt;
                curves.add(points);
                if (!take_looks(table, all, i * all.size() / n, curves)) return std::nullopt;
            }
            return curves;
        } catch (const InputError& error) {
            problems_.add(where, path, error.what());
        } catch (const IoError& error) {
            problems_.add(where, path, error.what());
        }
        return std::nullopt;
    }

    /// Radius and colour that the file gives a strand, where the scene gives none to all. False, with a problem added,
    /// for a radius that no strand can have.
    bool take_looks(const Value& table, const Curves& all, std::size_t strand, Curves& curves)
    {
        if (!all.colour.empty() && !table.find("colour")) curves.colour.push_back(all.colour[strand]);
        if (all.radius.empty() || table.find("radius")) return true;
        const double radius = number(table, "scale") * number(table, "thickness_scale") * all.radius[strand];
        const Range& allowed = scene_record("strands").find("radius", "file")->range;
        curves.radius.push_back(radius);
        if (radius >= allowed.lower && radius <= allowed.upper) return true;
        problems_.add(table.find("file")->where, path_ + ".file",
                      fmt::format("the thickness of strand {} makes its radius {:.3g} m; allowed: from {} to {} m by "
                                  "`thickness_scale`, or give `radius`",
                                  strand, radius, allowed.lower, allowed.upper));
        return false;
    }

    /// A curve of a file where the scene puts it.
    static std::vector<Vec3> placed(const Value& table, std::span<const Vec3> curve)
    {
        const Pose pose = build_pose(table);
        const double scale = number(table, "scale");
        std::vector<Vec3> points = table.find("vertices") ? resampled(curve, integer(table, "vertices"))
                                                          : std::vector(curve.begin(), curve.end());
        for (Vec3& x : points) x = pose.to_world(scale * x);
        return points;
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

    /// All in the world, no two neighbours in one place, no edge folded back on the one before.
    bool is_smooth(std::span<const Vec3> points, const Where& where, const std::string& path)
    {
        for (std::size_t k = 0; k < points.size(); ++k)
            if (!(points[k].cwiseAbs().maxCoeff() <= kFarthest)) {
                problems_.add(where, fmt::format("{}[{}]", path, k),
                              fmt::format("is out of reach; allowed: coordinates up to {:.0e} m", kFarthest));
                return false;
            }
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
    const ParseOptions& options_;
    Problems& problems_;
    std::string path_;
    double vertices_ = 0;
};

} // namespace

CurveMap build_curves(const Value& root, const ShapeMap& shapes, const ParseOptions& options, Problems& problems)
{
    return CurveBuilder(root, shapes, options, problems).run();
}

} // namespace rivulet
