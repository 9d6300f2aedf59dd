#include "render/colour_map.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

constexpr double kDarkest = 0.35, kLightest = 0.88, kChroma = 0.15;
constexpr double kFirstHue = 275, kLastHue = 460; // degrees: through red; all of it can be shown on a screen

Vec3 oklab_to_linear(double lightness, double a, double b)
{
    const double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
    const double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
    const double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
    const Vec3 lms(l * l * l, m * m * m, s * s * s);
    return {Vec3(4.0767416621, -3.3077115913, 0.2309699292).dot(lms),
            Vec3(-1.2684380046, 2.6097574011, -0.3413193965).dot(lms),
            Vec3(-0.0041960863, -0.7034186147, 1.7076147010).dot(lms)};
}

} // namespace

Vec3 map_colour(double value)
{
    const double t = std::clamp(value, 0.0, 1.0);
    const double hue = (kFirstHue + t * (kLastHue - kFirstHue)) * std::numbers::pi / 180;
    return oklab_to_linear(kDarkest + t * (kLightest - kDarkest), kChroma * std::cos(hue), kChroma * std::sin(hue));
}

} // namespace rivulet
