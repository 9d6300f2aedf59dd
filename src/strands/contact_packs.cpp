#include "strands/contact_packs.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

namespace rivulet {

ContactPacks::ContactPacks(const StrandModel& model)
    : first_(model.first), parent_(static_cast<std::size_t>(model.n_strands()))
{
    std::iota(parent_.begin(), parent_.end(), 0);
}

std::int32_t ContactPacks::strand(std::int32_t vertex) const
{
    return static_cast<std::int32_t>(std::upper_bound(first_.begin(), first_.end(), vertex) - first_.begin() - 1);
}

std::int32_t ContactPacks::root(std::int32_t strand) const
{
    while (parent_[static_cast<std::size_t>(strand)] != strand) strand = parent_[static_cast<std::size_t>(strand)];
    return strand;
}

void ContactPacks::join(std::span<const StrandContact> contacts)
{
    for (const StrandContact& c : contacts) {
        if (c.is_with_obstacle()) continue;
        const std::int32_t a = strand(c.a), b = strand(c.b), at_a = root(a), at_b = root(b);
        const std::int32_t low = std::min(at_a, at_b), high = std::max(at_a, at_b);
        // All on both ways now name the smaller root.
        for (std::int32_t s : {a, b, high})
            while (s != low) s = std::exchange(parent_[static_cast<std::size_t>(s)], low);
    }
}

std::int32_t ContactPacks::of_vertex(std::int32_t vertex) const { return root(strand(vertex)); }

std::vector<double> needed_part(const StrandModel& model, std::span<const StrandContact> contacts,
                                std::span<const Vec3> motion, std::span<const Vec3> answer)
{
    ContactPacks packs(model);
    packs.join(contacts);
    std::vector<double> moved(packs.size(), 0.0), answered(packs.size(), 0.0);
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const auto pack = static_cast<std::size_t>(packs.of_vertex(contacts[i].a));
        moved[pack] += contacts[i].force.dot(motion[i] + contacts[i].gap * contacts[i].normal);
        answered[pack] += contacts[i].force.dot(answer[i]);
    }
    std::vector<double> part(contacts.size(), 1.0);
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const auto pack = static_cast<std::size_t>(packs.of_vertex(contacts[i].a));
        if (answered[pack] > 0) part[i] = std::clamp(1 - moved[pack] / answered[pack], 0.0, 1.0);
    }
    return part;
}

std::vector<double> part_of_packs(const StrandModel& model, std::span<const StrandContact> contacts,
                                  std::span<const std::uint8_t> chosen)
{
    ContactPacks packs(model);
    packs.join(contacts);
    const auto pack_of = [&](std::size_t strand) {
        return static_cast<std::size_t>(packs.of_strand(static_cast<std::int32_t>(strand)));
    };
    std::vector<double> all(packs.size(), 0.0), of_chosen(packs.size(), 0.0), part(packs.size());
    for (std::size_t s = 0; s < part.size(); ++s) {
        all[pack_of(s)] += 1;
        of_chosen[pack_of(s)] += chosen[s] ? 1 : 0;
    }
    for (std::size_t s = 0; s < part.size(); ++s) part[s] = of_chosen[pack_of(s)] / all[pack_of(s)];
    return part;
}

std::vector<Vec3> mean_of_packs(const StrandModel& model, std::span<const StrandContact> contacts,
                                std::span<const Vec3> displacement)
{
    ContactPacks packs(model);
    packs.join(contacts);
    std::vector<Vec3> sum(packs.size(), Vec3::Zero()), mean(packs.size());
    std::vector<double> count(packs.size(), 0.0);
    for (std::size_t s = 0; s < mean.size(); ++s) {
        const auto pack = static_cast<std::size_t>(packs.of_strand(static_cast<std::int32_t>(s)));
        for (std::int32_t v = model.first[s]; v < model.first[s + 1]; ++v) {
            sum[pack] += displacement[static_cast<std::size_t>(v)];
            count[pack] += 1;
        }
    }
    for (std::size_t s = 0; s < mean.size(); ++s) {
        const auto pack = static_cast<std::size_t>(packs.of_strand(static_cast<std::int32_t>(s)));
        mean[s] = sum[pack] / count[pack];
    }
    return mean;
}

