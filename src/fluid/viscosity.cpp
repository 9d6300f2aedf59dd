#include "fluid/viscosity.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "fluid/viscosity_operator.h"
#include "fluid/viscosity_preconditioner.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace rivulet {
namespace {

constexpr std::int64_t kVectorGrain = 4;
/// Layers of faces around the liquid that follow it.
constexpr int kFollowingLayers = 2;
/// Iterations in which the recursion cannot drift from the true residual by more than rounding.
constexpr int kFewIterations = 10;

/// Whether a face of a row may have to be filled (0) that has a known one (1) beside it.
bool may_follow(const TileGrid& grid, int t, int j, int k, const std::vector<std::uint8_t>& known)
{
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    const auto row = [&](int y, int z) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, &known[grid.index(t, 0, y, z)], sizeof eight);
        return eight;
    };
    const std::uint64_t own = row(j, k);
    if (((own | own >> 1) & kOnes) == kOnes) return false;
    const std::uint64_t around = own | row(j - 1, k) | row(j + 1, k) | row(j, k - 1) | row(j, k + 1);
    return (around & kOnes) != 0 || known[grid.index(t, -1, j, k)] == 1 || known[grid.index(t, 8, j, k)] == 1;
}

/// Gives each face whose change is to be filled (known = 0) the mean change of the faces beside it that have one (1).
void follow_in_tile(const TileGrid& grid, int t, const std::vector<std::uint8_t>& known,
                    std::vector<std::uint8_t>& next, std::vector<double>& change)
{
    for (int c = 0; c < kTileCells; ++c) {
        if (c % kTileEdge == 0 && !may_follow(grid, t, c / 8 % 8, c / 64, known)) {
            c += kTileEdge - 1;
            continue;
        }
        const auto face = std::size_t(t * kTileCells + c);
        if (known[face] != 0) continue;
        double sum = 0;
        int n = 0;
        for (int side = 0; side < 6; ++side) {
            const Vec3i e = (side % 2 == 0 ? -1 : 1) * Vec3i::Unit(side / 2);
            const std::size_t other = grid.index(t, c % 8 + e.x(), c / 8 % 8 + e.y(), c / 64 + e.z());
            if (known[other] != 1) continue;
            sum += change[other];
            ++n;
        }
        if (n == 0) continue;
        change[face] = sum / n;
        next[face] = 1;
    }
}

} // namespace

struct ViscositySolver::Impl {
    ViscosityOperator a;
    ViscosityPreconditioner preconditioner;
    FaceField x, change; ///< the guess, and the solution without it; zero outside of the liquid faces, as all here
    FaceField r, p;
    FaceField q;                          ///< A p, then the preconditioned residual z: never both at once
    std::vector<std::int32_t> near_tiles; ///< see tiles_around_liquid
    std::vector<ViscousLoad> loads;

    void prepare(const FaceField& velocity);
    void true_residual();
    bool conjugate_gradients(double tolerance, int max_iterations, ViscosityResult& result);
    void solve(double tolerance, int max_iterations, ViscosityResult& result);
    void mend_free_momentum();
    void store(FaceField& velocity);
    [[nodiscard]] std::vector<std::int32_t> tiles_around_liquid() const;
    void extend_change(std::size_t axis);

    template <class Body>
    void for_faces_of(int t, Body&& body)
    {
        const std::size_t begin = std::size_t(t) * kTileCells;
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (std::size_t n = begin; n < begin + kTileCells; ++n) body(axis, n);
    }
    template <class Body>
    void for_faces(const char* name, Body&& body)
    {
        parallel_for(
            std::int64_t(a.tiles().size()), name,
            [&](std::int64_t t) { for_faces_of(a.tiles()[std::size_t(t)], body); }, kVectorGrain);
    }
};

/// The guess is the velocity as it is; the system is solved for the change, (M + K) change = M push - K u.
void ViscositySolver::Impl::prepare(const FaceField& velocity)
{
    for (FaceField* field : {&x, &change, &r, &p, &q})
        for (auto& f : *field) f.resize(a.grid().field_size());
    for (auto& f : p) std::fill(f.end() - kTileCells, f.end(), 0.0);
    near_tiles = tiles_around_liquid();
    parallel_for(
        std::int64_t(near_tiles.size()), "viscous start",
        [&](std::int64_t t) { // those around the system follow it, and are read beside it
            for_faces_of(near_tiles[std::size_t(t)],
                         [&](std::size_t axis, std::size_t n) { change[axis][n] = p[axis][n] = 0; });
        },
        kVectorGrain);
    for_faces("viscous guess", [&](std::size_t axis, std::size_t n) {
        x[axis][n] = a.kind(axis, n) == FaceKind::Liquid ? velocity[axis][n] : 0;
    });
    true_residual();
}

