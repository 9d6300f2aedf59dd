#include "wetting/film_capillary.h"

#include "base/assert.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

/// Part of S u in the impulse. The forces are those of the middle of the step as u alone makes it, so 0 damps no wave,
/// resolved or not. At 1/2 what the step does not resolve decays by 0.7 a step.
constexpr double kImplicit = 0.5;
/// Of steep_drag().
constexpr double kSteepDrag = 2;

/// The surface of an edge, and how it grows with the squares of H at its ends.
struct Paraboloid {
    Paraboloid(const FilmProfile& film, std::size_t e)
    {
        const double a = film.outer_radius[e], b = film.outer_radius[e + 1], l = film.edge_length[e];
        const double lean = 0.5 * (b - a) * (b + a) / l;
        scale = 4 * std::numbers::pi / 3 * l;
        slope = lean / l;
        near = std::hypot(a, lean);
        far = std::hypot(b, lean);
        const double n = near / (near + far), f = far / (near + far);
        by_near = 0.5 * (1 - f * f) / near;
        by_far = 0.5 * (1 - n * n) / far;
    }
    [[nodiscard]] double area() const { return scale * (near + far - near * far / (near + far)); }

    double scale;           ///< [m]
    double slope;           ///< (b^2 - a^2)/(2 l^2): c grows by it with b^2 and shrinks by it with a^2
    double near, far;       ///< X, Y [m]
    double by_near, by_far; ///< of the area/scale with X^2 and Y^2 [1/m]
};

/// dH/dV of a vertex.
double widening(const FilmProfile& film, std::size_t j)
{
    return 1 / (2 * std::numbers::pi * film.outer_radius[j] * film.vertex_length[j]);
}

/// The gentler of the slopes on both sides, 0 at tops, bottoms and ends: at the foot of a drop that of the thin side.
double gentle_slope(const FilmProfile& film, std::size_t j)
{
    if (j == 0 || j + 1 == film.outer_radius.size()) return 0;
    const double left = (film.outer_radius[j] - film.outer_radius[j - 1]) / film.edge_length[j - 1];
    const double right = (film.outer_radius[j + 1] - film.outer_radius[j]) / film.edge_length[j];
    return left * right <= 0 ? 0 : std::abs(left) < std::abs(right) ? left : right;
}

/// N of capillary_force().
double pull_across(const FilmProfile& film, const CapillaryOptions& options, std::span<const double> pressure,
                   std::size_t j)
{
    const double s = gentle_slope(film, j);
    return 2 * std::numbers::pi * options.surface_tension * film.outer_radius[j] / std::sqrt(1 + s * s) -
           pressure[j] * film.area[j];
}

/// Where a film changes its thickness by much from vertex to vertex, forces from N are no longer slopes of E, and a
/// drop of a few vertices would slosh by itself. There neighbouring edges rub against each other as if by a viscosity
/// of l c (jump of H / H)^2 with the capillary speed c = sqrt(sigma / (rho H)): of order l^3 where the film is smooth.
/// Returns the force per difference of velocities [kg/s].
double steep_drag(const FilmProfile& film, const CapillaryOptions& options, std::size_t j)
{
    const double a = film.outer_radius[j - 1], h = film.outer_radius[j], b = film.outer_radius[j + 1];
    const double high = std::max({a, h, b}), jump = (high - std::min({a, h, b})) / high;
    return kSteepDrag * film.area[j] * std::sqrt(options.density * options.surface_tension / h) * jump * jump;
}

/// -A dp: what pushes where one part of the pressure is left out.
void pressure_force(const FilmProfile& film, std::span<const double> pressure, std::span<double> force)
{
    for (std::size_t e = 0; e < force.size(); ++e)
        force[e] = -0.5 * (film.area[e] + film.area[e + 1]) * (pressure[e + 1] - pressure[e]);
}

/// capillary_force() on a strand that is not as thick all along.
void tapered_force(const FilmProfile& film, const CapillaryOptions& options, std::span<const double> pressure,
                   std::span<double> force)
{
    const std::size_t n = film.core.size();
    const std::vector<double> none(n, 0.0);
    const FilmProfile bare{none, film.core, film.vertex_length, film.edge_length, film.core};
    std::vector<double> bare_pressure(n), excess(n);
    capillary_pressure(bare, options, bare_pressure);
    for (std::size_t j = 0; j < n; ++j) excess[j] = pressure[j] - bare_pressure[j];
    if (!(options.axial && options.azimuthal))
        return pressure_force(film, options.azimuthal ? pressure : excess, force);
    const auto pull = [&](std::size_t j) {
        return pull_across(film, options, pressure, j) - pull_across(bare, options, bare_pressure, j);
    };
    double before = pull(0);
    for (std::size_t e = 0; e < force.size(); ++e) {
        const double after = pull(e + 1), r0 = film.core[e], r1 = film.core[e + 1];
        const double push = 0.5 * (excess[e] + excess[e + 1]);
        force[e] = after - before - push * std::numbers::pi * (r1 - r0) * (r1 + r0);
        before = after;
    }
}

} // namespace

