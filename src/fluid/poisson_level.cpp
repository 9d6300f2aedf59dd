#include "fluid/poisson_level.h"

#include "base/parallel.h"

#include <algorithm>

namespace rivulet {
namespace {

/// Constant aggregation overestimates the energy of a smooth correction twofold: the faces are scaled back.
constexpr float kFaceScale = 0.5F;
constexpr float kDiagonalScale = 1.0F;

bool before(const Vec3i& a, const Vec3i& b) noexcept { return tile_key(a) < tile_key(b); }

void clear_last_tile(AlignedVector<float>& field) { std::fill(field.end() - kTileCells, field.end(), 0.0F); }

/// Sums of 2x2x2 cells of a fine tile, or of the 2x2 faces on the lower side of axis a, into an octant.
template <class Sum>
void fill_octant(float* coarse, Sum&& sum)
{
    for (int k = 0; k < 4; ++k)
        for (int j = 0; j < 4; ++j)
            for (int i = 0; i < 4; ++i) coarse[cell_in_tile(i, j, k)] = sum(cell_in_tile(2 * i, 2 * j, 2 * k));
}

void aggregate(const PoissonLevel& fine, PoissonLevel& coarse, std::int32_t t)
{
    constexpr std::array<int, 3> kStride{1, kTileEdge, kTileEdge * kTileEdge};
    for (int octant = 0; octant < 8; ++octant) {
        const std::size_t from = std::size_t(coarse.children[t][octant]) * kTileCells;
        const std::size_t to = std::size_t(t) * kTileCells + octant_origin(octant);
        for (int a = 0; a < 3; ++a) {
            const float* c = &fine.coefficient[a][from];
            const int u = kStride[(a + 1) % 3], v = kStride[(a + 2) % 3];
            fill_octant(&coarse.coefficient[a][to],
                        [&](int n) { return kFaceScale * (c[n] + c[n + u] + c[n + v] + c[n + u + v]); });
        }
        const float* extra = &fine.x[from];
        fill_octant(&coarse.x[to], [&](int n) {
            float sum = 0;
            for (int m = 0; m < 8; ++m) sum += extra[n + cell_in_tile(m & 1, m >> 1 & 1, m >> 2)];
            return kDiagonalScale * sum;
        });
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

/// The coefficient shared by all faces of the tile, or 0.
float uniform_coefficient(const TileFaces<float>& faces, const float* extra)
{
    const float c = faces.x(0, 0)[0];
    bool same = c > 0;
    for (int k = 0; k < kTileEdge && same; ++k)
        for (int j = 0; j < kTileEdge && same; ++j)
            for (int i = 0; i < kTileEdge; ++i)
                same = same && faces.x(j, k)[i] == c && faces.x(j, k)[i + 1] == c && faces.y(j, k)[i] == c &&
                       faces.upper_y(j, k)[i] == c && faces.z(j, k)[i] == c && faces.upper_z(j, k)[i] == c &&
                       extra[cell_in_tile(i, j, k)] == 0;
    return same ? c : 0;
}

} // namespace

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
            TileFaces<float> faces;
            const FaceNeighbours& n = neighbours[t];
            faces.load(coefficient[0].data(), coefficient[1].data(), coefficient[2].data(),
                       static_cast<std::int32_t>(t), n[1], n[3], n[5]);
            const float* extra = &x[t * kTileCells];
            float* inverse = &inverse_diagonal[t * kTileCells];
            for (int k = 0; k < kTileEdge; ++k)
                for (int j = 0; j < kTileEdge; ++j) {
                    const float *cx = faces.x(j, k), *cy = faces.y(j, k), *cz = faces.z(j, k);
                    const float *uy = faces.upper_y(j, k), *uz = faces.upper_z(j, k);
                    const int row = cell_in_tile(0, j, k);
                    for (int i = 0; i < kTileEdge; ++i) {
                        const float sum = cx[i] + cx[i + 1] + cy[i] + uy[i] + cz[i] + uz[i] + extra[row + i];
                        inverse[row + i] = sum > 0 ? 1 / sum : 0;
                    }
                }
            uniform[t] = uniform_coefficient(faces, extra);
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
    return n + children.capacity() * sizeof(children[0]) + uniform.capacity() * sizeof(float);
}

void coarsen(PoissonLevel& fine, PoissonLevel& coarse)
{
    find_tiles(fine, coarse);
    coarse.resize();
    coarse.find_neighbours();
    coarse.find_colours();
    std::fill(coarse.b.begin(), coarse.b.end(), 0.0F); // octants without a child stay zero
    parallel_for(
        coarse.n_tiles, "poisson coarsen",
        [&](std::int64_t t) { aggregate(fine, coarse, static_cast<std::int32_t>(t)); }, 2);
    coarse.finish_diagonal();
}

} // namespace rivulet
