#include "contact/swept_boxes.h"

#include "base/parallel.h"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rivulet {
namespace {

constexpr std::int64_t kBoxGrain = 256;
/// Rounding to single precision must not make a box smaller.
constexpr float kRounding = 2e-7F;
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

} // namespace

void SweptBoxes::Level::resize(std::size_t n)
{
    const std::size_t whole = (n + kChildren - 1) / kChildren * kChildren;
    for (std::size_t a = 0; a < 3; ++a) {
        lower[a].assign(whole, kNowhere);
        upper[a].assign(whole, -kNowhere);
    }
}

SweptBoxes::SweptBoxes(const MovingEdges& edges, double margin)
{
    sort(edges);
    levels_.emplace_back().resize(edge_.size());
    Level& leaves = levels_.front();
    parallel_for(
        size(), "swept boxes",
        [&](std::int64_t i) {
            const auto e = static_cast<std::size_t>(edge(i));
            const Aabb box = swept_box(edges, e).dilated(margin + edges.radius[e]);
            for (std::size_t a = 0; a < 3; ++a) {
                const auto low = static_cast<float>(box.lower[static_cast<int>(a)]);
                const auto high = static_cast<float>(box.upper[static_cast<int>(a)]);
                leaves.lower[a][static_cast<std::size_t>(i)] = low - kRounding * std::abs(low);
                leaves.upper[a][static_cast<std::size_t>(i)] = high + kRounding * std::abs(high);
            }
        },
        kBoxGrain);
    build_above();
}

void SweptBoxes::sort(const MovingEdges& edges)
{
    Aabb all;
    for (std::size_t e = 0; e < edges.vertex.size(); ++e)
        all.include(edges.start[static_cast<std::size_t>(edges.vertex[e])]);
    const double width = std::max((all.upper - all.lower).maxCoeff(), std::numeric_limits<double>::min());
    std::vector<CurvePlace> places(edges.vertex.size());
    parallel_for(
        static_cast<std::int64_t>(places.size()), "swept boxes",
        [&](std::int64_t i) {
            const auto e = static_cast<std::size_t>(i);
            const Aabb box = swept_box(edges, e);
            const Vec3 centre = 0.5 * (box.lower + box.upper);
            CurvePlace& place = places[e];
            place.edge = static_cast<std::int32_t>(i);
            for (int a = 0; a < 3; ++a) {
                const double part = std::min(std::max(0.0, (centre[a] - all.lower[a]) / width), 1.0);
                place.code |= spread_bits(static_cast<std::uint64_t>(kCurveSteps * part)) << static_cast<unsigned>(a);
            }
        },
        kBoxGrain);
    oneapi::tbb::parallel_sort(places.begin(), places.end());
    edge_.reserve(places.size());
    for (const CurvePlace& place : places) edge_.push_back(place.edge);
}

void SweptBoxes::build_above()
{
    while (levels_.back().size() > kChildren) {
        const std::size_t n = levels_.back().size() / kChildren;
        Level above;
        above.resize(n);
        const Level& below = levels_.back();
        parallel_for(
            static_cast<std::int64_t>(n), "swept boxes",
            [&](std::int64_t i) {
                const auto node = static_cast<std::size_t>(i);
                for (std::size_t a = 0; a < 3; ++a)
                    for (std::size_t k = kChildren * node; k < kChildren * (node + 1); ++k) {
                        above.lower[a][node] = std::min(above.lower[a][node], below.lower[a][k]);
                        above.upper[a][node] = std::max(above.upper[a][node], below.upper[a][k]);
                    }
            },
            kBoxGrain);
        levels_.push_back(std::move(above));
    }
}

} // namespace rivulet
