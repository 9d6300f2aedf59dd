#include "grid/transfer.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "grid/arena.h"
#include "grid/bspline.h"
#include "grid/cell_batch.h"
#include "grid/face_kernels.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace rivulet {
namespace {

/// Nodes that the particles of a tile reach from where they are, and after half a step.
using NearArena = Arena<-1, 11, 10>;
using WideArena = Arena<-2, 13, 13>;

/// Index of the lowest of the nodes around a cell, in the arena of a component.
template <class ArenaType>
int first_node(const Vec3i& cell, int component)
{
    return ArenaType::at(cell[component] - 1, cell[lower_other(component)] - 1, cell[higher_other(component)] - 1);
}

/// Mass, velocity and velocity gradient (per cell) of the particles of a batch.
template <class Real>
struct BatchMotion {
    Lanes<Real> mass, velocity[3], gradient[3][3];

    [[gnu::always_inline]] BatchMotion(const ParticleInput& particles, const BatchIds<Real>& ids, int n,
                                       double cell_size)
    {
        mass = first_lanes<Real>(n, ids.lanes([&](std::size_t p) { return particles.mass(p); }));
        for (int a = 0; a < 3; ++a) {
            velocity[a] = ids.lanes([&](std::size_t p) { return particles.velocity[p][a]; });
            if (!particles.lead.empty())
                velocity[a] += static_cast<Real>(particles.lead_part) *
                               ids.lanes([&](std::size_t p) { return static_cast<double>(particles.lead[p][a]); });
            for (int b = 0; b < 3; ++b)
                gradient[a][b] =
                    static_cast<Real>(cell_size) * ids.lanes([&](std::size_t p) { return particles.affine[p](a, b); });
        }
    }
};

/// What the particles of one tile bring.
struct TileSums {
    std::array<NearArena, 3> momentum, mass;
};

template <class Real>
void scatter_cell(const CellParticles& cell, const ParticleInput& particles, TileSums& sums)
{
    CellScatter<Real> scatter[3];
    const auto flush = [&] {
        for (int a = 0; a < 3; ++a) {
            const int first = first_node<NearArena>(cell.cell, a);
            scatter[a].template flush<NearArena::kRow, NearArena::kPlane>(
                sums.momentum[static_cast<std::size_t>(a)].value.data() + first,
                sums.mass[static_cast<std::size_t>(a)].value.data() + first);
        }
    };
    for_batches<Real>(cell, particles.position,
                      [&](const CellBatch<Real>& batch, const BatchIds<Real>& ids, int count) {
                          const BatchMotion<Real> motion(particles, ids, count, cell.size);
                          scatter[0].add(batch, 0, count, motion.mass, motion.velocity[0], motion.gradient[0]);
                          scatter[1].add(batch, 1, count, motion.mass, motion.velocity[1], motion.gradient[1]);
                          scatter[2].add(batch, 2, count, motion.mass, motion.velocity[2], motion.gradient[2]);
                          if (scatter[0].is_full()) flush();
                      });
    flush();
}

template <class Real>
void scatter_tile(const TileGrid& grid, const ParticleOrder& order, int t, const ParticleInput& particles,
                  FaceFields& faces)
{
    TileSums sums;
    for (std::size_t a = 0; a < 3; ++a) {
        sums.momentum[a].value.fill(0);
        sums.mass[a].value.fill(0);
    }
    for_cells(grid, order, t, [&](const CellParticles& cell) { scatter_cell<Real>(cell, particles, sums); });
    for (std::size_t a = 0; a < 3; ++a) {
        sums.momentum[a].add_to(grid, t, static_cast<int>(a), faces.velocity[a]);
        sums.mass[a].add_to(grid, t, static_cast<int>(a), faces.mass[a]);
    }
}

template <class Real, int A>
[[gnu::always_inline]] inline void gather_component(const CellParticles& cell, const CellBatch<Real>& batch,
                                                    const NearArena& arena, Column<Real> (&column)[12])
{
    CellGather<Real> gathered;
    gathered.template from<NearArena::kRow, NearArena::kPlane>(
        batch, A, arena.value.data() + first_node<NearArena>(cell.cell, A));
    store_lanes<Real>(column[A].value, gathered.value);
    for (int b = 0; b < 3; ++b)
        store_lanes<Real>(column[3 + A + 3 * b].value, static_cast<Real>(4 * cell.inverse_size) * gathered.moment[b]);
}

template <class Real>
void gather_cell(const CellParticles& cell, const std::array<NearArena, 3>& arena, std::span<const Vec3> position,
                 std::span<Vec3> velocity, std::span<Mat3> affine, const LeadOutput& lead)
{
    for_batches<Real>(cell, position, [&](const CellBatch<Real>& batch, const BatchIds<Real>& ids, int count) {
        Column<Real> column[12];
        gather_component<Real, 0>(cell, batch, arena[0], column);
        gather_component<Real, 1>(cell, batch, arena[1], column);
        gather_component<Real, 2>(cell, batch, arena[2], column);
        for (int i = 0; i < count; ++i) {
            const std::size_t p = ids.id[i];
            if (!lead.lead.empty())
                for (int a = 0; a < 3; ++a)
                    lead.lead[p][a] = static_cast<float>(lead.kept * lead.lead[p][a] +
                                                         lead.factor * (column[a].value[i] - velocity[p][a]));
            for (int a = 0; a < 3; ++a) velocity[p][a] = column[a].value[i];
            for (int a = 0; a < 9; ++a) affine[p].data()[a] = column[3 + a].value[i];
        }
    });
}

/// Calls body(tile, arenas of the three components) for every tile that holds particles.
template <class ArenaType, class Body>
void for_arenas(const TileGrid& grid, const ParticleOrder& order, const std::array<std::vector<double>, 3>& velocity,
                const char* name, Body&& body)
{
    parallel_for(grid.n_tiles(), name, [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        if (order.cell_table[static_cast<std::size_t>(t)] < 0) return;
        std::array<ArenaType, 3> arena;
        for (std::size_t a = 0; a < 3; ++a) arena[a].load(grid, t, static_cast<int>(a), velocity[a]);
        body(t, arena);
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
};

/// The same for a point near a tile, the three axes side by side.
class MidpointWeights {
public:
    MidpointWeights(const Vec3& x, const Vec3& corner, double inverse_cell) noexcept
    {
        const Lanes<double> place{(x[0] - corner[0]) * inverse_cell, (x[1] - corner[1]) * inverse_cell,
                                  (x[2] - corner[2]) * inverse_cell, 0};
        for (int on_faces = 0; on_faces < 2; ++on_faces) {
            using FourInts [[gnu::vector_size(16)]] = int;
            constexpr int kShift = 16; // conversion rounds towards zero
            const Lanes<double> s = on_faces != 0 ? place : place - 0.5;
            const FourInts first = __builtin_convertvector(s + (kShift - 0.5), FourInts) - kShift;
            const Lanes<double> t = s - __builtin_convertvector(first, Lanes<double>);
            const Lanes<double> a = 1.5 - t, b = t - 1.0, c = t - 0.5;
            store_lanes<double>(weight_[on_faces][0], 0.5 * a * a);
            store_lanes<double>(weight_[on_faces][1], 0.75 - b * b);
            store_lanes<double>(weight_[on_faces][2], 0.5 * c * c);
            __builtin_memcpy(first_[on_faces], &first, sizeof first);
        }
    }
    [[nodiscard]] bool in_arena() const noexcept
    {
        bool inside = true;
        for (const auto& first : first_)
            for (int axis = 0; axis < 3; ++axis) inside = inside & WideArena::holds(first[axis]);
        return inside;
    }
    [[nodiscard, gnu::always_inline]] double gather(int component, const WideArena& arena) const noexcept
    {
        const int low = lower_other(component), high = higher_other(component);
        const double* nodes = arena.value.data() + WideArena::at(first_[1][component], first_[0][low], first_[0][high]);
        Lanes<double> value{};
        for (int k = 0; k < 3; ++k) {
            Lanes<double> plane{};
            for (int j = 0; j < 3; ++j)
                plane += weight_[0][j][low] * load_lanes(nodes + WideArena::kRow * j + WideArena::kPlane * k);
            value += weight_[0][k][high] * plane;
        }
        return weight_[1][0][component] * value[0] + weight_[1][1][component] * value[1] +
               weight_[1][2][component] * value[2];
    }

private:
    alignas(32) double weight_[2][3][4]; ///< at centres and on faces, of three nodes, along each axis
    int first_[2][4];
};

/// Calls body(axis, face, weight) for the faces that a point reaches; none where it has no tile.
template <class Body>
void for_faces_about(const TileGrid& grid, const Vec3& x, Body&& body)
{
    const Vec3i cell = cell_of(x, grid.origin(), grid.cell_size());
    const int t = grid.find({cell.x() >> 3, cell.y() >> 3, cell.z() >> 3});
    if (t == grid.n_tiles()) return;
    const PointWeights weights(x, grid.node(t, 0, 0, 0), 1 / grid.cell_size());
    for (int a = 0; a < 3; ++a) {
        const BSplineWeights& wx = weights.of(0, a);
        const BSplineWeights& wy = weights.of(1, a);
        const BSplineWeights& wz = weights.of(2, a);
        for (int n = 0; n < 27; ++n) {
            const int i = n % 3;
            const int j = n / 3 % 3;
            const int k = n / 9;
            body(a, grid.index(t, wx.first + i, wy.first + j, wz.first + k), wx.w[i] * wy.w[j] * wz.w[k]);
        }
    }
}

std::span<const std::int32_t> particles_of(const ParticleOrder& order, int t)
{
    const auto i = static_cast<std::size_t>(t);
    return std::span(order.order)
        .subspan(static_cast<std::size_t>(order.tile_begin[i]),
                 static_cast<std::size_t>(order.tile_begin[i + 1] - order.tile_begin[i]));
}

} // namespace

void FaceFields::reset(const TileGrid& grid)
{
    for (std::size_t a = 0; a < 3; ++a) {
        velocity[a].resize(grid.field_size());
        mass[a].resize(grid.field_size());
    }
    parallel_for(grid.n_tiles() + 1, "clear faces", [&](std::int64_t t) {
        for (std::size_t a = 0; a < 3; ++a) {
            std::fill_n(velocity[a].begin() + t * kTileCells, kTileCells, 0.0);
            std::fill_n(mass[a].begin() + t * kTileCells, kTileCells, 0.0);
        }
    });
}

void particles_to_faces(const TileGrid& grid, const ParticleOrder& order, const ParticleInput& particles,
                        FaceFields& faces, TransferPrecision precision)
{
    faces.reset(grid);
    coloured_for(grid.colours(), "particles to faces", [&](int t) {
        if (order.cell_table[static_cast<std::size_t>(t)] < 0) return;
        if (precision == TransferPrecision::Double)
            scatter_tile<double>(grid, order, t, particles, faces);
        else
            scatter_tile<float>(grid, order, t, particles, faces);
    });
    constexpr double kMost = std::numeric_limits<double>::max();
    std::atomic<bool> is_bad = false; // the same whoever finds it
    parallel_for(grid.n_tiles(), "momentum to velocity", [&](std::int64_t t) {
        std::int64_t beyond = 0; // as wide as the values, so that the compiler compares several at once
        for (std::size_t a = 0; a < 3; ++a) {
            double* u = faces.velocity[a].data() + t * kTileCells;
            const double* m = faces.mass[a].data() + t * kTileCells;
            for (int c = 0; c < kTileCells; ++c) {
                u[c] = m[c] > 0 ? u[c] / m[c] : 0;
                beyond |= std::abs(u[c]) <= kMost && std::abs(m[c]) <= kMost ? 0 : -1;
            }
        }
        if (beyond != 0) is_bad = true;
    });
    faces.is_finite = !is_bad;
}

void faces_to_particles(const TileGrid& grid, const ParticleOrder& order,
                        const std::array<std::vector<double>, 3>& velocity, std::span<const Vec3> position,
                        std::span<Vec3> particle_velocity, std::span<Mat3> particle_affine, TransferPrecision precision,
                        const LeadOutput& lead)
{
    for_arenas<NearArena>(grid, order, velocity, "faces to particles", [&](int t, const auto& arena) {
        for_cells(grid, order, t, [&](const CellParticles& cell) {
            if (precision == TransferPrecision::Double)
                gather_cell<double>(cell, arena, position, particle_velocity, particle_affine, lead);
            else
                gather_cell<float>(cell, arena, position, particle_velocity, particle_affine, lead);
        });
    });
}

FaceMean mean_of_faces(const TileGrid& grid, const std::array<std::vector<double>, 3>& velocity, const Vec3& x)
{
    FaceMean mean;
    for_faces_about(grid, x, [&](int a, std::size_t face, double weight) {
        const double u = velocity[static_cast<std::size_t>(a)][face], part = weight * u;
        mean.velocity[a] += part;
        mean.square += part * u;
    });
    return mean;
}

Vec3 largest_at_faces(const TileGrid& grid, const std::array<std::vector<double>, 3>& velocity, const Vec3& x)
{
    Vec3 largest = Vec3::Zero();
    for_faces_about(grid, x, [&](int a, std::size_t face, double) {
        largest[a] = std::max(largest[a], std::abs(velocity[static_cast<std::size_t>(a)][face]));
    });
    return largest;
}

Vec3 interpolate_faces(const TileGrid& grid, const std::array<std::vector<double>, 3>& velocity, const Vec3& x)
{
    Vec3 u = Vec3::Zero();
    for_faces_about(grid, x, [&](int a, std::size_t face, double weight) {
        u[a] += weight * velocity[static_cast<std::size_t>(a)][face];
    });
    return u;
}

void advect_midpoint(const TileGrid& grid, const ParticleOrder& order,
                     const std::array<std::vector<double>, 3>& velocity, std::span<const Vec3> particle_velocity,
                     double dt, std::span<Vec3> position, const LeadInput& lead)
{
    for_arenas<WideArena>(grid, order, velocity, "advect", [&](int t, const auto& arena) {
        const Vec3 corner = grid.node(t, 0, 0, 0);
        for (const std::int32_t id : particles_of(order, t)) {
            const auto p = static_cast<std::size_t>(id);
            const Vec3 middle = position[p] + 0.5 * dt * particle_velocity[p];
            const MidpointWeights weights(middle, corner, 1 / grid.cell_size());
            if (weights.in_arena())
                for (int a = 0; a < 3; ++a)
                    position[p][a] += dt * weights.gather(a, arena[static_cast<std::size_t>(a)]);
            else
                position[p] += dt * interpolate_faces(grid, velocity, middle);
            if (!lead.lead.empty())
                position[p] += dt * (lead.lead[p].cast<double>() - 0.5 * dt * (lead.affine[p] * particle_velocity[p]));
        }
    });
}

} // namespace rivulet
