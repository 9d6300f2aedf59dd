#pragma once

#include "base/vec.h"

#include <array>
#include <cmath>

namespace rivulet {

/// Share of a unit cube where a plane's height offset + gradient . r is negative, r from the cube's middle. Exact.
[[nodiscard]] double cut_share(double offset, const Vec3& gradient);

/// The part of a cube that lies inside of a region.
struct CubePart {
    double share = 0;           ///< of the cube's volume
    Vec3 centre = Vec3::Zero(); ///< of that part [m]
};

/// Cuts a cube by the plane that a signed distance at the middles of its faces tells (-x, +x, -y ...), whose mean
/// allows for a smooth surface's curvature; `slope` is the length of its gradient, 1 but where the surface has an edge.
struct FaceCut {
    FaceCut(const Vec3& middle, double edge, const std::array<double, 6>& distance);
    double slope;
    CubePart part;
};

/// Part of a cube inside of a region that distance(x) is negative in, never farther from zero than the true distance.
/// Of fourth order in edge over radius of curvature and exact for planes along the axes. The cube is halved once, and
/// kEdgeLevels times more where the region has an edge, which is rounded in the last.
template <class Distance>
[[nodiscard]] CubePart cut_cube(const Vec3& middle, double edge, const Distance& distance, int level = 0)
{
    constexpr int kLevels = 1, kEdgeLevels = 3;
    constexpr double kHalfDiagonal = 0.8660254037844387, kRounding = 1e-12, kSmooth = 0.05;
    const auto corner = [](int n) { return Vec3((n & 1) - 0.5, (n >> 1 & 1) - 0.5, (n >> 2 & 1) - 0.5); };
    const double d = distance(middle);
    if (d >= kHalfDiagonal * edge) return {};
    if (d <= -kHalfDiagonal * edge) return {1, middle};
    if (level >= kLevels) {
        std::array<double, 6> faces;
        for (int f = 0; f < 6; ++f)
            faces[static_cast<std::size_t>(f)] =
                distance(middle + (f % 2 == 0 ? -0.5 : 0.5) * edge * Vec3::Unit(f / 2));
        const FaceCut cut(middle, edge, faces);
        if (std::abs(cut.slope - 1) < kSmooth) return cut.part;
        bool is_full = true, is_empty = true; // edges of boxes are often those of cubes
        for (int n = 0; n < 8; ++n) {
            const double at = distance(middle + edge * corner(n));
            is_full = is_full && at <= kRounding * edge;
            is_empty = is_empty && at >= -kRounding * edge;
        }
        const double half = (0.5 - kRounding) * edge; // nearer, something thinner than the cube is between its corners
        if (is_full && d <= -half) return {1, middle};
        if (is_empty && d >= half) return {};
        if (level == kLevels + kEdgeLevels) return cut.part;
    }
    CubePart whole;
    for (int n = 0; n < 8; ++n) {
        const CubePart part = cut_cube(middle + 0.5 * edge * corner(n), 0.5 * edge, distance, level + 1);
        whole.share += 0.125 * part.share;
        whole.centre += 0.125 * part.share * (part.centre - middle);
    }
    if (whole.share < kRounding) return {};
    if (whole.share > 1 - kRounding) return {1, middle};
    whole.centre = middle + whole.centre / whole.share;
    return whole;
}

} // namespace rivulet
