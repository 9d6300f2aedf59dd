#include "run/bridge_bodies.h"

#include "base/error.h"
#include "base/parallel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

namespace rivulet {
namespace {

constexpr int kMostPieces = 8; ///< of an edge
constexpr int kMeniscus = 6;   ///< points by which a section is tried
/// Sections whose line of centres leans further along the strand than this (cosine) lie beyond an end of the other.
constexpr double kMostLean = 0.5;

/// Of edge `a`, by its first vertex, to strand `other` (at its edge `b`) or, where negative, obstacle -1 - other.
struct FrameLink {
    std::int32_t strand = 0, other = 0, a = 0, b = 0;

    [[nodiscard]] friend bool operator<(const FrameLink& x, const FrameLink& y)
    {
        return std::tie(x.strand, x.other, x.a, x.b) < std::tie(y.strand, y.other, y.a, y.b);
    }
};

/// A place on a strand: edge, by its first vertex, and part of it.
struct StrandPlace {
    std::size_t edge = 0;
    double t = 0;
};

class BridgeTracer {
public:
    BridgeTracer(const Scene& scene, const Frame& frame, const BridgeLiquid& liquid)
        : model_(scene.model), frame_(frame), liquid_(liquid), strand_of_(frame.strand_position.size())
    {
        for (std::size_t s = 0; s + 1 < frame.strand_first.size(); ++s)
            std::fill(strand_of_.begin() + frame.strand_first[s], strand_of_.begin() + frame.strand_first[s + 1],
                      static_cast<std::int32_t>(s));
        list_links();
        count_partners();
    }

    [[nodiscard]] BridgeBodies trace() const
    {
        const std::vector<std::size_t> begin = chains();
        const std::size_t n = begin.size() - 1;
        std::vector<Traced> found(n);
        parallel_for(static_cast<std::int64_t>(n), "bodies of bridges", [&](std::int64_t i) {
            const auto c = static_cast<std::size_t>(i);
            trace_chain(std::span(links_).subspan(begin[c], begin[c + 1] - begin[c]), found[c]);
        });
        BridgeBodies all;
        std::vector<double> of_edge(strand_of_.size(), 0.0);
        for (Traced& chain : found) {
            std::ranges::move(chain.bodies, std::back_inserter(all.bodies));
            for (const auto& [edge, share] : chain.shares) of_edge[edge] += share;
        }
        all.share = shares_of_vertices(of_edge);
        return all;
    }

private:
    struct Traced {
        std::vector<std::vector<BridgeSection>> bodies;
        std::vector<std::pair<std::size_t, double>> shares; ///< of edges
    };
    /// A section and the places that it joins; no second one on a solid.
    struct Station {
        BridgeSection section;
        StrandPlace on_a;
        std::optional<StrandPlace> on_b;
    };

    void list_links()
    {
        const auto n = static_cast<std::int32_t>(strand_of_.size());
        const auto is_edge = [&](std::int32_t v) {
            return v >= 0 && v + 1 < n &&
                   strand_of_[static_cast<std::size_t>(v)] == strand_of_[static_cast<std::size_t>(v) + 1];
        };
        for (std::size_t i = 0; i < frame_.bridge_a.size(); ++i) {
            const std::int32_t a = frame_.bridge_a[i], b = frame_.bridge_b[i];
            const std::int32_t obstacle = (-b - 1) / 3;
            if (!is_edge(a) || !(b >= 0 ? is_edge(b) : static_cast<std::size_t>(obstacle) < model_.obstacles.size()))
                throw IoError("a frame's bridges name edges or obstacles that are not there");
            const std::int32_t other = b < 0 ? -1 - obstacle : strand_of_[static_cast<std::size_t>(b)];
            links_.push_back({strand_of_[static_cast<std::size_t>(a)], other, a, b});
        }
        std::sort(links_.begin(), links_.end());
    }

    void count_partners()
    {
        std::vector<std::pair<std::int32_t, std::int32_t>> partners; // edge, strand or obstacle
        for (const FrameLink& link : links_) {
            partners.emplace_back(link.a, link.other);
            if (link.b >= 0) partners.emplace_back(link.b, link.strand);
        }
        std::sort(partners.begin(), partners.end());
        partners.erase(std::unique(partners.begin(), partners.end()), partners.end());
        partners_.assign(strand_of_.size(), 0);
        for (const auto& [edge, other] : partners) partners_[static_cast<std::size_t>(edge)] += 1;
    }

    /// Where runs of links between the same two begin, whose edges on the first strand follow each other.
    [[nodiscard]] std::vector<std::size_t> chains() const
    {
        std::vector<std::size_t> begin;
        for (std::size_t i = 0; i < links_.size(); ++i)
            if (i == 0 || links_[i].strand != links_[i - 1].strand || links_[i].other != links_[i - 1].other ||
                links_[i].a > links_[i - 1].a + 1)
                begin.push_back(i);
        begin.push_back(links_.size());
        return begin;
    }

