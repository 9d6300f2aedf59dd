#include "contact/bridge_table.h"

#include "base/assert.h"
#include "base/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace rivulet {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Curvatures of solids that have tables besides planes, in units of the strand's.
constexpr std::array kCurvatures = {0.25, 0.5, 1.0};
/// Between ratios of strands' radii that have tables, as a difference of logarithms.
constexpr double kRatioStep = 0.1;
/// Size of the tables besides those of equal strands and planes: smaller, since each number is a search within a
/// search.
constexpr int kFewGaps = 33, kFewAreas = 97;

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
    : BridgeTable(BridgeSides{{1, contact_angle}, {other == Other::Plane ? kInfinity : 1, contact_angle}})
{
}

BridgeTable::BridgeTable(const BridgeSides& unit, int n_gaps, int n_areas)
    : unit_(unit), n_gaps_(n_gaps), n_areas_(n_areas), force_(static_cast<std::size_t>(n_gaps * n_areas))
{
    RIVULET_VERIFY(unit.a.radius == 1 && n_gaps >= 4 && n_areas >= 4);
    parallel_for(n_gaps * n_areas, "bridge table", [&](std::int64_t i) {
        const double place = static_cast<double>(i % n_areas) / (n_areas - 1);
        const double area = kLeastArea * std::exp(log_area_range() * place);
        const double gap = rivulet::rupture_gap(unit, area) * static_cast<double>(i / n_areas) / (n_gaps - 1);
        force_[static_cast<std::size_t>(i)] = static_cast<float>(continued_force(unit, gap, area));
    });
}

BridgeSides BridgeTable::sides(double radius) const
{
    BridgeSides scaled = unit_;
    scaled.a.radius *= radius;
    scaled.b.radius *= radius;
    return scaled;
}

double BridgeTable::interpolated(double gap_share, double log_area) const
{
    const CubicStencil g = cubic_stencil(gap_share * (n_gaps_ - 1), n_gaps_);
    const CubicStencil a = cubic_stencil(log_area / log_area_range() * (n_areas_ - 1), n_areas_);
    double sum = 0;
    for (int i = 0; i < 4; ++i) {
        const float* row = force_.data() + (g.first + i) * n_areas_ + a.first;
        double along = 0;
        for (int j = 0; j < 4; ++j) along += a.weight[static_cast<std::size_t>(j)] * static_cast<double>(row[j]);
        sum += g.weight[static_cast<std::size_t>(i)] * along;
    }
    return sum;
}

double BridgeTable::rupture_gap(double area) const { return rivulet::rupture_gap(unit_, area); }

void BridgeTable::sample(double radius, double area, std::span<float> force) const
{
    const auto intervals = static_cast<int>(force.size()) - 1;
    RIVULET_VERIFY(intervals > 0 && (n_gaps_ - 1) % intervals == 0);
    std::fill(force.begin(), force.end(), 0.0F);
    if (area < kDryArea) return;
    const double relative = area / (radius * radius), within = std::clamp(relative, kLeastArea, kMostArea);
    const double scale = std::min(1.0, relative / kLeastArea);
    const CubicStencil a = cubic_stencil(std::log(within / kLeastArea) / log_area_range() * (n_areas_ - 1), n_areas_);
    for (int i = 0; i <= intervals; ++i) {
        const float* row = force_.data() + i * ((n_gaps_ - 1) / intervals) * n_areas_ + a.first;
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

namespace {

/// The ratios with tables about a pair of strands, and how far it is from the first to the second.
struct RatioPlace {
    int below = 0;
    double share = 0;
};
RatioPlace ratio_place(double curvature)
{
    RIVULET_ASSERT(curvature > 0 && curvature <= 1);
    const double x = -std::log(curvature) / kRatioStep;
    return {static_cast<int>(x), x - std::floor(x)};
}

} // namespace

void StrandBridgeTable::prepare(double curvature) const
{
    const RatioPlace place = ratio_place(curvature);
    for (int i = place.below; i <= place.below + (place.share > 0 ? 1 : 0); ++i) {
        if (i == 0 || unequal_.contains(i)) continue;
        const double angle = equal_.contact_angle();
        const BridgeSides sides{{1, angle}, {std::exp(kRatioStep * i), angle}};
        unequal_.emplace(std::piecewise_construct, std::tuple(i), std::tuple(sides, kFewGaps, kFewAreas));
    }
}

void StrandBridgeTable::sample(double radius, double curvature, double area, std::span<float> force) const
{
    const RatioPlace place = ratio_place(curvature);
    const auto table = [&](int i) -> const BridgeTable& {
        if (i == 0) return equal_;
        const auto found = unequal_.find(i);
        RIVULET_VERIFY(found != unequal_.end());
        return found->second;
    };
    table(place.below).sample(radius, area, force);
    if (place.share == 0) return;
    std::vector<float> above(force.size());
    table(place.below + 1).sample(radius, area, above);
    const auto share = static_cast<float>(place.share);
    for (std::size_t k = 0; k < force.size(); ++k) force[k] += share * (above[k] - force[k]);
}

SolidBridgeTable::SolidBridgeTable(double strand_angle, double solid_angle)
    : strand_angle_(strand_angle), solid_angle_(solid_angle), plane_({{1, strand_angle}, {kInfinity, solid_angle}})
{
}

void SolidBridgeTable::prepare(double curvature) const
{
    if (curvature < kLeastCurvature || !curved_.empty()) return;
    for (const double c : kCurvatures)
        curved_.emplace_back(BridgeSides{{1, strand_angle_}, {1 / c, solid_angle_}}, kFewGaps, kFewAreas);
}

void SolidBridgeTable::sample(double radius, double curvature, double area, std::span<float> force) const
{
    plane_.sample(radius, area, force);
    if (curvature < kLeastCurvature) return;
    RIVULET_VERIFY(!curved_.empty());
    // The cubic through all four curvatures.
    const double x = std::min(curvature, 1.0);
    const std::array<double, 4> node = {0, kCurvatures[0], kCurvatures[1], kCurvatures[2]};
    std::array<double, 4> weight{};
    for (std::size_t i = 0; i < node.size(); ++i) {
        weight[i] = 1;
        for (std::size_t j = 0; j < node.size(); ++j)
            if (j != i) weight[i] *= (x - node[j]) / (node[i] - node[j]);
    }
    std::vector<float> part(force.size());
    for (float& f : force) f *= static_cast<float>(weight[0]);
    for (std::size_t i = 0; i < curved_.size(); ++i) {
        curved_[i].sample(radius, area, part);
        for (std::size_t k = 0; k < force.size(); ++k) force[k] += static_cast<float>(weight[i + 1]) * part[k];
    }
}

} // namespace rivulet
