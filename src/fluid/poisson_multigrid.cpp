#include "fluid/poisson_multigrid.h"

#include "base/parallel.h"

#include <algorithm>

namespace rivulet {
namespace {

constexpr int kLargestDirectSolve = 64;
/// Coarser levels cost an eighth; twice the sweeps there save more iterations than they cost.
constexpr int kMoreSweepsOnCoarseLevels = 1;

/// Over-relaxation of the inner ones of the four half sweeps [Yavneh 1996]. The outer ones are without: the last of
/// each colour clears cells without unknown, and the very last before the coarser level leaves no residual.
constexpr float kOverRelaxation = 1.15F;

/// One tile's equations and the values in and around it.
struct LevelTile {
    float* x;
    const float *x0, *x1, *y0, *y1, *z0, *z1; ///< values of the tiles across the faces
    const float *b, *inverse_diagonal;
    float uniform;
    std::uint64_t uniform_rows;
    LevelFaces faces;

    LevelTile(PoissonLevel& level, std::int32_t t) noexcept
        : x(&level.x[std::size_t(t) * kTileCells]), x0(across(level, t, 0)), x1(across(level, t, 1)),
          y0(across(level, t, 2)), y1(across(level, t, 3)), z0(across(level, t, 4)), z1(across(level, t, 5)),
          b(&level.b[std::size_t(t) * kTileCells]),
          inverse_diagonal(&level.inverse_diagonal[std::size_t(t) * kTileCells]), uniform(level.uniform[t]),
          uniform_rows(level.uniform_rows[t]), faces(level, t)
    {
    }
    /// As if all values around were zero.
    void cut_off(const PoissonLevel& level) noexcept
    {
        x0 = x1 = y0 = y1 = z0 = z1 = &level.x[std::size_t(level.n_tiles) * kTileCells];
    }

private:
    static const float* across(const PoissonLevel& level, std::int32_t t, int face) noexcept
    {
        return &level.x[std::size_t(level.neighbours[t][face]) * kTileCells];
    }
};

/// b plus the flow from the neighbours, all of the other colour: the value that the diagonal times x must have.
template <bool kUniform>
[[gnu::always_inline]] inline Float8 gathered(const LevelTile& t, int colour, int m, int k) noexcept
{
    const int other = pair_row(1 - colour, m, k), parity = k + colour;
    const float* const o = t.x + other;
    const Float8 same = load8(o);
    const Float8 x0 = __builtin_shufflevector(same, Float8{} + t.x0[other + 7], 8, 0, 1, 2, 3, 4, 5, 6);
    const Float8 x1 = __builtin_shufflevector(same, Float8{} + t.x1[other], 1, 2, 3, 4, 5, 6, 7, 8);
    const Float8 below = load8(m > 0 ? o - kPairRow : t.y0 + pair_row(1 - colour, 3, k));
    const Float8 above = load8(m < 3 ? o + kPairRow : t.y1 + pair_row(1 - colour, 0, k));
    const Float8 beyond = alternate(parity, below, above);
    const Float8 z0 = load8(k > 0 ? o - kPairPlane : t.z0 + pair_row(1 - colour, m, 7));
    const Float8 z1 = load8(k < 7 ? o + kPairPlane : t.z1 + pair_row(1 - colour, m, 0));
    const Float8 b = load8(t.b + pair_row(colour, m, k));
    if constexpr (kUniform) return b + t.uniform * ((x0 + x1) + (same + beyond) + (z0 + z1));
    const LevelFaces::Row f = t.faces.row(colour, m, k);
    return b + ((f.x0 * x0 + f.x1 * x1) + (f.same * same + f.beyond * beyond) + (f.z0 * z0 + f.z1 * z1));
}

[[nodiscard]] inline bool is_uniform_row(const LevelTile& t, int colour, int m, int k) noexcept
{
    return (t.uniform_rows >> (pair_row(colour, m, k) / kPairRow) & 1) != 0;
}

/// All cells of one colour. The compiler knows place and parity of each row within two planes.
template <int kColour>
void relax(const LevelTile& tile, float factor) noexcept
{
    const LevelTile t = tile; // which nothing else changes
    const float inverse = 1 / (6 * t.uniform);
    const auto relax_row = [&](int m, int k) __attribute__((always_inline))
    {
        const int row = pair_row(kColour, m, k);
        const Float8 value = is_uniform_row(t, kColour, m, k)
                                 ? inverse * gathered<true>(t, kColour, m, k)
                                 : load8(t.inverse_diagonal + row) * gathered<false>(t, kColour, m, k);
        const Float8 old = load8(t.x + row);
        store8(t.x + row, old + factor * (value - old));
    };
    for (int k = 0; k < kTileEdge; k += 2) {
#pragma GCC unroll 4
        for (int m = 0; m < 4; ++m) relax_row(m, k);
#pragma GCC unroll 4
        for (int m = 0; m < 4; ++m) relax_row(m, k + 1);
    }
}

void relax(const LevelTile& t, int colour, float factor) noexcept
{
    colour == 0 ? relax<0>(t, factor) : relax<1>(t, factor);
}

/// Half sweeps of smooth_down: red, black, red, black. `first`, `last`: which of them.
void half_sweeps_down(const LevelTile& t, int first, int last) noexcept
{
    for (int half = first; half <= last; ++half) relax(t, half & 1, half == 0 || half == 3 ? 1 : kOverRelaxation);
}
/// The same in reverse.
void half_sweeps_up(const LevelTile& t, int first, int last) noexcept
{
    for (int half = last; half >= first; --half) relax(t, half & 1, half == 0 || half == 3 ? 1 : kOverRelaxation);
}

Float8 residual(const LevelTile& t, int colour, int m, int k) noexcept
{
    const int row = pair_row(colour, m, k);
    const Float8 x = load8(t.x + row);
    if (is_uniform_row(t, colour, m, k)) return gathered<true>(t, colour, m, k) - (6 * t.uniform) * x;
    const Float8 flow = gathered<false>(t, colour, m, k), inverse = load8(t.inverse_diagonal + row);
    return inverse > 0 ? flow - x / inverse : Float8{};
}

/// Adds the residual of each 2x2x2 cells into the right side of the coarser level.
void restrict_residual(const LevelTile& tile, bool black_is_solved, const PoissonLevel& fine, PoissonLevel& coarse,
                       std::int32_t t) noexcept
{
    float* octant = &coarse.b[std::size_t(fine.parents[t]) * kTileCells + octant_origin(octant_of(fine.tiles[t]))];
    for (int k = 0; k < 4; ++k)
        for (int m = 0; m < 2; ++m) {
            const auto sum = [&](int n) {
                Float8 s = residual(tile, 0, n, 2 * k) + residual(tile, 0, n, 2 * k + 1);
                if (!black_is_solved) s += residual(tile, 1, n, 2 * k) + residual(tile, 1, n, 2 * k + 1);
                return s;
            };
            store_octant_rows(octant, m, k, adjacent_sums(sum(2 * m), sum(2 * m + 1)));
        }
}

/// Adds the coarse correction to the values of tile t. Cells without unknown get a value too; the coefficients around
/// them are zero, and the next sweep clears it.
void add_correction(PoissonLevel& fine, const PoissonLevel& coarse, std::int32_t t) noexcept
{
    const float* from = &coarse.x[std::size_t(fine.parents[t]) * kTileCells + octant_origin(octant_of(fine.tiles[t]))];
    float* x = &fine.x[std::size_t(t) * kTileCells];
    for (int k = 0; k < kTileEdge; ++k)
        for (int m = 0; m < 2; ++m) {
            const RowPair correction = load_octant_rows_twice(from, m, k / 2);
            for (int colour = 0; colour < 2; ++colour) {
                float* row = x + pair_row(colour, 2 * m, k);
                store8(row, load8(row) + correction.even);
                store8(row + kPairRow, load8(row + kPairRow) + correction.odd);
            }
        }
}

/// Where the cell c = i + 8 (j + 8 k) is on a level.
int level_place(int c) noexcept
{
    return cell_in_level(c % kTileEdge, c / kTileEdge % kTileEdge, c / (kTileEdge * kTileEdge));
}

template <class Body>
void for_tiles(const std::vector<std::int32_t>& tiles, const char* name, Body&& body)
{
    parallel_for(
        static_cast<std::int64_t>(tiles.size()), name, [&](std::int64_t i) { body(tiles[std::size_t(i)]); },
        kTileGrain);
}

/// From x = 0. Even tiles take a sweep, odd ones two, even ones another: as good as two sweeps in the order of cells,
/// with fewer passes through memory. `more` such sweeps over all tiles come in between.
void smooth_down(PoissonLevel& level, PoissonLevel& coarse, int more)
{
    for_tiles(level.colours[0], "poisson smooth", [&](std::int32_t t) {
        LevelTile tile(level, t);
        std::fill_n(tile.x, kTileCells, 0.0F);
        tile.cut_off(level);
        half_sweeps_down(tile, 0, 1);
    });
    for_tiles(level.colours[1], "poisson smooth", [&](std::int32_t t) {
        const LevelTile tile(level, t);
        std::fill_n(tile.x, kTileCells, 0.0F);
        half_sweeps_down(tile, 0, 3);
    });
    for (int n = 0; n < 2 * more; ++n)
        for_tiles(level.colours[n & 1], "poisson smooth",
                  [&](std::int32_t t) { half_sweeps_down(LevelTile(level, t), 0, 3); });
    for_tiles(level.colours[0], "poisson smooth", [&](std::int32_t t) {
        const LevelTile tile(level, t);
        half_sweeps_down(tile, 2, 3);
        restrict_residual(tile, true, level, coarse, t);
    });
    for_tiles(level.colours[1], "poisson restrict",
              [&](std::int32_t t) { restrict_residual(LevelTile(level, t), false, level, coarse, t); });
}

/// Adds the coarse correction; then the sweeps of smooth_down in reverse.
void smooth_up(PoissonLevel& level, const PoissonLevel& coarse, int more)
{
    for_tiles(level.colours[1], "poisson prolong", [&](std::int32_t t) { add_correction(level, coarse, t); });
    for_tiles(level.colours[0], "poisson smooth", [&](std::int32_t t) {
        add_correction(level, coarse, t);
        half_sweeps_up(LevelTile(level, t), 2, 3);
    });
    for (int n = 0; n < 2 * more; ++n)
        for_tiles(level.colours[(n & 1) ^ 1], "poisson smooth",
                  [&](std::int32_t t) { half_sweeps_up(LevelTile(level, t), 0, 3); });
    for_tiles(level.colours[1], "poisson smooth", [&](std::int32_t t) { half_sweeps_up(LevelTile(level, t), 0, 3); });
    for_tiles(level.colours[0], "poisson smooth", [&](std::int32_t t) { half_sweeps_up(LevelTile(level, t), 0, 1); });
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
    std::array<std::int32_t, kTileCells> number; // by place on the level
    std::vector<std::int32_t> place;             // cells by i + 8 (j + 8 k)
    for (std::int32_t c = 0; c < kTileCells; ++c) {
        const std::int32_t at = level_place(c);
        number[at] = static_cast<std::int32_t>(coarsest_cells_.size());
        if (!(level.inverse_diagonal[at] > 0)) continue;
        coarsest_cells_.push_back(at);
        place.push_back(c);
    }
    const int n = static_cast<int>(coarsest_cells_.size());
    matrix_.assign(std::size_t(n) * n, 0);
    constexpr std::array<int, 3> kStride{1, kTileEdge, kTileEdge * kTileEdge};
    for (int i = 0; i < n; ++i) {
        const std::int32_t c = coarsest_cells_[i];
        matrix_[std::size_t(i) * n + i] += level.x[c];
        for (int a = 0; a < 3; ++a) {
            const double face = level.coefficient[a][c];
            if (!(face > 0) || (place[i] / kStride[a]) % kTileEdge == 0) continue;
            const int m = number[level_place(place[i] - kStride[a])];
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
    const int more = l == 0 ? 0 : kMoreSweepsOnCoarseLevels;
    smooth_down(levels_[l], levels_[l + 1], more);
    cycle(l + 1);
    smooth_up(levels_[l], levels_[l + 1], more);
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
