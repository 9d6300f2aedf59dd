#include "strands/strand_contacts.h"

#include "base/parallel.h"
#include "geometry/segments.h"
#include "strands/near_edges.h"
#include "strands/slid_contacts.h"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Parts of the distance of touching centre lines.
constexpr double kNear = 0.05;    ///< gap at which things count as touching
constexpr double kFar = 0.02;     ///< gap at the end of the step beyond which they do not
constexpr double kCarried = 0.3;  ///< and at its beginning, of what touched before
constexpr double kSlack = 0.5;    ///< of the broad phase
constexpr double kDeepest = 0.03; ///< penetration that one step undoes: more would throw them apart
constexpr double kUndone = 0.25;  ///< and which part of it: overlaps add up through a stack, and so does their speed
/// An edge touches between its ends only beyond this part of it.
constexpr double kEnd = 0.02;
/// Places that follow free vertices by less are as good as held.
constexpr double kLeastFreedom = 0.01;
constexpr int kMaxMarches = 100;
constexpr int kSectionSteps = 12;
/// Of edges, to rule out that they touch an obstacle.
constexpr int kHalvings = 3;
constexpr std::int64_t kChunk = 1024;

Segment edge_at(std::span<const Vec3> x, std::int32_t v)
{
    return {x[static_cast<std::size_t>(v)], x[static_cast<std::size_t>(v) + 1]};
}

/// Contacts of chunks of [0, n), one after the other. Each chunk has its own `find`, which may remember.
template <class Found = StrandContact, class Find>
std::vector<Found> gather_contacts(std::int64_t n, const Find& find)
{
    using List = std::vector<Found>;
    const std::int64_t n_chunks = (n + kChunk - 1) / kChunk;
    std::vector<List> found(static_cast<std::size_t>(n_chunks));
    parallel_for(n_chunks, "contacts", [&](std::int64_t c) {
        auto find_in_chunk = find;
        for (std::int64_t i = c * kChunk; i < std::min(n, (c + 1) * kChunk); ++i)
            find_in_chunk(static_cast<std::size_t>(i), found[static_cast<std::size_t>(c)]);
    });
    std::size_t size = 0;
    for (const List& part : found) size += part.size();
    List all;
    all.reserve(size);
    for (List& part : found) {
        all.insert(all.end(), part.begin(), part.end());
        part = List();
    }
    return all;
}

class Finder {
public:
    Finder(const StrandEdges& edges, const StrandMotion& motion, bool again = false)
        : edges_(edges), motion_(motion), again_(again)
    {
    }

    /// Ends of edges belong to the edge that begins there, so that a vertex touches once.
    void touch(const EdgePair& pair, std::vector<StrandContact>& out) const
    {
        const auto e = static_cast<std::size_t>(pair.first), f = static_cast<std::size_t>(pair.second);
        const std::int32_t a = edges_.vertex[e], b = edges_.vertex[f];
        if (edges_.are_tied(a, b)) return;
        const Segment p0 = edge_at(motion_.start, a), p1 = edge_at(motion_.end, a);
        const Segment q0 = edge_at(motion_.start, b), q1 = edge_at(motion_.end, b);
        const double reach = edges_.radius[e] + edges_.radius[f];
        auto touch = first_touch(p0, p1, q0, q1, (1 + kNear) * reach);
        if (!touch) return;
        const auto is_of_next = [&] { return (touch->s >= 1 && !is_last(e)) || (touch->t >= 1 && !is_last(f)); };
        if (is_of_next() && again_) touch = nearest_at_end(p0, p1, q0, q1);
        if (is_of_next()) return;
        if (std::max(freedom(a, touch->s), freedom(b, touch->t)) < kLeastFreedom) return;
        const auto gap_at_end = [&] { return touch->normal.dot(p1.at(touch->s) - q1.at(touch->t)) - reach; };
        if (gap_at_end() > -kFar * reach) touch = slid_through(p0, p1, q0, q1, touch->normal, reach).value_or(*touch);
        if (gap_at_end() > kFar * reach) return;
        const double gap = touch->normal.dot(p0.at(touch->s) - q0.at(touch->t)) - reach;
        out.push_back({.a = a,
                       .b = b,
                       .s = touch->s,
                       .t = touch->t,
                       .normal = touch->normal,
                       .gap = gap_to_close(gap, reach, strands_of(e, f), motion_),
                       .friction = std::sqrt(edges_.friction[e] * edges_.friction[f])});
    }

