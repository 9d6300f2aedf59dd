#include "fluid/poisson.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "fluid/poisson_multigrid.h"
#include "fluid/poisson_operator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rivulet {
namespace {
constexpr double kHuge = std::numeric_limits<double>::max();
} // namespace

struct PoissonSolver::Impl {
    PoissonOperator a;
    PoissonMultigrid multigrid;
    PoissonComponents components;
    AlignedVector<double> r, p, q;
    std::vector<double> partial;
    std::vector<std::int32_t> identity;
    std::span<double> x;
    double r_max = 0;   ///< largest |r|
    double r_scale = 1; ///< r is divided by this for the float cycle, z multiplied

    void build(const PoissonSystem& system);
    void clear_outside(const PoissonSystem& system) const;
    void true_residual(std::span<const double> b);
    void scale_residual();
    double precondition();
    void new_direction(double beta);
    void advance(double alpha);
    void solve(std::span<const double> b, double tolerance, int max_iterations, PoissonResult& result);
    bool conjugate_gradients(double tolerance, int max_iterations, int& iterations);

    template <class Body>
    void for_tiles(const char* name, Body&& body)
    {
        parallel_for(
            a.n_tiles(), name, [&](std::int64_t t) { body(std::size_t(t)); }, kTileGrain);
    }
    [[nodiscard]] double* x_tile(std::size_t t) const { return &x[std::size_t(a.grid_tiles()[t]) * kTileCells]; }
    [[nodiscard]] double largest_partial() const { return partial.empty() ? 0 : *std::ranges::max_element(partial); }
    [[nodiscard]] std::size_t bytes() const noexcept;
};

void PoissonSolver::Impl::build(const PoissonSystem& system)
{
    a.build(system, multigrid.finest());
    if (!a.is_valid()) return;
    multigrid.build();
    components.find(a.connections(), multigrid.finest().neighbours);
    const std::size_t size = (std::size_t(a.n_tiles()) + 1) * kTileCells;
    for (AlignedVector<double>* field : {&r, &p, &q}) {
        field->resize(size);
        std::fill(field->end() - kTileCells, field->end(), 0.0);
    }
    partial.resize(a.n_tiles());
    identity.resize(a.n_tiles());
    std::iota(identity.begin(), identity.end(), 0);
}

void PoissonSolver::Impl::clear_outside(const PoissonSystem& system) const
{
    parallel_for(
        static_cast<std::int64_t>(x.size()) / kTileCells, "poisson clear",
        [&](std::int64_t t) {
            for (std::size_t n = t * kTileCells; n < std::size_t(t + 1) * kTileCells; ++n)
                x[n] = system.unknown[n] != 0 ? x[n] : 0.0;
        },
        kTileGrain);
}

/// r = b - A x without its mean on singular components; r_max.
void PoissonSolver::Impl::true_residual(std::span<const double> b)
{
    a.residual(x, b, r);
    components.remove_mean(r, identity);
    for_tiles("poisson residual", [&](std::size_t t) {
        const double* r_of = &r[t * kTileCells];
        std::array<double, kTileEdge> largest{};
        for (int c = 0; c < kTileCells; c += kTileEdge)
            for (int i = 0; i < kTileEdge; ++i) {
                const double size = std::abs(r_of[c + i]), known = size <= kHuge ? size : INFINITY; // no NaN
                largest[i] = known > largest[i] ? known : largest[i];
            }
        partial[t] = *std::max_element(largest.begin(), largest.end());
    });
    r_max = largest_partial();
}

/// The right side of the float cycle: r scaled to the range of float.
void PoissonSolver::Impl::scale_residual()
{
    PoissonLevel& finest = multigrid.finest();
    r_scale = std::exp2(std::ilogb(r_max));
    const double inverse = 1 / r_scale;
    for_tiles("poisson scale", [&](std::size_t t) {
        TileValues scaled;
        for (int n = 0; n < kTileCells; ++n) scaled[n] = static_cast<float>(r[t * kTileCells + n] * inverse);
        to_level(scaled, &finest.b[t * kTileCells]);
    });
}

/// z = M r in the finest level's x; returns r . z.
double PoissonSolver::Impl::precondition()
{
    const PoissonLevel& finest = multigrid.finest();
    multigrid.apply();
    for_tiles("poisson dot", [&](std::size_t t) {
        const double* r_of = &r[t * kTileCells];
        TileValues z_of;
        to_cells(&finest.x[t * kTileCells], z_of);
        std::array<double, kTileEdge> sum{};
        for (int c = 0; c < kTileCells; c += kTileEdge)
            for (int i = 0; i < kTileEdge; ++i) sum[i] += r_of[c + i] * static_cast<double>(z_of[c + i]);
        partial[t] = std::accumulate(sum.begin(), sum.end(), 0.0);
    });
    return r_scale * std::accumulate(partial.begin(), partial.end(), 0.0);
}

/// p = z + beta p.
void PoissonSolver::Impl::new_direction(double beta)
{
    const PoissonLevel& finest = multigrid.finest();
    const double scale = r_scale;
    for_tiles("poisson direction", [&](std::size_t t) {
        double* __restrict p_of = &p[t * kTileCells];
        TileValues z_of;
        to_cells(&finest.x[t * kTileCells], z_of);
        if (beta == 0) // p may hold anything
            for (int n = 0; n < kTileCells; ++n) p_of[n] = scale * static_cast<double>(z_of[n]);
        else
            for (int n = 0; n < kTileCells; ++n) p_of[n] = scale * static_cast<double>(z_of[n]) + beta * p_of[n];
    });
}

