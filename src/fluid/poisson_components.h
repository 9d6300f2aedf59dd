#pragma once

#include "fluid/poisson_block.h"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace rivulet {

/// One bit a cell of a tile: plane k, bit i + 8 j.
using TileBits = std::array<std::uint64_t, kTileEdge>;

/// What the search for components must know of a tile.
struct TileConnections {
    TileBits unknown{};
    TileBits diagonal{};            ///< cells with a positive diagonal
    std::array<TileBits, 3> face{}; ///< lower faces that connect two unknowns
};

/// Connected sets of unknowns, and among them the singular ones: those without any diagonal, on which the system
/// determines the solution up to a constant.
class PoissonComponents {
public:
    void find(std::span<const TileConnections> tiles, std::span<const FaceNeighbours> neighbours);

    [[nodiscard]] int n_components() const noexcept { return n_components_; }
    [[nodiscard]] int n_singular() const noexcept { return static_cast<int>(singular_size_.size()); }
    /// Subtracts the mean of `field` over each singular component; tile t of the search is tile index[t] of the field.
    void remove_mean(std::span<double> field, std::span<const std::int32_t> index) const;
    /// Calls visit(cell of the field, number of the component) for the cells of singular components, in a fixed order.
    void for_singular(std::span<const std::int32_t> index,
                      const std::function<void(std::size_t, std::size_t)>& visit) const;
    [[nodiscard]] std::size_t bytes() const noexcept;

private:
    /// A part of a component: what of it lies in one tile and is connected within it.
    struct Part {
        std::int32_t tile = 0;
        bool has_diagonal = false;
        TileBits cells{};
    };
    void split_tile(const TileConnections& tile, std::int32_t t);
    void join_tiles(std::int32_t a, std::int32_t b, int axis, const TileBits& faces_of_b);
    [[nodiscard]] std::int32_t root(std::int32_t part) noexcept;
    void number_singular();

    std::vector<Part> parts_;
    std::vector<std::int32_t> first_part_; ///< of each tile; one more entry than tiles
    std::vector<std::int32_t> link_;       ///< union-find: towards the smallest part of the component
    std::vector<std::int32_t> singular_;   ///< number of the singular component of each part, or -1
    std::vector<std::int64_t> singular_size_;
    int n_components_ = 0;
};

} // namespace rivulet
