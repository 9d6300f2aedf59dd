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

/// w (first derivative)(first derivative)^T of one curvature or of the twist; spins are (s0, s1).
[[gnu::always_inline]] inline void add_gauss_newton(RodBendDerivatives& out, const Lane& w, const BendEdges& g,
                                                    const Lane& s0, const Lane& s1)
{
    add_outer(out.e0e0, w, g.e0);
    add_outer(out.e1e1, w, g.e1);
    add_outer(out.e0e1, w, g.e0, g.e1);
    out.e0s0 += (w * s0) * g.e0;
    out.e1s0 += (w * s0) * g.e1;
    out.e0s1 += (w * s1) * g.e0;
    out.e1s1 += (w * s1) * g.e1;
    out.s0s0 += w * s0 * s0;
    out.s0s1 += w * s0 * s1;
    out.s1s1 += w * s1 * s1;
}

/// The second derivative of kappa = m . kb by one edge, of tangent t with the other's `other`; `sign` is +1 for edge 0
/// and -1 for edge 1, `own` the part of m that turns with this edge:
///   -1/|e| sym[ g (t + tt)^T + kappa dtt/de + sign/chi (other x mm)(dchi/de)^T ] + 1/|e|^2 sym(kb own^T)
void add_curving(LaneSym3& s, const Lane& w, const RodEdge& edge, const LaneVec3& other, double sign,
                 const Corner& corner, const Lane& kappa, const LaneVec3& g, const LaneVec3& m, const LaneVec3& kb,
                 const LaneVec3& own)
{
    const LaneVec3 across = other - dot(other, edge.tangent) * edge.tangent; // P t_other
    const Lane f = w * edge.inverse_length;
    const Lane ff = f * edge.inverse_length * corner.inverse_chi;
    add_symmetric(s, -f, g, edge.tangent + corner.mean);
    add_identity(s, -ff * kappa);
    add_outer(s, ff * kappa, edge.tangent);
    add_symmetric(s, ff * kappa, corner.mean, across);
    add_symmetric(s, (-2.0 * sign) * ff * corner.inverse_chi, cross(other, m), across);
    add_symmetric(s, f * edge.inverse_length, kb, own);
}

/// The mixed second derivative of kappa = m . kb:
///   -1/|e0| [ tt g1^T + kappa dtt/de1 + 1/chi (t1 x mm)(dchi/de1)^T + [mm]_x P1/|e1| ]
void add_curving(LaneMat3& h, const Lane& w, const RodEdge& edge0, const RodEdge& edge1, const Corner& corner,
                 const Lane& kappa, const LaneVec3& g1, const LaneVec3& m)
{
    const LaneVec3& t1 = edge1.tangent;
    const LaneVec3 across = edge0.tangent - dot(edge0.tangent, t1) * t1; // P1 t0
    const LaneVec3 scaled = (2.0 * corner.inverse_chi) * m;
    const Lane f = -w * edge0.inverse_length;
    const Lane ff = f * edge1.inverse_length;
    add_outer(h, f, corner.mean, g1);
    const Lane straight = ff * kappa * corner.inverse_chi;
    h.row[0].x += straight;
    h.row[1].y += straight;
    h.row[2].z += straight;
    add_outer(h, -straight, t1, t1);
    add_outer(h, -straight, corner.mean, across);
    add_outer(h, ff * corner.inverse_chi, cross(t1, scaled), across);
    add_cross(h, ff, scaled);
    add_outer(h, -ff, cross(scaled, t1), t1);
}

/// Second derivatives of the curvatures and of the twist, times the stresses.
void add_second_derivatives(const RodEdge& edge0, const RodEdge& edge1, const RodBend& bend, const Corner& corner,
                            const BendStress& stress, const Lane& curving, RodBendDerivatives& out)
{
    const LaneVec3& kb = bend.binormal;
    const LaneVec3 m = stress.m0 + stress.m1;
    const Lane kappa = dot(m, kb);
    const BendEdges g = curvature_gradient(edge0, edge1, corner, kappa, m);
    add_curving(out.e0e0, curving, edge0, edge1.tangent, 1, corner, kappa, g.e0, m, kb, stress.m0);
    add_curving(out.e1e1, curving, edge1, edge0.tangent, -1, corner, kappa, g.e1, m, kb, stress.m1);
    add_curving(out.e0e1, curving, edge0, edge1, corner, kappa, g.e1, m);

    const auto turned = [](const Lane& c0, const Lane& c1, const RodEdge& edge) {
        return -c0 * edge.m1 - c1 * edge.m2;
    };
    const LaneVec3 turned0 = curving * turned(stress.c[0], stress.c[1], edge0);
    const LaneVec3 turned1 = curving * turned(stress.c[2], stress.c[3], edge1);
    const BendEdges spin0 = curvature_gradient(edge0, edge1, corner, dot(turned0, kb), turned0);
    const BendEdges spin1 = curvature_gradient(edge0, edge1, corner, dot(turned1, kb), turned1);
    out.e0s0 += spin0.e0;
    out.e1s0 += spin0.e1;
    out.e0s1 += spin1.e0;
    out.e1s1 += spin1.e1;
    out.s0s0 -= curving * dot(stress.m0, kb);
    out.s1s1 -= curving * dot(stress.m1, kb);

    // Twist [Bergou 2010]: kb/(2|e|) by an edge; its derivatives.
    const Lane w = curving * stress.twist;
    const Lane i0 = edge0.inverse_length, i1 = edge1.inverse_length;
    add_symmetric(out.e0e0, -0.5 * w * i0 * i0, kb, edge0.tangent + corner.mean);
    add_symmetric(out.e1e1, -0.5 * w * i1 * i1, kb, edge1.tangent + corner.mean);
    add_cross(out.e0e1, w * i0 * i1 * corner.inverse_chi, edge0.tangent);
    add_outer(out.e0e1, -0.5 * w * i0 * i1, kb, corner.mean);
}

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
    out = {};
    gradient(edge0, edge1, bend, corner, stress, out);
    const LaneVec3 vectors[4] = {edge0.m2, -edge0.m1, edge1.m2, -edge1.m1};
    for (int a = 0; a < 4; ++a) {
        const BendEdges g = curvature_gradient(edge0, edge1, corner, bend.kappa[a], vectors[a]);
        const Lane spin =
            a % 2 == 0 ? bend.kappa[a + 1] : -bend.kappa[a - 1]; // kappa_1' = kappa_2, kappa_2' = -kappa_1
        add_gauss_newton(out, law.weight[a % 2], g, a < 2 ? spin : Lane{}, a < 2 ? Lane{} : spin);
    }
    const LaneVec3 half = 0.5 * bend.binormal;
    add_gauss_newton(out, law.twist_weight, {edge0.inverse_length * half, edge1.inverse_length * half}, spread(-1.0),
                     spread(1.0));
    add_second_derivatives(edge0, edge1, bend, corner, stress, curving, out);
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
    const Lane allowed = curving > 0.0 ? tension : lane_max(tension, Lane{});
    const Lane across = allowed * edge.inverse_length;
    out.e = tension * edge.tangent;
    out.ee = {};
    add_identity(out.ee, across);
    add_outer(out.ee, law.weight * law.inverse_rest_length * law.inverse_rest_length - across, edge.tangent);
}

} // namespace rivulet
