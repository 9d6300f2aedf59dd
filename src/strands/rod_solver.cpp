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
            ++result.iterations;
            find_step();
            const LaneMask last = step_size() <= options_.tolerance;
            search_along_step(last);
            result.converged |= active_ & last;
            active_ &= ~last;
        }
        result.potential = value_;
        return result;
    }

    /// The factored Hessian where the strand is, and the step from there.
    void factor()
    {
        active_ = Lane{} == Lane{};
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

    /// The Newton step of every lane; to a minimum with the Gauss-Newton matrix where the full one is not positive
    /// definite.
    void find_step()
    {
        potential_hessian(s_, base_, spread(1.0), gradient_.data(), matrix_);
        hold();
        const LaneMask good = matrix_.factor() > 0.0;
        // Also of strands that are done: contacts take their compliance from these factors.
        if (any(~good) && options_.is_minimum) {
            potential_hessian(s_, base_, good ? spread(1.0) : Lane{}, gradient_.data(), matrix_);
            hold();
            static_cast<void>(matrix_.factor());
        }
        for (std::size_t i = 0; i < step_.size(); ++i) step_[i] = -gradient_[i];
        matrix_.solve(step_.data());
        slope_ = Lane{};
        for (std::size_t i = 0; i < step_.size(); ++i) {
            step_[i] = active_ ? step_[i] : Lane{};
            slope_ += step_[i] * gradient_[i];
        }
    }

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
        value_ = active_ ? value : value_;
        std::swap(base_, trial_);
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
