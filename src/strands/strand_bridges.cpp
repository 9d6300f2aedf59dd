#include "strands/strand_bridges.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "contact/edge_overlap.h"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

namespace rivulet {
namespace {

/// Of the length of crossing edges that is within reach.
constexpr double kBridgeSoftness = 0.04;
/// Part of an edge that is taken off the length of a bridge, so that edges that only just reach past each other, of
/// which every pair of strands has as many as whole bridges, have none.
constexpr double kSliver = 0.01;
/// Of the broad phase, in radii of the thinnest strand.
constexpr double kBridgeSlack = 1;
constexpr double kLeastBridgeFreedom = 0.01;
constexpr std::int64_t kBridgeChunk = 1024;
/// Steps by which the curvature of a solid is looked for, in radii of the strand.
constexpr double kCurvatureStep = 2;

/// An edge, by its vertex, and a strand or (-1 - o) an obstacle that it is linked to.
struct Partner {
    std::int32_t edge = 0, other = 0;

    [[nodiscard]] friend bool operator==(const Partner&, const Partner&) = default;
    [[nodiscard]] friend bool operator<(const Partner& x, const Partner& y)
    {
        return x.edge != y.edge ? x.edge < y.edge : x.other < y.other;
    }
};
struct Link {
    std::int32_t a = 0, b = 0;

