#include "geometry/particle_bins.h"

#include "base/error.h"
#include "base/parallel.h"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>

namespace rivulet {
namespace {

constexpr int kBinSide = kBlockSide / 2;               ///< cells of 2^3 nodes along a block
constexpr int kMargin = 2;                             ///< cells around an interior block that are filled too
constexpr float kFilledWeight = 2;                     ///< of a cell's 8 nodes
constexpr double kBinReach = 1.5;                      ///< [spacings]
constexpr std::int64_t kChunk = std::int64_t{1} << 15; ///< particles that are read together
constexpr std::int64_t kWave = 64;                     ///< chunks whose sums are held at once
constexpr std::uint64_t kAllCells = ~std::uint64_t{0};

/// Calls read(i) for the particles of a chunk.
template <class Read>
void read_chunk(std::int64_t chunk, std::size_t n, Read&& read)
{
    const auto begin = static_cast<std::size_t>(chunk * kChunk);
    for (std::size_t i = begin; i < std::min(n, begin + kChunk); ++i) read(i);
}

std::int64_t n_chunks(std::size_t n) { return (static_cast<std::int64_t>(n) + kChunk - 1) / kChunk; }

/// Position on the lattice [spacings].
Vec3 in_spacings(const BlockLattice& lattice, const Vec3& position)
{
    return (position - lattice.origin) / lattice.spacing;
}

/// The block of a particle, and its cell there.
struct Place {
    Vec3i block;
    unsigned cell;
};
inline Place place_of(const BlockLattice& lattice, double inverse_spacing, const Vec3& position, std::size_t index)
{
    const Eigen::Array3d p = (position - lattice.origin).array() * inverse_spacing;
    if (!(p.abs() < 8e6).all())
        throw InputError("particle " + std::to_string(index) + " is too far away to be surfaced");
    const Eigen::Array3i node = p.floor().cast<int>();
    const auto part = [&](int axis) { return static_cast<unsigned>(node[axis] & (kBlockSide - 1)) / 2; };
    return {{node[0] >> 3, node[1] >> 3, node[2] >> 3}, part(0) + kBinSide * (part(1) + kBinSide * part(2))};
}
static_assert(kBlockSide == 8);

double node_volume(const BlockLattice& lattice) { return lattice.spacing * lattice.spacing * lattice.spacing; }

/// Sums of the particles' weights in the cells of blocks, in the order in which they are added.
class CellSums {
public:
    using Weights = std::array<float, kBinSide * kBinSide * kBinSide>;

