#include "strands/strand_batches.h"

#include "base/assert.h"
#include "base/parallel.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Newton's steps that a place where forces balance may be away.
constexpr int kStationarySteps = 15;
/// Batches that one task takes after each other, with one set of scratch arrays.
constexpr std::int64_t kBatchesPerTask = 4;

void put(LaneVec3& v, int lane, const Vec3& x)
{
    v.x[lane] = x.x();
    v.y[lane] = x.y();
    v.z[lane] = x.z();
}
Vec3 get(const LaneVec3& v, int lane) { return {v.x[lane], v.y[lane], v.z[lane]}; }

/// One strand's place in a batch.
struct Seat {
    int lane = 0;
    std::size_t begin = 0; ///< its first vertex
    const RodMaterial* material = nullptr;
    std::int32_t strand = -1; ///< -1: a copy that fills an empty lane
};

/// Spin that takes `director`, transported from `before` to `after`, to `wanted`.
Lane spin_between(const LaneVec3& director, const LaneVec3& before, const LaneVec3& after, const LaneVec3& wanted)
{
    const LaneVec3 carried = transport(director, before, after);
    return lane_atan2(dot(cross(after, carried), wanted), dot(carried, wanted));
}

class BatchStep {
public:
    BatchStep(const StrandModel& model, const StrandState& state, const StrandStep& step, StrandUpdate& update)
        : model_(model), state_(state), step_(step), update_(update),
          is_midpoint_(step.integrator == StrandIntegrator::Midpoint)
    {
    }

    void run(const StrandBatch& batch, const StrandGuess* guess, RodMatrix* factors)
    {
        take_seats(batch);
        load();
        const RodSolution solution = solve(guess, factors);
        gradient_.resize(static_cast<std::size_t>(4 * n_ - 1));
        potential_gradient(system_, inertial_, gradient_.data());
        for (const Seat& seat : seats_)
            if (seat.strand >= 0) report(seat, solution);
        if (is_midpoint_) go_on_from_midpoint();
        for (const Seat& seat : seats_)
            if (seat.strand >= 0) store(seat);
    }

private:
    void take_seats(const StrandBatch& batch)
    {
        n_ = batch.n_vertices;
        for (int l = 0; l < kStrandLanes; ++l) {
            const std::int32_t strand = batch.strand[static_cast<std::size_t>(l)];
            const auto s = static_cast<std::size_t>(strand >= 0 ? strand : batch.strand[0]);
            seats_[static_cast<std::size_t>(l)] = {l, static_cast<std::size_t>(model_.first[s]),
                                                   &model_.materials[static_cast<std::size_t>(model_.material[s])],
                                                   strand};
        }
        system_.resize(n_);
        for (RodConfiguration* c : {&inertial_, &rigid_}) c->resize(n_);
        system_.h = is_midpoint_ ? 0.5 * step_.dt : step_.dt;
        target_.resize(static_cast<std::size_t>(n_));
        target_director_.resize(static_cast<std::size_t>(n_));
        is_clamped_ = LaneMask{};
    }

    void load()
    {
        for (const Seat& seat : seats_) {
            for (int k = 0; k < n_; ++k) load_vertex(seat, k);
            load_drag(seat);
            load_coupling(seat);
        }
        load_stiffness();
        system_.prepare();
        load_laws();
    }

    [[nodiscard]] Hold hold(std::size_t v) const { return step_.hold.empty() ? Hold::Free : step_.hold[v]; }

