#include "fluid/wall_friction.h"

#include "base/parallel.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

using FaceVelocity = std::array<std::vector<double>, 3>;

struct RubbedFace {
    std::size_t axis;
    std::size_t face;
    double velocity;
};

/// Part of its slip that liquid at a face in this distance loses.
double part_lost(double friction, double distance, double dx, bool viscous, double dt)
{
    const double slip_length = kSlipLength * (1 - friction);
    const double slip = viscous ? slip_length / (friction * distance + slip_length) : 1;
    return 1 - std::exp(-friction * slip * kWallSpeed * dt / dx);
}

/// Velocity at a face as a vector, of the known faces around it; what none of them tells is the solid's.
Vec3 known_vector(const TileGrid& grid, const FaceVelocity& velocity,
                  const std::array<std::vector<std::uint8_t>, 3>& known, int t, int axis, const Vec3i& cell,
                  const Vec3& of_solid)
{
    Vec3 u = of_solid;
    for (int b = 0; b < 3; ++b) {
        double sum = 0;
        int found = 0;
        for (int n = 0; n < (b == axis ? 1 : 4); ++n) {
            const Vec3i f = cell + (n & 1) * Vec3i::Unit(b) - (n >> 1) * Vec3i::Unit(axis);
            const std::size_t face = grid.index(t, f.x(), f.y(), f.z());
            if (known[std::size_t(b)][face] == 0) continue;
            sum += velocity[std::size_t(b)][face];
            ++found;
        }
        if (found > 0) u[b] = sum / found;
    }
    return u;
}

} // namespace

void rub_on_solids(const TileGrid& grid, const Solids& solids, const SolidFields& fields,
                   const std::array<std::vector<std::uint8_t>, 3>& known, bool viscous, double dt,
                   FaceVelocity& velocity)
{
    const auto rubs = [&](double friction) { return friction > 0 && !(viscous && friction == 1); };
    if (!rubs(solids.wall_friction) &&
        std::none_of(solids.bodies.begin(), solids.bodies.end(), [&](const SolidBody& b) { return rubs(b.friction); }))
        return;
    const double dx = grid.cell_size();
    std::vector<std::vector<RubbedFace>> rubbed(std::size_t(grid.n_tiles()));
    parallel_for(grid.n_tiles(), "wall friction", [&](std::int64_t nt) {
        if (fields.tiles[std::size_t(nt)] != TileSolidity::Mixed) return;
        const int t = int(nt);
        for (int c = 0; c < kTileCells; ++c)
            for (int a = 0; a < 3; ++a) {
                const auto face = std::size_t(t * kTileCells + c);
                if (known[std::size_t(a)][face] == 0) continue;
                const Vec3i cell(c % 8, c / 8 % 8, c / 64);
                const Vec3 x = grid.face_centre(t, a, cell);
                const auto [distance, body] = solids.nearest(x);
                const double friction = solids.friction(body);
                if (!(distance > 0 && distance <= dx) || !rubs(friction)) continue;
                const Vec3 normal = solids.normal(x, body);
                const Vec3 of_solid = solids.velocity(x, body);
                const Vec3 slip = known_vector(grid, velocity, known, t, a, cell, of_solid) - of_solid;
                const double along = slip[a] - normal.dot(slip) * normal[a];
                const double lost = part_lost(friction, distance, dx, viscous, dt) * along;
                rubbed[std::size_t(t)].push_back({std::size_t(a), face, velocity[std::size_t(a)][face] - lost});
            }
    });
    parallel_for(grid.n_tiles(), "wall friction", [&](std::int64_t t) {
        for (const RubbedFace& f : rubbed[std::size_t(t)]) velocity[f.axis][f.face] = f.velocity;
    });
}

} // namespace rivulet