    /// How far from an obstacle a place is, in its frame: so are others, less the way there.
    struct KnownDistance {
        Vec3 place = Vec3::Zero(); ///< [m]
        double distance = 0;       ///< [m]
    };

    void touch_obstacle(std::size_t e, const StrandObstacle& obstacle, const Aabb& bounds, std::int32_t index,
                        KnownDistance& known, std::vector<StrandContact>& out) const
    {
        const std::int32_t a = edges_.vertex[e];
        const Path first(obstacle, motion_, a, 0), second(obstacle, motion_, a, 1);
        const double radius = edges_.radius[e];
        Aabb swept;
        for (const Vec3& x : {first.from, first.to, second.from, second.to}) swept.include(x);
        if (!swept.dilated((1 + kNear) * radius).overlaps(bounds)) return;
        const double length = std::max((first.from - second.from).norm(), (first.to - second.to).norm());
        const Path middle(obstacle, motion_, a, 0.5);
        const double way = std::max(first.way(), second.way());
        const double limit = way + (1 + kNear) * radius;
        if (known.distance - (middle.from - known.place).norm() > 0.5 * length + limit) return;
        const double between = obstacle.shape->distance(middle.from);
        known = {middle.from, between};
        if (between > 0.5 * length + limit) return;
        const double start = obstacle.shape->distance(first.from), end = obstacle.shape->distance(second.from);
        const Vec3 m = middle.from;
        if (!comes_near(*obstacle.shape, {first.from, m}, {start, between}, limit, kHalvings) &&
            !comes_near(*obstacle.shape, {m, second.from}, {between, end}, limit, kHalvings))
            return;
        add(e, obstacle, first, 0, -1 - 3 * index, out);
        if (is_last(e)) add(e, obstacle, second, 1, -3 - 3 * index, out);
        for (const bool at_end : {false, true}) {
            const double s =
                deepest(*obstacle.shape, at_end ? first.to : first.from, at_end ? second.to : second.from, radius);
            if (s > kEnd && s < 1 - kEnd && add(e, obstacle, Path(obstacle, motion_, a, s), s, -2 - 3 * index, out))
                return;
        }
    }

    /// As place_contact().
    [[nodiscard]] std::optional<StrandContact> place(std::size_t e, std::size_t f) const
    {
        const std::int32_t a = edges_.vertex[e], b = edges_.vertex[f];
        const Segment p = edge_at(motion_.start, a), q = edge_at(motion_.start, b);
        const double reach = edges_.radius[e] + edges_.radius[f];
        const NearestPoints near = nearest_points(p, q);
        if (near.distance > (1 + kCarried) * reach || !(near.distance > 0)) return {};
        if (edges_.are_tied(std::min(a, b), std::max(a, b))) return {};
        if ((near.s >= 1 && !is_last(e)) || (near.t >= 1 && !is_last(f))) return {};
        if (std::max(freedom(a, near.s), freedom(b, near.t)) < kLeastFreedom) return {};
        return StrandContact{.a = a,
                             .b = b,
                             .s = near.s,
                             .t = near.t,
                             .normal = (p.at(near.s) - q.at(near.t)) / near.distance,
                             .gap = gap_to_close(near.distance - reach, reach, strands_of(e, f), motion_),
                             .friction = std::sqrt(edges_.friction[e] * edges_.friction[f])};
    }
    [[nodiscard]] std::optional<StrandContact> place(std::size_t e, const StrandObstacle& obstacle,
                                                     std::int32_t b) const
    {
        const std::int32_t a = edges_.vertex[e];
        const double radius = edges_.radius[e];
        double s = (-b - 1) % 3 == 0 ? 0 : 1;
        if ((-b - 1) % 3 == 1) {
            const Path first(obstacle, motion_, a, 0), second(obstacle, motion_, a, 1);
            s = deepest(*obstacle.shape, first.from, second.from, radius);
            if (s <= kEnd || s >= 1 - kEnd) return {};
        }
        const Vec3 from = Path(obstacle, motion_, a, s).from;
        const double distance = obstacle.shape->distance(from);
        if (distance > (1 + kCarried) * radius || freedom(a, s) < kLeastFreedom) return {};
        return StrandContact{
            .a = a,
            .b = b,
            .s = s,
            .normal = obstacle.end.rotation * obstacle.shape->normal(from),
            .gap = gap_to_close(distance - radius, radius, obstacle_pair(edges_.strand[e], b), motion_),
            .friction = obstacle.friction ? std::sqrt(*obstacle.friction * edges_.friction[e]) : edges_.friction[e],
            .carried = obstacle.end.to_world(from)};
    }

