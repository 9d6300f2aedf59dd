#include "strands/rod_element.h"

namespace rivulet {
namespace {

/// t = (t0 + t1)/chi, and what the derivatives need of it again and again.
struct Corner {
    LaneVec3 mean; ///< tt = (t0 + t1)/chi
    Lane inverse_chi;

    Corner(const RodEdge& edge0, const RodEdge& edge1, const RodBend& bend) : inverse_chi(1.0 / bend.one_plus_cos)
    {
        mean = inverse_chi * (edge0.tangent + edge1.tangent);
    }
};

/// Derivatives of kappa = m . kb by the two edges, the frame held.
struct BendEdges {
    LaneVec3 e0, e1;
};
[[gnu::always_inline]] inline BendEdges curvature_gradient(const RodEdge& edge0, const RodEdge& edge1,
                                                           const Corner& corner, const Lane& kappa, const LaneVec3& m)
{
    const LaneVec3 scaled = (2.0 * corner.inverse_chi) * m;
    return {edge0.inverse_length * (cross(edge1.tangent, scaled) - kappa * corner.mean),
            edge1.inverse_length * (-cross(edge0.tangent, scaled) - kappa * corner.mean)};
}

/// What the energy insists on: the forces of the four curvatures put together, c_a = w_a (kappa_a - rest_a).
struct BendStress {
    Lane c[4];
    Lane twist;
    LaneVec3 m0, m1; ///< sum of c_a times the vector whose product with kb is kappa_a, a of edge 0 and of edge 1

    BendStress(const RodEdge& edge0, const RodEdge& edge1, const RodBend& bend, const RodBendLaw& law)
    {
        for (int a = 0; a < 4; ++a) c[a] = law.weight[a % 2] * (bend.kappa[a] - law.rest[a]);
        twist = law.twist_weight * (bend.twist - law.twist_rest);
        m0 = c[0] * edge0.m2 - c[1] * edge0.m1;
        m1 = c[2] * edge1.m2 - c[3] * edge1.m1;
    }
};

/// s += w (a b^T + b a^T)/2.
[[gnu::always_inline]] inline void add_symmetric(LaneSym3& s, const Lane& w, const LaneVec3& a, const LaneVec3& b)
{
    const LaneVec3 c = (0.5 * w) * a;
    s.v[0] += 2.0 * c.x * b.x;
    s.v[1] += c.x * b.y + c.y * b.x;
    s.v[2] += c.x * b.z + c.z * b.x;
    s.v[3] += 2.0 * c.y * b.y;
    s.v[4] += c.y * b.z + c.z * b.y;
    s.v[5] += 2.0 * c.z * b.z;
}

/// s += w I.
[[gnu::always_inline]] inline void add_identity(LaneSym3& s, const Lane& w)
{
    s.v[0] += w;
    s.v[3] += w;
    s.v[5] += w;
}

/// m += w a b^T.
[[gnu::always_inline]] inline void add_outer(LaneMat3& m, const Lane& w, const LaneVec3& a, const LaneVec3& b)
{
    m.row[0] += (w * a.x) * b;
    m.row[1] += (w * a.y) * b;
    m.row[2] += (w * a.z) * b;
}

/// m += w [a]_x.
[[gnu::always_inline]] inline void add_cross(LaneMat3& m, const Lane& w, const LaneVec3& a)
{
    const LaneVec3 b = w * a;
    m.row[0].y -= b.z;
    m.row[0].z += b.y;
    m.row[1].x += b.z;
    m.row[1].z -= b.x;
    m.row[2].x -= b.y;
    m.row[2].y += b.x;
}

/// Derivatives of the four curvatures by the two edges, the frames held:
///   dkappa/de0 = (2/chi t1 x m - kappa tt)/|e0|,  dkappa/de1 = (-2/chi t0 x m - kappa tt)/|e1|,
/// where m = m2, -m1 of edge 0, then of edge 1. With an edge's own frame t x m1 = m2, t x m2 = -m1.
struct CurvatureGradients {
    LaneVec3 e0[4], e1[4];

