#include "fluid/poisson_multigrid.h"

#include "base/parallel.h"

#include <algorithm>

namespace rivulet {
namespace {

constexpr int kLargestDirectSolve = 64;

using Float8 = float __attribute__((vector_size(32)));
using Int8 = std::int32_t __attribute__((vector_size(32)));
using FloatBlock = PaddedBlock<float>;

Float8 load8(const float* p) noexcept
{
    Float8 v;
    std::memcpy(&v, p, sizeof v);
    return v;
}
void store8(float* p, Float8 v) noexcept { std::memcpy(p, &v, sizeof v); }

/// `taken` where the mask is set, `kept` elsewhere.
Float8 select(Int8 mask, Float8 taken, Float8 kept) noexcept
{
    Int8 a, b;
    std::memcpy(&a, &taken, sizeof a);
    std::memcpy(&b, &kept, sizeof b);
    a = (a & mask) | (b & ~mask);
    std::memcpy(&taken, &a, sizeof a);
    return taken;
}

/// The cells of one row that have a parity.
Int8 parity_mask(int parity) noexcept
{
    constexpr Int8 kEven{-1, 0, -1, 0, -1, 0, -1, 0};
    return parity == 0 ? kEven : ~kEven;
}

/// A tile's share of the equations: what the kernels below need besides the values.
struct TileEquations {
    TileFaces<float> faces;
    float uniform = 0;
    const float* b = nullptr;
    const float* inverse_diagonal = nullptr;

