#include "contact/cone_springs.h"

#include "base/assert.h"
#include "contact/contact_frame.h"
#include "contact/penalty_solver.h"
#include "numerics/coulomb.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rivulet {
namespace {

/// Stiffness of the springs of contacts, times their own compliance: that of the first search, by how much more it is
/// in each of those that follow, and the most. Soft springs are solved for in few steps, stiff ones leave little.
/// Forces carried on do most of it: springs that become stiff faster than these settle only make every system harder.
constexpr double kFirstStiffness = 100, kStiffer = 1.5, kMostStiffness = 3e4;
/// Searches, each from the forces of the one before, and steps of Newton's method in one.
constexpr int kSearches = 40, kSearchSteps = 20;
/// Searches without a better end after which no more follow: friction that is taken from the search before may swing.
constexpr int kIdleSearches = 8;
/// Part of the tolerance to which the law of springs is found, or of what was lacking at the beginning of the search.
constexpr double kInner = 0.3, kInnerPart = 0.01;
/// Of the linear system of a step, whose springs are those of the step's beginning: more exactly, no fewer steps
/// follow.
constexpr CompliantOptions kLinear{.tolerance = 1e-2, .max_iterations = 300};
constexpr int kHalvings = 12;
/// Slope at the end of a step, as a part of that at its beginning, with which it is taken.
constexpr double kSteepEnd = 0.3, kSteepMiddle = 0.1;

/// What a contact does at a motion: its force, and by how much that falls with the motion, along three axes.
struct SpringLaw {
    Vec3 force;     ///< [N]
    Mat3 axes;      ///< rows, unit
    Vec3 stiffness; ///< along each [N/m]
};

class SpringCones {
public:
    SpringCones(std::span<const ConeContact> contacts, ContactCompliance& compliance, ContactCompliance& axes,
                const ConeOptions& options, std::span<const Vec3> guess, std::span<Vec3> force, std::span<Vec3> motion)
        : contacts_(contacts), compliance_(compliance), axes_(axes), options_(options), force_(force), motion_(motion)
    {
        const std::size_t n = contacts.size();
        for (const ConeContact& c : contacts) first_.push_back(first_.back() + n_axes(c));
        for (auto* v : {&x_, &d_, &carried_, &change_, &moved_, &borne_, &exact_}) v->resize(n);
        shift_.assign(n, 0.0);
        direction_.resize(first_.back());
        for (auto* v : {&stiffness_, &rest_, &step_, &step_motion_}) v->resize(first_.back());
        for (std::size_t i = 0; i < n; ++i) x_[i] = borne(contacts[i], guess[i]);
    }

    ConeSolution run()
    {
        ConeSolution result;
        measure(result);
        d_ = exact_;
        best_ = borne_;
        double best = result.residual;
        scale_ = kFirstStiffness;
        int idle = 0; // searches since the best
        for (int i = 0; i < kSearches && idle <= kIdleSearches && result.residual > options_.tolerance &&
                        result.iterations < options_.max_iterations;
             ++i) {
            carry();
            result.iterations += search();
            measure(result);
            ++idle;
            if (result.residual < best) {
                best = result.residual;
                best_ = borne_;
                idle = 0;
            }
            scale_ = std::min(kMostStiffness, kStiffer * scale_);
        }
        if (!(result.residual <= best)) {
            x_ = best_;
            measure(result);
        }
        result.converged = result.residual <= options_.tolerance;
        finish();
        return result;
    }

private:
    /// The force nearest to it that a contact may bear.
    [[nodiscard]] static Vec3 borne(const ConeContact& c, const Vec3& guess)
    {
        if (c.bridge) return std::min(c.normal.dot(guess), 0.0) * c.normal;
        if (c.is_joint) return guess;
        return project_on_cone(guess + c.cohesion * c.normal, c.normal, c.friction) - c.cohesion * c.normal;
    }

    /// What contacts bear of the forces of x_, and the motions, gap included, under these and nothing else: d_ is where
    /// bodies have gone to, of which steps that are not solved for to the end leave some imbalance.
    void find_borne()
    {
        for (std::size_t i = 0; i < x_.size(); ++i) {
            borne_[i] = borne(contacts_[i], x_[i]);
            change_[i] = borne_[i] - force_[i];
        }
        compliance_.apply(change_, exact_);
        for (std::size_t i = 0; i < x_.size(); ++i) {
            exact_[i] += motion_[i];
            if (!contacts_[i].is_joint) exact_[i] += contacts_[i].gap * contacts_[i].normal;
        }
    }

