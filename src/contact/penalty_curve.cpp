#include "contact/penalty_curve.h"

#include "base/assert.h"

#include <algorithm>

namespace rivulet {

double PenaltyCurve::reach(const PairAttraction* attraction) const
{
    return attraction && attraction->rupture() > rest ? attraction->reach() : rest;
}

double PenaltyCurve::blend_end(const PairAttraction* attraction) const
{
    const double end = 2 * rest - touch;
    return attraction && attraction->rupture() > rest ? std::min(end, attraction->rupture()) : end;
}

/// K0; a bridge that breaks before d0 leaves a dry pair.
double PenaltyCurve::cohesive_stiffness(const PairAttraction* attraction) const
{
    RIVULET_ASSERT(rest > touch);
    if (!attraction || attraction->rupture() <= rest) return 0;
    const double end = blend_end(attraction);
    return attraction->force(end) / (end - rest);
}

double PenaltyCurve::secant(double d, const PairAttraction* attraction) const
{
    if (d < touch) return stiffness;
    if (d >= reach(attraction)) return 0;
    const double cohesive = cohesive_stiffness(attraction);
    if (d < rest) return stiffness + (cohesive - stiffness) * (d - touch) / (rest - touch);
    return d < blend_end(attraction) ? cohesive : attraction->force(d) / (d - rest);
}

double PenaltyCurve::force(double d, const PairAttraction* attraction) const
{
    return secant(d, attraction) * (d - rest);
}

double PenaltyCurve::energy(double d, const PairAttraction* attraction) const
{
    const double cohesive = cohesive_stiffness(attraction);
    if (d < rest) {
        // Of x = d0 - d: K = K0 + (k - K0) x/w up to x = w, then k.
        const double x = rest - d, width = rest - touch, inner = std::min(x, width);
        return inner * inner * (0.5 * cohesive + (stiffness - cohesive) * inner / (3 * width)) +
               0.5 * stiffness * (x - inner) * (x + inner);
    }
    const double end = std::min(d, reach(attraction)), blend = blend_end(attraction), blended = std::min(end, blend);
    const double stored = 0.5 * cohesive * (blended - rest) * (blended - rest);
    return end <= blend ? stored : stored + attraction->energy(end) - attraction->energy(blend);
}

double PenaltyCurve::newton_stiffness(double d, const PairAttraction* attraction) const
{
    const double value = secant(d, attraction);
    if (d >= blend_end(attraction) && d < reach(attraction)) return std::max(value, attraction->slope(d));
    if (d < touch || d >= rest) return value;
    const double growth = (cohesive_stiffness(attraction) - stiffness) / (rest - touch);
    return std::max(value, value + growth * (d - rest));
}

} // namespace rivulet
