#include "geometry/particle_bins.h"

#include "base/error.h"
#include "base/parallel.h"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <unordered_map>
#include <utility>

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
    [[nodiscard]] const Weights& weights(std::size_t block) const { return weights_[block]; }
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
            Place here{Vec3i::Zero(), 0};
            CellSums::Weights* weights = nullptr;
            float sum = 0; // of the cell in which the last particle was
            read_chunk(first + k, positions.size(), [&](std::size_t i) {
                const Place place = place_of(lattice, inverse_spacing, positions[i], i);
                const bool is_new_block = weights == nullptr || place.block != here.block;
                if (is_new_block || place.cell != here.cell) {
                    if (weights != nullptr) (*weights)[here.cell] = sum;
                    if (is_new_block) {
                        runs[static_cast<std::size_t>(first + k)].push_back({block_key(place.block), i});
                        weights = &mine.of(block_key(place.block));
                    }
                    here = place;
                    sum = (*weights)[here.cell];
                }
                sum += static_cast<float>(volumes[i] * unit);
            });
            if (weights != nullptr) (*weights)[here.cell] = sum;
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

/// Particles [begin, end) of one block.
struct BlockRun {
    std::uint64_t key;
    std::size_t begin, end;
};
/// All runs, sorted by block and then as in the input.
std::vector<BlockRun> runs_by_block(const std::vector<std::vector<ParticleRun>>& runs, std::size_t n_particles)
{
    std::vector<BlockRun> sorted;
    for (const std::vector<ParticleRun>& chunk : runs)
        for (const ParticleRun& run : chunk) {
            if (!sorted.empty()) sorted.back().end = run.begin;
            sorted.push_back({run.key, run.begin, n_particles});
        }
    oneapi::tbb::parallel_sort(sorted.begin(), sorted.end(), [](const BlockRun& a, const BlockRun& b) {
        return std::tie(a.key, a.begin) < std::tie(b.key, b.begin);
    });
    return sorted;
}

/// Appends what some cells of a block hold, if that is anything.
void add_lump(const BlockLattice& lattice, const Vec3i& block, const CellSums::Weights& weights, std::uint64_t cells,
              std::vector<Lump>& lumps)
{
    double sum = 0;
    Vec3 moment = Vec3::Zero();
    for (; cells != 0; cells &= cells - 1) {
        const int c = std::countr_zero(cells);
        const double weight = double(weights[static_cast<std::size_t>(c)]);
        sum += weight;
        moment += weight *
                  Vec3(2 * (c % kBinSide) + 1, 2 * (c / kBinSide % kBinSide) + 1, 2 * (c / (kBinSide * kBinSide)) + 1);
    }
    if (!(sum > 0)) return;
    const Vec3 place = (kBlockSide * block).cast<double>() + moment / sum;
    lumps.push_back({lattice.origin + lattice.spacing * place, sum * node_volume(lattice)});
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

std::array<std::int32_t, 27> find_neighbours(const std::vector<std::uint64_t>& keys, const Vec3i& block)
{
    std::array<std::int32_t, 27> found;
    std::size_t n = 0;
    for (int z = -1; z <= 1; ++z)
        for (int y = -1; y <= 1; ++y) {
            auto it = std::lower_bound(keys.begin(), keys.end(), block_key(block + Vec3i(-1, y, z)));
            for (int x = -1; x <= 1; ++x) { // blocks of a row follow each other
                const bool is_there = it != keys.end() && *it == block_key(block + Vec3i(x, y, z));
                found[n++] = is_there ? static_cast<std::int32_t>(it++ - keys.begin()) : -1;
            }
        }
    return found;
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
    std::vector<CellMask> filled, wanted;
    std::vector<std::vector<ParticleRun>> runs;
    {
        const CellSums sums = sum_cells(lattice, positions, volumes, runs);
        for (std::size_t b = 0; b < sums.keys().size(); ++b) filled.push_back({sums.keys()[b], sums.filled(b)});
        std::sort(filled.begin(), filled.end(), [](const CellMask& a, const CellMask& b) { return a.key < b.key; });
        find_interior(filled);
        wanted = wanted_cells(filled, reach);
        for (std::size_t b = 0; b < sums.keys().size(); ++b) {
            const std::uint64_t key = sums.keys()[b];
            const std::uint64_t kept = wanted[static_cast<std::size_t>(find_mask(wanted, key))].cells;
            if (kept != kAllCells) add_lump(lattice, block_of_key(key), sums.weights(b), ~kept, deep_);
        }
    }
    keep(wanted, runs, lattice, positions, volumes);
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
    const std::vector<BlockRun> sorted = runs_by_block(runs, positions.size());
    std::vector<const BlockRun*> first; // of each block that is wanted, and the end
    std::vector<std::uint64_t> masks;
    for (std::size_t r = 0; r < sorted.size(); ++r) {
        if (r > 0 && sorted[r].key == sorted[r - 1].key) continue;
        const std::uint64_t cells = wanted[static_cast<std::size_t>(find_mask(wanted, sorted[r].key))].cells;
        first.push_back(&sorted[r]);
        masks.push_back(cells);
    }
    first.push_back(sorted.data() + sorted.size());
    const double inverse_spacing = 1 / lattice.spacing, unit = 1 / node_volume(lattice);
    // Calls visit(cell, index) for the particles of a block that are kept, in the order of the input.
    const auto for_each_kept = [&](std::size_t b, auto&& visit) {
        if (masks[b] == 0) return;
        for (const BlockRun* run = first[b]; run != first[b + 1]; ++run)
            for (std::size_t i = run->begin; i < run->end; ++i)
                if (const unsigned cell = place_of(lattice, inverse_spacing, positions[i], i).cell;
                    (masks[b] >> cell) & 1)
                    visit(cell, i);
    };
    const auto n_blocks = static_cast<std::int64_t>(masks.size());
    std::vector<std::array<std::uint32_t, kCellsOfBin>> next(masks.size());
    parallel_for(n_blocks, "surfacing selection", [&](std::int64_t k) {
        auto& count = next[static_cast<std::size_t>(k)];
        count.fill(0);
        for_each_kept(static_cast<std::size_t>(k), [&](unsigned cell, std::size_t) { ++count[cell]; });
    });
    std::uint32_t n = 0;
    for (std::size_t b = 0; b < masks.size(); ++b) {
        const std::uint32_t before = n;
        for (std::uint32_t& count : next[b]) n += std::exchange(count, n);
        if (n == before) continue;
        keys_.push_back(first[b]->key);
        begins_.insert(begins_.end(), next[b].begin(), next[b].end());
    }
    begins_.push_back(n);
    particles_.resize(n);
    parallel_for(n_blocks, "surfacing sort", [&](std::int64_t k) {
        const auto b = static_cast<std::size_t>(k);
        const Vec3 corner = (kBlockSide * block_of_key(first[b]->key)).cast<double>();
        for_each_kept(b, [&](unsigned cell, std::size_t i) {
            const Vec3 local = in_spacings(lattice, positions[i]) - corner;
            particles_[next[b][cell]++] = {local.cast<float>(), static_cast<float>(volumes[i] * unit),
                                           static_cast<std::uint32_t>(i)};
        });
    });
}

std::vector<std::uint32_t> ParticleBins::indices() const
{
    std::vector<std::uint32_t> result(particles_.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = particles_[i].index;
    return result;
}

} // namespace rivulet