    /// Springs begin from the present forces, and friction from the present sliding.
    void carry()
    {
        for (std::size_t i = 0; i < x_.size(); ++i) {
            const ConeContact& c = contacts_[i];
            if (c.bridge) continue;
            carried_[i] = borne_[i];
            if (c.is_joint) continue;
            carried_[i] += c.cohesion * c.normal;
            const double own = c.compliance / (c.compliance + scale_ * c.softness);
            carried_[i] -= (1 - own) * c.normal.dot(carried_[i]) * c.normal;
            shift_[i] = c.friction * (d_[i] - c.normal.dot(d_[i]) * c.normal).norm();
        }
    }

    /// In series with what a contact gives way by itself.
    [[nodiscard]] double stiffness_of(const ConeContact& c) const
    {
        return scale_ / (c.compliance + scale_ * c.softness);
    }

    /// What the spring of a contact would do at a motion, if it could pull and had no end of friction.
    [[nodiscard]] Vec3 wanted(std::size_t i, const Vec3& d) const
    {
        return carried_[i] - stiffness_of(contacts_[i]) * (d + shift_[i] * contacts_[i].normal);
    }
    /// Force at a motion.
    [[nodiscard]] Vec3 force_at(std::size_t i, const Vec3& d) const
    {
        const ConeContact& c = contacts_[i];
        if (c.bridge) return -c.bridge->solve(c.normal.dot(d), 0, c.length) * c.normal;
        if (c.is_joint) return wanted(i, d);
        return project_on_cone(wanted(i, d), c.normal, c.friction) - c.cohesion * c.normal;
    }

    [[nodiscard]] SpringLaw law(std::size_t i) const
    {
        const ConeContact& c = contacts_[i];
        SpringLaw out{force_at(i, d_[i]), contact_frame(c.normal), Vec3::Zero()};
        if (c.bridge) {
            out.stiffness[0] = c.length * c.bridge->limited_slope(c.normal.dot(d_[i]));
            return out;
        }
        const double k = stiffness_of(c);
        const Vec3 all = wanted(i, d_[i]);
        const double along = c.normal.dot(all);
        const Vec3 across = all - along * c.normal;
        const double size = across.norm();
        if (c.is_joint || size <= c.friction * along) {
            out.stiffness = Vec3::Constant(k);
        } else if (c.friction * size > -along) { // slides: along the cone's side, and about its axis
            const Vec3 t = across / size;
            const double root = 1 / std::sqrt(1 + c.friction * c.friction);
            const double bears = (along + c.friction * size) * root * root;
            const Vec3 side = root * (c.normal + c.friction * t), about = c.normal.cross(t);
            out.axes << side.transpose(), about.transpose(), side.cross(about).transpose();
            out.stiffness = {k, k * c.friction * bears / size, 0};
        }
        return out;
    }

    /// Springs in the place of laws, and what forces lack of these; the largest, as a motion [m].
    double linearise()
    {
        double largest = 0;
        for (std::size_t i = 0; i < contacts_.size(); ++i) {
            const SpringLaw at = law(i);
            const Vec3 lacking = at.force - x_[i];
            largest = std::max(largest, contacts_[i].compliance * lacking.norm());
            for (std::size_t k = first_[i]; k < first_[i + 1]; ++k) {
                const auto a = static_cast<Eigen::Index>(k - first_[i]);
                direction_[k] = at.axes.row(a).transpose();
                stiffness_[k] = at.stiffness[a];
                rest_[k] = direction_[k].dot(lacking);
            }
        }
        return largest;
    }

    /// Forces of springs that begin from what was carried on; how many steps that took.
    int search()
    {
        double first = 0;
        for (int steps = 0; steps < kSearchSteps; ++steps) {
            const double lacking = linearise();
            if (steps == 0) first = lacking;
            if (steps > 0 && lacking <= std::max(kInner * options_.tolerance, kInnerPart * first)) return steps;
            advance();
        }
        return kSearchSteps;
    }

