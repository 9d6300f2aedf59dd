#include "fluid/poisson_operator.h"

#include "base/assert.h"
#include "base/parallel.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace rivulet {
namespace {

bool has_unknown(std::span<const std::uint8_t> unknown, std::int32_t t) noexcept
{
    const std::uint8_t* tile = &unknown[std::size_t(t) * kTileCells];
    return std::any_of(tile, tile + kTileCells, [](std::uint8_t u) { return u != 0; });
}

/// The six faces of one row of cells, zero where they do not count.
struct FaceRow {
    std::array<std::array<double, kTileEdge>, 6> face;

    void load(const TileFaces<double>& faces, const PaddedBlock<double>& unknown, int j, int k) noexcept
    {
        using DoubleBlock = PaddedBlock<double>;
        const double* m = unknown.row(j, k);
        const auto fill = [&](std::array<double, kTileEdge>& to, const double* from, const double* across) {
            for (int i = 0; i < kTileEdge; ++i) to[i] = m[i] * across[i] != 0 ? from[i] : 0.0;
        };
        fill(face[0], faces.x(j, k), m - 1);
        fill(face[1], faces.x(j, k) + 1, m + 1);
        fill(face[2], faces.y(j, k), m - DoubleBlock::kRow);
        fill(face[3], faces.upper_y(j, k), m + DoubleBlock::kRow);
        fill(face[4], faces.z(j, k), m - DoubleBlock::kPlane);
        fill(face[5], faces.upper_z(j, k), m + DoubleBlock::kPlane);
    }
    [[nodiscard]] bool all_equal(double value) const noexcept
    {
        bool same = true;
        for (const auto& f : face)
            for (const double c : f) same = same & (c == value);
        return same;
    }
};

using Row = std::array<double, kTileEdge>;
constexpr int kRow = PaddedBlock<double>::kRow, kPlane = PaddedBlock<double>::kPlane;

/// A p on a row around which all faces have the same coefficient; c points into a padded block.
inline Row uniform_row(const double* c, double coefficient) noexcept
{
    Row value;
    for (int i = 0; i < kTileEdge; ++i) {
        const double x = c[i - 1] + c[i + 1], y = c[i - kRow] + c[i + kRow], z = c[i - kPlane] + c[i + kPlane];
        value[i] = coefficient * (6 * c[i] - (x + y + z));
    }
    return value;
}

/// A p on any row; zero where there is no unknown. Values there are zero, so faces towards them need no mask.
inline Row general_row(const double* c, const TileFaces<double>& faces, const double* diagonal, int j, int k) noexcept
{
    const double *fx = faces.x(j, k), *fy = faces.y(j, k), *fz = faces.z(j, k);
    const double *uy = faces.upper_y(j, k), *uz = faces.upper_z(j, k);
    Row value;
    for (int i = 0; i < kTileEdge; ++i) {
        const double x = fx[i] * c[i - 1] + fx[i + 1] * c[i + 1];
        const double y = fy[i] * c[i - kRow] + uy[i] * c[i + kRow];
        const double z = fz[i] * c[i - kPlane] + uz[i] * c[i + kPlane];
        const double flow = diagonal[i] * c[i] - (x + y + z);
        value[i] = diagonal[i] > 0 ? flow : 0.0;
    }
    return value;
}

std::uint64_t positive_bits(const double* row) noexcept
{
    std::uint64_t bits = 0;
    for (int i = 0; i < kTileEdge; ++i) bits |= std::uint64_t(row[i] > 0) << i;
    return bits;
}

} // namespace

double PoissonOperator::typical_coefficient() const
{
    for (const std::int32_t t : grid_tiles_)
        for (int c = 0; c < kTileCells; ++c) {
            const std::size_t n = std::size_t(t) * kTileCells + c;
            if (system_.unknown[n] == 0) continue;
            for (const auto& coefficient : system_.coefficient)
                if (coefficient[n] > 0) return coefficient[n];
            if (system_.diagonal[n] > 0) return system_.diagonal[n];
        }
    return 1;
}

