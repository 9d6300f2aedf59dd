#pragma once

#include "geometry/motion.h"
#include "geometry/shape.h"
#include "grid/tile_grid.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace rivulet {

/// Liquid of viscosity mu that slips at u along a solid with friction f is held back by the stress
///   mu u f / (kSlipLength (1 - f)) + density kWallSpeed f u
/// and viscous liquid does not slip at all for f = 1. Theory: docs/theory/solids.md.
inline constexpr double kSlipLength = 0.01; ///< of Navier's law, at f = 1/2 [m]
inline constexpr double kWallSpeed = 0.1;   ///< of the stress that needs no viscosity, at f = 1 [m/s]

/// A rigid obstacle as the liquid meets it in one step.
struct SolidBody {
    const Shape* shape = nullptr; ///< body frame
    Pose pose;
    Twist twist;
    double friction = 0;    ///< 0 = free slip, 1 = no slip; see kSlipLength
    bool is_static = false; ///< never moves over the whole run
    /// A ball that holds all of it: bodies too far off to be the nearest need not be asked.
    Vec3 ball_centre = Vec3::Zero(); ///< [m]
    double ball_radius = 1e30;       ///< [m]
    bool is_upright = false;         ///< not rotated

    /// Finds that ball, and whether it is rotated.
    void bound();
    /// Lies too far away to matter: is farther than anything.
    void leave_out() { ball_radius = -1e300; }
    /// Whether x is sure to be farther from the body than `distance` [m].
    [[nodiscard]] bool is_farther(const Vec3& x, double distance) const
    {
        const double reach = ball_radius + distance;
        return reach < 0 || (x - ball_centre).squaredNorm() > reach * reach;
    }
    [[nodiscard]] double distance(const Vec3& x) const
    {
        return shape->distance(is_upright ? Vec3(x - pose.position) : pose.to_body(x));
    }
};

/// All that liquid cannot enter: obstacles and the closed walls of the domain.
struct Solids {
    std::span<const SolidBody> bodies;
    Aabb box;                     ///< domain [m]
    std::array<bool, 6> closed{}; ///< -x +x -y +y -z +z
    double wall_friction = 0;
    double cell_size = 0; ///< of the grid that meets them [m]; 0: bodies end where their shapes do

    /// The nearest solid to a point. A body that ends on a closed wall, or a little beyond, has no surface there:
    /// seen from inside of it, the nearest is what liquid can reach (docs/theory/solids.md).
    struct Nearest {
        double distance; ///< signed, negative inside [m]
        int body;        ///< index into bodies; -1 = a wall, or nothing at all
    };
    [[nodiscard]] Nearest nearest(const Vec3& x) const;
    /// The nearest body, whatever the walls.
    [[nodiscard]] Nearest nearest_body(const Vec3& x) const;
    [[nodiscard]] double distance(const Vec3& x) const { return nearest(x).distance; }
    /// To one body, as nearest() takes it.
    [[nodiscard]] double distance_to(const SolidBody& body, const Vec3& x) const;
    /// Outward unit normal of the nearest solid.
    [[nodiscard]] Vec3 normal(const Vec3& x, int body) const;
    [[nodiscard]] Vec3 velocity(const Vec3& x, int body) const;
    [[nodiscard]] double friction(int body) const;
    /// Whether two corners of a cell, side by side and inside of different solids, have liquid between them. Solids
    /// that touch leave none, however little their distances say of what lies deeper inside. From a quarter of a cell
    /// on a gap is found, and not below an eighth: it would have less than one particle a cell.
    [[nodiscard]] bool has_gap_between(const Vec3& a, const Vec3& b) const;
    /// Whether both walls of an axis are closed and no farther apart than a cell, so that no corner of a cell lies
    /// between them.
    [[nodiscard]] bool is_thin(int axis, double dx) const;

private:
    /// The nearest body that is nearer than a distance; else that, and no body.
    [[nodiscard]] Nearest nearer_body(const Vec3& x, double distance) const;
};

/// What SolidFields::open_volume says of a cell that no solid cuts.
inline constexpr int kOpenCell = 240;

enum class TileSolidity : std::uint8_t { Open, Mixed, Solid };

/// The solids seen by the grid: what part of each face is open, and how fast the solid part of it moves.
struct SolidFields {
    std::vector<TileSolidity> tiles;
    std::array<std::vector<double>, 3> open;     ///< open fraction of each face [1]
    std::array<std::vector<double>, 3> velocity; ///< of the solid, along the face's axis, where open < 1 [m/s]
    std::vector<std::uint8_t> centre_inside;     ///< cell centres inside a solid
    std::vector<std::uint8_t> open_volume;       ///< of each cell outside of solids [1 / kOpenCell of a cell]
    std::vector<std::uint8_t> near_moving;       ///< tiles that a moving body can reach
};

/// The last raster and its grid: tiles that no moving body reaches, then and now, are copied from it.
struct SolidCache {
    TileGrid grid;
    SolidFields fields;
};

/// Cut-cell fractions from the signed distance at the cells' corners, exact for planes; from the walls themselves where
/// they are too near to each other for that. `cache`, where given, must be
/// of the same static solids; the result is the same bits with and without it.
void rasterize_solids(const TileGrid& grid, const Solids& solids, SolidFields& fields,
                      const SolidCache* cache = nullptr);

/// Part of a unit square, given by a linear function's values at its corners (in turn around it), where it is > 0.
[[nodiscard]] double open_fraction(double a, double b, double c, double d) noexcept;

/// Moves a point that is closer than `margin` to a solid out of it. Returns its distance before the last move.
double push_out(const Solids& solids, double margin, Vec3& x);

} // namespace rivulet