    /// One step of Newton's method.
    void advance()
    {
        SpringBodies* springs = axes_.with_springs(direction_, stiffness_);
        const CompliantSolution found =
            springs ? springs->solve(rest_, kLinear, step_, step_motion_)
                    : solve_compliant(axes_, direction_, stiffness_, rest_, kLinear, step_, step_motion_);
        for (std::size_t i = 0; i < contacts_.size(); ++i) {
            change_[i] = moved_[i] = Vec3::Zero();
            for (std::size_t k = first_[i]; k < first_[i + 1]; ++k) {
                change_[i] += step_[k] * direction_[k];
                moved_[i] += step_motion_[k] * direction_[k];
            }
        }
        const double part = step_length(found);
        for (std::size_t i = 0; i < contacts_.size(); ++i) {
            x_[i] += part * change_[i];
            d_[i] += part * moved_[i];
        }
        if (springs) springs->go(part);
    }

    /// How fast the energy of bodies and springs rises after a part of the step; it is convex.
    [[nodiscard]] double slope_at(double part, const CompliantSolution& found) const
    {
        double sum = -(1 - part) * found.lacked_work - part * found.lacks_work;
        for (std::size_t i = 0; i < contacts_.size(); ++i)
            sum += (x_[i] + part * change_[i] - force_at(i, d_[i] + part * moved_[i])).dot(moved_[i]);
        return sum;
    }
    /// The part of the step after which the energy no longer falls.
    [[nodiscard]] double step_length(const CompliantSolution& found) const
    {
        const double start = slope_at(0, found);
        if (!(start < 0) || slope_at(1, found) <= -kSteepEnd * start) return 1;
        double low = 0, high = 1;
        for (int i = 0; i < kHalvings; ++i) {
            const double middle = 0.5 * (low + high), slope = slope_at(middle, found);
            if (std::abs(slope) < -kSteepMiddle * start) return middle;
            (slope < 0 ? low : high) = middle;
        }
        return low > 0 ? low : high;
    }

    void measure(ConeSolution& result)
    {
        find_borne();
        result.residual = 0;
        for (std::size_t i = 0; i < contacts_.size(); ++i) {
            const double off = residual(contacts_[i], borne_[i], exact_[i]);
            if (off <= result.residual) continue;
            result.residual = std::isfinite(off) ? off : std::numeric_limits<double>::max();
            result.worst = static_cast<std::int64_t>(i);
        }
    }
    [[nodiscard]] static double residual(const ConeContact& c, const Vec3& x, const Vec3& d)
    {
        if (c.is_joint) return kJointPrecision * d.norm();
        if (!c.bridge) {
            const Vec3 shifted = x + c.cohesion * c.normal;
            const Vec3 apart = d + c.softness * c.normal.dot(shifted) * c.normal;
            return coulomb_residual(shifted, apart, c.normal, c.friction, c.compliance);
        }
        const double along = c.normal.dot(x);
        return c.compliance *
               std::abs(along + c.bridge->solve(c.normal.dot(d) - c.compliance * along, c.compliance, c.length));
    }

    void finish()
    {
        for (std::size_t i = 0; i < x_.size(); ++i) {
            const ConeContact& c = contacts_[i];
            force_[i] = borne_[i];
            motion_[i] = c.is_joint ? exact_[i] : Vec3(exact_[i] - c.gap * c.normal);
        }
    }

    std::span<const ConeContact> contacts_;
    ContactCompliance &compliance_, &axes_;
    const ConeOptions& options_;
    std::span<Vec3> force_, motion_; ///< given, until the end
    double scale_ = 1;               ///< stiffness of contacts times their own compliance
    std::vector<std::size_t> first_{0};
    std::vector<Vec3> x_;             ///< forces [N]
    std::vector<Vec3> d_;             ///< motions, gap included [m]
    std::vector<Vec3> borne_, exact_; ///< the same, as find_borne() has them
    std::vector<Vec3> best_;          ///< of all borne_ so far
    std::vector<Vec3> carried_;       ///< forces from which springs begin, shifted [N]
    std::vector<double> shift_;       ///< of motions, by friction [m]
    std::vector<Vec3> direction_;     ///< of axes, and what follows
    std::vector<double> stiffness_, rest_, step_, step_motion_;
    std::vector<Vec3> change_, moved_; ///< of forces and motions in a step
};

} // namespace

ConeSolution spring_cones(std::span<const ConeContact> contacts, ContactCompliance& compliance, ContactCompliance& axes,
                          const ConeOptions& options, std::span<const Vec3> guess, std::span<Vec3> force,
                          std::span<Vec3> motion)
{
    RIVULET_VERIFY(guess.size() == contacts.size() && force.size() == contacts.size());
    if (contacts.empty()) return {.converged = true};
    return SpringCones(contacts, compliance, axes, options, guess, force, motion).run();
}

} // namespace rivulet
