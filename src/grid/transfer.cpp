#include "grid/transfer.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "grid/bspline.h"

#include <algorithm>

namespace rivulet {
namespace {

using Lanes [[gnu::vector_size(32)]] = double;

Lanes load(const double* p)
{
    Lanes v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
void store(double* p, Lanes v) { __builtin_memcpy(p, &v, sizeof v); }
Lanes spread(double s) { return Lanes{s, s, s, s}; }
double sum(Lanes v) { return (v[0] + v[1]) + v[2]; } // the fourth lane belongs to the next node: never part of a sum

/// The nodes that particles of one tile can reach, copied around the tile so that inner loops know no tile borders.
/// Covers nodes kFirst .. kFirst + kEdge - 1 along each axis, counted from the tile's lower corner; rows are padded so
/// that four lanes can be loaded from any third node.
struct Arena {
    static constexpr int kFirst = -2;
    static constexpr int kEdge = 13;
    static constexpr int kRow = 14;
    static constexpr int kSize = kRow * kEdge * kEdge + 4;
    std::array<double, kSize> value;

    static int at(int i, int j, int k) noexcept { return (i - kFirst) + kRow * ((j - kFirst) + kEdge * (k - kFirst)); }
    static bool holds(int first) noexcept { return first >= kFirst && first + 2 < kFirst + kEdge; }
};

/// Calls body(run_in_field, run_in_arena, length) for every run of nodes that lies in one row of one tile.
template <class Body>
void for_arena_rows(const TileGrid& grid, int t, Body&& body)
{
    constexpr int last = Arena::kFirst + Arena::kEdge;
    for (int k = Arena::kFirst; k < last; ++k)
        for (int j = Arena::kFirst; j < last; ++j)
            for (int i = Arena::kFirst; i < last;) {
                const int end = std::min(last, i < 0 ? 0 : (i < kTileEdge ? kTileEdge : 2 * kTileEdge));
                body(grid.index(t, i, j, k), Arena::at(i, j, k), end - i);
                i = end;
            }
}

void load_arena(const TileGrid& grid, int t, const std::vector<double>& field, Arena& arena)
{
    for_arena_rows(grid, t, [&](std::size_t from, int to, int n) {
        std::copy_n(field.data() + from, n, arena.value.data() + to);
    });
}

void add_arena(const TileGrid& grid, int t, const Arena& arena, std::vector<double>& field)
{
    const std::size_t outside = static_cast<std::size_t>(grid.n_tiles()) * kTileCells;
    for_arena_rows(grid, t, [&](std::size_t to, int from, int n) {
        if (to >= outside) return;
        for (int i = 0; i < n; ++i)
            field[to + static_cast<std::size_t>(i)] += arena.value[static_cast<std::size_t>(from + i)];
    });
}

/// Weights of a point along each axis, for nodes on cell faces ([1]) and at cell centres ([0]).
struct PointWeights {
    BSplineWeights axis[3][2];

    PointWeights(const Vec3& x, const Vec3& corner, double inverse_cell) noexcept
    {
        for (int a = 0; a < 3; ++a) {
            const double s = (x[a] - corner[a]) * inverse_cell;
            axis[a][0] = quadratic_bspline(s - 0.5);
            axis[a][1] = quadratic_bspline(s);
        }
    }
    /// Weights along `a` of the staggered component `component`.
    [[nodiscard]] const BSplineWeights& of(int a, int component) const noexcept
    {
        return axis[a][a == component ? 1 : 0];
    }
    [[nodiscard]] bool in_arena() const noexcept
    {
        for (const auto& a : axis)
            if (!Arena::holds(a[0].first) || !Arena::holds(a[1].first)) return false;
        return true;
    }
};

Lanes lanes_of(const BSplineWeights& w) { return Lanes{w.w[0], w.w[1], w.w[2], 0}; }
/// Distances node - x of the three nodes, in cells.
Lanes distances(const BSplineWeights& w) { return Lanes{0 - w.offset, 1 - w.offset, 2 - w.offset, 0}; }

/// Scatters one particle's mass and momentum along `component` into the arenas.
void scatter(const PointWeights& weights, int component, double mass, double velocity, const Vec3& gradient_dx,
             Arena& momentum, Arena& mass_arena)
{
    const BSplineWeights& wx = weights.of(0, component);
    const BSplineWeights& wy = weights.of(1, component);
    const BSplineWeights& wz = weights.of(2, component);
    const Lanes m = spread(mass) * lanes_of(wx);
    const Lanes mv = m * (spread(velocity) + spread(gradient_dx.x()) * distances(wx));
    const int base = Arena::at(wx.first, wy.first, wz.first);
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j) {
            const double w = wy.w[j] * wz.w[k];
            const double shift = gradient_dx.y() * (j - wy.offset) + gradient_dx.z() * (k - wz.offset);
            const int row = base + Arena::kRow * (j + Arena::kEdge * k);
            double* p = momentum.value.data() + row;
            double* q = mass_arena.value.data() + row;
            store(p, load(p) + spread(w) * (mv + spread(shift) * m));
            store(q, load(q) + spread(w) * m);
        }
}

/// Value and gradient sums of one component at a point, from its arena.
struct Gathered {
    double value;
    Vec3 moment; ///< sum w u (node - x), in cells
};

Gathered gather(const PointWeights& weights, int component, const Arena& arena)
{
    const BSplineWeights& wx = weights.of(0, component);
    const BSplineWeights& wy = weights.of(1, component);
    const BSplineWeights& wz = weights.of(2, component);
    Lanes value{};
    Lanes moment_y{};
    Lanes moment_z{};
    const int base = Arena::at(wx.first, wy.first, wz.first);
    for (int k = 0; k < 3; ++k) {
        Lanes plane{};
        Lanes plane_y{};
        for (int j = 0; j < 3; ++j) {
            const Lanes row = spread(wy.w[j]) * load(arena.value.data() + base + Arena::kRow * (j + Arena::kEdge * k));
            plane += row;
            plane_y += spread(j - wy.offset) * row;
        }
        value += spread(wz.w[k]) * plane;
        moment_y += spread(wz.w[k]) * plane_y;
        moment_z += spread(wz.w[k] * (k - wz.offset)) * plane;
    }
    const Lanes w = lanes_of(wx);
    return {sum(w * value), Vec3(sum(w * distances(wx) * value), sum(w * moment_y), sum(w * moment_z))};
}

double gather_value(const PointWeights& weights, int component, const Arena& arena)
{
    const BSplineWeights& wx = weights.of(0, component);
    const BSplineWeights& wy = weights.of(1, component);
    const BSplineWeights& wz = weights.of(2, component);
    Lanes value{};
    const int base = Arena::at(wx.first, wy.first, wz.first);
    for (int k = 0; k < 3; ++k)
        for (int j = 0; j < 3; ++j)
            value += spread(wy.w[j] * wz.w[k]) * load(arena.value.data() + base + Arena::kRow * (j + Arena::kEdge * k));
    return sum(lanes_of(wx) * value);
}

std::span<const std::int32_t> particles_of(const ParticleOrder& order, int t)
{
    const auto i = static_cast<std::size_t>(t);
    return std::span(order.order)
        .subspan(static_cast<std::size_t>(order.tile_begin[i]),
                 static_cast<std::size_t>(order.tile_begin[i + 1] - order.tile_begin[i]));
}

void scatter_tile(const TileGrid& grid, int t, std::span<const std::int32_t> ids, const ParticleInput& particles,
                  FaceFields& faces)
{
    std::array<Arena, 3> momentum;
    std::array<Arena, 3> mass;
    for (Arena& a : momentum) a.value.fill(0);
    for (Arena& a : mass) a.value.fill(0);
    const Vec3 corner = grid.node(t, 0, 0, 0);
    const double dx = grid.cell_size();
    for (const std::int32_t id : ids) {
        const auto p = static_cast<std::size_t>(id);
        const PointWeights weights(particles.position[p], corner, 1 / dx);
        RIVULET_ASSERT(weights.in_arena());
        for (int a = 0; a < 3; ++a)
            scatter(weights, a, particles.mass[p], particles.velocity[p][a],
                    dx * particles.affine[p].row(a).transpose(), momentum[static_cast<std::size_t>(a)],
                    mass[static_cast<std::size_t>(a)]);
    }
    for (std::size_t a = 0; a < 3; ++a) {
        add_arena(grid, t, momentum[a], faces.velocity[a]);
        add_arena(grid, t, mass[a], faces.mass[a]);
    }
}

} // namespace

void FaceFields::reset(const TileGrid& grid)
{
    for (std::size_t a = 0; a < 3; ++a) {
        velocity[a].assign(grid.field_size(), 0);
        mass[a].assign(grid.field_size(), 0);
    }
}

void particles_to_faces(const TileGrid& grid, const ParticleOrder& order, const ParticleInput& particles,
                        FaceFields& faces)
{
    faces.reset(grid);
    coloured_for(grid.colours(), "particles to faces", [&](int t) {
        const auto ids = particles_of(order, t);
        if (!ids.empty()) scatter_tile(grid, t, ids, particles, faces);
    });
    parallel_for(grid.n_tiles(), "momentum to velocity", [&](std::int64_t t) {
        for (std::size_t a = 0; a < 3; ++a) {
            double* u = faces.velocity[a].data() + t * kTileCells;
            const double* m = faces.mass[a].data() + t * kTileCells;
            for (int c = 0; c < kTileCells; ++c) u[c] = m[c] > 0 ? u[c] / m[c] : 0;
        }
    });
}

void faces_to_particles(const TileGrid& grid, const ParticleOrder& order,
                        const std::array<std::vector<double>, 3>& velocity, std::span<const Vec3> position,
                        std::span<Vec3> particle_velocity, std::span<Mat3> particle_affine)
{
    const double dx = grid.cell_size();
    parallel_for(grid.n_tiles(), "faces to particles", [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        const auto ids = particles_of(order, t);
        if (ids.empty()) return;
        std::array<Arena, 3> arena;
        for (std::size_t a = 0; a < 3; ++a) load_arena(grid, t, velocity[a], arena[a]);
        const Vec3 corner = grid.node(t, 0, 0, 0);
        for (const std::int32_t id : ids) {
            const auto p = static_cast<std::size_t>(id);
            const PointWeights weights(position[p], corner, 1 / dx);
            for (int a = 0; a < 3; ++a) {
                const Gathered g = gather(weights, a, arena[static_cast<std::size_t>(a)]);
                particle_velocity[p][a] = g.value;
                particle_affine[p].row(a) = (4 / dx) * g.moment.transpose();
            }
        }
    });
}

Vec3 interpolate_faces(const TileGrid& grid, const std::array<std::vector<double>, 3>& velocity, const Vec3& x)
{
    const Vec3i cell = cell_of(x, grid.origin(), grid.cell_size());
    const int t = grid.find({cell.x() >> 3, cell.y() >> 3, cell.z() >> 3});
    if (t == grid.n_tiles()) return Vec3::Zero();
    const PointWeights weights(x, grid.node(t, 0, 0, 0), 1 / grid.cell_size());
    Vec3 u = Vec3::Zero();
    for (int a = 0; a < 3; ++a) {
        const BSplineWeights& wx = weights.of(0, a);
        const BSplineWeights& wy = weights.of(1, a);
        const BSplineWeights& wz = weights.of(2, a);
        for (int n = 0; n < 27; ++n) {
            const int i = n % 3;
            const int j = n / 3 % 3;
            const int k = n / 9;
            u[a] += wx.w[i] * wy.w[j] * wz.w[k] *
                    velocity[static_cast<std::size_t>(a)][grid.index(t, wx.first + i, wy.first + j, wz.first + k)];
        }
    }
    return u;
}

void advect_midpoint(const TileGrid& grid, const ParticleOrder& order,
                     const std::array<std::vector<double>, 3>& velocity, std::span<const Vec3> particle_velocity,
                     double dt, std::span<Vec3> position)
{
    parallel_for(grid.n_tiles(), "advect", [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        const auto ids = particles_of(order, t);
        if (ids.empty()) return;
        std::array<Arena, 3> arena;
        for (std::size_t a = 0; a < 3; ++a) load_arena(grid, t, velocity[a], arena[a]);
        const Vec3 corner = grid.node(t, 0, 0, 0);
        for (const std::int32_t id : ids) {
            const auto p = static_cast<std::size_t>(id);
            const Vec3 middle = position[p] + 0.5 * dt * particle_velocity[p];
            const PointWeights weights(middle, corner, 1 / grid.cell_size());
            if (weights.in_arena())
                for (int a = 0; a < 3; ++a)
                    position[p][a] += dt * gather_value(weights, a, arena[static_cast<std::size_t>(a)]);
            else
                position[p] += dt * interpolate_faces(grid, velocity, middle);
        }
    });
}

} // namespace rivulet
