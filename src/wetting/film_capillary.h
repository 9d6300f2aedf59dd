#pragma once

#include "numerics/band_ldlt.h"

#include <span>
#include <vector>

namespace rivulet {

/// Surface tension of a film along one strand, from the area of its surface: between vertices it is a paraboloid, which
/// has the volume of both halves exactly because its section grows evenly,
///   E = sigma sum_e 4 pi l_e/3 (X + Y - X Y/(X + Y)),   X^2 = H_j^2 + c,   Y^2 = H_(j+1)^2 + c,
///   c = (H_(j+1)^2 - H_j^2)^2/(4 l_e^2),     p_j = dE/dV_j,   V = pi (H^2 - r^2) l_v
/// (a drop that slides over the vertices keeps its surface better with it than with cones, which have too much volume).
/// For gentle slopes p = sigma (1/H - H''). The part that comes from slopes is `axial`: it flattens the film; the
/// rest is `azimuthal`: it makes it bead.
struct CapillaryOptions {
    double surface_tension = 0; ///< sigma [N/m]
    double density = 1000;      ///< [kg/m^3]
    bool axial = true;
    bool azimuthal = true;
    bool has_open_tip = true;
};

/// One strand in numbers; n vertices, n - 1 edges.
struct FilmProfile {
    std::span<const double> area;          ///< A of vertices [m^2]
    std::span<const double> outer_radius;  ///< H of vertices [m]
    std::span<const double> vertex_length; ///< l_v [m]
    std::span<const double> edge_length;   ///< l_e [m]
    std::span<const double> core = {};     ///< r of vertices, of a strand that is not as thick all along [m]
};

/// p [Pa] of vertices.
void capillary_pressure(const FilmProfile& film, const CapillaryOptions& options, std::span<double> pressure);
/// E [J], of both parts; `exposure`: part of each vertex that has a surface, none = all of them have.
[[nodiscard]] double surface_energy(const FilmProfile& film, double surface_tension,
                                    std::span<const double> exposure = {});

/// The force of surface tension on the liquid of an edge, -A dp/dx l. With both parts on it is the difference, between
/// the edge's ends, of what pulls across a section,
///   N = 2 pi sigma H / sqrt(1 + H'^2) - p A,
/// for A p_x = (p A)_x - (2 pi sigma H / sqrt(1 + H'^2))_x: the forces on a drop add up to nothing, and where the
/// strand becomes dry they have no jump though p has. One part alone is not of that form.
/// A strand that tapers pushes at the liquid, too: -p d(pi r^2). Large forces cancel there even where it is dry, in the
/// limit of fine edges only; so what they make of the bare strand is taken off, N_0 and p_0 of H = r, and the force is
///   d(N - N_0) - (p - p_0) d(pi r^2),
/// which goes to 0 with the film.
void capillary_force(const FilmProfile& film, const CapillaryOptions& options, std::span<const double> pressure,
                     std::span<double> force);

/// Change w of the flow u by surface tension and friction in a step of any length, F that of the film in its middle:
///   (M + S) w = dt F + other impulses - S u / 2,    S = dt^2 C^T K C
/// K is the stiffness of the slopes, with sqrt(l^2 + x^2) replaced by the parabola that touches it from above, and C u
/// how fast they change where neighbouring edges differ in velocity. S does not see a film that moves as a whole, so
/// momentum is kept. Waves that the step does not resolve are held back and decay; the azimuthal part, which is concave
/// in V, stays explicit. Symmetric, positive definite, half bandwidth 2.
class CapillaryFlow {
public:
    /// `exposure`: part of each edge that has a surface, none = all of them have; `mass` of edges [kg], including dt
    /// times friction, 0 = such edges are left alone; `flow` is u [m/s]; `impulse` [N s] holds that of all else and
    /// becomes w [m/s].
    void solve(const FilmProfile& film, const CapillaryOptions& options, double dt, std::span<const double> exposure,
               std::span<const double> mass, std::span<const double> flow, std::span<double> impulse);

private:
    void assemble(const FilmProfile& film, const CapillaryOptions& options, double dt);
    /// Adds stiffness/2 times the square of change . (velocities of edges first, first + 1, ...), of which the share
    /// `moving` acts on u and all on w.
    void add(int first, std::span<const double> change, double stiffness, double moving);

    BandLdlt<double, 2> matrix_;
    std::vector<double> pressure_, force_;
    [[nodiscard]] double exposure(std::size_t e) const { return exposure_.empty() ? 1 : exposure_[e]; }

    std::span<const double> exposure_, mass_, flow_; ///< arguments of solve()
    std::span<double> impulse_;
};

} // namespace rivulet
