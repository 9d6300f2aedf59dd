#include "geometry/particle_field.h"

#include "base/assert.h"
#include "base/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

constexpr int kSide = kBlockSide;
constexpr std::size_t kOwnNodes = kSide * kSide * kSide;
constexpr double kSplineVariance = 0.25; ///< of a quadratic B-spline [spacings^2]
constexpr float kSplineReach = 1.5f;     ///< [spacings]
/// Where no node has more than this before the blur, none has half after it, whatever the rounding.
constexpr float kSurelyOutside = 0.499f;

std::size_t neighbour_number(const Vec3i& offset) { return static_cast<std::size_t>(offset.dot(Vec3i(1, 3, 9)) + 13); }

std::size_t own_node(int x, int y, int z) { return static_cast<std::size_t>(x + kSide * (y + kSide * z)); }

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

/// Gives `weight` at p to the own nodes of a block.
void add_splines(const Eigen::Vector3f& p, float weight, float* nodes)
{
    const Spline sx = spline_at(p.x()), sy = spline_at(p.y()), sz = spline_at(p.z());
    const int begin = std::max(0, -sx.first), end = std::min(3, kSide - sx.first);
    for (int k = std::max(0, -sz.first); k < std::min(3, kSide - sz.first); ++k)
        for (int j = std::max(0, -sy.first); j < std::min(3, kSide - sy.first); ++j) {
            const float w = weight * sy.weight[static_cast<std::size_t>(j)] * sz.weight[static_cast<std::size_t>(k)];
            float* row = nodes + sx.first + kSide * (sy.first + j + kSide * (sz.first + k));
            for (int i = begin; i < end; ++i) row[i] += w * sx.weight[static_cast<std::size_t>(i)];
        }
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
      colours_(colours), n_channels_(colours.empty() ? 1 : 4),
      bins_(lattice, positions, volumes, static_cast<int>(taps_.size()) - 1), raw_keys_(dilated(bins_.surface_keys()))
{
    RIVULET_VERIFY(blur_variance >= 0 && taps_.size() <= kSide);
    for_each_neighbour([&](const Vec3i& offset) {
        splat_cells_[neighbour_number(offset)] = ParticleBins::cells_near(offset, double(kSplineReach));
    });
    splat(std::vector<std::uint8_t>(bins_.size(), 1));
}

/// Whether a marked bin gives anything to the nodes of the block.
bool ParticleField::is_beside(const Vec3i& block, const std::vector<std::uint8_t>& is_marked) const
{
    const std::array<std::int32_t, 27> near = find_neighbours(bins_.keys(), block);
    return std::any_of(near.begin(), near.end(),
                       [&](std::int32_t b) { return b >= 0 && is_marked[static_cast<std::size_t>(b)] != 0; });
}

/// Builds the blocks beside bins whose particles changed.
void ParticleField::splat(const std::vector<std::uint8_t>& has_changed)
{
    raw_.resize(raw_keys_.size());
    parallel_for(static_cast<std::int64_t>(raw_.size()), "surfacing splat", [&](std::int64_t b) {
        const Vec3i block = block_of_key(raw_keys_[static_cast<std::size_t>(b)]);
        if (is_beside(block, has_changed)) raw_[static_cast<std::size_t>(b)] = splat_into(block);
    });
}

std::vector<float> ParticleField::splat_into(const Vec3i& block) const
{
    std::vector<float> nodes;
    const auto add = [&](const Eigen::Vector3f& p, const ParticleBins::Particle& particle) {
        if (nodes.empty()) nodes.assign(n_channels_ * kOwnNodes, 0.0f);
        add_splines(p, particle.weight, nodes.data());
        for (std::size_t c = 1; c < n_channels_; ++c)
            add_splines(p, particle.weight * static_cast<float>(colours_[particle.index][static_cast<int>(c) - 1]),
                        nodes.data() + c * kOwnNodes);
    };
    const std::array<std::int32_t, 27> near = find_neighbours(bins_.keys(), block);
    for_each_neighbour([&](const Vec3i& offset) {
        const std::int32_t found = near[neighbour_number(offset)];
        if (found < 0) return;
        const Eigen::Vector3f shift = (kSide * offset).cast<float>();
        const std::uint64_t cells = splat_cells_[neighbour_number(offset)];
        bins_.for_each_particle(static_cast<std::size_t>(found), cells, [&](const ParticleBins::Particle& particle) {
            const Eigen::Vector3f p = particle.local + shift;
            if (p.minCoeff() >= -kSplineReach && p.maxCoeff() <= kSide - 1 + kSplineReach) add(p, particle);
        });
    });
    return nodes;
}

/// Copies one channel around a block into an array with room for the blur; zero where nothing is. Returns the largest.
float ParticleField::gather(const Vec3i& block, std::size_t channel, std::vector<float>& padded) const
{
    const int reach = static_cast<int>(taps_.size()) - 1, n = kBlockNodes + 2 * reach;
    padded.assign(static_cast<std::size_t>(n * n * n), 0.0f);
    const std::array<std::int32_t, 27> near = find_neighbours(raw_keys_, block);
    for_each_neighbour([&](const Vec3i& offset) {
        const std::int32_t found = near[neighbour_number(offset)];
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
    return *std::max_element(padded.begin(), padded.end());
}

/// Zero where no node has more than `ignored` before.
void ParticleField::blur(const Vec3i& block, std::size_t channel, float ignored, NodeValues& out) const
{
    const int n = kBlockNodes + 2 * (static_cast<int>(taps_.size()) - 1);
    thread_local std::vector<float> padded, along_z, along_y;
    if (gather(block, channel, padded) <= ignored) return out.fill(0);
    along_z.resize(static_cast<std::size_t>(n * n * kBlockNodes));
    along_y.resize(static_cast<std::size_t>(n * kBlockNodes * kBlockNodes));
    blur_axis(taps_, padded.data(), along_z.data(), n * n, kBlockNodes, 1);
    blur_axis(taps_, along_z.data(), along_y.data(), n, kBlockNodes, kBlockNodes);
    blur_axis(taps_, along_y.data(), out.data(), 1, kBlockNodes, kBlockNodes * kBlockNodes);
}

/// Nodes on the border of an interior block count as filled, whoever asks.
void ParticleField::fill_interior(const Vec3i& block, NodeValues& fraction) const
{
    const std::array<std::int32_t, 27> near = find_neighbours(bins_.interior_keys(), block);
    for_each_neighbour([&](const Vec3i& offset) {
        if (near[neighbour_number(offset)] < 0) return;
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
    blur(block, 0, kSurelyOutside, fraction);
    if (n_channels_ > 1) {
        field.weighted_colour.assign(kNodesPerBlock, Eigen::Vector4f::Zero());
        for (std::size_t i = 0; i < kNodesPerBlock; ++i) field.weighted_colour[i].w() = fraction[i];
        for (std::size_t c = 1; c < n_channels_; ++c) {
            NodeValues colour;
            blur(block, c, 0, colour);
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
    std::vector<std::uint8_t> has_changed(bins_.size(), 0);
    parallel_for(static_cast<std::int64_t>(surface_keys().size()), "surfacing sparse particles", [&](std::int64_t k) {
        const Vec3i block = block_of_key(surface_keys()[static_cast<std::size_t>(k)]);
        const std::int32_t found = bins_.find(block);
        if (found < 0) return;
        NodeValues fraction;
        blur(block, 0, 0, fraction);
        fill_interior(block, fraction);
        for (ParticleBins::Particle& particle : bins_.particles(static_cast<std::size_t>(found))) {
            const float before = particle.weight;
            particle.weight = strengthened(before, interpolate(fraction, particle.local));
            if (particle.weight != before) has_changed[static_cast<std::size_t>(found)] = 1;
        }
    });
    splat(has_changed);
}

} // namespace rivulet
