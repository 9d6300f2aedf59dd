#include "fluid/filled_share.h"

#include "base/parallel.h"
#include "fluid/bordered_tile.h"
#include "fluid/filled_volume.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Part of a neighbourhood that must be open to tell how full it is.
constexpr double kLeastOpenShare = 0.02;
/// Where all around are as full as this no surface is near.
constexpr double kDeepShare = 0.7;

using AxisWeights = std::array<double, 3>;
constexpr AxisWeights kOpenWeights{kFilledShare[0], kFilledShare[1], kFilledShare[2]};

/// What the open part of a cut cell brings to the cells before, at and after it along an axis, as B-splines weigh it. A
/// plane across the axis leaves the side open that its faces there, `behind` and `ahead`, say.
AxisWeights weights_of_part(double volume, double behind, double ahead)
{
    const double centre = (1 - volume) / 2 * (ahead - behind), extent = 1 - 2 * std::abs(centre);
    const double square = centre * centre + extent * extent / 16; // of particles at both quarters of the extent
    return {(0.25 - centre + square) / 2, 0.75 - square, (0.25 + centre + square) / 2};
}

/// What solids leave open around the cells of a tile, weighted as what regular particles bring: their filled share
/// where there is no air.
class OpenShares {
public:
    OpenShares(const TileGrid& grid, const SolidFields& solids, int t)
    {
        Bordered<std::uint8_t> is_cut{};
        std::size_t n = 0;
        for (int k = -1; k <= kTileEdge; ++k)
            for (int j = -1; j <= kTileEdge; ++j)
                for (int i = -1; i <= kTileEdge; ++i, ++n) {
                    const std::size_t cell = grid.index(t, i, j, k);
                    volume_[n] = static_cast<double>(solids.open_volume[cell]) / kOpenCell;
                    if (volume_[n] == 0 || volume_[n] == 1) continue;
                    is_cut[n] = 1;
                    for (std::size_t a = 0; a < 3; ++a) {
                        const Vec3i next = Vec3i(i, j, k) + Vec3i::Unit(static_cast<int>(a));
                        weight_[n][a] = weights_of_part(volume_[n], solids.open[a][cell],
                                                        solids.open[a][grid.index(t, next.x(), next.y(), next.z())]);
                    }
                }
        least_ = around(volume_, kSmallest);
        has_cut_ = around(is_cut, kLargest);
    }

    /// Whether no solid is in a cell's neighbourhood.
    [[nodiscard]] bool is_all(int c) const noexcept { return least_[static_cast<std::size_t>(c)] == 1; }
    /// Of all of each cell's neighbourhood, as if its solids took whole cells: right where they do.
    [[nodiscard]] std::array<double, kTileCells> whole_totals() const noexcept
    {
        return around(volume_, [](double before, double at, double after) {
            return kFilledShare[0] * before + kFilledShare[1] * at + kFilledShare[2] * after;
        });
    }
    /// The same of one, given that.
    [[nodiscard]] double total(int c, double whole) const noexcept
    {
        if (has_cut_[static_cast<std::size_t>(c)] == 0) return whole;
        const std::array<double, 3> parts = layers(0, {c % 8, c / 8 % 8, c / 64});
        return parts[0] + parts[1] + parts[2];
    }
    /// Of a cell or one in the border, as a share of it.
    [[nodiscard]] double volume(const Vec3i& cell) const noexcept
    {
        return volume_[bordered_index(cell.x(), cell.y(), cell.z())];
    }
    /// Values of the cells and the border, 1 where a solid takes all.
    [[nodiscard]] Bordered<double> full_where_closed(Bordered<double> values) const noexcept
    {
        for (std::size_t n = 0; n < values.size(); ++n)
            if (volume_[n] == 0) values[n] = 1;
        return values;
    }
    /// Of the three layers of cells around one of the tile's, across an axis, from below.
    [[nodiscard]] std::array<double, 3> layers(int axis, const Vec3i& cell) const noexcept
    {
        std::array<double, 3> sum{};
        for (int c = 0; c < 27; ++c) {
            const std::array<int, 3> at{c % 3, c / 3 % 3, c / 9};
            const std::size_t n = bordered_index(cell.x() + at[0] - 1, cell.y() + at[1] - 1, cell.z() + at[2] - 1);
            if (volume_[n] == 0) continue;
            double share = volume_[n];
            for (std::size_t a = 0; a < 3; ++a)
                share *= (volume_[n] == 1 ? kOpenWeights : weight_[n][a])[static_cast<std::size_t>(2 - at[a])];
            sum[static_cast<std::size_t>(at[static_cast<std::size_t>(axis)])] += share;
        }
        return sum;
    }

private:
    Bordered<double> volume_;
    Bordered<std::array<AxisWeights, 3>> weight_; ///< of cut cells
    std::array<double, kTileCells> least_;        ///< volume around
    std::array<std::uint8_t, kTileCells> has_cut_;
};

