#include "contact/edge_pairs.h"

#include "base/parallel.h"
#include "contact/swept_boxes.h"
#include "geometry/segments.h"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

constexpr std::int64_t kEdgeGrain = 64;
/// Groups of boxes, or edges, that one task looks for.
constexpr std::int64_t kGroupsPerTask = 32;
constexpr std::int64_t kEdgesPerTask = 256;
/// Edges, for each that has moved, beyond which those that have are so few that boxes of all others do not pay.
constexpr std::int64_t kFewMoved = 32;

/// Of a place in single precision, as a part of the sum of its coordinates.
constexpr double kWayRounding = 1e-7;

/// Whether a place is within `room` of where it was before that was rounded.
bool is_within(const Vec3& x, const Vec3f& rounded, double room)
{
    const Vec3 was = rounded.cast<double>();
    const double left = room - kWayRounding * was.lpNorm<1>();
    return left >= 0 && (x - was).squaredNorm() <= left * left;
}

Segment segment(std::span<const Vec3> x, std::int32_t v)
{
    return {x[static_cast<std::size_t>(v)], x[static_cast<std::size_t>(v) + 1]};
}

} // namespace

void EdgePairs::find_moved(const MovingEdges& edges, double slack)
{
    const std::size_t n = edges.vertex.size();
    const bool is_new = reference_.size() != n;
    if (is_new) {
        pairs_.clear();
        reference_.resize(n);
    }
    has_moved_.assign(n, is_new);
    parallel_for(
        static_cast<std::int64_t>(n), "edge pairs",
        [&](std::int64_t i) {
            const auto e = static_cast<std::size_t>(i);
            const auto v = static_cast<std::size_t>(edges.vertex[e]);
            Way& was = reference_[e];
            const double room = 0.5 * slack - std::max(edges.radius[e] - was.radius, 0.0);
            for (const std::size_t k : {std::size_t{0}, std::size_t{1}})
                if (!is_within(edges.start[v + k], was.start[k], room) ||
                    !is_within(edges.end[v + k], was.end[k], room))
                    has_moved_[e] = 1;
            if (!has_moved_[e]) return;
            was.radius = edges.radius[e];
            for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
                was.start[k] = edges.start[v + k].cast<float>();
                was.end[k] = edges.end[v + k].cast<float>();
            }
        },
        kEdgeGrain);
    n_searched_ = std::count(has_moved_.begin(), has_moved_.end(), std::uint8_t{1});
}

void EdgePairs::drop_moved()
{
    std::erase_if(pairs_, [&](const EdgePair& p) {
        return has_moved_[static_cast<std::size_t>(p.first)] || has_moved_[static_cast<std::size_t>(p.second)];
    });
}

void EdgePairs::search(const MovingEdges& edges, double slack)
{
    // One of a pair may have used up its half of the slack already, and may yet use all of it the other way.
    const double reach = 1.5 * slack;
    const auto may_touch = [&](std::int32_t a, std::int32_t b) {
        const auto e = static_cast<std::size_t>(a), f = static_cast<std::size_t>(b);
        if (edges.chain[e] == edges.chain[f] && std::abs(a - b) < kChainNeighbours) return false;
        const Segment p0 = segment(edges.start, edges.vertex[e]), p1 = segment(edges.end, edges.vertex[e]);
        const Segment q0 = segment(edges.start, edges.vertex[f]), q1 = segment(edges.end, edges.vertex[f]);
        const double limit = edges.radius[e] + edges.radius[f] + reach + largest_approach(p0, p1, q0, q1);
        return nearest_points(p0, q0).distance <= limit;
    };
    const auto has_moved = [&](std::int32_t e) { return has_moved_[static_cast<std::size_t>(e)] != 0; };
    const auto n = static_cast<std::int64_t>(edges.vertex.size());
    if (n_searched_ * kFewMoved < n) { // all look for the few
        std::vector<std::int32_t> moved;
        for (std::int32_t e = 0; e < n; ++e)
            if (has_moved(e)) moved.push_back(e);
        const SweptBoxes boxes(edges, std::move(moved), 0.5 * reach);
        gather(n, kEdgesPerTask, [&](std::int64_t i, std::vector<EdgePair>& out) {
            const auto a = static_cast<std::int32_t>(i);
            boxes.each_overlap_of(edges, a, [&](std::int64_t j) {
                const std::int32_t b = boxes.edge(j);
                if ((a < b || !has_moved(a)) && may_touch(a, b)) out.push_back({std::min(a, b), std::max(a, b)});
            });
        });
        return;
    }
    const SweptBoxes boxes(edges, 0.5 * reach);
    const bool all_moved = n_searched_ == n;
    const auto is_sought = [&](std::int64_t i) { return has_moved(boxes.edge(i)); };
    gather(boxes.n_groups(), kGroupsPerTask, [&](std::int64_t group, std::vector<EdgePair>& out) {
        // Where both have moved, the earlier in the order looks for the later.
        boxes.each_overlap(group, all_moved, is_sought, [&](std::int64_t i, std::int64_t j) {
            const std::int32_t a = boxes.edge(i), b = boxes.edge(j);
            if ((j > i || !has_moved(b)) && may_touch(a, b)) out.push_back({std::min(a, b), std::max(a, b)});
        });
    });
}

template <class Find>
void EdgePairs::gather(std::int64_t n, std::int64_t per_task, const Find& find)
{
    const std::int64_t n_tasks = (n + per_task - 1) / per_task;
    std::vector<std::vector<EdgePair>> found(static_cast<std::size_t>(n_tasks));
    parallel_for(n_tasks, "edge pairs", [&](std::int64_t task) {
        const std::int64_t end = std::min(n, (task + 1) * per_task);
        for (std::int64_t i = task * per_task; i < end; ++i) find(i, found[static_cast<std::size_t>(task)]);
    });
    const auto n_kept = static_cast<std::ptrdiff_t>(pairs_.size());
    std::size_t n_found = 0;
    for (const auto& part : found) n_found += part.size();
    pairs_.reserve(pairs_.size() + n_found);
    for (const auto& part : found) pairs_.insert(pairs_.end(), part.begin(), part.end());
    oneapi::tbb::parallel_sort(pairs_.begin() + n_kept, pairs_.end());
    std::inplace_merge(pairs_.begin(), pairs_.begin() + n_kept, pairs_.end());
}

void EdgePairs::update(const MovingEdges& edges, double slack)
{
    find_moved(edges, slack);
    if (n_searched_ == 0) return;
    drop_moved();
    search(edges, slack);
}

std::size_t EdgePairs::bytes() const
{
    return reference_.capacity() * sizeof(reference_[0]) + has_moved_.capacity() + pairs_.capacity() * sizeof(EdgePair);
}

} // namespace rivulet