    void load_vertex(const Seat& seat, int i)
    {
        const auto k = static_cast<std::size_t>(i);
        const std::size_t v = seat.begin + k;
        const int l = seat.lane;
        const RodMaterial& m = *seat.material;
        const bool is_last = i + 1 == n_;
        const double before = i > 0 ? model_.rest_length[v - 1] : 0, after = is_last ? 0 : model_.rest_length[v];
        const double mass =
            m.density * m.area() * 0.5 * (before + after) + (step_.added_mass.empty() ? 0 : step_.added_mass[v]);
        system_.mass[k][l] = mass;
        Vec3 acceleration = step_.gravity;
        if (!step_.force.empty()) acceleration += step_.force[v] / mass;
        if (!step_.contact_force.empty()) acceleration += step_.contact_force[v] / mass;
        const double h = system_.h;
        put(system_.predicted[k], l, h * state_.velocity[v] + h * h * acceleration);
        system_.free[k][l] = hold(v) == Hold::Free ? 1 : 0;
        if (hold(v) != Hold::Free)
            put(target_[k], l, (is_midpoint_ ? 0.5 : 1.0) * (step_.target[v] - state_.position[v]));
        system_.free_spin[k][l] = hold(v) == Hold::VertexAndEdge || is_last ? 0 : 1;
        system_.twist[k][l] = state_.twist[v];
        if (is_last) return;
        system_.inertia[k][l] =
            0.25 * m.density * m.area() * after * (m.radius_a * m.radius_a + m.radius_b * m.radius_b) +
            (step_.added_inertia.empty() ? 0 : step_.added_inertia[v]);
        system_.predicted_spin[k][l] = h * state_.spin[v];
        put(system_.edge[k], l, state_.position[v + 1] - state_.position[v]);
        put(system_.director[k], l, state_.director[v]);
        if (hold(v) != Hold::VertexAndEdge) return;
        const Vec3 wanted = step_.target_director[v];
        put(target_director_[k], l, is_midpoint_ ? (wanted + state_.director[v]).normalized() : wanted);
        RIVULET_VERIFY(hold(v + 1) != Hold::Free);
        if (i == 0) is_clamped_[l] = -1;
    }

    void load_drag(const Seat& seat)
    {
        if (!(step_.air.density > 0)) return;
        const RodMaterial& m = *seat.material;
        for (int i = 0; i < n_; ++i) {
            const auto k = static_cast<std::size_t>(i);
            const std::size_t v = seat.begin + k;
            const Vec3 chord = state_.position[i + 1 < n_ ? v + 1 : v] - state_.position[i > 0 ? v - 1 : v];
            const Vec3 t = chord.norm() > 0 ? Vec3(chord.normalized()) : Vec3(Vec3::UnitX());
            const Vec3 w = state_.velocity[v] - step_.air.velocity;
            const double along = std::abs(w.dot(t)), across = (w - w.dot(t) * t).norm();
            const double diameter = m.radius_a + m.radius_b;
            const double length = (step_.exposure.empty() ? 0.5 : 0.5 * step_.exposure[v]) *
                                  ((i > 0 ? model_.rest_length[v - 1] : 0) + (i + 1 < n_ ? model_.rest_length[v] : 0));
            const double normal = length * drag_across(step_.air, diameter, across);
            const double tangential = length * drag_along(step_.air, diameter, along);
            const Mat3 c = normal * Mat3::Identity() + (tangential - normal) * t * t.transpose();
            const double entries[6] = {c(0, 0), c(0, 1), c(0, 2), c(1, 1), c(1, 2), c(2, 2)};
            for (std::size_t e = 0; e < 6; ++e) system_.drag[k].v[e][seat.lane] = entries[e];
            put(system_.push[k], seat.lane, c * step_.air.velocity);
        }
    }

    void load_coupling(const Seat& seat)
    {
        if (step_.coupling.empty()) return;
        const bool is_in_air = step_.air.density > 0;
        for (std::size_t k = 0; k < static_cast<std::size_t>(n_); ++k) {
            const VelocityForce& force = step_.coupling[seat.begin + k];
            for (std::size_t e = 0; e < 6; ++e) {
                Lane& entry = system_.drag[k].v[e];
                entry[seat.lane] = force.drag[e] + (is_in_air ? entry[seat.lane] : 0);
            }
            put(system_.push[k], seat.lane,
                is_in_air ? Vec3(get(system_.push[k], seat.lane) + force.push) : force.push);
        }
    }

    void load_stiffness()
    {
        const std::size_t n = step_.contact_stiffness.empty() ? 0 : static_cast<std::size_t>(n_);
        system_.stiffness.resize(n);
        system_.stiffness_next.resize(n);
        for (const Seat& seat : seats_)
            for (std::size_t k = 0; k < n; ++k)
                for (std::size_t e = 0; e < 6; ++e) {
                    const ContactStiffness& at = step_.contact_stiffness[seat.begin + k];
                    system_.stiffness[k].v[e][seat.lane] = at.own[e];
                    system_.stiffness_next[k].v[e][seat.lane] = at.next[e];
                }
    }

    /// Stiffness and rest shape, elastic and viscous put together: k_e (q - rest)^2 + k_v (q - start)^2 is, up to a
    /// constant, (k_e + k_v)(q - both)^2.
    void load_laws()
    {
        std::fill(inertial_.u.begin(), inertial_.u.end(), LaneVec3{}); // the start of the step
        std::fill(inertial_.spin.begin(), inertial_.spin.end(), Lane{});
        configure(system_, inertial_);
        for (int i = 0; i + 1 < n_; ++i)
            for (const Seat& seat : seats_) load_law(seat, i);
    }