void PoissonOperator::find_tiles(PoissonLevel& finest)
{
    const TileGrid& grid = *system_.grid;
    active_.resize(std::size_t(grid.n_tiles()) + 1);
    parallel_for(
        grid.n_tiles(), "poisson tiles",
        [&](std::int64_t t) { active_[t] = has_unknown(system_.unknown, static_cast<std::int32_t>(t)) ? 1 : 0; }, 64);
    grid_tiles_.clear();
    Vec3i lowest = Vec3i::Constant(1 << 30);
    for (std::int32_t t = 0; t < grid.n_tiles(); ++t)
        if (active_[t] != 0) {
            active_[t] = static_cast<std::int32_t>(grid_tiles_.size());
            grid_tiles_.push_back(t);
            lowest = lowest.cwiseMin(grid.tile(t));
        } else {
            active_[t] = -1;
        }
    active_[grid.n_tiles()] = -1;
    for (std::int32_t& a : active_) a = a < 0 ? n_tiles() : a;

    finest.tiles.resize(grid_tiles_.size());
    neighbours_.resize(grid_tiles_.size());
    grid_neighbours_.resize(grid_tiles_.size());
    for (int t = 0; t < n_tiles(); ++t) {
        const std::int32_t g = grid_tiles_[t];
        finest.tiles[t] = grid.tile(g) - lowest;
        grid_neighbours_[t] = {grid.neighbour(g, -1, 0, 0), grid.neighbour(g, 1, 0, 0),  grid.neighbour(g, 0, -1, 0),
                               grid.neighbour(g, 0, 1, 0),  grid.neighbour(g, 0, 0, -1), grid.neighbour(g, 0, 0, 1)};
        for (int face = 0; face < 6; ++face) neighbours_[t][face] = active_[grid_neighbours_[t][face]];
    }
}

void PoissonOperator::build(const PoissonSystem& system, PoissonLevel& finest)
{
    RIVULET_VERIFY(system.grid != nullptr);
    for (const std::size_t size : {system.unknown.size(), system.coefficient[0].size(), system.coefficient[1].size(),
                                   system.coefficient[2].size(), system.diagonal.size()})
        RIVULET_VERIFY(size == system.grid->field_size());
    system_ = system;
    find_tiles(finest);
    finest.resize();
    finest.neighbours = neighbours_;
    finest.find_colours();
    connections_.resize(grid_tiles_.size());
    uniform_.resize(grid_tiles_.size());
    partial_.resize(grid_tiles_.size());
    diagonal_.resize((grid_tiles_.size() + 1) * kTileCells);
    std::fill(diagonal_.end() - kTileCells, diagonal_.end(), 0.0);

    const double scale = 1 / typical_coefficient();
    parallel_for(
        n_tiles(), "poisson coefficients",
        [&](std::int64_t t) { build_tile(static_cast<std::int32_t>(t), scale, finest); }, kTileGrain);
    is_valid_ = std::ranges::all_of(partial_, [](double smallest) { return smallest >= 0; });
    n_unknowns_ = 0;
    for (const TileConnections& tile : connections_)
        for (const std::uint64_t plane : tile.unknown) n_unknowns_ += std::popcount(plane);
}