    /// How far the place at s of an edge follows its free ends, 0 to 1.
    [[nodiscard]] double freedom(std::int32_t a, double s) const
    {
        return (is_held(a) ? 0 : 1 - s) + (is_held(a + 1) ? 0 : s);
    }

private:
    /// A point of a strand in the frame of an obstacle.
    struct Path {
        Path(const StrandObstacle& obstacle, const StrandMotion& motion, std::int32_t a, double s)
            : from(obstacle.start.to_body(edge_at(motion.start, a).at(s))),
              to(obstacle.end.to_body(edge_at(motion.end, a).at(s)))
        {
        }
        [[nodiscard]] double way() const { return (to - from).norm(); }
        [[nodiscard]] Vec3 at(double time) const { return from + time * (to - from); }

        Vec3 from, to;
    };

    /// As if they touched where they are nearest in the end, from the side on which they were.
    static SegmentTouch nearest_at_end(const Segment& p0, const Segment& p1, const Segment& q0, const Segment& q1)
    {
        const NearestPoints end = nearest_points(p1, q1);
        return {1, end.s, end.t, (p0.at(end.s) - q0.at(end.t)).normalized()};
    }

    [[nodiscard]] StrandPair strands_of(std::size_t e, std::size_t f) const
    {
        const auto [first, second] = std::minmax(edges_.strand[e], edges_.strand[f]);
        return {first, second};
    }
    [[nodiscard]] bool is_held(std::int32_t v) const
    {
        return !motion_.hold.empty() && motion_.hold[static_cast<std::size_t>(v)] != Hold::Free;
    }
    [[nodiscard]] bool is_last(std::size_t e) const
    {
        return e + 1 == edges_.strand.size() || edges_.strand[e + 1] != edges_.strand[e];
    }

    /// Whether a segment may come nearer to the shape than `limit`, as distances at its ends tell, or at those of its
    /// halves, and so on: distances change by no more than the way.
    static bool comes_near(const Shape& shape, const Segment& p, const std::array<double, 2>& distance, double limit,
                           int halvings)
    {
        if (0.5 * (distance[0] + distance[1] - (p.b - p.a).norm()) > limit) return false;
        if (halvings == 0 || std::min(distance[0], distance[1]) <= limit) return true;
        const Vec3 m = p.at(0.5);
        const double between = shape.distance(m);
        return comes_near(shape, {p.a, m}, {distance[0], between}, limit, halvings - 1) ||
               comes_near(shape, {m, p.b}, {between, distance[1]}, limit, halvings - 1);
    }

    /// Where between its ends an edge is deepest in the shape; 0 if at an end. Ends that are as deep count as deepest,
    /// so that an edge that lies flat touches at its ends.
    static double deepest(const Shape& shape, const Vec3& a, const Vec3& b, double radius)
    {
        const auto depth = [&](double s) { return shape.distance(a + s * (b - a)); };
        constexpr double kGolden = 0.6180339887498949;
        double low = 0, high = 1;
        double s0 = 1 - kGolden, s1 = kGolden, d0 = depth(s0), d1 = depth(s1);
        for (int i = 0; i < kSectionSteps; ++i) {
            if (d0 <= d1) {
                high = s1;
                s1 = s0;
                d1 = d0;
                s0 = high - kGolden * (high - low);
                d0 = depth(s0);
            } else {
                low = s0;
                s0 = s1;
                d0 = d1;
                s1 = low + kGolden * (high - low);
                d1 = depth(s1);
            }
        }
        const double ends = std::min(depth(0), depth(1));
        return std::min(d0, d1) < ends - 0.02 * radius ? (d0 <= d1 ? s0 : s1) : 0;
    }

    /// Marches along the path as far as the distance allows.
    bool add(std::size_t e, const StrandObstacle& obstacle, const Path& path, double s, std::int32_t b,
             std::vector<StrandContact>& out) const
    {
        if (freedom(edges_.vertex[e], s) < kLeastFreedom) return false;
        const double radius = edges_.radius[e], way = path.way();
        double time = 0, distance = 0;
        for (int i = 0; i < kMaxMarches; ++i) {
            distance = obstacle.shape->distance(path.at(time));
            const double room = distance - radius;
            if (room <= kNear * radius) break;
            if (room > (1 - time) * way) return false;
            time += room / way;
        }
        const Vec3 hit = path.at(time);
        const Vec3 normal = obstacle.shape->normal(hit);
        const double gap = normal.dot(path.from - hit) + distance - radius;
        if (normal.dot(path.to - hit) + distance - radius > kFar * radius) return false;
        out.push_back(
            {.a = edges_.vertex[e],
             .b = b,
             .s = s,
             .normal = obstacle.end.rotation * normal,
             .gap = gap_to_close(gap, radius, obstacle_pair(edges_.strand[e], b), motion_),
             .friction = obstacle.friction ? std::sqrt(*obstacle.friction * edges_.friction[e]) : edges_.friction[e],
             .carried = obstacle.end.to_world(path.from)});
        return true;
    }

