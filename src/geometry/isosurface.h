#pragma once

#include "base/vec.h"
#include "geometry/triangle_mesh.h"

#include <array>
#include <functional>
#include <vector>

namespace rivulet {

/// Side of a block of the sparse grid in grid intervals; a block knows the nodes of both its ends.
inline constexpr int kBlockSide = 8;
inline constexpr int kBlockNodes = kBlockSide + 1;
inline constexpr int kNodesPerBlock = kBlockNodes * kBlockNodes * kBlockNodes;

/// Index of a node of a block, x fastest; coordinates in [0, kBlockSide].
[[nodiscard]] constexpr int block_node(int x, int y, int z) { return x + kBlockNodes * (y + kBlockNodes * z); }

/// What is known on the nodes of one block. Nodes shared by blocks must get the same bits from each of them.
struct BlockField {
    std::array<float, kNodesPerBlock> value{};    ///< inside where negative
    std::vector<Eigen::Vector4f> weighted_colour; ///< (weight * rgb, weight) per node, or empty
};

/// Unique key of a block, increasing in x first; raises InputError beyond 2^20 blocks from the origin.
[[nodiscard]] std::uint64_t block_key(const Vec3i& block);
/// Inverse of block_key.
[[nodiscard]] Vec3i block_of_key(std::uint64_t key);
/// Position of `key` in sorted unique keys, or -1.
[[nodiscard]] std::int32_t find_block(const std::vector<std::uint64_t>& keys, std::uint64_t key);

/// Where the blocks lie: node (0,0,0) of block b is at origin + spacing * kBlockSide * b.
struct BlockLattice {
    Vec3 origin = Vec3::Zero(); ///< [m]
    double spacing = 1;         ///< of nodes [m]

    [[nodiscard]] Vec3 node(const Vec3i& block, int x, int y, int z) const
    {
        return origin + spacing * (kBlockSide * block + Vec3i(x, y, z)).cast<double>();
    }
};

/// Closed manifold mesh of the zero level, by marching cubes. `block_keys`: sorted, unique, holding every block that
/// the surface passes through. `fill` is called once a block, from many threads. Vertices are ordered by block.
/// `slopes`, if given, gets the gradient of the field at the vertices [1/spacing].
[[nodiscard]] TriangleMesh extract_isosurface(const BlockLattice& lattice, const std::vector<std::uint64_t>& block_keys,
                                              const std::function<void(const Vec3i&, BlockField&)>& fill,
                                              std::vector<Eigen::Vector3f>* slopes = nullptr);

/// The same for a function of space that never exceeds the distance to its zero level in magnitude: blocks are found by
/// subdividing `region`. The mesh is closed if the function is positive on the border of the region.
[[nodiscard]] TriangleMesh mesh_distance_field(const std::function<double(const Vec3&)>& distance, const Aabb& region,
                                               double spacing);

} // namespace rivulet
