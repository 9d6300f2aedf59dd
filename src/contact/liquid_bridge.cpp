#include "contact/liquid_bridge.h"

#include "base/assert.h"
#include "numerics/find_root.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

constexpr double kPi = std::numbers::pi;

/// (beta - sin beta cos beta) / sin^2 beta: area between an arc of half angle beta and its chord, in units of the half
/// chord's square. By series where the difference would lose digits: the next term is below 1e-16 of it.
double arc_segment(double beta)
{
    if (std::abs(beta) < 0.02) {
        const double b2 = beta * beta;
        return beta * (2.0 / 3 + b2 * (4.0 / 45 + b2 * (4.0 / 315 + b2 * (8.0 / 4725))));
    }
    const double s = std::sin(beta);
    return (beta - s * std::cos(beta)) / (s * s);
}

/// beta / sin beta: length of an arc of half angle beta, in units of its chord.
double arc_length(double beta) { return std::abs(beta) < 1e-8 ? 1 : beta / std::sin(beta); }

/// r (1 - cos alpha).
double sagitta(double radius, double alpha)
{
    const double s = std::sin(0.5 * alpha);
    return 2 * radius * s * s;
}

/// Area between an arc of a side and its chord.
double side_segment(double radius, double alpha) { return radius * radius * (alpha - 0.5 * std::sin(2 * alpha)); }

/// How far the ends of a meniscus are from one circle; rises with alpha_b.
double closure(const BridgeSides& sides, double gap, double alpha_a, double alpha_b)
{
    const double delta = 0.5 * (sides.a.contact_angle + alpha_a - sides.b.contact_angle - alpha_b);
    const double x = gap + sagitta(sides.a.radius, alpha_a) + sagitta(sides.b.radius, alpha_b);
    return (sides.b.radius * std::sin(alpha_b) - sides.a.radius * std::sin(alpha_a)) * std::cos(delta) -
           x * std::sin(delta);
}

/// Half angle (of a plane: half width) that is wetted on b, or which way there is none.
struct OtherSide {
    double wetted = 0;
    int missing = 0; ///< -1: alpha_a is too small for there to be one, 1: too large
};

OtherSide other_side(const BridgeSides& sides, double gap, double alpha_a)
{
    const auto& [a, b] = sides;
    if (a.radius == b.radius && a.contact_angle == b.contact_angle) return {alpha_a, 0};
    if (std::isinf(b.radius)) {
        const double delta = 0.5 * (a.contact_angle + alpha_a - b.contact_angle);
        const double half_width = a.radius * std::sin(alpha_a) + (gap + sagitta(a.radius, alpha_a)) * std::tan(delta);
        return {half_width, half_width < 0 ? -1 : 0};
    }
    const double most = kPi - b.contact_angle;
    const auto distance = [&](double alpha_b) { return closure(sides, gap, alpha_a, alpha_b); };
    if (distance(0) > 0) return {0, -1};
    if (distance(most) < 0) return {0, 1};
    return {find_root(0, most, distance), 0};
}

BridgeShape shape_of(const BridgeSides& sides, double gap, double alpha_a, double wetted_b)
{
    const auto& [a, b] = sides;
    const bool is_plane = std::isinf(b.radius);
    const double alpha_b = is_plane ? 0 : wetted_b, arc_b = is_plane ? wetted_b : b.radius * alpha_b;
    const double y_a = a.radius * std::sin(alpha_a), y_b = is_plane ? wetted_b : b.radius * std::sin(alpha_b);
    const double psi_a = a.contact_angle + alpha_a, psi_b = b.contact_angle + alpha_b;
    const double beta = 0.5 * (kPi - psi_a - psi_b), delta = 0.5 * (psi_a - psi_b);
    const double x = gap + sagitta(a.radius, alpha_a) + (is_plane ? 0 : sagitta(b.radius, alpha_b));
    const double chord = x / std::cos(delta);

    BridgeShape shape;
    shape.angle_a = alpha_a;
    shape.arc_b = arc_b;
    shape.curvature = 2 * std::sin(beta) / chord;
    shape.area = x * (y_a + y_b) - side_segment(a.radius, alpha_a) - (is_plane ? 0 : side_segment(b.radius, alpha_b)) -
                 0.5 * chord * chord * arc_segment(beta);
    shape.energy = 2 * (chord * arc_length(beta) - std::cos(a.contact_angle) * a.radius * alpha_a -
                        std::cos(b.contact_angle) * arc_b);
    shape.force = 2 * (std::sin(psi_a) + shape.curvature * y_a);
    return shape;
}

