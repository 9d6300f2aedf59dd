#include "sim/source_columns.h"

#include "sim/seed_lattice.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

constexpr int kLineLevels = 6;
/// Nearer than this to a shape is in it, in edges of a cube: shapes may be thinner.
constexpr double kTouching = 1e-5;
/// Halvings of a column's square, for shapes too thin for distances to tell how far inside of them a line is.
constexpr int kSquareLevels = 6;

} // namespace

FlowAxes::FlowAxes(const Vec3& velocity)
{
    const double most = velocity.cwiseAbs().maxCoeff(&along);
    if ((velocity - velocity[along] * Vec3::Unit(along)).norm() <= 1e-9 * most) return;
    const Vec3 flow = velocity.normalized(), side = flow.unitOrthogonal();
    axes << side, flow.cross(side), flow;
    along = 2;
}

ColumnFinder::ColumnFinder(const Shape& shape, const FlowAxes& lattice, bool is_reversed, double h,
                           SourceColumns& known)
    : shape_(shape), lattice_(lattice), flow_((is_reversed ? -1 : 1) * lattice.axes.col(lattice.along)),
      middle_(shape.bounds().centre()), reach_(0.5 * shape.bounds().size().norm()), h_(h), columns_(known.columns)
{
}

const SourceColumn& ColumnFinder::at(const Vec3& site)
{
    const auto [found, is_new] = columns_.try_emplace({site[(lattice_.along + 1) % 3], site[(lattice_.along + 2) % 3]});
    SourceColumn& column = found->second;
    if (is_new) {
        Vec3 on_column = site; // whichever of its cubes comes first, also after a resume
        on_column[lattice_.along] = 0;
        const Vec3 middle = lattice_.axes * on_column;
        column.part = is_thin_around(middle) ? part_by_lines(middle, h_, 0)
                                             : cut_cube(middle, h_, [this](const Vec3& x) { return line_distance(x); });
        if (column.part.share > 0) column.chords = chords_through(column.part.centre);
        column.part.centre -= middle;
    }
    return column;
}

/// Least distance to the shape on the line along the flow through x: looked for at places half a cube apart, then
/// beside the nearest of them.
double ColumnFinder::line_distance(const Vec3& x) const
{
    const Vec3 middle = x - way(x) * flow_;
    double least = shape_.distance(middle), nearest = 0;
    const auto look_at = [&](double s) {
        const double d = shape_.distance(middle + s * flow_);
        if (d < least) {
            least = d;
            nearest = s;
        }
    };
    double step = 0.5 * h_;
    for (double s = step; s <= reach_; s += step) {
        look_at(-s);
        look_at(s);
    }
    for (int level = 0; level < kLineLevels; ++level) {
        step *= 0.5;
        const double around = nearest;
        look_at(around - step);
        look_at(around + step);
    }
    return least;
}

/// Whether no line near a column is so deep in the shape that distances tell where its sides are.
bool ColumnFinder::is_thin_around(const Vec3& x) const
{
    const Vec3 u = lattice_.axes.col((lattice_.along + 1) % 3), v = lattice_.axes.col((lattice_.along + 2) % 3);
    for (int i = -1; i <= 1; ++i)
        for (int j = -1; j <= 1; ++j)
            if (line_distance(x + h_ * (i * u + j * v)) < -0.5 * h_) return false;
    return true;
}

/// Follows the line through x by steps of the distance, which is never more than the true one.
std::vector<Chord> ColumnFinder::chords_through(const Vec3& x) const
{
    const Vec3 middle = x - way(x) * flow_;
    const double touching = kTouching * h_;
    std::vector<Chord> chords;
    bool is_inside = false;
    for (double s = -reach_ - h_; s <= reach_ + h_;) {
        const double d = shape_.distance(middle + s * flow_);
        if (is_inside != (d <= touching)) {
            is_inside = !is_inside;
            if (is_inside)
                chords.push_back({s, s});
            else
                chords.back().leave = s;
        }
        s += std::max(std::abs(d), touching);
    }
    return chords;
}

/// Part of a column's square from the lines that meet the shape: of its quarters, down to those on which all agree.
CubePart ColumnFinder::part_by_lines(const Vec3& x, double edge, int level) const
{
    const Vec3 u = lattice_.axes.col((lattice_.along + 1) % 3), v = lattice_.axes.col((lattice_.along + 2) % 3);
    const auto meets = [&](const Vec3& y) { return !chords_through(y).empty(); };
    const bool is_met = meets(x);
    if (level == kSquareLevels) return {is_met ? 1.0 : 0.0, x};
    const double inset = 0.5 * edge - 0.5 * std::ldexp(h_, -kSquareLevels); // where the lines of the last level are
    bool is_one = true;
    for (int n = 0; n < 9 && is_one; ++n)
        is_one = n == 4 || meets(x + inset * ((n % 3 - 1) * u + (n / 3 - 1) * v)) == is_met;
    if (is_one) return {is_met ? 1.0 : 0.0, x};
    CubePart whole;
    for (int n = 0; n < 4; ++n) {
        const Vec3 quarter = edge * ((0.5 * (n & 1) - 0.25) * u + (0.5 * (n >> 1) - 0.25) * v);
        const CubePart part = part_by_lines(x + quarter, 0.5 * edge, level + 1);
        whole.share += 0.25 * part.share;
        whole.centre += 0.25 * part.share * (part.centre - x);
    }
    whole.centre = whole.share > 0 ? Vec3(x + whole.centre / whole.share) : x;
    return whole;
}

std::vector<SourceEntry> source_entries(const Source& source, double h, SourceColumns& known)
{
    std::vector<SourceEntry> entries;
    if (source.velocity.isZero(0)) return entries;
    const FlowAxes lattice(source.velocity);
    const double flow = lattice.axes.col(lattice.along).dot(source.velocity);
    const Aabb bounds = placed_bounds(source.shape->bounds(), {Vec3::Zero(), Quat(Mat3(lattice.axes.transpose()))});
    ColumnFinder columns(*source.shape, lattice, flow < 0, h, known);
    Aabb layer = bounds.dilated(h); // one cube of every column
    layer.lower[lattice.along] = bounds.lower[lattice.along];
    layer.upper[lattice.along] = bounds.lower[lattice.along] + h;
    const Vec3 along = source.velocity.normalized();
    for_lattice(layer, bounds.lower, h, [&](const Vec3& site) {
        const SourceColumn& column = columns.at(site);
        const Vec3 centre = lattice.axes * site + column.part.centre;
        for (const Chord& chord : column.chords)
            entries.push_back({centre + (chord.enter - columns.way(centre)) * along, chord.leave - chord.enter,
                               column.part.share * h * h * std::abs(flow)});
    });
    return entries;
}

} // namespace rivulet
