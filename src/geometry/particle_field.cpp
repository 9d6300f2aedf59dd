#include "geometry/particle_field.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/parallel.h"

#include <oneapi/tbb/parallel_sort.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

constexpr int kSide = kBlockSide;
constexpr std::size_t kOwnNodes = kSide * kSide * kSide;
constexpr double kSplineVariance = 0.25; ///< of a quadratic B-spline [spacings^2]

std::size_t own_node(int x, int y, int z) { return static_cast<std::size_t>(x + kSide * (y + kSide * z)); }

/// Calls visit(offset) for the 27 offsets of a block's neighbourhood, itself included.
template <class Visit>
void for_each_neighbour(Visit&& visit)
{
    for (int z = -1; z <= 1; ++z)
        for (int y = -1; y <= 1; ++y)
            for (int x = -1; x <= 1; ++x) visit(Vec3i(x, y, z));
}

/// Weights from the middle of a normalised Gaussian; {1} for no variance.
std::vector<float> gaussian_taps(double variance)
{
    const int reach = static_cast<int>(std::ceil(3 * std::sqrt(variance)));
    std::vector<double> taps{1};
    double sum = 1;
    for (int i = 1; i <= reach; ++i) {
        taps.push_back(std::exp(-0.5 * i * i / variance));
        sum += 2 * taps.back();
    }
    std::vector<float> result;
    for (const double tap : taps) result.push_back(static_cast<float>(tap / sum));
    return result;
}

/// Sorted keys of all blocks within one block of the given ones.
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

/// Quadratic B-spline weights of the three nodes around p, and the first of them.
struct Spline {
    int first;
    std::array<float, 3> weight;
};
Spline spline_at(float p)
{
    const float nearest = std::floor(p + 0.5f), d = p - nearest;
    return {static_cast<int>(nearest) - 1,
            {0.5f * (0.5f - d) * (0.5f - d), 0.75f - d * d, 0.5f * (0.5f + d) * (0.5f + d)}};
}

/// Range of a padded axis that a neighbour at offset -1, 0 or 1 covers, for `reach` nodes of padding.
struct Overlap {
    int begin, end; ///< node coordinates relative to the middle block
};
Overlap overlap(int offset, int reach)
{
    return {std::max(offset * kSide, -reach), std::min((offset + 1) * kSide, kBlockNodes + reach)};
}

/// One pass of the blur along an axis of `n_out` outputs; the other two axes are `n_inner` (contiguous) and `n_outer`.
/// Explicit fused operations: nodes shared by blocks get the same bits however the loop is vectorised.
void blur_axis(std::span<const float> taps, const float* in, float* out, int n_inner, int n_out, int n_outer)
{
    const int reach = static_cast<int>(taps.size()) - 1, n_in = n_out + 2 * reach;
    for (int k = 0; k < n_outer; ++k)
        for (int j = 0; j < n_out; ++j) {
            const float* middle = in + (k * n_in + j + reach) * n_inner;
            float* row = out + (k * n_out + j) * n_inner;
            for (int i = 0; i < n_inner; ++i) row[i] = taps[0] * middle[i];
            for (int t = 1; t <= reach; ++t)
                for (int i = 0; i < n_inner; ++i)
                    row[i] = std::fma(taps[static_cast<std::size_t>(t)],
                                      middle[i - t * n_inner] + middle[i + t * n_inner], row[i]);
        }
}

float interpolate(const std::array<float, kNodesPerBlock>& values, const Eigen::Vector3f& p)
{
    const Vec3i c = p.array().floor().cast<int>().max(0).min(kSide - 1).matrix();
    const Eigen::Vector3f s = p - c.cast<float>();
    float sum = 0;
    for (int k = 0; k < 8; ++k) {
        const int x = k & 1, y = (k >> 1) & 1, z = k >> 2;
        const float w = (x ? s.x() : 1 - s.x()) * (y ? s.y() : 1 - s.y()) * (z ? s.z() : 1 - s.z());
        sum += w * values[static_cast<std::size_t>(block_node(c.x() + x, c.y() + y, c.z() + z))];
    }
    return sum;
}

} // namespace