    void load_law(const Seat& seat, int i)
    {
        const auto k = static_cast<std::size_t>(i);
        const std::size_t v = seat.begin + k;
        const int l = seat.lane;
        const RodMaterial& m = *seat.material;
        // Trouton: viscous stretching and bending resist with three times the viscosity.
        const double stretch_viscosity = 3 * m.viscosity / system_.h, twist_viscosity = m.viscosity / system_.h;
        const double young = m.youngs_modulus + stretch_viscosity, shear = m.shear_modulus + twist_viscosity;
        const double length = model_.rest_length[v];
        RodStretchLaw& stretch = system_.stretch[k];
        stretch.weight[l] = young * m.area() * length;
        stretch.inverse_rest_length[l] = 1 / length;
        stretch.strain[l] = stretch_viscosity / young * (inertial_.edge[k].length[l] / length - 1);
        if (i == 0) return;
        const double voronoi = 0.5 * (model_.rest_length[v - 1] + length);
        RodBendLaw& bend = system_.bend[k];
        bend.weight[0][l] = young * m.bending_moment_1() / (2 * voronoi);
        bend.weight[1][l] = young * m.bending_moment_2() / (2 * voronoi);
        bend.twist_weight[l] = shear * m.torsion_moment() / voronoi;
        const double old = stretch_viscosity / young, old_twist = twist_viscosity / shear;
        for (std::size_t a = 0; a < 4; ++a)
            bend.rest[a][l] = (1 - old) * model_.rest_curvature[v][a] + old * inertial_.bend[k].kappa[a][l];
        bend.twist_rest[l] = (1 - old_twist) * model_.rest_twist[v] + old_twist * inertial_.bend[k].twist[l];
    }

    /// Given displacements and spins of what is held.
    void place_held(RodConfiguration& c) const
    {
        for (std::size_t k = 0; k < c.u.size(); ++k) c.u[k] = select(system_.free[k] > 0.0, c.u[k], target_[k]);
        for (std::size_t k = 0; k + 1 < c.u.size(); ++k) {
            const LaneMask held = system_.free_spin[k] == 0.0;
            if (!any(held)) continue;
            const LaneVec3 edge = system_.edge[k] + (c.u[k + 1] - c.u[k]);
            const LaneVec3 tangent = (1.0 / norm(edge)) * edge;
            const Lane spin = spin_between(system_.director[k], system_.tangent[k], tangent, target_director_[k]);
            c.spin[k] = held ? spin : c.spin[k];
        }
    }

    /// Where inertia would take the strand.
    void guess_inertial()
    {
        for (std::size_t k = 0; k < inertial_.u.size(); ++k) {
            inertial_.u[k] = system_.predicted[k];
            inertial_.spin[k] = system_.predicted_spin[k];
        }
        place_held(inertial_);
        configure(system_, inertial_);
    }

    /// The strand carried along by its clamped first edge as if it were stiff.
    void guess_rigid()
    {
        rigid_.u[0] = target_[0];
        const LaneVec3& t0 = system_.tangent[0];
        const LaneVec3& d0 = system_.director[0];
        const LaneVec3 b0 = cross(t0, d0);
        const LaneVec3 edge = system_.edge[0] + (target_[1] - target_[0]);
        const LaneVec3 t1 = (1.0 / norm(edge)) * edge;
        const LaneVec3 off = target_director_[0] - dot(target_director_[0], t1) * t1;
        const LaneVec3 d1 = (1.0 / norm(off)) * off;
        const LaneVec3 b1 = cross(t1, d1);
        const auto turned = [&](const LaneVec3& a) { return dot(a, t0) * t1 + dot(a, d0) * d1 + dot(a, b0) * b1; };
        for (std::size_t k = 0; k + 1 < rigid_.u.size(); ++k) {
            rigid_.u[k + 1] = rigid_.u[k] + (turned(system_.edge[k]) - system_.edge[k]);
            rigid_.spin[k] = spin_between(system_.director[k], system_.tangent[k], turned(system_.tangent[k]),
                                          turned(system_.director[k]));
        }
        place_held(rigid_);
        for (std::size_t k = 0; k < rigid_.u.size(); ++k) { // elsewhere the other guess again
            rigid_.u[k] = select(is_clamped_, rigid_.u[k], inertial_.u[k]);
            rigid_.spin[k] = is_clamped_ ? rigid_.spin[k] : inertial_.spin[k];
        }
        configure(system_, rigid_);
    }