    const StrandEdges& edges_;
    const StrandMotion& motion_;
    bool again_;
};

} // namespace

double gap_to_close(double gap, double reach, const StrandPair& pair, const StrandMotion& motion)
{
    if (gap >= 0) return gap;
    const bool is_drawn = motion.parting > 0 && std::binary_search(motion.drawn.begin(), motion.drawn.end(), pair);
    return std::max(kUndone * gap, -std::max(kDeepest * reach, is_drawn ? motion.parting : 0.0));
}

Aabb swept_box(std::span<const Vec3> start, std::span<const Vec3> end, double reach)
{
    Aabb box;
    for (const Vec3& x : start) box.include(x);
    for (const Vec3& x : end) box.include(x);
    return box.dilated(reach);
}

bool may_meet(const StrandObstacle& obstacle, const Aabb& box)
{
    const auto is_at_rest = [](const Pose& pose) {
        return pose.position == Vec3::Zero() && pose.rotation.vec() == Vec3::Zero();
    };
    return !is_at_rest(obstacle.start) || !is_at_rest(obstacle.end) || box.overlaps(obstacle.shape->bounds());
}

namespace {

/// Edges whose motion is not the one that is known, by their beginnings; all if none is known.
std::vector<std::uint8_t> changed_edges(const StrandMotion& motion, const ObstacleTouches* known)
{
    const std::size_t n = motion.end.size();
    std::vector<std::uint8_t> changed(n, 1);
    if (!known || known->end.size() != n) return changed;
    parallel_for(
        static_cast<std::int64_t>(n) - 1, "contacts",
        [&](std::int64_t i) {
            const auto v = static_cast<std::size_t>(i);
            changed[v] = motion.end[v] != known->end[v] || motion.end[v + 1] != known->end[v + 1];
        },
        kChunk);
    return changed;
}

std::vector<StrandContact> touch_obstacles(const StrandEdges& edges, const Finder& finder, const StrandMotion& motion,
                                           std::span<const StrandObstacle> obstacles, ObstacleTouches* known)
{
    const std::vector<std::uint8_t> changed = changed_edges(motion, known);
    const double thickest = *std::max_element(edges.radius.begin(), edges.radius.end());
    const Aabb swept = swept_box(motion.start, motion.end, (1 + kNear) * thickest);
    std::vector<StrandContact> contacts;
    if (known)
        for (const StrandContact& c : known->contacts)
            if (!changed[static_cast<std::size_t>(c.a)]) contacts.push_back(c);
    for (std::size_t o = 0; o < obstacles.size(); ++o) {
        if (!may_meet(obstacles[o], swept)) continue;
        const Aabb bounds = obstacles[o].shape->bounds();
        const auto found = gather_contacts(
            static_cast<std::int64_t>(edges.vertex.size()),
            [&, near = Finder::KnownDistance{}](std::size_t e, std::vector<StrandContact>& out) mutable {
                if (!changed[static_cast<std::size_t>(edges.vertex[e])]) return;
                if (edges.held_inside[e] == static_cast<std::int32_t>(o)) return;
                finder.touch_obstacle(e, obstacles[o], bounds, static_cast<std::int32_t>(o), near, out);
            });
        contacts.insert(contacts.end(), found.begin(), found.end());
    }
    if (known) {
        known->end.assign(motion.end.begin(), motion.end.end());
        known->contacts = contacts;
    }
    return contacts;
}

} // namespace

