#pragma once

#include "sim/model.h"
#include "sim/state.h"

#include <cstddef>
#include <vector>

namespace rivulet {

/// Radius of the round strand with the section of this one's material [m].
[[nodiscard]] double round_radius(const StrandModel& strands, std::size_t strand);
/// The same at vertex v [m]: what its film lies on.
[[nodiscard]] double round_radius(const StrandModel& strands, std::size_t strand, std::size_t v);

/// Of the film at each vertex, from the strand's surface to its own, as the strands lie now [m]; 0 where dry.
[[nodiscard]] std::vector<double> film_thicknesses(const Model& model, const State& state);

} // namespace rivulet