namespace {

/// Part of a blow on an edge that its neighbours along the strand feel.
constexpr double kAlongStrand = 0.7;

/// Where near pairs lead from each edge, all named by the vertices at which they begin.
struct EdgeNeighbours {
    struct Way {
        std::int32_t to = 0;
        float gap = 0; ///< [m]
    };
    std::vector<std::size_t> first; ///< way of each vertex, and one past the last
    std::vector<Way> ways;
};

EdgeNeighbours find_neighbours(std::span<const NearEdges> near, std::size_t n_vertices)
{
    EdgeNeighbours out;
    out.first.assign(n_vertices + 1, 0);
    for (const NearEdges& c : near)
        for (const std::int32_t v : {c.a, c.b}) ++out.first[static_cast<std::size_t>(v) + 1];
    std::partial_sum(out.first.begin(), out.first.end(), out.first.begin());
    out.ways.resize(2 * near.size());
    std::vector<std::size_t> next(out.first.begin(), out.first.end() - 1);
    for (const NearEdges& c : near) {
        out.ways[next[static_cast<std::size_t>(c.a)]++] = {c.b, c.gap};
        out.ways[next[static_cast<std::size_t>(c.b)]++] = {c.a, c.gap};
    }
    return out;
}

/// What is left of a blow where it comes to each edge [m]: the largest of all ways, strongest first.
class BlowSpread {
public:
    BlowSpread(const StrandModel& model, std::span<const NearEdges> near)
        : left(static_cast<std::size_t>(model.first.back()), 0.0), neighbours_(find_neighbours(near, left.size())),
          is_edge_(left.size(), 1)
    {
        for (std::size_t s = 0; s + 1 < model.first.size(); ++s)
            is_edge_[static_cast<std::size_t>(model.first[s + 1]) - 1] = 0;
    }

    void strike(std::int32_t edge, double depth)
    {
        double& most = left[static_cast<std::size_t>(edge)];
        if (depth <= most) return;
        most = depth;
        open_.emplace(depth, edge);
    }
    /// To edges that feel more than `least`.
    void spread(double least)
    {
        while (!open_.empty()) {
            const auto [rest, edge] = open_.top();
            open_.pop();
            const auto e = static_cast<std::size_t>(edge);
            if (rest < left[e]) continue;
            const auto pass = [&](std::int32_t to, double depth) {
                if (depth > least) strike(to, depth);
            };
            if (edge > 0 && is_edge_[e - 1]) pass(edge - 1, kAlongStrand * rest);
            if (is_edge_[e + 1]) pass(edge + 1, kAlongStrand * rest);
            for (std::size_t k = neighbours_.first[e]; k < neighbours_.first[e + 1]; ++k)
                pass(neighbours_.ways[k].to, rest - neighbours_.ways[k].gap);
        }
    }

    std::vector<double> left;

private:
    EdgeNeighbours neighbours_;
    std::vector<std::uint8_t> is_edge_; ///< vertices at which one begins
    std::priority_queue<std::pair<double, std::int32_t>> open_;
};

} // namespace

std::vector<NearEdges> struck_next(const StrandModel& model, std::span<const NearEdges> near,
                                   std::span<const StrandContact> struck, std::span<const double> depth, double least)
{
    BlowSpread blow(model, near);
    for (std::size_t i = 0; i < struck.size(); ++i) {
        blow.strike(struck[i].a, depth[i]);
        if (!struck[i].is_with_obstacle()) blow.strike(struck[i].b, depth[i]);
    }
    blow.spread(least);
    std::vector<NearEdges> out;
    std::copy_if(near.begin(), near.end(), std::back_inserter(out), [&](const NearEdges& c) {
        const double most =
            std::max(blow.left[static_cast<std::size_t>(c.a)], blow.left[static_cast<std::size_t>(c.b)]);
        return most > c.gap;
    });
    return out;
}

} // namespace rivulet
