#pragma once

#include "base/rng.h"
#include "fluid/poisson.h"
#include "fluid/poisson_operator.h"

#include <Eigen/Dense>

#include <span>
#include <vector>

namespace rivulet {

/// A system on a box of tiles whose unknowns, coefficients and diagonal a test sets cell by cell.
struct Problem {
    TileGrid grid;
    std::vector<std::uint8_t> unknown;
    std::array<std::vector<double>, 3> coefficient;
    std::vector<double> diagonal, b, x;

    explicit Problem(std::vector<Vec3i> tiles) : grid(Vec3::Zero(), 1.0, std::move(tiles))
    {
        unknown.assign(grid.field_size(), 0);
        for (auto& c : coefficient) c.assign(grid.field_size(), 0);
        for (auto* field : {&diagonal, &b, &x}) field->assign(grid.field_size(), 0);
    }
    [[nodiscard]] PoissonSystem system() const
    {
        return {&grid, unknown, {coefficient[0], coefficient[1], coefficient[2]}, diagonal};
    }
    /// body(cell coordinates, field index) for every cell.
    template <class Body>
    void for_cells(Body&& body)
    {
        for (int t = 0; t < grid.n_tiles(); ++t)
            for (int c = 0; c < kTileCells; ++c)
                body(Vec3i(8 * grid.tile(t) + Vec3i(c % 8, c / 8 % 8, c / 64)), std::size_t(t) * kTileCells + c);
    }
    /// Unknowns in lower <= cell < upper with unit coefficients on all their lower faces.
    void fill_box(const Vec3i& lower, const Vec3i& upper)
    {
        for_cells([&](const Vec3i& cell, std::size_t n) {
            if ((cell.array() < lower.array()).any() || (cell.array() >= upper.array()).any()) return;
            unknown[n] = 1;
            for (auto& c : coefficient) c[n] = 1;
        });
    }
    /// An irregular set of unknowns with random coefficients; a few faces closed, a few diagonals.
    void randomise(double share)
    {
        for_cells([&](const Vec3i&, std::size_t n) {
            unknown[n] = random_unit(1, 0, n) < share ? 1 : 0;
            for (int a = 0; a < 3; ++a) coefficient[a][n] = random_unit(2, a, n) < 0.1 ? 0 : 0.1 + random_unit(3, a, n);
            diagonal[n] = random_unit(4, 0, n) < 0.05 ? 3 * random_unit(5, 0, n) : 0;
            b[n] = random_unit(6, 0, n) - 0.5;
        });
    }
    /// Many faces nearly closed, by up to three orders, and surfaces very close to a few cells.
    void make_slivers()
    {
        for_cells([&](const Vec3i&, std::size_t n) {
            for (int a = 0; a < 3; ++a)
                if (random_unit(8, a, n) < 0.3) coefficient[a][n] *= std::pow(10, -3 * random_unit(9, a, n));
            if (random_unit(10, 0, n) < 0.1) diagonal[n] += 100 * random_unit(11, 0, n);
        });
    }
    PoissonResult solve(double tolerance, int max_iterations = 100)
    {
        PoissonSolver solver;
        return solver.solve(system(), b, x, tolerance, max_iterations);
    }
    [[nodiscard]] std::vector<std::size_t> unknowns() const
    {
        std::vector<std::size_t> list;
        for (std::size_t n = 0; n < unknown.size(); ++n)
            if (unknown[n] != 0) list.push_back(n);
        return list;
    }
};

/// The matrix of a problem, straight from the definition in poisson.h.
inline Eigen::MatrixXd dense_matrix(Problem& problem)
{
    const std::vector<std::size_t> cells = problem.unknowns();
    std::vector<int> number(problem.unknown.size(), -1);
    for (std::size_t i = 0; i < cells.size(); ++i) number[cells[i]] = static_cast<int>(i);
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(static_cast<int>(cells.size()), static_cast<int>(cells.size()));
    for (int t = 0; t < problem.grid.n_tiles(); ++t)
        for (int c = 0; c < kTileCells; ++c) {
            const Vec3i at(c % 8, c / 8 % 8, c / 64);
            const std::size_t n = problem.grid.index(t, at.x(), at.y(), at.z());
            const int i = number[n];
            if (i < 0) continue;
            a(i, i) += problem.diagonal[n];
            for (int axis = 0; axis < 3; ++axis) {
                const Vec3i below = at - Vec3i::Unit(axis);
                const int j = number[problem.grid.index(t, below.x(), below.y(), below.z())];
                if (j < 0) continue;
                const double face = problem.coefficient[axis][n];
                a(i, i) += face;
                a(j, j) += face;
                a(i, j) -= face;
                a(j, i) -= face;
            }
        }
    return a;
}

inline Eigen::VectorXd values_of(const Problem& problem, const std::vector<double>& field)
{
    const std::vector<std::size_t> cells = problem.unknowns();
    Eigen::VectorXd v(static_cast<int>(cells.size()));
    for (int i = 0; i < v.size(); ++i) v[i] = field[cells[std::size_t(i)]];
    return v;
}

inline double dot(std::span<const double> a, std::span<const double> b)
{
    double sum = 0;
    for (std::size_t n = 0; n < a.size(); ++n) sum += a[n] * b[n];
    return sum;
}

/// Random values on the unknowns of an operator's tiles.
inline std::vector<double> random_field(const PoissonOperator& a, std::uint64_t seed)
{
    std::vector<double> v(a.diagonal().size(), 0.0);
    for (std::size_t n = 0; n < v.size(); ++n)
        if (a.diagonal()[n] > 0) v[n] = random_unit(seed, 0, n) - 0.5;
    return v;
}

} // namespace rivulet