    [[nodiscard]] friend bool operator==(const Link&, const Link&) = default;
    [[nodiscard]] friend bool operator<(const Link& x, const Link& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; }
};

/// Where a bridge is.
struct BridgePlace {
    double s = 0, t = 0;
    double length = 0; ///< [m]
};

template <class Item>
void sort_unique(std::vector<Item>& list)
{
    oneapi::tbb::parallel_sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

/// What add(i, list) appends for i in [0, n), in order.
template <class Item, class Add>
std::vector<Item> gather_chunks(std::size_t n, Add&& add)
{
    const auto count = static_cast<std::int64_t>(n), n_chunks = (count + kBridgeChunk - 1) / kBridgeChunk;
    std::vector<std::vector<Item>> found(static_cast<std::size_t>(n_chunks));
    parallel_for(n_chunks, "bridges", [&](std::int64_t c) {
        for (std::int64_t i = c * kBridgeChunk; i < std::min(count, (c + 1) * kBridgeChunk); ++i)
            add(static_cast<std::size_t>(i), found[static_cast<std::size_t>(c)]);
    });
    std::vector<Item> all;
    for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
    return all;
}

class BridgeFinder {
public:
    BridgeFinder(const StrandEdges& edges, const BridgeScene& scene, const BridgeInput& input)
        : edges_(edges), scene_(scene), input_(input)
    {
        RIVULET_VERIFY(input.film_area.size() == scene.position.size() && input.strands);
        RIVULET_VERIFY(input.in_air.empty() || input.in_air.size() == scene.position.size());
        edge_of_.assign(scene.position.size(), -1);
        for (std::size_t e = 0; e < edges.vertex.size(); ++e)
            edge_of_[static_cast<std::size_t>(edges.vertex[e])] = static_cast<std::int32_t>(e);
        if (input.links) list_partners(*input.links);
        measure_films();
    }

    [[nodiscard]] std::span<const double> outer_radius() const { return outer_; }

    /// Makes tables for the radii of all linked strands.
    void prepare_strands(const BridgeLinks& links) const
    {
        const auto [thinnest, thickest] = std::ranges::minmax(edges_.radius);
        if (thinnest == thickest) return;
        for (std::size_t i = 0; i < links.size(); ++i)
            if (links.b[i] >= 0) input_.strands->prepare(thinner_to_thicker({links.a[i], links.b[i]}));
    }
    /// The largest curvature of obstacles where they are linked, in units of the strands'.
    [[nodiscard]] double largest_curvature(const BridgeLinks& links) const
    {
        const auto of_link = [&](std::size_t i) {
            const Link link{links.a[i], links.b[i]};
            if (link.b >= 0 || static_cast<std::size_t>(obstacle_of(link.b)) >= scene_.obstacles.size()) return 0.0;
            const auto found = obstacle_place(link.a, obstacle_of(link.b), (-link.b - 1) % 3, true);
            return found ? curvature(link, found->s) : 0.0;
        };
        const auto larger = [](double x, double y) { return std::max(x, y); };
        return ordered_reduce(
            static_cast<std::int64_t>(links.size()), "curvature at bridges", 0.0,
            [&](std::int64_t begin, std::int64_t end) {
                double most = 0;
                for (std::int64_t i = begin; i < end; ++i) most = larger(most, of_link(static_cast<std::size_t>(i)));
                return most;
            },
            larger, kBridgeChunk);
    }

    void place(const Link& link, double remembered, std::vector<StrandBridge>& out) const
    {
        if (link.b >= 0)
            place_pair(link, remembered, out);
        else if (input_.solids && static_cast<std::size_t>(obstacle_of(link.b)) < scene_.obstacles.size())
            place_on_obstacle(link, remembered, out);
    }

    /// Pairs of edges that may be linked: near ones, linked ones, and the neighbours of these.
    [[nodiscard]] std::vector<Link> candidates(std::span<const EdgePair> near) const
    {
        std::vector<Link> all;
        for (const EdgePair& p : near)
            all.push_back(
                {edges_.vertex[static_cast<std::size_t>(p.first)], edges_.vertex[static_cast<std::size_t>(p.second)]});
        for (std::size_t i = 0; input_.links && i < input_.links->size(); ++i) {
            const Link link{input_.links->a[i], input_.links->b[i]};
            if (link.b < 0) continue;
            all.push_back(link);
            for (const std::int32_t step : {-1, 1}) {
                if (are_of_one_strand(link.a, link.a + step)) all.push_back({link.a + step, link.b});
                if (are_of_one_strand(link.b, link.b + step)) all.push_back({link.a, link.b + step});
            }
        }
        sort_unique(all);
        return all;
    }

    [[nodiscard]] bool is_linked(const Link& link) const
    {
        const std::size_t e = edge(link.a), f = edge(link.b);
        if (edges_.strand[e] == edges_.strand[f] || edges_.are_tied(link.a, link.b)) return false;
        const bool was = was_linked(link.a, edges_.strand[f]) && was_linked(link.b, edges_.strand[e]);
        return pair_place(link, was).has_value();
    }

    void link_obstacle(std::int32_t a, std::int32_t o, std::vector<Link>& out) const
    {
        for (const int half : {0, 1})
            if (obstacle_place(a, o, half, was_linked(a, -1 - o))) out.push_back({a, -1 - half - 3 * o});
    }

private:
    [[nodiscard]] std::size_t edge(std::int32_t v) const
    {
        return static_cast<std::size_t>(edge_of_[static_cast<std::size_t>(v)]);
    }
    /// Radius of the thinner of two linked strands, in units of the other's.
    [[nodiscard]] double thinner_to_thicker(const Link& link) const
    {
        const auto [thin, thick] = std::minmax(edges_.radius[edge(link.a)], edges_.radius[edge(link.b)]);
        return thin / thick;
    }
    [[nodiscard]] bool are_of_one_strand(std::int32_t a, std::int32_t b) const
    {
        if (b < 0 || static_cast<std::size_t>(b) >= edge_of_.size() || edge_of_[static_cast<std::size_t>(b)] < 0)
            return false;
        return edges_.strand[edge(a)] == edges_.strand[edge(b)];
    }

    void list_partners(const BridgeLinks& links)
    {
        for (std::size_t i = 0; i < links.size(); ++i) {
            const std::int32_t a = links.a[i], b = links.b[i];
            if (b < 0) {
                partners_.push_back({a, -1 - obstacle_of(b)});
                continue;
            }
            partners_.push_back({a, edges_.strand[edge(b)]});
            partners_.push_back({b, edges_.strand[edge(a)]});
        }
        sort_unique(partners_);
        if (input_.alike) weigh_by_distance(links);
    }
    void weigh_by_distance(const BridgeLinks& links)
    {
        std::vector<double> nearest(partners_.size(), std::numeric_limits<double>::infinity());
        const auto see = [&](const Partner& partner, double distance) {
            double& least = nearest[place_of(partner)];
            least = std::min(least, distance);
        };
        for (std::size_t i = 0; i < links.size(); ++i) {
            const std::int32_t a = links.a[i], b = links.b[i];
            if (b < 0) {
                see({a, -1 - obstacle_of(b)}, distance_of_image(a, obstacle_of(b)));
                continue;
            }
            const double distance = std::max(nearest_points(segment(a), segment(b)).distance, radius(a) + radius(b));
            see({a, edges_.strand[edge(b)]}, distance);
            see({b, edges_.strand[edge(a)]}, distance);
        }
        part_.resize(partners_.size());
        std::vector<double> all(edges_.vertex.size(), 0.0);
        for (std::size_t k = 0; k < part_.size(); ++k) {
            const double in_radii = nearest[k] / radius(partners_[k].edge);
            part_[k] = in_radii * in_radii;
            all[edge(partners_[k].edge)] += part_[k];
        }
        for (std::size_t k = 0; k < part_.size(); ++k) part_[k] /= all[edge(partners_[k].edge)];
    }
    /// Of an edge from its mirror image in an obstacle, at least that at which they touch.
    [[nodiscard]] double distance_of_image(std::int32_t a, std::int32_t o) const
    {
        const auto index = static_cast<std::size_t>(o);
        if (index >= scene_.obstacles.size()) return 2 * radius(a);
        double nearest = std::numeric_limits<double>::infinity();
        for (const double s : {0.0, 0.5, 1.0})
            nearest = std::min(nearest, scene_.obstacles[index].shape->distance(pose(index).to_body(segment(a).at(s))));
        return 2 * std::max(nearest, radius(a));
    }
    [[nodiscard]] std::size_t place_of(const Partner& partner) const
    {
        return static_cast<std::size_t>(std::lower_bound(partners_.begin(), partners_.end(), partner) -
                                        partners_.begin());
    }
    /// Of an area of the film of an edge, what its bridge to a strand or (-1 - o) an obstacle has, or would have.
    [[nodiscard]] double shared(double area, std::int32_t a, std::int32_t other) const
    {
        const std::size_t k = input_.alike ? place_of({a, other}) : partners_.size();
        const bool is_weighed = k < partners_.size() && partners_[k] == Partner{a, other};
        return is_weighed ? area * part_[k] : area / sharers_[edge(a)];
    }
    [[nodiscard]] double radius(std::int32_t a) const { return edges_.radius[edge(a)]; }
    [[nodiscard]] bool was_linked(std::int32_t a, std::int32_t other) const
    {
        return std::binary_search(partners_.begin(), partners_.end(), Partner{a, other});
    }

    /// Per edge: its film's area and outer radius, and who share it.
    void measure_films()
    {
        const std::size_t n = edges_.vertex.size();
        sharers_.assign(n, 0);
        for (const Partner& p : partners_) sharers_[edge(p.edge)] += 1;
        area_.resize(n);
        outer_.resize(n);
        for (std::size_t e = 0; e < n; ++e) {
            const auto v = static_cast<std::size_t>(edges_.vertex[e]);
            area_[e] = 0.5 * (input_.film_area[v] + input_.film_area[v + 1]);
            sharers_[e] = std::max(sharers_[e], 1.0);
            outer_[e] = std::sqrt(area_[e] / std::numbers::pi + edges_.radius[e] * edges_.radius[e]);
        }
    }

    [[nodiscard]] Segment segment(std::int32_t a) const
    {
        return {scene_.position[static_cast<std::size_t>(a)], scene_.position[static_cast<std::size_t>(a) + 1]};
    }
    [[nodiscard]] bool is_held(std::int32_t v) const
    {
        return !scene_.hold.empty() && scene_.hold[static_cast<std::size_t>(v)] != Hold::Free;
    }
    [[nodiscard]] double freedom(std::int32_t a, double s) const
    {
        return (is_held(a) ? 0 : 1 - s) + (is_held(a + 1) ? 0 : s);
    }
    [[nodiscard]] static double between(std::span<const double> x, std::int32_t a, double s)
    {
        const auto v = static_cast<std::size_t>(a);
        return x[v] + s * (x[v + 1] - x[v]);
    }
    [[nodiscard]] double film(std::int32_t a, double s, std::int32_t other) const
    {
        return shared(between(input_.film_area, a, s), a, other);
    }
    [[nodiscard]] double air(std::int32_t a, double s) const
    {
        return input_.in_air.empty() ? 1 : between(input_.in_air, a, s);
    }
    [[nodiscard]] Pose pose(std::size_t o) const
    {
        return scene_.at_end ? scene_.obstacles[o].end : scene_.obstacles[o].start;
    }

    /// Where the edges of a pair are within reach of each other.
    [[nodiscard]] std::optional<BridgePlace> pair_place(const Link& link, bool was) const
    {
        const std::size_t e = edge(link.a), f = edge(link.b);
        const double area = shared(area_[e], link.a, edges_.strand[f]) + shared(area_[f], link.b, edges_.strand[e]);
        if (area < kDryArea) return {};
        const double rupture = edges_.radius[e] + edges_.radius[f] + input_.strands->rupture_gap(area);
        const double range = link_distance(was, outer_[e] + outer_[f], rupture);
        const auto overlap = edge_overlap(segment(link.a), segment(link.b), range, kBridgeSoftness);
        if (!overlap) return {};
        return BridgePlace{overlap->s, overlap->t, overlap->length};
    }

    void place_pair(const Link& link, double remembered, std::vector<StrandBridge>& out) const
    {
        const auto found = pair_place(link, true);
        if (!found || std::max(freedom(link.a, found->s), freedom(link.b, found->t)) < kLeastBridgeFreedom) return;
        const Segment p = segment(link.a), q = segment(link.b);
        const Vec3 offset = p.at(found->s) - q.at(found->t);
        const double distance = offset.norm();
        const std::size_t e = edge(link.a), f = edge(link.b);
        const double touch = edges_.radius[e] + edges_.radius[f];
        // Centre lines that meet are in contact, which pushes; a pull has no direction there.
        if (distance < 1e-6 * touch) return;
        const BridgeSite site{
            .radius = std::min(edges_.radius[e], edges_.radius[f]),
            .touch = touch,
            .area = film(link.a, found->s, edges_.strand[f]) + film(link.b, found->t, edges_.strand[e]),
            .tension = input_.surface_tension * std::min(air(link.a, found->s), air(link.b, found->t)),
            .curvature = thinner_to_thicker(link)};
        const double length = found->length - kSliver * std::min((p.b - p.a).norm(), (q.b - q.a).norm());
        const Vec3 normal = offset / distance;
        add({.a = link.a, .b = link.b, .s = found->s, .t = found->t, .normal = normal, .gap = distance}, length,
            *input_.strands, site, remembered, out);
    }

    /// The part of a half of an edge that is within reach, with the distance taken to change linearly along it. Edges
    /// that are held at an end grow out of what holds them: they are left alone.
    [[nodiscard]] std::optional<BridgePlace> obstacle_place(std::int32_t a, std::int32_t o, int half, bool was) const
    {
        const std::size_t e = edge(a);
        const double area = shared(area_[e], a, -1 - o);
        if (area < kDryArea || is_held(a) || is_held(a + 1)) return {};
        const double rupture = edges_.radius[e] + input_.solids->rupture_gap(area);
        const double range = link_distance(was, outer_[e], rupture);
        const Segment p = segment(a);
        const double length = (p.b - p.a).norm();
        const auto room = [&](double s) {
            const auto index = static_cast<std::size_t>(o);
            return range - scene_.obstacles[index].shape->distance(pose(index).to_body(p.at(s)));
        };
        const double at_middle = room(0.5);
        if (at_middle < -0.5 * length) return {};
        const double at_end = room(half);
        if (at_middle <= 0 && at_end <= 0) return {};
        // From the middle (0) to the end (1).
        const double begin = at_middle > 0 ? 0 : at_middle / (at_middle - at_end);
        const double end = at_end > 0 ? 1 : at_middle / (at_middle - at_end);
        return BridgePlace{0.5 + (half == 0 ? -0.25 : 0.25) * (begin + end), 0, 0.5 * length * (end - begin)};
    }

    /// Of an obstacle across the edge, in units of the edge's own; at least 0, at most 1. A normal that turns by an
    /// angle of sine k e over steps e to either side is that of a circle of radius sqrt(1/k^2 - e^2) through the edge.
    [[nodiscard]] double curvature(const Link& link, double s) const
    {
        const auto o = static_cast<std::size_t>(obstacle_of(link.b));
        const Shape& shape = *scene_.obstacles[o].shape;
        const Segment p = segment(link.a);
        const Vec3 place = pose(o).to_body(p.at(s)), along = pose(o).rotation.conjugate() * Vec3(p.b - p.a);
        const Vec3 across = along.cross(shape.normal(place));
        if (!(across.norm() > 0)) return 0;
        const double radius = edges_.radius[edge(link.a)];
        const Vec3 step = kCurvatureStep * radius * across.normalized();
        const double sine = 0.5 * (shape.normal(place + step) - shape.normal(place - step)).dot(step) / step.norm();
        if (!(sine > 0)) return 0;
        const double circle = step.norm() * std::sqrt(std::max(0.0, 1 / (sine * sine) - 1));
        const double solid = circle - shape.distance(place);
        return solid > radius ? radius / solid : 1;
    }

    void place_on_obstacle(const Link& link, double remembered, std::vector<StrandBridge>& out) const
    {
        const auto o = static_cast<std::size_t>(obstacle_of(link.b));
        const auto found = obstacle_place(link.a, obstacle_of(link.b), (-link.b - 1) % 3, true);
        if (!found) return;
        const StrandObstacle& obstacle = scene_.obstacles[o];
        const Vec3 place = pose(o).to_body(segment(link.a).at(found->s));
        const BridgeSite site{.radius = edges_.radius[edge(link.a)],
                              .touch = edges_.radius[edge(link.a)],
                              .area = film(link.a, found->s, -1 - obstacle_of(link.b)),
                              .tension = input_.surface_tension * air(link.a, found->s),
                              .curvature = curvature(link, found->s)};
        add({.a = link.a,
             .b = link.b,
             .s = found->s,
             .normal = obstacle.end.rotation * obstacle.shape->normal(place),
             .gap = obstacle.shape->distance(place),
             .carried = obstacle.end.to_world(place)},
            found->length, *input_.solids, site, remembered, out);
    }

    template <class Table>
    static void add(const StrandContact& contact, double length, const Table& table, const BridgeSite& site,
                    double remembered, std::vector<StrandBridge>& out)
    {
        if (site.area < kDryArea || !(site.tension > 0) || !(length > 0)) return;
        out.push_back({contact, length, BridgeCurve(table, site)});
        out.back().contact.force = -remembered * contact.normal;
    }

    const StrandEdges& edges_;
    const BridgeScene& scene_;
    const BridgeInput& input_;
    std::vector<std::int32_t> edge_of_; ///< that begins at each vertex
    std::vector<Partner> partners_;     ///< sorted
    std::vector<double> part_;          ///< of the edge's film that is between it and each partner
    std::vector<double> sharers_;       ///< of each edge's film, at least 1
    std::vector<double> area_, outer_;  ///< of each edge's film [m^2], [m]
};

} // namespace

std::vector<StrandBridge> place_bridges(const StrandEdges& edges, const BridgeScene& scene, const BridgeInput& input)
{
    if (!input.links || input.links->size() == 0) return {};
    const BridgeFinder finder(edges, scene, input);
    const BridgeLinks& links = *input.links;
    finder.prepare_strands(links);
    if (input.solids) input.solids->prepare(finder.largest_curvature(links));
    std::vector<StrandBridge> bridges =
        gather_chunks<StrandBridge>(links.size(), [&](std::size_t i, std::vector<StrandBridge>& out) {
            finder.place({links.a[i], links.b[i]}, links.force[i], out);
        });
    for (std::size_t i = 0; i < bridges.size(); ++i) bridges[i].contact.bridge = static_cast<std::int32_t>(i);
    return bridges;
}

std::vector<StrandPair> drawn_together(const StrandEdges& edges, const BridgeInput* input)
{
    std::vector<StrandPair> drawn;
    if (!input || !input->links) return drawn;
    const auto strand = [&](std::int32_t v) {
        const auto e = std::lower_bound(edges.vertex.begin(), edges.vertex.end(), v) - edges.vertex.begin();
        return edges.strand[static_cast<std::size_t>(e)];
    };
    const auto is_in_air = [&](std::int32_t v) {
        const auto at = static_cast<std::size_t>(v);
        return input->in_air.empty() || input->in_air[at] + input->in_air[at + 1] > 0;
    };
    for (std::size_t i = 0; i < input->links->size(); ++i) {
        const std::int32_t a = input->links->a[i], b = input->links->b[i];
        if (!is_in_air(a) || (b >= 0 && !is_in_air(b))) continue;
        if (b < 0)
            drawn.push_back(obstacle_pair(strand(a), b));
        else
            drawn.push_back({std::min(strand(a), strand(b)), std::max(strand(a), strand(b))});
    }
    std::sort(drawn.begin(), drawn.end());
    drawn.erase(std::unique(drawn.begin(), drawn.end()), drawn.end());
    return drawn;
}

std::vector<StrandContact> take_bridges(std::vector<StrandContact>& contacts, std::span<StrandBridge> bridges)
{
    std::vector<StrandContact> taken;
    for (const StrandContact& c : contacts) {
        if (c.bridge < 0) continue;
        bridges[static_cast<std::size_t>(c.bridge)].contact.force = c.force;
        taken.push_back(c);
    }
    std::erase_if(contacts, [](const StrandContact& c) { return c.bridge >= 0; });
    return taken;
}

BridgeLinks update_links(const StrandEdges& edges, const BridgeScene& scene, const BridgeInput& input,
                         std::span<const StrandBridge> bridges, EdgePairs& pairs)
{
    if (std::ranges::none_of(input.film_area, [](double area) { return area >= 0.5 * kDryArea; })) return {};
    const BridgeFinder finder(edges, scene, input);
    const double thinnest = *std::min_element(edges.radius.begin(), edges.radius.end());
    pairs.update({edges.vertex, edges.strand, finder.outer_radius(), scene.position, scene.position},
                 kBridgeSlack * thinnest);
    const std::vector<Link> near = finder.candidates(pairs.pairs());
    std::vector<Link> all = gather_chunks<Link>(near.size(), [&](std::size_t i, std::vector<Link>& out) {
        if (finder.is_linked(near[i])) out.push_back(near[i]);
    });
    const std::size_t n_obstacles = input.solids ? scene.obstacles.size() : 0;
    for (std::size_t o = 0; o < n_obstacles; ++o) {
        const auto found = gather_chunks<Link>(edges.vertex.size(), [&](std::size_t e, std::vector<Link>& out) {
            if (edges.held_inside[e] == static_cast<std::int32_t>(o)) return;
            finder.link_obstacle(edges.vertex[e], static_cast<std::int32_t>(o), out);
        });
        all.insert(all.end(), found.begin(), found.end());
    }
    oneapi::tbb::parallel_sort(all.begin(), all.end());

    BridgeLinks links;
    auto bridge = bridges.begin();
    for (const Link& link : all) {
        while (bridge != bridges.end() && Link{bridge->contact.a, bridge->contact.b} < link) ++bridge;
        const bool pulled = bridge != bridges.end() && Link{bridge->contact.a, bridge->contact.b} == link;
        links.a.push_back(link.a);
        links.b.push_back(link.b);
        links.force.push_back(pulled ? -bridge->contact.normal.dot(bridge->contact.force) : 0);
    }
    return links;
}

} // namespace rivulet
