#include "fluid/poisson_components.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace rivulet {
namespace {

constexpr std::uint64_t kColumnX0 = 0x0101010101010101ULL; ///< cells with i = 0
constexpr std::uint64_t kRowY0 = 0xffULL;                  ///< cells with j = 0

/// Grows `cells` along connecting faces until nothing changes.
void flood(TileBits& cells, const std::array<TileBits, 3>& face) noexcept
{
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t k = 0; k < kTileEdge; ++k) {
            const std::uint64_t old = cells[k];
            // A face bit belongs to the upper of its two cells.
            const std::uint64_t fx = face[0][k] & ~kColumnX0, fy = face[1][k] & ~kRowY0;
            std::uint64_t now = old;
            for (int step = 0; step < 7; ++step) {
                now |= (now << 1 & fx) | (now & fx) >> 1;
                now |= (now << 8 & fy) | (now & fy) >> 8;
            }
            if (k > 0) now |= cells[k - 1] & face[2][k];
            if (k + 1 < kTileEdge) now |= cells[k + 1] & face[2][k + 1];
            changed = changed || now != old;
            cells[k] = now;
        }
    }
}

/// Whether lower faces of the upper tile connect cells of the two.
bool touch(const TileBits& lower, const TileBits& upper, int axis, const TileBits& faces) noexcept
{
    if (axis == 2) return (lower[7] & upper[0] & faces[0]) != 0;
    for (std::size_t k = 0; k < kTileEdge; ++k) {
        const std::uint64_t across = axis == 0 ? lower[k] >> 7 & kColumnX0 : lower[k] >> 56;
        if ((across & upper[k] & faces[k]) != 0) return true;
    }
    return false;
}

template <class Body>
void for_cells(const TileBits& cells, Body&& body)
{
    for (int k = 0; k < kTileEdge; ++k)
        for (std::uint64_t rest = cells[k]; rest != 0; rest &= rest - 1)
            body(kTileEdge * kTileEdge * k + std::countr_zero(rest));
}

} // namespace

void PoissonComponents::split_tile(const TileConnections& tile, std::int32_t t)
{
    TileBits rest = tile.unknown;
    for (int k = 0; k < kTileEdge; ++k)
        while (rest[k] != 0) {
            Part part{t, false, {}};
            part.cells[k] = rest[k] & (~rest[k] + 1);
            flood(part.cells, tile.face);
            for (int m = 0; m < kTileEdge; ++m) {
                rest[m] &= ~part.cells[m];
                part.has_diagonal = part.has_diagonal || (part.cells[m] & tile.diagonal[m]) != 0;
            }
            parts_.push_back(part);
        }
}

std::int32_t PoissonComponents::root(std::int32_t part) noexcept
{
    while (link_[part] != part) part = link_[part] = link_[link_[part]];
    return part;
}

void PoissonComponents::join_tiles(std::int32_t a, std::int32_t b, int axis, const TileBits& faces_of_b)
{
    for (std::int32_t p = first_part_[a]; p < first_part_[a + 1]; ++p)
        for (std::int32_t q = first_part_[b]; q < first_part_[b + 1]; ++q)
            if (touch(parts_[p].cells, parts_[q].cells, axis, faces_of_b)) {
                const std::int32_t i = root(p), j = root(q);
                link_[i < j ? j : i] = i < j ? i : j;
            }
}

void PoissonComponents::find(std::span<const TileConnections> tiles, std::span<const FaceNeighbours> neighbours)
{
    const auto n_tiles = static_cast<std::int32_t>(tiles.size());
    parts_.clear();
    first_part_.assign(1, 0);
    for (std::int32_t t = 0; t < n_tiles; ++t) {
        split_tile(tiles[t], t);
        first_part_.push_back(static_cast<std::int32_t>(parts_.size()));
    }
    link_.resize(parts_.size());
    for (std::size_t p = 0; p < parts_.size(); ++p) link_[p] = static_cast<std::int32_t>(p);
    for (std::int32_t t = 0; t < n_tiles; ++t)
        for (int axis = 0; axis < 3; ++axis) {
            const std::int32_t upper = neighbours[t][2 * axis + 1];
            if (upper < n_tiles) join_tiles(t, upper, axis, tiles[upper].face[axis]);
        }
    number_singular();
}

void PoissonComponents::number_singular()
{
    const auto n = static_cast<std::int32_t>(parts_.size());
    for (std::int32_t p = 0; p < n; ++p)
        if (parts_[p].has_diagonal) parts_[root(p)].has_diagonal = true;
    singular_.assign(parts_.size(), -1);
    singular_size_.clear();
    n_components_ = 0;
    for (std::int32_t p = 0; p < n; ++p) { // a root comes before the rest of its component
        const std::int32_t r = root(p);
        n_components_ += r == p ? 1 : 0;
        if (parts_[r].has_diagonal) continue;
        if (r == p) {
            singular_[p] = n_singular();
            singular_size_.push_back(0);
        }
        singular_[p] = singular_[r];
        for (const std::uint64_t plane : parts_[p].cells) singular_size_[singular_[p]] += std::popcount(plane);
    }
}

void PoissonComponents::remove_mean(std::span<double> field, std::span<const std::int32_t> index) const
{
    if (singular_size_.empty()) return;
    std::vector<double> mean(singular_size_.size(), 0.0);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        if (singular_[p] < 0) continue;
        const double* tile = &field[std::size_t(index[parts_[p].tile]) * kTileCells];
        double sum = 0;
        for_cells(parts_[p].cells, [&](int c) { sum += tile[c]; });
        mean[singular_[p]] += sum;
    }
    for (std::size_t s = 0; s < mean.size(); ++s) mean[s] /= static_cast<double>(singular_size_[s]);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        if (singular_[p] < 0) continue;
        double* tile = &field[std::size_t(index[parts_[p].tile]) * kTileCells];
        for_cells(parts_[p].cells, [&](int c) { tile[c] -= mean[singular_[p]]; });
    }
}

void PoissonComponents::for_singular(std::span<const std::int32_t> index,
                                     const std::function<void(std::size_t, std::size_t)>& visit) const
{
    for (std::size_t p = 0; p < parts_.size(); ++p)
        if (singular_[p] >= 0)
            for_cells(parts_[p].cells, [&](int c) {
                visit(std::size_t(index[parts_[p].tile]) * kTileCells + std::size_t(c), std::size_t(singular_[p]));
            });
}

std::size_t PoissonComponents::bytes() const noexcept
{
    return parts_.capacity() * sizeof(Part) +
           (first_part_.capacity() + link_.capacity() + singular_.capacity()) * sizeof(std::int32_t) +
           singular_size_.capacity() * sizeof(std::int64_t);
}

} // namespace rivulet