    void take_guess(const StrandGuess& guess)
    {
        for (const Seat& seat : seats_)
            for (std::size_t k = 0; k < inertial_.u.size(); ++k) {
                put(inertial_.u[k], seat.lane, guess.displacement[seat.begin + k]);
                inertial_.spin[k][seat.lane] = guess.spin[seat.begin + k];
            }
        place_held(inertial_);
        configure(system_, inertial_);
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
        for (const Seat& seat : seats_)
            if (seat.strand >= 0) (*options.part)[seat.lane] = guess->part[static_cast<std::size_t>(seat.strand)];
        return options;
    }

    RodSolution solve(const StrandGuess* guess, RodMatrix* factors)
    {
        if (guess)
            take_guess(*guess);
        else
            guess_inertial();
        if (!guess && any(is_clamped_)) {
            guess_rigid();
            // An edge that inertia turns right round has no potential: then, too, the rigid guess is the better one.
            const LaneMask better = ~(potential(system_, inertial_) <= potential(system_, rigid_));
            for (std::size_t k = 0; k < rigid_.u.size(); ++k) {
                inertial_.u[k] = select(better, rigid_.u[k], inertial_.u[k]);
                inertial_.spin[k] = better ? rigid_.spin[k] : inertial_.spin[k];
            }
            configure(system_, inertial_);
        }
        const RodSolverOptions options = solver_options(guess);
        RodSolution solution = minimize_potential(system_, options, inertial_, scratch_);
        if (is_midpoint_) {
            add_gyroscopic_couples();
            const RodSolution again = minimize_potential(system_, options, inertial_, scratch_);
            solution.converged &= again.converged;
            solution.iterations += again.iterations;
        }
        if (guess && !guess->potential.empty())
            for (const Seat& seat : seats_)
                if (seat.strand >= 0)
                    guess->potential[static_cast<std::size_t>(seat.strand)] = solution.potential[seat.lane];
        if (guess && !guess->left.empty()) {
            factor_potential(system_, inertial_, scratch_);
            for (const Seat& seat : seats_)
                if (seat.strand >= 0) store_step(seat, guess->left);
        }
        if (factors && !system_.stiffness.empty()) { // of the strand alone
            RodSystem alone = system_;
            alone.stiffness.clear();
            factor_potential(alone, inertial_, scratch_);
        }
        if (factors) std::swap(*factors, scratch_.matrix);
        return solution;
    }

    void store_step(const Seat& seat, std::span<Vec3> out) const
    {
        for (std::size_t k = 0; k < static_cast<std::size_t>(n_); ++k)
            for (std::size_t a = 0; a < 3; ++a)
                out[seat.begin + k][static_cast<Eigen::Index>(a)] = scratch_.step[4 * k + a][seat.lane];
    }

    /// A spinning edge that turns needs the couple I spin dt/dtime. The potential of the step has another instead,
    /// since it counts spins from its start. The forces on the ends of the edge that make the difference follow from
    /// the step as found without them: they are (r/L)^2 of the others.
    void add_gyroscopic_couples()
    {
        const double h = system_.h;
        for (std::size_t k = 0; k + 1 < inertial_.u.size(); ++k) {
            const LaneVec3 turn = inertial_.u[k + 1] - inertial_.u[k];
            const LaneVec3 middle = system_.edge[k] + turn, end = middle + turn;
            const LaneVec3 change = (1.0 / norm(end)) * end - system_.tangent[k]; // of the tangent, in 2 h
            const LaneVec3 couple = ((-0.5 / (h * h)) * system_.inertia[k] * inertial_.spin[k]) * change;
            const Lane moment = (1 / (h * h)) * system_.inertia[k] * (inertial_.spin[k] - system_.predicted_spin[k]);
            const LaneVec3 force =
                (1.0 / dot(middle, middle)) * cross(couple, middle) +
                (system_.free_spin[k] * moment) * turn_gradient(system_, inertial_, static_cast<int>(k));
            system_.predicted[k] -= (h * h / system_.mass[k]) * force;
            system_.predicted[k + 1] += (h * h / system_.mass[k + 1]) * force;
        }
    }

