#include "strands/strand_batches.h"

#include "base/parallel.h"
#include "strands/loaded_batch.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Newton's steps that a place where forces balance may be away.
constexpr int kStationarySteps = 15;
/// Batches that one task takes after each other, with one set of scratch arrays.
constexpr std::int64_t kBatchesPerTask = 4;

/// Spin that takes `director`, transported from `before` to `after`, to `wanted`.
Lane spin_between(const LaneVec3& director, const LaneVec3& before, const LaneVec3& after, const LaneVec3& wanted)
{
    const LaneVec3 carried = transport(director, before, after);
    return lane_atan2(dot(cross(after, carried), wanted), dot(carried, wanted));
}

class BatchStep : LoadedBatch {
public:
    BatchStep(const StrandModel& model, const StrandState& state, const StrandStep& step, StrandUpdate& update)
        : LoadedBatch(model, state, step), state_(state), step_(step), update_(update)
    {
    }

    void run(const StrandBatch& batch, const StrandGuess* guess, RodMatrix* factors)
    {
        load(batch, inertial_);
        rigid_.resize(n);
        const RodSolution solution = solve(guess, factors);
        gradient_.resize(static_cast<std::size_t>(4 * n - 1));
        potential_gradient(system, inertial_, gradient_.data());
        for (const BatchSeat& seat : seats)
            if (seat.strand >= 0) report(seat, solution);
        if (is_midpoint) go_on_from_midpoint();
        for (const BatchSeat& seat : seats)
            if (seat.strand >= 0) store(seat);
    }

private:
    /// Given displacements and spins of what is held.
    void place_held(RodConfiguration& c) const
    {
        for (std::size_t k = 0; k < c.u.size(); ++k) c.u[k] = select(system.free[k] > 0.0, c.u[k], target[k]);
        for (std::size_t k = 0; k + 1 < c.u.size(); ++k) {
            const LaneMask held = system.free_spin[k] == 0.0;
            if (!any(held)) continue;
            const LaneVec3 edge = system.edge[k] + (c.u[k + 1] - c.u[k]);
            const LaneVec3 tangent = (1.0 / norm(edge)) * edge;
            const Lane spin = spin_between(system.director[k], system.tangent[k], tangent, target_director[k]);
            c.spin[k] = held ? spin : c.spin[k];
        }
    }

    /// Where inertia would take the strand. Not what touches it: the strand's own forces balance that, and without them
    /// it would take vertices of a taut yarn tens of diameters away, from where Newton's steps find their way back,
    /// or to another minimum: another shape, or the same after whole turns of the edges.
    void guess_inertial()
    {
        for (std::size_t k = 0; k < inertial_.u.size(); ++k) {
            inertial_.u[k] = system.predicted[k];
            inertial_.spin[k] = system.predicted_spin[k];
        }
        if (!step_.contact_force.empty())
            for (const BatchSeat& seat : seats)
                for (std::size_t k = 0; k < inertial_.u.size(); ++k) {
                    const double response = system.h * system.h / system.mass[k][seat.lane];
                    const Vec3 u = get(inertial_.u[k], seat.lane) - response * step_.contact_force[seat.begin + k];
                    put(inertial_.u[k], seat.lane, u);
                }
        place_held(inertial_);
        configure(system, inertial_);
    }

    /// The strand carried along by its clamped first edge as if it were stiff.
    void guess_rigid()
    {
        rigid_.u[0] = target[0];
        const LaneVec3& t0 = system.tangent[0];
        const LaneVec3& d0 = system.director[0];
        const LaneVec3 b0 = cross(t0, d0);
        const LaneVec3 edge = system.edge[0] + (target[1] - target[0]);
        const LaneVec3 t1 = (1.0 / norm(edge)) * edge;
        const LaneVec3 off = target_director[0] - dot(target_director[0], t1) * t1;
        const LaneVec3 d1 = (1.0 / norm(off)) * off;
        const LaneVec3 b1 = cross(t1, d1);
        const auto turned = [&](const LaneVec3& a) { return dot(a, t0) * t1 + dot(a, d0) * d1 + dot(a, b0) * b1; };
        for (std::size_t k = 0; k + 1 < rigid_.u.size(); ++k) {
            rigid_.u[k + 1] = rigid_.u[k] + (turned(system.edge[k]) - system.edge[k]);
            rigid_.spin[k] = spin_between(system.director[k], system.tangent[k], turned(system.tangent[k]),
                                          turned(system.director[k]));
        }
        place_held(rigid_);
        for (std::size_t k = 0; k < rigid_.u.size(); ++k) { // elsewhere the other guess again
            rigid_.u[k] = select(is_clamped, rigid_.u[k], inertial_.u[k]);
            rigid_.spin[k] = is_clamped ? rigid_.spin[k] : inertial_.spin[k];
        }
        configure(system, rigid_);
    }

