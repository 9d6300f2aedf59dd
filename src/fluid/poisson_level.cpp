#include "fluid/poisson_level.h"

#include "base/parallel.h"

#include <algorithm>

namespace rivulet {
namespace {

/// Constant aggregation overestimates the energy of a smooth correction twofold: the faces are scaled back.
constexpr float kFaceScale = 0.5F;

bool before(const Vec3i& a, const Vec3i& b) noexcept { return tile_key(a) < tile_key(b); }

void clear_last_tile(AlignedVector<float>& field) { std::fill(field.end() - kTileCells, field.end(), 0.0F); }

/// Sums over the cells of 2x2x2 along rows 2 m and 2 m + 1 of the coarse octant: row(colour, m, k) are rows of the fine
/// tile.
template <class Row>
Float8 sum_cells(Row&& row, int m, int k)
{
    const auto sum = [&](int fine_m) {
        return (row(0, fine_m, 2 * k) + row(1, fine_m, 2 * k)) +
               (row(0, fine_m, 2 * k + 1) + row(1, fine_m, 2 * k + 1));
    };
    return adjacent_sums(sum(2 * m), sum(2 * m + 1));
}

void aggregate_faces(const PoissonLevel& fine, std::size_t from, PoissonLevel& coarse, std::size_t to)
{
    const float *x = &fine.coefficient[0][from], *y = &fine.coefficient[1][from], *z = &fine.coefficient[2][from];
    for (int k = 0; k < 4; ++k)
        for (int m = 0; m < 2; ++m) {
            const auto even_lanes = [](Float8 a, Float8 b) {
                return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
            };
            const auto x_faces = [&](int n) {
                return (load8(x + pair_row(0, n, 2 * k)) + load8(x + pair_row(1, n, 2 * k))) +
                       (load8(x + pair_row(0, n, 2 * k + 1)) + load8(x + pair_row(1, n, 2 * k + 1)));
            };
            const auto y_faces = [&](int n) { return load_rows(y, n, 2 * k).even + load_rows(y, n, 2 * k + 1).even; };
            const auto z_faces = [&](int n) {
                return load8(z + pair_row(0, n, 2 * k)) + load8(z + pair_row(1, n, 2 * k));
            };
            const int a = 2 * m, b = 2 * m + 1;
            store_octant_rows(&coarse.coefficient[0][to], m, k, kFaceScale * even_lanes(x_faces(a), x_faces(b)));
            store_octant_rows(&coarse.coefficient[1][to], m, k, kFaceScale * adjacent_sums(y_faces(a), y_faces(b)));
            store_octant_rows(&coarse.coefficient[2][to], m, k, kFaceScale * adjacent_sums(z_faces(a), z_faces(b)));
        }
}

/// What of its cells' diagonals the coarser cell has. Where that is full, a surface beyond it lies half a fine cell
/// further from its centre than from theirs, in series with d: d/(1 + d/(2 c)), c the coefficient of a face. A cell
/// that is but half full has its centre where the fine ones have theirs, and keeps d.
void aggregate_diagonal(const PoissonLevel& fine, std::size_t from, PoissonLevel& coarse, std::size_t to)
{
    constexpr float kFacesBesideASurface = 5, kTiny = 1e-30F;
    const float *extra = &fine.x[from], *inverse = &fine.inverse_diagonal[from], *part = &fine.b[from];
    for (int k = 0; k < 4; ++k)
        for (int m = 0; m < 2; ++m) {
            const auto part_row = [&](int colour, int n, int l) { return load8(part + pair_row(colour, n, l)); };
            const Float8 full = 0.125F * sum_cells(part_row, m, k);
            const Float8 beyond_half = full > 0.5F ? full - 0.5F : Float8{};
            const Float8 softening = 2 * kFacesBesideASurface * beyond_half * beyond_half;
            const std::array<Float8, 2> twice{__builtin_shufflevector(softening, softening, 0, 0, 1, 1, 2, 2, 3, 3),
                                              __builtin_shufflevector(softening, softening, 4, 4, 5, 5, 6, 6, 7, 7)};
            const auto diagonal_row = [&](int colour, int n, int l) {
                const int row = pair_row(colour, n, l);
                const Float8 d = load8(extra + row), left = 1 / load8(inverse + row) - d, least = 1e-6F * d + kTiny;
                const Float8 faces = left > least ? left : least;
                return d / (1 + twice[n & 1] * d / faces);
            };
            store_octant_rows(&coarse.x[to], m, k, sum_cells(diagonal_row, m, k));
            store_octant_rows(&coarse.b[to], m, k, full);
        }
}

void aggregate(const PoissonLevel& fine, PoissonLevel& coarse, std::int32_t t)
{
    for (int octant = 0; octant < 8; ++octant) {
        const std::size_t from = std::size_t(coarse.children[t][octant]) * kTileCells;
        const std::size_t to = std::size_t(t) * kTileCells + octant_origin(octant);
        aggregate_faces(fine, from, coarse, to);
        aggregate_diagonal(fine, from, coarse, to);
    }
}

void find_tiles(PoissonLevel& fine, PoissonLevel& coarse)
{
    const auto parent_of = [](const Vec3i& t) { return Vec3i(t.x() >> 1, t.y() >> 1, t.z() >> 1); };
    coarse.tiles.clear();
    for (const Vec3i& t : fine.tiles) {
        const Vec3i parent = parent_of(t);
        if (coarse.tiles.empty() || coarse.tiles.back() != parent) coarse.tiles.push_back(parent);
    }
    std::sort(coarse.tiles.begin(), coarse.tiles.end(), before);
    coarse.tiles.erase(std::unique(coarse.tiles.begin(), coarse.tiles.end()), coarse.tiles.end());

    coarse.children.resize(coarse.tiles.size());
    for (auto& children : coarse.children) children.fill(fine.n_tiles);
    fine.parents.resize(fine.tiles.size());
    for (std::size_t t = 0; t < fine.tiles.size(); ++t) {
        const auto found = std::lower_bound(coarse.tiles.begin(), coarse.tiles.end(), parent_of(fine.tiles[t]), before);
        const auto parent = static_cast<std::int32_t>(found - coarse.tiles.begin());
        fine.parents[t] = parent;
        coarse.children[parent][octant_of(fine.tiles[t])] = static_cast<std::int32_t>(t);
    }
}

/// Whether all faces have the coefficient c, and there is no extra diagonal.
bool is_uniform(const LevelFaces::Row& f, Float8 extra, float c)
{
    const auto same =
        ((f.x0 == c) & (f.x1 == c)) & ((f.same == c) & (f.beyond == c)) & ((f.z0 == c) & (f.z1 == c)) & (extra == 0);
    int all = -1; // what a lane that holds has
    for (int i = 0; i < 8; ++i) all &= same[i];
    return all == -1;
}

float largest_entry(const float* tile)
{
    Float8 largest{};
    for (int n = 0; n < kTileCells; n += 8) {
        const Float8 v = load8(tile + n);
        largest = v > largest ? v : largest;
    }
    float value = 0;
    for (int i = 0; i < 8; ++i) value = std::max(value, largest[i]);
    return value;
}

} // namespace

LevelFaces::LevelFaces(const PoissonLevel& level, std::int32_t t) noexcept
{
    const auto tile = [&](int axis, std::int32_t n) { return &level.coefficient[axis][std::size_t(n) * kTileCells]; };
    const FaceNeighbours& n = level.neighbours[t];
    x_ = tile(0, t);
    y_ = tile(1, t);
    z_ = tile(2, t);
    next_x_ = tile(0, n[1]);
    next_y_ = tile(1, n[3]);
    next_z_ = tile(2, n[5]);
}

void PoissonLevel::resize()
{
    n_tiles = static_cast<int>(tiles.size());
    const std::size_t size = (tiles.size() + 1) * kTileCells;
    for (AlignedVector<float>* field : {&coefficient[0], &coefficient[1], &coefficient[2], &inverse_diagonal, &x, &b}) {
        field->resize(size);
        clear_last_tile(*field);
    }
    neighbours.resize(tiles.size());
    uniform.resize(tiles.size());
    uniform_rows.resize(tiles.size());
}

void PoissonLevel::find_neighbours()
{
    constexpr std::array<std::array<int, 3>, 6> kOffset{
        {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}}};
    parallel_for(
        n_tiles, "poisson neighbours",
        [&](std::int64_t t) {
            for (int face = 0; face < 6; ++face) {
                const Vec3i other = tiles[t] + Vec3i(kOffset[face].data());
                const auto found = std::lower_bound(tiles.begin(), tiles.end(), other, before);
                neighbours[t][face] = found != tiles.end() && *found == other
                                          ? static_cast<std::int32_t>(found - tiles.begin())
                                          : static_cast<std::int32_t>(n_tiles);
            }
        },
        64);
}

