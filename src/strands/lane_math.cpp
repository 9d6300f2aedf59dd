#include "strands/lane_math.h"

#include <array>
#include <numbers>

namespace rivulet {
namespace {

/// To the nearest integer: adding this drops the fraction of a double.
constexpr double kRound = 0x1.8p52;
/// pi/2 in three parts, of which the first two have 33 bits: multiples up to 2^20 are exact.
constexpr double kHalfPi1 = 0x1.921fb544p0, kHalfPi2 = 0x1.0b4611a6p-34, kHalfPi3 = 0x1.3198a2e037073p-69;

/// sum of c[k] z^k.
template <std::size_t N>
Lane polynomial(const std::array<double, N>& c, const Lane& z)
{
    Lane sum = spread(c[N - 1]);
    for (std::size_t k = N - 1; k-- > 0;) sum = sum * z + c[k];
    return sum;
}

/// Coefficients of sin(x)/x and cos(x) as series of x^2, of atan(x)/x likewise.
constexpr std::array<double, 9> alternating_factorials(double first)
{
    std::array<double, 9> c{};
    double factorial = 1;
    for (std::size_t k = 0; k < c.size(); ++k) {
        c[k] = 1 / factorial;
        const double n = 2.0 * static_cast<double>(k) + first;
        factorial *= -n * (n + 1);
    }
    return c;
}
constexpr std::array<double, 13> series_of_atan()
{
    std::array<double, 13> c{};
    for (std::size_t k = 0; k < c.size(); ++k) c[k] = (k % 2 == 0 ? 1.0 : -1.0) / (2.0 * static_cast<double>(k) + 1);
    return c;
}
constexpr auto kSin = alternating_factorials(2);
constexpr auto kCos = alternating_factorials(1);
constexpr auto kAtan = series_of_atan();
constexpr double kLargestAtan = 0.2;

} // namespace

LaneSinCos lane_sincos(const Lane& angle)
{
    const Lane quarters = (angle * (2 / std::numbers::pi) + kRound) - kRound;
    const Lane x = ((angle - quarters * kHalfPi1) - quarters * kHalfPi2) - quarters * kHalfPi3;
    const Lane z = x * x;
    const Lane s = x * polynomial(kSin, z);
    const Lane c = polynomial(kCos, z);
    const auto turn = __builtin_convertvector(quarters, LaneMask);
    const LaneMask odd = (turn & 1) != 0;
    const Lane sin = odd ? c : s;
    const Lane cos = odd ? s : c;
    return {(turn & 2) != 0 ? -sin : sin, ((turn + 1) & 2) != 0 ? -cos : cos};
}

Lane lane_atan2(const Lane& y, const Lane& x)
{
    const Lane a = lane_abs(y), b = lane_abs(x);
    const Lane large = lane_max(a, b), small = lane_min(a, b);
    const Lane q = large > 0.0 ? small / large : Lane{};
    Lane angle = q * polynomial(kAtan, q * q);
    // The series is good up to 0.2. Where q is more, two halvings, tan(u/2) = tan u/(1 + sqrt(1 + tan^2 u)), take it
    // there; most angles are small and need none in any lane.
    if (const LaneMask wide = q > kLargestAtan; any(wide)) {
        Lane p = q;
        for (int halving = 0; halving < 2; ++halving) p = p / (1.0 + lane_sqrt(1.0 + p * p));
        angle = wide ? 4.0 * p * polynomial(kAtan, p * p) : angle;
    }
    angle = a > b ? std::numbers::pi / 2 - angle : angle;
    angle = x < 0.0 ? std::numbers::pi - angle : angle;
    return y < 0.0 ? -angle : angle;
}

} // namespace rivulet
