#include "geometry/curves.h"

#include "base/assert.h"

#include <algorithm>

namespace rivulet {

std::vector<Vec3> resampled(std::span<const Vec3> curve, int n)
{
    RIVULET_VERIFY(!curve.empty() && n >= 2);
    std::vector<double> way{0}; // from the beginning to each point
    for (std::size_t k = 1; k < curve.size(); ++k) way.push_back(way.back() + (curve[k] - curve[k - 1]).norm());
    std::vector<Vec3> points;
    std::size_t k = 1;
    for (int i = 0; i + 1 < n; ++i) {
        const double wanted = way.back() * i / (n - 1);
        while (k + 1 < way.size() && way[k] <= wanted) ++k;
        const double piece = k < way.size() ? way[k] - way[k - 1] : 0;
        const double part = piece > 0 ? std::clamp((wanted - way[k - 1]) / piece, 0.0, 1.0) : 0;
        points.emplace_back(part > 0 ? Vec3((1 - part) * curve[k - 1] + part * curve[k]) : curve[k - 1]);
    }
    points.push_back(curve.back());
    return points;
}

} // namespace rivulet