/// r = M (push - change) - K (x + change). Leaves p at zero.
void ViscositySolver::Impl::true_residual()
{
    for_faces("viscous residual", [&](std::size_t axis, std::size_t n) { p[axis][n] = x[axis][n] + change[axis][n]; });
    a.apply_stress(p, q, [&](int t) {
        for_faces_of(t, [&](std::size_t axis, std::size_t n) {
            const auto& push = a.input().push[axis];
            const double ahead = change[axis][n] - (push.empty() ? 0 : push[n]);
            r[axis][n] = -(a.mass()[axis][n] * ahead + q[axis][n]);
            p[axis][n] = 0;
        });
    });
}

/// Iterates from r until the estimated error is below the tolerance; false where the recursion breaks down.
bool ViscositySolver::Impl::conjugate_gradients(double tolerance, int max_iterations, ViscosityResult& result)
{
    double rz_last = 0, alpha = 0;
    const auto advance = [&](int t) {
        if (alpha == 0) return;
        for_faces_of(t, [&](std::size_t axis, std::size_t n) {
            change[axis][n] += alpha * p[axis][n];
            r[axis][n] -= alpha * q[axis][n];
        });
    };
    while (true) {
        const auto [rz, largest] = preconditioner.apply(a, r, q, advance);
        result.error = largest;
        if (!std::isfinite(rz) || !std::isfinite(largest)) return false;
        if (largest <= tolerance || result.iterations >= max_iterations) return true;
        if (!(rz > 0)) return false;
        const double beta = rz_last > 0 ? rz / rz_last : 0;
        rz_last = rz;
        for_faces("viscous direction",
                  [&](std::size_t axis, std::size_t n) { p[axis][n] = q[axis][n] + beta * p[axis][n]; });
        const double curvature = a.apply(p, q);
        alpha = rz / curvature;
        if (!(curvature > 0) || !std::isfinite(alpha)) return false;
        ++result.iterations;
    }
}

void ViscositySolver::Impl::solve(double tolerance, int max_iterations, ViscosityResult& result)
{
    // The recursion drifts from the true residual: start again from the true one as long as that still gains something.
    for (double last = INFINITY;; last = result.error) {
        const int before = result.iterations;
        if (!conjugate_gradients(tolerance, max_iterations, result)) return;
        if (result.iterations == before || result.iterations <= kFewIterations) break;
        true_residual();
        result.error = preconditioner.apply(a, r, q).largest;
        if (result.error <= tolerance || result.iterations >= max_iterations || !(result.error < 0.5 * last)) break;
    }
    result.converged = result.error <= tolerance;
}

/// The tiles of the system, all that touch them, and all others with liquid.
std::vector<std::int32_t> ViscositySolver::Impl::tiles_around_liquid() const
{
    const TileGrid& grid = a.grid();
    std::vector<std::uint8_t> is_near = a.volumes().is_wet;
    for (const std::int32_t t : a.tiles())
        for (int n = 0; n < 27; ++n) is_near[std::size_t(grid.neighbour(t, n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1))] = 1;
    std::vector<std::int32_t> tiles;
    for (std::int32_t t = 0; t < grid.n_tiles(); ++t)
        if (is_near[std::size_t(t)] != 0) tiles.push_back(t);
    return tiles;
}

/// Carries the change of the liquid faces to empty ones around them.
void ViscositySolver::Impl::extend_change(std::size_t axis)
{
    // 0 = to be filled, 1 = known, 2 = never
    std::vector<std::uint8_t> known(a.grid().field_size(), 2), next;
    const auto for_tiles = [&](auto&& body) {
        parallel_for(
            std::int64_t(near_tiles.size()), "viscous change",
            [&](std::int64_t t) { body(near_tiles[std::size_t(t)]); }, kVectorGrain);
    };
    for_tiles([&](std::int32_t t) {
        for (std::size_t n = std::size_t(t) * kTileCells; n < std::size_t(t + 1) * kTileCells; ++n) {
            const FaceKind kind = a.kind(axis, n);
            const bool follows = kind == FaceKind::Empty && !a.input().is_free(std::size_t(t));
            known[n] = kind == FaceKind::Liquid ? 1 : (follows ? 0 : 2);
        }
    });
    for (int layer = 0; layer < kFollowingLayers; ++layer) {
        next = known;
        for_tiles([&](std::int32_t t) { follow_in_tile(a.grid(), t, known, next, change[axis]); });
        known.swap(next);
    }
}

