#pragma once

#include "strands/lane_math.h"

namespace rivulet {

/// Discrete elastic rods [Bergou 2008] [Bergou 2010] with four curvatures a vertex [Fei 2019]: the pieces of the
/// energy, each with gradient and full Hessian, for four strands at once. Derivation and checks:
/// docs/theory/strands.md.
///
/// Derivatives are those with respect to the edges and to turns of their material frames about them, in the chart whose
/// reference frames are parallel transported from the present configuration (so the frames do not spin as edges turn).

/// An edge with its material frame: orthonormal (tangent, m1, m2).
struct RodEdge {
    LaneVec3 tangent;
    LaneVec3 m1, m2;
    Lane length{};         ///< [m]
    Lane inverse_length{}; ///< [1/m]
};

/// Bend and twist at a vertex between edge 0 and edge 1.
struct RodBend {
    LaneVec3 binormal;   ///< kb = 2 t0 x t1/(1 + t0 . t1)
    Lane kappa[4]{};     ///< m2.kb and -m1.kb of edge 0, then of edge 1
    Lane twist{};        ///< [rad]
    Lane one_plus_cos{}; ///< chi = 1 + t0 . t1
};

/// What the rod would like to have at a vertex, and how much it insists:
///   E = sum_a w_a (kappa_a - rest_a)^2/2 + w_t (twist - rest_t)^2/2
/// Viscous resistance is of the same form about the start of the step, so both together are one such energy.
struct RodBendLaw {
    Lane weight[2]{}; ///< of the first and the second curvature of either edge [J]
    Lane rest[4]{};
    Lane twist_weight{}; ///< [J]
    Lane twist_rest{};   ///< [rad]
};

/// E = w (length/rest - 1 - strain)^2/2, where `strain` is not 0 only with viscosity.
struct RodStretchLaw {
    Lane weight{};              ///< stiffness times rest length [J]
    Lane inverse_rest_length{}; ///< [1/m]
    Lane strain{};
};

/// Symmetric 3 x 3: xx xy xz yy yz zz.
struct LaneSym3 {
    Lane v[6]{};
};
/// s += w a a^T.
[[gnu::always_inline]] inline void add_outer(LaneSym3& s, const Lane& w, const LaneVec3& a)
{
    const LaneVec3 b = w * a;
    s.v[0] += b.x * a.x;
    s.v[1] += b.x * a.y;
    s.v[2] += b.x * a.z;
    s.v[3] += b.y * a.y;
    s.v[4] += b.y * a.z;
    s.v[5] += b.z * a.z;
}
/// 3 x 3 by rows.
struct LaneMat3 {
    LaneVec3 row[3];
};

/// First and second derivatives of a vertex' energy: e = edges 0 and 1, s = spin of their frames.
struct RodBendDerivatives {
    LaneVec3 e0, e1;
    Lane s0{}, s1{};
    LaneSym3 e0e0, e1e1;
    LaneMat3 e0e1;
    LaneVec3 e0s0, e0s1, e1s0, e1s1;
    Lane s0s0{}, s0s1{}, s1s1{};
};
struct RodStretchDerivatives {
    LaneVec3 e;
    LaneSym3 ee;
};

/// Curvatures of the vertex; the twist is left alone, as it depends on more than the present frames.
void measure_bend(const RodEdge& edge0, const RodEdge& edge1, RodBend& bend);

[[nodiscard]] Lane bend_energy(const RodBend& bend, const RodBendLaw& law);
/// Gradient alone: the second derivatives are not touched.
void bend_gradient(const RodEdge& edge0, const RodEdge& edge1, const RodBend& bend, const RodBendLaw& law,
                   RodBendDerivatives& out);
/// Gradient and Hessian; where `curving` is 0 instead of 1 the second derivatives of curvatures and twist are left out
/// (Gauss-Newton), which makes the Hessian positive semidefinite.
void bend_hessian(const RodEdge& edge0, const RodEdge& edge1, const RodBend& bend, const RodBendLaw& law,
                  const Lane& curving, RodBendDerivatives& out);

[[nodiscard]] Lane stretch_energy(const RodEdge& edge, const RodStretchLaw& law);
void stretch_gradient(const RodEdge& edge, const RodStretchLaw& law, RodStretchDerivatives& out);
/// As bend_hessian: where `curving` is 0 compressed edges have no negative stiffness across.
void stretch_hessian(const RodEdge& edge, const RodStretchLaw& law, const Lane& curving, RodStretchDerivatives& out);

} // namespace rivulet
