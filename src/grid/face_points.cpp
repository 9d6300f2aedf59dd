#include "grid/face_points.h"

#include "base/assert.h"
#include "base/parallel.h"

namespace rivulet {

void FacePoints::place(const TileGrid& grid, std::span<const Vec3> points)
{
    grid_ = &grid;
    points_.assign(points.begin(), points.end());
    sort_particles(grid, points_, order_);
    tile_.resize(points_.size());
    for (std::size_t t = 0; t + 1 < order_.tile_begin.size(); ++t)
        for (auto n = static_cast<std::size_t>(order_.tile_begin[t]);
             n < static_cast<std::size_t>(order_.tile_begin[t + 1]); ++n)
            tile_[static_cast<std::size_t>(order_.order[n])] = static_cast<std::int32_t>(t);
}

void FacePoints::scatter(std::span<const Vec3> amount, std::array<std::vector<double>, 3>& fields,
                         const std::array<std::vector<double>, 3>* only) const
{
    RIVULET_VERIFY(amount.size() == points_.size());
    coloured_for(grid_->colours(), "scatter to faces", [&](int t) {
        const auto begin = static_cast<std::size_t>(order_.tile_begin[static_cast<std::size_t>(t)]);
        const auto end = static_cast<std::size_t>(order_.tile_begin[static_cast<std::size_t>(t) + 1]);
        for (std::size_t n = begin; n < end; ++n) {
            const auto i = static_cast<std::size_t>(order_.order[n]);
            for_faces(i, [&](int a, std::size_t face, double w) {
                const auto axis = static_cast<std::size_t>(a);
                if (only == nullptr || (*only)[axis][face] != 0) fields[axis][face] += w * amount[i][a];
            });
        }
    });
}

} // namespace rivulet
