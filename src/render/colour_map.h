#pragma once

#include "base/vec.h"

namespace rivulet {

/// Colour of a value between 0 and 1 (others count as the nearer end), linear RGB: from dark blue over purple, red and
/// orange to light yellow. Equal steps look equally large and lightness rises evenly: a straight line in lightness and
/// hue, at one chroma, of the colour space Oklab [Ottosson 2020].
[[nodiscard]] Vec3 map_colour(double value);

} // namespace rivulet
