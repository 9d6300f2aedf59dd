#include "grid/collocated.h"

#include "base/parallel.h"
#include "grid/cell_batch.h"

#include <algorithm>
#include <array>
#include <memory>

namespace rivulet {
namespace {

/// The nodes that particles of one tile reach: the tile's own and one more on every side.
template <class Real>
struct NodeArena {
    static constexpr int kFirst = -1;
    static constexpr int kEdge = kTileEdge + 2;
    alignas(32) std::array<Real, static_cast<std::size_t>(4 * kEdge * kEdge * kEdge)> value;

    /// The lowest of the 27 nodes around a cell.
    static std::size_t around(const Vec3i& cell) noexcept
    {
        return static_cast<std::size_t>(4 * (cell.x() + kEdge * (cell.y() + kEdge * cell.z())));
    }
    static constexpr int step(int i, int j, int k) noexcept { return 4 * (i + kEdge * (j + kEdge * k)); }

    /// Calls body(index of the node in the field, place in the arena, how many numbers) for every run of nodes that
    /// lies in one row of one tile.
    template <class Body>
    void for_rows(const TileGrid& grid, int t, Body&& body)
    {
        for (int k = kFirst; k <= kTileEdge; ++k)
            for (int j = kFirst; j <= kTileEdge; ++j) {
                Real* row = value.data() + step(0, j - kFirst, k - kFirst);
                body(grid.index(t, -1, j, k), row, 4);
                body(grid.index(t, 0, j, k), row + 4, 4 * kTileEdge);
                body(grid.index(t, kTileEdge, j, k), row + 4 + 4 * kTileEdge, 4);
            }
    }
};

using Four [[gnu::vector_size(16)]] = float;

/// Four numbers of the particle in each group, and back.
[[gnu::always_inline]] inline Lanes<double> load_pair(const double* p, const double*) { return load_lanes(p); }
[[gnu::always_inline]] inline Lanes<float> load_pair(const float* p, const float* q)
{
    Four a, b;
    __builtin_memcpy(&a, p, sizeof a);
    __builtin_memcpy(&b, q, sizeof b);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}
/// The first three of each group from a, the fourth from b.
[[gnu::always_inline]] inline Lanes<double> with_fourth(const Lanes<double>& a, const Lanes<double>& b)
{
    return __builtin_shufflevector(a, b, 0, 1, 2, 7);
}
[[gnu::always_inline]] inline Lanes<float> with_fourth(const Lanes<float>& a, const Lanes<float>& b)
{
    return __builtin_shufflevector(a, b, 0, 1, 2, 11, 4, 5, 6, 15);
}
/// Four numbers each of three nodes in a row.
template <class Real>
struct NodeRow;
template <>
struct NodeRow<double> {
    Lanes<double> node[3];

    /// Of the groups' sums.
    [[gnu::always_inline]] NodeRow(const Lanes<double>& a, const Lanes<double>& b, const Lanes<double>& c)
        : node{a, b, c}
    {
    }
    [[gnu::always_inline]] void add_to(double* p) const
    {
        for (int i = 0; i < 3; ++i) add_groups(p + 4 * i, node[i]);
    }
    [[gnu::always_inline]] void subtract(const NodeRow& other)
    {
        for (int i = 0; i < 3; ++i) node[i] -= other.node[i];
    }
};
template <>
struct NodeRow<float> {
    Lanes<float> two;
    Four third;

    [[gnu::always_inline]] NodeRow(const Lanes<float>& a, const Lanes<float>& b, const Lanes<float>& c)
        : two(__builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11) +
              __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)),
          third(__builtin_shufflevector(c, c, 0, 1, 2, 3) + __builtin_shufflevector(c, c, 4, 5, 6, 7))
    {
    }
    [[gnu::always_inline]] void add_to(float* p) const
    {
        store_lanes<float>(p, load_lanes(p) + two);
        Four old;
        __builtin_memcpy(&old, p + 8, sizeof old);
        old += third;
        __builtin_memcpy(p + 8, &old, sizeof old);
    }
    [[gnu::always_inline]] void subtract(const NodeRow& other)
    {
        two -= other.two;
        third -= other.third;
    }
};

