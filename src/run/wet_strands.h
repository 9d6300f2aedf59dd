#pragma once

#include "geometry/film_surface.h"
#include "run/bridge_bodies.h"
#include "run/frame.h"
#include "scene/scene.h"

#include <cstdint>
#include <vector>

namespace rivulet {

/// 1 - exp(-10 h/r): 0 dry, 0.63 with a film of a tenth of the strand's radius, 1 soaked.
[[nodiscard]] double strand_wetness(double thickness, double radius);

/// How the strands of a frame look, a vertex. Liquid as thick as its strand or thicker (in pictures: a quarter of
/// that) is a body of its own, drawn as liquid around the bare strand; thinner, it is a part of the strand, which is
/// wider and wet. Liquid that joins strands to each other or to obstacles is a body between them, and no film.
/// Under the surface of the bulk a film is a part of that.
struct WetStrands {
    std::vector<double> inner;                       ///< radius of the bare strand [m]
    std::vector<double> outer;                       ///< with the liquid on it [m]
    std::vector<double> wetness;                     ///< 0 to 1
    std::vector<std::uint8_t> in_drop;               ///< 1: in a body of liquid
    std::vector<double> pools;                       ///< of each strand, those outside of the bulk [m^3]
    FilmSurfacing surfacing;                         ///< what is a body
    std::vector<std::vector<BridgeSection>> bridges; ///< bodies between strands, and between strands and obstacles

    /// Radius of what is drawn as the strand at vertex v [m].
    [[nodiscard]] double radius(std::size_t v) const { return in_drop[v] ? inner[v] : outer[v]; }
};

/// In pictures: radii as the scene would draw them, and only bodies of liquid that are large enough to be seen.
enum class StrandRadii { Real, Drawn };
[[nodiscard]] WetStrands wet_strands(const Scene& scene, const Frame& frame, StrandRadii radii);

/// Surface of the bodies of liquid on strands, in the colour of their liquid.
[[nodiscard]] TriangleMesh film_surface(const Scene& scene, const Frame& frame, const WetStrands& wet);

} // namespace rivulet