    Weights& of(std::uint64_t key)
    {
        const auto [it, is_new] = number_.try_emplace(key, keys_.size());
        if (is_new) {
            keys_.push_back(key);
            weights_.emplace_back().fill(0);
        }
        return weights_[it->second];
    }
    void add(const CellSums& other)
    {
        for (std::size_t b = 0; b < other.keys_.size(); ++b) {
            Weights& mine = of(other.keys_[b]);
            for (std::size_t c = 0; c < mine.size(); ++c) mine[c] += other.weights_[b][c];
        }
    }
    [[nodiscard]] const std::vector<std::uint64_t>& keys() const { return keys_; }
    [[nodiscard]] std::uint64_t filled(std::size_t block) const
    {
        std::uint64_t cells = 0;
        for (std::size_t c = 0; c < weights_[block].size(); ++c)
            if (weights_[block][c] >= kFilledWeight) cells |= std::uint64_t{1} << c;
        return cells;
    }

private:
    std::unordered_map<std::uint64_t, std::size_t> number_;
    std::vector<std::uint64_t> keys_;
    std::vector<Weights> weights_;
};

/// Sums up all particles. Appends the runs of each chunk to `runs`.
CellSums sum_cells(const BlockLattice& lattice, std::span<const Vec3> positions, std::span<const double> volumes,
                   std::vector<std::vector<ParticleRun>>& runs)
{
    CellSums sums;
    const double unit = 1 / node_volume(lattice), inverse_spacing = 1 / lattice.spacing;
    const std::int64_t n = n_chunks(positions.size());
    runs.resize(static_cast<std::size_t>(n));
    for (std::int64_t first = 0; first < n; first += kWave) {
        std::vector<CellSums> wave(static_cast<std::size_t>(std::min(kWave, n - first)));
        parallel_for(static_cast<std::int64_t>(wave.size()), "surfacing cells", [&](std::int64_t k) {
            CellSums& mine = wave[static_cast<std::size_t>(k)];
            Vec3i block = Vec3i::Zero();
            CellSums::Weights* weights = nullptr;
            read_chunk(first + k, positions.size(), [&](std::size_t i) {
                const Place place = place_of(lattice, inverse_spacing, positions[i], i);
                if (weights == nullptr || place.block != block) {
                    block = place.block;
                    runs[static_cast<std::size_t>(first + k)].push_back({block_key(block), i});
                    weights = &mine.of(block_key(block));
                }
                (*weights)[place.cell] += static_cast<float>(volumes[i] * unit);
            });
        });
        for (const CellSums& chunk : wave) sums.add(chunk);
    }
    return sums;
}

/// What cells_near() says of all offsets up to `span` along an axis.
struct Neighbourhood {
    Neighbourhood(int span, double margin)
    {
        for (int z = -span; z <= span; ++z)
            for (int y = -span; y <= span; ++y)
                for (int x = -span; x <= span; ++x)
                    if (const std::uint64_t cells = ParticleBins::cells_near({x, y, z}, margin); cells != 0)
                        blocks.push_back({Vec3i(x, y, z), cells});
    }
    struct Block {
        Vec3i offset;
        std::uint64_t cells;
    };
    std::vector<Block> blocks;
};

/// Position of the key in masks sorted by key, or -1.
template <class Mask>
std::int64_t find_mask(const std::vector<Mask>& masks, std::uint64_t key)
{
    const auto it =
        std::lower_bound(masks.begin(), masks.end(), key, [](const Mask& m, std::uint64_t k) { return m.key < k; });
    return it != masks.end() && it->key == key ? it - masks.begin() : -1;
}

} // namespace

std::uint64_t ParticleBins::cells_near(const Vec3i& offset, double margin)
{
    std::uint64_t cells = 0;
    for (int c = 0; c < kBinSide * kBinSide * kBinSide; ++c) {
        const Vec3i cell(c % kBinSide, c / kBinSide % kBinSide, c / (kBinSide * kBinSide));
        double gap = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const int low = kBlockSide * offset[axis] + 2 * cell[axis];
            gap = std::max<double>(gap, std::max(low - kBlockSide, -(low + 2)));
        }
        if (gap < margin) cells |= std::uint64_t{1} << c;
    }
    return cells;
}