/// Where in its cell the particle of each group is, 0 .. 1 along x, y and z in the first three lanes.
[[gnu::always_inline]] inline Lanes<double> place_in(const CellParticles& cell, const Vec3& x)
{
    const Lanes<double> corner{cell.corner[0], cell.corner[1], cell.corner[2], 0};
    const Lanes<double> n{static_cast<double>(cell.cell[0]), static_cast<double>(cell.cell[1]),
                          static_cast<double>(cell.cell[2]), 0};
    return (Lanes<double>{x[0], x[1], x[2], 0} - corner) * cell.inverse_size - n;
}
[[gnu::always_inline]] inline Lanes<double> places_in(const CellParticles& cell, const Vec3& x, const Vec3&, double)
{
    return place_in(cell, x);
}
[[gnu::always_inline]] inline Lanes<float> places_in(const CellParticles& cell, const Vec3& x, const Vec3& y, float)
{
    return join(place_in(cell, x), place_in(cell, y));
}

/// What the particles of a cell bring to its 27 nodes: (momentum, mass) fills a group of lanes, so a register holds one
/// particle in double and two in float. At node (i, j, k) a particle adds
///   z_k x_i (t_j + dz_k u_j + dx_i r_j),   t = y (p + q_y dy),  r = y q_x,  u = y q_z,
/// p = m (v, 1), q = m dx (C, 0), weights x, y, z, distances in cells. Sums stay in registers, a slice of nine nodes at
/// a time, and go to memory once a cell.
///
/// Along each axis the three weights add up to 1, and weights times distances to 0. So in place of the middle node's
/// part (index 1) that of all three together is summed, which needs no weights; the middle one is what the outer two
/// leave of it. Its weight is at least a half: nothing is lost by that.
template <class Real>
struct ScatterRow {
    using V = Lanes<Real>;
    V t[3], r[3], u[3];
    V x[2], xd[2], z[2], zd[2]; ///< of the outer nodes: weights, and weights times distances

    /// The particles in the groups, `places` in the cell.
    [[gnu::always_inline]] void set(const V& places, const PointMotion<Real>& one, const PointMotion<Real>& other,
                                    double cell_size) noexcept
    {
        const V motion = load_pair(one.velocity, other.velocity);
        const V mass = spread_lane<3>(motion);
        const V scale = with_fourth(static_cast<Real>(cell_size) * mass, V{});
        const V momentum = mass * with_fourth(motion, V{} + 1);
        V q[3];
        for (int a = 0; a < 3; ++a) q[a] = scale * load_pair(one.affine[a], other.affine[a]);
        t[1] = momentum;
        r[1] = q[0];
        u[1] = q[2];
        for (int n = 0; n < 2; ++n) { // along all axes at once
            const V distance = Real(n == 0 ? -0.5 : 1.5) - places, to_far_side = n == 0 ? 1 - places : places;
            const V weight = Real(0.5) * to_far_side * to_far_side, moment = weight * distance;
            const V y = spread_lane<1>(weight);
            t[2 * n] = y * momentum + spread_lane<1>(moment) * q[1];
            r[2 * n] = y * q[0];
            u[2 * n] = y * q[2];
            x[n] = spread_lane<0>(weight);
            xd[n] = spread_lane<0>(moment);
            z[n] = spread_lane<2>(weight);
            zd[n] = spread_lane<2>(moment);
        }
    }
};

/// Nine nodes in a plane across z.
template <class Real>
struct NodeSlice {
    NodeRow<Real> row[3]; ///< along x, by j

    [[gnu::always_inline]] void add_to(Real* nodes) const
    {
        for (int j = 0; j < 3; ++j) row[j].add_to(nodes + NodeArena<Real>::step(0, j, 0));
    }
    [[gnu::always_inline]] void subtract(const NodeSlice& other)
    {
        for (int j = 0; j < 3; ++j) row[j].subtract(other.row[j]);
    }
};

/// What the particles bring to the nodes of index K along z; for K = 1 to all three together.
template <int K, class Real>
[[nodiscard, gnu::always_inline]] inline NodeSlice<Real> slice_of(std::span<const ScatterRow<Real>> rows) noexcept
{
    using V = Lanes<Real>;
    V left[3], all[3], right[3]; // by j
    for (int j = 0; j < 3; ++j) left[j] = all[j] = right[j] = V{};
    for (const ScatterRow<Real>& row : rows) {
        const V x0 = row.x[0], x2 = row.x[1], xd0 = row.xd[0], xd2 = row.xd[1];
        for (int j = 0; j < 3; ++j) {
            V near = row.t[j], far = row.r[j];
            if constexpr (K != 1) {
                near = row.z[K / 2] * near + row.zd[K / 2] * row.u[j];
                far = row.z[K / 2] * far;
            }
            left[j] += x0 * near;
            left[j] += xd0 * far;
            right[j] += x2 * near;
            right[j] += xd2 * far;
            all[j] += near;
        }
    }
    left[1] -= left[0] + left[2];
    right[1] -= right[0] + right[2];
    all[1] -= all[0] + all[2];
    for (int j = 0; j < 3; ++j) all[j] -= left[j] + right[j];
    return {{NodeRow<Real>(left[0], all[0], right[0]), NodeRow<Real>(left[1], all[1], right[1]),
             NodeRow<Real>(left[2], all[2], right[2])}};
}

