#include "strands/rod_system.h"

#include "base/assert.h"

namespace rivulet {
namespace {

/// Zeros, unless the size is right already: arrays that serve one batch after the other are written anew by each.
template <class T>
void set_size(AlignedVector<T>& values, int n)
{
    if (values.size() != static_cast<std::size_t>(n)) values.assign(static_cast<std::size_t>(n), T{});
}

/// The entry of vertex k: arrays are indexed by int throughout.
template <class T>
T& of(AlignedVector<T>& values, int k)
{
    return values[static_cast<std::size_t>(k)];
}
template <class T>
const T& of(const AlignedVector<T>& values, int k)
{
    return values[static_cast<std::size_t>(k)];
}

void add(Lane* g, const LaneVec3& v)
{
    g[0] += v.x;
    g[1] += v.y;
    g[2] += v.z;
}
void subtract(Lane* g, const LaneVec3& v)
{
    g[0] -= v.x;
    g[1] -= v.y;
    g[2] -= v.z;
}

LaneVec3 times(const LaneSym3& a, const LaneVec3& b)
{
    return {a.v[0] * b.x + a.v[1] * b.y + a.v[2] * b.z, a.v[1] * b.x + a.v[3] * b.y + a.v[4] * b.z,
            a.v[2] * b.x + a.v[4] * b.y + a.v[5] * b.z};
}

LaneMat3 full(const LaneSym3& a)
{
    return {{{a.v[0], a.v[1], a.v[2]}, {a.v[1], a.v[3], a.v[4]}, {a.v[2], a.v[4], a.v[5]}}};
}
LaneMat3 transposed(const LaneMat3& a)
{
    return {{{a.row[0].x, a.row[1].x, a.row[2].x},
             {a.row[0].y, a.row[1].y, a.row[2].y},
             {a.row[0].z, a.row[1].z, a.row[2].z}}};
}
LaneMat3 operator-(const LaneMat3& a, const LaneMat3& b)
{
    return {{a.row[0] - b.row[0], a.row[1] - b.row[1], a.row[2] - b.row[2]}};
}
LaneMat3 operator+(const LaneMat3& a, const LaneMat3& b)
{
    return {{a.row[0] + b.row[0], a.row[1] + b.row[1], a.row[2] + b.row[2]}};
}

/// Row i of the matrix, columns j, j+1, j+2 (those not above the diagonal).
[[gnu::always_inline]] inline void add_row(RodMatrix& a, int i, int j, const LaneVec3& v)
{
    if (j <= i) a.at(i, j) += v.x;
    if (j + 1 <= i) a.at(i, j + 1) += v.y;
    if (j + 2 <= i) a.at(i, j + 2) += v.z;
}
/// Block of rows i.. and columns j.. of the lower triangle, i >= j.
[[gnu::always_inline]] inline void add_block(RodMatrix& a, int i, int j, const LaneMat3& m)
{
    for (int r = 0; r < 3; ++r) add_row(a, i + r, j, m.row[r]);
}
/// Column j, rows i, i + 1, i + 2.
[[gnu::always_inline]] inline void add_column(RodMatrix& a, int i, int j, const LaneVec3& v)
{
    a.at(i, j) += v.x;
    a.at(i + 1, j) += v.y;
    a.at(i + 2, j) += v.z;
}

/// Derivatives by edges to derivatives by vertices: e0 = x1 - x0, e1 = x2 - x1. `first` is the row of x0.
void scatter(const RodBendDerivatives& d, int first, RodMatrix& a)
{
    const int x0 = first, s0 = first + 3, x1 = first + 4, s1 = first + 7, x2 = first + 8;
    const LaneMat3 h00 = full(d.e0e0), h11 = full(d.e1e1), h10 = transposed(d.e0e1);
    add_block(a, x0, x0, h00);
    add_block(a, x1, x0, h10 - h00);
    add_block(a, x2, x0, LaneMat3{} - h10);
    add_block(a, x1, x1, h00 - d.e0e1 - h10 + h11);
    add_block(a, x2, x1, h10 - h11);
    add_block(a, x2, x2, h11);
    add_row(a, s0, x0, -d.e0s0);
    add_column(a, x1, s0, d.e0s0 - d.e1s0);
    add_column(a, x2, s0, d.e1s0);
    add_row(a, s1, x0, -d.e0s1);
    add_row(a, s1, x1, d.e0s1 - d.e1s1);
    add_column(a, x2, s1, d.e1s1);
    a.at(s0, s0) += d.s0s0;
    a.at(s1, s0) += d.s0s1;
    a.at(s1, s1) += d.s1s1;
}

void scatter(const RodBendDerivatives& d, Lane* g)
{
    subtract(g, d.e0);
    add(g + 4, d.e0 - d.e1);
    add(g + 8, d.e1);
    g[3] += d.s0;
    g[7] += d.s1;
}

void scatter(const RodStretchDerivatives& d, int first, RodMatrix& a)
{
    const LaneMat3 h = full(d.ee);
    add_block(a, first, first, h);
    add_block(a, first + 4, first, LaneMat3{} - h);
    add_block(a, first + 4, first + 4, h);
}

void scatter(const RodStretchDerivatives& d, Lane* g)
{
    subtract(g, d.e);
    add(g + 4, d.e);
}

/// I/h^2.
Lane spin_weight(const RodSystem& s, int k) { return (1 / (s.h * s.h)) * of(s.inertia, k); }

/// Inertia and drag of vertices.
void vertex_gradient(const RodSystem& s, const RodConfiguration& c, Lane* g)
{
    const double rate = 1 / s.h, rate2 = rate * rate;
    for (int k = 0; k < s.n; ++k) {
        add(g + 4 * k, (rate2 * of(s.mass, k)) * (of(c.u, k) - of(s.predicted, k)));
        add(g + 4 * k, times(of(s.drag, k), rate * of(c.u, k)) - of(s.push, k));
    }
    if (s.stiffness.empty()) return;
    for (int k = 0; k < s.n; ++k) add(g + 4 * k, times(of(s.stiffness, k), of(c.u, k)));
    for (int k = 0; k + 1 < s.n; ++k) {
        add(g + 4 * k, times(of(s.stiffness_next, k), of(c.u, k + 1)));
        add(g + 4 * k + 4, times(of(s.stiffness_next, k), of(c.u, k)));
    }
}
void vertex_hessian(const RodSystem& s, RodMatrix& a)
{
    const double rate = 1 / s.h, rate2 = rate * rate;
    for (int k = 0; k < s.n; ++k) {
        LaneSym3 block = of(s.drag, k);
        for (Lane& v : block.v) v *= rate;
        for (const int i : {0, 3, 5}) block.v[i] += rate2 * of(s.mass, k);
        add_block(a, 4 * k, 4 * k, full(block));
    }
    if (s.stiffness.empty()) return;
    for (int k = 0; k < s.n; ++k) add_block(a, 4 * k, 4 * k, full(of(s.stiffness, k)));
    for (int k = 0; k + 1 < s.n; ++k) add_block(a, 4 * k + 4, 4 * k, full(of(s.stiffness_next, k)));
}

/// Stretching of edges and the inertia of their spin: `d` has the derivatives of stretching alone.
void edge_gradient(const RodSystem& s, const RodConfiguration& c, int k, const LaneVec3& turn, RodStretchDerivatives& d,
                   Lane* g)
{
    const Lane moment = spin_weight(s, k) * (of(c.spin, k) - of(s.predicted_spin, k));
    g[4 * k + 3] += moment;
    d.e += (of(s.free_spin, k) * moment) * turn;
    scatter(d, g + 4 * k);
}
void edge_hessian(const RodSystem& s, int k, const LaneVec3& turn, RodStretchDerivatives& d, RodMatrix& a)
{
    const Lane w = spin_weight(s, k);
    add_outer(d.ee, of(s.free_spin, k) * w, turn);
    scatter(d, 4 * k, a);
    add_row(a, 4 * k + 3, 4 * k, -(w * turn));
    add_column(a, 4 * k + 4, 4 * k + 3, w * turn);
    a.at(4 * k + 3, 4 * k + 3) += w;
}

} // namespace

LaneVec3 turn_gradient(const RodSystem& s, const RodConfiguration& c, int k)
{
    const LaneVec3& t = of(c.edge, k).tangent;
    const LaneVec3& start = of(s.tangent, k);
    return (of(c.edge, k).inverse_length / (1.0 + dot(start, t))) * cross(start, t);
}

Lane turn_on_the_way(const LaneVec3& a, const LaneVec3& b, const LaneVec3& c)
{
    return 2.0 * lane_atan2(dot(a, cross(b, c)), 1.0 + dot(a, b) + dot(b, c) + dot(c, a));
}

void RodSystem::resize(int n_vertices)
{
    n = n_vertices;
    for (auto* lanes : {&mass, &inertia, &predicted_spin, &free, &free_spin, &twist}) set_size(*lanes, n);
    for (auto* vectors : {&predicted, &edge, &tangent, &director, &push}) set_size(*vectors, n);
    set_size(stretch, n);
    set_size(bend, n);
    set_size(drag, n);
    set_size(twist_direction, n);
}

void RodSystem::prepare()
{
    RIVULET_VERIFY(n >= 3 && h > 0);
    for (int k = 0; k + 1 < n; ++k) of(tangent, k) = (1.0 / norm(of(edge, k))) * of(edge, k);
    for (int k = 0; k < n; ++k) of(twist_direction, k) = lane_sincos(of(twist, k));
}

void RodConfiguration::resize(int n_vertices)
{
    set_size(u, n_vertices);
    set_size(spin, n_vertices);
    set_size(edge, n_vertices);
    set_size(bend, n_vertices);
}

void configure(const RodSystem& s, RodConfiguration& c)
{
    for (int k = 0; k + 1 < s.n; ++k) {
        RodEdge& e = of(c.edge, k);
        const LaneVec3 edge = of(s.edge, k) + (of(c.u, k + 1) - of(c.u, k));
        e.length = norm(edge);
        e.inverse_length = 1.0 / e.length;
        e.tangent = e.inverse_length * edge;
        const LaneVec3 d1 = transport(of(s.director, k), of(s.tangent, k), e.tangent);
        const LaneVec3 d2 = cross(e.tangent, d1);
        const LaneSinCos turn = lane_sincos(of(c.spin, k));
        e.m1 = turn.cos * d1 + turn.sin * d2;
        e.m2 = turn.cos * d2 - turn.sin * d1;
    }
    for (int k = 1; k + 1 < s.n; ++k) {
        const RodEdge &e0 = of(c.edge, k - 1), &e1 = of(c.edge, k);
        RodBend& bend = of(c.bend, k);
        measure_bend(e0, e1, bend);
        // Twist: the angle from the transported frame of the edge before to that of the edge after, counted on from
        // the twist at the start so that whole turns are kept.
        const LaneVec3 carried = transport(e0.m1, e0.tangent, e1.tangent);
        const Lane cos = dot(carried, e1.m1), sin = -dot(carried, e1.m2);
        const LaneSinCos& start = of(s.twist_direction, k);
        bend.twist = of(s.twist, k) + lane_atan2(sin * start.cos - cos * start.sin, cos * start.cos + sin * start.sin);
    }
}

Lane elastic_energy(const RodSystem& s, const RodConfiguration& c)
{
    Lane sum{};
    for (int k = 0; k + 1 < s.n; ++k) sum += stretch_energy(of(c.edge, k), of(s.stretch, k));
    for (int k = 1; k + 1 < s.n; ++k) sum += bend_energy(of(c.bend, k), of(s.bend, k));
    return sum;
}

Lane potential(const RodSystem& s, const RodConfiguration& c)
{
    const double rate = 1 / s.h;
    Lane inertial{}, dragged{};
    for (int k = 0; k < s.n; ++k) {
        const LaneVec3 off = of(c.u, k) - of(s.predicted, k);
        const LaneVec3 v = rate * of(c.u, k);
        inertial += of(s.free, k) * of(s.mass, k) * dot(off, off);
        dragged += of(s.free, k) * dot(v, times(of(s.drag, k), v) - 2.0 * of(s.push, k));
        const Lane turn = of(c.spin, k) - of(s.predicted_spin, k);
        inertial += of(s.free_spin, k) * of(s.inertia, k) * turn * turn;
    }
    Lane sprung{};
    if (!s.stiffness.empty()) {
        for (int k = 0; k < s.n; ++k) sprung += 0.5 * dot(of(c.u, k), times(of(s.stiffness, k), of(c.u, k)));
        for (int k = 0; k + 1 < s.n; ++k) sprung += dot(of(c.u, k), times(of(s.stiffness_next, k), of(c.u, k + 1)));
    }
    return elastic_energy(s, c) + (0.5 * rate * rate) * inertial + (0.5 * s.h) * dragged + sprung;
}

void potential_gradient(const RodSystem& s, const RodConfiguration& c, Lane* g)
{
    for (int i = 0; i < 4 * s.n - 1; ++i) g[i] = Lane{};
    vertex_gradient(s, c, g);
    RodStretchDerivatives stretch;
    for (int k = 0; k + 1 < s.n; ++k) {
        stretch_gradient(of(c.edge, k), of(s.stretch, k), stretch);
        edge_gradient(s, c, k, turn_gradient(s, c, k), stretch, g);
    }
    RodBendDerivatives bend;
    for (int k = 1; k + 1 < s.n; ++k) {
        bend_gradient(of(c.edge, k - 1), of(c.edge, k), of(c.bend, k), of(s.bend, k), bend);
        scatter(bend, g + 4 * (k - 1));
    }
}

void potential_hessian(const RodSystem& s, const RodConfiguration& c, const Lane& curving, Lane* g, RodMatrix& a)
{
    for (int i = 0; i < 4 * s.n - 1; ++i) g[i] = Lane{};
    a.reset(4 * s.n - 1);
    vertex_gradient(s, c, g);
    vertex_hessian(s, a);
    RodStretchDerivatives stretch;
    for (int k = 0; k + 1 < s.n; ++k) {
        const LaneVec3 turn = turn_gradient(s, c, k);
        stretch_hessian(of(c.edge, k), of(s.stretch, k), curving, stretch);
        edge_gradient(s, c, k, turn, stretch, g);
        edge_hessian(s, k, turn, stretch, a);
    }
    RodBendDerivatives bend;
    for (int k = 1; k + 1 < s.n; ++k) {
        bend_hessian(of(c.edge, k - 1), of(c.edge, k), of(c.bend, k), of(s.bend, k), curving, bend);
        scatter(bend, g + 4 * (k - 1));
        scatter(bend, 4 * (k - 1), a);
    }
}

} // namespace rivulet
