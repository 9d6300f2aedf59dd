#include "fluid/crowding.h"

#include "base/parallel.h"
#include "fluid/filled_volume.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <optional>

namespace rivulet {
namespace {

/// Differences that are left alone, in open liquid and where solids cut cells (in which particles lie anyhow).
constexpr double kNoise = 0.05;
constexpr double kNoiseAtCuts = 0.3;
/// Largest correction asked of one step.
constexpr double kLargestCorrection = 0.5;

/// What of the 27 cells around a cell counts.
enum Around : std::uint8_t {
    kSolid = 1, ///< a cell that is not open as a whole
    kCut = 2,   ///< one that is open in part
    kAir = 4,   ///< one that is open, at least in part, and holds no liquid
};

std::uint8_t kind_of(int open, bool is_liquid)
{
    const int solid = open != kOpenCell ? kSolid : 0, cut = open % kOpenCell != 0 ? kCut : 0;
    return static_cast<std::uint8_t>(solid | cut | (!is_liquid && open > 0 ? kAir : 0));
}

/// The same for one cell in the open.
bool has_air_around(const TileGrid& grid, std::span<const std::uint8_t> liquid, int t, int c)
{
    for (int n = 0; n < 27; ++n)
        if (liquid[grid.index(t, c % 8 + n % 3 - 1, c / 8 % 8 + n / 3 % 3 - 1, c / 64 + n / 9 - 1)] == 0) return true;
    return false;
}

/// For the cells of a tile: share of solids in the neighbourhood, and what there is in it. One axis after the other.
class Surroundings {
public:
    Surroundings(const TileGrid& grid, const SolidFields& solids, std::span<const std::uint8_t> liquid, int t)
    {
        for (int k = 0; k < kEdge; ++k)
            for (int j = 0; j < kEdge; ++j) {
                const auto to = static_cast<std::size_t>(kEdge * (j + kEdge * k));
                const auto load = [&](std::size_t n, std::size_t cell) {
                    part_[n] = 1 - static_cast<double>(solids.open_volume[cell]) / kOpenCell;
                    kind_[n] = kind_of(solids.open_volume[cell], liquid[cell] != 0);
                };
                load(to, grid.index(t, -1, j - 1, k - 1));
                const std::size_t row = grid.index(t, 0, j - 1, k - 1);
                for (std::size_t i = 0; i < kTileEdge; ++i) load(to + i + 1, row + i);
                load(to + kEdge - 1, grid.index(t, kTileEdge, j - 1, k - 1));
            }
        for (const std::size_t step : {1U, 10U, 100U}) {
            const auto kind = kind_;
            const auto part = part_;
            for (std::size_t n = step; n + step < kind.size(); ++n) {
                kind_[n] = static_cast<std::uint8_t>(kind[n - step] | kind[n] | kind[n + step]);
                part_[n] = kFilledShare[0] * (part[n - step] + part[n + step]) + kFilledShare[1] * part[n];
            }
        }
    }
    [[nodiscard]] double solid(int c) const { return part_[at(c)]; }
    [[nodiscard]] bool has(Around kind, int c) const { return (kind_[at(c)] & kind) != 0; }

private:
    static constexpr int kEdge = kTileEdge + 2;
    static std::size_t at(int c)
    {
        return static_cast<std::size_t>(c % 8 + 1 + kEdge * (c / 8 % 8 + 1 + kEdge * (c / 64 + 1)));
    }
    std::array<double, kEdge * kEdge * kEdge> part_;
    std::array<std::uint8_t, kEdge * kEdge * kEdge> kind_;
};

} // namespace

bool compute_crowding(const TileGrid& grid, const SolidFields& solids, std::span<const std::uint8_t> liquid,
                      std::vector<double>& crowding, const ThinVolumes& thin)
{
    if (thin.order) add_volume(grid, *thin.order, thin.position, thin.volume, crowding);
    std::atomic<bool> is_crowded = false; // the same whoever finds it
    parallel_for(grid.n_tiles(), "crowding", [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        bool is_crowded_here = false;
        const bool open_tile = solids.tiles[static_cast<std::size_t>(t)] == TileSolidity::Open;
        std::optional<Surroundings> around;
        if (!open_tile) around.emplace(grid, solids, liquid, t);
        for (int c = 0; c < kTileCells; ++c) {
            const auto cell = static_cast<std::size_t>(t * kTileCells + c);
            const double in_open = crowding[cell] - 1;
            crowding[cell] = 0;
            if (liquid[cell] == 0) continue;
            const bool near_solid = around && around->has(kSolid, c);
            if (!near_solid && std::abs(in_open) <= kNoise) continue;
            const double error = near_solid ? in_open + around->solid(c) : in_open;
            if (error < 0 && (around ? around->has(kAir, c) : has_air_around(grid, liquid, t, c))) continue;
            const double noise = near_solid && around->has(kCut, c) ? kNoiseAtCuts : kNoise;
            crowding[cell] =
                std::clamp(error - std::clamp(error, -noise, noise), -kLargestCorrection, kLargestCorrection);
            is_crowded_here = is_crowded_here || crowding[cell] != 0;
        }
        if (is_crowded_here) is_crowded = true;
    });
    return is_crowded;
}

} // namespace rivulet
