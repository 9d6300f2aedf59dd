#include "contact/bridge_table.h"

#include "base/assert.h"
#include "base/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rivulet {
namespace {

constexpr int kGaps = 129, kAreas = 193;

double log_area_range() { return std::log(BridgeTable::kMostArea / BridgeTable::kLeastArea); }

/// The four nodes about x and their weights in the cubic through them.
struct CubicStencil {
    int first;
    std::array<double, 4> weight;
};
CubicStencil cubic_stencil(double x, int n)
{
    const int first = std::clamp(static_cast<int>(x) - 1, 0, n - 4);
    const double t = x - first;
    return {first,
            {-(t - 1) * (t - 2) * (t - 3) / 6, t * (t - 2) * (t - 3) / 2, -t * (t - 1) * (t - 3) / 2,
             t * (t - 1) * (t - 2) / 6}};
}

} // namespace

BridgeTable::BridgeTable(double contact_angle, Other other)
    : contact_angle_(contact_angle), other_(other), force_(static_cast<std::size_t>(kGaps * kAreas))
{
    const BridgeSides unit = sides(1);
    parallel_for(kGaps * kAreas, "bridge table", [&](std::int64_t i) {
        const double area = kLeastArea * std::exp(log_area_range() * static_cast<double>(i % kAreas) / (kAreas - 1));
        const double gap = rivulet::rupture_gap(unit, area) * static_cast<double>(i / kAreas) / (kGaps - 1);
        force_[static_cast<std::size_t>(i)] = static_cast<float>(continued_force(unit, gap, area));
    });
}

BridgeSides BridgeTable::sides(double radius) const
{
    const double other = other_ == Other::Plane ? std::numeric_limits<double>::infinity() : radius;
    return {{radius, contact_angle_}, {other, contact_angle_}};
}

double BridgeTable::interpolated(double gap_share, double log_area) const
{
    const CubicStencil g = cubic_stencil(gap_share * (kGaps - 1), kGaps);
    const CubicStencil a = cubic_stencil(log_area / log_area_range() * (kAreas - 1), kAreas);
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
        const float* row = force_.data() + (g.first + i) * kAreas + a.first;
        double along = 0;
        for (int j = 0; j < 4; ++j) along += a.weight[static_cast<std::size_t>(j)] * static_cast<double>(row[j]);
        sum += g.weight[static_cast<std::size_t>(i)] * along;
    }
    return sum;
}

double BridgeTable::rupture_gap(double area) const { return rivulet::rupture_gap(sides(1), area); }

void BridgeTable::sample(double radius, double area, std::span<float> force) const
{
    const auto intervals = static_cast<int>(force.size()) - 1;
    RIVULET_VERIFY(intervals > 0 && (kGaps - 1) % intervals == 0);
    std::fill(force.begin(), force.end(), 0.0F);
    if (area < kDryArea) return;
    const double relative = area / (radius * radius), within = std::clamp(relative, kLeastArea, kMostArea);
    const double scale = std::min(1.0, relative / kLeastArea);
    const CubicStencil a = cubic_stencil(std::log(within / kLeastArea) / log_area_range() * (kAreas - 1), kAreas);
    for (int i = 0; i <= intervals; ++i) {
        const float* row = force_.data() + i * ((kGaps - 1) / intervals) * kAreas + a.first;
        double sum = 0;
        for (int j = 0; j < 4; ++j) sum += a.weight[static_cast<std::size_t>(j)] * static_cast<double>(row[j]);
        force[static_cast<std::size_t>(i)] = static_cast<float>(scale * sum);
    }
}

double BridgeTable::cohesion(double radius, double gap, double area) const
{
    if (area < kDryArea) return 0;
    const BridgeSides pair = sides(radius);
    const double relative = area / (radius * radius), share = gap / rupture_gap(area);
    if (relative < kLeastArea || relative > kMostArea || share > 1) return rivulet::cohesion(pair, gap, area);
    if (fits_in_round_drop(pair, gap, area)) return 0;
    return std::max(0.0, interpolated(share, std::log(relative / kLeastArea)));
}

} // namespace rivulet