/// x += alpha p, r -= alpha q, also in the scaled copy; r_max.
void PoissonSolver::Impl::advance(double alpha)
{
    PoissonLevel& finest = multigrid.finest();
    const double inverse = 1 / r_scale;
    for_tiles("poisson advance", [&](std::size_t t) {
        double* __restrict x_of = x_tile(t), * __restrict r_of = &r[t * kTileCells];
        const double* __restrict p_of = &p[t * kTileCells], * __restrict q_of = &q[t * kTileCells];
        TileValues b_of;
        std::array<double, kTileEdge> largest{};
        for (int c = 0; c < kTileCells; c += kTileEdge)
            for (int i = 0; i < kTileEdge; ++i) {
                const int n = c + i;
                x_of[n] += alpha * p_of[n];
                const double left = r_of[n] - alpha * q_of[n], size = std::abs(left);
                r_of[n] = left;
                b_of[n] = static_cast<float>(left * inverse);
                largest[i] = size > largest[i] ? size : largest[i];
            }
        to_level(b_of, &finest.b[t * kTileCells]);
        partial[t] = *std::max_element(largest.begin(), largest.end());
    });
    r_max = largest_partial();
}

/// Iterates from r until r_max <= tolerance; false where the recursion breaks down.
bool PoissonSolver::Impl::conjugate_gradients(double tolerance, int max_iterations, int& iterations)
{
    if (r_max > tolerance) scale_residual();
    double rz_last = 0;
    while (r_max > tolerance && iterations < max_iterations) {
        const double rz = precondition();
        if (!(rz > 0) || !std::isfinite(rz)) return false;
        new_direction(rz_last > 0 ? rz / rz_last : 0);
        rz_last = rz;
        const double curvature = a.apply(p, q);
        const double alpha = rz / curvature;
        if (!(curvature > 0) || !std::isfinite(alpha)) return false;
        advance(alpha);
        ++iterations;
    }
    return true;
}

void PoissonSolver::Impl::solve(std::span<const double> b, double tolerance, int max_iterations, PoissonResult& result)
{
    if (a.is_valid()) true_residual(b);
    if (!a.is_valid() || !std::isfinite(r_max)) { // a bad guess, or bad input
        std::fill(x.begin(), x.end(), 0.0);
        if (a.is_valid()) true_residual(b);
        result.residual = a.is_valid() ? r_max : INFINITY;
        if (!std::isfinite(result.residual)) return;
    }
    // The recursion drifts from the true residual: where they differ, start again from the true one as long as that
    // still gains something.
    for (double last = INFINITY; r_max > tolerance && result.iterations < max_iterations && r_max < 0.5 * last;) {
        last = r_max;
        const bool sound = conjugate_gradients(tolerance, max_iterations, result.iterations);
        true_residual(b);
        if (!sound) break;
    }
    if (components.n_singular() > 0) {
        components.remove_mean(x, a.grid_tiles());
        true_residual(b);
    }
    if (!std::isfinite(r_max)) std::fill(x.begin(), x.end(), 0.0);
    result.residual = r_max;
    result.converged = r_max <= tolerance;
}

std::size_t PoissonSolver::Impl::bytes() const noexcept
{
    return a.bytes() + multigrid.bytes() + components.bytes() +
           (r.capacity() + p.capacity() + q.capacity() + partial.capacity()) * sizeof(double) +
           identity.capacity() * sizeof(std::int32_t);
}

PoissonSolver::PoissonSolver() : impl_(std::make_unique<Impl>()) {}
PoissonSolver::~PoissonSolver() = default;
PoissonSolver::PoissonSolver(PoissonSolver&&) noexcept = default;
PoissonSolver& PoissonSolver::operator=(PoissonSolver&&) noexcept = default;

int PoissonSolver::n_pockets() const noexcept { return impl_->components.n_singular(); }

void PoissonSolver::for_pocket_cells(const std::function<void(std::size_t, std::size_t)>& visit) const
{
    impl_->components.for_singular(impl_->a.grid_tiles(), visit);
}

PoissonResult PoissonSolver::solve(const PoissonSystem& system, std::span<const double> b, std::span<double> x,
                                   double tolerance, int max_iterations)
{
    RIVULET_VERIFY(system.grid != nullptr);
    impl_->build(system);
    return solve_again(system, b, x, tolerance, max_iterations);
}

PoissonResult PoissonSolver::solve_again(const PoissonSystem& system, std::span<const double> b, std::span<double> x,
                                         double tolerance, int max_iterations)
{
    RIVULET_VERIFY(system.grid != nullptr && b.size() == system.grid->field_size() && x.size() == b.size());
    impl_->x = x;
    impl_->clear_outside(system);
    PoissonResult result;
    result.n_unknowns = static_cast<int>(impl_->a.n_unknowns());
    result.n_singular_components = impl_->a.is_valid() ? impl_->components.n_singular() : 0;
    impl_->solve(b, tolerance, max_iterations, result);
    return result;
}

std::size_t PoissonSolver::bytes() const noexcept { return impl_->bytes(); }

} // namespace rivulet
