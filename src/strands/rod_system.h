#pragma once

#include "numerics/aligned.h"
#include "numerics/band_ldlt.h"
#include "strands/rod_element.h"

#include <optional>

namespace rivulet {

/// Unknowns of a rod of n vertices in the order x0 y0 z0 s0 x1 y1 z1 s1 ...: displacements of vertices and spins of the
/// edges after them, 4 n - 1 in all. A vertex and its neighbours span 11, so the half bandwidth is 10.
inline constexpr int kRodBandwidth = 10;
/// A vertex meets all unknowns of the two vertices before it, a spin those of the one before it.
struct RodPattern {
    static constexpr int kRows = 4;
    static constexpr std::array<int, 4> kReach = {8, 8, 8, 4};
};
using RodMatrix = BandLdlt<Lane, kRodBandwidth, RodPattern>;

/// Angle of the turn that a frame has made about its tangent on the way a -> b -> c of the tangent, against the way
/// a -> c: the solid angle of the triangle.
[[nodiscard]] Lane turn_on_the_way(const LaneVec3& a, const LaneVec3& b, const LaneVec3& c);

/// One implicit step of four strands of equal vertex count, as the minimum of
///   P(u, s) = sum m/(2 h^2) |u - u*|^2 + sum I/(2 h^2) (s - s*)^2 + elastic and viscous energy + drag potential
/// over displacements u of vertices and spins s of edges since the start of the step; u*, s* are where inertia and
/// steady forces would take them. One entry a vertex in each array; entries of edges belong to the edge that begins
/// there, the last is not used.
struct RodSystem {
    explicit RodSystem(int n_vertices = 0) { resize(n_vertices); }
    /// All entries become 0, or stay as they are where the size does.
    void resize(int n_vertices);

    int n = 0;    ///< vertices of each strand
    double h = 0; ///< time step [s]

    AlignedVector<Lane> mass;          ///< [kg]
    AlignedVector<Lane> inertia;       ///< of an edge about its tangent [kg m^2]
    AlignedVector<LaneVec3> predicted; ///< u* [m]
    AlignedVector<Lane> predicted_spin;
    AlignedVector<Lane> free;      ///< 1 where a vertex moves, 0 where its displacement is given
    AlignedVector<Lane> free_spin; ///< the same for edges

    AlignedVector<LaneVec3> edge;     ///< at the start [m]
    AlignedVector<LaneVec3> tangent;  ///< at the start
    AlignedVector<LaneVec3> director; ///< m1 at the start
    AlignedVector<Lane> twist;        ///< at the start [rad]

    AlignedVector<RodStretchLaw> stretch;
    AlignedVector<RodBendLaw> bend;

    /// Forces push - drag v, v = u/h: of the air, of liquid.
    AlignedVector<LaneSym3> drag; ///< [N s/m]
    AlignedVector<LaneVec3> push; ///< [N]

    /// Forces -S_k u_k - C_k u_(k+1) - C_(k-1) u_(k-1) of what the strand touches; empty = none.
    AlignedVector<LaneSym3> stiffness;      ///< S [N/m]
    AlignedVector<LaneSym3> stiffness_next; ///< C [N/m]

    /// From twist: made by prepare().
    AlignedVector<LaneSinCos> twist_direction;
    /// To be called when edge, director and twist are set.
    void prepare();
};

/// Displacements, spins, and all that follows from them.
struct RodConfiguration {
    void resize(int n_vertices);

    AlignedVector<LaneVec3> u;   ///< [m]
    AlignedVector<Lane> spin;    ///< [rad]
    AlignedVector<RodEdge> edge; ///< of the present configuration
    AlignedVector<RodBend> bend; ///< at inner vertices
};

/// Edges, frames, curvatures and twists of c.u and c.spin. Frames are parallel transported from the start of the step
/// in time, then turned by the spin [Bergou 2010].
void configure(const RodSystem& system, RodConfiguration& c);

[[nodiscard]] Lane potential(const RodSystem& system, const RodConfiguration& c);
/// Elastic (and viscous) energy alone [J].
[[nodiscard]] Lane elastic_energy(const RodSystem& system, const RodConfiguration& c);
/// Gradient of the potential by displacements and by spins of frames that are transported from the present
/// configuration; where a dof is held this is the force that holds it. `gradient` has 4 n - 1 entries.
void potential_gradient(const RodSystem& system, const RodConfiguration& c, Lane* gradient);
/// Gradient and Hessian, held dofs included; `curving` as in rod_element.h.
void potential_hessian(const RodSystem& system, const RodConfiguration& c, const Lane& curving, Lane* gradient,
                       RodMatrix& hessian);

/// How the frame of an edge turns about its tangent, seen from the frame transported from the start of the step, while
/// the edge swings without spin: d(turn)/d(edge). 0 at the start of the step.
[[nodiscard]] LaneVec3 turn_gradient(const RodSystem& system, const RodConfiguration& c, int edge);

struct RodSolverOptions {
    double tolerance = 1e-8; ///< last correction of a vertex as part of its edge's length, of a spin in radians
    int max_iterations = 250;
    std::optional<Lane> part =
        {};                 ///< of each step that is taken, whatever comes of it; none: as far as the potential falls
    bool is_minimum = true; ///< false: whole steps are taken, to where the gradient is 0 nearby
};
struct RodSolution {
    LaneMask converged{};
    Lane potential{};   ///< [J]
    int iterations = 0; ///< of the slowest strand
};
/// Memory that minimize_potential() works in.
struct RodSolverScratch {
    RodConfiguration trial;
    AlignedVector<Lane> step, gradient;
    /// Afterwards the factored Hessian at the minimum (up to the last, negligible, correction), identity where dofs are
    /// held.
    RodMatrix matrix;
};
/// Newton with a line search from the guess in `c`, each lane on its own: a strand's result does not depend on the
/// lane that it is in nor on its neighbours. `c` must be configured, held dofs at their given values.
[[nodiscard]] RodSolution minimize_potential(const RodSystem& system, const RodSolverOptions& options,
                                             RodConfiguration& c, RodSolverScratch& scratch);
[[nodiscard]] RodSolution minimize_potential(const RodSystem& system, const RodSolverOptions& options,
                                             RodConfiguration& c);
/// Only the factored Hessian at `c` and the step that Newton would take from there, into `scratch`.
void factor_potential(const RodSystem& system, RodConfiguration& c, RodSolverScratch& scratch);

} // namespace rivulet