std::vector<StrandContact> find_contacts(const StrandEdges& edges, const StrandMotion& motion,
                                         std::span<const StrandObstacle> obstacles, EdgePairs& pairs, bool again,
                                         ObstacleTouches* known)
{
    const Finder finder(edges, motion, again);
    const double thinnest = *std::min_element(edges.radius.begin(), edges.radius.end());
    // As far as near_edges() looks, and place_contact().
    std::vector<double> radius(edges.radius);
    for (double& r : radius) r *= 1 + kCarried;
    pairs.update({edges.vertex, edges.strand, radius, motion.start, motion.end}, 2 * kSlack * thinnest);
    const std::span<const EdgePair> list = pairs.pairs();
    std::vector<StrandContact> contacts =
        gather_contacts(static_cast<std::int64_t>(list.size()),
                        [&](std::size_t i, std::vector<StrandContact>& out) { finder.touch(list[i], out); });
    const std::vector<StrandContact> solid = touch_obstacles(edges, finder, motion, obstacles, known);
    contacts.insert(contacts.end(), solid.begin(), solid.end());
    oneapi::tbb::parallel_sort(contacts.begin(), contacts.end()); // no two are equal
    return contacts;
}

std::optional<StrandContact> place_contact(const StrandEdges& edges, const StrandMotion& motion,
                                           std::span<const StrandObstacle> obstacles, std::int32_t a, std::int32_t b)
{
    const Finder finder(edges, motion);
    const auto edge = [&](std::int32_t v) {
        const auto i = std::lower_bound(edges.vertex.begin(), edges.vertex.end(), v) - edges.vertex.begin();
        return static_cast<std::size_t>(i);
    };
    if (b >= 0) return finder.place(edge(a), edge(b));
    if (edges.held_inside[edge(a)] == obstacle_of(b)) return {};
    const auto o = static_cast<std::size_t>(obstacle_of(b));
    return o < obstacles.size() ? finder.place(edge(a), obstacles[o], b) : std::nullopt;
}

std::vector<NearEdges> near_edges(const StrandEdges& edges, const StrandMotion& motion, const EdgePairs& pairs)
{
    const Finder finder(edges, motion);
    const std::span<const EdgePair> list = pairs.pairs();
    return gather_contacts<NearEdges>(
        static_cast<std::int64_t>(list.size()), [&](std::size_t i, std::vector<NearEdges>& out) {
            const auto& [e, f] = list[i];
            if (const auto placed = finder.place(static_cast<std::size_t>(e), static_cast<std::size_t>(f)))
                out.push_back({placed->a, placed->b, static_cast<float>(std::max(placed->gap, 0.0))});
        });
}

std::vector<StrandContact> place_joints(const StrandModel& model, const StrandEdges& edges, const StrandMotion& motion)
{
    if (model.joints.empty()) return {};
    const Finder finder(edges, motion);
    const double closing = kDeepest * 2 * *std::min_element(edges.radius.begin(), edges.radius.end());
    std::vector<StrandContact> joints;
    for (const StrandJoint& j : model.joints) {
        if (std::max(finder.freedom(j.a, j.s), finder.freedom(j.b, j.t)) < kLeastFreedom) continue;
        const Vec3 apart = edge_at(motion.start, j.a).at(j.s) - edge_at(motion.start, j.b).at(j.t);
        const double distance = apart.norm();
        joints.push_back({.a = j.a,
                          .b = j.b,
                          .s = j.s,
                          .t = j.t,
                          .carried = distance > closing ? Vec3((1 - closing / distance) * apart) : Vec3(Vec3::Zero()),
                          .is_joint = true});
    }
    std::sort(joints.begin(), joints.end());
    return joints;
}

Vec3 contact_motion(const StrandContact& c, const StrandMotion& motion)
{
    const Segment to = edge_at(motion.end, c.a);
    if (c.is_with_obstacle()) return to.at(c.s) - c.carried;
    if (c.is_joint) return to.at(c.s) - edge_at(motion.end, c.b).at(c.t) - c.carried;
    const Segment from = edge_at(motion.start, c.a);
    return (to.at(c.s) - from.at(c.s)) - (edge_at(motion.end, c.b).at(c.t) - edge_at(motion.start, c.b).at(c.t));
}

std::vector<Vec3> vertex_forces(std::span<const StrandContact> contacts, std::size_t n_vertices)
{
    std::vector<Vec3> forces(n_vertices, Vec3::Zero());
    const auto add = [&](std::int32_t vertex, double at, const Vec3& force) {
        const auto v = static_cast<std::size_t>(vertex);
        forces[v] += (1 - at) * force;
        forces[v + 1] += at * force;
    };
    for (const StrandContact& c : contacts) {
        add(c.a, c.s, c.force);
        if (!c.is_with_obstacle()) add(c.b, c.t, c.excess - c.force);
    }
    return forces;
}

} // namespace rivulet