std::vector<std::uint64_t> dilated(const std::vector<std::uint64_t>& keys)
{
    std::vector<std::uint64_t> result;
    result.reserve(keys.size() * 27);
    for (const std::uint64_t key : keys)
        for_each_neighbour([&](const Vec3i& offset) { result.push_back(block_key(block_of_key(key) + offset)); });
    oneapi::tbb::parallel_sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

ParticleBins::ParticleBins(const BlockLattice& lattice, std::span<const Vec3> positions,
                           std::span<const double> volumes, int reach)
{
    std::vector<CellMask> filled;
    std::vector<std::vector<ParticleRun>> runs;
    {
        const CellSums sums = sum_cells(lattice, positions, volumes, runs);
        for (std::size_t b = 0; b < sums.keys().size(); ++b) filled.push_back({sums.keys()[b], sums.filled(b)});
    }
    std::sort(filled.begin(), filled.end(), [](const CellMask& a, const CellMask& b) { return a.key < b.key; });
    find_interior(filled);
    keep(wanted_cells(filled, reach), runs, lattice, positions, volumes);
}

void ParticleBins::find_interior(const std::vector<CellMask>& filled)
{
    const Neighbourhood around(1, 2 * kMargin);
    std::vector<std::uint8_t> is_interior(filled.size(), 0);
    parallel_for(
        static_cast<std::int64_t>(filled.size()), "surfacing interior",
        [&](std::int64_t k) {
            const auto b = static_cast<std::size_t>(k);
            if (filled[b].cells != kAllCells) return;
            const Vec3i block = block_of_key(filled[b].key);
            is_interior[b] = std::all_of(around.blocks.begin(), around.blocks.end(), [&](const auto& near) {
                const std::int64_t n = find_mask(filled, block_key(block + near.offset));
                return n >= 0 && (filled[static_cast<std::size_t>(n)].cells & near.cells) == near.cells;
            });
        },
        64);
    std::vector<std::uint64_t> others;
    for (std::size_t b = 0; b < filled.size(); ++b) (is_interior[b] ? interior_keys_ : others).push_back(filled[b].key);
    // Around an interior block there are particles: what is beyond them all is beside one of the others.
    const std::vector<std::uint64_t> reached = dilated(others);
    std::set_difference(reached.begin(), reached.end(), interior_keys_.begin(), interior_keys_.end(),
                        std::back_inserter(surface_keys_));
}

/// The cells whose particles surface blocks and their surroundings need.
std::vector<ParticleBins::CellMask> ParticleBins::wanted_cells(const std::vector<CellMask>& filled, int reach) const
{
    const double margin = reach + kBinReach;
    const Neighbourhood around(margin > kBlockSide ? 2 : 1, margin);
    std::vector<CellMask> wanted(filled.size());
    for (std::size_t b = 0; b < filled.size(); ++b) wanted[b] = {filled[b].key, 0};
    for (const std::uint64_t key : surface_keys_)
        for (const auto& near : around.blocks) {
            const std::int64_t b = find_mask(wanted, block_key(block_of_key(key) + near.offset));
            if (b >= 0) wanted[static_cast<std::size_t>(b)].cells |= near.cells;
        }
    return wanted;
}

void ParticleBins::keep(const std::vector<CellMask>& wanted, const std::vector<std::vector<ParticleRun>>& runs,
                        const BlockLattice& lattice, std::span<const Vec3> positions, std::span<const double> volumes)
{
    struct Entry {
        std::uint64_t key;
        std::uint32_t cell;
        std::uint32_t index;
        bool operator<(const Entry& other) const
        {
            return std::tie(key, cell, index) < std::tie(other.key, other.cell, other.index);
        }
    };
    const double inverse_spacing = 1 / lattice.spacing;
    std::vector<std::vector<Entry>> chunks(runs.size());
    parallel_for(static_cast<std::int64_t>(chunks.size()), "surfacing selection", [&](std::int64_t c) {
        const std::vector<ParticleRun>& mine = runs[static_cast<std::size_t>(c)];
        for (std::size_t r = 0; r < mine.size(); ++r) {
            const CellMask& mask = wanted[static_cast<std::size_t>(find_mask(wanted, mine[r].key))];
            if (mask.cells == 0) continue;
            const auto chunk_end = static_cast<std::size_t>((c + 1) * kChunk);
            const std::size_t end = r + 1 < mine.size() ? mine[r + 1].begin : std::min(positions.size(), chunk_end);
            for (std::size_t i = mine[r].begin; i < end; ++i)
                if (const unsigned cell = place_of(lattice, inverse_spacing, positions[i], i).cell;
                    (mask.cells >> cell) & 1)
                    chunks[static_cast<std::size_t>(c)].push_back({mask.key, cell, static_cast<std::uint32_t>(i)});
        }
    });
    std::vector<Entry> entries;
    std::size_t n = 0;
    for (const auto& chunk : chunks) n += chunk.size();
    entries.reserve(n);
    for (auto& chunk : chunks) {
        entries.insert(entries.end(), chunk.begin(), chunk.end());
        chunk = {};
    }
    oneapi::tbb::parallel_sort(entries.begin(), entries.end());
    particles_.resize(n);
    const double unit = 1 / node_volume(lattice);
    parallel_for(
        static_cast<std::int64_t>(n), "surfacing sort",
        [&](std::int64_t k) {
            const Entry& entry = entries[static_cast<std::size_t>(k)];
            const Vec3 corner = (kBlockSide * block_of_key(entry.key)).cast<double>();
            const Vec3 local = in_spacings(lattice, positions[entry.index]) - corner;
            particles_[static_cast<std::size_t>(k)] = {local.cast<float>(),
                                                       static_cast<float>(volumes[entry.index] * unit), entry.index};
        },
        1024);
    for (std::size_t i = 0; i < n; ++i) {
        if (i == 0 || entries[i].key != entries[i - 1].key) keys_.push_back(entries[i].key);
        begins_.resize(kCellsOfBin * (keys_.size() - 1) + entries[i].cell + 1, static_cast<std::uint32_t>(i));
    }
    begins_.resize(kCellsOfBin * keys_.size() + 1, static_cast<std::uint32_t>(n));
}

std::vector<std::uint32_t> ParticleBins::indices() const
{
    std::vector<std::uint32_t> result(particles_.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = particles_[i].index;
    oneapi::tbb::parallel_sort(result.begin(), result.end());
    return result;
}

} // namespace rivulet
