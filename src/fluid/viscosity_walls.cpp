// Velocities in walls, as the liquid beside them says: what of ViscosityOperator only others ask for.
#include "base/parallel.h"
#include "fluid/cell_neighbours.h"
#include "fluid/viscosity_operator.h"

#include <algorithm>

namespace rivulet {
namespace {

/// kLeastWallTheta for velocities continued through the wall, which grow with its inverse.
constexpr double kLeastContinuedTheta = 0.25;

} // namespace

double ViscosityOperator::velocity_at_wall(std::size_t axis, std::size_t face, const FaceField& u) const
{
    const double solid = in_.solid_fields->velocity[axis][face];
    const int t = int(face / kTileCells), c = int(face % kTileCells);
    const Vec3i cell(c % 8, c / 8 % 8, c / 64);
    const double slip = slip_at(t, cell, axis), inside = volumes_.solid_distance(axis, face);
    if (slip == 0) return solid;
    const CellNeighbours beside(grid(), t, cell.x(), cell.y(), cell.z());
    double sum = 0;
    int n = 0;
    for (std::size_t side = 0; side < 6; ++side) {
        const std::size_t other = (side % 2 == 0 ? beside.down : beside.up)[side / 2];
        if (kind(axis, other) != FaceKind::Liquid) continue;
        const double outside = volumes_.solid_distance(axis, other);
        const double theta = std::clamp(outside / (outside - inside), kLeastWallTheta, 1.0);
        sum += (u[axis][other] - solid) * slip / (theta + slip);
        ++n;
    }
    return n > 0 ? solid + sum / n : solid;
}

double ViscosityOperator::continued_velocity(int t, const Vec3i& cell, std::size_t axis, const FaceField& u) const
{
    const std::size_t own = grid().index(t, cell.x(), cell.y(), cell.z());
    const double inside = volumes_.solid_distance(axis, own);
    const Vec3 x = grid().face_centre(t, int(axis), cell);
    const int body = in_.solids->nearest(x).body;
    const double u_wall = in_.solids->velocity(x, body)[int(axis)], slip = slip_at(t, cell, axis);
    const CellNeighbours beside(grid(), t, cell.x(), cell.y(), cell.z());
    double sum = 0;
    int n = 0;
    for (std::size_t side = 0; side < 6; ++side) {
        const std::size_t other = (side % 2 == 0 ? beside.down : beside.up)[side / 2];
        if (kind(axis, other) != FaceKind::Liquid) continue;
        const Vec3 at = x + (side % 2 == 0 ? -1 : 1) * grid().cell_size() * Vec3::Unit(int(side / 2));
        const double outside = volumes_.solid_distance(axis, other);
        const double theta = std::clamp(outside / (outside - inside), kLeastContinuedTheta, 1.0);
        const double sticks = theta / (theta + slip); // 1 of liquid that does not slip
        sum += (1 - sticks) * (u[axis][own] - u_wall) -
               sticks * (u[axis][other] - in_.solids->velocity(at, body)[int(axis)]) * (1 - theta) / theta;
        ++n;
    }
    return n > 0 ? u_wall + sum / n : u[axis][own];
}

void ViscosityOperator::extend_through_walls(FaceField& u) const
{
    if (!has_held_) return;
    // Only liquid faces are read and only held ones written.
    parallel_for(grid().n_tiles(), "extend through walls", [&](std::int64_t t) {
        if (volumes_.has_held[std::size_t(t)] == 0) return;
        for (int c = 0; c < kTileCells; ++c)
            for (std::size_t a = 0; a < 3; ++a) {
                const auto n = std::size_t(t * kTileCells + c);
                if (kind(a, n) == FaceKind::Held)
                    u[a][n] = continued_velocity(int(t), {c % 8, c / 8 % 8, c / 64}, a, u);
            }
    });
}

} // namespace rivulet