    void take_guess(const StrandGuess& guess)
    {
        for (const BatchSeat& seat : seats)
            for (std::size_t k = 0; k < inertial_.u.size(); ++k) {
                put(inertial_.u[k], seat.lane, guess.displacement[seat.begin + k]);
                inertial_.spin[k][seat.lane] = guess.spin[seat.begin + k];
            }
        place_held(inertial_);
        configure(system, inertial_);
    }

    [[nodiscard]] RodSolverOptions solver_options(const StrandGuess* guess) const
    {
        RodSolverOptions options;
        options.tolerance = step_.tolerance;
        options.max_iterations = step_.max_iterations;
        if (!guess || guess->search == StrandSearch::Minimum) return options;
        options.is_minimum = guess->search != StrandSearch::Stationary;
        options.max_iterations =
            options.is_minimum ? (guess->search == StrandSearch::OneStep ? 1 : 0) : kStationarySteps;
        if (guess->part.empty()) return options;
        options.part = Lane{};
        for (const BatchSeat& seat : seats)
            if (seat.strand >= 0) (*options.part)[seat.lane] = guess->part[static_cast<std::size_t>(seat.strand)];
        return options;
    }

    RodSolution solve(const StrandGuess* guess, RodMatrix* factors)
    {
        if (guess)
            take_guess(*guess);
        else
            guess_inertial();
        if (!guess && any(is_clamped)) {
            guess_rigid();
            // An edge that inertia turns right round has no potential: then, too, the rigid guess is the better one.
            const LaneMask better = ~(potential(system, inertial_) <= potential(system, rigid_));
            for (std::size_t k = 0; k < rigid_.u.size(); ++k) {
                inertial_.u[k] = select(better, rigid_.u[k], inertial_.u[k]);
                inertial_.spin[k] = better ? rigid_.spin[k] : inertial_.spin[k];
            }
            configure(system, inertial_);
        }
        const RodSolverOptions options = solver_options(guess);
        RodSolution solution = minimize_potential(system, options, inertial_, scratch_);
        if (is_midpoint) {
            add_gyroscopic_couples();
            const RodSolution again = minimize_potential(system, options, inertial_, scratch_);
            solution.converged &= again.converged;
            solution.iterations += again.iterations;
        }
        if (guess && !guess->potential.empty())
            for (const BatchSeat& seat : seats)
                if (seat.strand >= 0)
                    guess->potential[static_cast<std::size_t>(seat.strand)] = solution.potential[seat.lane];
        if (guess && !guess->left.empty()) {
            factor_potential(system, inertial_, scratch_);
            for (const BatchSeat& seat : seats)
                if (seat.strand >= 0) store_step(seat, guess->left);
        }
        if (factors && !system.stiffness.empty()) { // of the strand alone
            RodSystem alone = system;
            alone.stiffness.clear();
            factor_potential(alone, inertial_, scratch_);
        }
        if (factors) std::swap(*factors, scratch_.matrix);
        return solution;
    }

