#include "sim/mouth.h"

#include "sim/source_columns.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Lines across the flow, each way, by which the thickness of a mouth is found.
constexpr int kLines = 9;
/// A hole through a wall goes on so many cells behind the drain: the centre of a cell is in it, wherever that begins.
constexpr double kHoleDepth = 1.5;
/// Larger is without end, as a plane is [m].
constexpr double kEndless = 1e6;

/// Length of the part of a line that is inside of a shape [m]: strides of the distance, but not below `least`.
double inner_length(const Shape& shape, const Vec3& from, const Vec3& direction, double length, double least)
{
    double inside = 0;
    for (double at = 0; at < length;) {
        const double d = shape.distance(from + at * direction);
        const double stride = std::min(std::max(std::abs(d), least), length - at + least);
        if (d < 0) inside += stride;
        at += stride;
    }
    return inside;
}

/// Length of a line before it is inside of a shape [m].
double outer_length(const Shape& shape, const Vec3& from, const Vec3& direction, double length, double least)
{
    double at = 0;
    while (at < length) {
        const double d = shape.distance(from + at * direction);
        if (d < 0) break;
        at += std::max(d, least);
    }
    return std::min(at, length);
}

/// Mean thickness of a shape along a flow, where it has any [m].
double thickness_along(const Shape& shape, const Vec3& flow, double least)
{
    const Aabb& box = shape.bounds();
    const Vec3 size = box.size(), across = flow.unitOrthogonal(), other = flow.cross(across);
    const auto half = [&](const Vec3& e) { return 0.5 * e.cwiseAbs().dot(size); };
    const double reach = half(flow);
    double sum = 0;
    int n = 0;
    for (int line = 0; line < kLines * kLines; ++line) {
        const double u = (line % kLines + 0.5) / kLines * 2 - 1, v = (line / kLines + 0.5) / kLines * 2 - 1;
        const Vec3 from = box.centre() + u * half(across) * across + v * half(other) * other - reach * flow;
        const double inside = inner_length(shape, from, flow, 2 * reach, least);
        sum += inside;
        n += inside > 0;
    }
    return n > 0 ? sum / n : 0;
}

} // namespace

Mouth::Mouth(const Source& source, double cell_size) : shape_(source.shape), bounds_(shape_->bounds())
{
    if (source.velocity.isZero(0) || bounds_.size().maxCoeff() > kEndless) return;
    flow_ = source.velocity.normalized();
    const double finest = std::min(cell_size / 64, std::max(0.25 * bounds_.size().minCoeff(), 1e-4 * cell_size));
    thickness_ = thickness_along(*shape_, flow_, finest);
    least_ = finest;
    const double reach = 0.5 * flow_.cwiseAbs().dot(bounds_.size());
    begin_ = bounds_.centre() - reach * flow_;
    begin_ += outer_length(*shape_, begin_, flow_, 2 * reach, finest) * flow_;
    sink(0, cell_size);
}

void Mouth::sink(double depth, double cell_size)
{
    length_ = std::max(0.0, kLeastDriven * cell_size - thickness_ + depth);
    bounds_ = shape_->bounds();
    for (int axis = 0; axis < 3; ++axis)
        (flow_[axis] > 0 ? bounds_.upper : bounds_.lower)[axis] += length_ * flow_[axis];
}

bool Mouth::holds(const Vec3& y, double within) const
{
    if (!bounds_.dilated(within).contains(y)) return false;
    for (double back = 0; back <= length_;) {
        const double d = shape_->distance(y - back * flow_) - within;
        if (d < 0) return true;
        back += std::max(d, least_);
    }
    return false;
}

double Mouth::way_from_begin(const Vec3& y, double most, double within) const
{
    double begin = 0;
    for (double back = 0; back <= most;) {
        const double d = shape_->distance(y - back * flow_) - within;
        back += std::max(std::abs(d), least_);
        if (d < 0) begin = back;
    }
    return std::min(begin, most);
}

DrainMouth::DrainMouth(const Drain& drain, double cell_size) : shape_(drain.shape), bounds_(shape_->bounds())
{
    least_ = 1e-3 * cell_size;
    const Vec3 size = bounds_.size();
    middle_ = bounds_.centre();
    if (size.maxCoeff() > kEndless || !(shape_->distance(middle_) < 0)) return;
    // Beside the middle, where the distance has a slope.
    normal_ = shape_->normal(middle_ + 1e-3 * size.cwiseMin(cell_size).cwiseProduct(Vec3(0.31, 0.57, 0.76)));
    const double reach = 0.5 * normal_.cwiseAbs().dot(size);
    thickness_ = std::min(2 * reach, -2 * shape_->distance(middle_));
    is_thin_ = thickness_ < (1 - 1e-9) * cell_size;
}

void DrainMouth::widen(double cell_size, bool below, bool above)
{
    is_hole_ = below || above;
    const double half = is_hole_ ? 0.5 * thickness_ : 0.5 * cell_size;
    lower_ = -half - (below ? kHoleDepth * cell_size : 0);
    upper_ = half + (above ? kHoleDepth * cell_size : 0);
    const Aabb box = bounds_;
    for (const double end : {lower_, upper_})
        for (const Vec3& corner : {box.lower, box.upper}) bounds_.include(Vec3(corner + end * normal_));
}

double DrainMouth::distance(const Vec3& y) const
{
    if (!is_thin_) return shape_->distance(y);
    const double height = normal_.dot(y - middle_), along = std::max(lower_ - height, height - upper_);
    const double across = shape_->distance(y - height * normal_); // a thin shape has no depth to speak of
    return across < 0 ? along : std::max(along, across);
}

bool DrainMouth::pierces(const Vec3& y, double before) const
{
    if (!is_thin_) return shape_->distance(y) < 0;
    if (!is_hole_) return false;
    const double height = normal_.dot(y - middle_);
    return height > lower_ - before && height < upper_ + before && shape_->distance(y - height * normal_) < 0;
}

bool DrainMouth::meets(const Vec3& from, const Vec3& to) const
{
    const Vec3 way = to - from;
    const double length = way.norm();
    if (!bounds_.dilated(length).contains(to)) return false;
    for (double at = 0; at <= length;) {
        const double d = distance(at < length ? Vec3(from + at / length * way) : to);
        if (d < 0) return true;
        at += std::max(d, least_);
    }
    return distance(to) < 0;
}

} // namespace rivulet