/// A last step of the solver in the direction of uniform motion of all free liquid, which has no stress: then nothing
/// is left of the residual's sum.
void ViscositySolver::Impl::mend_free_momentum()
{
    true_residual();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double residual = 0, mass = 0;
        for (const std::int32_t t : a.tiles())
            for (std::size_t n = std::size_t(t) * kTileCells; n < std::size_t(t + 1) * kTileCells; ++n) {
                if (!a.input().is_free(std::size_t(t)) || a.kind(axis, n) != FaceKind::Liquid) continue;
                residual += r[axis][n];
                mass += a.mass()[axis][n];
            }
        if (!(mass > 0)) continue;
        for (const std::int32_t t : a.tiles())
            for (std::size_t n = std::size_t(t) * kTileCells; n < std::size_t(t + 1) * kTileCells; ++n)
                if (a.input().is_free(std::size_t(t)) && a.kind(axis, n) == FaceKind::Liquid)
                    change[axis][n] += residual / mass;
    }
}

void ViscositySolver::Impl::store(FaceField& velocity)
{
    for (std::size_t axis = 0; axis < 3; ++axis) extend_change(axis);
    parallel_for(std::int64_t(near_tiles.size()), "viscous store", [&](std::int64_t t) {
        for_faces_of(near_tiles[std::size_t(t)], [&](std::size_t axis, std::size_t n) {
            if (a.kind(axis, n) == FaceKind::Held)
                velocity[axis][n] = a.velocity_at_wall(axis, n, x);
            else
                velocity[axis][n] += change[axis][n];
        });
    });
}

ViscositySolver::ViscositySolver() : impl_(std::make_unique<Impl>()) {}
ViscositySolver::~ViscositySolver() = default;
ViscositySolver::ViscositySolver(ViscositySolver&&) noexcept = default;
ViscositySolver& ViscositySolver::operator=(ViscositySolver&&) noexcept = default;

ViscosityResult ViscositySolver::solve(const ViscosityInput& input, FaceField& velocity, double tolerance,
                                       int max_iterations)
{
    RIVULET_VERIFY(input.grid != nullptr && input.solids != nullptr && input.solid_fields != nullptr);
    RIVULET_VERIFY(input.liquid_distance.size() == input.grid->field_size() && input.dt > 0);
    for (const auto& v : velocity) RIVULET_VERIFY(v.size() == input.grid->field_size());
    Impl& s = *impl_;
    ViscosityResult result;
    s.a.build(input);
    result.n_unknowns = s.a.n_unknowns();
    s.preconditioner.build(s.a);
    s.prepare(velocity);
    s.solve(tolerance, max_iterations, result);
    s.loads.assign(input.solids->bodies.size(), {});
    if (!result.converged) return result;
    if (!input.free_tiles.empty()) s.mend_free_momentum();
    s.for_faces("viscous result", [&](std::size_t axis, std::size_t n) { s.x[axis][n] += s.change[axis][n]; });
    s.loads = s.a.loads(s.x);
    s.store(velocity);
    return result;
}

void ViscositySolver::extend_through_walls(FaceField& velocity) const { impl_->a.extend_through_walls(velocity); }

double ViscositySolver::moving_part(std::size_t axis, std::size_t face) const noexcept
{
    return impl_->a.kind(axis, face) == FaceKind::Liquid ? impl_->a.volumes().face[axis][face] : 0;
}

double ViscositySolver::held_part(std::size_t axis, std::size_t face) const noexcept
{
    return impl_->a.kind(axis, face) == FaceKind::Liquid ? 0 : impl_->a.volumes().face[axis][face];
}

bool ViscositySolver::moves_all(std::size_t cell) const noexcept
{
    const ControlVolumes& v = impl_->a.volumes();
    bool all = true;
    for (std::size_t a = 0; a < 3; ++a) all = all & (v.kind[a][cell] == FaceKind::Liquid && v.face[a][cell] == 1);
    return all;
}

const std::vector<ViscousLoad>& ViscositySolver::loads() const noexcept { return impl_->loads; }

std::size_t ViscositySolver::bytes() const noexcept
{
    std::size_t n = impl_->a.bytes() + impl_->preconditioner.bytes();
    for (const FaceField* field : {&impl_->x, &impl_->change, &impl_->r, &impl_->p, &impl_->q})
        for (const auto& f : *field) n += f.capacity() * sizeof(double);
    return n;
}

} // namespace rivulet
