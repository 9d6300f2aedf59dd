#include "wetting/exchange.h"

#include "base/assert.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {

StrandDrag strand_drag(double volume_fraction)
{
    const double phi = std::clamp(volume_fraction, 1e-3, 0.4);
    const double common = -std::log(phi) - 1.476 + 2 * phi;
    return {4 * std::numbers::pi / (common - 0.5 * phi * phi),
            8 * std::numbers::pi / (common - 1.774 * phi * phi + 4.078 * phi * phi * phi)};
}

StrandDrag drag_coefficients(const StrandDrag& drag, double radius, double density, double viscosity, double slip)
{
    const double ergun = 1.75 / std::sqrt(150.0) * density * radius * slip;
    return {viscosity * drag.along + ergun * std::sqrt(drag.along),
            viscosity * drag.across + ergun * std::sqrt(drag.across)};
}

Vec3 drag_force(const StrandDrag& drag, double radius, double density, double viscosity, const Vec3& tangent,
                const Vec3& slip)
{
    const StrandDrag c = drag_coefficients(drag, radius, density, viscosity, slip.norm());
    const Vec3 along = tangent.dot(slip) * tangent, across = slip - along;
    return c.along * along + c.across * across;
}

double held_volume(double squares, double surface_tension, double density, double acceleration)
{
    return 4 * std::numbers::pi * surface_tension * std::sqrt(squares) / (density * acceleration);
}

double hanging_volume(double radius, double surface_tension, double density, double acceleration)
{
    return 2 * std::numbers::pi * radius * surface_tension / (density * acceleration);
}

Vec3 momentum(const WetVertex& vertex, const Vec3& tangent)
{
    return (vertex.strand_mass + vertex.film_mass) * vertex.velocity + vertex.film_mass * vertex.flow * tangent;
}

WetVertex with_caught(const WetVertex& vertex, const Vec3& tangent, double mass, const Vec3& caught)
{
    RIVULET_ASSERT(mass >= 0);
    WetVertex after = vertex;
    after.film_mass += mass;
    if (!(after.film_mass > 0)) return after;
    const Vec3 film = vertex.film_mass * (vertex.velocity + vertex.flow * tangent) + caught;
    const Vec3 whole = (vertex.strand_mass * vertex.velocity + film) / (vertex.strand_mass + after.film_mass);
    const double along = vertex.velocity.dot(tangent);
    after.velocity = whole + (along - whole.dot(tangent)) * tangent;
    after.flow = film.dot(tangent) / after.film_mass - along;
    return after;
}

WetVertex with_shed(const WetVertex& vertex, const Vec3& tangent, double mass, Vec3& lost)
{
    RIVULET_ASSERT(mass >= 0 && mass <= vertex.film_mass);
    WetVertex after = vertex;
    after.film_mass -= mass;
    lost = mass * (vertex.velocity + vertex.flow * tangent);
    return after;
}

} // namespace rivulet