    void trace_chain(std::span<const FrameLink> chain, Traced& out) const
    {
        std::vector<Station> run;
        const auto end_run = [&] {
            if (run.size() >= 2) take(run, out);
            run.clear();
        };
        for (std::size_t i = 0; i < chain.size();) {
            std::size_t next = i;
            while (next < chain.size() && chain[next].a == chain[i].a) ++next;
            const std::span<const FrameLink> here = chain.subspan(i, next - i);
            const auto edge = static_cast<std::size_t>(chain[i].a);
            const int n = i == 0 || next == chain.size() ? kMostPieces : pieces(edge);
            for (int k = i == 0 ? 0 : 1; k <= n; ++k) {
                auto station = station_at({edge, static_cast<double>(k) / n}, here);
                if (station)
                    run.push_back(*station);
                else
                    end_run();
            }
            i = next;
        }
        end_run();
    }

    /// A length of an edge of which one partner's share of the liquid is in a body.
    void book(std::size_t edge, double length, Traced& out) const
    {
        const double whole = edge_length(edge) * partners_[edge];
        if (whole > 0) out.shares.emplace_back(edge, length / whole);
    }

    void take(const std::vector<Station>& run, Traced& out) const
    {
        std::vector<BridgeSection> body;
        for (const Station& station : run) body.push_back(station.section);
        for (std::size_t i = 0; i + 1 < run.size(); ++i) {
            const auto &p = run[i], &q = run[i + 1];
            const double length = (q.section.centre - p.section.centre).norm();
            book(q.on_a.edge, length, out); // on a, a piece is in the edge of its end
            if (!q.on_b) continue;
            // On b it may pass from one edge to the next: as much of it is in each as lies on it.
            const StrandPlace &from = *p.on_b, &to = *q.on_b;
            const bool is_forward = from.edge < to.edge;
            const double on_from = edge_length(from.edge) * (is_forward ? 1 - from.t : from.t);
            const double on_to = edge_length(to.edge) * (is_forward ? to.t : 1 - to.t);
            const double split = from.edge == to.edge || !(on_from + on_to > 0) ? 0 : on_from / (on_from + on_to);
            book(from.edge, split * length, out);
            book(to.edge, (1 - split) * length, out);
        }
        out.bodies.push_back(std::move(body));
    }

    [[nodiscard]] std::vector<double> shares_of_vertices(const std::vector<double>& of_edge) const
    {
        std::vector<double> share(of_edge.size(), 0.0), length(of_edge.size(), 0.0);
        for (std::size_t v = 0; v + 1 < of_edge.size(); ++v) {
            if (strand_of_[v] != strand_of_[v + 1]) continue;
            const double half = 0.5 * edge_length(v);
            for (const std::size_t end : {v, v + 1}) {
                share[end] += half * std::min(1.0, of_edge[v]);
                length[end] += half;
            }
        }
        for (std::size_t v = 0; v < share.size(); ++v) share[v] = length[v] > 0 ? share[v] / length[v] : 0;
        return share;
    }

    [[nodiscard]] double edge_length(std::size_t v) const
    {
        return (frame_.strand_position[v + 1] - frame_.strand_position[v]).norm();
    }
    [[nodiscard]] double between(std::span<const double> x, const StrandPlace& p) const
    {
        return std::lerp(x[p.edge], x[p.edge + 1], p.t);
    }
    [[nodiscard]] double liquid_at(const StrandPlace& p) const
    {
        return between(liquid_.area, p) / std::max(1, partners_[p.edge]);
    }

    /// Vertex v of the strand that `edge` is of, continued straight on beyond its ends.
    [[nodiscard]] Vec3 vertex(std::size_t edge, int step) const
    {
        const std::vector<Vec3>& x = frame_.strand_position;
        const auto v = static_cast<std::ptrdiff_t>(edge) + step;
        const bool is_there = v >= 0 && static_cast<std::size_t>(v) < x.size() &&
                              strand_of_[static_cast<std::size_t>(v)] == strand_of_[edge];
        if (is_there) return x[static_cast<std::size_t>(v)];
        return step < 0 ? 2 * x[edge] - x[edge + 1] : 2 * x[edge + 1] - x[edge];
    }
    /// On the curve that pictures draw.
    [[nodiscard]] Vec3 point(const StrandPlace& p) const
    {
        const double t = p.t;
        const Vec3 a = vertex(p.edge, -1), b = vertex(p.edge, 0), c = vertex(p.edge, 1), d = vertex(p.edge, 2);
        return 0.5 * (2 * b + t * (c - a) + t * t * (2 * a - 5 * b + 4 * c - d) + t * t * t * (3 * (b - c) + d - a));
    }
    [[nodiscard]] Vec3 tangent(const StrandPlace& p) const
    {
        const double t = p.t;
        const Vec3 a = vertex(p.edge, -1), b = vertex(p.edge, 0), c = vertex(p.edge, 1), d = vertex(p.edge, 2);
        return (c - a + 2 * t * (2 * a - 5 * b + 4 * c - d) + 3 * t * t * (3 * (b - c) + d - a)).normalized();
    }

