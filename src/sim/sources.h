#pragma once

#include "sim/model.h"
#include "sim/source_columns.h"
#include "sim/state.h"

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

/// By particle: the source that drives it, -1 for none; empty where there are none.
struct DrivenParticles {
    std::vector<std::int32_t> source;
};

/// Liquid inside of a source's mouth moves as the source says in the step of dt from `time` on, whatever the velocity
/// of the grid: its lead becomes what it needs for that, and for the change of place in a steady flow.
[[nodiscard]] DrivenParticles lead_driven(const Model& model, double time, double dt, State& state);
/// After they moved: they have the velocity that they moved with, and nothing of what the grid had around them.
void let_go(const Model& model, const DrivenParticles& driven, double time, State& state);

/// Takes out particles that met a drain, as marked, or are beyond open walls, and books them; forgets the marks.
void remove_drained(const Model& model, std::vector<std::uint8_t>& drained, State& state);

/// Volume that a source emits in `duration`, to a few per cent [m^3]: for estimates before a run.
[[nodiscard]] double source_volume(const Model& model, const Source& source, double duration);

} // namespace rivulet