ParticleField::ParticleField(const BlockLattice& lattice, std::span<const Vec3> positions,
                             std::span<const double> volumes, std::span<const Vec3> colours, double blur_variance)
    : lattice_(lattice), taps_(gaussian_taps(blur_variance)), kernel_variance_(kSplineVariance + blur_variance),
      colours_(colours), n_channels_(colours.empty() ? 1 : 4)
{
    RIVULET_VERIFY(blur_variance >= 0 && taps_.size() <= kSide);
    bin(positions, volumes);
    find_surface_blocks();
    splat();
}

void ParticleField::bin(std::span<const Vec3> positions, std::span<const double> volumes)
{
    struct Entry {
        std::uint64_t key;
        std::uint32_t index;
        bool operator<(const Entry& other) const { return key != other.key ? key < other.key : index < other.index; }
    };
    const auto n = static_cast<std::int64_t>(positions.size());
    const auto in_spacings = [&](std::size_t i) -> Vec3 { return (positions[i] - lattice_.origin) / lattice_.spacing; };
    std::vector<Entry> entries(positions.size());
    parallel_for(
        n, "surfacing keys",
        [&](std::int64_t k) {
            const auto i = static_cast<std::size_t>(k);
            const Vec3 block = (in_spacings(i) / kSide).array().floor();
            if (!(block.cwiseAbs().maxCoeff() < 1e6))
                throw InputError("particle " + std::to_string(i) + " is too far away to be surfaced");
            entries[i] = {block_key(block.cast<int>()), static_cast<std::uint32_t>(i)};
        },
        1024);
    oneapi::tbb::parallel_sort(entries.begin(), entries.end());
    particles_.resize(positions.size());
    const double node_volume = lattice_.spacing * lattice_.spacing * lattice_.spacing;
    parallel_for(
        n, "surfacing sort",
        [&](std::int64_t k) {
            const Entry& entry = entries[static_cast<std::size_t>(k)];
            const Vec3 local = in_spacings(entry.index) - (kSide * block_of_key(entry.key)).cast<double>();
            particles_[static_cast<std::size_t>(k)] = {
                local.cast<float>(), static_cast<float>(volumes[entry.index] / node_volume), entry.index};
        },
        1024);
    for (std::size_t i = 0; i < entries.size(); ++i)
        if (i == 0 || entries[i].key != entries[i - 1].key) {
            bin_keys_.push_back(entries[i].key);
            bin_begins_.push_back(i);
        }
    bin_begins_.push_back(entries.size());
}

/// A bit for each cube of 2^3 nodes of a block that holds at least a quarter of its volume in particles.
std::uint64_t ParticleField::filled_cells(std::size_t bin) const
{
    std::array<float, 64> weight{};
    for (std::size_t i = bin_begins_[bin]; i < bin_begins_[bin + 1]; ++i) {
        const Vec3i c = (particles_[i].local.array() * 0.5f).cast<int>().max(0).min(kSide / 2 - 1).matrix();
        weight[static_cast<std::size_t>(c.x() + 4 * (c.y() + 4 * c.z()))] += particles_[i].weight;
    }
    std::uint64_t filled = 0;
    for (std::size_t c = 0; c < 64; ++c)
        if (weight[c] >= 2) filled |= std::uint64_t{1} << c;
    return filled;
}

void ParticleField::find_surface_blocks()
{
    std::vector<std::uint64_t> filled(bin_keys_.size());
    parallel_for(static_cast<std::int64_t>(filled.size()), "surfacing filled cells", [&](std::int64_t b) {
        filled[static_cast<std::size_t>(b)] = filled_cells(static_cast<std::size_t>(b));
    });
    for (const std::uint64_t key : bin_keys_) {
        bool is_interior = true;
        for_each_neighbour([&](const Vec3i& offset) {
            if (!is_interior) return;
            const std::int32_t b = find_block(bin_keys_, block_key(block_of_key(key) + offset));
            is_interior = b >= 0 && filled[static_cast<std::size_t>(b)] == ~std::uint64_t{0};
        });
        if (is_interior) interior_keys_.push_back(key);
    }
    const std::vector<std::uint64_t> reached = dilated(bin_keys_);
    std::set_difference(reached.begin(), reached.end(), interior_keys_.begin(), interior_keys_.end(),
                        std::back_inserter(surface_keys_));
    raw_keys_ = dilated(surface_keys_);
}

