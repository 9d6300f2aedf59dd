#pragma once

#include "strands/contact_step.h"
#include "strands/rod_system.h"

#include <algorithm>

namespace rivulet {

/// A step of strands that touch: what is given, and what its parts have in common.
struct ContactCase {
    const StrandModel& model;
    const StrandState& state; ///< at the beginning
    const StrandStep& step;
    std::span<const StrandObstacle> obstacles;
    const ContactMemory& memory;
    const ContactOptions& options;
    const StrandEdges& edges;
    std::span<RodMatrix> factors;       ///< of the strands' last motion, for every batch
    double thinnest = 0;                ///< radius of all [m]
    std::vector<StrandPair> drawn = {}; ///< that bridges draw together, sorted

    [[nodiscard]] StrandMotion motion(std::span<const Vec3> end) const
    {
        return {state.position, end, step.hold, parting(), drawn, options.parting_speed * step.dt};
    }
    /// As strands stand at the beginning.
    [[nodiscard]] StrandMotion standing() const { return motion(state.position); }
    [[nodiscard]] StrandMotion motion(const StrandUpdate& update) const { return motion(update.state.position); }
    /// Bridges that draw overlapping strands together do so step by step: contacts may part them as fast [m].
    [[nodiscard]] double parting() const { return drawn.empty() ? 0 : step.dt * options.bridges->closing_speed; }
    [[nodiscard]] std::size_t strand_of(std::int32_t vertex) const
    {
        return static_cast<std::size_t>(std::upper_bound(model.first.begin(), model.first.end(), vertex) -
                                        model.first.begin() - 1);
    }
};

/// The force that a contact had in the last step; 0 if it is new.
[[nodiscard]] inline Vec3 force_before(const ContactMemory& memory, std::int32_t a, std::int32_t b)
{
    auto i = std::lower_bound(memory.a.begin(), memory.a.end(), a) - memory.a.begin();
    for (auto k = static_cast<std::size_t>(i); k < memory.a.size() && memory.a[k] == a; ++k)
        if (memory.b[k] == b) return memory.force[k];
    return Vec3::Zero();
}

/// Penetration, as a part of the thinnest radius, that calls for another round.
inline constexpr double kAllowedDepth = 0.1;

/// By how much a contact that moves so is too near at the end of the step, or a joint too far apart [m].
[[nodiscard]] inline double contact_depth(const StrandContact& c, const Vec3& moved)
{
    return c.is_joint ? moved.norm() : -(c.gap + c.normal.dot(moved));
}
[[nodiscard]] inline double contact_depth(const StrandContact& c, const StrandMotion& motion)
{
    return contact_depth(c, contact_motion(c, motion));
}

} // namespace rivulet
