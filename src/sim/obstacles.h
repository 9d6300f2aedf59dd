#pragma once

#include "fluid/solids.h"
#include "sim/model.h"

#include <vector>

namespace rivulet {

/// Particles are kept this far out of solids, in cells.
inline constexpr double kContactMargin = 0.02;

/// The model's obstacles and walls placed at one moment, with the bodies that the view points to.
struct SolidSet {
    std::vector<SolidBody> bodies;
    Solids walls;

    [[nodiscard]] Solids view() const
    {
        Solids solids = walls;
        solids.bodies = bodies;
        return solids;
    }
};

/// Poses and velocities at `time`, where the step begins. Obstacles far beyond the domain
/// keep their place in the list and are left out of all that is asked.
[[nodiscard]] SolidSet solids_at(const Model& model, double time, double dt);

/// A bound of how fast any obstacle moves inside of the domain in the step that begins at `time` [m/s]: what lies
/// wholly beyond it does not count, of others the part that does not.
[[nodiscard]] double fastest_obstacle(const Model& model, double time);

} // namespace rivulet
