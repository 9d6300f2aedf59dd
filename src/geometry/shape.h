#pragma once

#include "base/vec.h"
#include "geometry/triangle_mesh.h"

namespace rivulet {

/// A solid region in its own frame, known by its signed distance. Immutable; safe to query from many threads.
class Shape {
public:
    virtual ~Shape() = default;

    /// Signed distance [m]: negative inside, positive outside. Exact near the surface; elsewhere never more than the
    /// true distance in magnitude, and of the right sign.
    [[nodiscard]] virtual double distance(const Vec3& x) const = 0;
    /// Unit outward normal of the distance field; central differences unless a shape knows better.
    [[nodiscard]] virtual Vec3 normal(const Vec3& x) const;
    /// Smallest box known to hold the region [m]; infinite extents (a plane) are +-1e30.
    [[nodiscard]] virtual Aabb bounds() const = 0;
    /// Least extent that is known of the region or a part of it [m], for meshes that are to show it.
    [[nodiscard]] virtual double thickness() const { return bounds().size().minCoeff(); }
    /// A closed mesh of the surface for pictures and exports, with edges of about `edge` [m].
    [[nodiscard]] virtual TriangleMesh tessellate(double edge) const = 0;
};

} // namespace rivulet
