#include "geometry/isosurface.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/parallel.h"
#include "geometry/marching_cubes.h"

#include <algorithm>
#include <bit>
#include <memory>

namespace rivulet {
namespace {

constexpr int kCellsPerBlock = kBlockSide * kBlockSide * kBlockSide;
constexpr int kMaskWords = kCellsPerBlock / 64;
constexpr int kKeyBits = 21;
constexpr int kKeyOffset = 1 << (kKeyBits - 1);

int cell_index(int x, int y, int z) { return x + kBlockSide * (y + kBlockSide * z); }

/// A block that the surface passes through. It owns the grid edges that start at its nodes below kBlockSide.
struct SurfaceBlock {
    BlockField field;
    std::array<std::array<std::uint64_t, kMaskWords>, 3> crossed{}; ///< bit set of owned crossed edges, by axis
    std::array<std::array<std::int32_t, kMaskWords>, 3> rank{};     ///< vertices before each word, within the block
    std::int32_t n_vertices = 0;
    std::int32_t n_triangles = 0;
    std::int32_t first_vertex = 0;
    std::int32_t first_triangle = 0;

    [[nodiscard]] bool is_inside(int x, int y, int z) const
    {
        return field.value[static_cast<std::size_t>(block_node(x, y, z))] < 0;
    }
    [[nodiscard]] std::int32_t vertex(int axis, int cell) const
    {
        const auto a = static_cast<std::size_t>(axis), w = static_cast<std::size_t>(cell / 64);
        const std::uint64_t below = crossed[a][w] & ((std::uint64_t{1} << (cell % 64)) - 1);
        return first_vertex + rank[a][w] + std::popcount(below);
    }
};

template <class Visit>
void for_each_cell(Visit&& visit)
{
    for (int z = 0; z < kBlockSide; ++z)
        for (int y = 0; y < kBlockSide; ++y)
            for (int x = 0; x < kBlockSide; ++x) visit(x, y, z);
}

int cell_case(const SurfaceBlock& block, int x, int y, int z)
{
    int inside = 0;
    for (int c = 0; c < 8; ++c)
        if (block.is_inside(x + (c & 1), y + ((c >> 1) & 1), z + (c >> 2))) inside |= 1 << c;
    return inside;
}

/// Marks crossed edges and counts vertices and triangles.
void classify(SurfaceBlock& block)
{
    for_each_cell([&](int x, int y, int z) {
        const int cell = cell_index(x, y, z);
        const bool here = block.is_inside(x, y, z);
        for (int axis = 0; axis < 3; ++axis)
            if (here != block.is_inside(x + (axis == 0), y + (axis == 1), z + (axis == 2)))
                block.crossed[static_cast<std::size_t>(axis)][static_cast<std::size_t>(cell / 64)] |= std::uint64_t{1}
                                                                                                      << (cell % 64);
        const auto inside = static_cast<std::size_t>(cell_case(block, x, y, z));
        block.n_triangles += static_cast<std::int32_t>(cube_cases()[inside].size());
    });
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (std::size_t w = 0; w < kMaskWords; ++w) {
            block.rank[axis][w] = block.n_vertices;
            block.n_vertices += std::popcount(block.crossed[axis][w]);
        }
}

/// Gradient at a node by differences of second order, one-sided at the border of the block [1/spacing].
Eigen::Vector3f node_slope(const BlockField& field, const Vec3i& p)
{
    const auto value = [&](const Vec3i& q) {
        return field.value[static_cast<std::size_t>(block_node(q.x(), q.y(), q.z()))];
    };
    Eigen::Vector3f slope;
    for (int axis = 0; axis < 3; ++axis) {
        const Vec3i e = Vec3i::Unit(axis);
        if (p[axis] == 0)
            slope[axis] = -1.5f * value(p) + 2 * value(p + e) - 0.5f * value(p + 2 * e);
        else if (p[axis] == kBlockSide)
            slope[axis] = 1.5f * value(p) - 2 * value(p - e) + 0.5f * value(p - 2 * e);
        else
            slope[axis] = 0.5f * (value(p + e) - value(p - e));
    }
    return slope;
}

/// The crossing of the edge from node p along the axis, with its colour and its slope if they are asked for.
void place_vertex(const BlockLattice& lattice, const Vec3i& block_coords, const SurfaceBlock& block, const Vec3i& p,
                  int axis, std::int32_t id, TriangleMesh& mesh, std::vector<Eigen::Vector3f>* slopes)
{
    const Vec3i q = p + Vec3i::Unit(axis);
    const auto a = static_cast<std::size_t>(block_node(p.x(), p.y(), p.z()));
    const auto b = static_cast<std::size_t>(block_node(q.x(), q.y(), q.z()));
    const double f_a = double(block.field.value[a]), f_b = double(block.field.value[b]);
    // Kept off the nodes so that no triangle degenerates.
    const double t = std::clamp(f_a / (f_a - f_b), 0.01, 0.99);
    const auto v = static_cast<std::size_t>(id);
    mesh.vertices[v] = lattice.node(block_coords, p.x(), p.y(), p.z()) + t * lattice.spacing * Vec3::Unit(axis);
    if (slopes != nullptr)
        (*slopes)[v] =
            static_cast<float>(1 - t) * node_slope(block.field, p) + static_cast<float>(t) * node_slope(block.field, q);
    if (block.field.weighted_colour.empty()) return;
    const Eigen::Vector4d sum =
        (1 - t) * block.field.weighted_colour[a].cast<double>() + t * block.field.weighted_colour[b].cast<double>();
    mesh.colours[v] = sum.w() > 0 ? Vec3(sum.head<3>() / sum.w()) : Vec3::Zero();
}

void emit_vertices(const BlockLattice& lattice, const Vec3i& coords, const SurfaceBlock& block, TriangleMesh& mesh,
                   std::vector<Eigen::Vector3f>* slopes)
{
    for_each_cell([&](int x, int y, int z) {
        const int cell = cell_index(x, y, z);
        for (int axis = 0; axis < 3; ++axis) {
            const std::uint64_t word =
                block.crossed[static_cast<std::size_t>(axis)][static_cast<std::size_t>(cell / 64)];
            if ((word >> (cell % 64)) & 1)
                place_vertex(lattice, coords, block, Vec3i(x, y, z), axis, block.vertex(axis, cell), mesh, slopes);
        }
    });
}

/// The blocks that own the edges of this block's cells: itself and its seven upper neighbours (null: no surface).
using Owners = std::array<const SurfaceBlock*, 8>;

std::int32_t edge_vertex(const Owners& owners, int x, int y, int z, const CubeEdge& edge)
{
    x += edge.lower & 1;
    y += (edge.lower >> 1) & 1;
    z += edge.lower >> 2;
    const int owner = (x / kBlockSide) | ((y / kBlockSide) << 1) | ((z / kBlockSide) << 2);
    const SurfaceBlock* block = owners[static_cast<std::size_t>(owner)];
    RIVULET_VERIFY(block != nullptr);
    return block->vertex(edge.axis, cell_index(x % kBlockSide, y % kBlockSide, z % kBlockSide));
}

void emit_triangles(const SurfaceBlock& block, const Owners& owners, TriangleMesh& mesh)
{
    auto out = mesh.triangles.begin() + block.first_triangle;
    for_each_cell([&](int x, int y, int z) {
        for (const auto& triangle : cube_cases()[static_cast<std::size_t>(cell_case(block, x, y, z))]) {
            for (std::size_t i = 0; i < 3; ++i)
                (*out)[i] = edge_vertex(owners, x, y, z, cube_edges()[static_cast<std::size_t>(triangle[i])]);
            ++out;
        }
    });
}

using BlockList = std::vector<std::unique_ptr<SurfaceBlock>>;

/// Fills and classifies all blocks; those without surface stay null.
BlockList build_blocks(const std::vector<std::uint64_t>& keys,
                       const std::function<void(const Vec3i&, BlockField&)>& fill)
{
    BlockList blocks(keys.size());
    parallel_for(static_cast<std::int64_t>(keys.size()), "isosurface blocks", [&](std::int64_t i) {
        const auto b = static_cast<std::size_t>(i);
        auto block = std::make_unique<SurfaceBlock>();
        fill(block_of_key(keys[b]), block->field);
        classify(*block);
        if (block->n_triangles > 0 || block->n_vertices > 0) blocks[b] = std::move(block);
    });
    return blocks;
}

void number_blocks(BlockList& blocks, TriangleMesh& mesh)
{
    std::int64_t n_vertices = 0, n_triangles = 0;
    bool has_colours = false;
    for (const auto& block : blocks) {
        if (!block) continue;
        block->first_vertex = static_cast<std::int32_t>(n_vertices);
        block->first_triangle = static_cast<std::int32_t>(n_triangles);
        n_vertices += block->n_vertices;
        n_triangles += block->n_triangles;
        has_colours = has_colours || !block->field.weighted_colour.empty();
    }
    RIVULET_VERIFY(n_vertices < INT32_MAX && n_triangles < INT32_MAX);
    mesh.vertices.resize(static_cast<std::size_t>(n_vertices));
    mesh.triangles.resize(static_cast<std::size_t>(n_triangles));
    if (has_colours) mesh.colours.resize(mesh.vertices.size());
}

void find_blocks(const std::function<double(const Vec3&)>& distance, const BlockLattice& lattice, const Vec3i& first,
                 int side, const Vec3i& n_blocks, std::vector<std::uint64_t>& keys)
{
    if ((first.array() >= n_blocks.array()).any()) return;
    const double half = 0.5 * side * kBlockSide * lattice.spacing;
    const Vec3 centre = lattice.node(first, 0, 0, 0) + Vec3::Constant(half);
    if (std::abs(distance(centre)) > 1.0001 * std::sqrt(3.0) * half) return;
    if (side == 1) return keys.push_back(block_key(first));
    for (int c = 0; c < 8; ++c)
        find_blocks(distance, lattice, first + side / 2 * Vec3i(c & 1, (c >> 1) & 1, c >> 2), side / 2, n_blocks, keys);
}

} // namespace

std::uint64_t block_key(const Vec3i& block)
{
    if ((block.array().abs() >= kKeyOffset).any())
        throw InputError("a surface reaches farther than a million blocks of its grid from the origin");
    const auto part = [&](int axis) { return static_cast<std::uint64_t>(block[axis] + kKeyOffset); };
    return (part(2) << (2 * kKeyBits)) | (part(1) << kKeyBits) | part(0);
}

Vec3i block_of_key(std::uint64_t key)
{
    const auto part = [&](int axis) {
        return static_cast<int>((key >> (axis * kKeyBits)) & ((1u << kKeyBits) - 1)) - kKeyOffset;
    };
    return {part(0), part(1), part(2)};
}

std::int32_t find_block(const std::vector<std::uint64_t>& keys, std::uint64_t key)
{
    const auto it = std::lower_bound(keys.begin(), keys.end(), key);
    return it != keys.end() && *it == key ? static_cast<std::int32_t>(it - keys.begin()) : -1;
}

TriangleMesh extract_isosurface(const BlockLattice& lattice, const std::vector<std::uint64_t>& block_keys,
                                const std::function<void(const Vec3i&, BlockField&)>& fill,
                                std::vector<Eigen::Vector3f>* slopes)
{
    TriangleMesh mesh;
    BlockList blocks = build_blocks(block_keys, fill);
    number_blocks(blocks, mesh);
    if (slopes != nullptr) slopes->assign(mesh.vertices.size(), Eigen::Vector3f::Zero());
    parallel_for(static_cast<std::int64_t>(blocks.size()), "isosurface mesh", [&](std::int64_t i) {
        const SurfaceBlock* block = blocks[static_cast<std::size_t>(i)].get();
        if (!block) return;
        const Vec3i coords = block_of_key(block_keys[static_cast<std::size_t>(i)]);
        Owners owners{};
        for (int c = 0; c < 8; ++c) {
            const std::int32_t n = find_block(block_keys, block_key(coords + Vec3i(c & 1, (c >> 1) & 1, c >> 2)));
            if (n >= 0) owners[static_cast<std::size_t>(c)] = blocks[static_cast<std::size_t>(n)].get();
        }
        emit_vertices(lattice, coords, *block, mesh, slopes);
        emit_triangles(*block, owners, mesh);
    });
    return mesh;
}

TriangleMesh mesh_distance_field(const std::function<double(const Vec3&)>& distance, const Aabb& region, double spacing)
{
    RIVULET_VERIFY(spacing > 0 && !region.is_empty());
    const BlockLattice lattice{region.lower, spacing};
    const Vec3 extent = region.size() / (spacing * kBlockSide);
    RIVULET_VERIFY(extent.maxCoeff() < 1 << 16);
    const Vec3i n_blocks = (extent.array().floor().cast<int>() + 1).matrix();
    int side = 1;
    while (side < n_blocks.maxCoeff()) side *= 2;
    std::vector<std::uint64_t> keys;
    find_blocks(distance, lattice, Vec3i::Zero(), side, n_blocks, keys);
    std::sort(keys.begin(), keys.end());
    return extract_isosurface(lattice, keys, [&](const Vec3i& block, BlockField& field) {
        for (int z = 0; z < kBlockNodes; ++z)
            for (int y = 0; y < kBlockNodes; ++y)
                for (int x = 0; x < kBlockNodes; ++x)
                    field.value[static_cast<std::size_t>(block_node(x, y, z))] =
                        static_cast<float>(distance(lattice.node(block, x, y, z)));
    });
}

} // namespace rivulet
