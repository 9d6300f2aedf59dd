#include "sim/obstacles.h"

#include <algorithm>

namespace rivulet {

SolidSet solids_at(const Model& model, double time, double dt)
{
    SolidSet set;
    for (const Obstacle& o : model.obstacles) {
        set.bodies.push_back(
            {o.shape.get(), o.motion.pose(time), o.motion.twist(time + 0.5 * dt), o.friction, o.motion.is_static()});
        set.bodies.back().bound();
    }
    set.walls.box = model.domain.box;
    for (std::size_t w = 0; w < 6; ++w) set.walls.closed[w] = model.domain.walls[w] == Wall::Closed;
    set.walls.wall_friction = model.domain.friction;
    return set;
}

double fastest_obstacle(const Model& model, double time)
{
    double fastest = 0;
    for (const Obstacle& o : model.obstacles) {
        if (o.motion.is_static()) continue;
        const Twist twist = o.motion.twist(time);
        const Aabb box = o.shape->bounds();
        const double reach =
            std::min(box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).norm(), model.domain.box.size().norm());
        fastest = std::max(fastest, twist.linear.norm() + twist.angular.norm() * reach);
    }
    return fastest;
}

} // namespace rivulet
