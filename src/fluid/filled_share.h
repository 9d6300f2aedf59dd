#pragma once

#include "fluid/solids.h"
#include "grid/tile_grid.h"

#include <vector>

namespace rivulet {

/// How full the neighbourhood of each cell is, 0 to 1, of what solids leave open of it, or, if that is more, as if
/// solids below the surface were liquid (docs/theory/surface_distance.md). `filled`: of scatter_volume(). `room` is
/// overwritten.
void compute_filled_share(const TileGrid& grid, const SolidFields& solids, const std::vector<double>& filled,
                          std::vector<double>& share, std::vector<double>& room);

} // namespace rivulet