    void store_step(const BatchSeat& seat, std::span<Vec3> out) const
    {
        for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k)
            for (std::size_t a = 0; a < 3; ++a)
                out[seat.begin + k][static_cast<Eigen::Index>(a)] = scratch_.step[4 * k + a][seat.lane];
    }

    /// A spinning edge that turns needs the couple I spin dt/dtime. The potential of the step has another instead,
    /// since it counts spins from its start. The forces on the ends of the edge that make the difference follow from
    /// the step as found without them: they are (r/L)^2 of the others.
    void add_gyroscopic_couples()
    {
        const double h = system.h;
        for (std::size_t k = 0; k + 1 < inertial_.u.size(); ++k) {
            const LaneVec3 turn = inertial_.u[k + 1] - inertial_.u[k];
            const LaneVec3 middle = system.edge[k] + turn, end = middle + turn;
            const LaneVec3 change = (1.0 / norm(end)) * end - system.tangent[k]; // of the tangent, in 2 h
            const LaneVec3 couple = ((-0.5 / (h * h)) * system.inertia[k] * inertial_.spin[k]) * change;
            const Lane moment = (1 / (h * h)) * system.inertia[k] * (inertial_.spin[k] - system.predicted_spin[k]);
            const LaneVec3 force =
                (1.0 / dot(middle, middle)) * cross(couple, middle) +
                (system.free_spin[k] * moment) * turn_gradient(system, inertial_, static_cast<int>(k));
            system.predicted[k] -= (h * h / system.mass[k]) * force;
            system.predicted[k + 1] += (h * h / system.mass[k + 1]) * force;
        }
    }

    /// Impulses and work, and the forces of what holds the strand.
    void report(const BatchSeat& seat, const RodSolution& solution)
    {
        StrandOutcome out;
        out.converged = solution.converged[seat.lane] != 0;
        out.iterations = solution.iterations;
        const double whole = is_midpoint ? 2 : 1;
        for (int i = 0; i < n; ++i) {
            const auto k = static_cast<std::size_t>(i);
            const std::size_t v = seat.begin + k;
            const int l = seat.lane;
            const Lane* g = gradient_.data() + 4 * k;
            const Vec3 u = get(inertial_.u[k], l);
            const bool held = hold(v) != Hold::Free;
            const Vec3 support = held ? Vec3(g[0][l], g[1][l], g[2][l]) : Vec3(Vec3::Zero());
            const Vec3 coupled = step_.coupling.empty() ? Vec3(Vec3::Zero()) : step_.coupling[v].at(u / system.h);
            const Vec3 air =
                step_.air.density > 0 ? Vec3(drag_force(k, l, u / system.h) - coupled) : Vec3(Vec3::Zero());
            const Vec3 load = step_.force.empty() ? Vec3(Vec3::Zero()) : step_.force[v];
            out.support += step_.dt * support;
            out.drag += step_.dt * air;
            out.load += step_.dt * load;
            if (!step_.contact_force.empty()) out.contact += step_.dt * contact_force(seat, k);
            out.support_work += whole * support.dot(u);
            out.drag_work += whole * air.dot(u);
            out.coupling += step_.dt * coupled;
            out.coupling_work += whole * coupled.dot(u);
            out.load_work += whole * load.dot(u);
            const bool turns = hold(v) == Hold::VertexAndEdge && i + 1 < n;
            update_.support_force[v] = support;
            update_.support_moment[v] = turns ? g[3][l] : 0;
            if (turns) out.support_work += whole * g[3][l] * inertial_.spin[k][l];
        }
        update_.outcome[static_cast<std::size_t>(seat.strand)] = out;
    }

    [[nodiscard]] Vec3 contact_force(const BatchSeat& seat, std::size_t k) const
    {
        const std::size_t v = seat.begin + k;
        Vec3 force = step_.contact_force[v];
        if (step_.contact_stiffness.empty()) return force;
        const auto u = [&](std::size_t i) { return get(inertial_.u[i], seat.lane); };
        force -= times(step_.contact_stiffness[v].own, u(k));
        if (k > 0) force -= times(step_.contact_stiffness[v - 1].next, u(k - 1));
        if (k + 1 < inertial_.u.size()) force -= times(step_.contact_stiffness[v].next, u(k + 1));
        return force;
    }
    [[nodiscard]] static Vec3 times(const std::array<double, 6>& m, const Vec3& x)
    {
        return {m[0] * x.x() + m[1] * x.y() + m[2] * x.z(), m[1] * x.x() + m[3] * x.y() + m[4] * x.z(),
                m[2] * x.x() + m[4] * x.y() + m[5] * x.z()};
    }

    [[nodiscard]] Vec3 drag_force(std::size_t k, int l, const Vec3& velocity) const
    {
        const LaneSym3& c = system.drag[k];
        Mat3 m;
        m << c.v[0][l], c.v[1][l], c.v[2][l], c.v[1][l], c.v[3][l], c.v[4][l], c.v[2][l], c.v[4][l], c.v[5][l];
        return get(system.push[k], l) - m * velocity;
    }

    /// The second half of the step mirrors the first.
    void go_on_from_midpoint()
    {
        for (std::size_t k = 0; k + 1 < inertial_.u.size(); ++k) {
            system.edge[k] += inertial_.u[k + 1] - inertial_.u[k];
            system.director[k] = inertial_.edge[k].m1;
        }
        for (std::size_t k = 0; k < inertial_.u.size(); ++k)
            if (k > 0 && k + 1 < inertial_.u.size()) system.twist[k] = inertial_.bend[k].twist;
        system.prepare();
        configure(system, inertial_);
    }

    void store(const BatchSeat& seat)
    {
        const double rate = 1 / system.h;
        StrandState& next = update_.state;
        for (int i = 0; i < n; ++i) {
            const auto k = static_cast<std::size_t>(i);
            const std::size_t v = seat.begin + k;
            const int l = seat.lane;
            const Vec3 u = get(inertial_.u[k], l);
            next.position[v] =
                hold(v) == Hold::Free ? Vec3(state_.position[v] + (is_midpoint ? 2.0 : 1.0) * u) : step_.target[v];
            next.velocity[v] = is_midpoint ? Vec3(2 * rate * u - state_.velocity[v]) : Vec3(rate * u);
            const bool is_inner = i > 0 && i + 1 < n;
            next.twist[v] = is_inner ? inertial_.bend[k].twist[l] : 0;
            if (i + 1 == n) {
                next.spin[v] = 0;
                next.director[v] = Vec3::Zero();
                continue;
            }
            const double s = rate * inertial_.spin[k][l];
            next.spin[v] = is_midpoint ? 2 * s - state_.spin[v] : s;
            const Vec3 t = get(inertial_.edge[k].tangent, l);
            const Vec3 d = hold(v) == Hold::VertexAndEdge ? step_.target_director[v] : get(inertial_.edge[k].m1, l);
            next.director[v] = (d - d.dot(t) * t).normalized();
        }
    }

    const StrandState& state_;
    const StrandStep& step_;
    StrandUpdate& update_;
    RodConfiguration inertial_, rigid_; ///< guesses; the first then becomes the solution
    RodSolverScratch scratch_;
    AlignedVector<Lane> gradient_;
};

} // namespace

