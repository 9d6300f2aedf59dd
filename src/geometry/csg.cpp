#include "geometry/isosurface.h"
#include "geometry/shapes.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

constexpr double kUnbounded = 1e29; ///< bounds at or beyond this are not bounds

/// Box to mesh in: the bounds, cut 50 edges beyond what is finite.
Aabb meshed_region(const Aabb& bounds, double edge)
{
    Aabb region = bounds;
    for (int axis = 0; axis < 3; ++axis) {
        const bool has_lower = bounds.lower[axis] > -kUnbounded, has_upper = bounds.upper[axis] < kUnbounded;
        if (!has_lower) region.lower[axis] = (has_upper ? bounds.upper[axis] : 0) - 50 * edge;
        if (!has_upper) region.upper[axis] = (has_lower ? bounds.lower[axis] : 0) + 50 * edge;
    }
    return region;
}

/// Meshes the distance field of a shape, with shorter edges where it is thinner. Walls below a 256th of the whole may
/// be lost.
TriangleMesh mesh_shape_field(const Shape& shape, double edge)
{
    const Aabb bounds = shape.bounds();
    if (bounds.is_empty()) return {};
    const Aabb region = meshed_region(bounds, edge);
    // At most 1024 nodes along the longest side: more is never wanted in a picture.
    const double longest = region.size().maxCoeff();
    const double spacing = std::max(std::min(edge, std::max(0.25 * shape.thickness(), longest / 256)), longest / 1024);
    const ShapePtr limit = make_box(region.lower, region.upper);
    const bool is_cut = region.lower != bounds.lower || region.upper != bounds.upper;
    const auto distance = [&](const Vec3& x) {
        return is_cut ? std::max(shape.distance(x), limit->distance(x)) : shape.distance(x);
    };
    // Off the corners of the bounds by an odd fraction, so that faces do not fall on nodes.
    return mesh_distance_field(distance, region.dilated(1.37 * spacing), spacing);
}

class Union final : public Shape {
public:
    explicit Union(std::vector<ShapePtr> parts) : parts_(std::move(parts))
    {
        for (const ShapePtr& part : parts_) {
            bounds_.include(part->bounds().lower);
            bounds_.include(part->bounds().upper);
        }
    }

    double distance(const Vec3& x) const override
    {
        double nearest = parts_.front()->distance(x);
        for (std::size_t i = 1; i < parts_.size(); ++i) nearest = std::min(nearest, parts_[i]->distance(x));
        return nearest;
    }
    Vec3 normal(const Vec3& x) const override // that of the nearest part
    {
        const Shape* nearest = parts_.front().get();
        double least = nearest->distance(x);
        for (std::size_t i = 1; i < parts_.size(); ++i)
            if (const double d = parts_[i]->distance(x); d < least) {
                least = d;
                nearest = parts_[i].get();
            }
        return nearest->normal(x);
    }
    Aabb bounds() const override { return bounds_; }
    double thickness() const override // of the thinnest part
    {
        double least = parts_.front()->thickness();
        for (const ShapePtr& part : parts_) least = std::min(least, part->thickness());
        return least;
    }
    TriangleMesh tessellate(double edge) const override { return mesh_shape_field(*this, edge); }

private:
    std::vector<ShapePtr> parts_;
    Aabb bounds_;
};

class Difference final : public Shape {
public:
    Difference(ShapePtr a, ShapePtr b) : a_(std::move(a)), b_(std::move(b)) {}

    double distance(const Vec3& x) const override { return std::max(a_->distance(x), -b_->distance(x)); }
    Vec3 normal(const Vec3& x) const override // that of the wall which is nearer
    {
        return a_->distance(x) > -b_->distance(x) ? a_->normal(x) : Vec3(-b_->normal(x));
    }
    Aabb bounds() const override { return a_->bounds(); }
    double thickness() const override // of the walls around a hole, or of the hole
    {
        const Aabb whole = a_->bounds(), hole = b_->bounds();
        double least = std::min(a_->thickness(), b_->thickness());
        for (int axis = 0; axis < 3; ++axis)
            for (const double wall : {hole.lower[axis] - whole.lower[axis], whole.upper[axis] - hole.upper[axis]})
                if (wall > 0) least = std::min(least, wall);
        return least;
    }
    TriangleMesh tessellate(double edge) const override { return mesh_shape_field(*this, edge); }

private:
    ShapePtr a_, b_;
};

/// Box around the moved box; infinite as soon as the box is.
Aabb moved_bounds(const Aabb& box, const Pose& pose)
{
    if (box.lower.minCoeff() <= -kUnbounded || box.upper.maxCoeff() >= kUnbounded)
        return {Vec3::Constant(-1e30), Vec3::Constant(1e30)};
    Aabb moved;
    for (int c = 0; c < 8; ++c)
        moved.include(pose.to_world({c & 1 ? box.upper.x() : box.lower.x(), c & 2 ? box.upper.y() : box.lower.y(),
                                     c & 4 ? box.upper.z() : box.lower.z()}));
    return moved;
}

class Placed final : public Shape {
public:
    Placed(ShapePtr shape, const Pose& pose) : shape_(std::move(shape)), pose_(pose) {}

    double distance(const Vec3& x) const override { return shape_->distance(pose_.to_body(x)); }
    Vec3 normal(const Vec3& x) const override { return pose_.rotation * shape_->normal(pose_.to_body(x)); }
    Aabb bounds() const override { return moved_bounds(shape_->bounds(), pose_); }
    double thickness() const override { return shape_->thickness(); }
    TriangleMesh tessellate(double edge) const override
    {
        TriangleMesh mesh = shape_->tessellate(edge);
        for (Vec3& x : mesh.vertices) x = pose_.to_world(x);
        return mesh;
    }

private:
    ShapePtr shape_;
    Pose pose_;
};

} // namespace

ShapePtr make_union(std::vector<ShapePtr> parts)
{
    if (parts.empty()) throw InputError("a union needs at least one shape");
    if (std::any_of(parts.begin(), parts.end(), [](const ShapePtr& p) { return !p; }))
        throw InputError("a union needs shapes, one is missing");
    return std::make_shared<Union>(std::move(parts));
}

ShapePtr make_difference(ShapePtr a, ShapePtr b)
{
    if (!a || !b) throw InputError("a difference needs two shapes");
    return std::make_shared<Difference>(std::move(a), std::move(b));
}

ShapePtr make_placed(ShapePtr shape, const Pose& pose)
{
    if (!shape) throw InputError("nothing to place");
    const double norm = pose.rotation.norm();
    if (!pose.position.allFinite() || !(std::abs(norm - 1) < 1e-6))
        throw InputError("a placement needs a finite position and a unit quaternion");
    return std::make_shared<Placed>(std::move(shape), Pose{pose.position, pose.rotation.normalized()});
}

} // namespace rivulet
