#include "contact/swept_boxes.h"

#include "base/parallel.h"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace rivulet {
namespace {

constexpr std::int64_t kBoxGrain = 256;
constexpr std::int64_t kGroupGrain = 32;
/// Rounding to single precision must not make a box smaller.
constexpr float kRounding = 2e-7F;
/// The same of places, their differences and what is made from them.
constexpr double kPlaceRounding = 1e-6;
/// Smaller than the square of any length that counts [m^2].
constexpr float kTiny = 1e-30F;
/// Steps of the curve along each axis.
constexpr double kCurveSteps = (1 << 21) - 1;
constexpr float kNowhere = std::numeric_limits<float>::infinity();

/// Where along Morton's curve an edge comes.
struct CurvePlace {
    std::uint64_t code = 0;
    std::int32_t edge = 0;

    [[nodiscard]] bool operator<(const CurvePlace& b) const { return code != b.code ? code < b.code : edge < b.edge; }
};

/// The 21 lowest bits, two zeros after each.
std::uint64_t spread_bits(std::uint64_t x)
{
    x = (x | x << 32U) & 0x1f00000000ffffU;
    x = (x | x << 16U) & 0x1f0000ff0000ffU;
    x = (x | x << 8U) & 0x100f00f00f00f00fU;
    x = (x | x << 4U) & 0x10c30c30c30c30c3U;
    x = (x | x << 2U) & 0x1249249249249249U;
    return x;
}

Aabb swept_box(const MovingEdges& edges, std::size_t e)
{
    const auto v = static_cast<std::size_t>(edges.vertex[e]);
    Aabb box;
    for (const std::size_t k : {v, v + 1}) {
        box.include(edges.start[k]);
        box.include(edges.end[k]);
    }
    return box;
}

std::vector<std::int32_t> all_edges(const MovingEdges& edges)
{
    std::vector<std::int32_t> all(edges.vertex.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// Boxes that overlap nothing.
template <class Boxes>
Boxes nowhere()
{
    Boxes boxes;
    for (auto& eight : boxes.lower) eight.fill(kNowhere);
    for (auto& eight : boxes.upper) eight.fill(-kNowhere);
    return boxes;
}

} // namespace

SweptBoxes::SweptBoxes(const MovingEdges& edges, double margin) : SweptBoxes(edges, all_edges(edges), margin) {}

SweptBoxes::SweptBoxes(const MovingEdges& edges, std::vector<std::int32_t> chosen, double margin) : margin_(margin)
{
    sort(edges, std::move(chosen));
    place(edges);
    build_above();
}

SweptBoxes::Swept SweptBoxes::sweep(const MovingEdges& edges, std::int32_t edge) const
{
    const auto e = static_cast<std::size_t>(edge), v = static_cast<std::size_t>(edges.vertex[e]);
    const Aabb box = swept_box(edges, e).dilated(margin_ + edges.radius[e]);
    const Vec3 middle = 0.5 * (edges.start[v] + edges.start[v + 1]) - all_.lower;
    const Vec3 half = 0.5 * (edges.start[v + 1] - edges.start[v]);
    const Vec3 first = edges.end[v] - edges.start[v], second = edges.end[v + 1] - edges.start[v + 1];
    const Vec3 shift = 0.5 * (first + second);
    Swept out;
    for (std::size_t a = 0; a < 3; ++a) {
        const auto axis = static_cast<Eigen::Index>(a);
        const auto low = static_cast<float>(box.lower[axis]), high = static_cast<float>(box.upper[axis]);
        out.box.lower[a] = low - kRounding * std::abs(low);
        out.box.upper[a] = high + kRounding * std::abs(high);
        out.middle[a] = static_cast<float>(middle[axis]);
        out.half[a] = static_cast<float>(half[axis]);
        out.shift[a] = static_cast<float>(shift[axis]);
    }
    const double size = (all_.upper - all_.lower).maxCoeff() + middle.norm() + half.norm() + shift.norm();
    out.reach = static_cast<float>(edges.radius[e] + margin_ + 0.5 * (second - first).norm() + kPlaceRounding * size);
    return out;
}

void SweptBoxes::place(const MovingEdges& edges)
{
    const std::size_t n_groups = std::max<std::size_t>(1, (edge_.size() + kChildren - 1) / kChildren);
    levels_.emplace_back(n_groups, nowhere<Boxes>());
    edges_.resize(n_groups);
    parallel_for(
        static_cast<std::int64_t>(n_groups), "swept boxes",
        [&](std::int64_t group) {
            const auto g = static_cast<std::size_t>(group);
            Boxes& boxes = levels_.front()[g];
            Edges& placed = edges_[g];
            for (std::size_t k = 0; k < kChildren && kChildren * g + k < edge_.size(); ++k) {
                const Swept s = sweep(edges, edge_[kChildren * g + k]);
                for (std::size_t a = 0; a < 3; ++a) {
                    boxes.lower[a][k] = s.box.lower[a];
                    boxes.upper[a][k] = s.box.upper[a];
                    placed.middle[a][k] = s.middle[a];
                    placed.half[a][k] = s.half[a];
                    placed.shift[a][k] = s.shift[a];
                }
                placed.reach[k] = s.reach;
            }
        },
        kGroupGrain);
}

SweptBoxes::Query SweptBoxes::query(std::size_t place) const
{
    const std::size_t g = place / kChildren, k = place % kChildren;
    const Boxes& boxes = levels_.front()[g];
    const Edges& edges = edges_[g];
    Swept s;
    for (std::size_t a = 0; a < 3; ++a) {
        s.box.lower[a] = boxes.lower[a][k];
        s.box.upper[a] = boxes.upper[a][k];
        s.middle[a] = edges.middle[a][k];
        s.half[a] = edges.half[a][k];
        s.shift[a] = edges.shift[a][k];
    }
    s.reach = edges.reach[k];
    return query(s);
}

SweptBoxes::Query SweptBoxes::query(const Swept& swept)
{
    Query q{swept.box, swept.middle, {}, swept.shift, swept.reach};
    double length = 0;
    for (const float h : swept.half) length += static_cast<double>(h) * static_cast<double>(h);
    // Without a direction the line is a point's distance from it: still no more than that of the edges.
    const double scale = length > 0 ? 1 / std::sqrt(length) : 0;
    for (std::size_t a = 0; a < 3; ++a) q.along[a] = static_cast<float>(scale * static_cast<double>(swept.half[a]));
    return q;
}

SweptBoxes::Box SweptBoxes::around(const std::array<Query, kChildren>& queries, unsigned bits)
{
    Box box = queries[static_cast<std::size_t>(__builtin_ctz(bits))].box;
    for (; bits != 0; bits &= bits - 1) {
        const Box& one = queries[static_cast<std::size_t>(__builtin_ctz(bits))].box;
        for (std::size_t a = 0; a < 3; ++a) {
            box.lower[a] = std::min(box.lower[a], one.lower[a]);
            box.upper[a] = std::max(box.upper[a], one.upper[a]);
        }
    }
    return box;
}

SweptBoxes::Box SweptBoxes::box_of_leaf(std::size_t leaf) const
{
    Box box{{-kNowhere, -kNowhere, -kNowhere}, {kNowhere, kNowhere, kNowhere}};
    if (levels_.size() == 1) return box; // there is but one
    const Boxes& above = levels_[1][leaf / kChildren];
    for (std::size_t a = 0; a < 3; ++a) {
        box.lower[a] = above.lower[a][leaf % kChildren];
        box.upper[a] = above.upper[a][leaf % kChildren];
    }
    return box;
}

unsigned SweptBoxes::come_near(const Edges& edges, const Query& q)
{
    Eight distance, limit; // squares
    for (std::size_t k = 0; k < kChildren; ++k) {
        std::array<float, 3> d, h;
        float along = 0, turned = 0, apart = q.reach + edges.reach[k];
        for (std::size_t a = 0; a < 3; ++a) {
            d[a] = edges.middle[a][k] - q.middle[a];
            h[a] = edges.half[a][k];
            along += d[a] * q.along[a];
            turned += h[a] * q.along[a];
            apart += std::abs(edges.shift[a][k] - q.shift[a]);
        }
        float dh = 0, hh = kTiny;
        for (std::size_t a = 0; a < 3; ++a) {
            d[a] -= along * q.along[a];
            h[a] -= turned * q.along[a];
            dh += d[a] * h[a];
            hh += h[a] * h[a];
        }
        const float nearest = std::min(std::max(-dh / hh, -1.0F), 1.0F);
        distance[k] = 0;
        for (std::size_t a = 0; a < 3; ++a) {
            const float x = d[a] + nearest * h[a];
            distance[k] += x * x;
        }
        limit[k] = apart * apart;
    }
    unsigned bits = 0;
    for (std::size_t k = 0; k < kChildren; ++k) bits |= static_cast<unsigned>(distance[k] <= limit[k]) << k;
    return bits;
}

void SweptBoxes::sort(const MovingEdges& edges, std::vector<std::int32_t> chosen)
{
    edge_ = std::move(chosen);
    for (const std::int32_t e : edge_)
        all_.include(edges.start[static_cast<std::size_t>(edges.vertex[static_cast<std::size_t>(e)])]);
    const double width = std::max((all_.upper - all_.lower).maxCoeff(), std::numeric_limits<double>::min());
    std::vector<CurvePlace> places(edge_.size());
    parallel_for(
        size(), "swept boxes",
        [&](std::int64_t i) {
            CurvePlace& place = places[static_cast<std::size_t>(i)];
            place.edge = edge(i);
            const Aabb box = swept_box(edges, static_cast<std::size_t>(place.edge));
            const Vec3 centre = 0.5 * (box.lower + box.upper);
            for (int a = 0; a < 3; ++a) {
                const double part = std::min(std::max(0.0, (centre[a] - all_.lower[a]) / width), 1.0);
                place.code |= spread_bits(static_cast<std::uint64_t>(kCurveSteps * part)) << static_cast<unsigned>(a);
            }
        },
        kBoxGrain);
    oneapi::tbb::parallel_sort(places.begin(), places.end());
    for (std::size_t i = 0; i < places.size(); ++i) edge_[i] = places[i].edge;
}

void SweptBoxes::build_above()
{
    while (levels_.back().size() > 1) {
        const Level& below = levels_.back();
        Level above((below.size() + kChildren - 1) / kChildren, nowhere<Boxes>());
        parallel_for(
            static_cast<std::int64_t>(below.size()), "swept boxes",
            [&](std::int64_t i) {
                const auto node = static_cast<std::size_t>(i), k = node % kChildren;
                Boxes& boxes = above[node / kChildren];
                for (std::size_t a = 0; a < 3; ++a) {
                    boxes.lower[a][k] = *std::ranges::min_element(below[node].lower[a]);
                    boxes.upper[a][k] = *std::ranges::max_element(below[node].upper[a]);
                }
            },
            kBoxGrain);
        levels_.push_back(std::move(above));
    }
}

} // namespace rivulet
