#pragma once

#include "base/vec.h"
#include "contact/liquid_bridge.h"
#include "geometry/triangle_mesh.h"

#include <optional>
#include <span>
#include <vector>

namespace rivulet {

/// One cross-section of the liquid between two strands, or a strand and a solid.
struct BridgeSection {
    Vec3 centre = Vec3::Zero(); ///< of strand a [m]
    Vec3 foot = Vec3::Zero();   ///< the point of b's surface that faces a [m]
    Vec3 along = Vec3::Zero();  ///< unit; about at right angles to the line from centre to foot
    BridgeSides sides;
    double area = 0; ///< A_L [m^2]
};

/// Half of the outline of a section, from a to b: distances from the centre of a, towards b and to the side [m]. The
/// other half is its mirror image. Strands are not cut out.
struct BridgeOutline {
    std::vector<double> towards, aside;
};
/// `n` points of the meniscus of the bridge with this area; liquid that engulfs two strands is round about both.
/// None: there is no such bridge.
[[nodiscard]] std::optional<BridgeOutline> bridge_outline(const BridgeSides& sides, double gap, double area, int n);

/// Appends the closed surface through sections that all have outlines, at least two; n points for each meniscus. Where
/// b is a solid, the liquid reaches into it by a little, so that no gap shows.
void append_bridge(std::span<const BridgeSection> sections, int n, TriangleMesh& mesh);

/// Gap between the surfaces, 0 if they overlap [m].
[[nodiscard]] double section_gap(const BridgeSection& section);

} // namespace rivulet
