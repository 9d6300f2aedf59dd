#pragma once

#include <cstddef>

namespace rivulet {

/// One vector register of 32 bytes: four doubles or eight floats. Arithmetic is that of the compiler's vector types.
template <class Real>
struct LanesOf {
    using Type [[gnu::vector_size(32)]] = Real;
    static constexpr int kCount = 32 / static_cast<int>(sizeof(Real));
};
template <class Real>
using Lanes = typename LanesOf<Real>::Type;
template <class Real>
inline constexpr int kLanes = LanesOf<Real>::kCount;

template <class Real>
[[nodiscard, gnu::always_inline]] inline Lanes<Real> load_lanes(const Real* p) noexcept
{
    Lanes<Real> v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

template <class Real>
[[gnu::always_inline]] inline void store_lanes(Real* p, const Lanes<Real>& v) noexcept
{
    __builtin_memcpy(p, &v, sizeof v);
}

/// The same number in every lane.
template <class Real>
[[nodiscard, gnu::always_inline]] inline Lanes<Real> spread(Real s) noexcept
{
    return s - Lanes<Real>{};
}

[[nodiscard, gnu::always_inline]] inline Lanes<float> join(const Lanes<double>& a, const Lanes<double>& b) noexcept
{
    using Four [[gnu::vector_size(16)]] = float;
    return __builtin_shufflevector(__builtin_convertvector(a, Four), __builtin_convertvector(b, Four), 0, 1, 2, 3, 4, 5,
                                   6, 7);
}

/// The first n lanes, and 0 in the others.
template <class Real>
[[nodiscard, gnu::always_inline]] inline Lanes<Real> first_lanes(int n, const Lanes<Real>& v) noexcept
{
    Lanes<Real> number{};
    for (int i = 0; i < kLanes<Real>; ++i) number[i] = static_cast<Real>(i);
    return number < static_cast<Real>(n) ? v : Lanes<Real>{};
}

/// Lanes in groups of four, one group a particle: double has one group, float has two. Group g of the result holds
/// p[4 g] in all of its lanes.
[[nodiscard, gnu::always_inline]] inline Lanes<double> spread_groups(const double* p) noexcept { return spread(*p); }
[[nodiscard, gnu::always_inline]] inline Lanes<float> spread_groups(const float* p) noexcept
{
    return __builtin_shufflevector(spread(p[0]), spread(p[4]), 0, 1, 2, 3, 12, 13, 14, 15);
}

/// Lane L of each group in all of its lanes.
template <int L>
[[nodiscard, gnu::always_inline]] inline Lanes<double> spread_lane(const Lanes<double>& v) noexcept
{
    return __builtin_shufflevector(v, v, L, L, L, L);
}
template <int L>
[[nodiscard, gnu::always_inline]] inline Lanes<float> spread_lane(const Lanes<float>& v) noexcept
{
    return __builtin_shufflevector(v, v, L, L, L, L, 4 + L, 4 + L, 4 + L, 4 + L);
}

/// Transposes 4 x 4 numbers within every group: row r of the result has lane r of all the four inputs.
[[gnu::always_inline]] inline void transpose_groups(Lanes<double> (&v)[4]) noexcept
{
    const Lanes<double> a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6);
    const Lanes<double> b = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
    const Lanes<double> c = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6);
    const Lanes<double> d = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
    v[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    v[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    v[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
[[gnu::always_inline]] inline void transpose_groups(Lanes<float> (&v)[4]) noexcept
{
    const Lanes<float> a = __builtin_shufflevector(v[0], v[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const Lanes<float> b = __builtin_shufflevector(v[0], v[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const Lanes<float> c = __builtin_shufflevector(v[2], v[3], 0, 8, 1, 9, 4, 12, 5, 13);
    const Lanes<float> d = __builtin_shufflevector(v[2], v[3], 2, 10, 3, 11, 6, 14, 7, 15);
    v[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
    v[1] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
    v[2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
    v[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
}

/// Four doubles += the sum of the groups.
[[gnu::always_inline]] inline void add_groups(double* p, const Lanes<double>& v) noexcept
{
    store_lanes<double>(p, load_lanes(p) + v);
}
[[gnu::always_inline]] inline void add_groups(double* p, const Lanes<float>& v) noexcept
{
    using Four [[gnu::vector_size(16)]] = float;
    const Four sum = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
    store_lanes<double>(p, load_lanes(p) + __builtin_convertvector(sum, Lanes<double>));
}

} // namespace rivulet
