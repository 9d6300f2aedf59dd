#pragma once

#include "fluid/openings.h"
#include "sim/active_mouths.h"
#include "sim/scratch.h"
#include "sim/state.h"

#include <algorithm>

/// Mouths of sources and drains as the projection sees them. Theory: docs/theory/openings.md.
namespace rivulet {

using Scratch = Workspace::Scratch;

/// The faces that mouths drive and drains open, at the beginning of the step; takes drains out of the liquid distance.
void find_openings(const Model& model, const State& state, Scratch& scratch);
/// Gives the faces in mouths the velocity of their liquid, and marks what openings make known.
void set_driven_faces(const Scratch& scratch, std::array<std::vector<double>, 3>& velocity,
                      std::array<std::vector<std::uint8_t>, 3>& known);

/// Marks the faces in mouths, to half a cell, for viscosity, with 1, and gives them the velocity of their liquid.
[[nodiscard]] std::array<std::vector<std::uint8_t>, 3> hold_faces(const Model& model, double time, const TileGrid& grid,
                                                                  std::array<std::vector<double>, 3>& velocity);

/// Velocities of faces in holes, which walls do not stop.
class HoleFaces {
public:
    HoleFaces(const FaceOpenings& openings, const std::array<std::vector<double>, 3>& velocity);
    void restore(std::array<std::vector<double>, 3>& velocity) const;

private:
    struct Face {
        std::size_t axis, face;
        double part, value;
    };
    std::vector<Face> faces_;
};

/// Drains that work at a time, in the world as it is then.
class ActiveDrains {
public:
    ActiveDrains(const Model& model, double time);
    [[nodiscard]] bool any() const { return !drains_.empty(); }
    /// Whether the way from one place to another meets one.
    [[nodiscard]] bool take(const Vec3& from, const Vec3& to) const;
    /// Distance to the nearest [m].
    [[nodiscard]] double distance(const Vec3& x) const;
    /// Whether any is a hole in a wall.
    [[nodiscard]] bool any_holes() const
    {
        return std::any_of(drains_.begin(), drains_.end(), [](const Placed& d) { return d.mouth.is_hole(); });
    }
    /// Whether one pierces a wall there.
    [[nodiscard]] bool pierce(const Vec3& x, double before) const;
    /// Whether one may be nearer to a place than `reach`.
    [[nodiscard]] bool are_near(const Vec3& x, double reach) const;

private:
    struct Placed {
        DrainMouth mouth;
        Pose pose;
    };
    std::vector<Placed> drains_;
};

} // namespace rivulet
