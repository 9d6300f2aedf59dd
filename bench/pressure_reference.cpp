#include "pressure_reference.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

double largest(const std::vector<double>& v)
{
    double value = 0;
    for (const double entry : v) value = std::max(value, std::abs(entry));
    return value;
}

} // namespace

ReferenceSolver::ReferenceSolver(const PoissonSystem& system)
{
    const TileGrid& grid = *system.grid;
    std::vector<std::pair<std::array<int, 3>, std::pair<int, int>>> order; // cells in the order z, y, x
    for (int t = 0; t < grid.n_tiles(); ++t)
        for (int c = 0; c < kTileCells; ++c)
            if (system.unknown[std::size_t(t) * kTileCells + c] != 0) {
                const Vec3i cell = kTileEdge * grid.tile(t) + Vec3i(c % 8, c / 8 % 8, c / 64);
                order.push_back({{cell.z(), cell.y(), cell.x()}, {t, c}});
            }
    std::sort(order.begin(), order.end());
    std::vector<std::int32_t> number(grid.field_size(), -1);
    for (const auto& [at, place] : order) {
        number[std::size_t(place.first) * kTileCells + place.second] = static_cast<std::int32_t>(cells_.size());
        cells_.push_back(std::size_t(place.first) * kTileCells + place.second);
    }
    rows_.resize(cells_.size());
    for (std::size_t i = 0; i < cells_.size(); ++i) {
        const auto [t, c] = order[i].second;
        Row& row = rows_[i];
        row.diagonal = system.diagonal[cells_[i]];
        for (int f = 0; f < 6; ++f) {
            Vec3i at(c % 8, c / 8 % 8, c / 64);
            at[f / 2] += f % 2 == 0 ? -1 : 1;
            const std::size_t across = grid.index(t, at.x(), at.y(), at.z());
            row.neighbour[f] = number[across];
            row.face[f] = number[across] < 0 ? 0 : system.coefficient[f / 2][f % 2 == 0 ? cells_[i] : across];
            row.diagonal += row.face[f];
        }
    }
}

/// Modified incomplete Cholesky without fill [Gustafsson 1978], 3 % of the plain one mixed in for safety.
void ReferenceSolver::factor()
{
    constexpr double kModified = 0.97, kSafety = 0.25;
    factor_.assign(rows_.size(), 0.0);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Row& row = rows_[i];
        double e = row.diagonal;
        for (int f = 0; f < 6; f += 2) {
            if (row.neighbour[f] < 0) continue;
            const Row& lower = rows_[row.neighbour[f]];
            const double d = factor_[row.neighbour[f]], c = row.face[f];
            const double others = lower.face[1] + lower.face[3] + lower.face[5] - lower.face[f + 1];
            e -= c * c * d * d + kModified * c * others * d * d;
        }
        if (e < kSafety * row.diagonal) e = row.diagonal;
        factor_[i] = e > 0 ? 1 / std::sqrt(e) : 0;
    }
}

void ReferenceSolver::precondition(Preconditioner kind)
{
    const std::size_t n = rows_.size();
    if (kind == Preconditioner::Jacobi) {
        for (std::size_t i = 0; i < n; ++i) z_[i] = r_[i] / rows_[i].diagonal;
        return;
    }
    for (std::size_t i = 0; i < n; ++i) {
        double sum = r_[i];
        for (int f = 0; f < 6; f += 2)
            if (const std::int32_t m = rows_[i].neighbour[f]; m >= 0) sum += rows_[i].face[f] * factor_[m] * z_[m];
        z_[i] = sum * factor_[i];
    }
    for (std::size_t i = n; i-- > 0;) {
        double sum = z_[i];
        for (int f = 1; f < 6; f += 2)
            if (const std::int32_t m = rows_[i].neighbour[f]; m >= 0) sum += rows_[i].face[f] * factor_[i] * z_[m];
        z_[i] = sum * factor_[i];
    }
}

/// q = A p; returns p . q.
double ReferenceSolver::apply()
{
    double sum = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Row& row = rows_[i];
        double value = row.diagonal * p_[i];
        for (int f = 0; f < 6; ++f)
            if (row.neighbour[f] >= 0) value -= row.face[f] * p_[row.neighbour[f]];
        q_[i] = value;
        sum += p_[i] * value;
    }
    return sum;
}

PoissonResult ReferenceSolver::solve(std::span<const double> b, std::span<double> x, double tolerance,
                                     int max_iterations, Preconditioner preconditioner)
{
    if (preconditioner == Preconditioner::ModifiedIncompleteCholesky) factor();
    const std::size_t n = cells_.size();
    for (auto* v : {&x_, &r_, &z_, &p_, &q_}) v->assign(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) p_[i] = x_[i] = x[cells_[i]];
    static_cast<void>(apply());
    for (std::size_t i = 0; i < n; ++i) r_[i] = b[cells_[i]] - q_[i];

    PoissonResult result;
    result.n_unknowns = static_cast<int>(n);
    for (double rz_last = 0; largest(r_) > tolerance && result.iterations < max_iterations; ++result.iterations) {
        precondition(preconditioner);
        const double rz = dot(r_, z_), beta = rz_last > 0 ? rz / rz_last : 0;
        for (std::size_t i = 0; i < n; ++i) p_[i] = z_[i] + beta * p_[i];
        const double alpha = rz / apply();
        for (std::size_t i = 0; i < n; ++i) {
            x_[i] += alpha * p_[i];
            r_[i] -= alpha * q_[i];
        }
        rz_last = rz;
    }
    p_ = x_;
    static_cast<void>(apply());
    for (std::size_t i = 0; i < n; ++i) {
        x[cells_[i]] = x_[i];
        result.residual = std::max(result.residual, std::abs(b[cells_[i]] - q_[i]));
    }
    result.converged = result.residual <= 1.01 * tolerance;
    return result;
}

} // namespace rivulet
