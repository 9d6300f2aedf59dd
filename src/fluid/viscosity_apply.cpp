#include "base/parallel.h"
#include "fluid/viscosity_operator.h"
#include "fluid/viscosity_rows.h"

#include <numeric>
#include <tuple>

namespace rivulet {

const double* ViscosityOperator::stretch(const std::vector<double>& field, int tile) const
{
    static constexpr auto kNone = [] {
        std::array<double, kTileCells> ones{};
        ones.fill(1);
        return ones;
    }();
    return has_wall_[std::size_t(tile)] != 0 ? &field[std::size_t(tile) * kTileCells] : kNone.data();
}

void ViscosityOperator::stress_tile(int t, const FaceField& u, bool with_solids)
{
    const TileRows rows(grid(), volumes_.is_wet, t);
    std::array<double, kTileEdge> one, two;
    for (int row = 0; row < kTileEdge * kTileEdge; ++row) {
        const int j = row % 8, k = row / 8;
        const std::size_t n = std::size_t(t) * kTileCells + cell_in_tile(0, j, k);
        for (std::size_t c = 0; c < 3; ++c) {
            const std::size_t a = next(c), b = previous(c);
            const double *own = &u[c][n], *up = rows.shifted(u[c], j, k, c, 1, one);
            const double* w = &cell_weight_[c][n];
            double* cell = &cell_stress_[c][n];
            for (int i = 0; i < kTileEdge; ++i) cell[i] = up[i] - own[i];
            const double *u_a = &u[a][n], *u_b = &u[b][n];
            const double* below_a = rows.shifted(u[a], j, k, b, -1, one);
            const double* below_b = rows.shifted(u[b], j, k, a, -1, two);
            const double* w_edge = &edge_weight_[c][n];
            double* edge = &edge_stress_[0][c][n];
            if (has_wall_[std::size_t(t)] == 0) {
                for (int i = 0; i < kTileEdge; ++i) {
                    cell[i] *= w[i];
                    edge[i] = w_edge[i] * ((u_a[i] - below_a[i]) + (u_b[i] - below_b[i]));
                }
                continue;
            }
            double* edge_1 = &edge_stress_[1][c][n];
            const double *g = &cell_stretch_[c][n], *g_0 = &edge_stretch_[0][c][n], *g_1 = &edge_stretch_[1][c][n];
            const bool moving = with_solids && has_moving_;
            for (int i = 0; i < kTileEdge; ++i) {
                const double s = g[i] * cell[i] + (moving ? cell_shift_[c][n + i] : 0);
                cell[i] = w[i] * g[i] * s;
                const double s_edge = g_0[i] * (u_a[i] - below_a[i]) + g_1[i] * (u_b[i] - below_b[i]) +
                                      (moving ? edge_shift_[c][n + i] : 0);
                edge[i] = w_edge[i] * g_0[i] * s_edge;
                edge_1[i] = w_edge[i] * g_1[i] * s_edge;
            }
        }
    }
}

/// q = mass_share M p + B^T stress on the liquid faces of a tile; returns p . q.
double ViscosityOperator::gather_tile(int t, const FaceField& p, FaceField& q, double mass_share) const
{
    const TileRows rows(grid(), volumes_.is_wet, t);
    // Away from walls both differences of an edge have the same stress.
    const auto second = [&](std::size_t axis, int tile) {
        return &edge_stress_[has_wall_[std::size_t(tile)]][axis][std::size_t(tile) * kTileCells];
    };
    std::array<double, kTileEdge> one, two, three, sum{};
    for (int row = 0; row < kTileEdge * kTileEdge; ++row) {
        const int j = row % 8, k = row / 8;
        const std::size_t n = std::size_t(t) * kTileCells + cell_in_tile(0, j, k);
        for (std::size_t a = 0; a < 3; ++a) {
            const std::size_t b = next(a), d = previous(a); // edge d couples a and b, edge b couples d and a
            const double *cell = &cell_stress_[a][n], *below = rows.shifted(cell_stress_[a], j, k, a, -1, one);
            const double *edge = &edge_stress_[0][d][n], *up = rows.shifted(edge_stress_[0][d], j, k, b, 1, two);
            const double* edge_1 = second(b, t) + cell_in_tile(0, j, k);
            const double* up_1 = rows.shifted_of([&](int tile) { return second(b, tile); }, j, k, d, 1, three);
            const double *m = &mass_[a][n], *p_a = &p[a][n];
            double* q_a = &q[a][n];
            for (int i = 0; i < kTileEdge; ++i) {
                const double force = (below[i] - cell[i]) + (edge[i] - up[i]) + (edge_1[i] - up_1[i]);
                q_a[i] = m[i] > 0 ? mass_share * m[i] * p_a[i] + force : 0.0;
                sum[std::size_t(i)] += p_a[i] * q_a[i];
            }
        }
    }
    return std::accumulate(sum.begin(), sum.end(), 0.0);
}

double ViscosityOperator::apply(const FaceField& p, FaceField& q)
{
    const auto n_tiles = std::int64_t(tiles_.size());
    parallel_for(
        n_tiles, "viscous stress", [&](std::int64_t n) { stress_tile(tiles_[std::size_t(n)], p, false); }, kSlotGrain);
    parallel_for(
        n_tiles, "viscous force",
        [&](std::int64_t n) { partial_[std::size_t(n)] = gather_tile(tiles_[std::size_t(n)], p, q, 1); }, kSlotGrain);
    return std::accumulate(partial_.begin(), partial_.end(), 0.0);
}

void ViscosityOperator::apply_stress(const FaceField& u, FaceField& q, const std::function<void(int tile)>& after)
{
    const auto n_tiles = std::int64_t(tiles_.size());
    parallel_for(
        n_tiles, "viscous stress", [&](std::int64_t n) { stress_tile(tiles_[std::size_t(n)], u, true); }, kSlotGrain);
    parallel_for(
        n_tiles, "viscous force",
        [&](std::int64_t n) {
            static_cast<void>(gather_tile(tiles_[std::size_t(n)], u, q, 0));
            after(tiles_[std::size_t(n)]);
        },
        kSlotGrain);
}

/// The diagonal of a tile that is no wall's and has none beside it: all stretches are 1.
void ViscosityOperator::plain_diagonal(std::size_t axis, int t, std::vector<double>& diagonal) const
{
    const TileRows rows(grid(), volumes_.is_wet, t);
    std::array<double, kTileEdge> one;
    const auto &w_cell = cell_weight_[axis], &w_next = edge_weight_[next(axis)], &w_last = edge_weight_[previous(axis)];
    for (int row = 0; row < kTileEdge * kTileEdge; ++row) {
        const int j = row % 8, k = row / 8;
        const std::size_t n = std::size_t(t) * kTileCells + cell_in_tile(0, j, k);
        std::array<double, kTileEdge> sum;
        for (std::size_t i = 0; i < kTileEdge; ++i)
            sum[i] = mass_[axis][n + i] + w_cell[n + i] + w_next[n + i] + w_last[n + i];
        for (const auto& [w, along, step] : {std::tuple(&w_cell, axis, -1), std::tuple(&w_next, previous(axis), 1),
                                             std::tuple(&w_last, next(axis), 1)}) {
            const double* other = rows.shifted(*w, j, k, along, step, one);
            for (std::size_t i = 0; i < kTileEdge; ++i) sum[i] += other[i];
        }
        std::copy_n(sum.begin(), kTileEdge, &diagonal[n]);
    }
}

void ViscosityOperator::component_diagonal(std::size_t axis, int t, std::vector<double>& diagonal) const
{
    bool has_walls = has_wall_[std::size_t(t)] != 0;
    for (int side = 0; side < 6; ++side) {
        const Vec3i e = (side % 2 == 0 ? -1 : 1) * Vec3i::Unit(side / 2);
        has_walls = has_walls || has_wall_[std::size_t(grid().neighbour(t, e.x(), e.y(), e.z()))] != 0;
    }
    if (!has_walls) return plain_diagonal(axis, t, diagonal);
    const TileRows rows(grid(), volumes_.is_wet, t);
    std::array<double, kTileEdge> w_buffer, g_buffer;
    for (int row = 0; row < kTileEdge * kTileEdge; ++row) {
        const int j = row % 8, k = row / 8;
        const std::size_t n = std::size_t(t) * kTileCells + cell_in_tile(0, j, k);
        std::copy_n(&mass_[axis][n], kTileEdge, &diagonal[n]);
        for (std::size_t along = 0; along < 3; ++along) {
            const bool in_cell = along == axis;
            const std::size_t edge = in_cell ? axis : 3 - axis - along;
            const int step = in_cell ? -1 : 1;
            const auto& w = in_cell ? cell_weight_[axis] : edge_weight_[edge];
            const auto& g = in_cell ? cell_stretch_[axis] : edge_stretch_[axis == next(edge) ? 0 : 1][edge];
            const auto stretch_of = [&](int tile) { return stretch(g, tile); };
            const double* w_other = rows.shifted(w, j, k, along, step, w_buffer);
            const double* g_own = stretch(g, t) + cell_in_tile(0, j, k);
            const double* g_other = rows.shifted_of(stretch_of, j, k, along, step, g_buffer);
            for (int i = 0; i < kTileEdge; ++i) {
                const double own = w[n + i] * (g_own[i] * g_own[i]);
                const double other = w_other[i] * (g_other[i] * g_other[i]);
                diagonal[n + i] += own + other;
            }
        }
    }
}

void ViscosityOperator::component_rows(std::size_t axis, int t, FaceField& coefficient, std::vector<double>& extra,
                                       std::vector<double>& diagonal) const
{
    const TileRows rows(grid(), volumes_.is_wet, t);
    std::array<double, kTileEdge> w_buffer, g_buffer, down_buffer, up_buffer;
    for (int row = 0; row < kTileEdge * kTileEdge; ++row) {
        const int j = row % 8, k = row / 8;
        const std::size_t n = std::size_t(t) * kTileCells + cell_in_tile(0, j, k);
        std::copy_n(&mass_[axis][n], kTileEdge, &extra[n]);
        std::copy_n(&mass_[axis][n], kTileEdge, &diagonal[n]);
        for (std::size_t along = 0; along < 3; ++along) {
            const bool in_cell = along == axis; // a face is above the cell sample below it, but at its lower edges
            const std::size_t edge = in_cell ? axis : 3 - axis - along;
            const int step = in_cell ? -1 : 1;
            const auto& w = in_cell ? cell_weight_[axis] : edge_weight_[edge];
            const auto& g = in_cell ? cell_stretch_[axis] : edge_stretch_[axis == next(edge) ? 0 : 1][edge];
            const auto stretch_of = [&](int tile) { return stretch(g, tile); };
            const double* w_other = rows.shifted(w, j, k, along, step, w_buffer);
            const double* g_own = stretch(g, t) + cell_in_tile(0, j, k);
            const double* g_other = rows.shifted_of(stretch_of, j, k, along, step, g_buffer);
            const double* down = rows.shifted(mass_[axis], j, k, along, -1, down_buffer);
            const double* up = rows.shifted(mass_[axis], j, k, along, 1, up_buffer);
            for (int i = 0; i < kTileEdge; ++i) {
                const double own = w[n + i] * (g_own[i] * g_own[i]);
                const double other = w_other[i] * (g_other[i] * g_other[i]);
                const double lower = in_cell ? other : own, upper = in_cell ? own : other;
                coefficient[along][n + i] = lower;
                diagonal[n + i] += lower + upper;
                extra[n + i] += (down[i] > 0 ? 0 : lower) + (up[i] > 0 ? 0 : upper);
            }
        }
    }
}

} // namespace rivulet
