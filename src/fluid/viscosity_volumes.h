#pragma once

#include "fluid/viscosity.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace rivulet {

enum class FaceKind : std::uint8_t {
    Empty,  ///< no liquid
    Liquid, ///< an unknown
    Held,   ///< inside of a solid that holds the liquid, or on a smooth wall that stops what comes straight at it
    Slip,   ///< inside of a solid that does not hold it
};

/// What solids alone decide of a tile: the same in every step where none of them moves.
struct TileWalls {
    std::array<double, 10 * 10 * 10> corner;                  ///< distances at cell corners -1 .. 8 [m]
    std::array<std::array<double, kTileCells>, 3> distance;   ///< of face centres [m]
    std::array<std::array<FaceKind, kTileCells>, 3> in_solid; ///< Held or Slip; Empty outside
    bool between_thin_walls;                                  ///< which no corner lies between
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
    std::vector<std::uint8_t> is_wet;              ///< by tile: in others only `kind` is set, and Empty throughout
    std::vector<std::uint8_t> has_held;            ///< by tile: a solid holds a face of it
    std::vector<std::unique_ptr<TileWalls>> walls; ///< of wet tiles that solids may cut
    std::vector<std::uint8_t> rests;               ///< by tile: they hold as long as the static solids do
    TileGrid grid;

    /// Of a face's centre in a wet tile [m]; one cell where solids are far.
    [[nodiscard]] double solid_distance(std::size_t axis, std::size_t index) const
    {
        const TileWalls* of_tile = walls[index / kTileCells].get();
        return of_tile != nullptr ? of_tile->distance[axis][index % kTileCells] : grid.cell_size();
    }
    [[nodiscard]] std::size_t bytes() const noexcept;
};

/// Faces with less liquid than this have none.
inline constexpr double kLeastFaceVolume = 1e-4;

/// What `volumes` knows of static solids from the last call is used again where the input says that it holds.
void compute_control_volumes(const ViscosityInput& input, ControlVolumes& volumes);

/// Density of the liquid at the lower face of a cell [kg/m^3].
[[nodiscard]] double density_at(const ViscosityInput& input, std::size_t cell, std::size_t below);

} // namespace rivulet
