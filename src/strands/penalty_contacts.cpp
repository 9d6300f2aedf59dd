#include "strands/penalty_contacts.h"

#include "base/parallel.h"
#include "contact/edge_overlap.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Slack of the broad phase, as a part of the least distance at which strands touch.
constexpr double kPenaltySlack = 0.5;
constexpr double kLeastPenaltyFreedom = 0.01;
constexpr std::int64_t kPenaltyChunk = 1024;

class PenaltyFinder {
public:
    using List = std::vector<StrandPenalty>;

    PenaltyFinder(const StrandEdges& edges, const StrandMotion& motion, const PenaltyLaw& law)
        : edges_(edges), motion_(motion), law_(law)
    {
    }

    void find_pair(const EdgePair& pair, List& out) const
    {
        const auto e = static_cast<std::size_t>(pair.first), f = static_cast<std::size_t>(pair.second);
        const std::int32_t a = edges_.vertex[e], b = edges_.vertex[f];
        const Segment p = edge(motion_.end, a), q = edge(motion_.end, b);
        const PenaltyCurve curve(law_, edges_.radius[e] + edges_.radius[f]);
        const auto touch = first_touch(edge(motion_.start, a), p, edge(motion_.start, b), q, curve.rest);
        if (!touch) return;
        StrandPenalty found{.contact = {.a = a, .b = b}, .curve = curve};
        const auto passed = passed_through(edge(motion_.start, a), p, edge(motion_.start, b), q);
        if (passed)
            place_crossed(p, q, *passed, found);
        else if (!place(p, q, touch->normal, found))
            return;
        const StrandContact& c = found.contact;
        if (std::max(freedom(a, c.s), freedom(b, c.t)) >= kLeastPenaltyFreedom) out.push_back(found);
    }

    /// Whether the centre lines of a pair have gone through each other.
    [[nodiscard]] bool has_passed(const EdgePair& pair) const
    {
        const auto e = static_cast<std::size_t>(pair.first), f = static_cast<std::size_t>(pair.second);
        const std::int32_t a = edges_.vertex[e], b = edges_.vertex[f];
        const auto passed =
            passed_through(edge(motion_.start, a), edge(motion_.end, a), edge(motion_.start, b), edge(motion_.end, b));
        return passed && std::max(freedom(a, passed->s), freedom(b, passed->t)) >= kLeastPenaltyFreedom;
    }

    /// The distance is taken to change linearly along each half of an edge. Edges that are held at an end grow out of
    /// what holds them: they are left alone.
    void find_obstacle(std::size_t e, const StrandObstacle& obstacle, std::int32_t index, List& out) const
    {
        const std::int32_t a = edges_.vertex[e];
        if (is_held(a) || is_held(a + 1)) return;
        const PenaltyCurve curve(law_, edges_.radius[e]);
        const Segment p = edge(motion_.end, a);
        const auto distance = [&](double s) { return obstacle.shape->distance(obstacle.end.to_body(p.at(s))); };
        const double length = (p.b - p.a).norm(), middle = distance(0.5);
        if (middle > 0.5 * length + curve.rest) return;
        const double ends[] = {distance(0), distance(1)};
        for (const int half : {0, 1}) {
            const double to_middle = curve.rest - middle, to_end = curve.rest - ends[half];
            if (to_middle <= 0 && to_end <= 0) continue;
            // From the middle (0) to the end (1): where the room is negative.
            const double begin = to_middle > 0 ? 0 : to_middle / (to_middle - to_end);
            const double end = to_end > 0 ? 1 : to_middle / (to_middle - to_end);
            const double s = 0.5 + (half == 0 ? -0.25 : 0.25) * (begin + end);
            const Vec3 place = obstacle.end.to_body(p.at(s));
            out.push_back(
                {.contact = {.a = a,
                             .b = -1 - half - 3 * index,
                             .s = s,
                             .normal = obstacle.end.rotation * obstacle.shape->normal(place),
                             .carried = obstacle.end.to_world(obstacle.start.to_body(edge(motion_.start, a).at(s)))},
                 .distance = obstacle.shape->distance(place),
                 .length = 0.5 * length * (end - begin),
                 .curve = curve});
        }
    }

private:
    static Segment edge(std::span<const Vec3> x, std::int32_t v)
    {
        return {x[static_cast<std::size_t>(v)], x[static_cast<std::size_t>(v) + 1]};
    }
    [[nodiscard]] bool is_held(std::int32_t v) const
    {
        return !motion_.hold.empty() && motion_.hold[static_cast<std::size_t>(v)] != Hold::Free;
    }
    [[nodiscard]] double freedom(std::int32_t a, double s) const
    {
        return (is_held(a) ? 0 : 1 - s) + (is_held(a + 1) ? 0 : s);
    }

