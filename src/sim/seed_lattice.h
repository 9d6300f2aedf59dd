#pragma once

#include "geometry/cut_cube.h"
#include "sim/seed.h"

#include <algorithm>
#include <cmath>

/// The lattice that liquid is seeded on: cubes of an eighth of a cell, each of which becomes a particle.
namespace rivulet {

[[nodiscard]] inline double lattice_spacing(const Model& model) { return model.options.cell_size / kParticlesPerEdge; }

/// One that is fine enough for an estimate, whatever the size of the box.
[[nodiscard]] inline double coarse_spacing(const Aabb& box, double finest)
{
    return std::max(finest, std::cbrt(box.size().prod() / 1e5));
}

[[nodiscard]] inline Aabb intersection(const Aabb& a, const Aabb& b)
{
    return {a.lower.cwiseMax(b.lower), a.upper.cwiseMin(b.upper)};
}

/// Signed distance to a box, never farther from zero than the true one; negative inside.
[[nodiscard]] inline double box_distance(const Aabb& box, const Vec3& x)
{
    return std::max((box.lower - x).maxCoeff(), (x - box.upper).maxCoeff());
}

/// Part of a cube that liquid gets in a region where distance(x) is negative: none where that is only what is rounded
/// off an edge of the region.
template <class Distance>
[[nodiscard]] CubePart liquid_part(const Vec3& middle, double edge, const Distance& distance)
{
    const CubePart part = cut_cube(middle, edge, distance);
    return part.share == 0 || distance(part.centre) > 0 ? CubePart{} : part;
}

/// World box around a placed shape.
[[nodiscard]] inline Aabb placed_bounds(const Aabb& box, const Pose& pose)
{
    Aabb result;
    for (int n = 0; n < 8; ++n) {
        const Vec3 corner((n & 1) != 0 ? box.upper.x() : box.lower.x(), (n & 2) != 0 ? box.upper.y() : box.lower.y(),
                          (n & 4) != 0 ? box.upper.z() : box.lower.z());
        result.include(pose.to_world(corner));
    }
    return result;
}

/// Calls body(site) for every point of the lattice origin + h (n + 1/2) in a box, z slowest.
template <class Body>
void for_lattice(const Aabb& box, const Vec3& origin, double h, Body&& body)
{
    if (box.is_empty()) return;
    const Vec3 first = ((box.lower - origin) / h - Vec3::Constant(0.5)).array().ceil();
    const Vec3 last = ((box.upper - origin) / h - Vec3::Constant(0.5)).array().floor();
    for (double k = first.z(); k <= last.z(); ++k)
        for (double j = first.y(); j <= last.y(); ++j)
            for (double i = first.x(); i <= last.x(); ++i) body(Vec3(origin + h * Vec3(i + 0.5, j + 0.5, k + 0.5)));
}

} // namespace rivulet
