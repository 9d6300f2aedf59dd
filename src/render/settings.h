#pragma once

#include "base/vec.h"

#include <optional>

namespace rivulet {

/// Where a picture is taken from. Without a position the renderer frames what it sees.
struct Camera {
    bool automatic = true;
    Vec3 position = Vec3::Zero(); ///< [m]
    Vec3 target = Vec3::Zero();   ///< [m]
    Vec3 up = Vec3::UnitZ();
    double field_of_view = 0.6; ///< vertical [rad]
};

/// What the colour of strands shows.
enum class StrandColour { Material, Strand, Speed, Tension, Strain, Contact, Film };

/// How a run is drawn.
struct RenderSettings {
    Camera camera;
    int width = 960;                        ///< [pixels]
    int height = 540;                       ///< [pixels]
    int samples = 16;                       ///< paths a pixel
    Vec3 sun_direction = {-0.6, 0.25, 0.8}; ///< towards the sun
    bool ground = true;                     ///< a large floor under the domain
    bool particles = false;                 ///< liquid as spheres instead of a surface
    StrandColour colour_by = StrandColour::Material;
    /// Values at the ends of the colour map, SI; none = those of the frame.
    std::optional<double> colour_from, colour_to;
};

} // namespace rivulet
