#include "run/wet_strands.h"

#include "sim/film_thickness.h"
#include "wetting/film_section.h"

#include <cmath>
#include <unordered_map>

namespace rivulet {
namespace {

/// A body of liquid on a strand is drawn as such from this outer radius on, in diagonals of the domain,
constexpr double kSmallestSeen = 3e-4;
/// and from this one on in radii of the strand: where it ends, the step to an opaque coat must not be seen.
constexpr double kThickSeen = 1.25;

/// The part of space that the bulk fills, by cells of the grid.
class BulkShare {
public:
    BulkShare(const Frame& frame, const Domain& domain, double cell) : lower_(domain.box.lower), cell_(cell)
    {
        for (std::size_t p = 0; p < frame.position.size(); ++p)
            share_[key((frame.position[p] - lower_) / cell_)] += frame.volume[p] / (cell_ * cell_ * cell_);
    }

    /// Interpolated between the centres of cells.
    [[nodiscard]] double at(const Vec3& x) const
    {
        const Vec3 local = (x - lower_) / cell_ - Vec3::Constant(0.5);
        const Vec3 base = local.array().floor(), t = local - base;
        double sum = 0;
        for (int corner = 0; corner < 8; ++corner) {
            const Vec3 offset(corner & 1, (corner >> 1) & 1, corner >> 2);
            double weight = 1;
            for (int a = 0; a < 3; ++a) weight *= offset[a] > 0 ? t[a] : 1 - t[a];
            const auto found = share_.find(key(base + offset));
            if (found != share_.end()) sum += weight * found->second;
        }
        return sum;
    }
    [[nodiscard]] bool is_empty() const { return share_.empty(); }

private:
    static std::int64_t key(const Vec3& cells)
    {
        const auto at = [&](int a) { return static_cast<std::int64_t>(std::floor(cells[a])); };
        return (at(0) * 2'097'152 + at(1)) * 2'097'152 + at(2);
    }
    Vec3 lower_;
    double cell_;
    std::unordered_map<std::int64_t, double> share_;
};

/// Of real bridges those are shown whose section has a side of this many radii of the strand.
constexpr double kThickBridge = 0.2;
constexpr int kMeniscusPoints = 7;

FilmSurfacing surfacing_for(const Scene& scene, StrandRadii radii)
{
    FilmSurfacing options;
    if (radii == StrandRadii::Drawn) {
        options.smallest = kSmallestSeen * scene.model.domain.box.size().norm();
        options.thick = kThickSeen;
        options.n_around = 16;
    }
    return options;
}

FilmCurves film_curves(const Frame& frame, const WetStrands& wet)
{
    return {frame.strand_position, frame.strand_first, wet.inner, wet.outer, wet.pools};
}

} // namespace

double strand_wetness(double thickness, double radius) { return -std::expm1(-10 * thickness / radius); }

WetStrands wet_strands(const Scene& scene, const Frame& frame, StrandRadii radii)
{
    static const Frame kDry;
    const Frame& wetted = scene.model.wetting ? frame : kDry;
    const BulkShare bulk(wetted, scene.model.domain, scene.model.options.cell_size);
    WetStrands wet;
    wet.surfacing = surfacing_for(scene, radii);
    wet.pools = frame.pool;
    std::vector<double> area;
    const auto is_in_bulk = [&](const Vec3& x) { return !bulk.is_empty() && bulk.at(x) >= 0.5; };
    for (const StrandGroup& group : scene.model.strand_groups)
        for (std::int32_t n = group.first_strand; n < group.first_strand + group.n_strands; ++n) {
            const auto s = static_cast<std::size_t>(n);
            const bool drawn = radii == StrandRadii::Drawn && group.picture_radius > 0;
            const double at_root = drawn ? group.picture_radius : frame.strand_radius.at(s);
            for (auto v = static_cast<std::size_t>(frame.strand_first.at(s));
                 v < static_cast<std::size_t>(frame.strand_first.at(s + 1)); ++v) {
                const double thickness = frame.film_thickness.at(v);
                const double round = round_radius(scene.model.strands, s, v);
                const bool is_shown = thickness > 0 && !is_in_bulk(frame.strand_position[v]);
                wet.inner.push_back(at_root * scene.model.strands.scale_at(v));
                area.push_back(is_shown ? film_area(thickness, round) : 0);
                wet.wetness.push_back(strand_wetness(thickness, round));
            }
            const Vec3& tip = frame.strand_position[static_cast<std::size_t>(frame.strand_first.at(s + 1)) - 1];
            if (wet.pools.at(s) > 0 && is_in_bulk(tip)) wet.pools[s] = 0;
        }
    BridgeBodies between = bridge_bodies(scene, frame,
                                         {.radius = wet.inner,
                                          .area = area,
                                          .smallest = wet.surfacing.smallest,
                                          .thick = radii == StrandRadii::Real ? kThickBridge : 0});
    wet.bridges = std::move(between.bodies);
    // As much liquid on the radius that is drawn as on the real one.
    for (std::size_t v = 0; v < area.size(); ++v)
        wet.outer.push_back(area[v] > 0 ? film_outer_radius((1 - between.share[v]) * area[v], wet.inner[v])
                                        : wet.inner[v]);
    wet.in_drop = vertices_in_drops(film_curves(frame, wet), wet.surfacing);
    return wet;
}

TriangleMesh film_surface(const Scene& scene, const Frame& frame, const WetStrands& wet)
{
    if (!scene.model.wetting) return {};
    TriangleMesh mesh = surface_films(film_curves(frame, wet), wet.surfacing);
    for (const auto& body : wet.bridges) append_bridge(body, kMeniscusPoints, mesh);
    const Vec3& colour = scene.model.liquids.at(static_cast<std::size_t>(scene.model.wetting->liquid)).colour;
    mesh.colours.assign(mesh.vertices.size(), colour);
    return mesh;
}

} // namespace rivulet