    TileEquations(const PoissonLevel& level, std::int32_t t) noexcept
        : uniform(level.uniform[t]), b(&level.b[std::size_t(t) * kTileCells]),
          inverse_diagonal(&level.inverse_diagonal[std::size_t(t) * kTileCells])
    {
        const FaceNeighbours& n = level.neighbours[t];
        if (uniform == 0)
            faces.load(level.coefficient[0].data(), level.coefficient[1].data(), level.coefficient[2].data(), t, n[1],
                       n[3], n[5]);
    }
};

/// b plus the flow from the neighbours: the value that the diagonal times x must have.
template <bool kUniform>
Float8 gathered(const FloatBlock& u, const TileEquations& e, int j, int k) noexcept
{
    const float* c = u.row(j, k);
    const Float8 b = load8(e.b + cell_in_tile(0, j, k));
    const Float8 x0 = load8(c - 1), x1 = load8(c + 1), y0 = load8(c - FloatBlock::kRow),
                 y1 = load8(c + FloatBlock::kRow);
    const Float8 z0 = load8(c - FloatBlock::kPlane), z1 = load8(c + FloatBlock::kPlane);
    if constexpr (kUniform) {
        return b + e.uniform * ((x0 + x1) + (y0 + y1) + (z0 + z1));
    } else {
        const float* cx = e.faces.x(j, k);
        const Float8 x = load8(cx) * x0 + load8(cx + 1) * x1;
        const Float8 y = load8(e.faces.y(j, k)) * y0 + load8(e.faces.upper_y(j, k)) * y1;
        const Float8 z = load8(e.faces.z(j, k)) * z0 + load8(e.faces.upper_z(j, k)) * z1;
        return b + (x + y + z);
    }
}

template <bool kUniform>
void relax(FloatBlock& u, const TileEquations& e, int colour) noexcept
{
    [[maybe_unused]] const float inverse = kUniform ? 1 / (6 * e.uniform) : 0;
    for (int k = 0; k < kTileEdge; ++k)
        for (int j = 0; j < kTileEdge; ++j) {
            Float8 value = gathered<kUniform>(u, e, j, k);
            if constexpr (kUniform)
                value *= inverse;
            else
                value *= load8(e.inverse_diagonal + cell_in_tile(0, j, k));
            float* c = u.row(j, k);
            store8(c, select(parity_mask((j + k + colour) & 1), value, load8(c)));
        }
}

/// Sweeps over both colours, starting with `first`.
void smooth(FloatBlock& u, const TileEquations& e, int first, int n_sweeps) noexcept
{
    for (int half = 0; half < 2 * n_sweeps; ++half) {
        if (e.uniform > 0)
            relax<true>(u, e, (first + half) & 1);
        else
            relax<false>(u, e, (first + half) & 1);
    }
}

template <bool kUniform>
Float8 residual(const FloatBlock& u, const TileEquations& e, int j, int k) noexcept
{
    const Float8 flow = gathered<kUniform>(u, e, j, k), x = load8(u.row(j, k));
    if constexpr (kUniform) return flow - (6 * e.uniform) * x;
    const Float8 inverse = load8(e.inverse_diagonal + cell_in_tile(0, j, k));
    const Int8 unknown = inverse > Float8{};
    return select(unknown, flow - x / inverse, Float8{});
}

/// Adds the residual of each 2x2x2 cells into the right side of the coarser level.
template <bool kUniform>
void restrict_residual(const FloatBlock& u, const TileEquations& e, float* coarse_b) noexcept
{
    for (int k = 0; k < 4; ++k)
        for (int j = 0; j < 4; ++j) {
            const Float8 sum =
                (residual<kUniform>(u, e, 2 * j, 2 * k) + residual<kUniform>(u, e, 2 * j + 1, 2 * k)) +
                (residual<kUniform>(u, e, 2 * j, 2 * k + 1) + residual<kUniform>(u, e, 2 * j + 1, 2 * k + 1));
            for (int i = 0; i < 4; ++i) coarse_b[cell_in_tile(i, j, k)] = sum[2 * i] + sum[2 * i + 1];
        }
}

void restrict_residual(const FloatBlock& u, const TileEquations& e, const PoissonLevel& fine, PoissonLevel& coarse,
                       std::int32_t t) noexcept
{
    float* b = &coarse.b[std::size_t(fine.parents[t]) * kTileCells + octant_origin(octant_of(fine.tiles[t]))];
    if (e.uniform > 0)
        restrict_residual<true>(u, e, b);
    else
        restrict_residual<false>(u, e, b);
}

void store_tile(const FloatBlock& u, PoissonLevel& level, std::int32_t t) noexcept
{
    float* x = &level.x[std::size_t(t) * kTileCells];
    for (int k = 0; k < kTileEdge; ++k)
        for (int j = 0; j < kTileEdge; ++j) store8(x + cell_in_tile(0, j, k), load8(u.row(j, k)));
}

/// Adds the coarse correction to the values of tile t. Cells without unknown get a value too; the coefficients around
/// them are zero, and the next sweep clears it.
void add_correction(PoissonLevel& fine, const PoissonLevel& coarse, std::int32_t t) noexcept
{
    const float* from = &coarse.x[std::size_t(fine.parents[t]) * kTileCells + octant_origin(octant_of(fine.tiles[t]))];
    float* x = &fine.x[std::size_t(t) * kTileCells];
    for (int k = 0; k < kTileEdge; ++k)
        for (int j = 0; j < kTileEdge; ++j) {
            const float* c = from + cell_in_tile(0, j / 2, k / 2);
            float* row = x + cell_in_tile(0, j, k);
            store8(row, load8(row) + Float8{c[0], c[0], c[1], c[1], c[2], c[2], c[3], c[3]});
        }
}

template <class Body>
void for_tiles(const std::vector<std::int32_t>& tiles, const char* name, Body&& body)
{
    parallel_for(
        static_cast<std::int64_t>(tiles.size()), name, [&](std::int64_t i) { body(tiles[std::size_t(i)]); },
        kTileGrain);
}

void load_all(FloatBlock& u, const PoissonLevel& level, std::int32_t t) noexcept
{
    load_tile(u, level.x.data(), t);
    load_halo(u, level.x.data(), level.neighbours[t]);
}

/// From x = 0. Even tiles take a sweep, odd ones two, even ones another: as good as two sweeps in the order of cells,
/// with fewer passes through memory.
void smooth_down(PoissonLevel& level, PoissonLevel& coarse)
{
    for_tiles(level.colours[0], "poisson smooth", [&](std::int32_t t) {
        FloatBlock u;
        u.values.fill(0);
        smooth(u, TileEquations(level, t), 0, 1);
        store_tile(u, level, t);
    });
    for_tiles(level.colours[1], "poisson smooth", [&](std::int32_t t) {
        FloatBlock u;
        u.values.fill(0);
        load_halo(u, level.x.data(), level.neighbours[t]);
        smooth(u, TileEquations(level, t), 0, 2);
        store_tile(u, level, t);
    });
    for_tiles(level.colours[0], "poisson smooth", [&](std::int32_t t) {
        const TileEquations equations(level, t);
        FloatBlock u;
        load_all(u, level, t);
        smooth(u, equations, 0, 1);
        store_tile(u, level, t);
        restrict_residual(u, equations, level, coarse, t);
    });
    for_tiles(level.colours[1], "poisson restrict", [&](std::int32_t t) {
        FloatBlock u;
        load_all(u, level, t);
        restrict_residual(u, TileEquations(level, t), level, coarse, t);
    });
}

/// Adds the coarse correction; then the sweeps of smooth_down in reverse.
void smooth_up(PoissonLevel& level, const PoissonLevel& coarse)
{
    for_tiles(level.colours[1], "poisson prolong", [&](std::int32_t t) { add_correction(level, coarse, t); });
    const auto pass = [&](int colour, int n_sweeps, bool correct) {
        for_tiles(level.colours[colour], "poisson smooth", [&](std::int32_t t) {
            if (correct) add_correction(level, coarse, t);
            FloatBlock u;
            load_all(u, level, t);
            smooth(u, TileEquations(level, t), 1, n_sweeps);
            store_tile(u, level, t);
        });
    };
    pass(0, 1, true);
    pass(1, 2, false);
    pass(0, 1, false);
}

} // namespace

void PoissonMultigrid::build()
{
    levels_[0].finish_diagonal();
    n_levels_ = 1;
    for (;;) {
        const PoissonLevel& last = levels_[n_levels_ - 1];
        if (last.n_tiles == 0) return;
        if (last.n_tiles == 1 && n_levels_ > 1) {
            const auto unknowns = std::count_if(last.inverse_diagonal.begin(), last.inverse_diagonal.end(),
                                                [](float d) { return d > 0; });
            if (unknowns <= kLargestDirectSolve) break;
        }
        if (static_cast<int>(levels_.size()) == n_levels_) levels_.emplace_back();
        coarsen(levels_[n_levels_ - 1], levels_[n_levels_]);
        ++n_levels_;
    }
    factor_coarsest();
}

void PoissonMultigrid::factor_coarsest()
{
    const PoissonLevel& level = levels_[n_levels_ - 1];
    coarsest_cells_.clear();
    std::array<std::int32_t, kTileCells> number;
    for (std::int32_t c = 0; c < kTileCells; ++c) {
        number[c] = static_cast<std::int32_t>(coarsest_cells_.size());
        if (level.inverse_diagonal[c] > 0) coarsest_cells_.push_back(c);
    }
    const int n = static_cast<int>(coarsest_cells_.size());
    matrix_.assign(std::size_t(n) * n, 0);
    constexpr std::array<int, 3> kStride{1, kTileEdge, kTileEdge * kTileEdge};
    for (int i = 0; i < n; ++i) {
        const std::int32_t c = coarsest_cells_[i];
        matrix_[std::size_t(i) * n + i] += level.x[c];
        for (int a = 0; a < 3; ++a) {
            const double face = level.coefficient[a][c];
            if (!(face > 0) || (c / kStride[a]) % kTileEdge == 0) continue;
            const int m = number[c - kStride[a]];
            matrix_[std::size_t(i) * n + i] += face;
            matrix_[std::size_t(m) * n + m] += face;
            matrix_[std::size_t(i) * n + m] -= face;
        }
    }
    coarsest_.factor(matrix_, n);
    coarsest_values_.resize(n);
}

void PoissonMultigrid::solve_coarsest()
{
    PoissonLevel& level = levels_[n_levels_ - 1];
    for (std::size_t i = 0; i < coarsest_cells_.size(); ++i) coarsest_values_[i] = level.b[coarsest_cells_[i]];
    coarsest_.solve(coarsest_values_);
    std::fill(level.x.begin(), level.x.begin() + kTileCells, 0.0F);
    for (std::size_t i = 0; i < coarsest_cells_.size(); ++i)
        level.x[coarsest_cells_[i]] = static_cast<float>(coarsest_values_[i]);
}

void PoissonMultigrid::cycle(int l)
{
    if (l == n_levels_ - 1) return solve_coarsest();
    smooth_down(levels_[l], levels_[l + 1]);
    cycle(l + 1);
    smooth_up(levels_[l], levels_[l + 1]);
}

void PoissonMultigrid::apply()
{
    if (levels_[0].n_tiles > 0) cycle(0);
}

std::size_t PoissonMultigrid::bytes() const noexcept
{
    std::size_t n = coarsest_.bytes() + matrix_.capacity() * sizeof(double);
    for (const PoissonLevel& level : levels_) n += level.bytes();
    return n;
}

} // namespace rivulet
