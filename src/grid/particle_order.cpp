#include "grid/particle_order.h"

#include "base/assert.h"
#include "base/parallel.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

namespace rivulet {
namespace {

/// Particles per chunk of the counting passes: fixed, so that the result cannot depend on threads.
constexpr std::int64_t kChunk = 16384;
constexpr std::size_t kTilesATask = 64;

std::int64_t n_chunks(std::size_t n) { return (static_cast<std::int64_t>(n) + kChunk - 1) / kChunk; }

template <class Body>
void for_chunk(std::int64_t chunk, std::size_t n, Body&& body)
{
    const std::int64_t end = std::min(static_cast<std::int64_t>(n), (chunk + 1) * kChunk);
    for (std::int64_t p = chunk * kChunk; p < end; ++p) body(static_cast<std::size_t>(p));
}

Vec3i tile_of_cell(const Vec3i& c) { return {c.x() >> 3, c.y() >> 3, c.z() >> 3}; }
int local_cell(const Vec3i& c) { return cell_in_tile(c.x() & 7, c.y() & 7, c.z() & 7); }

void sort_unique(std::vector<std::uint64_t>& keys)
{
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

/// Keys of the tiles from `lower` to `upper`.
void append_range(const Vec3i& lower, const Vec3i& upper, std::vector<std::uint64_t>& keys)
{
    for (int z = lower.z(); z <= upper.z(); ++z)
        for (int y = lower.y(); y <= upper.y(); ++y)
            for (int x = lower.x(); x <= upper.x(); ++x) keys.push_back(tile_key({x, y, z}));
}

/// Ranges of tiles that were asked for lately; neighbouring particles ask for the same few.
class RecentRanges {
public:
    /// Whether this range is known; it is from now on.
    bool knows(const Vec3i& lower, const Vec3i& upper)
    {
        const Vec3i size = upper - lower; // each 0 to 2
        const auto slot = static_cast<std::size_t>((lower.x() & 3) + 4 * (lower.y() & 3) + 16 * (lower.z() & 3)) * 8 +
                          static_cast<std::size_t>((size.x() & 1) + 2 * (size.y() & 1) + 4 * (size.z() & 1));
        Range& range = ranges_[slot];
        if (range.lower == lower && range.upper == upper) return true;
        range = {lower, upper};
        return false;
    }

private:
    struct Range {
        Vec3i lower = Vec3i::Constant(std::numeric_limits<int>::min());
        Vec3i upper = lower;
    };
    std::array<Range, 512> ranges_;
};

} // namespace

TileGrid tiles_around(std::span<const Vec3> positions, const Vec3& origin, double cell_size, int halo)
{
    RIVULET_VERIFY(halo >= 0 && halo <= kTileEdge);
    std::vector<std::vector<std::uint64_t>> touched(static_cast<std::size_t>(n_chunks(positions.size())));
    parallel_for(n_chunks(positions.size()), "touch tiles", [&](std::int64_t chunk) {
        auto& keys = touched[static_cast<std::size_t>(chunk)];
        RecentRanges recent;
        Vec3i last = Vec3i::Constant(std::numeric_limits<int>::min()); // particles of a cell mostly follow each other
        for_chunk(chunk, positions.size(), [&](std::size_t p) {
            const Vec3i c = cell_of(positions[p], origin, cell_size);
            if (c == last) return;
            last = c;
            const Vec3i lower = tile_of_cell(c - Vec3i::Constant(halo));
            const Vec3i upper = tile_of_cell(c + Vec3i::Constant(halo));
            if (recent.knows(lower, upper)) return;
            append_range(lower, upper, keys);
            if (keys.size() > 4096) sort_unique(keys);
        });
        sort_unique(keys);
    });
    std::vector<std::uint64_t> all;
    for (const auto& keys : touched) all.insert(all.end(), keys.begin(), keys.end());
    sort_unique(all);
    std::vector<Vec3i> tiles(all.size());
    std::transform(all.begin(), all.end(), tiles.begin(), tile_of_key);
    return {origin, cell_size, std::move(tiles)};
}

namespace {

/// Particles that follow each other in one tile.
struct TileRun {
    std::int32_t tile;
    std::int32_t size;
};

/// Tiles of the particles of each chunk, and how many of each chunk fall into each tile (chunk-major).
struct TileCounts {
    std::vector<std::vector<TileRun>> runs;
    std::vector<std::int32_t> counts;
};

TileCounts count_by_tile(const TileGrid& grid, std::span<const Vec3> positions)
{
    const std::size_t n = positions.size();
    const auto n_tiles = static_cast<std::size_t>(grid.n_tiles());
    const auto chunks = static_cast<std::size_t>(n_chunks(n));
    TileCounts result{std::vector<std::vector<TileRun>>(chunks), std::vector<std::int32_t>(chunks * n_tiles, 0)};
    parallel_for(n_chunks(n), "count by tile", [&](std::int64_t chunk) {
        std::vector<TileRun>& runs = result.runs[static_cast<std::size_t>(chunk)];
        std::int32_t* counts = result.counts.data() + static_cast<std::size_t>(chunk) * n_tiles;
        Vec3i last = Vec3i::Constant(std::numeric_limits<int>::min());
        for_chunk(chunk, n, [&](std::size_t p) {
            const Vec3i tile = tile_of_cell(cell_of(positions[p], grid.origin(), grid.cell_size()));
            if (tile != last) {
                last = tile;
                runs.push_back({grid.find(tile), 0});
                RIVULET_VERIFY(runs.back().tile < grid.n_tiles());
            }
            ++runs.back().size;
        });
        for (const TileRun& run : runs) counts[run.tile] += run.size;
    });
    return result;
}

/// Turns counts into the position of each chunk's first particle in each tile; fills tile_begin.
void offsets_from_counts(std::size_t n_tiles, std::size_t chunks, std::vector<std::int32_t>& counts,
                         std::vector<std::int32_t>& tile_begin)
{
    const auto for_tiles = [&](auto&& body) { // body(row of a chunk's counts, tile), chunk by chunk
        parallel_for(static_cast<std::int64_t>((n_tiles + kTilesATask - 1) / kTilesATask), "offsets of tiles",
                     [&](std::int64_t task) {
                         const std::size_t begin = static_cast<std::size_t>(task) * kTilesATask;
                         const std::size_t end = std::min(n_tiles, begin + kTilesATask);
                         for (std::size_t c = 0; c < chunks; ++c)
                             for (std::size_t t = begin; t < end; ++t) body(counts[c * n_tiles + t], t);
                     });
    };
    std::vector<std::int32_t> next(n_tiles, 0);
    for_tiles([&](std::int32_t& count, std::size_t t) { next[t] += count; });
    tile_begin.resize(n_tiles + 1);
    std::int32_t offset = 0;
    for (std::size_t t = 0; t < n_tiles; ++t) {
        tile_begin[t] = offset;
        offset += std::exchange(next[t], offset);
    }
    tile_begin[n_tiles] = offset;
    for_tiles([&](std::int32_t& count, std::size_t t) { next[t] += std::exchange(count, next[t]); });
}

/// Sorts the particles of one tile by cell (stable) and fills the tile's row of cell offsets.
void sort_tile(const TileGrid& grid, std::span<const Vec3> positions, std::span<std::int32_t> particles,
               std::int32_t begin, std::int32_t* cell_begin)
{
    std::vector<std::int32_t> cells(particles.size());
    std::fill(cell_begin, cell_begin + kTileCells + 1, 0);
    for (std::size_t i = 0; i < particles.size(); ++i) {
        const Vec3& x = positions[static_cast<std::size_t>(particles[i])];
        cells[i] = local_cell(cell_of(x, grid.origin(), grid.cell_size()));
        ++cell_begin[cells[i] + 1];
    }
    for (int c = 0; c < kTileCells; ++c) cell_begin[c + 1] += cell_begin[c];
    std::vector<std::int32_t> sorted(particles.size());
    std::vector<std::int32_t> next(cell_begin, cell_begin + kTileCells);
    for (std::size_t i = 0; i < particles.size(); ++i)
        sorted[static_cast<std::size_t>(next[static_cast<std::size_t>(cells[i])]++)] = particles[i];
    std::copy(sorted.begin(), sorted.end(), particles.begin());
    for (int c = 0; c <= kTileCells; ++c) cell_begin[c] += begin;
}

} // namespace

void sort_particles(const TileGrid& grid, std::span<const Vec3> positions, ParticleOrder& order)
{
    const std::size_t n = positions.size();
    const auto n_tiles = static_cast<std::size_t>(grid.n_tiles());
    TileCounts counted = count_by_tile(grid, positions);
    offsets_from_counts(n_tiles, static_cast<std::size_t>(n_chunks(n)), counted.counts, order.tile_begin);

    order.order.resize(n);
    parallel_for(n_chunks(n), "sort by tile", [&](std::int64_t chunk) {
        std::int32_t* next = counted.counts.data() + static_cast<std::size_t>(chunk) * n_tiles;
        auto p = static_cast<std::int32_t>(chunk * kChunk);
        for (const TileRun& run : counted.runs[static_cast<std::size_t>(chunk)]) {
            std::int32_t* const begin = order.order.data() + std::exchange(next[run.tile], next[run.tile] + run.size);
            std::iota(begin, begin + run.size, p);
            p += run.size;
        }
    });

    order.cell_table.assign(n_tiles + 1, -1);
    std::int32_t rows = 0;
    for (std::size_t t = 0; t < n_tiles; ++t)
        if (order.tile_begin[t + 1] > order.tile_begin[t]) order.cell_table[t] = rows++;
    order.cell_begin.resize(static_cast<std::size_t>(rows) * (kTileCells + 1));
    parallel_for(grid.n_tiles(), "sort by cell", [&](std::int64_t ti) {
        const auto t = static_cast<std::size_t>(ti);
        if (order.cell_table[t] < 0) return;
        const auto begin = static_cast<std::size_t>(order.tile_begin[t]);
        const auto end = static_cast<std::size_t>(order.tile_begin[t + 1]);
        sort_tile(grid, positions, std::span(order.order).subspan(begin, end - begin), order.tile_begin[t],
                  order.cell_begin.data() + static_cast<std::size_t>(order.cell_table[t]) * (kTileCells + 1));
    });
}

} // namespace rivulet
