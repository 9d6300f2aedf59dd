#pragma once

#include "fluid/viscosity.h"

#include <array>
#include <cstdint>
#include <vector>

namespace rivulet {

enum class FaceKind : std::uint8_t {
    Empty,  ///< no liquid
    Liquid, ///< an unknown
    Held,   ///< inside of a solid that holds the liquid, or on a smooth wall that stops what comes straight at it
    Slip,   ///< inside of a solid that does not hold it
};

/// How much of each control volume is liquid, as a fraction of a cell: the cells, and the cubes of the same size around
/// faces and edges. Edge c of a cell runs along axis c through its lower corner.
///
/// All of them are sums of the same eighths of cells, so that volumes of each kind add up to the same total. An eighth
/// counts with (part in the liquid) * (part outside of solids), each part linear in the distance at its centre.
struct ControlVolumes {
    std::vector<double> cell;
    std::array<std::vector<double>, 3> face;
    std::array<std::vector<double>, 3> edge;
    std::array<std::vector<FaceKind>, 3> kind;
    std::array<std::vector<double>, 3> solid_distance; ///< of face centres, where solids are near [m]; far: one cell

    void resize(const TileGrid& grid);
};

/// Faces with less liquid than this have none.
inline constexpr double kLeastFaceVolume = 1e-4;

void compute_control_volumes(const ViscosityInput& input, ControlVolumes& volumes);

} // namespace rivulet