    /// False if nothing is within reach. `normal` serves where centre lines meet.
    static bool place(const Segment& p, const Segment& q, const Vec3& normal, StrandPenalty& found)
    {
        const auto overlap = edge_overlap(p, q, found.curve.rest);
        if (!overlap) return false;
        const Vec3 offset = p.at(overlap->s) - q.at(overlap->t);
        found.distance = offset.norm();
        found.length = overlap->length;
        found.contact.s = overlap->s;
        found.contact.t = overlap->t;
        found.contact.normal = found.distance > 1e-9 * found.curve.rest ? Vec3(offset / found.distance) : normal;
        return true;
    }

    /// As if centre lines met: what is within reach then.
    static void place_crossed(const Segment& p, const Segment& q, const SegmentTouch& touch, StrandPenalty& found)
    {
        const Vec3 u = p.b - p.a, v = q.b - q.a;
        const double sine = u.cross(v).norm(), scale = u.norm() * v.norm(), shorter = std::min(u.norm(), v.norm());
        const double reach = 2 * found.curve.rest;
        found.length = sine * shorter > reach * scale ? reach * scale / sine : shorter;
        found.contact.s = touch.s;
        found.contact.t = touch.t;
        found.contact.normal = touch.normal;
        found.distance = touch.normal.dot(p.at(touch.s) - q.at(touch.t));
    }

    const StrandEdges& edges_;
    const StrandMotion& motion_;
    const PenaltyLaw& law_;
};

/// What find(i, list) adds for i in [0, n), in order.
template <class Find>
void gather_penalties(std::size_t n, Find&& find, PenaltyFinder::List& all)
{
    const auto count = static_cast<std::int64_t>(n), n_chunks = (count + kPenaltyChunk - 1) / kPenaltyChunk;
    std::vector<PenaltyFinder::List> found(static_cast<std::size_t>(n_chunks));
    parallel_for(n_chunks, "penalty contacts", [&](std::int64_t c) {
        for (std::int64_t i = c * kPenaltyChunk; i < std::min(count, (c + 1) * kPenaltyChunk); ++i)
            find(static_cast<std::size_t>(i), found[static_cast<std::size_t>(c)]);
    });
    for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
}

/// Pairs that may come within reach in a motion.
std::span<const EdgePair> near_pairs(const StrandEdges& edges, const StrandMotion& motion, const PenaltyLaw& law,
                                     EdgePairs& pairs)
{
    std::vector<double> reach(edges.radius);
    for (double& r : reach) r *= law.range;
    const double thinnest = *std::min_element(edges.radius.begin(), edges.radius.end());
    pairs.update({edges.vertex, edges.strand, reach, motion.start, motion.end}, 2 * kPenaltySlack * thinnest);
    return pairs.pairs();
}

} // namespace

std::vector<StrandPenalty> find_penalties(const StrandEdges& edges, const StrandMotion& motion,
                                          std::span<const StrandObstacle> obstacles, const PenaltyLaw& law,
                                          EdgePairs& pairs)
{
    const PenaltyFinder finder(edges, motion, law);
    std::vector<StrandPenalty> all;
    const std::span<const EdgePair> list = near_pairs(edges, motion, law, pairs);
    gather_penalties(
        list.size(), [&](std::size_t i, auto& out) { finder.find_pair(list[i], out); }, all);
    const Aabb box =
        swept_box(motion.end, motion.end, law.range * *std::max_element(edges.radius.begin(), edges.radius.end()));
    for (std::size_t o = 0; o < obstacles.size(); ++o) {
        if (!may_meet(obstacles[o], box)) continue;
        gather_penalties(
            edges.vertex.size(),
            [&](std::size_t e, auto& out) {
                const auto index = static_cast<std::int32_t>(o);
                if (edges.held_inside[e] != index) finder.find_obstacle(e, obstacles[o], index, out);
            },
            all);
    }
    std::sort(all.begin(), all.end());
    return all;
}

std::int64_t count_passed(const StrandEdges& edges, const StrandMotion& motion, const PenaltyLaw& law, EdgePairs& pairs)
{
    const PenaltyFinder finder(edges, motion, law);
    const std::span<const EdgePair> list = near_pairs(edges, motion, law, pairs);
    std::vector<std::uint8_t> has_passed(list.size());
    parallel_for(
        static_cast<std::int64_t>(list.size()), "passed strands",
        [&](std::int64_t i) {
            has_passed[static_cast<std::size_t>(i)] = finder.has_passed(list[static_cast<std::size_t>(i)]) ? 1 : 0;
        },
        kPenaltyChunk);
    return std::count(has_passed.begin(), has_passed.end(), 1);
}

Vec3 contact_offset(const StrandContact& c, std::span<const Vec3> x)
{
    const auto at = [&](std::int32_t vertex, double s) {
        const auto v = static_cast<std::size_t>(vertex);
        return Vec3(x[v] + s * (x[v + 1] - x[v]));
    };
    return c.is_with_obstacle() ? at(c.a, c.s) : Vec3(at(c.a, c.s) - at(c.b, c.t));
}

} // namespace rivulet