/// The bridge of this area among those with alpha_a up to `most`.
std::optional<BridgeShape> search(const BridgeSides& sides, double gap, double area, double most)
{
    RIVULET_ASSERT(gap >= 0 && std::isfinite(sides.a.radius));
    // The area rises with alpha_a, and those that have a counterpart on b are one interval.
    const auto excess = [&](double alpha_a) {
        const OtherSide other = other_side(sides, gap, alpha_a);
        if (other.missing != 0) return other.missing * sides.a.radius * sides.a.radius;
        return shape_of(sides, gap, alpha_a, other.wetted).area - area;
    };
    const double least = 1e-9 * most; // at 0 a closed gap has no chord
    if (excess(least) > 0 || excess(most) < 0) return std::nullopt;
    const double alpha_a = find_root(least, most, excess);
    const OtherSide other = other_side(sides, gap, alpha_a);
    if (other.missing != 0) return std::nullopt;
    const BridgeShape shape = shape_of(sides, gap, alpha_a, other.wetted);
    // At an end of the interval the excess jumps: no bridge of this area.
    if (std::abs(shape.area - area) > 1e-6 * (std::abs(area) + sides.a.radius * sides.a.radius)) return std::nullopt;
    return shape;
}

} // namespace

std::optional<BridgeShape> bridge_at_angle(const BridgeSides& sides, double gap, double alpha_a)
{
    RIVULET_ASSERT(gap >= 0 && alpha_a >= 0 && std::isfinite(sides.a.radius));
    const OtherSide other = other_side(sides, gap, alpha_a);
    if (other.missing != 0) return std::nullopt;
    return shape_of(sides, gap, alpha_a, other.wetted);
}

std::optional<BridgeShape> bridge_of_area(const BridgeSides& sides, double gap, double area)
{
    return search(sides, gap, area, kPi - sides.a.contact_angle);
}

double continued_force(const BridgeSides& sides, double gap, double area)
{
    // The formulas stay smooth where psi passes pi, until a meniscus on a plane would run along it.
    const double margin = std::isinf(sides.b.radius) ? std::min(0.3, 0.9 * sides.b.contact_angle) : 0.3;
    const double most = kPi - sides.a.contact_angle + margin;
    if (const auto shape = search(sides, gap, area, most)) return shape->force;
    const auto largest = bridge_at_angle(sides, gap, most);
    return largest && largest->area < area ? largest->force : 0;
}

double rupture_gap(const BridgeSides& sides, double area)
{
    return (1 + 0.25 * (sides.a.contact_angle + sides.b.contact_angle)) * std::sqrt(std::max(area, 0.0));
}

bool fits_in_round_drop(const BridgeSides& sides, double gap, double area)
{
    const double a = sides.a.radius, b = sides.b.radius;
    return std::isfinite(b) && 2 * std::sqrt(area / kPi + a * a + b * b) >= gap + 2 * (a + b);
}

double cohesion(const BridgeSides& sides, double gap, double area)
{
    if (area < kDryArea || fits_in_round_drop(sides, gap, area)) return 0;
    const std::optional<BridgeShape> shape = bridge_of_area(sides, gap, area);
    return shape ? std::max(0.0, shape->force) : 0;
}

double link_distance(bool was_linked, double films, double rupture)
{
    return was_linked ? std::max(films, rupture) : std::min(films, rupture);
}

} // namespace rivulet
