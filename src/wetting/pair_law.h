#pragma once

#include <algorithm>

namespace rivulet {

/// Contact and cohesion of a pair of strands (or a strand and a solid) in one curve over the distance d of the centre
/// lines (or of centre line and surface), per length [Fei 2017]:
///   f(d) = K(d) (d - d_0),  d_0 = rest_ratio d_min,  B = 2 d_0 - d_min
///   K = k                       d < d_min
///     = linear from k to K_hat  d_min <= d < d_0
///     = K_hat = f_s(B)/(B - d_0)  d_0 <= d < B
///     = f_s(d)/(d - d_0)        B <= d < rupture
///     = 0                       beyond
/// A bridge that breaks before B has its K_hat from there; one that breaks before d_0 has none.
struct PairLaw {
    double contact = 0;      ///< d_min: sum of the radii [m]
    double rest_ratio = 1.5; ///< d_0 / d_min, above 1
    double stiffness = 0;    ///< k [N/m^2]

    [[nodiscard]] double rest() const noexcept { return rest_ratio * contact; }                ///< d_0 [m]
    [[nodiscard]] double blend_end() const noexcept { return (2 * rest_ratio - 1) * contact; } ///< B [m]
};

struct PairForce {
    double force = 0;     ///< f [N/m], positive = attraction
    double stiffness = 0; ///< secant K [N/m^2], never negative: f = K (d - d_0)
};

/// `cohesion(d)` is f_s [N/m], not negative, of a bridge that breaks at the distance `rupture` [m].
template <class Cohesion>
[[nodiscard]] PairForce pair_force(const PairLaw& law, double distance, double rupture, Cohesion&& cohesion)
{
    const double rest = law.rest(), end = std::min(law.blend_end(), rupture);
    const auto secant = [&](double d) { return rupture > rest ? cohesion(d) / (d - rest) : 0.0; };
    double k = 0;
    if (distance < law.contact) {
        k = law.stiffness;
    } else if (distance < rest) {
        const double share = (distance - law.contact) / (rest - law.contact);
        k = (1 - share) * law.stiffness + share * secant(end);
    } else if (distance < end) {
        k = secant(end);
    } else if (distance < rupture) {
        k = secant(distance);
    }
    return {k * (distance - rest), k};
}

} // namespace rivulet
