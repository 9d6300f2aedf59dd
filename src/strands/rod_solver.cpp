#include "strands/rod_system.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace rivulet {
namespace {

/// Least part of the decrease promised by the gradient that a step must bring.
constexpr double kArmijo = 1e-4;
/// A promised decrease below this part of the potential is lost in rounding.
constexpr double kRounding = 1e-11;
constexpr int kMaxHalvings = 40;
/// Steps in which the Gauss-Newton matrix alone stands in for one that is not positive definite. Strands that need more
/// are mostly taut ones let go, which buckle in many waves at once.
constexpr int kGaussNewtonSteps = 5;
/// Longest step, in edges and radians, that is taken with a matrix that is not positive definite.
constexpr double kShortStep = 0.1;
/// Parts of the second derivatives of stretching and bending that are tried then, the largest first.
constexpr double kCurvingTried[] = {0.95, 0.8, 0.5, 0.25, 0.1, 0};
/// Beyond it there is infinity, and what is not a number.
constexpr double kLargest = std::numeric_limits<double>::max();

class Newton {
public:
    Newton(const RodSystem& system, const RodSolverOptions& options, RodConfiguration& c, RodSolverScratch& scratch)
        : s_(system), options_(options), base_(c), n_dofs_(4 * system.n - 1), trial_(scratch.trial),
          matrix_(scratch.matrix), step_(scratch.step), gradient_(scratch.gradient)
    {
        trial_.resize(s_.n);
        step_.resize(static_cast<std::size_t>(n_dofs_));
        gradient_.resize(static_cast<std::size_t>(n_dofs_));
        is_chain_ = Lane{} == Lane{};
        for (std::size_t k = 1; k < s_.free.size(); ++k) is_chain_ &= ~((s_.free[k] == 0.0) & (s_.free[k - 1] > 0.0));
    }

    RodSolution run()
    {
        RodSolution result;
        active_ = Lane{} == Lane{};
        value_ = potential(s_, base_);
        while (any(active_) && result.iterations < options_.max_iterations) {
            iteration_ = ++result.iterations;
            find_step();
            const LaneMask last = step_size() <= options_.tolerance;
            search_along_step(last);
            result.converged |= active_ & last;
            active_ &= ~last;
        }
        // Contacts take their compliance from the factors.
        if (!is_patient() && any((curving_ < 1.0) | is_indefinite_)) factor();
        result.potential = value_;
        return result;
    }

    /// The factored Hessian where the strand is, the Gauss-Newton matrix if need be, and the step from there.
    void factor()
    {
        active_ = Lane{} == Lane{};
        iteration_ = 0;
        find_step();
    }

private:
    [[nodiscard]] Lane freedom(int i) const
    {
        const auto k = static_cast<std::size_t>(i / 4);
        return i % 4 == 3 ? s_.free_spin[k] : s_.free[k];
    }

    /// Whether nothing of the vertex is held in any lane.
    [[nodiscard]] bool is_free(int k) const
    {
        const auto v = static_cast<std::size_t>(k);
        return !any((s_.free[v] == 0.0) | (s_.free_spin[v] == 0.0));
    }

    /// Held dofs: their rows and columns become those of the identity.
    void hold()
    {
        int held = -3; // the last vertex with a held dof
        for (int k = 0; k < s_.n; ++k) {
            if (!is_free(k)) held = k;
            if (k - held > 2) continue; // a row reaches back to the vertex before the last
            for (int i = 4 * k; i < std::min(4 * k + 4, n_dofs_); ++i) hold_row(i);
        }
    }
    void hold_row(int i)
    {
        const Lane f = freedom(i);
        gradient_[static_cast<std::size_t>(i)] *= f;
        for (int j = std::max(0, i - kRodBandwidth); j < i; ++j) matrix_.at(i, j) *= f * freedom(j);
        matrix_.at(i, i) = f * matrix_.at(i, i) + (1.0 - f);
    }

