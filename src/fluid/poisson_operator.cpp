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

using Double4 = double __attribute__((vector_size(32)));

constexpr int kOperatorPlane = kTileEdge * kTileEdge;

Double4 load4(const double* p) noexcept
{
    Double4 v;
    std::memcpy(&v, p, sizeof v);
    return v;
}

/// The values of a tile and of those across its faces.
struct TileAround {
    const double *own, *x0, *x1, *y0, *y1, *z0, *z1;

    TileAround(const double* field, std::int32_t t, const FaceNeighbours& n) noexcept
        : own(at(field, t)), x0(at(field, n[0])), x1(at(field, n[1])), y0(at(field, n[2])), y1(at(field, n[3])),
          z0(at(field, n[4])), z1(at(field, n[5]))
    {
    }
    static const double* at(const double* field, std::int32_t t) noexcept
    {
        return field + std::size_t(t) * kTileCells;
    }
};

/// Half a row of cells and its neighbours.
struct HalfRow {
    Double4 own, x0, x1, y0, y1, z0, z1;

    template <int kHalf>
    [[gnu::always_inline]] static HalfRow load(const TileAround& t, int j, int k) noexcept
    {
        const int row = cell_in_tile(0, j, k), c = row + 4 * kHalf;
        const double* const own = t.own + c;
        HalfRow h;
        h.own = load4(own);
        if constexpr (kHalf == 0) {
            h.x0 = __builtin_shufflevector(h.own, Double4{} + t.x0[row + 7], 4, 0, 1, 2);
            h.x1 = load4(own + 1);
        } else {
            h.x0 = load4(own - 1);
            h.x1 = __builtin_shufflevector(h.own, Double4{} + t.x1[row], 1, 2, 3, 4);
        }
        h.y0 = load4(j > 0 ? own - kTileEdge : t.y0 + cell_in_tile(4 * kHalf, 7, k));
        h.y1 = load4(j < 7 ? own + kTileEdge : t.y1 + cell_in_tile(4 * kHalf, 0, k));
        h.z0 = load4(k > 0 ? own - kOperatorPlane : t.z0 + cell_in_tile(4 * kHalf, j, 7));
        h.z1 = load4(k < 7 ? own + kOperatorPlane : t.z1 + cell_in_tile(4 * kHalf, j, 0));
        return h;
    }
    /// A p where all faces have the same coefficient.
    [[nodiscard]] Double4 times_uniform(double coefficient) const noexcept
    {
        return coefficient * (6 * own - ((x0 + x1) + (y0 + y1) + (z0 + z1)));
    }
};

/// Coefficients of a tile's lower faces and of those of the next tiles.
struct CoefficientsAround {
    const double *x, *next_x, *y, *next_y, *z, *next_z;

    CoefficientsAround(const PoissonSystem& system, std::int32_t t, const FaceNeighbours& n) noexcept
        : x(at(system, 0, t)), next_x(at(system, 0, n[1])), y(at(system, 1, t)), next_y(at(system, 1, n[3])),
          z(at(system, 2, t)), next_z(at(system, 2, n[5]))
    {
    }
    static const double* at(const PoissonSystem& system, std::size_t axis, std::int32_t t) noexcept
    {
        return &system.coefficient[axis][std::size_t(t) * kTileCells];
    }
};

/// A p on half a row; zero where there is no unknown. Values there are zero, so faces towards them need no mask.
template <int kHalf>
[[gnu::always_inline]] inline Double4 general_half_row(const HalfRow& p, const CoefficientsAround& c,
                                                       const double* diagonal, int j, int k) noexcept
{
    const int row = cell_in_tile(0, j, k), n = row + 4 * kHalf;
    const Double4 x0 = load4(c.x + n), y0 = load4(c.y + n), z0 = load4(c.z + n), d = load4(diagonal + n);
    Double4 x1;
    if constexpr (kHalf == 0)
        x1 = load4(c.x + n + 1);
    else
        x1 = __builtin_shufflevector(x0, Double4{} + c.next_x[row], 1, 2, 3, 4);
    const Double4 y1 = load4(j < 7 ? c.y + n + kTileEdge : c.next_y + cell_in_tile(4 * kHalf, 0, k));
    const Double4 z1 = load4(k < 7 ? c.z + n + kOperatorPlane : c.next_z + cell_in_tile(4 * kHalf, j, 0));
    const Double4 flow = d * p.own - ((x0 * p.x0 + x1 * p.x1) + (y0 * p.y0 + y1 * p.y1) + (z0 * p.z0 + z1 * p.z1));
    return d > 0 ? flow : Double4{};
}

double sum_of_lanes(Double4 v) noexcept { return (v[0] + v[1]) + (v[2] + v[3]); }

