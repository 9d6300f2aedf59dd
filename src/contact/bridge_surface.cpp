#include "contact/bridge_surface.h"

#include "base/assert.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

/// How far liquid reaches into a solid, in roots of its section.
constexpr double kBuried = 0.02;

/// A ring of 2n points of the area of a circle that has both strands and the liquid inside; none if it has not.
std::optional<BridgeOutline> round_outline(const BridgeSides& sides, double gap, double area, int n)
{
    const auto& [a, b] = sides;
    if (!fits_in_round_drop(sides, gap, area)) return std::nullopt;
    const double sector = std::numbers::pi / n;
    const double radius =
        std::sqrt((area / std::numbers::pi + a.radius * a.radius + b.radius * b.radius) * sector / std::sin(sector));
    BridgeOutline outline;
    for (int k = 0; k < n; ++k) {
        const double angle = std::numbers::pi - (k + 0.5) * sector;
        outline.towards.push_back(0.5 * (gap + 2 * b.radius) + radius * std::cos(angle));
        outline.aside.push_back(radius * std::sin(angle));
    }
    return outline;
}

/// None where the menisci would meet: so little liquid makes no bridge.
std::optional<BridgeOutline> meniscus(const BridgeSides& sides, double gap, const BridgeShape& shape, int n)
{
    const auto& [a, b] = sides;
    const bool is_plane = std::isinf(b.radius);
    const double alpha_b = is_plane ? 0 : shape.arc_b / b.radius;
    const double x_a = a.radius * std::cos(shape.angle_a), y_a = a.radius * std::sin(shape.angle_a);
    const double x_b = a.radius + gap + (is_plane ? 0 : b.radius * (1 - std::cos(alpha_b)));
    const double y_b = is_plane ? shape.arc_b : b.radius * std::sin(alpha_b);
    const double beta = 0.5 * (std::numbers::pi - a.contact_angle - shape.angle_a - b.contact_angle - alpha_b);
    const double chord = std::hypot(x_b - x_a, y_b - y_a);
    const double tx = chord > 0 ? (x_b - x_a) / chord : 1, ty = chord > 0 ? (y_b - y_a) / chord : 0;
    BridgeOutline outline;
    for (int k = 0; k < n; ++k) {
        // An arc of half angle beta over the chord; inwards of it where beta > 0.
        const double share = 2.0 * k / (n - 1) - 1, phi = beta * share;
        const bool is_flat = std::abs(beta) < 1e-6;
        const double on = 0.5 * chord * (1 + (is_flat ? share : std::sin(phi) / std::sin(beta)));
        const double in = is_flat ? 0 : 0.5 * chord * (std::cos(phi) - std::cos(beta)) / std::sin(beta);
        outline.towards.push_back(x_a + on * tx + in * ty);
        outline.aside.push_back(y_a + on * ty - in * tx);
        if (!(outline.aside.back() > 0)) return std::nullopt;
    }
    return outline;
}

/// The ring of a section: one half from a to b, the other one back.
void append_ring(const BridgeSection& section, int n, TriangleMesh& mesh)
{
    const double gap = section_gap(section);
    const auto outline = bridge_outline(section.sides, gap, section.area, n);
    RIVULET_VERIFY(outline);
    const Vec3 towards = (section.foot - section.centre).normalized();
    const Vec3 aside = section.along.cross(towards).normalized();
    const bool is_solid = std::isinf(section.sides.b.radius);
    const double bury = is_solid ? kBuried * std::sqrt(section.area) : 0;
    for (int i = 0; i < 2 * n; ++i) {
        const auto k = static_cast<std::size_t>(i < n ? i : 2 * n - 1 - i);
        const double x = outline->towards[k] + (k + 1 == static_cast<std::size_t>(n) ? bury : 0);
        mesh.vertices.emplace_back(section.centre + x * towards + (i < n ? -1 : 1) * outline->aside[k] * aside);
    }
}

void append_cap(std::int32_t ring, int n, bool is_first, TriangleMesh& mesh)
{
    for (std::int32_t k = 0; k + 1 < n; ++k) {
        const std::int32_t p = ring + k, q = ring + k + 1, r = ring + 2 * n - 2 - k, s = ring + 2 * n - 1 - k;
        mesh.triangles.push_back(is_first ? std::array{p, r, q} : std::array{p, q, r});
        mesh.triangles.push_back(is_first ? std::array{p, s, r} : std::array{p, r, s});
    }
}

} // namespace

double section_gap(const BridgeSection& section)
{
    return std::max(0.0, (section.foot - section.centre).norm() - section.sides.a.radius);
}

std::optional<BridgeOutline> bridge_outline(const BridgeSides& sides, double gap, double area, int n)
{
    RIVULET_ASSERT(n >= 2);
    if (auto round = round_outline(sides, gap, area, n)) return round;
    if (const auto shape = bridge_of_area(sides, gap, area)) return meniscus(sides, gap, *shape, n);
    // Overfull, but not round: the largest bridge that there is.
    const auto largest = bridge_at_angle(sides, gap, (1 - 1e-6) * (std::numbers::pi - sides.a.contact_angle));
    if (!largest || largest->area > area) return std::nullopt;
    return meniscus(sides, gap, *largest, n);
}

void append_bridge(std::span<const BridgeSection> sections, int n, TriangleMesh& mesh)
{
    RIVULET_ASSERT(sections.size() >= 2);
    const std::int32_t columns = 2 * n;
    const auto first = static_cast<std::int32_t>(mesh.vertices.size());
    for (const BridgeSection& section : sections) append_ring(section, n, mesh);
    append_cap(first, n, true, mesh);
    auto below = first;
    for (std::size_t i = 1; i < sections.size(); ++i, below += columns)
        for (std::int32_t j = 0; j < columns; ++j) {
            const std::int32_t k = (j + 1) % columns, above = below + columns;
            mesh.triangles.push_back({below + j, below + k, above + k});
            mesh.triangles.push_back({below + j, above + k, above + j});
        }
    append_cap(below, n, false, mesh);
}

} // namespace rivulet
