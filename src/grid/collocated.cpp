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
/// Adds the sums of the groups to three nodes in a row.
[[gnu::always_inline]] inline void add_sums(double* p, const Lanes<double> (&v)[3])
{
    for (int i = 0; i < 3; ++i) add_groups(p + 4 * i, v[i]);
}
[[gnu::always_inline]] inline void add_sums(float* p, const Lanes<float> (&v)[3])
{
    const Lanes<float> two = __builtin_shufflevector(v[0], v[1], 0, 1, 2, 3, 8, 9, 10, 11) +
                             __builtin_shufflevector(v[0], v[1], 4, 5, 6, 7, 12, 13, 14, 15);
    store_lanes<float>(p, load_lanes(p) + two);
    Four third;
    __builtin_memcpy(&third, p + 8, sizeof third);
    third += __builtin_shufflevector(v[2], v[2], 0, 1, 2, 3) + __builtin_shufflevector(v[2], v[2], 4, 5, 6, 7);
    __builtin_memcpy(p + 8, &third, sizeof third);
}

/// What the particles of a cell bring to its 27 nodes: (momentum, mass) fills a group of lanes, so a register holds one
/// particle in double and two in float. At node (i, j, k) a particle adds
///   z_k x_i (t_j + dz_k u_j + dx_i r_j),   t = y (p + q_y dy),  r = y q_x,  u = y q_z,
/// p = m (v, 1), q = m dx (C, 0), weights x, y, z, distances in cells. Sums stay in registers, a slice of nine nodes at
/// a time, and go to memory once a cell.
template <class Real>
class NodeScatter {
public:
    using V = Lanes<Real>;
    static constexpr int kBatches = 4;

    [[gnu::always_inline]] void add(const CellBatch<Real>& batch, const BatchIds<Real>& ids, int n, double cell_size,
                                    std::span<const PointMotion<Real>> particles) noexcept
    {
        V x_weight[3];
        for (int j = 0; j < 3; ++j) x_weight[j] = first_lanes<Real>(n, batch.centred[0][j]);
        add_row<0>(batch, x_weight, ids, cell_size, particles);
        if (n > 1) add_row<1>(batch, x_weight, ids, cell_size, particles);
        if (n > 2) add_row<2>(batch, x_weight, ids, cell_size, particles);
        if (n > 3) add_row<3>(batch, x_weight, ids, cell_size, particles);
        ++n_batches_;
    }

    [[nodiscard]] bool is_full() const noexcept { return n_batches_ == kBatches; }

    /// Adds the sums to the arena and starts anew.
    void flush(Real* nodes) noexcept
    {
        for (int k = 0; k < 3; ++k) {
            V sum[3][3]{};
            for (const Row* row = rows_; row != rows_ + n_rows_; ++row) {
                const V z = row->z[k], d = row->dz[k];
                for (int j = 0; j < 3; ++j) {
                    const V near = z * (row->t[j] + d * row->u[j]);
                    const V far = z * row->r[j];
                    for (int i = 0; i < 3; ++i) {
                        sum[j][i] += row->x[i] * near;
                        sum[j][i] += row->xd[i] * far;
                    }
                }
            }
            for (int j = 0; j < 3; ++j) add_sums(nodes + NodeArena<Real>::step(0, j, k), sum[j]);
        }
        n_rows_ = n_batches_ = 0;
    }

private:
    struct Row {
        V t[3], r[3], u[3], x[3], xd[3], z[3], dz[3];
    };

    /// The particles in lane P of the groups.
    template <int P>
    [[gnu::always_inline]] void add_row(const CellBatch<Real>& batch, const V (&x_weight)[3], const BatchIds<Real>& ids,
                                        double cell_size, std::span<const PointMotion<Real>> particles) noexcept
    {
        Row& row = rows_[n_rows_++];
        const PointMotion<Real>& one = particles[ids.id[P]];
        const PointMotion<Real>& other = particles[ids.id[(P + 4) % kLanes<Real>]];
        const V motion = load_pair(one.velocity, other.velocity);
        const V mass = spread_lane<3>(motion);
        const V scale = with_fourth(static_cast<Real>(cell_size) * mass, V{});
        const V momentum = mass * with_fourth(motion, V{} + 1);
        V q[3], d[3];
        for (int a = 0; a < 3; ++a) {
            q[a] = scale * load_pair(one.affine[a], other.affine[a]);
            d[a] = spread_lane<P>(batch.to_centre(a, 1));
        }
        for (int j = 0; j < 3; ++j) {
            const V y = spread_lane<P>(batch.centred[1][j]);
            row.t[j] = y * (momentum + q[1] * (d[1] + Real(j - 1)));
            row.r[j] = y * q[0];
            row.u[j] = y * q[2];
            row.x[j] = spread_lane<P>(x_weight[j]);
            row.xd[j] = row.x[j] * (d[0] + Real(j - 1));
            row.z[j] = spread_lane<P>(batch.centred[2][j]);
            row.dz[j] = d[2] + Real(j - 1);
        }
    }

    Row rows_[4 * kBatches];
    int n_rows_ = 0;
    int n_batches_ = 0;
};

template <class Real>
void scatter_cell(const CellParticles& cell, std::span<const Vec3> position,
                  std::span<const PointMotion<Real>> particles, NodeArena<Real>& arena)
{
    Real* nodes = arena.value.data() + NodeArena<Real>::around(cell.cell);
    NodeScatter<Real> scatter;
    cell.fetch_ahead([&](std::size_t p) { return &particles[p]; });
    for_batches<Real>(cell, position, [&](const CellBatch<Real>& batch, const BatchIds<Real>& ids, int n) {
        scatter.add(batch, ids, n, cell.size, particles);
        if (scatter.is_full()) scatter.flush(nodes);
    });
    scatter.flush(nodes);
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
