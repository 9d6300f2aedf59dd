#pragma once

#include "base/vec.h"
#include "numerics/velocity_force.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rivulet {

/// Film of liquid along strands, rotationally symmetric about them [Fei 2017]: volume at vertices, velocity relative to
/// the strand on edges. Theory, limits: docs/theory/wetting.md.
///   u_t + u u_x = -p_x/rho + e.(g - a) - c_f u,     A_t + (A u)_x = 0,     c_f = mu / (rho beta)
///   (v A)_t + (v A u)_x = 0,     (omega J)_t + (omega J u)_x = 0     what the liquid carries of the strand's motion
struct FilmLiquid {
    double density = 1000;         ///< rho [kg/m^3]
    double viscosity = 0;          ///< mu [Pa s]; 0 = slides freely
    double surface_tension = 0;    ///< sigma [N/m]
    bool axial_tension = true;     ///< flattens the film
    bool azimuthal_tension = true; ///< makes it bead
};

/// What becomes of a strand's velocity where liquid comes and goes. Transport is right; the others are there to show
/// what they do.
enum class FilmMomentum {
    Transport, ///< liquid takes the momentum of where it was with it
    MassOnly,  ///< velocities stay
    Rescale,   ///< momentum of each vertex stays, so its velocity changes with its mass
};

struct FilmStep {
    double dt = 0;               ///< [s], up to film_step_limit()
    Vec3 gravity = Vec3::Zero(); ///< g [m/s^2]
    FilmLiquid liquid = {};
    FilmMomentum momentum = FilmMomentum::Transport;
    bool has_open_tip = true; ///< liquid leaves at the last vertex; the first one is always closed
    /// For comparison: false = films do not lag behind strands that speed up, but are taken along by them,
    bool inertia = true;
    bool flows = true; ///< false = they stay where they are on the strand.
};

/// Strands one after the other, one entry a vertex; quantities of edges at the vertex where the edge begins, and the
/// last entry of a strand is not used. Films have a mesh of their own where `parts` is not 1: each edge of a strand is
/// so many of theirs. What is said to be of the mesh has an entry for each of its vertices.
struct FilmStrands {
    std::span<const std::int32_t> first;    ///< first vertex of each strand, and one past the last
    std::span<const double> radius;         ///< r of each strand [m]
    std::span<const Vec3> position;         ///< [m]
    std::span<const Vec3> acceleration;     ///< a of the strand in this step [m/s^2]; none = 0
    std::span<const double> strand_mass;    ///< of vertices, without liquid [kg]
    std::span<const double> strand_inertia; ///< of edges about their tangent, without liquid [kg m^2]
    /// Of the mesh. Momentum that the flow of an edge would have if the liquid had met no other force than FilmCoupling
    /// knows of: due_momentum() [kg m/s]; none = all that changes the flow is owed to the strand.
    std::span<const Vec3> due = {};
    /// Under water, one entry a vertex, or none where there is none: what the pressure around adds to gravity,
    /// -grad p/rho [m/s^2]; part that has a surface to the air. Of the mesh, one entry an edge: impulse of the liquid
    /// around [N s].
    std::span<const Vec3> lift = {};
    std::span<const double> exposure = {};
    std::span<const Vec3> drawn = {};
    /// Part of its mobility that the film of a vertex has; with 0 it moves with the strand, and does not leave the
    /// vertex. None = all.
    std::span<const double> sliding = {};
    int parts = 1; ///< odd, so that a strand's vertex has a whole number of the mesh' vertices
    /// Thickness of vertices as a part of that radius, linear between; none = 1.
    std::span<const double> scale = {};
};
/// Where the mesh of a strand's film begins.
[[nodiscard]] inline std::size_t film_begin(const FilmStrands& strands, std::size_t strand)
{
    return (static_cast<std::size_t>(strands.first[strand]) - strand) * static_cast<std::size_t>(strands.parts) +
           strand;
}

struct FilmState {
    std::span<double> volume; ///< V of the mesh' vertices [m^3]
    std::span<double> flow;   ///< u of its edges, towards the tip [m/s]
    std::span<Vec3> velocity; ///< v of the strand's vertices [m/s]
    std::span<double> spin;   ///< omega of its edges [rad/s]
    /// What the film still owes the strand's vertices: impulses of surface tension, of flow that bends turn round, of
    /// friction that was not foreseen [N s]; added to. None = lost.
    std::span<Vec3> owed = {};
};

/// What one strand lost in a step: to be booked by the caller.
struct FilmOutcome {
    double volume = 0;            ///< left at the tip [m^3]
    Vec3 momentum = Vec3::Zero(); ///< that it took along, v and u of the tip [kg m/s]
    double flow = 0;              ///< u that is part of it [m/s]
    double spin_momentum = 0;     ///< about the tip's tangent [kg m^2/s]
};

/// How a film answers to the motion of its strand within a step. A strand that carries the whole film as a mass m_f
/// would drag it along its tangent, too; but the film slides there, and only friction holds it:
///   force on the strand = m_f (k/dt u - (1 - k) e.(g - a)) e,    k = dt c_f / (1 + dt c_f),
/// linear in the velocity at the end of the step. With it strand and film together feel gravity and what else acts from
/// outside, and nothing else.
struct FilmCoupling {
    std::vector<VelocityForce> force; ///< on vertices, besides the mass of the film
    std::vector<double> held;         ///< k of the mesh' edges
};
/// At the start of the step: `strands.position`, and the state, are those of then.
void film_coupling(const FilmStrands& strands, const FilmStep& step, const FilmState& state, FilmCoupling& coupling);
/// FilmStrands::due, with the strand's velocity at the end of the step; the rest as for film_coupling().
void due_momentum(const FilmStrands& strands, const FilmStep& step, const FilmState& state,
                  const FilmCoupling& coupling, std::span<const Vec3> end_velocity, std::vector<Vec3>& due);

/// One step of all films, on strands that have moved; outcome has one entry a strand. The same bits on any number of
/// threads.
void step_films(const FilmStrands& strands, const FilmStep& step, const FilmState& state,
                std::span<FilmOutcome> outcome);

/// Step [s] up to which drops do not slosh by themselves, 3 sqrt(rho l^3 / sigma) with the shortest edge l [m]. Nothing
/// becomes infinite or negative beyond it. Infinite without surface tension.
[[nodiscard]] double film_step_limit(const FilmLiquid& liquid, double shortest_edge);

/// Kinetic energy of the flow along the strands, and that of the surface, where it is exposed, less that of dry strands
/// [J].
struct FilmEnergy {
    double flow = 0;
    double surface = 0;
};
[[nodiscard]] FilmEnergy film_energy(const FilmStrands& strands, const FilmLiquid& liquid, const FilmState& state);
/// Of the flow along the strands, on top of films that move with them.
struct FilmMotion {
    Vec3 momentum = Vec3::Zero(); ///< [kg m/s]
    double energy = 0;            ///< kinetic [J]
};
[[nodiscard]] FilmMotion film_motion(const FilmStrands& strands, const FilmLiquid& liquid, const FilmState& state);

} // namespace rivulet
