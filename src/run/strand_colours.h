#pragma once

#include "run/frame.h"
#include "scene/scene.h"

#include <string>
#include <vector>

namespace rivulet {

/// Colours of the strands of a frame as the scene's render.colour_by says.
struct StrandColours {
    std::vector<Vec3> colour; ///< at each vertex, linear RGB
    std::string legend;       ///< "speed 0 to 1.2 m/s": what the ends of the colour map mean; empty without a map
};
[[nodiscard]] StrandColours strand_colours(const Scene& scene, const Frame& frame);

} // namespace rivulet