/// Of the lower faces along x.
double largest_face(const TileFaces<double>& faces) noexcept
{
    std::array<double, kTileEdge> largest{};
    for (int k = 0; k < kTileEdge; ++k)
        for (int j = 0; j < kTileEdge; ++j)
            for (int i = 0; i < kTileEdge; ++i) largest[i] = std::max(largest[i], faces.x(j, k)[i]);
    return *std::max_element(largest.begin(), largest.end());
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
    uniform_rows_.resize(grid_tiles_.size());
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
    const double typical = largest_face(faces);
    bool valid = true;
    std::uint64_t uniform_rows = 0;
    const std::size_t first = std::size_t(t) * kTileCells;
    const std::array<float*, 5> level_fields{&finest.coefficient[0][first], &finest.coefficient[1][first],
                                             &finest.coefficient[2][first], &finest.x[first], &finest.b[first]};
    std::array<std::array<std::array<float, kTileEdge>, 5>, 2> level_rows;
    for (int k = 0; k < kTileEdge; ++k)
        for (int j = 0; j < kTileEdge; ++j) {
            const int c = cell_in_tile(0, j, k);
            const std::size_t row = first + c;
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
                for (int a = 0; a < 3; ++a) level_rows[j & 1][a][i] = static_cast<float>(f.face[2 * a][i] * scale);
                level_rows[j & 1][3][i] = static_cast<float>(extra[i] * scale);
                level_rows[j & 1][4][i] = m[i] != 0 ? 1.0F : 0.0F;
            }
            if ((j & 1) == 1)
                for (int field = 0; field < 5; ++field)
                    store_rows(level_fields[field], j / 2, k,
                               {load8(level_rows[0][field].data()), load8(level_rows[1][field].data())});
            connections.unknown[k] |= positive_bits(m) << (8 * j);
            connections.diagonal[k] |= positive_bits(extra.data()) << (8 * j);
            for (int a = 0; a < 3; ++a) connections.face[a][k] |= positive_bits(f.face[2 * a].data()) << (8 * j);
            const bool same = typical > 0 && f.all_equal(typical) && (connections.diagonal[k] >> (8 * j) & 0xff) == 0;
            uniform_rows |= std::uint64_t(same) << (j + 8 * k);
        }
    uniform_[t] = typical;
    uniform_rows_[t] = uniform_rows;
    partial_[t] = valid ? 0 : -1;
}

/// body(first cell of a half row, its values, A times them).
template <class Body>
void PoissonOperator::for_half_rows(std::int32_t t, const double* field, std::int32_t own,
                                    const FaceNeighbours& neighbours, Body&& body) const
{
    const TileAround around(field, own, neighbours);
    const CoefficientsAround coefficients(system_, grid_tiles_[t], grid_neighbours_[t]);
    const double* const diagonal = &diagonal_[std::size_t(t) * kTileCells];
    const double uniform = uniform_[t];
    std::uint64_t rows = uniform_rows_[t];
    for (int k = 0; k < kTileEdge; ++k)
        for (int j = 0; j < kTileEdge; ++j, rows >>= 1) {
            const HalfRow low = HalfRow::load<0>(around, j, k), high = HalfRow::load<1>(around, j, k);
            const int row = cell_in_tile(0, j, k);
            if ((rows & 1) != 0) {
                body(row, low.own, low.times_uniform(uniform));
                body(row + 4, high.own, high.times_uniform(uniform));
            } else {
                body(row, low.own, general_half_row<0>(low, coefficients, diagonal, j, k));
                body(row + 4, high.own, general_half_row<1>(high, coefficients, diagonal, j, k));
            }
        }
}

double PoissonOperator::apply(std::span<const double> p, std::span<double> q)
{
    parallel_for(
        n_tiles(), "poisson operator",
        [&](std::int64_t tile) {
            const auto t = static_cast<std::int32_t>(tile);
            double* const q_of = &q[std::size_t(t) * kTileCells];
            Double4 sum{};
            for_half_rows(t, p.data(), t, neighbours_[t], [&](int c, const Double4& own, const Double4& value) {
                std::memcpy(q_of + c, &value, sizeof value);
                sum += own * value;
            });
            partial_[t] = sum_of_lanes(sum);
        },
        kTileGrain);
    return std::accumulate(partial_.begin(), partial_.end(), 0.0);
}

void PoissonOperator::residual(std::span<const double> x, std::span<const double> b, std::span<double> r) const
{
    parallel_for(
        n_tiles(), "poisson residual",
        [&](std::int64_t tile) {
            const auto t = static_cast<std::int32_t>(tile);
            const double* const b_of = &b[std::size_t(grid_tiles_[t]) * kTileCells];
            const double* const diagonal = &diagonal_[std::size_t(t) * kTileCells];
            double* const r_of = &r[std::size_t(t) * kTileCells];
            for_half_rows(t, x.data(), grid_tiles_[t], grid_neighbours_[t],
                          [&](int c, const Double4&, const Double4& value) {
                              const Double4 left = load4(diagonal + c) > 0 ? load4(b_of + c) - value : Double4{};
                              std::memcpy(r_of + c, &left, sizeof left);
                          });
        },
        kTileGrain);
}

std::size_t PoissonOperator::bytes() const noexcept
{
    return (grid_tiles_.capacity() + active_.capacity()) * sizeof(std::int32_t) +
           (neighbours_.capacity() + grid_neighbours_.capacity()) * sizeof(FaceNeighbours) +
           connections_.capacity() * sizeof(TileConnections) + uniform_rows_.capacity() * sizeof(std::uint64_t) +
           (uniform_.capacity() + partial_.capacity() + diagonal_.capacity()) * sizeof(double);
}

} // namespace rivulet
