#include "strands/strand_contacts.h"

#include "base/parallel.h"
#include "geometry/segments.h"
#include "strands/edge_in_shape.h"
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
/// How much deeper an edge has to be elsewhere in the end than where it first touched.
constexpr double kMoved = 0.5;
/// How deep it has to be there to touch at two places, and how far these are apart, as a part of the edge.
constexpr double kSecond = 0.1, kElsewhere = 0.1;
/// An edge touches between its ends only beyond this part of a radius from them, and of the edge.
constexpr double kEnd = 0.1, kEndOfEdge = 0.02;
/// Cosine of the angle up to which a surface that a place runs into is the one that its edge is in at the end.
constexpr double kSameSide = 0.3;
/// Places that follow free vertices by less are as good as held.
constexpr double kLeastFreedom = 0.01;
constexpr int kMaxMarches = 100;
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
        touch_end(e, obstacle, first, 0, -1 - 3 * index, out);
        if (is_last(e)) touch_end(e, obstacle, second, 1, -3 - 3 * index, out);
        touch_between_ends(e, obstacle, {first, second}, -2 - 3 * index, out);
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
        EdgePlace at{.s = (-b - 1) % 3 == 0 ? 0.0 : 1.0};
        if (at.s > 0 && (-b - 1) % 3 == 2 && !is_last(e)) return {}; // a second place is looked for anew
        if ((-b - 1) % 3 == 1) {
            const Path first(obstacle, motion_, a, 0), second(obstacle, motion_, a, 1);
            const Segment edge{first.from, second.from};
            const double s = deepest_between_ends(*obstacle.shape, edge, radius);
            if (!is_between_ends(s, edge, radius)) return {};
            at = place_across(*obstacle.shape, edge, s);
        } else {
            const Vec3 from = Path(obstacle, motion_, a, at.s).from;
            at.distance = obstacle.shape->distance(from);
            at.normal = obstacle.shape->normal(from);
        }
        if (at.distance > (1 + kCarried) * radius || freedom(a, at.s) < kLeastFreedom) return {};
        return contact_at(e, obstacle, b, at, at.distance - radius);
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

    /// A contact of the obstacle with this place, normal in its frame and gap at the beginning of the step.
    [[nodiscard]] StrandContact contact_at(std::size_t e, const StrandObstacle& obstacle, std::int32_t b,
                                           const EdgePlace& at, double gap) const
    {
        return {.a = edges_.vertex[e],
                .b = b,
                .s = at.s,
                .normal = obstacle.end.rotation * at.normal,
                .gap = gap_to_close(gap, edges_.radius[e], obstacle_pair(edges_.strand[e], b), motion_),
                .friction = obstacle.friction ? std::sqrt(*obstacle.friction * edges_.friction[e]) : edges_.friction[e],
                .carried = obstacle.end.to_world(Path(obstacle, motion_, edges_.vertex[e], at.s).from)};
    }

    static bool is_between_ends(double s, const Segment& edge, double radius)
    {
        const double end = std::min(kEndOfEdge, kEnd * radius / (edge.b - edge.a).norm());
        return s > end && s < 1 - end;
    }

    /// Marches along the path as far as the distance allows; none if that is past all of it.
    static std::optional<EdgePlace> march(const Shape& shape, const Path& path, double s, double radius, double& time)
    {
        const double way = path.way();
        double distance = 0;
        time = 0;
        for (int i = 0; i < kMaxMarches; ++i) {
            distance = shape.distance(path.at(time));
            const double room = distance - radius;
            if (room <= kNear * radius) break;
            if (room > (1 - time) * way) return {};
            time += room / way;
        }
        return EdgePlace{s, distance, shape.normal(path.at(time))};
    }

    /// A contact at a place that is so at a time, if it is one at the end of the step too.
    struct Touch {
        StrandContact contact;
        double gap = 0; ///< at the end [m]
    };
    [[nodiscard]] std::optional<Touch> touch_at(std::size_t e, const StrandObstacle& obstacle, std::int32_t b,
                                                const EdgePlace& at, double time) const
    {
        const Path path(obstacle, motion_, edges_.vertex[e], at.s);
        const double radius = edges_.radius[e], then = at.distance - radius;
        const double end = at.normal.dot(path.to - path.at(time)) + then;
        if (end > kFar * radius || freedom(edges_.vertex[e], at.s) < kLeastFreedom) return {};
        return Touch{contact_at(e, obstacle, b, at, at.normal.dot(path.from - path.at(time)) + then), end};
    }
    void touch_end(std::size_t e, const StrandObstacle& obstacle, const Path& path, double s, std::int32_t b,
                   std::vector<StrandContact>& out) const
    {
        if (freedom(edges_.vertex[e], s) < kLeastFreedom) return;
        double time = 0;
        const auto hit = march(*obstacle.shape, path, s, edges_.radius[e], time);
        if (!hit) return;
        if (const auto touch = touch_at(e, obstacle, b, *hit, time)) out.push_back(touch->contact);
    }

    /// Where the edge first touches, or where it is in the end if it is deeper there; both if they are far apart, as
    /// where it lies across a facet: about either alone it would turn.
    void touch_between_ends(std::size_t e, const StrandObstacle& obstacle, const std::array<Path, 2>& ends,
                            std::int32_t b, std::vector<StrandContact>& out) const
    {
        const Shape& shape = *obstacle.shape;
        const double radius = edges_.radius[e];
        const Segment from{ends[0].from, ends[1].from}, to{ends[0].to, ends[1].to};
        const auto met = first_touch(shape, from, to, radius, kNear * radius);
        if (!met) return;
        std::optional<Touch> first;
        const Segment then{ends[0].at(met->time), ends[1].at(met->time)};
        if (is_between_ends(met->s, then, radius))
            first = touch_at(e, obstacle, b, place_across(shape, then, met->s), met->time);
        const std::optional<Touch> last = touch_in_the_end(e, obstacle, to, b);
        const bool is_second = first && last && !is_last(e) && last->gap < -kSecond * radius &&
                               std::abs(last->contact.s - first->contact.s) > kElsewhere;
        if (first && (is_second || !last || last->gap >= first->gap - kMoved * radius))
            out.push_back(first->contact);
        else if (last)
            out.push_back(last->contact);
        if (!is_second) return;
        out.push_back(last->contact);
        --out.back().b;
    }
    [[nodiscard]] std::optional<Touch> touch_in_the_end(std::size_t e, const StrandObstacle& obstacle,
                                                        const Segment& to, std::int32_t b) const
    {
        const Shape& shape = *obstacle.shape;
        const double radius = edges_.radius[e], s = deepest_between_ends(shape, to, radius);
        if (!is_between_ends(s, to, radius) || shape.distance(to.at(s)) > (1 + kFar) * radius) return {};
        const EdgePlace place = place_across(shape, to, s);
        double time = 0;
        const auto hit = march(shape, Path(obstacle, motion_, edges_.vertex[e], place.s), place.s, radius, time);
        if (!hit || hit->normal.dot(place.normal) > kSameSide) return touch_at(e, obstacle, b, place, 1);
        return touch_at(e, obstacle, b, *hit, time);
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
    const double most = std::min(kDeepest * reach, motion.most_undone);
    return std::max(kUndone * gap, -std::max(most, is_drawn ? motion.parting : 0.0));
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
    const double reach = 2 * *std::min_element(edges.radius.begin(), edges.radius.end());
    const double closing = std::min(kDeepest * reach, motion.most_undone);
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
