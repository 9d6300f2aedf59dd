#pragma once

#include "grid/bspline.h"
#include "grid/particle_order.h"

#include <array>
#include <span>
#include <vector>

namespace rivulet {

/// Points that exchange something with the faces around them, by the weights of the transfers of particles. What a
/// point gives goes to the faces with the very weights by which it would read them.
class FacePoints {
public:
    /// All points must be in tiles of the grid, which must outlive this.
    void place(const TileGrid& grid, std::span<const Vec3> points);
    [[nodiscard]] std::size_t size() const noexcept { return points_.size(); }
    [[nodiscard]] std::span<const Vec3> points() const noexcept { return points_; }
    [[nodiscard]] const ParticleOrder& order() const noexcept { return order_; }

    /// Calls body(axis, flat index of a face, weight) for the faces that exist around point i: the weights of each axis
    /// add up to 1 where none is missing.
    template <class Body>
    void for_faces(std::size_t i, Body&& body) const;
    /// Adds to every face of axis a the sum over points of weight * amount[a]; with `only`, to those where it is not 0.
    void scatter(std::span<const Vec3> amount, std::array<std::vector<double>, 3>& fields,
                 const std::array<std::vector<double>, 3>* only = nullptr) const;

private:
    const TileGrid* grid_ = nullptr;
    std::vector<Vec3> points_;
    std::vector<std::int32_t> tile_; ///< that holds each
    ParticleOrder order_;
};

template <class Body>
void FacePoints::for_faces(std::size_t i, Body&& body) const
{
    const int t = tile_[i];
    const Vec3 s = (points_[i] - grid_->node(t, 0, 0, 0)) / grid_->cell_size();
    const std::size_t outside = static_cast<std::size_t>(grid_->n_tiles()) * kTileCells;
    BSplineWeights centred[3], staggered[3];
    for (int a = 0; a < 3; ++a) {
        centred[a] = quadratic_bspline(s[a] - 0.5);
        staggered[a] = quadratic_bspline(s[a]);
    }
    for (int a = 0; a < 3; ++a) {
        const BSplineWeights &x = a == 0 ? staggered[0] : centred[0], &y = a == 1 ? staggered[1] : centred[1],
                             &z = a == 2 ? staggered[2] : centred[2];
        for (int n = 0; n < 27; ++n) {
            const std::size_t face = grid_->index(t, x.first + n % 3, y.first + n / 3 % 3, z.first + n / 9);
            if (face < outside) body(a, face, x.w[n % 3] * y.w[n / 3 % 3] * z.w[n / 9]);
        }
    }
}

} // namespace rivulet