void begin_update(const StrandModel& model, StrandUpdate& update)
{
    const auto n = static_cast<std::size_t>(model.n_vertices());
    update.state.resize(n);
    update.support_force.resize(n);
    update.support_moment.resize(n);
    update.outcome.resize(static_cast<std::size_t>(model.n_strands()));
    update.iterations = 0;
}

void solve_batches(const StrandModel& model, const StrandState& state, const StrandStep& step,
                   std::span<const std::int32_t> batches, const StrandGuess* guess, std::span<RodMatrix> factors,
                   StrandUpdate& update)
{
    const auto n = static_cast<std::int64_t>(batches.size());
    parallel_for((n + kBatchesPerTask - 1) / kBatchesPerTask, "strands", [&](std::int64_t task) {
        BatchStep batch(model, state, step, update);
        for (std::int64_t i = task * kBatchesPerTask; i < std::min(n, (task + 1) * kBatchesPerTask); ++i) {
            const auto b = static_cast<std::size_t>(batches[static_cast<std::size_t>(i)]);
            batch.run(model.batches[b], guess, factors.empty() ? nullptr : &factors[b]);
        }
    });
    for (const std::int32_t b : batches)
        update.iterations +=
            update.outcome[static_cast<std::size_t>(model.batches[static_cast<std::size_t>(b)].strand[0])].iterations;
}

std::vector<std::int32_t> all_batches(const StrandModel& model)
{
    std::vector<std::int32_t> all(model.batches.size());
    for (std::size_t b = 0; b < all.size(); ++b) all[b] = static_cast<std::int32_t>(b);
    return all;
}

void step_strands(const StrandModel& model, const StrandState& state, const StrandStep& step, StrandUpdate& update)
{
    begin_update(model, update);
    solve_batches(model, state, step, all_batches(model), nullptr, {}, update);
}

} // namespace rivulet
