#pragma once

#include "base/vec.h"
#include "geometry/triangle_mesh.h"

namespace rivulet {

/// Surface of what of `box` lies where normal . x < offset; empty if nothing does. Faces do not share vertices, so that
/// edges are drawn sharp.
[[nodiscard]] TriangleMesh clip_box(const Aabb& box, const Vec3& normal, double offset);

} // namespace rivulet