    /// Impulses and work, and the forces of what holds the strand.
    void report(const Seat& seat, const RodSolution& solution)
    {
        StrandOutcome out;
        out.converged = solution.converged[seat.lane] != 0;
        out.iterations = solution.iterations;
        const double whole = is_midpoint_ ? 2 : 1;
        for (int i = 0; i < n_; ++i) {
            const auto k = static_cast<std::size_t>(i);
            const std::size_t v = seat.begin + k;
            const int l = seat.lane;
            const Lane* g = gradient_.data() + 4 * k;
            const Vec3 u = get(inertial_.u[k], l);
            const bool held = hold(v) != Hold::Free;
            const Vec3 support = held ? Vec3(g[0][l], g[1][l], g[2][l]) : Vec3(Vec3::Zero());
            const Vec3 coupled = step_.coupling.empty() ? Vec3(Vec3::Zero()) : step_.coupling[v].at(u / system_.h);
            const Vec3 air =
                step_.air.density > 0 ? Vec3(drag_force(k, l, u / system_.h) - coupled) : Vec3(Vec3::Zero());
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
            const bool turns = hold(v) == Hold::VertexAndEdge && i + 1 < n_;
            update_.support_force[v] = support;
            update_.support_moment[v] = turns ? g[3][l] : 0;
            if (turns) out.support_work += whole * g[3][l] * inertial_.spin[k][l];
        }
        update_.outcome[static_cast<std::size_t>(seat.strand)] = out;
    }

    [[nodiscard]] Vec3 contact_force(const Seat& seat, std::size_t k) const
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
        const LaneSym3& c = system_.drag[k];
        Mat3 m;
        m << c.v[0][l], c.v[1][l], c.v[2][l], c.v[1][l], c.v[3][l], c.v[4][l], c.v[2][l], c.v[4][l], c.v[5][l];
        return get(system_.push[k], l) - m * velocity;
    }

    /// The second half of the step mirrors the first.
    void go_on_from_midpoint()
    {
        for (std::size_t k = 0; k + 1 < inertial_.u.size(); ++k) {
            system_.edge[k] += inertial_.u[k + 1] - inertial_.u[k];
            system_.director[k] = inertial_.edge[k].m1;
        }
        for (std::size_t k = 0; k < inertial_.u.size(); ++k)
            if (k > 0 && k + 1 < inertial_.u.size()) system_.twist[k] = inertial_.bend[k].twist;
        system_.prepare();
        configure(system_, inertial_);
    }

    void store(const Seat& seat)
    {
        const double rate = 1 / system_.h;
        StrandState& next = update_.state;
        for (int i = 0; i < n_; ++i) {
            const auto k = static_cast<std::size_t>(i);
            const std::size_t v = seat.begin + k;
            const int l = seat.lane;
            const Vec3 u = get(inertial_.u[k], l);
            next.position[v] =
                hold(v) == Hold::Free ? Vec3(state_.position[v] + (is_midpoint_ ? 2.0 : 1.0) * u) : step_.target[v];
            next.velocity[v] = is_midpoint_ ? Vec3(2 * rate * u - state_.velocity[v]) : Vec3(rate * u);
            const bool is_inner = i > 0 && i + 1 < n_;
            next.twist[v] = is_inner ? inertial_.bend[k].twist[l] : 0;
            if (i + 1 == n_) {
                next.spin[v] = 0;
                next.director[v] = Vec3::Zero();
                continue;
            }
            const double s = rate * inertial_.spin[k][l];
            next.spin[v] = is_midpoint_ ? 2 * s - state_.spin[v] : s;
            const Vec3 t = get(inertial_.edge[k].tangent, l);
            const Vec3 d = hold(v) == Hold::VertexAndEdge ? step_.target_director[v] : get(inertial_.edge[k].m1, l);
            next.director[v] = (d - d.dot(t) * t).normalized();
        }
    }

    const StrandModel& model_;
    const StrandState& state_;
    const StrandStep& step_;
    StrandUpdate& update_;
    bool is_midpoint_;
    int n_ = 0;
    std::array<Seat, kStrandLanes> seats_;
    RodSystem system_;
    RodConfiguration inertial_, rigid_; ///< guesses; the first then becomes the solution
    AlignedVector<LaneVec3> target_;    ///< given displacements
    AlignedVector<LaneVec3> target_director_;
    RodSolverScratch scratch_;
    AlignedVector<Lane> gradient_;
    LaneMask is_clamped_{};
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
