#pragma once

#include "sim/model.h"

#include <memory>

namespace rivulet {

/// [start, stop)
[[nodiscard]] inline bool is_active(double start, double stop, double time) { return time >= start && time < stop; }

/// What a mouth drives is at least so many cells long along the flow: from any place and in any direction the cells in
/// which liquid comes into being are then others than those that it goes out to.
inline constexpr double kLeastDriven = 2;

/// Where a source says how liquid moves, in its own frame: in its shape and, where that is thin along the flow, on
/// beyond it, so that a face of the grid lies between where liquid comes into being and where it is let go.
class Mouth {
public:
    Mouth(const Source& source, double cell_size);

    /// It begins in a solid, so deep along the flow [m]: it is as much longer.
    void sink(double depth, double cell_size);

    [[nodiscard]] const Aabb& bounds() const { return bounds_; }
    /// Where the flow enters the shape in its middle.
    [[nodiscard]] const Vec3& begin() const { return begin_; }
    /// Whether a place, or one upstream of it, is nearer to the source's shape than `within`: looks along the flow in
    /// strides that cannot miss it.
    [[nodiscard]] bool holds(const Vec3& y, double within = 0) const;
    /// Way from the begin of the shape to a place, along the flow, or `most` [m]; of all within the shape's reach.
    [[nodiscard]] double way_from_begin(const Vec3& y, double most, double within = 0) const;
    /// Thickness of the shape along the flow, as the mean of lines through it [m].
    [[nodiscard]] double thickness() const { return thickness_; }

private:
    std::shared_ptr<const Shape> shape_;
    Aabb bounds_;
    Vec3 flow_ = Vec3::Zero(), begin_ = Vec3::Zero();
    double thickness_ = 0, length_ = 0, least_ = 1; ///< [m]
};

/// Where a drain takes liquid, in its own frame: its shape, or, where that is thinner than a cell, a plate of its
/// outline that is as thick as a cell, or that goes through the wall behind it.
class DrainMouth {
public:
    /// `is_solid`: whether a place, in the drain's frame, is in a solid.
    template <class IsSolid>
    DrainMouth(const Drain& drain, double cell_size, IsSolid&& is_solid) : DrainMouth(drain, cell_size)
    {
        if (!is_thin_) return;
        const double beside = 0.5 * (thickness_ + cell_size);
        const bool below = is_solid(Vec3(middle_ - beside * normal_)),
                   above = is_solid(Vec3(middle_ + beside * normal_));
        widen(cell_size, below, above);
    }

    [[nodiscard]] const Aabb& bounds() const { return bounds_; }
    /// Signed distance, as Shape::distance() [m].
    [[nodiscard]] double distance(const Vec3& y) const;
    /// Whether it makes a hole in walls that it is in.
    [[nodiscard]] bool is_hole() const { return is_hole_ || !is_thin_; }
    /// Whether a place is in the hole that it makes in walls; of a thin one, or less than `before` before it.
    [[nodiscard]] bool pierces(const Vec3& y, double before) const;
    /// Whether the straight way from one place to another meets it.
    [[nodiscard]] bool meets(const Vec3& from, const Vec3& to) const;
    /// Smallest thickness of the shape [m]; -1 where it is not known.
    [[nodiscard]] double thickness() const { return thickness_; }

private:
    DrainMouth(const Drain& drain, double cell_size);
    void widen(double cell_size, bool below, bool above);

    std::shared_ptr<const Shape> shape_;
    Aabb bounds_;
    bool is_thin_ = false, is_hole_ = false;
    Vec3 middle_ = Vec3::Zero(), normal_ = Vec3::UnitZ();
    double thickness_ = -1, lower_ = 0, upper_ = 0, least_ = 1; ///< [m]
};

} // namespace rivulet