    /// The factored Hessian with as much of the second derivatives as `curving` says; where it is positive definite.
    [[nodiscard]] LaneMask factor_hessian(const Lane& curving)
    {
        curving_ = curving;
        potential_hessian(s_, base_, curving, gradient_.data(), matrix_);
        hold();
        return matrix_.factor() > 0.0;
    }

    /// The Newton step of every lane. To a minimum where the full matrix is not positive definite: with the
    /// Gauss-Newton matrix at first. If that gets nowhere, nevertheless with the full one where that leads down and not
    /// far, as near places where forces balance but for no disturbance; else with as much of the difference as leaves
    /// the matrix positive definite.
    void find_step()
    {
        LaneMask good = factor_hessian(spread(1.0));
        is_indefinite_ = LaneMask{};
        // Also of strands that are done, for contacts.
        if (options_.is_minimum && any(~good)) {
            if (!is_patient()) {
                solve_for_step();
                is_indefinite_ = ~good & (slope_ < 0.0) & (step_size() < kShortStep);
                good |= is_indefinite_;
            }
            for (const double part : kCurvingTried) {
                if (!any(~good)) break;
                if (is_patient() && part > 0) continue;
                good |= factor_hessian(good ? curving_ : spread(part));
            }
        }
        solve_for_step();
    }

    void solve_for_step()
    {
        for (std::size_t i = 0; i < step_.size(); ++i) step_[i] = -gradient_[i];
        matrix_.solve(step_.data());
        slope_ = Lane{};
        for (std::size_t i = 0; i < step_.size(); ++i) {
            step_[i] = active_ ? step_[i] : Lane{};
            slope_ += step_[i] * gradient_[i];
        }
    }

    [[nodiscard]] bool is_patient() const { return iteration_ <= kGaussNewtonSteps; }

    [[nodiscard]] Lane step_size() const
    {
        Lane largest{};
        for (int i = 0; i < n_dofs_; ++i) {
            const auto k = static_cast<std::size_t>(std::min(i / 4, s_.n - 2));
            const Lane size = lane_abs(step_[static_cast<std::size_t>(i)]);
            largest = lane_max(largest, i % 4 == 3 ? size : size * s_.stretch[k].inverse_rest_length);
        }
        return largest;
    }

    /// The configuration at `length` times the step. Spins are meant for frames that are transported from the base;
    /// what counts is the transport from the start of the step, and the difference is made up for here.
    void move(const Lane& length)
    {
        for (int i = 0; i < s_.n; ++i) trial_.u[static_cast<std::size_t>(i)] = straight(i, length);
        if (any(is_chain_)) swing(length);
        for (std::size_t k = 0; k < trial_.u.size(); ++k) trial_.u[k] = select(active_, trial_.u[k], base_.u[k]);
        for (int i = 0; i + 1 < s_.n; ++i) {
            const auto k = static_cast<std::size_t>(i);
            const LaneVec3 edge = s_.edge[k] + (trial_.u[k + 1] - trial_.u[k]);
            const LaneVec3 tangent = (1.0 / norm(edge)) * edge;
            const Lane turn = turn_on_the_way(s_.tangent[k], base_.edge[k].tangent, tangent);
            const Lane spin = base_.spin[k] + length * step_[4 * k + 3] + turn;
            trial_.spin[k] = (active_ & (s_.free_spin[k] > 0.0)) ? spin : base_.spin[k];
        }
        configure(s_, trial_);
    }

    [[nodiscard]] LaneVec3 straight(int i, const Lane& length) const
    {
        const Lane* d = step_.data() + 4 * i;
        return base_.u[static_cast<std::size_t>(i)] + length * LaneVec3{d[0], d[1], d[2]};
    }

