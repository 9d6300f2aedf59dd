#include "contact/penalty_solver.h"

#include "base/assert.h"
#include "base/parallel.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

constexpr double kSufficientDecrease = 1e-4;
constexpr int kMaxHalvings = 30;
constexpr std::int64_t kPenaltyGrain = 1024;

double inner(std::span<const double> x, std::span<const double> y)
{
    return ordered_sum(static_cast<std::int64_t>(x.size()), "penalty",
                       [&](std::int64_t i) { return x[static_cast<std::size_t>(i)] * y[static_cast<std::size_t>(i)]; });
}

template <class Body>
void for_contacts(std::size_t n, Body&& body)
{
    parallel_for(
        static_cast<std::int64_t>(n), "penalty", [&](std::int64_t i) { body(static_cast<std::size_t>(i)); },
        kPenaltyGrain);
}

/// J A^-1 J^T, along normals.
class NormalCompliance {
public:
    NormalCompliance(ContactCompliance& compliance, std::span<const Vec3> normal)
        : compliance_(compliance), normal_(normal), force_(normal.size()), motion_(normal.size())
    {
    }
    void apply(std::span<const double> force, std::span<double> motion)
    {
        for_contacts(normal_.size(), [&](std::size_t i) { force_[i] = force[i] * normal_[i]; });
        compliance_.apply(force_, motion_);
        for_contacts(normal_.size(), [&](std::size_t i) { motion[i] = normal_[i].dot(motion_[i]); });
    }

private:
    ContactCompliance& compliance_;
    std::span<const Vec3> normal_;
    std::vector<Vec3> force_, motion_;
};

/// Newton's method for the curves.
class PenaltyNewton {
public:
    PenaltyNewton(std::span<const PenaltyContact> contacts, ContactCompliance& compliance,
                  const PenaltyOptions& options, std::span<double> force, std::span<double> motion)
        : contacts_(contacts), compliance_(compliance), options_(options), force_(force), motion_(motion),
          normal_(contacts.size()), stiffness_(contacts.size()), rest_(contacts.size()), step_(contacts.size()),
          step_motion_(contacts.size())
    {
        for (std::size_t i = 0; i < contacts.size(); ++i) normal_[i] = contacts[i].normal;
        NormalCompliance(compliance, normal_).apply(force, motion);
    }

    PenaltySolution run()
    {
        PenaltySolution solution;
        CompliantOptions linear = options_.linear;
        while (solution.steps < options_.max_steps) {
            linearise();
            SpringBodies* springs = compliance_.with_springs(normal_, stiffness_);
            const CompliantSolution found =
                springs ? springs->solve(rest_, linear, step_, step_motion_)
                        : solve_compliant(compliance_, normal_, stiffness_, rest_, linear, step_, step_motion_);
            if (solution.steps == 0) linear.floor = std::max(linear.floor, linear.tolerance * found.initial);
            ++solution.steps;
            solution.iterations += found.iterations;
            double largest = 0;
            for (const double m : step_motion_) largest = std::max(largest, std::abs(m));
            const bool is_last = largest <= options_.tolerance;
            const double part = is_last ? 1 : step_length();
            for_contacts(contacts_.size(), [&](std::size_t i) {
                force_[i] += part * step_[i];
                motion_[i] += part * step_motion_[i];
            });
            solution.residual = largest;
            solution.converged = is_last && found.converged;
            if (is_last || part == 0) break;
        }
        return solution;
    }

private:
    /// Springs in the place of curves, and what their forces lack of the law.
    void linearise()
    {
        for_contacts(contacts_.size(), [&](std::size_t i) {
            const PenaltyContact& c = contacts_[i];
            const double d = c.distance + motion_[i];
            stiffness_[i] = c.length * c.curve.newton_stiffness(d, c.attraction);
            rest_[i] = -force_[i] - c.length * c.curve.force(d, c.attraction);
        });
    }

    /// The longest part of the step that lowers the energy as it should; 0 if none does.
    [[nodiscard]] double step_length() const
    {
        const double slope = -inner(rest_, step_motion_);
        const double forward = inner(force_, step_motion_), bend = inner(step_, step_motion_);
        double part = 1;
        for (int i = 0; i < kMaxHalvings; ++i, part *= 0.5) {
            const double curves = ordered_sum(static_cast<std::int64_t>(contacts_.size()), "penalty", [&](auto k) {
                const auto j = static_cast<std::size_t>(k);
                const PenaltyContact& c = contacts_[j];
                const double d = c.distance + motion_[j];
                return c.length *
                       (c.curve.energy(d + part * step_motion_[j], c.attraction) - c.curve.energy(d, c.attraction));
            });
            if (part * (forward + 0.5 * part * bend) + curves <= kSufficientDecrease * part * slope) return part;
        }
        return 0;
    }

    std::span<const PenaltyContact> contacts_;
    ContactCompliance& compliance_;
    const PenaltyOptions& options_;
    std::span<double> force_, motion_;
    std::vector<Vec3> normal_;
    std::vector<double> stiffness_, rest_, step_, step_motion_;
};

} // namespace

CompliantSolution solve_compliant(ContactCompliance& compliance, std::span<const Vec3> normal,
                                  std::span<const double> stiffness, std::span<const double> b,
                                  const CompliantOptions& options, std::span<double> force, std::span<double> motion)
{
    const std::size_t n = normal.size();
    NormalCompliance w(compliance, normal);
    std::vector<double> rho(b.begin(), b.end()), pi = rho, z(n), y(n), q(n);
    std::fill(force.begin(), force.end(), 0.0);
    std::fill(motion.begin(), motion.end(), 0.0);
    w.apply(rho, z);
    y = z;
    double rz = inner(rho, z);
    CompliantSolution solution{.iterations = 1, .initial = std::sqrt(std::max(rz, 0.0))};
    solution.residual = solution.initial;
    const double goal = std::max(options.tolerance * solution.initial, options.floor);
    while (solution.residual > goal && solution.iterations < options.max_iterations) {
        for_contacts(n, [&](std::size_t i) { q[i] = pi[i] + stiffness[i] * y[i]; });
        const double alpha = rz / inner(q, y);
        for_contacts(n, [&](std::size_t i) {
            force[i] += alpha * pi[i];
            motion[i] += alpha * y[i];
            rho[i] -= alpha * q[i];
        });
        w.apply(rho, z);
        const double next = inner(rho, z), beta = next / rz;
        rz = next;
        ++solution.iterations;
        solution.residual = std::sqrt(std::max(rz, 0.0));
        for_contacts(n, [&](std::size_t i) {
            pi[i] = rho[i] + beta * pi[i];
            y[i] = z[i] + beta * y[i];
        });
    }
    // What is left of rho does next to nothing, J^T rho = 0 but for the residual; with it each spring obeys its law,
    // also where many forces do the same to the bodies.
    for_contacts(n, [&](std::size_t i) {
        force[i] += rho[i];
        motion[i] += z[i];
    });
    solution.converged = solution.residual <= goal;
    return solution;
}

PenaltySolution solve_penalties(std::span<const PenaltyContact> contacts, ContactCompliance& compliance,
                                const PenaltyOptions& options, std::span<double> force, std::span<double> motion)
{
    RIVULET_VERIFY(force.size() == contacts.size() && motion.size() == contacts.size());
    return PenaltyNewton(contacts, compliance, options, force, motion).run();
}

} // namespace rivulet
