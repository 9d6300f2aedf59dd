#pragma once

#include "geometry/curves.h"

namespace rivulet {

/// Strands side by side, in the closest packing about the line from start to end; each in a helix about its own line.
struct Bundle {
    std::int64_t count = 1;
    int n_vertices = 25;
    Vec3 start = Vec3::Zero(), end = Vec3::UnitX(); ///< [m]
    double spacing = 1e-3;                          ///< of neighbours [m]
    double curl_radius = 0;                         ///< [m]; 0 = straight
    double curl_pitch = 0.01;                       ///< [m]
    Vec3 row = Vec3::Zero(); ///< where not zero, they lie in a row across the axis in this direction
};
[[nodiscard]] Curves bundle_curves(const Bundle& bundle);
/// The part of `row` that is across the axis.
[[nodiscard]] Vec3 row_direction(const Bundle& bundle);

/// Plain weave in the plane of x and y about the origin: `rows` yarns along x and `columns` along y go over and under
/// each other by turns.
struct Weave {
    int rows = 10, columns = 10;
    double spacing = 1e-3;   ///< of parallel yarns [m]
    double amplitude = 1e-4; ///< of each yarn: twice that is between two at a crossing [m]
    int edges_per_crossing = 8;
};
[[nodiscard]] Curves woven_curves(const Weave& weave);

/// Stockinette in the plane of x and y about the origin: one yarn a row, along x, each loop drawn through one of the
/// row below. With w = spacing/(2 pi) a row is (t + 1.5 sin 2t, 4 cos t, cos 2t) w and rows are 4.8 w apart.
struct Knit {
    int rows = 5, columns = 10; ///< of loops
    double spacing = 5e-3;      ///< of loops in a row [m]
    int edges_per_loop = 32;
};
[[nodiscard]] Curves knitted_curves(const Knit& knit);
/// Least distance of two yarns' axes, and of two places of one yarn on either side of a loop, over the spacing.
inline constexpr double kKnitClearance = 0.243;

/// Wavy strands side by side in layers, each layer turned against the one below; none touches another. The pile is
/// centred on the z axis and begins at the origin.
struct Noodles {
    std::int64_t count = 100;
    std::int64_t per_layer = 10;
    int n_vertices = 60;
    double length = 0.2;       ///< along the waves [m]
    double spacing = 2e-3;     ///< of neighbours in a layer, and of layers [m]
    double wave_height = 0.01; ///< from crest to trough [m]
    double wave_length = 0.05; ///< [m]
    std::uint64_t seed = 1;    ///< of the layers' directions and waves
};
[[nodiscard]] Curves noodle_curves(const Noodles& noodles);

/// Two directions across a unit vector, which with it make a right-handed frame.
[[nodiscard]] std::pair<Vec3, Vec3> directions_across(const Vec3& n);

} // namespace rivulet