/// Not inlined: the compiler would run out of registers.
template <class Real>
[[gnu::noinline]] void add_rows(std::span<const ScatterRow<Real>> rows, Real* nodes) noexcept
{
    NodeSlice<Real> middle = slice_of<1>(rows);
    const NodeSlice<Real> below = slice_of<0>(rows);
    middle.subtract(below);
    below.add_to(nodes);
    const NodeSlice<Real> above = slice_of<2>(rows);
    middle.subtract(above);
    above.add_to(nodes + NodeArena<Real>::step(0, 0, 2));
    middle.add_to(nodes + NodeArena<Real>::step(0, 0, 1));
}

template <class Real>
void scatter_cell(const CellParticles& cell, std::span<const Vec3> position,
                  std::span<const PointMotion<Real>> particles, NodeArena<Real>& arena)
{
    static constexpr PointMotion<Real> kNothing{};
    constexpr std::size_t kGroups = kLanes<Real> / 4, kRows = 8;
    Real* nodes = arena.value.data() + NodeArena<Real>::around(cell.cell);
    ScatterRow<Real> rows[kRows];
    cell.fetch_ahead([&](std::size_t p) { return &particles[p]; });
    for (std::size_t begin = 0; begin < cell.ids.size(); begin += kRows * kGroups) {
        const auto ids = cell.ids.subspan(begin, std::min(kRows * kGroups, cell.ids.size() - begin));
        std::size_t n_rows = 0;
        for (std::size_t i = 0; i < ids.size(); i += kGroups) {
            const bool is_pair = i + 1 < ids.size();
            const auto p = static_cast<std::size_t>(ids[i]), q = static_cast<std::size_t>(ids[is_pair ? i + 1 : i]);
            rows[n_rows++].set(places_in(cell, position[p], position[q], Real()), particles[p],
                               is_pair ? particles[q] : kNothing, cell.size);
        }
        add_rows<Real>(std::span(rows, n_rows), nodes);
    }
}

/// One component at the particles of a batch: value and moments, factored z, then y, then x.
template <class Real>
struct NodeGather {
    using V = Lanes<Real>;
    V value{};
    V moment[3]{};

    [[gnu::always_inline]] NodeGather(const CellBatch<Real>& batch, const V (&moments)[3][3], const Real* nodes)
    {
        const auto& w = batch.centred;
        for (int i = 0; i < 3; ++i) {
            V plane{}, plane_y{}, plane_z{};
            for (int j = 0; j < 3; ++j) {
                V row{}, row_z{};
                for (int k = 0; k < 3; ++k) {
                    const V u = spread(nodes[NodeArena<Real>::step(i, j, k)]);
                    row += w[2][k] * u;
                    row_z += moments[2][k] * u;
                }
                plane += w[1][j] * row;
                plane_y += moments[1][j] * row;
                plane_z += w[1][j] * row_z;
            }
            value += w[0][i] * plane;
            moment[0] += moments[0][i] * plane;
            moment[1] += w[0][i] * plane_y;
            moment[2] += w[0][i] * plane_z;
        }
    }
};

/// The particle's part of a register whose groups hold particles p and p + 4.
[[gnu::always_inline]] inline void store_group(double* to, const Lanes<double>& v, int) { store_lanes<double>(to, v); }
[[gnu::always_inline]] inline void store_group(float* to, const Lanes<float>& v, int group)
{
    const Four four =
        group == 0 ? __builtin_shufflevector(v, v, 0, 1, 2, 3) : __builtin_shufflevector(v, v, 4, 5, 6, 7);
    __builtin_memcpy(to, &four, sizeof four);
}