void capillary_pressure(const FilmProfile& film, const CapillaryOptions& options, std::span<double> pressure)
{
    std::fill(pressure.begin(), pressure.end(), 0.0);
    for (std::size_t e = 0; e < film.edge_length.size(); ++e) {
        const Paraboloid surface(film, e);
        const double scale = surface.scale / std::numbers::pi * options.surface_tension;
        const double along = options.axial ? surface.slope * (surface.by_near + surface.by_far) : 0;
        const double near = options.azimuthal ? surface.by_near : 0, far = options.azimuthal ? surface.by_far : 0;
        pressure[e] += scale * (near - along);
        pressure[e + 1] += scale * (far + along);
    }
    for (std::size_t j = 0; j < pressure.size(); ++j) pressure[j] /= film.vertex_length[j];
}

double surface_energy(const FilmProfile& film, double surface_tension, std::span<const double> exposure)
{
    double sum = 0;
    for (std::size_t e = 0; e < film.edge_length.size(); ++e) {
        const double part = exposure.empty() ? 1 : 0.5 * (exposure[e] + exposure[e + 1]);
        sum += part * Paraboloid(film, e).area();
    }
    return surface_tension * sum;
}

void capillary_force(const FilmProfile& film, const CapillaryOptions& options, std::span<const double> pressure,
                     std::span<double> force)
{
    if (!film.core.empty()) return tapered_force(film, options, pressure, force);
    if (!(options.axial && options.azimuthal)) return pressure_force(film, pressure, force);
    double before = pull_across(film, options, pressure, 0);
    for (std::size_t e = 0; e < force.size(); ++e) {
        const double after = pull_across(film, options, pressure, e + 1);
        force[e] = after - before;
        before = after;
    }
}

void CapillaryFlow::add(int first, std::span<const double> change, double stiffness, double moving)
{
    const int n_edges = matrix_.size(), size = static_cast<int>(change.size());
    const auto counts = [&](int e) { return e >= 0 && e < n_edges && mass_[static_cast<std::size_t>(e)] > 0; };
    double moved = 0;
    for (int p = 0; p < size; ++p)
        if (counts(first + p))
            moved += change[static_cast<std::size_t>(p)] * flow_[static_cast<std::size_t>(first + p)];
    for (int p = 0; p < size; ++p) {
        if (!counts(first + p)) continue;
        const double force = stiffness * change[static_cast<std::size_t>(p)];
        impulse_[static_cast<std::size_t>(first + p)] -= moving * force * moved;
        for (int q = 0; q <= p; ++q)
            if (counts(first + q)) matrix_.at(first + p, first + q) += force * change[static_cast<std::size_t>(q)];
    }
}

void CapillaryFlow::assemble(const FilmProfile& film, const CapillaryOptions& options, double dt)
{
    const int n_edges = static_cast<int>(mass_.size());
    matrix_.reset(n_edges);
    for (int e = 0; e < n_edges; ++e) {
        const auto i = static_cast<std::size_t>(e);
        matrix_.at(e, e) += mass_[i] > 0 ? mass_[i] : 1;
        if (options.axial) {
            // Change of H_(e+1) - H_e by the flows of edges e - 1, e, e + 1.
            const bool lets_out = options.has_open_tip && e + 1 == n_edges;
            const double here = dt * film.area[i] * widening(film, i);
            const double next = lets_out ? 0 : dt * film.area[i + 1] * widening(film, i + 1);
            const double a = film.outer_radius[i], b = film.outer_radius[i + 1];
            const double k =
                std::numbers::pi * options.surface_tension * (a + b) / std::hypot(film.edge_length[i], b - a);
            add(e - 1, std::array{-here, here + next, -next}, exposure(i) * k, kImplicit);
        }
        if (e > 0) add(e - 1, std::array{-1.0, 1.0}, exposure(i) * dt * steep_drag(film, options, i), 1);
    }
}

void CapillaryFlow::solve(const FilmProfile& film, const CapillaryOptions& options, double dt,
                          std::span<const double> exposed, std::span<const double> mass, std::span<const double> flow,
                          std::span<double> impulse)
{
    pressure_.resize(film.outer_radius.size());
    force_.resize(mass.size());
    exposure_ = exposed;
    mass_ = mass;
    flow_ = flow;
    impulse_ = impulse;
    capillary_pressure(film, options, pressure_);
    capillary_force(film, options, pressure_, force_);
    for (std::size_t e = 0; e < mass.size(); ++e)
        impulse[e] = mass[e] > 0 ? impulse[e] + exposure(e) * dt * force_[e] : 0;
    assemble(film, options, dt);
    RIVULET_VERIFY(matrix_.factor() > 0);
    matrix_.solve(impulse.data());
}

} // namespace rivulet
