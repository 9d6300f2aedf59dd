#pragma once

#include <cmath>

namespace rivulet {

/// The three weights of the quadratic B-spline at a point, along one axis. `first` is the lowest of the three nodes.
///   w = { (3/2 - s)^2 / 2,  3/4 - (s - 1)^2,  (s - 1/2)^2 / 2 },  s = x - first in [1/2, 3/2)
struct BSplineWeights {
    int first;
    double offset; ///< x - first, in node spacings
    double w[3];
};

[[nodiscard]] inline BSplineWeights quadratic_bspline(double x) noexcept
{
    const double first = std::floor(x - 0.5);
    const double s = x - first;
    const double a = 1.5 - s;
    const double b = s - 1;
    const double c = s - 0.5;
    return {static_cast<int>(first), s, {0.5 * a * a, 0.75 - b * b, 0.5 * c * c}};
}

} // namespace rivulet
