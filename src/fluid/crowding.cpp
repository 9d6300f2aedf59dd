#include "fluid/crowding.h"

#include "base/parallel.h"
#include "fluid/filled_volume.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace rivulet {
namespace {

/// Differences that are left alone, in open liquid and where solids cut cells (whose volume is known only roughly).
constexpr double kNoise = 0.05;
constexpr double kNoiseAtCuts = 0.3;
/// Largest correction asked of one step.
constexpr double kLargestCorrection = 0.5;
struct Surroundings {
    double solid = 0; ///< share of solids in the neighbourhood
    bool has_air = false;
    bool has_cuts = false;
};

Surroundings look_around(const TileGrid& grid, const SolidFields& solids, std::span<const std::uint8_t> liquid, int t,
                         int c, bool open_tile)
{
    Surroundings s;
    for (int n = 0; n < 27; ++n) {
        const int i = c % 8 + n % 3 - 1;
        const int j = c / 8 % 8 + n / 3 % 3 - 1;
        const int k = c / 64 + n / 9 - 1;
        const std::size_t cell = grid.index(t, i, j, k);
        const double part = open_tile ? 0 : 1 - solids.open_eighths[cell] / 8.0;
        s.solid += kFilledShare[n % 3] * kFilledShare[n / 3 % 3] * kFilledShare[n / 9] * part;
        s.has_cuts = s.has_cuts || (part > 0 && part < 1);
        s.has_air = s.has_air || (liquid[cell] == 0 && part < 1);
    }
    return s;
}

/// The cells of a tile with a solid in one of the 27 cells around: what is closed along each axis in turn.
class NearSolid {
public:
    NearSolid(const TileGrid& grid, const SolidFields& solids, int t)
    {
        std::array<std::uint8_t, kEdge * kEdge * kEdge> closed;
        for (int k = 0; k < kEdge; ++k)
            for (int j = 0; j < kEdge; ++j) {
                std::uint8_t* to = &closed[static_cast<std::size_t>(kEdge * (j + kEdge * k))];
                const auto is_closed = [&](std::size_t cell) {
                    return static_cast<std::uint8_t>(solids.open_eighths[cell] != 8);
                };
                to[0] = is_closed(grid.index(t, -1, j - 1, k - 1));
                const std::size_t row = grid.index(t, 0, j - 1, k - 1);
                for (std::size_t i = 0; i < kTileEdge; ++i) to[i + 1] = is_closed(row + i);
                to[kEdge - 1] = is_closed(grid.index(t, kTileEdge, j - 1, k - 1));
            }
        for (const std::size_t step : {1U, 10U, 100U}) {
            const auto last = closed;
            for (std::size_t n = step; n + step < closed.size(); ++n)
                closed[n] = static_cast<std::uint8_t>(last[n - step] | last[n] | last[n + step]);
        }
        near_ = closed;
    }
    [[nodiscard]] bool at(int c) const
    {
        return near_[static_cast<std::size_t>(c % 8 + 1 + kEdge * (c / 8 % 8 + 1 + kEdge * (c / 64 + 1)))] != 0;
    }

private:
    static constexpr int kEdge = kTileEdge + 2;
    std::array<std::uint8_t, kEdge * kEdge * kEdge> near_;
};

} // namespace

void compute_crowding(const TileGrid& grid, const ParticleOrder& order, std::span<const Vec3> position,
                      std::span<const double> volume, const SolidFields& solids, std::span<const std::uint8_t> liquid,
                      std::vector<double>& crowding, const ThinVolumes& thin)
{
    scatter_volume(grid, order, position, volume, crowding); // how full a cell is, then by how much too full
    if (thin.order) add_volume(grid, *thin.order, thin.position, thin.volume, crowding);
    parallel_for(grid.n_tiles(), "crowding", [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        const bool open_tile = solids.tiles[static_cast<std::size_t>(t)] == TileSolidity::Open;
        std::optional<NearSolid> near_solid;
        if (!open_tile) near_solid.emplace(grid, solids, t);
        for (int c = 0; c < kTileCells; ++c) {
            const auto cell = static_cast<std::size_t>(t * kTileCells + c);
            const double in_open = crowding[cell] - 1;
            crowding[cell] = 0;
            if (liquid[cell] == 0) continue;
            const bool in_open_liquid = open_tile || !near_solid->at(c);
            if (in_open_liquid && std::abs(in_open) <= kNoise) continue;
            const Surroundings around = look_around(grid, solids, liquid, t, c, in_open_liquid);
            const double error = in_open + around.solid;
            if (around.has_air && error < 0) continue;
            const double noise = around.has_cuts ? kNoiseAtCuts : kNoise;
            crowding[cell] =
                std::clamp(error - std::clamp(error, -noise, noise), -kLargestCorrection, kLargestCorrection);
        }
    });
}

} // namespace rivulet
