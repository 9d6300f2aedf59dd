#pragma once

#include "grid/lanes.h"

#include <immintrin.h>

#include <cstdint>

namespace rivulet {

/// One number of each of four strands.
using Lane = Lanes<double>;
inline constexpr int kStrandLanes = kLanes<double>;
/// All bits set where a comparison holds.
using LaneMask = decltype(Lane{} < Lane{});

/// A vector of each of four strands.
struct LaneVec3 {
    Lane x{}, y{}, z{};

    LaneVec3& operator+=(const LaneVec3& b)
    {
        x += b.x;
        y += b.y;
        z += b.z;
        return *this;
    }
    LaneVec3& operator-=(const LaneVec3& b)
    {
        x -= b.x;
        y -= b.y;
        z -= b.z;
        return *this;
    }
};

[[nodiscard, gnu::always_inline]] inline LaneVec3 operator+(const LaneVec3& a, const LaneVec3& b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
[[nodiscard, gnu::always_inline]] inline LaneVec3 operator-(const LaneVec3& a, const LaneVec3& b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
[[nodiscard, gnu::always_inline]] inline LaneVec3 operator-(const LaneVec3& a) { return {-a.x, -a.y, -a.z}; }
[[nodiscard, gnu::always_inline]] inline LaneVec3 operator*(const Lane& s, const LaneVec3& a)
{
    return {s * a.x, s * a.y, s * a.z};
}
[[nodiscard, gnu::always_inline]] inline LaneVec3 operator*(double s, const LaneVec3& a)
{
    return {s * a.x, s * a.y, s * a.z};
}
[[nodiscard, gnu::always_inline]] inline Lane dot(const LaneVec3& a, const LaneVec3& b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
[[nodiscard, gnu::always_inline]] inline LaneVec3 cross(const LaneVec3& a, const LaneVec3& b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

[[nodiscard, gnu::always_inline]] inline Lane lane_sqrt(const Lane& a) { return Lane(_mm256_sqrt_pd(__m256d(a))); }
[[nodiscard, gnu::always_inline]] inline Lane lane_abs(const Lane& a) { return a < 0.0 ? -a : a; }
[[nodiscard, gnu::always_inline]] inline Lane lane_max(const Lane& a, const Lane& b) { return a > b ? a : b; }
[[nodiscard, gnu::always_inline]] inline Lane lane_min(const Lane& a, const Lane& b) { return a < b ? a : b; }
[[nodiscard, gnu::always_inline]] inline Lane norm(const LaneVec3& a) { return lane_sqrt(dot(a, a)); }
[[nodiscard, gnu::always_inline]] inline LaneVec3 select(const LaneMask& m, const LaneVec3& a, const LaneVec3& b)
{
    return {m ? a.x : b.x, m ? a.y : b.y, m ? a.z : b.z};
}
[[nodiscard, gnu::always_inline]] inline bool any(const LaneMask& m) { return _mm256_movemask_pd(__m256d(m)) != 0; }

/// sin and cos, to about one unit in the last place for |angle| < 1e5.
struct LaneSinCos {
    Lane sin, cos;
};
[[nodiscard]] LaneSinCos lane_sincos(const Lane& angle);
/// The angle of (x, y) in [-pi, pi], to a few units in the last place; 0 at the origin.
[[nodiscard]] Lane lane_atan2(const Lane& y, const Lane& x);

/// v turned by the smallest rotation that takes the unit vector a to the unit vector b (parallel transport);
/// a + b must not vanish.
[[nodiscard, gnu::always_inline]] inline LaneVec3 transport(const LaneVec3& v, const LaneVec3& a, const LaneVec3& b)
{
    // v cos + (a x b) x v + (a x b)((a x b) . v)/(1 + cos)
    const LaneVec3 axis = cross(a, b);
    const Lane c = dot(a, b);
    return c * v + cross(axis, v) + (dot(axis, v) / (1.0 + c)) * axis;
}

} // namespace rivulet
