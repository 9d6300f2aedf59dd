#include "geometry/cut_cube.h"

#include <algorithm>
#include <cmath>

namespace rivulet {

double cut_share(double offset, const Vec3& gradient)
{
    std::array<double, 3> m{std::abs(gradient.x()), std::abs(gradient.y()), std::abs(gradient.z())};
    std::sort(m.begin(), m.end());
    if (m[2] == 0) return offset < 0 ? 1 : 0;
    constexpr double kLevel = 1e-5; // slopes below are none: the sum below would cancel
    if (m[1] < kLevel * m[2]) return std::clamp(0.5 - offset / m[2], 0.0, 1.0);
    m[0] = std::max(m[0], kLevel * m[2]);
    // The plane's height over the lowest corner; what it cuts off by inclusion and exclusion of the corners beyond it.
    const double all = m[0] + m[1] + m[2], alpha = 0.5 * all - offset;
    if (alpha <= 0) return 0;
    if (alpha >= all) return 1;
    const auto cube = [](double x) { return x > 0 ? x * x * x : 0; };
    double sum = cube(alpha);
    for (const double a : m) sum += cube(alpha - all + a) - cube(alpha - a);
    return std::clamp(sum / (6 * m[0] * m[1] * m[2]), 0.0, 1.0);
}

FaceCut::FaceCut(const Vec3& middle, double edge, const std::array<double, 6>& distance)
{
    double mean = 0;
    Vec3 gradient;
    for (std::size_t a = 0; a < 3; ++a) {
        mean += (distance[2 * a] + distance[2 * a + 1]) / 6;
        gradient[static_cast<int>(a)] = (distance[2 * a + 1] - distance[2 * a]) / edge;
    }
    slope = gradient.norm();
    part.share = cut_share(mean / edge, gradient);
    part.centre = middle;
    if (slope > 0) part.centre -= 0.5 * (1 - part.share) * edge / slope * gradient; // of a layer; nearly so if slanted
}

} // namespace rivulet
