#pragma once

#include "base/vec.h"
#include "geometry/isosurface.h"
#include "geometry/particle_bins.h"

#include <span>
#include <vector>

namespace rivulet {

/// Fraction of space that liquid particles fill, on the nodes of a sparse lattice near their surface.
///
/// Each particle gives its volume to the 27 nodes around it by quadratic B-splines; a Gaussian blurs the sum. Both keep
/// volume, so the surface is where space is half filled: exactly for a flat one, within sigma^2 / R for one of radius
/// R. Blocks deep inside the liquid are never built: they count as filled.
class ParticleField {
public:
    /// `colours` may be empty, and must outlive the field. `blur_variance` [spacings^2] within [0, 5].
    ParticleField(const BlockLattice& lattice, std::span<const Vec3> positions, std::span<const double> volumes,
                  std::span<const Vec3> colours, double blur_variance);

    /// Blocks that the surface may pass through, sorted.
    [[nodiscard]] const std::vector<std::uint64_t>& surface_keys() const noexcept { return bins_.surface_keys(); }
    /// Indices of the particles near the surface, sorted by place.
    [[nodiscard]] std::vector<std::uint32_t> near_particles() const { return bins_.indices(); }
    /// What the other particles hold.
    [[nodiscard]] const std::vector<Lump>& deep() const noexcept { return bins_.deep(); }
    /// From the field's slope [1/spacing] at the surface to the vector from the middle of the particles that the kernel
    /// sees there to the surface [m]: for a Gaussian the gradient of its logarithm says that.
    [[nodiscard]] float depth_per_slope() const { return static_cast<float>(2 * kernel_variance_ * lattice_.spacing); }
    /// Makes `field` negative where more than half is filled, and sets weighted colours if there are any.
    void fill(const Vec3i& block, BlockField& field) const;
    /// Gives particles that are alone or in thin sheets weight enough to stay inside of the surface. A lone particle
    /// becomes a ball of its own volume, but not one so small that it could slip between the nodes.
    void strengthen_sparse_particles();

private:
    using NodeValues = std::array<float, kNodesPerBlock>;
    void splat(const std::vector<std::uint8_t>& has_changed);
    [[nodiscard]] std::vector<float> splat_into(const Vec3i& block) const;
    [[nodiscard]] bool is_beside(const Vec3i& block, const std::vector<std::uint8_t>& is_marked) const;
    void blur(const Vec3i& block, std::size_t channel, float ignored, NodeValues& out) const;
    float gather(const Vec3i& block, std::size_t channel, std::vector<float>& padded) const;
    void fill_interior(const Vec3i& block, NodeValues& fraction) const;
    [[nodiscard]] float strengthened(float weight, float fraction) const;

    BlockLattice lattice_;
    std::vector<float> taps_; ///< one side of the Gaussian, from the middle
    double kernel_variance_;  ///< of spline and Gaussian together [spacings^2]
    std::span<const Vec3> colours_;
    std::size_t n_channels_; ///< weight, then weighted red, green and blue if there are colours
    ParticleBins bins_;
    std::array<std::uint64_t, 27> splat_cells_{}; ///< of a neighbour: those that give anything to a block
    std::vector<std::uint64_t> raw_keys_;         ///< surface blocks and their neighbours
    std::vector<std::vector<float>> raw_;         ///< channels of 8^3 nodes; empty: nothing there
};

} // namespace rivulet
