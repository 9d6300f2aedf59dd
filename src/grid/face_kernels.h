#pragma once

#include "grid/cell_batch.h"

namespace rivulet {

/// The two axes other than `a`, the lower one first.
constexpr int lower_other(int a) noexcept { return a == 0 ? 1 : 0; }
constexpr int higher_other(int a) noexcept { return a == 2 ? 1 : 2; }

/// One component's share of a cell: what its particles bring to the 4 x 3 x 3 nodes.
///
/// Momentum of a particle at a node = m w_a w_b w_c (v + g_a d_a + g_b d_b + g_c d_c), distances d in cells. The four
/// nodes along the component's own axis share a register group; sums over the particles stay in registers and go to
/// memory once a cell.
template <class Real>
class CellScatter {
public:
    using V = Lanes<Real>;
    static constexpr int kBatches = 4;

    /// Adds a batch; `gradient` is the component's along each axis, per cell.
    [[gnu::always_inline]] void add(const CellBatch<Real>& batch, int a, int n_particles, const V& mass,
                                    const V& velocity, const V (&gradient)[3]) noexcept
    {
        const int b = lower_other(a), c = higher_other(a);
        V masses[4], momenta[4];
        for (int i = 0; i < 4; ++i) {
            masses[i] = mass * batch.faces[a][i];
            momenta[i] = masses[i] * (velocity + gradient[a] * batch.to_face(a, i));
        }
        transpose_groups(masses);
        transpose_groups(momenta);
        alignas(32) Real weight[3][kLanes<Real>], shift[3][kLanes<Real>];
        for (int j = 0; j < 3; ++j) {
            store_lanes<Real>(weight[j], batch.centred[b][j]);
            store_lanes<Real>(shift[j], gradient[b] * batch.to_centre(b, j));
            far_weight_[n_batches_][j] = batch.centred[c][j];
            far_shift_[n_batches_][j] = batch.centred[c][j] * (gradient[c] * batch.to_centre(c, j));
        }
        for (int p = 0; p < 4; ++p) {
            Row& row = rows_[4 * n_batches_ + p];
            for (int j = 0; j < 3; ++j) {
                const V w = spread_groups(weight[j] + p);
                row.mass[j] = w * masses[p];
                row.momentum[j] = w * (momenta[p] + spread_groups(shift[j] + p) * masses[p]);
            }
        }
        rows_in_[n_batches_++] = n_particles < 4 ? n_particles : 4;
    }

    [[nodiscard]] bool is_full() const noexcept { return n_batches_ == kBatches; }

    /// Adds the sums to the arenas at `first`, the lowest of the nodes, and starts anew.
    template <int RowStep, int PlaneStep>
    [[gnu::always_inline]] void flush(double* momentum, double* mass) noexcept
    {
        for (int k = 0; k < 3; ++k) {
            V q[3]{}, r[3]{}, m[3]{};
            for (int n = 0; n < n_batches_; ++n) {
                const Real* weight = reinterpret_cast<const Real*>(&far_weight_[n][k]);
                const Real* shift = reinterpret_cast<const Real*>(&far_shift_[n][k]);
                const Row* row = rows_ + 4 * n;
                for (const Row* end = row + rows_in_[n]; row != end; ++row) {
                    const V w = spread_groups(weight++);
                    const V s = spread_groups(shift++);
                    for (int j = 0; j < 3; ++j) {
                        q[j] += w * row->momentum[j];
                        r[j] += s * row->mass[j];
                        m[j] += w * row->mass[j];
                    }
                }
            }
            for (int j = 0; j < 3; ++j) {
                add_groups(momentum + RowStep * j + PlaneStep * k, q[j] + r[j]);
                add_groups(mass + RowStep * j + PlaneStep * k, m[j]);
            }
        }
        n_batches_ = 0;
    }

private:
    struct Row {
        V momentum[3], mass[3];
    };
    Row rows_[4 * kBatches];
    V far_weight_[kBatches][3], far_shift_[kBatches][3];
    int n_batches_ = 0;
    int rows_in_[kBatches]; ///< registers with particles in them
};

/// One component at the particles of a batch, from the 4 x 3 x 3 nodes around their cell.
template <class Real>
struct CellGather {
    using V = Lanes<Real>;
    V value;
    V moment[3]; ///< sum w u (node - x) along each axis, in cells

    template <int RowStep, int PlaneStep>
    [[gnu::always_inline]] void from(const CellBatch<Real>& batch, int a, const double* nodes) noexcept
    {
        const int b = lower_other(a), c = higher_other(a);
        V along[4];
        for (int i = 0; i < 4; ++i) along[i] = batch.faces[a][i] * batch.to_face(a, i);
        V near_moment[3];
        for (int j = 0; j < 3; ++j) near_moment[j] = batch.centred[b][j] * batch.to_centre(b, j);
        value = moment[0] = moment[1] = moment[2] = V{};
        for (int k = 0; k < 3; ++k) {
            V plane{}, plane_a{}, plane_b{};
            for (int j = 0; j < 3; ++j) {
                V row{}, row_a{};
                for (int i = 0; i < 4; ++i) {
                    const V u = spread(static_cast<Real>(nodes[i + RowStep * j + PlaneStep * k]));
                    row += batch.faces[a][i] * u;
                    row_a += along[i] * u;
                }
                plane += batch.centred[b][j] * row;
                plane_a += batch.centred[b][j] * row_a;
                plane_b += near_moment[j] * row;
            }
            const V w = batch.centred[c][k];
            value += w * plane;
            moment[a] += w * plane_a;
            moment[b] += w * plane_b;
            moment[c] += (w * batch.to_centre(c, k)) * plane;
        }
    }
};

} // namespace rivulet