void PoissonOperator::build_tile(std::int32_t t, double scale, PoissonLevel& finest)
{
    const std::int32_t g = grid_tiles_[t];
    const FaceNeighbours& n = grid_neighbours_[t];
    PaddedBlock<double> unknown;
    load_tile(unknown, system_.unknown.data(), g);
    load_halo(unknown, system_.unknown.data(), n);
    TileFaces<double> faces;
    faces.load(system_.coefficient[0].data(), system_.coefficient[1].data(), system_.coefficient[2].data(), g, n[1],
               n[3], n[5]);
    TileConnections& connections = connections_[t];
    connections = {};
    const double* given = &system_.diagonal[std::size_t(g) * kTileCells];
    const double typical = faces.x(0, 0)[0];
    bool same = typical > 0, valid = true;
    for (int k = 0; k < kTileEdge; ++k)
        for (int j = 0; j < kTileEdge; ++j) {
            const int c = cell_in_tile(0, j, k);
            const std::size_t row = std::size_t(t) * kTileCells + c;
            const double* m = unknown.row(j, k);
            FaceRow f;
            f.load(faces, unknown, j, k);
            std::array<double, kTileEdge> extra;
            for (int i = 0; i < kTileEdge; ++i) extra[i] = m[i] != 0 ? given[c + i] : 0.0;
            for (int i = 0; i < kTileEdge; ++i) {
                diagonal_[row + i] =
                    f.face[0][i] + f.face[1][i] + f.face[2][i] + f.face[3][i] + f.face[4][i] + f.face[5][i] + extra[i];
                valid = valid && diagonal_[row + i] <= std::numeric_limits<double>::max();
                for (const auto& face : f.face) valid = valid && face[i] >= 0;
                valid = valid && extra[i] >= 0;
                for (int a = 0; a < 3; ++a)
                    finest.coefficient[a][row + i] = static_cast<float>(f.face[2 * a][i] * scale);
                finest.x[row + i] = static_cast<float>(extra[i] * scale);
            }
            connections.unknown[k] |= positive_bits(m) << (8 * j);
            connections.diagonal[k] |= positive_bits(extra.data()) << (8 * j);
            for (int a = 0; a < 3; ++a) connections.face[a][k] |= positive_bits(f.face[2 * a].data()) << (8 * j);
            same = same && f.all_equal(typical) && connections.diagonal[k] == 0;
        }
    uniform_[t] = same ? typical : 0;
    partial_[t] = valid ? 0 : -1;
}

double PoissonOperator::apply_tile(std::int32_t t, const double* p, double* q) const
{
    PaddedBlock<double> block;
    load_tile(block, p, t);
    load_halo(block, p, neighbours_[t]);
    const double uniform = uniform_[t];
    const FaceNeighbours& n = grid_neighbours_[t];
    TileFaces<double> faces;
    if (uniform == 0)
        faces.load(system_.coefficient[0].data(), system_.coefficient[1].data(), system_.coefficient[2].data(),
                   grid_tiles_[t], n[1], n[3], n[5]);
    std::array<double, kTileEdge> sum{};
    for (int k = 0; k < kTileEdge; ++k)
        for (int j = 0; j < kTileEdge; ++j) {
            const std::size_t row = std::size_t(t) * kTileCells + cell_in_tile(0, j, k);
            const double* c = block.row(j, k);
            const Row value = uniform > 0 ? uniform_row(c, uniform) : general_row(c, faces, &diagonal_[row], j, k);
            for (int i = 0; i < kTileEdge; ++i) {
                q[row + i] = value[i];
                sum[i] += c[i] * value[i];
            }
        }
    return std::accumulate(sum.begin(), sum.end(), 0.0);
}

double PoissonOperator::apply(std::span<const double> p, std::span<double> q)
{
    parallel_for(
        n_tiles(), "poisson operator",
        [&](std::int64_t t) { partial_[t] = apply_tile(static_cast<std::int32_t>(t), p.data(), q.data()); },
        kTileGrain);
    return std::accumulate(partial_.begin(), partial_.end(), 0.0);
}

std::size_t PoissonOperator::bytes() const noexcept
{
    return (grid_tiles_.capacity() + active_.capacity()) * sizeof(std::int32_t) +
           (neighbours_.capacity() + grid_neighbours_.capacity()) * sizeof(FaceNeighbours) +
           connections_.capacity() * sizeof(TileConnections) +
           (uniform_.capacity() + partial_.capacity() + diagonal_.capacity()) * sizeof(double);
}

} // namespace rivulet