    [[gnu::always_inline]] CurvatureGradients(const RodEdge& edge0, const RodEdge& edge1, const RodBend& bend,
                                              const Corner& corner)
    {
        const Lane f0 = 2.0 * corner.inverse_chi * edge0.inverse_length;
        const Lane f1 = 2.0 * corner.inverse_chi * edge1.inverse_length;
        e0[0] = f0 * cross(edge1.tangent, edge0.m2);
        e0[1] = f0 * cross(edge0.m1, edge1.tangent);
        e0[2] = -f0 * edge1.m1;
        e0[3] = -f0 * edge1.m2;
        e1[0] = f1 * edge0.m1;
        e1[1] = f1 * edge0.m2;
        e1[2] = f1 * cross(edge1.m2, edge0.tangent);
        e1[3] = f1 * cross(edge0.tangent, edge1.m1);
        const LaneVec3 mean0 = edge0.inverse_length * corner.mean, mean1 = edge1.inverse_length * corner.mean;
        for (int a = 0; a < 4; ++a) {
            e0[a] -= bend.kappa[a] * mean0;
            e1[a] -= bend.kappa[a] * mean1;
        }
    }
};

/// The part of one edge in the second derivatives: `g` is the derivative of the energy of bending by it, `own` the part
/// of the stress that turns with it, `across` the other tangent's part across this one. The sum over curvatures and
/// twist of
///   w dkappa/de dkappa/de^T - c/|e| sym[ g (t + tt + across/chi)^T ] + c kappa/(chi |e|^2) (t t^T - 1)
///   + 1/|e|^2 sym[ kb (c own - c stress (t + tt)/2 + w_t kb/4)^T ],  c = curving
[[gnu::always_inline]] inline LaneSym3 edge_block(const RodEdge& edge, const RodBend& bend, const RodBendLaw& law,
                                                  const Corner& corner, const LaneVec3 (&gradients)[4],
                                                  const LaneVec3& g, const LaneVec3& own, const LaneVec3& across,
                                                  const Lane& kappa, const Lane& twist, const Lane& curving)
{
    LaneSym3 s;
    for (int a = 0; a < 4; ++a) add_outer(s, law.weight[a % 2], gradients[a]);
    const Lane i = edge.inverse_length;
    const LaneVec3 sum = edge.tangent + corner.mean;
    add_symmetric(s, -curving * i, g, sum + corner.inverse_chi * across);
    add_symmetric(s, i * i, bend.binormal,
                  curving * own - (0.5 * twist) * sum + (0.25 * law.twist_weight) * bend.binormal);
    const Lane straight = curving * kappa * i * i * corner.inverse_chi;
    add_identity(s, -straight);
    add_outer(s, straight, edge.tangent);
    return s;
}

/// The mixed second derivatives, the sum over curvatures and twist of
///   w dkappa/de0 dkappa/de1^T - c/|e0| tt g1^T - c/(chi |e1|) g0 across^T
///   - c/(|e0||e1|) [ (t1 x mm - kappa/chi t1) t1^T + kappa/chi + [mm]_x ]
///   + 1/(|e0||e1|) [ kb (w_t kb/4 - c stress tt/2)^T + c stress/chi [t0]_x ],  mm = 2/chi m
[[gnu::always_inline]] inline LaneMat3 mixed_block(const RodEdge& edge0, const RodEdge& edge1, const RodBend& bend,
                                                   const RodBendLaw& law, const Corner& corner,
                                                   const CurvatureGradients& gradients, const BendEdges& g,
                                                   const LaneVec3& m, const LaneVec3& across, const Lane& kappa,
                                                   const Lane& twist, const Lane& curving)
{
    LaneMat3 h;
    for (int a = 0; a < 4; ++a) add_outer(h, law.weight[a % 2], gradients.e0[a], gradients.e1[a]);
    const LaneVec3& t1 = edge1.tangent;
    const Lane ii = edge0.inverse_length * edge1.inverse_length;
    const Lane straight = curving * ii * kappa * corner.inverse_chi;
    const LaneVec3 scaled = (2.0 * curving * ii * corner.inverse_chi) * m;
    add_outer(h, -curving * edge0.inverse_length, corner.mean, g.e1);
    add_outer(h, -curving * edge1.inverse_length * corner.inverse_chi, g.e0, across);
    add_outer(h, spread(1.0), straight * t1 - cross(t1, scaled), t1);
    add_outer(h, ii, bend.binormal, (0.25 * law.twist_weight) * bend.binormal - (0.5 * twist) * corner.mean);
    add_cross(h, spread(1.0), (twist * ii * corner.inverse_chi) * edge0.tangent - scaled);
    h.row[0].x -= straight;
    h.row[1].y -= straight;
    h.row[2].z -= straight;
    return h;
}

/// Derivatives by an edge and a spin: as kappa_1' = kappa_2 and kappa_2' = -kappa_1 under a spin, those of one frame's
/// curvatures are x dkappa_1/de + y dkappa_2/de.
struct SpinFactors {
    Lane x, y;
    Lane second; ///< second derivative by the spin, without the twist's

