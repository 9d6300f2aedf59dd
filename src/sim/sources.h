#pragma once

#include "grid/tile_grid.h"
#include "sim/model.h"
#include "sim/source_columns.h"
#include "sim/state.h"

#include <array>
#include <cstdint>
#include <vector>

/// Sources, which add liquid while a simulation runs, and drains and open walls, which take it out.
namespace rivulet {

/// Adds what the sources emit in (begin, time], or at time 0 if both are 0: cubes of a lattice that moves with the
/// source's liquid and that entered its shape in that time, wherever they are at its end, each with the part that its
/// column has of the shape; gives all liquid inside of it the source's velocity. A source that starts in the interval
/// first fills its shape. Booked as emitted. `known` are the columns of earlier calls, which save time and change
/// nothing.
void emit_sources(const Model& model, double begin, double time, State& state, std::vector<SourceColumns>& known);

/// Liquid inside of a source's mouth moves as the source says in the step of dt from `time` on, whatever the velocity
/// of the grid: its lead becomes what it needs for that, and for the change of place in a steady flow.
void forget_driven(const Model& model, double time, double dt, State& state);

/// Gives the faces in the mouths of sources that work at `time`, to half a cell, the velocity of their liquid, and
/// marks them. False, and nothing marked, where there are no such sources.
[[nodiscard]] bool drive_faces(const Model& model, double time, const TileGrid& grid,
                               std::array<std::vector<double>, 3>& velocity,
                               std::array<std::vector<std::uint8_t>, 3>& driven);

/// Takes out particles inside drains or beyond open walls, and books them.
void remove_drained(const Model& model, double time, State& state);

/// Volume that a source emits in `duration`, to a few per cent [m^3]: for estimates before a run.
[[nodiscard]] double source_volume(const Model& model, const Source& source, double duration);

} // namespace rivulet
