#pragma once

#include "geometry/motion.h"
#include "geometry/shape.h"

#include <memory>
#include <vector>

namespace rivulet {

/// Immutable shapes are shared between the objects that use them.
using ShapePtr = std::shared_ptr<const Shape>;

/// All factories check their arguments and raise InputError (without a file position: the caller knows it).
/// Lengths in [m]. Distances of the primitives are exact everywhere; those of union and difference have the right sign,
/// are exact near a smooth part of the surface and are a lower bound elsewhere.
[[nodiscard]] ShapePtr make_box(const Vec3& lower, const Vec3& upper);
[[nodiscard]] ShapePtr make_sphere(const Vec3& centre, double radius);
/// `radii`: half of its lengths along the axes.
[[nodiscard]] ShapePtr make_ellipsoid(const Vec3& centre, const Vec3& radii);
/// All points within `radius` of the segment ab; a = b is a sphere.
[[nodiscard]] ShapePtr make_capsule(const Vec3& a, const Vec3& b, double radius);
/// Flat ends at a and b.
[[nodiscard]] ShapePtr make_cylinder(const Vec3& a, const Vec3& b, double radius);
/// `major`: from the centre to the middle of the tube; `minor`: radius of the tube, less than `major`.
[[nodiscard]] ShapePtr make_torus(const Vec3& centre, const Vec3& axis, double major, double minor);
/// Half space: solid on the side away from the normal. Its tessellation is a slab of 100 edges width below `point`.
[[nodiscard]] ShapePtr make_plane(const Vec3& point, const Vec3& normal);
[[nodiscard]] ShapePtr make_union(std::vector<ShapePtr> parts);
/// What is in a and not in b.
[[nodiscard]] ShapePtr make_difference(ShapePtr a, ShapePtr b);
/// Solid bounded by a closed mesh, counter-clockwise seen from outside. Open or inverted meshes raise InputError.
[[nodiscard]] ShapePtr make_mesh_shape(const TriangleMesh& mesh);
/// The shape moved rigidly: x is inside when pose.to_body(x) is inside `shape`.
[[nodiscard]] ShapePtr make_placed(ShapePtr shape, const Pose& pose);

} // namespace rivulet