    /// Pieces of an edge that keep the body on the curve, to a sixth of the strand's radius.
    [[nodiscard]] int pieces(std::size_t edge) const
    {
        double bend = 0;
        for (const int i : {0, 1}) {
            const Vec3 before = vertex(edge, i) - vertex(edge, i - 1), after = vertex(edge, i + 1) - vertex(edge, i);
            bend = std::max(bend, std::atan2(before.cross(after).norm(), before.dot(after)));
        }
        const double n = std::sqrt(edge_length(edge) * bend / (8 * 0.15 * liquid_.radius[edge]));
        return std::clamp(static_cast<int>(std::ceil(n)), 1, kMostPieces);
    }

    [[nodiscard]] std::optional<Station> station_at(const StrandPlace& place, std::span<const FrameLink> links) const
    {
        Station station;
        BridgeSection& section = station.section;
        station.on_a = place;
        section.centre = point(place);
        section.along = tangent(place);
        section.sides.a = {between(liquid_.radius, place), model_.wetting->contact_angle};
        const bool is_placed =
            links.front().other < 0 ? place_on_solid(links, station) : place_on_strand(links, station);
        if (!is_placed) return std::nullopt;
        const double size = std::sqrt(section.area);
        if (!(size > 0 && size >= liquid_.smallest && size >= liquid_.thick * section.sides.a.radius))
            return std::nullopt;
        const Vec3 line = section.foot - section.centre;
        const double gap = section_gap(section);
        if (!(line.norm() > 0) || gap > rupture_gap(section.sides, section.area) ||
            std::abs(line.normalized().dot(section.along)) > kMostLean)
            return std::nullopt;
        if (!bridge_outline(section.sides, gap, section.area, kMeniscus)) return std::nullopt;
        return station;
    }

    bool place_on_strand(std::span<const FrameLink> links, Station& station) const
    {
        const Vec3& x = station.section.centre;
        double nearest = std::numeric_limits<double>::infinity();
        for (const FrameLink& link : links) {
            const auto b = static_cast<std::size_t>(link.b);
            const Vec3 p = frame_.strand_position[b], edge = frame_.strand_position[b + 1] - p;
            const double t = std::clamp((x - p).dot(edge) / std::max(edge.squaredNorm(), 1e-300), 0.0, 1.0);
            const double distance = (p + t * edge - x).norm();
            if (distance >= nearest) continue;
            nearest = distance;
            station.on_b = StrandPlace{b, t};
        }
        const Vec3 line = point(*station.on_b) - x;
        const double distance = line.norm(), radius = between(liquid_.radius, *station.on_b);
        if (!(distance > 0)) return false;
        BridgeSection& section = station.section;
        section.sides.b = {radius, section.sides.a.contact_angle};
        section.foot = x + line * (std::max(distance - radius, section.sides.a.radius) / distance);
        section.area = liquid_at(station.on_a) + liquid_at(*station.on_b);
        return true;
    }

    bool place_on_solid(std::span<const FrameLink> links, Station& station) const
    {
        const int half = station.on_a.t <= 0.5 ? 0 : 1;
        if (std::ranges::none_of(links, [&](const FrameLink& link) { return (-link.b - 1) % 3 == half; })) return false;
        const auto o = static_cast<std::size_t>(-1 - links.front().other);
        if (o >= frame_.body_poses.size()) return false;
        const Pose& pose = frame_.body_poses[o];
        const Shape& shape = *model_.obstacles[o].shape;
        BridgeSection& section = station.section;
        const Vec3 place = pose.to_body(section.centre);
        const Vec3 normal = pose.rotation * shape.normal(place);
        section.foot = section.centre - std::max(shape.distance(place), section.sides.a.radius) * normal;
        const double angle = model_.liquids[static_cast<std::size_t>(model_.wetting->liquid)].contact_angle;
        section.sides.b = {std::numeric_limits<double>::infinity(), angle};
        section.area = liquid_at(station.on_a);
        return true;
    }

    const Model& model_;
    const Frame& frame_;
    const BridgeLiquid& liquid_;
    std::vector<std::int32_t> strand_of_; ///< of each vertex
    std::vector<FrameLink> links_;        ///< sorted
    std::vector<int> partners_;           ///< of each edge
};

} // namespace

BridgeBodies bridge_bodies(const Scene& scene, const Frame& frame, const BridgeLiquid& liquid)
{
    if (!scene.model.wetting || frame.bridge_a.empty())
        return {{}, std::vector<double>(frame.strand_position.size(), 0.0)};
    return BridgeTracer(scene, frame, liquid).trace();
}

} // namespace rivulet
