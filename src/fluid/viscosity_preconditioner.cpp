#include "fluid/viscosity_preconditioner.h"

#include "base/parallel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rivulet {
namespace {
constexpr std::int64_t kSweepGrain = 4;

double largest_in_tile(const double* r)
{
    double largest = 0;
    for (int c = 0; c < kTileCells; ++c) largest = std::max(largest, std::abs(r[c]));
    return largest;
}
} // namespace

void ViscosityPreconditioner::build_tile(const ViscosityOperator& op, std::size_t axis, int t)
{
    const std::size_t begin = std::size_t(t) * kTileCells, end = begin + kTileCells;
    if (use_multigrid_) {
        op.component_rows(axis, t, coefficient_, extra_, diagonal_);
        for (std::size_t n = begin; n < end; ++n) unknown_[n] = op.kind(axis, n) == FaceKind::Liquid;
        return;
    }
    std::vector<double>& inverse = inverse_diagonal_[axis];
    op.component_diagonal(axis, t, inverse);
    for (std::size_t n = begin; n < end; ++n) inverse[n] = op.kind(axis, n) == FaceKind::Liquid ? 1 / inverse[n] : 0;
}

void ViscosityPreconditioner::build_component(const ViscosityOperator& op, std::size_t axis)
{
    const TileGrid& grid = op.grid();
    const std::size_t size = grid.field_size();
    const std::size_t size_of_rows = use_multigrid_ ? size : 0;
    inverse_diagonal_[axis].resize(use_multigrid_ ? 0 : size); // read in the tiles of the system only
    unknown_.assign(size_of_rows, 0);
    extra_.assign(size_of_rows, 0);
    diagonal_.resize(size_of_rows);
    for (auto& c : coefficient_) c.assign(size_of_rows, 0);
    parallel_for(
        std::int64_t(op.tiles().size()), "viscous rows",
        [&](std::int64_t n) { build_tile(op, axis, op.tiles()[std::size_t(n)]); }, kSweepGrain);
    if (!use_multigrid_) return;
    Component& component = components_[axis];
    component.matrix.build({&grid, unknown_, {coefficient_[0], coefficient_[1], coefficient_[2]}, extra_},
                           component.multigrid.finest());
    component.multigrid.build();
    component.scale = 1;
    const std::span<const double> diagonal = component.matrix.diagonal();
    const PoissonLevel& finest = component.multigrid.finest();
    const auto any = std::find_if(diagonal.begin(), diagonal.end(), [](double d) { return d > 0; });
    if (any == diagonal.end()) return;
    const auto at = std::size_t(any - diagonal.begin());
    const int c = static_cast<int>(at % kTileCells);
    const std::size_t place = at - at % kTileCells + std::size_t(cell_in_level(c % 8, c / 8 % 8, c / 64));
    component.scale = *any * double(finest.inverse_diagonal[place]);
}

void ViscosityPreconditioner::build(const ViscosityOperator& op)
{
    use_multigrid_ = op.viscous_number() >= kMultigridViscousNumber;
    for (std::size_t a = 0; a < 3; ++a) build_component(op, a);
    partial_.resize(op.tiles().size());
    largest_.resize(op.tiles().size());
}

/// One V-cycle in float: r is scaled to its range, z back.
void ViscosityPreconditioner::apply_component(const ViscosityOperator& op, std::size_t axis,
                                              const std::vector<double>& r, std::vector<double>& z)
{
    Component& component = components_[axis];
    PoissonLevel& finest = component.multigrid.finest();
    const auto tiles = component.matrix.grid_tiles();
    const auto n_tiles = std::int64_t(tiles.size());
    std::vector<double> largest(tiles.size());
    parallel_for(
        n_tiles, "viscous scale",
        [&](std::int64_t t) {
            largest[std::size_t(t)] = largest_in_tile(&r[std::size_t(tiles[std::size_t(t)]) * kTileCells]);
        },
        kSweepGrain);
    const double r_max = largest.empty() ? 0 : *std::max_element(largest.begin(), largest.end());
    for (const std::int32_t t : op.tiles()) std::fill_n(&z[std::size_t(t) * kTileCells], kTileCells, 0.0);
    if (!(r_max > 0) || !std::isfinite(r_max)) return;
    const double scale = std::exp2(std::ilogb(r_max));
    parallel_for(
        n_tiles, "viscous scale",
        [&](std::int64_t t) {
            const double* from = &r[std::size_t(tiles[std::size_t(t)]) * kTileCells];
            TileValues scaled;
            for (std::size_t c = 0; c < kTileCells; ++c) scaled[c] = static_cast<float>(from[c] / scale);
            to_level(scaled, &finest.b[std::size_t(t) * kTileCells]);
        },
        kSweepGrain);
    component.multigrid.apply();
    const double back = scale / component.scale;
    parallel_for(
        n_tiles, "viscous unscale",
        [&](std::int64_t t) {
            TileValues from;
            to_cells(&finest.x[std::size_t(t) * kTileCells], from);
            double* to = &z[std::size_t(tiles[std::size_t(t)]) * kTileCells];
            for (std::size_t c = 0; c < kTileCells; ++c) to[c] = back * static_cast<double>(from[c]);
        },
        kSweepGrain);
}

ViscosityPreconditioner::Sums ViscosityPreconditioner::apply(const ViscosityOperator& op, const FaceField& r,
                                                             FaceField& z, const std::function<void(int tile)>& before)
{
    if (use_multigrid_) {
        parallel_for(
            std::int64_t(op.tiles().size()), "viscous advance",
            [&](std::int64_t nt) { before(op.tiles()[std::size_t(nt)]); }, kSweepGrain);
        for (std::size_t a = 0; a < 3; ++a) apply_component(op, a, r[a], z[a]);
    }
    parallel_for(
        std::int64_t(op.tiles().size()), "viscous dot",
        [&](std::int64_t nt) {
            const std::size_t begin = std::size_t(op.tiles()[std::size_t(nt)]) * kTileCells;
            if (!use_multigrid_) before(op.tiles()[std::size_t(nt)]);
            double dot = 0, largest = 0;
            for (std::size_t a = 0; a < 3; ++a)
                for (std::size_t n = begin; n < begin + kTileCells; ++n) {
                    if (!use_multigrid_) z[a][n] = inverse_diagonal_[a][n] * r[a][n];
                    dot += r[a][n] * z[a][n];
                    largest = std::max(largest, std::abs(z[a][n]));
                }
            partial_[std::size_t(nt)] = dot;
            largest_[std::size_t(nt)] = largest;
        },
        kSweepGrain);
    return {std::accumulate(partial_.begin(), partial_.end(), 0.0),
            largest_.empty() ? 0 : *std::max_element(largest_.begin(), largest_.end())};
}

std::size_t ViscosityPreconditioner::bytes() const noexcept
{
    std::size_t n = unknown_.capacity() + (extra_.capacity() + diagonal_.capacity()) * sizeof(double);
    for (std::size_t a = 0; a < 3; ++a) {
        n += (inverse_diagonal_[a].capacity() + coefficient_[a].capacity()) * sizeof(double);
        n += components_[a].matrix.bytes() + components_[a].multigrid.bytes();
    }
    return n;
}

} // namespace rivulet