    /// Strands that are held at their beginning only, or not at all, go along arcs: edges swing as the step says and
    /// change their length as the step says to first order. On straight lines the length would grow with the square
    /// of the swing, and stretching is so much stiffer than bending that only tiny steps would pay.
    void swing(const Lane& length)
    {
        LaneVec3 u = trial_.u[0], off;
        Lane mass{};
        for (int i = 0; i + 1 < s_.n; ++i) {
            const auto k = static_cast<std::size_t>(i);
            const RodEdge& e = base_.edge[k];
            const LaneVec3 now = e.length * e.tangent;
            const LaneVec3 change = straight(i + 1, length) - straight(i, length) - (base_.u[k + 1] - base_.u[k]);
            const LaneVec3 sum = now + change;
            const LaneVec3 swung = ((e.length + dot(change, e.tangent)) / norm(sum)) * sum;
            u = select(s_.free[k + 1] > 0.0, base_.u[k + 1] + (u - base_.u[k]) + (swung - now), base_.u[k + 1]);
            off += s_.mass[k + 1] * (u - trial_.u[k + 1]);
            mass += s_.mass[k + 1];
            trial_.u[k + 1] = select(is_chain_, u, trial_.u[k + 1]);
        }
        // A free strand keeps the centre of mass that the straight step would have given it.
        mass += s_.mass[0];
        const LaneVec3 back = (1.0 / mass) * off;
        const LaneMask floats = is_chain_ & (s_.free[0] > 0.0);
        for (LaneVec3& v : trial_.u) v = select(floats, v - back, v);
    }

    /// Steps that are `small` anyway, or promise less than the rounding of the potential, are taken unchecked.
    void search_along_step(const LaneMask& small)
    {
        if (options_.part) return go_along_step(*options_.part);
        Lane length = spread(1.0);
        const LaneMask unchecked = (options_.is_minimum ? small : active_) | (-slope_ <= kRounding * lane_abs(value_));
        LaneMask searching = active_;
        Lane value{};
        for (int halving = 0; halving < kMaxHalvings; ++halving) {
            move(length);
            value = potential(s_, trial_);
            searching &= ~((value <= value_ + kArmijo * length * slope_) | (unchecked & (lane_abs(value) <= kLargest)));
            if (!any(searching)) break;
            length = searching ? 0.5 * length : length;
        }
        if (any(searching)) { // no decrease in sight: such a strand stays where it is and does not converge
            active_ &= ~searching;
            for (Lane& d : step_) d = searching ? Lane{} : d;
            move(length);
            value = potential(s_, trial_);
        }
        if (!is_patient()) go_on(length, value);
        value_ = active_ ? value : value_;
        std::swap(base_, trial_);
    }

    /// Where the matrix was made stiffer than the strand is, a whole step may fall short: twice as far, and twice as
    /// far again, as long as that pays.
    void go_on(Lane& length, Lane& value)
    {
        LaneMask pays = active_ & (curving_ < 1.0) & (length == 1.0);
        if (!any(pays)) return;
        while (any(pays)) {
            const Lane farther = pays ? 2.0 * length : length;
            move(farther);
            const Lane found = potential(s_, trial_);
            pays &= found < value;
            value = pays ? found : value;
            length = pays ? farther : length;
        }
        move(length);
    }

    void go_along_step(const Lane& length)
    {
        move(length);
        value_ = potential(s_, trial_);
        std::swap(base_, trial_);
    }

    const RodSystem& s_;
    const RodSolverOptions& options_;
    RodConfiguration& base_;
    int n_dofs_;
    RodConfiguration& trial_;
    RodMatrix& matrix_;
    AlignedVector<Lane>&step_, &gradient_;
    LaneMask active_{};
    LaneMask is_chain_{}; ///< nothing is held beyond the beginning
    Lane value_{}, slope_{};
    Lane curving_{};           ///< part of the second derivatives in the matrix
    LaneMask is_indefinite_{}; ///< the step comes from a matrix that is not positive definite
    int iteration_ = 0;
};

} // namespace

RodSolution minimize_potential(const RodSystem& system, const RodSolverOptions& options, RodConfiguration& c,
                               RodSolverScratch& scratch)
{
    return Newton(system, options, c, scratch).run();
}

void factor_potential(const RodSystem& system, RodConfiguration& c, RodSolverScratch& scratch)
{
    Newton(system, {}, c, scratch).factor();
}

RodSolution minimize_potential(const RodSystem& system, const RodSolverOptions& options, RodConfiguration& c)
{
    RodSolverScratch scratch;
    return minimize_potential(system, options, c, scratch);
}

} // namespace rivulet
