#pragma once

#include "base/vec.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rivulet {

/// Polylines, one after the other.
struct Curves {
    std::vector<Vec3> points;             ///< [m]
    std::vector<std::size_t> first = {0}; ///< point of each curve, and one past the last
    std::vector<double> radius;           ///< of each curve [m]; empty where nothing is known of it
    std::vector<Vec3> colour;             ///< of each curve, linear RGB; or empty

    [[nodiscard]] std::size_t size() const noexcept { return first.size() - 1; }
    [[nodiscard]] std::span<const Vec3> operator[](std::size_t curve) const
    {
        return std::span(points).subspan(first[curve], first[curve + 1] - first[curve]);
    }
    void add(std::span<const Vec3> curve)
    {
        points.insert(points.end(), curve.begin(), curve.end());
        first.push_back(points.size());
    }
};

/// n points spread evenly along a polyline, its ends among them. Corners are cut: edges are a little shorter there.
[[nodiscard]] std::vector<Vec3> resampled(std::span<const Vec3> curve, int n);

} // namespace rivulet
