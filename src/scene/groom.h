#pragma once

#include "geometry/curves.h"
#include "geometry/shape.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace rivulet {

/// Strands that grow out of a surface.
struct Groom {
    int n_vertices = 25;
    double length = 0.1;         ///< along the curls [m]
    double length_variation = 0; ///< largest random shortening, as a part
    double curl_radius = 0;      ///< [m]; 0 = straight
    double curl_pitch = 0.01;    ///< [m]
    std::uint64_t seed = 1;
    double bend = 0;                  ///< angle that a strand turns by towards bend_direction [rad]
    Vec3 bend_direction = {0, 0, -1}; ///< in the shape's frame
    double randomness = 0;            ///< of the strands' ways, each its own
    std::int64_t n_clumps = 0;        ///< the first strands, which the others are drawn to
    double clump = 0;                 ///< how far, at the tip: 0 not at all, 1 to the same place
    double taper = 0;                 ///< part by which the tuft is narrower at its tips than at its roots
};

/// A place on a surface, in the shape's frame.
struct RootPlace {
    Vec3 position; ///< [m]
    Vec3 normal;
};

/// Spreads roots evenly over the part of a shape's surface that lies inside of `region` (null: all of it). Which root
/// is where depends on the seed and on its number alone.
class RootSampler {
public:
    /// The shape must be bounded.
    RootSampler(const Shape& shape, const Shape* region, std::uint64_t seed);
    /// Nothing of the surface lies inside of the region.
    [[nodiscard]] bool is_empty() const { return area_.empty() || !(area_.back() > 0); }
    /// Of the surface that roots are on, as far as its mesh tells [m^2].
    [[nodiscard]] double area() const { return is_empty() ? 0 : area_.back(); }
    [[nodiscard]] RootPlace root(std::int64_t number) const;

private:
    const Shape& shape_;
    const Shape* region_;
    std::uint64_t seed_;
    TriangleMesh mesh_;
    std::vector<double> area_; ///< up to and with each triangle that lies inside [m^2]
    std::vector<std::size_t> triangle_;
};

/// The vertices of strand `number` of a groom. Its first edge is straight, across the surface and half below it: a
/// clamped strand bends from the middle of its first edge on.
[[nodiscard]] std::vector<Vec3> grow_strand(const Groom& groom, const RootPlace& root, std::int64_t number);
/// `count` strands, clumped and tapered.
[[nodiscard]] Curves grow_strands(const Groom& groom, const RootSampler& roots, std::int64_t count);
/// Length of the edges of the longest strand [m], and edges in a turn of its curl (none if it is straight).
[[nodiscard]] double groom_edge(const Groom& groom);
[[nodiscard]] std::optional<double> edges_in_a_turn(const Groom& groom);

} // namespace rivulet