template <class Real>
void gather_batch(const CellParticles& cell, const CellBatch<Real>& batch, const BatchIds<Real>& ids, int n,
                  const NodeArena<Real>& arena, std::span<PointMotion<Real>> particles)
{
    using V = Lanes<Real>;
    V moments[3][3];
    for (int a = 0; a < 3; ++a)
        for (int j = 0; j < 3; ++j) moments[a][j] = batch.centred[a][j] * batch.to_centre(a, j);
    const Real* nodes = arena.value.data() + NodeArena<Real>::around(cell.cell);
    const auto scale = static_cast<Real>(4 * cell.inverse_size);
    V velocity[4], column[3][4];
    for (int a = 0; a < 3; ++a) {
        const NodeGather<Real> gathered(batch, moments, nodes + a);
        velocity[a] = gathered.value;
        for (int b = 0; b < 3; ++b) column[b][a] = scale * gathered.moment[b];
    }
    velocity[3] = ids.lanes([&](std::size_t p) { return static_cast<double>(particles[p].mass); });
    for (auto& c : column) c[3] = V{};
    transpose_groups(velocity);
    for (auto& c : column) transpose_groups(c);
    for (int p = 0; p < kLanes<Real>; ++p) {
        if (p >= n) break;
        PointMotion<Real>& to = particles[ids.id[p]];
        store_group(to.velocity, velocity[p % 4], p / 4);
        for (int b = 0; b < 3; ++b) store_group(to.affine[b], column[b][p % 4], p / 4);
    }
}

} // namespace

template <class Real>
void particles_to_nodes(const TileGrid& grid, const ParticleOrder& order, std::span<const Vec3> position,
                        std::span<const PointMotion<Real>> particles, std::vector<NodeMotion<Real>>& nodes)
{
    nodes.assign(grid.field_size(), {});
    const std::size_t outside = static_cast<std::size_t>(grid.n_tiles()) * kTileCells;
    coloured_for(grid.colours(), "particles to nodes", [&](int t) {
        if (order.cell_table[static_cast<std::size_t>(t)] < 0) return;
        NodeArena<Real> arena;
        arena.value.fill(0);
        for_cells(grid, order, t,
                  [&](const CellParticles& cell) { scatter_cell<Real>(cell, position, particles, arena); });
        arena.for_rows(grid, t, [&](std::size_t to, const Real* from, int n) {
            if (to >= outside) return;
            Real* field = nodes[to].velocity;
            for (int i = 0; i < n; ++i) field[i] += from[i];
        });
    });
    parallel_for(grid.n_tiles(), "momentum to velocity", [&](std::int64_t t) {
        for (int c = 0; c < kTileCells; ++c) {
            NodeMotion<Real>& node = nodes[static_cast<std::size_t>(t * kTileCells + c)];
            if (!(node.mass > 0)) continue;
            using FourReals [[gnu::vector_size(4 * sizeof(Real))]] = Real;
            FourReals motion;
            __builtin_memcpy(&motion, &node, sizeof motion);
            motion /= FourReals{node.mass, node.mass, node.mass, 1};
            __builtin_memcpy(&node, &motion, sizeof motion);
        }
    });
}

template <class Real>
void nodes_to_particles(const TileGrid& grid, const ParticleOrder& order, std::span<const NodeMotion<Real>> nodes,
                        std::span<const Vec3> position, std::span<PointMotion<Real>> particles)
{
    parallel_for(grid.n_tiles(), "nodes to particles", [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        if (order.cell_table[static_cast<std::size_t>(t)] < 0) return;
        NodeArena<Real> arena;
        arena.for_rows(grid, t, [&](std::size_t from, Real* to, int n) { std::copy_n(nodes[from].velocity, n, to); });
        for_cells(grid, order, t, [&](const CellParticles& cell) {
            cell.fetch_ahead([&](std::size_t p) { return &particles[p]; });
            for_batches<Real>(cell, position, [&](const CellBatch<Real>& batch, const BatchIds<Real>& ids, int n) {
                gather_batch<Real>(cell, batch, ids, n, arena, particles);
            });
        });
    });
}

template void particles_to_nodes(const TileGrid&, const ParticleOrder&, std::span<const Vec3>,
                                 std::span<const PointMotion<float>>, std::vector<NodeMotion<float>>&);
template void particles_to_nodes(const TileGrid&, const ParticleOrder&, std::span<const Vec3>,
                                 std::span<const PointMotion<double>>, std::vector<NodeMotion<double>>&);
template void nodes_to_particles(const TileGrid&, const ParticleOrder&, std::span<const NodeMotion<float>>,
                                 std::span<const Vec3>, std::span<PointMotion<float>>);
template void nodes_to_particles(const TileGrid&, const ParticleOrder&, std::span<const NodeMotion<double>>,
                                 std::span<const Vec3>, std::span<PointMotion<double>>);

} // namespace rivulet
