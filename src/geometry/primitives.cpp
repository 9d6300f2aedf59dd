#include "geometry/shapes.h"

#include "base/error.h"
#include "geometry/tessellation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rivulet {
namespace {

constexpr double kInfinite = 1e30;

void check_finite(const Vec3& x, const char* what)
{
    if (!x.allFinite()) throw InputError(fmt::format("{} must be finite", what));
}

void check_positive(double value, const char* what)
{
    if (!(value > 0) || !std::isfinite(value))
        throw InputError(fmt::format("{} must be positive and finite, not {:g}", what, value));
}

Vec3 checked_direction(const Vec3& direction, const char* what)
{
    check_finite(direction, what);
    const double length = direction.norm();
    if (!(length > 0)) throw InputError(fmt::format("{} must not be zero", what));
    return direction / length;
}

class Box final : public Shape {
public:
    Box(const Vec3& lower, const Vec3& upper) : box_{lower, upper} {}

    double distance(const Vec3& x) const override
    {
        const Vec3 q = (x - box_.centre()).cwiseAbs() - 0.5 * box_.size();
        const double farthest = q.maxCoeff();
        return farthest <= 0 ? farthest : q.cwiseMax(0).norm();
    }
    Aabb bounds() const override { return box_; }
    TriangleMesh tessellate(double edge) const override { return tessellate_box(box_, edge); }

private:
    Aabb box_;
};

class Sphere final : public Shape {
public:
    Sphere(const Vec3& centre, double radius) : centre_(centre), radius_(radius) {}

    double distance(const Vec3& x) const override { return (x - centre_).norm() - radius_; }
    Vec3 normal(const Vec3& x) const override
    {
        const double length = (x - centre_).norm();
        return length > 0 ? Vec3((x - centre_) / length) : Vec3::UnitZ();
    }
    Aabb bounds() const override { return Aabb{centre_, centre_}.dilated(radius_); }
    TriangleMesh tessellate(double edge) const override;

private:
    Vec3 centre_;
    double radius_;
};

class Capsule final : public Shape {
public:
    Capsule(const Vec3& a, const Vec3& b, double radius) : a_(a), ab_(b - a), radius_(radius) {}

    double distance(const Vec3& x) const override
    {
        const double t = std::clamp((x - a_).dot(ab_) / ab_.squaredNorm(), 0.0, 1.0);
        return (x - a_ - t * ab_).norm() - radius_;
    }
    Aabb bounds() const override
    {
        Aabb box{a_, a_};
        box.include(a_ + ab_);
        return box.dilated(radius_);
    }
    double thickness() const override { return 2 * radius_; }
    TriangleMesh tessellate(double edge) const override;

private:
    Vec3 a_, ab_;
    double radius_;
};

class Cylinder final : public Shape {
public:
    Cylinder(const Vec3& a, const Vec3& b, double radius)
        : a_(a), axis_((b - a).normalized()), length_((b - a).norm()), radius_(radius)
    {
    }

    double distance(const Vec3& x) const override
    {
        const double height = (x - a_).dot(axis_);
        const double across = (x - a_ - height * axis_).norm();
        const double q_r = across - radius_, q_h = std::abs(height - 0.5 * length_) - 0.5 * length_;
        return std::hypot(std::max(q_r, 0.0), std::max(q_h, 0.0)) + std::min(std::max(q_r, q_h), 0.0);
    }
    Aabb bounds() const override
    {
        // A disc of normal n reaches r sqrt(1 - n_i^2) along axis i.
        const Vec3 reach = radius_ * (1 - axis_.array().square()).max(0).sqrt().matrix();
        const Vec3 b = a_ + length_ * axis_;
        return {a_.cwiseMin(b) - reach, a_.cwiseMax(b) + reach};
    }
    double thickness() const override { return std::min(2 * radius_, length_); }
    TriangleMesh tessellate(double edge) const override;

private:
    Vec3 a_, axis_;
    double length_, radius_;
};

class Torus final : public Shape {
public:
    Torus(const Vec3& centre, const Vec3& axis, double major, double minor)
        : centre_(centre), axis_(axis), major_(major), minor_(minor)
    {
    }

    double distance(const Vec3& x) const override
    {
        const double height = (x - centre_).dot(axis_);
        const double across = (x - centre_ - height * axis_).norm();
        return std::hypot(across - major_, height) - minor_;
    }
    Aabb bounds() const override
    {
        const Vec3 reach = major_ * (1 - axis_.array().square()).max(0).sqrt().matrix() + Vec3::Constant(minor_);
        return {centre_ - reach, centre_ + reach};
    }
    double thickness() const override { return 2 * minor_; }
    TriangleMesh tessellate(double edge) const override;

private:
    Vec3 centre_, axis_;
    double major_, minor_;
};

class HalfSpace final : public Shape {
public:
    HalfSpace(const Vec3& point, const Vec3& normal) : point_(point), normal_(normal) {}

