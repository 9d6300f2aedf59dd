#pragma once

#include "base/vec.h"
#include "geometry/triangle_mesh.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rivulet {

/// Strands with liquid around them.
struct FilmCurves {
    std::span<const Vec3> positions;     ///< of vertices [m]
    std::span<const std::int32_t> first; ///< first vertex of each strand, and one past the last
    std::span<const double> inner;       ///< radius of the strand at each vertex [m]
    std::span<const double> outer;       ///< radius of the liquid on it, at least that [m]
    std::span<const double> pools;       ///< liquid that hangs from the tip of each strand [m^3]
};

struct FilmSurfacing {
    double thick = 2;    ///< liquid out to less than this many radii of the strand is a coat, no body of its own
    double smallest = 0; ///< nor is liquid with an outer radius below this [m]
    int n_around = 12;   ///< columns of its surface
};

/// The vertices that lie inside of drops, beads and films thick enough to be bodies of their own: 1, else 0.
[[nodiscard]] std::vector<std::uint8_t> vertices_in_drops(const FilmCurves& curves, const FilmSurfacing& options);

/// Closed surface of those bodies, turned about the strands: it passes through `outer` at their vertices and one vertex
/// further, where it meets the coat; ends of strands are rounded. What hangs from a tip is a ball about the tip, as
/// large as to add the pool's volume to that of the film. Sections are polygons of the right area. The strand is not
/// cut out. Bodies of different strands may overlap. Cost follows the length of strand that is in liquid.
[[nodiscard]] TriangleMesh surface_films(const FilmCurves& curves, const FilmSurfacing& options);

} // namespace rivulet
