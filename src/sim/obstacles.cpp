#include "sim/obstacles.h"

#include <algorithm>

namespace rivulet {

namespace {

/// Obstacles farther from the domain than this leave it alone, in cells: more than the grid has beyond it.
constexpr double kBeyond = 16;

double reach_of(const Shape& shape)
{
    const Aabb box = shape.bounds();
    return box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).norm();
}

Aabb placed(const Aabb& box, const Pose& pose)
{
    const Vec3 centre = pose.to_world(box.centre());
    const Vec3 half = pose.rotation.toRotationMatrix().cwiseAbs() * (0.5 * box.size());
    return {centre - half, centre + half};
}

/// A box that holds the obstacle from `time` to `time + dt`.
Aabb swept_box(const Obstacle& o, double time, double dt)
{
    Aabb box = placed(o.shape->bounds(), o.motion.pose(time));
    if (o.motion.is_static()) return box;
    const Aabb end = placed(o.shape->bounds(), o.motion.pose(time + dt));
    box.include(end.lower);
    box.include(end.upper);
    // What turns by an angle a about a point leaves its chord by r (1 - cos(a/2)) < r a²/8, and never by more than 2 r.
    const double angle = o.motion.twist(time).angular.norm() * dt;
    return angle > 0 ? box.dilated(reach_of(*o.shape) * std::min(angle * angle / 8, 2.0)) : box;
}

/// Largest speed of what the obstacle may have inside of the domain in the step that begins at `time` [m/s].
double speed_within(const Model& model, const Obstacle& o, double time)
{
    const Aabb swept = swept_box(o, time, model.options.max_step).dilated(model.options.cell_size);
    const Aabb within{swept.lower.cwiseMax(model.domain.box.lower), swept.upper.cwiseMin(model.domain.box.upper)};
    if (within.is_empty()) return 0;
    const Pose pose = o.motion.pose(time);
    const Twist twist = o.motion.twist(time);
    const double spin = twist.angular.norm();
    const double anywhere = twist.linear.norm() + (spin > 0 ? spin * reach_of(*o.shape) : 0);
    if (within.lower == swept.lower && within.upper == swept.upper) return anywhere;
    double fastest = 0; // a convex function of the place: largest at a corner
    for (int c = 0; c < 8; ++c) {
        Vec3 x = within.lower;
        for (int a = 0; a < 3; ++a)
            if ((c >> a & 1) != 0) x[a] = within.upper[a];
        fastest = std::max(fastest, twist.velocity_at(x, pose).norm());
    }
    return std::min(fastest, anywhere);
}

} // namespace

SolidSet solids_at(const Model& model, double time, double dt)
{
    SolidSet set;
    const Aabb near = model.domain.box.dilated(kBeyond * model.options.cell_size);
    for (const Obstacle& o : model.obstacles) {
        set.bodies.push_back(
            {o.shape.get(), o.motion.pose(time), o.motion.twist(time), o.friction, o.motion.is_static()});
        set.bodies.back().bound();
        if (!swept_box(o, time, dt).overlaps(near)) set.bodies.back().leave_out();
    }
    set.walls.box = model.domain.box;
    for (std::size_t w = 0; w < 6; ++w) set.walls.closed[w] = model.domain.walls[w] == Wall::Closed;
    set.walls.wall_friction = model.domain.friction;
    set.walls.cell_size = model.options.cell_size;
    return set;
}

double fastest_obstacle(const Model& model, double time)
{
    double fastest = 0;
    for (const Obstacle& o : model.obstacles)
        if (!o.motion.is_static()) fastest = std::max(fastest, speed_within(model, o, time));
    return fastest;
}

} // namespace rivulet
