#pragma once

#include "geometry/cut_cube.h"
#include "geometry/shape.h"
#include "sim/model.h"

#include <map>
#include <utility>
#include <vector>

namespace rivulet {

/// Directions of a source's lattice: the body's axes, or others with the third along the flow where that is along none.
struct FlowAxes {
    Mat3 axes = Mat3::Identity();
    int along = 2; ///< the one that the liquid flows along

    explicit FlowAxes(const Vec3& velocity);
};

/// Where a line along the flow is inside of a shape, from the middle of the shape's bounds on [m].
struct Chord {
    double enter, leave;
};

/// What the cubes of one column of a source's lattice see of its shape on their way through it.
struct SourceColumn {
    CubePart part;             ///< of each cube, its centre as seen from the cube's middle
    std::vector<Chord> chords; ///< of that centre's way
};

/// By place across the flow; parts depend on a cube's column alone, so that all columns together bring the area that
/// the shape shows to the flow.
struct SourceColumns {
    std::map<std::pair<double, double>, SourceColumn> columns;
};

/// Finds and keeps the columns of a source, whatever its thickness.
class ColumnFinder {
public:
    /// Cubes of edge h that flow along the axis of the lattice, or against it.
    ColumnFinder(const Shape& shape, const FlowAxes& lattice, bool is_reversed, double h, SourceColumns& known);

    /// Of the cube at this place of the lattice.
    const SourceColumn& at(const Vec3& site);
    /// Way of a place along the flow, as chords have it.
    [[nodiscard]] double way(const Vec3& x) const { return flow_.dot(x - middle_); }

private:
    [[nodiscard]] double line_distance(const Vec3& x) const;
    [[nodiscard]] bool is_thin_around(const Vec3& x) const;
    [[nodiscard]] std::vector<Chord> chords_through(const Vec3& x) const;
    [[nodiscard]] CubePart part_by_lines(const Vec3& x, double edge, int level) const;

    const Shape& shape_;
    const FlowAxes& lattice_;
    Vec3 flow_, middle_;
    double reach_, h_;
    std::map<std::pair<double, double>, SourceColumn>& columns_;
};

/// Where liquid of a source comes into being, in its frame.
struct SourceEntry {
    Vec3 place;    ///< where a line along the flow enters the shape [m]
    double length; ///< of the line in the shape [m]
    double rate;   ///< of the liquid that comes there [m^3/s]
};

/// Of all columns of a lattice of edge h.
[[nodiscard]] std::vector<SourceEntry> source_entries(const Source& source, double h, SourceColumns& known);

} // namespace rivulet
