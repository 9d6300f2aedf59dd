#include "run/picture_strands.h"

#include "base/rng.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

/// Neighbours differ so much in lightness that the eye can tell them apart.
constexpr double kVariation = 0.35;
/// Strands drawn beside one end before its tip, by up to this part of its length.
constexpr double kShorter = 0.25;

struct AcrossStrand {
    Vec3 a, b;
};

/// The obstacle that holds each strand's first vertex; -1: none.
std::vector<std::int32_t> root_bodies(const StrandModel& strands)
{
    std::vector<std::int32_t> body(strands.material.size(), -1);
    for (const StrandPin& pin : strands.pins) {
        const auto found = std::lower_bound(strands.first.begin(), strands.first.end() - 1, pin.vertex);
        if (*found == pin.vertex) body[static_cast<std::size_t>(found - strands.first.begin())] = pin.body;
    }
    return body;
}

/// How a body has turned since the start.
Quat turn_of(const Model& model, std::int32_t body, double time)
{
    if (body < 0) return Quat::Identity();
    const Motion& motion = model.obstacles[static_cast<std::size_t>(body)].motion;
    return motion.pose(time).rotation * motion.pose(0).rotation.conjugate();
}

/// Two directions across the strand at each vertex, without twist along it. At the root they go with the body that
/// holds it.
std::vector<AcrossStrand> directions_along(std::span<const Vec3> strand, const Vec3& at_start, const Quat& turn)
{
    const auto direction = [&](std::size_t v) {
        return (strand[std::min(v + 1, strand.size() - 1)] - strand[v > 0 ? v - 1 : 0]).normalized();
    };
    Vec3 along = (strand[1] - strand[0]).normalized();
    const Vec3 carried = turn * at_start;
    Vec3 a = Quat::FromTwoVectors(carried, along) * (turn * at_start.unitOrthogonal());
    std::vector<AcrossStrand> across;
    for (std::size_t v = 0; v < strand.size(); ++v) {
        const Vec3 next = direction(v);
        a = Quat::FromTwoVectors(along, next) * a;
        along = next;
        across.push_back({a, along.cross(a)});
    }
    return across;
}

/// Draws strands of a frame and those beside them.
class StrandPainter {
public:
    StrandPainter(const Scene& scene, const Frame& frame, const WetStrands& wet, const StrandColours& colours)
        : scene_(scene), frame_(frame), wet_(wet), colours_(colours), bodies_(root_bodies(scene.model.strands))
    {
    }

    void add(const StrandGroup& group, std::size_t s)
    {
        const auto begin = static_cast<std::size_t>(frame_.strand_first.at(s));
        const std::size_t n = static_cast<std::size_t>(frame_.strand_first.at(s + 1)) - begin;
        std::vector<AcrossStrand> across;
        if (group.picture_strands > 1) {
            const std::vector<Vec3>& start = scene_.model.strands_at_start.position;
            across = directions_along(std::span(frame_.strand_position).subspan(begin, n),
                                      (start.at(begin + 1) - start.at(begin)).normalized(),
                                      turn_of(scene_.model, bodies_.at(s), frame_.time));
        }
        add_one(begin, n, lightness(s, 0), 1, [](std::size_t, double) { return Vec3::Zero().eval(); });
        for (std::uint64_t k = 1; k < static_cast<std::uint64_t>(group.picture_strands); ++k) {
            const Vec3 root = group.picture_spread * place_in_disc(s, k, 3);
            const Vec3 tip = (1 - group.picture_clump) * group.picture_spread * place_in_disc(s, k, 5);
            add_one(begin, n, lightness(s, k), 1 - kShorter * random_unit(7, k, s), [&](std::size_t i, double part) {
                const Vec3 place = (1 - part) * root + part * tip;
                return Vec3(place.x() * across[i].a + place.y() * across[i].b);
            });
        }
    }
    CurveDrawable take() { return std::move(curves_); }

private:
    [[nodiscard]] double lightness(std::size_t strand, std::uint64_t number) const
    {
        if (scene_.render.colour_by != StrandColour::Material) return 1;
        return 1 + kVariation * (2 * random_unit(1, number, strand) - 1);
    }

    /// Even over the disc of radius one, in x and y.
    static Vec3 place_in_disc(std::size_t strand, std::uint64_t number, std::uint64_t seed)
    {
        const double away = std::sqrt(random_unit(seed, number, strand));
        const double angle = 2 * std::numbers::pi * random_unit(seed + 1, number, strand);
        return {away * std::cos(angle), away * std::sin(angle), 0};
    }

    /// The first `part_drawn` of the strand of n vertices from `begin` on, moved by offset(number of a vertex, its
    /// place from root 0 to tip 1).
    template <class Offset>
    void add_one(std::size_t begin, std::size_t n, double light, double part_drawn, Offset&& offset)
    {
        curves_.starts.push_back(static_cast<int>(curves_.vertices.size()));
        for (std::size_t i = 0; i < n; ++i) {
            const double at = part_drawn * static_cast<double>(i), part = at / static_cast<double>(n - 1);
            const auto before = std::min(static_cast<std::size_t>(at), n - 2);
            const double t = at - static_cast<double>(before);
            const auto between = [&]<class Of>(Of&& value) -> decltype(value(before)) { // of two neighbouring vertices
                return (1 - t) * value(before) + t * value(before + 1);
            };
            curves_.vertices.emplace_back(
                between([&](std::size_t k) -> Vec3 { return frame_.strand_position[begin + k] + offset(k, part); }));
            curves_.radii.push_back(between([&](std::size_t k) { return wet_.radius(begin + k); }));
            curves_.wetness.push_back(between([&](std::size_t k) { return wet_.wetness[begin + k]; }));
            curves_.colours.emplace_back(
                between([&](std::size_t k) -> Vec3 { return (light * colours_.colour[begin + k]).cwiseMin(1.0); }));
        }
    }

    const Scene& scene_;
    const Frame& frame_;
    const WetStrands& wet_;
    const StrandColours& colours_;
    std::vector<std::int32_t> bodies_;
    CurveDrawable curves_;
};

} // namespace

CurveDrawable picture_curves(const Scene& scene, const Frame& frame, const WetStrands& wet,
                             const StrandColours& colours, std::size_t group)
{
    const StrandGroup& g = scene.model.strand_groups.at(group);
    StrandPainter painter(scene, frame, wet, colours);
    for (std::int32_t s = g.first_strand; s < g.first_strand + g.n_strands; ++s)
        painter.add(g, static_cast<std::size_t>(s));
    return painter.take();
}

} // namespace rivulet
