#include "grid/tile_grid.h"

#include "base/assert.h"
#include "base/parallel.h"

#include <algorithm>
#include <bit>

namespace rivulet {
namespace {

constexpr int kBias = 1 << 20;

std::size_t slot_of(std::uint64_t key, std::size_t mask) noexcept
{
    return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ULL) >> 32) & mask;
}

} // namespace

std::uint64_t tile_key(const Vec3i& t) noexcept
{
    const auto part = [](int c) { return static_cast<std::uint64_t>(c + kBias); };
    return part(t.x()) | part(t.y()) << 21 | part(t.z()) << 42;
}

Vec3i tile_of_key(std::uint64_t key) noexcept
{
    const auto part = [](std::uint64_t k) { return static_cast<int>(k & 0x1fffff) - kBias; };
    return {part(key), part(key >> 21), part(key >> 42)};
}

TileGrid::TileGrid(const Vec3& origin, double cell_size, std::vector<Vec3i> tiles)
    : origin_(origin), cell_size_(cell_size), tiles_(std::move(tiles))
{
    RIVULET_VERIFY(cell_size > 0);
    for (const Vec3i& t : tiles_) RIVULET_VERIFY(t.minCoeff() > -kBias + 1 && t.maxCoeff() < kBias - 2);
    std::sort(tiles_.begin(), tiles_.end(), [](const Vec3i& a, const Vec3i& b) { return tile_key(a) < tile_key(b); });
    tiles_.erase(std::unique(tiles_.begin(), tiles_.end()), tiles_.end());

    hash_keys_.assign(std::bit_ceil(2 * tiles_.size() + 1), 0);
    hash_values_.resize(hash_keys_.size());
    const std::size_t mask = hash_keys_.size() - 1;
    for (std::size_t t = 0; t < tiles_.size(); ++t) {
        std::size_t slot = slot_of(tile_key(tiles_[t]), mask);
        while (hash_keys_[slot] != 0) slot = (slot + 1) & mask;
        hash_keys_[slot] = tile_key(tiles_[t]) + 1;
        hash_values_[slot] = static_cast<std::int32_t>(t);
    }

    neighbours_.resize(tiles_.size());
    parallel_for(
        n_tiles(), "tile neighbours",
        [&](std::int64_t t) {
            for (int n = 0; n < 27; ++n)
                neighbours_[static_cast<std::size_t>(t)][static_cast<std::size_t>(n)] =
                    find(tile(static_cast<int>(t)) + Vec3i(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1));
        },
        64);
    for (int t = 0; t < n_tiles(); ++t) {
        const Vec3i& c = tile(t);
        colours_[static_cast<std::size_t>((c.x() & 1) | (c.y() & 1) << 1 | (c.z() & 1) << 2)].push_back(t);
    }
}

int TileGrid::find(const Vec3i& tile) const noexcept
{
    if (tiles_.empty()) return 0;
    const std::uint64_t key = tile_key(tile) + 1;
    const std::size_t mask = hash_keys_.size() - 1;
    for (std::size_t slot = slot_of(key - 1, mask); hash_keys_[slot] != 0; slot = (slot + 1) & mask)
        if (hash_keys_[slot] == key) return hash_values_[slot];
    return n_tiles();
}

} // namespace rivulet