/// The share that a flat surface across the layers would leave filled if nothing were solid: liquid fills what is open
/// of the layers one after the other, on what solids take of each more than of the next.
double share_by_layers(double filled, const std::array<double, 3>& open)
{
    std::array<double, 4> solid{};
    for (std::size_t n = 0; n < 3; ++n) solid[n] = 1 - std::min(open[n] / kFilledShare[n], 1.0);
    solid[3] = solid[2];
    double share = 0;
    for (std::size_t n = 0; n < 3 && filled > 0; filled -= open[n++]) {
        const double floor = std::max(solid[n] - solid[n + 1], 0.0); // what is a wall goes on above it
        share += kFilledShare[n] * (open[n] > 0 ? floor + (1 - floor) * std::min(filled / open[n], 1.0) : 1);
    }
    return share;
}

/// The same, by the axis along which the open cells before and after this one differ most in how full they are.
double share_beside_solids(const OpenShares& open, const Bordered<double>& share, double filled, const Vec3i& cell)
{
    const auto share_at = [&](const Vec3i& at) { return share[bordered_index(at.x(), at.y(), at.z())]; };
    int axis = 0;
    double rise = 0;
    for (int a = 0; a < 3; ++a) {
        const Vec3i before = cell - Vec3i::Unit(a), after = cell + Vec3i::Unit(a);
        const double along =
            share_at(open.volume(after) > 0 ? after : cell) - share_at(open.volume(before) > 0 ? before : cell);
        if (std::abs(along) <= std::abs(rise)) continue;
        rise = along;
        axis = a;
    }
    std::array<double, 3> layers = open.layers(axis, cell);
    if (rise > 0) std::swap(layers[0], layers[2]); // the liquid is ahead
    return share_by_layers(filled, layers);
}

/// Calls body(tile, first cell, what is open) for the tiles that hold both solids and liquid.
template <class Body>
void for_tiles_at_solids(const TileGrid& grid, const SolidFields& solids, const std::vector<double>& filled,
                         Body&& body)
{
    parallel_for(grid.n_tiles(), "filled share", [&](std::int64_t t) {
        if (solids.tiles[static_cast<std::size_t>(t)] == TileSolidity::Open) return;
        const auto first = filled.begin() + t * kTileCells;
        if (std::all_of(first, first + kTileCells, [](double f) { return f == 0; })) return;
        body(static_cast<int>(t), static_cast<std::size_t>(t) * kTileCells,
             OpenShares(grid, solids, static_cast<int>(t)));
    });
}

} // namespace

void compute_filled_share(const TileGrid& grid, const SolidFields& solids, const std::vector<double>& filled,
                          std::vector<double>& share, std::vector<double>& room)
{
    share = filled;
    for_tiles_at_solids(grid, solids, filled, [&](int, std::size_t first, const OpenShares& open) {
        const std::array<double, kTileCells> whole = open.whole_totals();
        for (int c = 0; c < kTileCells; ++c) {
            double& own = share[first + static_cast<std::size_t>(c)];
            if (own == 0 || open.is_all(c)) continue;
            const double total = open.total(c, whole[static_cast<std::size_t>(c)]);
            own = total > kLeastOpenShare ? std::min(own / total, 1.0) : 0;
        }
    });
    room = share;
    for_tiles_at_solids(grid, solids, filled, [&](int t, std::size_t first, const OpenShares& open) {
        const Bordered<double> shares = with_border(grid, share, t);
        const auto emptiest = around(open.full_where_closed(shares), kSmallest);
        for (int c = 0; c < kTileCells; ++c) {
            const std::size_t cell = first + static_cast<std::size_t>(c);
            const bool is_deep = emptiest[static_cast<std::size_t>(c)] >= kDeepShare;
            if (share[cell] == 0 || share[cell] >= 1 || is_deep || open.is_all(c)) continue;
            // Never less: along walls a few particles are always missing, and the last layer would lack all of them.
            room[cell] =
                std::max(share[cell], share_beside_solids(open, shares, filled[cell], {c % 8, c / 8 % 8, c / 64}));
        }
    });
    share.swap(room);
}

} // namespace rivulet
