#include "io/plot.h"

#include "base/assert.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rivulet {
namespace {

/// 1, 2 or 5 times a power of ten: the one nearest to `raw` by ratio.
double nice_step(double raw)
{
    const double decade = std::pow(10.0, std::floor(std::log10(raw)));
    const double m = raw / decade;
    return decade * (m < std::sqrt(2.0) ? 1 : m < std::sqrt(10.0) ? 2 : m < std::sqrt(50.0) ? 5 : 10);
}

/// Powers of ten with each of `digits`, inside the range.
std::vector<double> decade_ticks(double low, double high, std::initializer_list<int> digits)
{
    std::vector<double> ticks;
    for (int e = static_cast<int>(std::floor(std::log10(low))); e <= static_cast<int>(std::ceil(std::log10(high))); ++e)
        for (const int d : digits) {
            const double tick = d * std::pow(10.0, e);
            if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push_back(tick);
        }
    return ticks;
}

} // namespace

std::vector<double> linear_ticks(double low, double high, int target)
{
    RIVULET_VERIFY(low <= high && target >= 1);
    if (low == high) return {low};
    const double step = nice_step((high - low) / target);
    const double resolution = std::numeric_limits<double>::epsilon() * std::max(std::abs(low), std::abs(high));
    if (!(step > 4 * resolution)) return {low}; // ticks nearer than that cannot be told apart, nor counted through
    std::vector<double> ticks;
    const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
    for (double i = first; i <= last; ++i) ticks.push_back(i == 0 ? 0.0 : i * step);
    return ticks;
}

std::vector<double> logarithmic_ticks(double low, double high, int target)
{
    RIVULET_VERIFY(low > 0 && low <= high && target >= 1);
    std::vector<double> ticks = decade_ticks(low, high, {1});
    if (ticks.size() < 3) {
        ticks = decade_ticks(low, high, {1, 2, 5});
        return ticks.size() < 2 ? linear_ticks(low, high, target) : ticks;
    }
    const auto stride = (ticks.size() + static_cast<std::size_t>(target) - 1) / static_cast<std::size_t>(target);
    std::vector<double> thinned;
    for (const double tick : ticks) {
        const int exponent = static_cast<int>(std::lround(std::log10(tick)));
        if (exponent % static_cast<int>(stride) == 0) thinned.push_back(tick);
    }
    return thinned;
}

} // namespace rivulet
