#pragma once

#include "sim/mouth.h"
#include "sim/obstacles.h"

#include <cstddef>
#include <span>
#include <vector>

namespace rivulet {

/// Mouths of sources in the world as it is at a time. One drives liquid along the lines of its flow
/// that have room for it: two cells from their begin on, and one more before a solid or another mouth. On other lines
/// it is a spring: its liquid comes into being where they begin, and goes where pressure lets it.
class ActiveMouths {
public:
    /// Of those that work at any moment from `begin` on, up to `time`.
    ActiveMouths(const Model& model, double begin, double time);

    struct Placed {
        std::size_t number; ///< of the source
        const Source* source;
        Mouth mouth;
        Pose pose;
        Twist twist;
        Vec3 flow;                       ///< velocity of its liquid, without that of the mouth itself [m/s]
        Vec3 centre = Vec3::Zero();      ///< of a ball around it [m]
        double radius = 0;               ///< of that [m]
        double sunk = 0;                 ///< way from its begin to the end of the solid that this is in [m]
        bool has_solids = false;         ///< so near that they may be in its way
        std::vector<std::size_t> near{}; ///< other mouths, of which the same holds

        /// Finds that ball.
        void bound();
        /// Velocity that it gives to liquid at x.
        [[nodiscard]] Vec3 velocity_at(const Vec3& x) const { return flow + twist.velocity_at(x, pose); }
        [[nodiscard]] bool is_clear() const { return !has_solids && near.empty(); }
    };
    [[nodiscard]] std::span<const Placed> all() const { return mouths_; }

    /// Whether a mouth drives what is at a place, or at one nearer to it than `within`.
    [[nodiscard]] bool drives(const Placed& mouth, const Vec3& x, double within = 0) const;
    /// Whether it is a spring on the line that begins at x.
    [[nodiscard]] bool is_spring(const Placed& mouth, const Vec3& x) const { return !has_room(mouth, x, 0); }
    /// Way from x along the flow to the first solid, or `most` [m]. Where x is in one: 0.
    [[nodiscard]] double way_to_solid(const Placed& mouth, const Vec3& x, double most) const;
    /// Way from x along the flow to where no solid is, or `most` [m].
    [[nodiscard]] double way_out_of_solids(const Placed& mouth, const Vec3& x, double most) const;
    /// The place, or where particles are kept that are in a solid there.
    [[nodiscard]] Vec3 out_of_solids(Vec3 x) const;

private:
    [[nodiscard]] bool has_room(const Placed& mouth, Vec3 x, double behind) const;
    [[nodiscard]] double way_to_others(const Placed& mouth, const Vec3& x, double most) const;

    SolidSet solids_;
    double cell_size_;
    std::vector<Placed> mouths_;
};

} // namespace rivulet
