#pragma once

#include "fluid/poisson.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace rivulet {

/// A pressure problem as a liquid step makes it: a closed box of n^3 cells, filled to about a third under a wavy
/// surface (ghost fluid: the surface lies between cell centres), around a solid sphere (cut faces). The right side is
/// the divergence of a smooth velocity that does not respect the walls.
struct PressureProblem {
    TileGrid grid;
    std::vector<std::uint8_t> unknown;
    std::array<std::vector<double>, 3> coefficient;
    std::vector<double> diagonal;
    std::vector<double> b;
    double density_ratio = 1; ///< coefficients are divided by this where x > 1/2: a second liquid

    explicit PressureProblem(int n, double ratio = 1);

    [[nodiscard]] PoissonSystem system() const
    {
        return {&grid, unknown, {coefficient[0], coefficient[1], coefficient[2]}, diagonal};
    }
    [[nodiscard]] double largest_b() const
    {
        double largest = 0;
        for (std::size_t c = 0; c < b.size(); ++c) largest = std::max(largest, std::abs(b[c]));
        return largest;
    }

    /// Signed distance to the liquid surface (negative inside) and to the sphere (negative in the solid).
    [[nodiscard]] static double surface(const Vec3& p)
    {
        using std::numbers::pi;
        return p.z() - 0.32 - 0.04 * std::sin(2 * pi * p.x()) * std::cos(2 * pi * p.y());
    }
    [[nodiscard]] static double sphere(const Vec3& p) { return (p - Vec3(0.5, 0.45, 0.22)).norm() - 0.17; }
    [[nodiscard]] static double velocity(int axis, const Vec3& p)
    {
        return axis == 2 ? -1 : (axis == 0 ? p.y() - 0.5 : 0.5 - p.x());
    }

private:
    void set_cell(int n, int t, int i, int j, int k);
};

[[nodiscard]] inline std::vector<Vec3i> box_of_tiles(int nx, int ny, int nz)
{
    std::vector<Vec3i> tiles;
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i) tiles.emplace_back(i, j, k);
    return tiles;
}

inline PressureProblem::PressureProblem(int n, double ratio)
    : grid(Vec3::Zero(), 1.0 / n, box_of_tiles((n + 7) / 8, (n + 7) / 8, (n / 2 + 7) / 8)), density_ratio(ratio)
{
    unknown.assign(grid.field_size(), 0);
    for (auto& c : coefficient) c.assign(grid.field_size(), 0);
    diagonal.assign(grid.field_size(), 0);
    b.assign(grid.field_size(), 0);
    for (int t = 0; t < grid.n_tiles(); ++t)
        for (int c = 0; c < kTileCells; ++c) set_cell(n, t, c % 8, c / 8 % 8, c / 64);
}

inline void PressureProblem::set_cell(int n, int t, int i, int j, int k)
{
    const Vec3i cell = 8 * grid.tile(t) + Vec3i(i, j, k);
    if (cell.maxCoeff() >= n) return;
    const double h = grid.cell_size();
    const Vec3 centre = grid.cell_centre(t, i, j, k);
    const std::size_t c = grid.index(t, i, j, k);
    const double inside = surface(centre);
    const auto open = [&](const Vec3& face) {
        const double fraction = std::clamp(0.5 + sphere(face) / h, 0.0, 1.0);
        return fraction < 0.01 ? 0.0 : fraction;
    };
    double total = 0;
    for (int a = 0; a < 3; ++a)
        for (int side = -1; side <= 1; side += 2) {
            const Vec3 face = centre + 0.5 * side * h * Vec3::Unit(a), across = centre + side * h * Vec3::Unit(a);
            const bool wall = cell[a] + side < 0 || cell[a] + side >= n;
            const double area = wall ? 0 : open(face);
            const double weight = face.x() > 0.5 ? area / density_ratio : area;
            total += area;
            if (side < 0) coefficient[a][c] = weight;
            if (inside >= 0) continue;
            b[c] -= side * area * velocity(a, face);
            const double outside = surface(across);
            if (outside >= 0) diagonal[c] += weight / std::max(0.01, inside / (inside - outside));
        }
    unknown[c] = inside < 0 && total > 0 ? 1 : 0;
    if (unknown[c] == 0) diagonal[c] = b[c] = 0;
}

} // namespace rivulet