void ParticleField::splat()
{
    raw_.assign(raw_keys_.size(), {});
    parallel_for(static_cast<std::int64_t>(raw_.size()), "surfacing splat", [&](std::int64_t b) {
        raw_[static_cast<std::size_t>(b)] = splat_into(block_of_key(raw_keys_[static_cast<std::size_t>(b)]));
    });
}

std::vector<float> ParticleField::splat_into(const Vec3i& block) const
{
    std::vector<float> nodes;
    const auto add = [&](const Eigen::Vector3f& p, const Particle& particle) {
        if (nodes.empty()) nodes.assign(n_channels_ * kOwnNodes, 0.0f);
        const Spline sx = spline_at(p.x()), sy = spline_at(p.y()), sz = spline_at(p.z());
        const Eigen::Vector3f colour =
            n_channels_ > 1 ? Eigen::Vector3f(colours_[particle.index].cast<float>()) : Eigen::Vector3f::Zero();
        for (int k = std::max(0, -sz.first); k < 3 && sz.first + k < kSide; ++k)
            for (int j = std::max(0, -sy.first); j < 3 && sy.first + j < kSide; ++j)
                for (int i = std::max(0, -sx.first); i < 3 && sx.first + i < kSide; ++i) {
                    const float w = particle.weight * sx.weight[static_cast<std::size_t>(i)] *
                                    sy.weight[static_cast<std::size_t>(j)] * sz.weight[static_cast<std::size_t>(k)];
                    const std::size_t node = own_node(sx.first + i, sy.first + j, sz.first + k);
                    nodes[node] += w;
                    for (std::size_t c = 1; c < n_channels_; ++c)
                        nodes[c * kOwnNodes + node] += w * colour[static_cast<int>(c) - 1];
                }
    };
    for_each_neighbour([&](const Vec3i& offset) {
        const std::int32_t found = find_block(bin_keys_, block_key(block + offset));
        if (found < 0) return;
        const auto b = static_cast<std::size_t>(found);
        const Eigen::Vector3f shift = (kSide * offset).cast<float>();
        for (std::size_t i = bin_begins_[b]; i < bin_begins_[b + 1]; ++i) {
            const Eigen::Vector3f p = particles_[i].local + shift;
            if (p.minCoeff() >= -1.5f && p.maxCoeff() <= kSide + 0.5f) add(p, particles_[i]);
        }
    });
    return nodes;
}

/// Copies one channel around a block into an array with room for the blur; zero where nothing is.
void ParticleField::gather(const Vec3i& block, std::size_t channel, std::vector<float>& padded) const
{
    const int reach = static_cast<int>(taps_.size()) - 1, n = kBlockNodes + 2 * reach;
    padded.assign(static_cast<std::size_t>(n * n * n), 0.0f);
    for_each_neighbour([&](const Vec3i& offset) {
        const std::int32_t found = find_block(raw_keys_, block_key(block + offset));
        if (found < 0 || raw_[static_cast<std::size_t>(found)].empty()) return;
        const float* raw = raw_[static_cast<std::size_t>(found)].data() + channel * kOwnNodes;
        const Overlap ox = overlap(offset.x(), reach), oy = overlap(offset.y(), reach), oz = overlap(offset.z(), reach);
        for (int z = oz.begin; z < oz.end; ++z)
            for (int y = oy.begin; y < oy.end; ++y) {
                const float* from =
                    raw + own_node(ox.begin - kSide * offset.x(), y - kSide * offset.y(), z - kSide * offset.z());
                std::copy(from, from + (ox.end - ox.begin),
                          padded.data() + (ox.begin + reach) + n * (y + reach + n * (z + reach)));
            }
    });
}

