#include "contact/groove_suction.h"

#include "contact/liquid_bridge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace rivulet {
namespace {

constexpr int kGrooveAngles = 400;

} // namespace

GrooveSuction::GrooveSuction(double contact_angle)
{
    const BridgeSides sides{{1, contact_angle}, {1, contact_angle}};
    for (int i = 1; i <= kGrooveAngles; ++i) {
        const auto shape = bridge_at_angle(sides, 0, i * std::numbers::pi / kGrooveAngles);
        if (!shape || !(shape->area > 0)) continue;
        const double log_area = std::log(shape->area);
        const bool is_first = log_area_.empty();
        if (is_first && !(shape->curvature > 0)) return; // pushed out of the groove, not drawn into it
        if (!is_first && !(log_area > log_area_.back() && shape->curvature < curvature_.back())) return;
        log_area_.push_back(log_area);
        curvature_.push_back(shape->curvature);
    }
}

double GrooveSuction::operator()(double area) const
{
    if (log_area_.empty()) return 0;
    if (!(area > 0)) return std::numeric_limits<double>::infinity();
    const double x = std::log(area);
    // Little liquid fills the groove to an angle alpha: A ~ alpha^3, R ~ alpha^2.
    if (x <= log_area_.front()) return curvature_.front() * std::exp(2.0 / 3 * (log_area_.front() - x));
    if (x >= log_area_.back()) return curvature_.back();
    const auto above = std::upper_bound(log_area_.begin(), log_area_.end(), x);
    const auto i = static_cast<std::size_t>(above - log_area_.begin());
    const double t = (x - log_area_[i - 1]) / (log_area_[i] - log_area_[i - 1]);
    return curvature_[i - 1] + t * (curvature_[i] - curvature_[i - 1]);
}

} // namespace rivulet
