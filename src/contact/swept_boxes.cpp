#include "contact/swept_boxes.h"

#include "base/parallel.h"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace rivulet {
namespace {

/// Boxes wider than this many times the mean stand apart.
constexpr double kWide = 4;
/// Wider cells hold more boxes that do not overlap, narrower ones are more to look through.
constexpr float kCellPerBox = 1.5F;
constexpr std::int64_t kBoxGrain = 256;
constexpr std::int32_t kApart = std::numeric_limits<std::int32_t>::max();
/// Rounding to single precision must not make a box smaller.
constexpr float kRounding = 2e-7F;

struct Box {
    std::array<std::int32_t, 3> key;
    std::int32_t edge;
    std::array<float, 3> lower, upper;
};

Box box_of(const MovingEdges& edges, std::size_t e, double margin)
{
    const auto v = static_cast<std::size_t>(edges.vertex[e]);
    Aabb swept;
    for (const std::size_t k : {v, v + 1}) {
        swept.include(edges.start[k]);
        swept.include(edges.end[k]);
    }
    swept = swept.dilated(margin + edges.radius[e]);
    Box box{};
    box.edge = static_cast<std::int32_t>(e);
    for (std::size_t a = 0; a < 3; ++a) {
        const auto low = static_cast<float>(swept.lower[static_cast<int>(a)]);
        const auto high = static_cast<float>(swept.upper[static_cast<int>(a)]);
        box.lower[a] = low - kRounding * std::abs(low);
        box.upper[a] = high + kRounding * std::abs(high);
    }
    return box;
}

float width(const Box& b)
{
    return std::max({b.upper[0] - b.lower[0], b.upper[1] - b.lower[1], b.upper[2] - b.lower[2]});
}

} // namespace

SweptBoxes::SweptBoxes(const MovingEdges& edges, double margin)
{
    const auto n = static_cast<std::int64_t>(edges.vertex.size());
    std::vector<Box> boxes(edges.vertex.size());
    parallel_for(
        n, "swept boxes",
        [&](std::int64_t i) {
            boxes[static_cast<std::size_t>(i)] = box_of(edges, static_cast<std::size_t>(i), margin);
        },
        kBoxGrain);
    const double mean =
        ordered_sum(n, "swept boxes", [&](std::int64_t i) { return width(boxes[static_cast<std::size_t>(i)]); }) /
        static_cast<double>(std::max<std::int64_t>(n, 1));
    float cell = 0;
    for (const Box& b : boxes)
        if (width(b) <= kWide * mean) cell = std::max(cell, kCellPerBox * width(b));
    for (Box& b : boxes)
        for (std::size_t a = 0; a < 3; ++a) {
            const double index = std::floor(0.5 * (static_cast<double>(b.lower[a]) + b.upper[a]) / cell);
            // Beyond this many cells from the origin, too, boxes stand apart.
            b.key[a] =
                kCellPerBox * width(b) <= cell && std::abs(index) < 1e9 ? static_cast<std::int32_t>(index) : kApart;
        }
    for (Box& b : boxes)
        if (b.key[0] == kApart || b.key[1] == kApart || b.key[2] == kApart) b.key.fill(kApart);
    oneapi::tbb::parallel_sort(boxes.begin(), boxes.end(), [](const Box& x, const Box& y) {
        return x.key != y.key ? x.key < y.key : x.edge < y.edge;
    });
    edge_.reserve(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const Box& b = boxes[i];
        if (cells_.empty() || cells_.back().key != b.key) cells_.push_back({b.key, {i, i}});
        cells_.back().boxes.second = i + 1;
        edge_.push_back(b.edge);
        for (std::size_t a = 0; a < 3; ++a) {
            lower_[a].push_back(b.lower[a]);
            upper_[a].push_back(b.upper[a]);
        }
    }
}

/// Cells that follow each other along the last axis lie together in memory: nine runs of up to three of them, and the
/// wide boxes.
std::array<SweptBoxes::Range, 10> SweptBoxes::neighbours(const Cell& cell) const
{
    std::array<Range, 10> ranges{};
    if (cell.key[0] == kApart) {
        ranges[0] = {0, edge_.size()};
        return ranges;
    }
    const auto before = [](const Cell& c, const Key& key) { return c.key < key; };
    std::size_t n = 0;
    for (std::int32_t x = cell.key[0] - 1; x <= cell.key[0] + 1; ++x)
        for (std::int32_t y = cell.key[1] - 1; y <= cell.key[1] + 1; ++y) {
            auto c = std::lower_bound(cells_.begin(), cells_.end(), Key{x, y, cell.key[2] - 1}, before);
            const auto end = std::lower_bound(c, cells_.end(), Key{x, y, cell.key[2] + 2}, before);
            if (c != end) ranges[n] = {c->boxes.first, (end - 1)->boxes.second};
            ++n;
        }
    if (cells_.back().key[0] == kApart) ranges[n] = cells_.back().boxes;
    return ranges;
}

} // namespace rivulet