void PoissonLevel::find_colours()
{
    for (auto& list : colours) list.clear();
    for (int t = 0; t < n_tiles; ++t) colours[tiles[t].sum() & 1].push_back(t);
}

void PoissonLevel::finish_diagonal()
{
    parallel_for(
        n_tiles, "poisson diagonal",
        [&](std::int64_t t) {
            const LevelFaces faces(*this, static_cast<std::int32_t>(t));
            const float* extra = &x[t * kTileCells];
            float* inverse = &inverse_diagonal[t * kTileCells];
            const float c = largest_entry(&coefficient[0][t * kTileCells]);
            std::uint64_t rows = 0;
            for (int colour = 0; colour < 2; ++colour)
                for (int k = 0; k < kTileEdge; ++k)
                    for (int m = 0; m < 4; ++m) {
                        const int row = pair_row(colour, m, k);
                        const LevelFaces::Row f = faces.row(colour, m, k);
                        const Float8 d = load8(extra + row);
                        const Float8 sum = ((f.x0 + f.x1) + (f.same + f.beyond)) + ((f.z0 + f.z1) + d);
                        store8(inverse + row, sum > 0 ? 1 / sum : Float8{});
                        rows |= std::uint64_t(c > 0 && is_uniform(f, d, c)) << (row / kPairRow);
                    }
            uniform[t] = c;
            uniform_rows[t] = rows;
        },
        kTileGrain);
}

std::size_t PoissonLevel::bytes() const noexcept
{
    std::size_t n = 0;
    for (const AlignedVector<float>* field :
         {&coefficient[0], &coefficient[1], &coefficient[2], &inverse_diagonal, &x, &b})
        n += field->capacity() * sizeof(float);
    n += tiles.capacity() * sizeof(Vec3i) + neighbours.capacity() * sizeof(FaceNeighbours);
    n += (colours[0].capacity() + colours[1].capacity() + parents.capacity()) * sizeof(std::int32_t);
    return n + children.capacity() * sizeof(children[0]) + uniform.capacity() * sizeof(float) +
           uniform_rows.capacity() * sizeof(std::uint64_t);
}

void coarsen(PoissonLevel& fine, PoissonLevel& coarse)
{
    find_tiles(fine, coarse);
    coarse.resize();
    coarse.find_neighbours();
    coarse.find_colours();
    parallel_for(
        coarse.n_tiles, "poisson coarsen",
        [&](std::int64_t t) { aggregate(fine, coarse, static_cast<std::int32_t>(t)); }, 2);
    coarse.finish_diagonal();
}

} // namespace rivulet
