#pragma once

#include <cmath>
#include <limits>

namespace rivulet {

/// Where f, of opposite signs at low and high (or zero there), changes its sign, to the last digits: bisection that
/// becomes inverse quadratic interpolation where that is safe [Chandrupatla 1997]. f need not be continuous.
template <class Function>
[[nodiscard]] double find_root(double low, double high, Function&& f)
{
    constexpr double kEps = std::numeric_limits<double>::epsilon();
    constexpr int kMaxSteps = 200; // bisection alone needs 60 to 1100, the latter for roots at 0
    double a = high, b = low, c = high, fa = f(a), fb = f(b), fc = fa;
    if (fa == 0 || fb == 0) return fa == 0 ? a : b;
    double t = 0.5;
    for (int i = 0; i < kMaxSteps; ++i) {
        const double x = a + t * (b - a), fx = f(x);
        if ((fx > 0) == (fa > 0)) {
            c = a, fc = fa;
        } else {
            c = b, fc = fb;
            b = a, fb = fa;
        }
        a = x, fa = fx;
        const double best = std::abs(fa) < std::abs(fb) ? a : b;
        const double margin = (2 * kEps * std::abs(best) + 1e-300) / std::abs(b - a);
        if (fa == 0 || fb == 0 || margin > 0.5) return best;
        const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
        t = 0.5;
        if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
            t = fa / (fb - fa) * (fc / (fb - fc)) + (c - a) / (b - a) * (fa / (fc - fa)) * (fb / (fc - fb));
        t = std::fmin(1 - margin, std::fmax(margin, t));
    }
    return 0.5 * (a + b);
}

} // namespace rivulet
