#include "contact/bridge_curve.h"

#include "base/assert.h"

#include <algorithm>
#include <cmath>

namespace rivulet {

BridgeCurve::BridgeCurve(const BridgeTable& table, const BridgeSite& site)
    : touch_(site.touch), spacing_(table.rupture_gap(site.area) / kIntervals)
{
    RIVULET_ASSERT(site.area > 0);
    table.sample(site.radius, site.area, force_);
    scale(site.tension);
}

BridgeCurve::BridgeCurve(const StrandBridgeTable& table, const BridgeSite& site)
    : touch_(site.touch), spacing_(table.rupture_gap(site.area) / kIntervals)
{
    RIVULET_ASSERT(site.area > 0);
    table.sample(site.radius, site.curvature, site.area, force_);
    scale(site.tension);
}

BridgeCurve::BridgeCurve(const SolidBridgeTable& table, const BridgeSite& site)
    : touch_(site.touch), spacing_(table.rupture_gap(site.area) / kIntervals)
{
    RIVULET_ASSERT(site.area > 0);
    table.sample(site.radius, site.curvature, site.area, force_);
    scale(site.tension);
}

void BridgeCurve::scale(double tension)
{
    for (float& f : force_) f = static_cast<float>(tension * static_cast<double>(f));
}

double BridgeCurve::place(double distance) const
{
    // A distance that is no number counts as touching: the watchdog finds it, and no index comes of it here.
    return std::fmin(std::fmax((distance - touch_) / spacing_, 0.0), static_cast<double>(kIntervals));
}

double BridgeCurve::straight(double place) const
{
    const auto i = static_cast<std::size_t>(std::min(static_cast<int>(place), kIntervals - 1));
    const double f0 = static_cast<double>(force_[i]), f1 = static_cast<double>(force_[i + 1]);
    return f0 + (place - static_cast<double>(i)) * (f1 - f0);
}

double BridgeCurve::force(double distance) const { return std::max(0.0, straight(place(distance))); }

double BridgeCurve::slope(double distance) const
{
    const double x = (distance - touch_) / spacing_;
    if (!(x >= 0 && x < kIntervals) || straight(x) < 0) return 0;
    const auto i = static_cast<std::size_t>(x);
    return static_cast<double>(force_[i + 1] - force_[i]) / spacing_;
}

double BridgeCurve::energy(double distance) const
{
    /// Integral of a line from f0 to f1 over [0, 1], where it is positive.
    const auto panel = [](double f0, double f1) {
        if (f0 >= 0 && f1 >= 0) return 0.5 * (f0 + f1);
        const double most = std::max(f0, f1);
        return most > 0 ? 0.5 * most * most / std::abs(f1 - f0) : 0.0;
    };
    const double x = place(distance);
    const auto n = static_cast<std::size_t>(std::min(static_cast<int>(x), kIntervals - 1));
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
        sum += panel(static_cast<double>(force_[i]), static_cast<double>(force_[i + 1]));
    sum += (x - static_cast<double>(n)) * panel(static_cast<double>(force_[n]), straight(x));
    const double outside = distance - touch_ - spacing_ * x; // on either side the force is that of the end
    return spacing_ * sum + outside * force(distance);
}

BridgeCurve BridgeCurve::rising_about(double distance) const
{
    BridgeCurve curve = *this;
    const double x = place(distance);
    float most = static_cast<float>(straight(x)), least = most;
    const auto n = static_cast<std::size_t>(std::ceil(x));
    for (std::size_t i = n; i < force_.size(); ++i) curve.force_[i] = most = std::max(most, force_[i]);
    for (std::size_t i = n; i-- > 0;) curve.force_[i] = least = std::min(least, force_[i]);
    return curve;
}

void BridgeCurve::limit_closing(double distance, double way)
{
    RIVULET_ASSERT(way > 0);
    start_ = distance;
    way_ = way;
    start_force_ = force(distance);
}

double BridgeCurve::limited_energy(double distance) const
{
    if (!(way_ > 0) || distance >= start_) return energy(distance);
    const double left = std::max(0.0, distance - start_ + way_);
    return energy(start_) - 0.5 * start_force_ * (way_ - left * left / way_);
}

double BridgeCurve::limited_slope(double distance) const
{
    if (!(way_ > 0) || distance >= start_) return slope(distance);
    return distance > start_ - way_ ? start_force_ / way_ : 0.0;
}

double BridgeCurve::solve(double free_distance, double compliance, double length) const
{
    const double at_start = length * start_force_;
    if (way_ > 0 && start_ + compliance * at_start >= free_distance) {
        const double share = (free_distance - start_ + way_) / (way_ + compliance * at_start);
        return at_start * std::clamp(share, 0.0, 1.0);
    }
    // d + compliance length f(d) rises with d: look for the samples between which it passes the free distance. Where f
    // is negative there, the bridge does not pull at all.
    const double w = compliance * length;
    const auto excess = [&](std::size_t i) {
        return touch_ + spacing_ * static_cast<double>(i) + w * static_cast<double>(force_[i]) - free_distance;
    };
    if (excess(0) >= 0) return length * std::max(0.0, static_cast<double>(force_.front()));
    if (excess(kIntervals) <= 0) return length * std::max(0.0, static_cast<double>(force_.back()));
    std::size_t low = 0, high = kIntervals;
    while (high - low > 1) {
        const std::size_t middle = (low + high) / 2;
        (excess(middle) < 0 ? low : high) = middle;
    }
    const double below = excess(low), share = below / (below - excess(high));
    const double f0 = static_cast<double>(force_[low]), f1 = static_cast<double>(force_[high]);
    return length * std::max(0.0, f0 + share * (f1 - f0));
}

} // namespace rivulet
