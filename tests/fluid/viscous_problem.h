#pragma once

#include "base/rng.h"
#include "fluid/viscosity_operator.h"
#include "geometry/shapes.h"

#include <cmath>
#include <functional>
#include <numbers>

namespace rivulet {

/// Liquid and solids on a box of tiles, and a velocity on its faces.
struct ViscousProblem {
    TileGrid grid;
    std::vector<ShapePtr> shapes;
    std::vector<SolidBody> bodies;
    Solids solids;
    SolidFields fields;
    std::vector<double> distance;
    FaceField velocity;
    ViscosityInput input;

    /// Tiles from `lower` to below `upper` (in tiles) of cells of this size.
    ViscousProblem(const Vec3i& lower, const Vec3i& upper, double dx)
    {
        std::vector<Vec3i> tiles;
        for (int k = lower.z(); k < upper.z(); ++k)
            for (int j = lower.y(); j < upper.y(); ++j)
                for (int i = lower.x(); i < upper.x(); ++i) tiles.emplace_back(i, j, k);
        grid = TileGrid(Vec3::Zero(), dx, std::move(tiles));
        for (auto& v : velocity) v.assign(grid.field_size(), 0);
    }
    ViscousProblem(const ViscousProblem&) = delete;
    ViscousProblem& operator=(const ViscousProblem&) = delete;

    void add_body(ShapePtr shape, const Twist& twist, double friction = 1, const Vec3& position = Vec3::Zero())
    {
        bodies.push_back({shape.get(), {position, Quat::Identity()}, twist, friction});
        shapes.push_back(std::move(shape));
    }
    /// Signed distance to the liquid, and everything that follows from it; `number` = mu dt / (density dx^2).
    void finish(const std::function<double(const Vec3&)>& liquid, double number)
    {
        solids.bodies = bodies;
        solids.box = {Vec3::Constant(-1e3), Vec3::Constant(1e3)};
        rasterize_solids(grid, solids, fields);
        distance.assign(grid.field_size(), grid.cell_size());
        for_cells([&](int t, const Vec3i& cell, std::size_t n) {
            distance[n] = std::clamp(liquid(grid.cell_centre(t, cell.x(), cell.y(), cell.z())), -grid.cell_size(),
                                     grid.cell_size());
        });
        input.grid = &grid;
        input.solids = &solids;
        input.solid_fields = &fields;
        input.liquid_distance = distance;
        input.uniform_density = 1200;
        input.dt = 0.01;
        input.uniform_viscosity = number * input.uniform_density * grid.cell_size() * grid.cell_size() / input.dt;
    }
    template <class Body>
    void for_cells(Body&& body) const
    {
        for (int t = 0; t < grid.n_tiles(); ++t)
            for (int c = 0; c < kTileCells; ++c)
                body(t, Vec3i(c % 8, c / 8 % 8, c / 64), std::size_t(t * kTileCells + c));
    }
    /// body(axis, flat index, position) for all faces.
    template <class Body>
    void for_faces(Body&& body) const
    {
        for_cells([&](int t, const Vec3i& cell, std::size_t n) {
            for (int a = 0; a < 3; ++a) {
                Vec3 x = cell.cast<double>() + Vec3::Constant(0.5);
                x[a] -= 0.5;
                body(std::size_t(a), n, grid.node(t, x.x(), x.y(), x.z()));
            }
        });
    }
    void set_velocity(const std::function<Vec3(const Vec3&)>& u)
    {
        for_faces([&](std::size_t a, std::size_t n, const Vec3& x) { velocity[a][n] = u(x)[int(a)]; });
    }
    void randomise_velocity(std::uint64_t seed)
    {
        for_faces([&](std::size_t a, std::size_t n, const Vec3&) { velocity[a][n] = random_unit(seed, a, n) - 0.5; });
    }
    ViscosityResult solve(double tolerance, int max_iterations = 500)
    {
        ViscositySolver solver;
        return solver.solve(input, velocity, tolerance, max_iterations);
    }
    /// Largest |velocity - u| over liquid faces for which `where` holds.
    [[nodiscard]] double error(
        const std::function<Vec3(const Vec3&)>& u,
        const std::function<bool(const Vec3&)>& where = [](const Vec3&) { return true; }) const
    {
        ViscosityOperator op;
        op.build(input);
        double largest = 0;
        for_faces([&](std::size_t a, std::size_t n, const Vec3& x) {
            if (op.kind(a, n) == FaceKind::Liquid && where(x))
                largest = std::max(largest, std::abs(velocity[a][n] - u(x)[int(a)]));
        });
        return largest;
    }
};

/// A lumpy blob around (0.5, 0.5, 0.5) of a grid of 32^3 cells.
inline double blob(const Vec3& x)
{
    return (x - Vec3::Constant(0.5)).norm() - 0.27 - 0.05 * std::sin(9 * x.x()) * std::cos(13 * x.y() + 5 * x.z());
}

} // namespace rivulet