    double distance(const Vec3& x) const override { return (x - point_).dot(normal_); }
    Vec3 normal(const Vec3&) const override { return normal_; }
    Aabb bounds() const override
    {
        // Bounded on one side only when the normal is along an axis.
        Aabb box{Vec3::Constant(-kInfinite), Vec3::Constant(kInfinite)};
        for (int axis = 0; axis < 3; ++axis) {
            if (normal_[axis] == 1) box.upper[axis] = point_[axis];
            if (normal_[axis] == -1) box.lower[axis] = point_[axis];
        }
        return box;
    }
    TriangleMesh tessellate(double edge) const override;

private:
    Vec3 point_, normal_;
};

void append_arc(std::vector<ProfilePoint>& profile, double height, double radius, double from, double to, int n)
{
    for (int i = 0; i <= n; ++i) {
        const double angle = from + (to - from) * i / n;
        const bool is_on_axis = std::abs(std::abs(angle) - std::numbers::pi / 2) < 1e-12;
        profile.push_back({is_on_axis ? 0 : radius * std::cos(angle), height + radius * std::sin(angle)});
    }
}

TriangleMesh Sphere::tessellate(double edge) const
{
    std::vector<ProfilePoint> profile;
    append_arc(profile, 0, radius_, -std::numbers::pi / 2, std::numbers::pi / 2,
               count_pieces(std::numbers::pi * radius_, edge, 8));
    return revolve({.origin = centre_}, profile, false, count_pieces(2 * std::numbers::pi * radius_, edge, 16));
}

TriangleMesh Capsule::tessellate(double edge) const
{
    const double length = ab_.norm();
    const int n_cap = count_pieces(0.5 * std::numbers::pi * radius_, edge, 4), n_side = count_pieces(length, edge, 1);
    std::vector<ProfilePoint> profile;
    append_arc(profile, 0, radius_, -std::numbers::pi / 2, 0, n_cap);
    for (int i = 1; i < n_side; ++i) profile.push_back({radius_, length * i / n_side});
    append_arc(profile, length, radius_, 0, std::numbers::pi / 2, n_cap);
    return revolve(make_axis_frame(a_, ab_ / length), profile, false,
                   count_pieces(2 * std::numbers::pi * radius_, edge, 16));
}

TriangleMesh Cylinder::tessellate(double edge) const
{
    const int n_cap = count_pieces(radius_, edge, 1), n_side = count_pieces(length_, edge, 1);
    std::vector<ProfilePoint> profile;
    for (int i = 0; i < n_cap; ++i) profile.push_back({radius_ * i / n_cap, 0});
    for (int i = 0; i <= n_side; ++i) profile.push_back({radius_, length_ * i / n_side});
    for (int i = n_cap - 1; i >= 0; --i) profile.push_back({radius_ * i / n_cap, length_});
    return revolve(make_axis_frame(a_, axis_), profile, false, count_pieces(2 * std::numbers::pi * radius_, edge, 16));
}

TriangleMesh Torus::tessellate(double edge) const
{
    const int n_tube = count_pieces(2 * std::numbers::pi * minor_, edge, 12);
    std::vector<ProfilePoint> profile;
    append_arc(profile, 0, minor_, 0, 2 * std::numbers::pi * (n_tube - 1) / n_tube, n_tube - 1);
    for (int i = 0; i < n_tube; ++i)
        profile[static_cast<std::size_t>(i)].radius = major_ + minor_ * std::cos(2 * std::numbers::pi * i / n_tube);
    return revolve(make_axis_frame(centre_, axis_), profile, true,
                   count_pieces(2 * std::numbers::pi * (major_ + minor_), edge, 24));
}

TriangleMesh HalfSpace::tessellate(double edge) const
{
    // A slab one edge thick whose upper face lies in the plane.
    TriangleMesh mesh = tessellate_box({Vec3(-50 * edge, -50 * edge, -edge), Vec3(50 * edge, 50 * edge, 0)}, edge);
    const AxisFrame frame = make_axis_frame(point_, normal_);
    for (Vec3& x : mesh.vertices) x = (frame.origin + x.x() * frame.u + x.y() * frame.v + x.z() * frame.w).eval();
    return mesh;
}

} // namespace

ShapePtr make_box(const Vec3& lower, const Vec3& upper)
{
    check_finite(lower, "lower corner");
    check_finite(upper, "upper corner");
    if ((lower.array() >= upper.array()).any())
        throw InputError("each coordinate of a box's lower corner must be less than that of its upper corner");
    return std::make_shared<Box>(lower, upper);
}

ShapePtr make_sphere(const Vec3& centre, double radius)
{
    check_finite(centre, "centre");
    check_positive(radius, "radius");
    return std::make_shared<Sphere>(centre, radius);
}

ShapePtr make_capsule(const Vec3& a, const Vec3& b, double radius)
{
    check_finite(a, "end a");
    check_finite(b, "end b");
    check_positive(radius, "radius");
    if (!((b - a).squaredNorm() > 0)) return make_sphere(a, radius);
    return std::make_shared<Capsule>(a, b, radius);
}

ShapePtr make_cylinder(const Vec3& a, const Vec3& b, double radius)
{
    check_finite(a, "end a");
    check_positive(radius, "radius");
    if (!((b - a).squaredNorm() > 0) || !b.allFinite()) throw InputError("the ends of a cylinder must differ");
    return std::make_shared<Cylinder>(a, b, radius);
}

ShapePtr make_torus(const Vec3& centre, const Vec3& axis, double major, double minor)
{
    check_finite(centre, "centre");
    check_positive(major, "major radius");
    check_positive(minor, "minor radius");
    if (minor >= major)
        throw InputError(fmt::format("minor radius {:g} must be less than the major radius {:g}", minor, major));
    return std::make_shared<Torus>(centre, checked_direction(axis, "axis"), major, minor);
}

ShapePtr make_plane(const Vec3& point, const Vec3& normal)
{
    check_finite(point, "point");
    return std::make_shared<HalfSpace>(point, checked_direction(normal, "normal"));
}

} // namespace rivulet
