#pragma once

#include "base/vec.h"
#include "geometry/isosurface.h"

#include <array>
#include <bit>
#include <span>
#include <vector>

namespace rivulet {

/// Particles of one block that follow each other in the input.
struct ParticleRun {
    std::uint64_t key;
    std::size_t begin;
};

/// A volume of liquid at a place.
struct Lump {
    Vec3 position; ///< [m]
    double volume; ///< [m^3]
};

/// The particles near a liquid's surface by blocks of a lattice, and where that surface may be.
///
/// All particles are read once, to see which cells of 2^3 nodes they fill; only those that matter are kept, and cost
/// more. The input is best in an order in which neighbours are near each other. Sorted by block, cell and index,
/// whatever the number of threads.
class ParticleBins {
public:
    struct Particle {
        Eigen::Vector3f local; ///< from the lower corner of its block [spacings]
        float weight;          ///< its volume in units of a node's
        std::uint32_t index;   ///< in the input
    };

    /// Nodes of surface blocks, and nodes up to `reach` nodes around them, get all that B-splines give them.
    ParticleBins(const BlockLattice& lattice, std::span<const Vec3> positions, std::span<const double> volumes,
                 int reach);

    /// Blocks that are filled, as is all that is within two cells of them; sorted.
    [[nodiscard]] const std::vector<std::uint64_t>& interior_keys() const noexcept { return interior_keys_; }
    /// All others within a block of a particle, sorted.
    [[nodiscard]] const std::vector<std::uint64_t>& surface_keys() const noexcept { return surface_keys_; }

    /// Number of the block's bin, or -1.
    [[nodiscard]] std::int32_t find(const Vec3i& block) const { return find_block(keys_, block_key(block)); }
    /// Keys of the bins, sorted.
    [[nodiscard]] const std::vector<std::uint64_t>& keys() const noexcept { return keys_; }
    [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }
    [[nodiscard]] std::span<Particle> particles(std::size_t bin)
    {
        const std::size_t begin = begins_[kCellsOfBin * bin], end = begins_[kCellsOfBin * (bin + 1)];
        return std::span(particles_).subspan(begin, end - begin);
    }
    /// Calls visit(particle) for those in the cells of a bin whose bits are set; x fastest.
    template <class Visit>
    void for_each_particle(std::size_t bin, std::uint64_t cells, Visit&& visit) const
    {
        for (; cells != 0; cells &= cells - 1) {
            const std::size_t slot = kCellsOfBin * bin + static_cast<std::size_t>(std::countr_zero(cells));
            for (std::size_t i = begins_[slot]; i < begins_[slot + 1]; ++i) visit(particles_[i]);
        }
    }
    /// Bits of the cells of a block at `offset` from another that are less than `margin` [spacings] from that one.
    [[nodiscard]] static std::uint64_t cells_near(const Vec3i& offset, double margin);
    /// Of the particles that were kept, as in the input, sorted by block and cell.
    [[nodiscard]] std::vector<std::uint32_t> indices() const;
    /// What the others hold, one for each block that has any.
    [[nodiscard]] const std::vector<Lump>& deep() const noexcept { return deep_; }

private:
    static constexpr std::size_t kCellsOfBin = 64;

    /// Cells of a block that count, one bit each.
    struct CellMask {
        std::uint64_t key;
        std::uint64_t cells;
    };

    void find_interior(const std::vector<CellMask>& filled);
    [[nodiscard]] std::vector<CellMask> wanted_cells(const std::vector<CellMask>& filled, int reach) const;
    void keep(const std::vector<CellMask>& wanted, const std::vector<std::vector<ParticleRun>>& runs,
              const BlockLattice& lattice, std::span<const Vec3> positions, std::span<const double> volumes);

    std::vector<std::uint64_t> interior_keys_, surface_keys_;
    std::vector<Lump> deep_;
    std::vector<Particle> particles_;
    std::vector<std::uint64_t> keys_;   ///< blocks with particles that were kept, sorted
    std::vector<std::uint32_t> begins_; ///< first particle of each of their cells, and the end
};

/// Calls visit(offset) for the 27 offsets of a block's neighbourhood, itself included.
template <class Visit>
void for_each_neighbour(Visit&& visit)
{
    for (int z = -1; z <= 1; ++z)
        for (int y = -1; y <= 1; ++y)
            for (int x = -1; x <= 1; ++x) visit(Vec3i(x, y, z));
}

/// Positions in sorted unique keys of the blocks of a neighbourhood, in the order of for_each_neighbour(); -1: not
/// there.
[[nodiscard]] std::array<std::int32_t, 27> find_neighbours(const std::vector<std::uint64_t>& keys, const Vec3i& block);

/// Sorted keys of all blocks within one block of the given ones.
[[nodiscard]] std::vector<std::uint64_t> dilated(const std::vector<std::uint64_t>& keys);

} // namespace rivulet
