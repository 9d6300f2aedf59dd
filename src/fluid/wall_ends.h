#pragma once

#include "fluid/solids.h"

#include <optional>

namespace rivulet {

/// A closed wall of the domain and how far a point is from it.
struct WallDistance {
    double distance = 1e30; ///< positive inside of the domain [m]
    int wall = -1;          ///< as in Solids::closed; -1: all are open
};

/// The nearest closed wall.
[[nodiscard]] WallDistance wall_distance(const Solids& solids, const Vec3& x);

/// The surface of a body as seen from a point inside of it.
struct BodySurface {
    double distance; ///< negative [m]
    Vec3 normal;
};

/// The nearest surface that liquid can reach where what is nearest lies on a closed wall of the domain or beyond; none
/// where that is not so, or the body is smooth there and its own distance serves. `distance` is the body's at x.
/// It is the tangent plane at the first place outside of the body, along the axes and up to three cells away: exact for
/// flat sides. Deeper inside it is that depth.
[[nodiscard]] std::optional<BodySurface> surface_past_wall(const Solids& solids, const SolidBody& body, const Vec3& x,
                                                           double distance);

/// Whether a body's surface is nearest to two places outside of it at both sides of an edge, or on it.
[[nodiscard]] bool has_edge_between(const SolidBody& body, const Vec3& x, const Vec3& y);

/// A point beyond a closed wall, where it is not more than a cell off, put on it.
[[nodiscard]] Vec3 put_on_wall(const Solids& solids, const Vec3& x);

/// Part of a face in a closed wall of the domain, across `axis`, that bodies do not stand on: from distances in the
/// wall's plane to where they do, which must not see how high they are.
[[nodiscard]] double uncovered_part(const Solids& solids, const Vec3& centre, int axis);

/// What the closed walls of the domain leave of faces and cells, from the walls themselves: at the edge where one meets
/// an obstacle, or is within a cell of the opposite one, distances at corners of cells cannot tell.
class DomainWalls {
public:
    DomainWalls(const Solids& solids, double dx);
    /// Part of a cell's lower face along `axis` between them, of a whole cell for axis -1; `corner` is that of the
    /// cell.
    [[nodiscard]] double part_between(int axis, const Vec3& corner) const;
    [[nodiscard]] bool contains(const Vec3& x) const;

private:
    Aabb box_;
    double dx_;
};

} // namespace rivulet
