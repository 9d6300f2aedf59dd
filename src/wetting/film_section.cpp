#include "wetting/film_section.h"

namespace rivulet {

double film_mobility(double thickness, double radius)
{
    const double e = thickness / radius, r2 = radius * radius;
    if (e < 0.03) // the exact difference loses digits; the next term is below 1e-13 of the sum
        return r2 * e * e *
               (1.0 / 3 + e * (1.0 / 6 + e * (-1.0 / 30 + e * (1.0 / 120 + e * (-1.0 / 560 + e * e / 2520)))));
    const double q = (1 + e) * (1 + e);
    return r2 * (q * q * std::log1p(e) / (2 * (q - 1)) - (3 * q - 1) / 8);
}

} // namespace rivulet
