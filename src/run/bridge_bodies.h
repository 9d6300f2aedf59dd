#pragma once

#include "contact/bridge_surface.h"
#include "run/frame.h"
#include "scene/scene.h"

#include <span>
#include <vector>

namespace rivulet {

/// What bridges of a frame are made of, and which of them are shown.
struct BridgeLiquid {
    std::span<const double> radius; ///< of strands as they are drawn, a vertex [m]
    std::span<const double> area;   ///< of the films' sections, a vertex; 0 where they are not shown [m^2]
    double smallest = 0;            ///< root of a section that is shown [m]
    double thick = 0;               ///< the same, in radii of the strand
};

/// The liquid between strands, and between strands and obstacles.
struct BridgeBodies {
    std::vector<std::vector<BridgeSection>> bodies; ///< sections, along the first strand of each
    std::vector<double> share;                      ///< of each vertex's film that is in them, 0 to 1
};

/// Bodies that follow the linked strands, with the section that the law of bridges gives to the liquid at each place:
/// that of an edge is shared by all that it is linked to. Their cost follows the length that is linked.
[[nodiscard]] BridgeBodies bridge_bodies(const Scene& scene, const Frame& frame, const BridgeLiquid& liquid);

} // namespace rivulet