    SpinFactors(const Lane* kappa, const Lane* c, const RodBendLaw& law, const Lane& curving)
        : x(law.weight[0] * kappa[1] - curving * c[1]), y(curving * c[0] - law.weight[1] * kappa[0]),
          second(law.weight[0] * kappa[1] * kappa[1] + law.weight[1] * kappa[0] * kappa[0] -
                 curving * (c[0] * kappa[0] + c[1] * kappa[1]))
    {
    }
    [[nodiscard]] LaneVec3 mixed(const LaneVec3* gradients) const { return x * gradients[0] + y * gradients[1]; }
};

void gradient(const RodEdge& edge0, const RodEdge& edge1, const RodBend& bend, const Corner& corner,
              const BendStress& stress, RodBendDerivatives& out)
{
    const LaneVec3 m = stress.m0 + stress.m1;
    const BendEdges g = curvature_gradient(edge0, edge1, corner, dot(m, bend.binormal), m);
    out.e0 = g.e0 + (0.5 * stress.twist * edge0.inverse_length) * bend.binormal;
    out.e1 = g.e1 + (0.5 * stress.twist * edge1.inverse_length) * bend.binormal;
    out.s0 = stress.c[0] * bend.kappa[1] - stress.c[1] * bend.kappa[0] - stress.twist;
    out.s1 = stress.c[2] * bend.kappa[3] - stress.c[3] * bend.kappa[2] + stress.twist;
}

} // namespace

void measure_bend(const RodEdge& edge0, const RodEdge& edge1, RodBend& bend)
{
    bend.one_plus_cos = 1.0 + dot(edge0.tangent, edge1.tangent);
    bend.binormal = (2.0 / bend.one_plus_cos) * cross(edge0.tangent, edge1.tangent);
    bend.kappa[0] = dot(edge0.m2, bend.binormal);
    bend.kappa[1] = -dot(edge0.m1, bend.binormal);
    bend.kappa[2] = dot(edge1.m2, bend.binormal);
    bend.kappa[3] = -dot(edge1.m1, bend.binormal);
}

Lane bend_energy(const RodBend& bend, const RodBendLaw& law)
{
    const Lane off = bend.twist - law.twist_rest;
    Lane sum = law.twist_weight * off * off;
    for (int a = 0; a < 4; ++a) {
        const Lane bent = bend.kappa[a] - law.rest[a];
        sum += law.weight[a % 2] * bent * bent;
    }
    return 0.5 * sum;
}

void bend_gradient(const RodEdge& edge0, const RodEdge& edge1, const RodBend& bend, const RodBendLaw& law,
                   RodBendDerivatives& out)
{
    gradient(edge0, edge1, bend, Corner(edge0, edge1, bend), BendStress(edge0, edge1, bend, law), out);
}

void bend_hessian(const RodEdge& edge0, const RodEdge& edge1, const RodBend& bend, const RodBendLaw& law,
                  const Lane& curving, RodBendDerivatives& out)
{
    const Corner corner(edge0, edge1, bend);
    const BendStress stress(edge0, edge1, bend, law);
    const CurvatureGradients gradients(edge0, edge1, bend, corner);
    const LaneVec3& kb = bend.binormal;
    BendEdges g;
    Lane kappa{};
    for (int a = 0; a < 4; ++a) {
        g.e0 += stress.c[a] * gradients.e0[a];
        g.e1 += stress.c[a] * gradients.e1[a];
        kappa += stress.c[a] * bend.kappa[a];
    }
    const LaneVec3 half0 = (0.5 * edge0.inverse_length) * kb, half1 = (0.5 * edge1.inverse_length) * kb; // dtwist/de
    out.e0 = g.e0 + stress.twist * half0;
    out.e1 = g.e1 + stress.twist * half1;
    out.s0 = stress.c[0] * bend.kappa[1] - stress.c[1] * bend.kappa[0] - stress.twist;
    out.s1 = stress.c[2] * bend.kappa[3] - stress.c[3] * bend.kappa[2] + stress.twist;

    const Lane cos = bend.one_plus_cos - 1.0, twist = curving * stress.twist;
    const LaneVec3 across0 = edge1.tangent - cos * edge0.tangent, across1 = edge0.tangent - cos * edge1.tangent;
    out.e0e0 = edge_block(edge0, bend, law, corner, gradients.e0, g.e0, stress.m0, across0, kappa, twist, curving);
    out.e1e1 = edge_block(edge1, bend, law, corner, gradients.e1, g.e1, stress.m1, across1, kappa, twist, curving);
    out.e0e1 = mixed_block(edge0, edge1, bend, law, corner, gradients, g, stress.m0 + stress.m1, across1, kappa, twist,
                           curving);

    const SpinFactors spin0(bend.kappa, stress.c, law, curving), spin1(bend.kappa + 2, stress.c + 2, law, curving);
    out.e0s0 = spin0.mixed(gradients.e0) - law.twist_weight * half0;
    out.e1s0 = spin0.mixed(gradients.e1) - law.twist_weight * half1;
    out.e0s1 = spin1.mixed(gradients.e0 + 2) + law.twist_weight * half0;
    out.e1s1 = spin1.mixed(gradients.e1 + 2) + law.twist_weight * half1;
    out.s0s0 = spin0.second + law.twist_weight;
    out.s1s1 = spin1.second + law.twist_weight;
    out.s0s1 = -law.twist_weight;
}

Lane stretch_energy(const RodEdge& edge, const RodStretchLaw& law)
{
    const Lane strain = edge.length * law.inverse_rest_length - 1.0 - law.strain;
    return 0.5 * law.weight * strain * strain;
}

void stretch_gradient(const RodEdge& edge, const RodStretchLaw& law, RodStretchDerivatives& out)
{
    const Lane strain = edge.length * law.inverse_rest_length - 1.0 - law.strain;
    out.e = (law.weight * strain * law.inverse_rest_length) * edge.tangent;
}

void stretch_hessian(const RodEdge& edge, const RodStretchLaw& law, const Lane& curving, RodStretchDerivatives& out)
{
    const Lane strain = edge.length * law.inverse_rest_length - 1.0 - law.strain;
    const Lane tension = law.weight * strain * law.inverse_rest_length;
    const Lane allowed = tension > 0.0 ? tension : curving * tension;
    const Lane across = allowed * edge.inverse_length;
    out.e = tension * edge.tangent;
    out.ee = {};
    add_identity(out.ee, across);
    add_outer(out.ee, law.weight * law.inverse_rest_length * law.inverse_rest_length - across, edge.tangent);
}

} // namespace rivulet
