#pragma once

#include "strands/rod_system.h"
#include "strands/strands.h"

#include <span>
#include <vector>

namespace rivulet {

enum class StrandSearch {
    Minimum,    ///< Newton's steps, with a line search, to the end
    OneStep,    ///< the first of these
    Stay,       ///< none of these
    Stationary, ///< whole Newton steps to where forces balance nearby, which need not be a minimum
};

/// Where the search for a step's end may begin, and how it goes on: one entry a vertex.
struct StrandGuess {
    std::span<const Vec3> displacement; ///< in the step [m]
    std::span<const double> spin;       ///< of edges, against frames transported from the start of the step [rad]
    StrandSearch search = StrandSearch::Minimum;
    std::span<const double> part = {}; ///< of one step that each strand takes; none: as far as its potential falls
    std::span<Vec3> left = {};         ///< takes Newton's step from where the search ends, if there is room for it [m]
    std::span<double> potential = {};  ///< takes that of each strand's step, contact forces as loads included [J]
};

/// Gives `update` its size, for solve_batches().
void begin_update(const StrandModel& model, StrandUpdate& update);
[[nodiscard]] std::vector<std::int32_t> all_batches(const StrandModel& model);

/// step_strands() for some of the batches. Without a guess they start from where inertia, or what holds them, takes
/// them. `factors`, where given, has an entry for every batch of the model and takes those of RodMatrix at the end.
void solve_batches(const StrandModel& model, const StrandState& state, const StrandStep& step,
                   std::span<const std::int32_t> batches, const StrandGuess* guess, std::span<RodMatrix> factors,
                   StrandUpdate& update);

} // namespace rivulet
