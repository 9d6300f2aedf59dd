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
    place_edges(edges, margin);
    build_above();
}

void SweptBoxes::place_edges(const MovingEdges& edges, double margin)
{
    const std::size_t whole = levels_.front().size();
    for (auto* of_axes : {&edges_.middle, &edges_.half, &edges_.shift})
        for (AlignedVector<float>& v : *of_axes) v.assign(whole, 0);
    edges_.reach.assign(whole, 0);
    const double rounding = kPlaceRounding * (all_.upper - all_.lower).maxCoeff();
    parallel_for(
        size(), "swept boxes",
        [&](std::int64_t place) {
            const auto i = static_cast<std::size_t>(place), e = static_cast<std::size_t>(edge(place));
            const auto v = static_cast<std::size_t>(edges.vertex[e]);
            const Vec3 middle = 0.5 * (edges.start[v] + edges.start[v + 1]) - all_.lower;
            const Vec3 half = 0.5 * (edges.start[v + 1] - edges.start[v]);
            const Vec3 first = edges.end[v] - edges.start[v], second = edges.end[v + 1] - edges.start[v + 1];
            const Vec3 shift = 0.5 * (first + second);
            for (std::size_t a = 0; a < 3; ++a) {
                edges_.middle[a][i] = static_cast<float>(middle[static_cast<int>(a)]);
                edges_.half[a][i] = static_cast<float>(half[static_cast<int>(a)]);
                edges_.shift[a][i] = static_cast<float>(shift[static_cast<int>(a)]);
            }
            const double size = middle.norm() + half.norm() + shift.norm();
            edges_.reach[i] = static_cast<float>(edges.radius[e] + margin + 0.5 * (second - first).norm() + rounding +
                                                 kPlaceRounding * size);
        },
        kBoxGrain);
}

SweptBoxes::Query SweptBoxes::query(std::size_t place) const
{
    Query q;
    const Level& leaves = levels_.front();
    double length = 0;
    for (std::size_t a = 0; a < 3; ++a) {
        q.lower[a] = leaves.lower[a][place];
        q.upper[a] = leaves.upper[a][place];
        q.middle[a] = edges_.middle[a][place];
        q.shift[a] = edges_.shift[a][place];
        length += static_cast<double>(edges_.half[a][place]) * static_cast<double>(edges_.half[a][place]);
    }
    q.reach = edges_.reach[place];
    // Without a direction the line is a point's distance from it: still no more than that of the edges.
    const double scale = length > 0 ? 1 / std::sqrt(length) : 0;
    for (std::size_t a = 0; a < 3; ++a)
        q.along[a] = static_cast<float>(scale * static_cast<double>(edges_.half[a][place]));
    return q;
}

unsigned SweptBoxes::come_near(std::size_t begin, const Query& q) const
{
    std::array<float, kChildren> distance, limit; // squares
    for (std::size_t k = 0; k < kChildren; ++k) {
        const std::size_t i = begin + k;
        std::array<float, 3> d, h;
        float along = 0, turned = 0, apart = q.reach + edges_.reach[i];
        for (std::size_t a = 0; a < 3; ++a) {
            d[a] = edges_.middle[a][i] - q.middle[a];
            h[a] = edges_.half[a][i];
            along += d[a] * q.along[a];
            turned += h[a] * q.along[a];
            apart += std::abs(edges_.shift[a][i] - q.shift[a]);
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

void SweptBoxes::sort(const MovingEdges& edges)
{
    for (std::size_t e = 0; e < edges.vertex.size(); ++e)
        all_.include(edges.start[static_cast<std::size_t>(edges.vertex[e])]);
    const double width = std::max((all_.upper - all_.lower).maxCoeff(), std::numeric_limits<double>::min());
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
                const double part = std::min(std::max(0.0, (centre[a] - all_.lower[a]) / width), 1.0);
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