void ParticleField::blur(const Vec3i& block, std::size_t channel, NodeValues& out) const
{
    const int n = kBlockNodes + 2 * (static_cast<int>(taps_.size()) - 1);
    thread_local std::vector<float> padded, along_z, along_y;
    gather(block, channel, padded);
    along_z.resize(static_cast<std::size_t>(n * n * kBlockNodes));
    along_y.resize(static_cast<std::size_t>(n * kBlockNodes * kBlockNodes));
    blur_axis(taps_, padded.data(), along_z.data(), n * n, kBlockNodes, 1);
    blur_axis(taps_, along_z.data(), along_y.data(), n, kBlockNodes, kBlockNodes);
    blur_axis(taps_, along_y.data(), out.data(), 1, kBlockNodes, kBlockNodes * kBlockNodes);
}

/// Nodes on the border of an interior block count as filled, whoever asks.
void ParticleField::fill_interior(const Vec3i& block, NodeValues& fraction) const
{
    for_each_neighbour([&](const Vec3i& offset) {
        if (interior_keys_.empty() || find_block(interior_keys_, block_key(block + offset)) < 0) return;
        const auto begin = [&](int axis) { return offset[axis] > 0 ? kSide : 0; };
        const auto end = [&](int axis) { return offset[axis] < 0 ? 0 : kSide; };
        for (int z = begin(2); z <= end(2); ++z)
            for (int y = begin(1); y <= end(1); ++y)
                for (int x = begin(0); x <= end(0); ++x) fraction[static_cast<std::size_t>(block_node(x, y, z))] = 1;
    });
}

void ParticleField::fill(const Vec3i& block, BlockField& field) const
{
    NodeValues fraction;
    blur(block, 0, fraction);
    if (n_channels_ > 1) {
        field.weighted_colour.assign(kNodesPerBlock, Eigen::Vector4f::Zero());
        for (std::size_t i = 0; i < kNodesPerBlock; ++i) field.weighted_colour[i].w() = fraction[i];
        for (std::size_t c = 1; c < n_channels_; ++c) {
            NodeValues colour;
            blur(block, c, colour);
            for (std::size_t i = 0; i < kNodesPerBlock; ++i)
                field.weighted_colour[i][static_cast<int>(c) - 1] = colour[i];
        }
    }
    fill_interior(block, fraction);
    for (std::size_t i = 0; i < kNodesPerBlock; ++i) field.value[i] = 0.5f - fraction[i];
}

float ParticleField::strengthened(float weight, float fraction) const
{
    // At a flat surface half is filled: beyond 0.55 nothing is done, below 0.35 everything, smoothly between.
    const double s = std::clamp((double(fraction) - 0.35) / 0.2, 0.0, 1.0), blend = s * s * (3 - 2 * s);
    if (!(fraction > 0) || blend >= 1) return weight;
    // Height of the kernel at the middle of a lone particle for which it falls to one half at its radius. A ball of
    // 0.9 spacings holds a node wherever it is.
    const double radius = std::max(std::cbrt(0.75 * double(weight) / std::numbers::pi), 0.9);
    const double height = 0.5 * std::exp(0.5 * radius * radius / kernel_variance_);
    const double factor = std::max(1.0, height / double(fraction));
    return weight * static_cast<float>(factor + blend * (1 - factor));
}

void ParticleField::strengthen_sparse_particles()
{
    parallel_for(static_cast<std::int64_t>(surface_keys_.size()), "surfacing sparse particles", [&](std::int64_t k) {
        const std::uint64_t key = surface_keys_[static_cast<std::size_t>(k)];
        const std::int32_t found = find_block(bin_keys_, key);
        if (found < 0) return;
        const auto b = static_cast<std::size_t>(found);
        NodeValues fraction;
        blur(block_of_key(key), 0, fraction);
        fill_interior(block_of_key(key), fraction);
        for (std::size_t i = bin_begins_[b]; i < bin_begins_[b + 1]; ++i)
            particles_[i].weight = strengthened(particles_[i].weight, interpolate(fraction, particles_[i].local));
    });
    splat();
}

} // namespace rivulet
