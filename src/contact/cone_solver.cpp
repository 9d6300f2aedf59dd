#include "contact/cone_solver.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "base/vec3f.h"
#include "numerics/coulomb.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

namespace rivulet {
namespace {

constexpr std::int64_t kContactGrain = 256;
/// Steps between two looks at the residual.
constexpr int kStepsPerLook = 5;
/// And between the first two at the contacts that were left out; later ones are farther apart.
constexpr int kStepsPerGlance = 10;

/// The force nearest to r that the contact bears, shifted by its cohesion; of a bridge, the force that its law has at
/// the motion that takes r to it, which is the step of steepest descent on its energy.
Vec3 bearable(const ConeContact& c, const Vec3& r, double step)
{
    if (c.is_joint) return r;
    if (c.bridge) return -c.bridge->solve(-c.normal.dot(r) / step, 1 / step, c.length) * c.normal;
    return project_on_cone(r, c.normal, c.friction);
}
/// What a force must be opposed to for the law to hold.
Vec3 opposed(const ConeContact& c, const Vec3& motion)
{
    return c.is_joint || c.bridge ? motion : shifted_motion(motion, c.normal, c.friction);
}
double residual_of(const ConeContact& c, const Vec3& r, const Vec3& motion)
{
    if (c.is_joint) return kJointPrecision * motion.norm();
    if (c.bridge) return c.compliance * (r - bearable(c, r - motion / c.compliance, 1 / c.compliance)).norm();
    return coulomb_residual(r, motion, c.normal, c.friction, c.compliance);
}
/// One with which a search may begin.
Vec3 first_force(const ConeContact& c, const Vec3& guess)
{
    if (c.bridge) return std::min(c.normal.dot(guess), 0.0) * c.normal;
    return bearable(c, guess + c.cohesion * c.normal, 1);
}

/// The bound of the curvature falls by this factor after a step, and rises by that one where it was too low.
constexpr double kFall = 0.97, kRise = 1.5;
constexpr int kMaxRises = 20;

/// Where more than this part of the contacts take part, all do: a compliance between them alone would not pay.
constexpr double kMostlyLive = 0.75;

/// Whether a contact may be left out while it is apart: it bears nothing then.
bool may_rest(const ConeContact& c) { return !c.is_joint && !c.bridge && c.cohesion == 0; }

class ProjectedGradients {
public:
    ProjectedGradients(std::span<const ConeContact> contacts, ContactCompliance& compliance, const ConeOptions& options,
                       std::span<const Vec3> guess, std::span<Vec3> force, std::span<Vec3> motion)
        : all_(contacts), whole_(compliance), options_(options), force_(force), motion_(motion)
    {
        begin(guess);
    }

    ConeSolution run()
    {
        ConeSolution result;
        measure(result);
        double best = result.residual, momentum = 1, curvature = first_curvature();
        best_ = x_;
        int glance = kStepsPerGlance;
        for (;;) {
            const bool ends = result.residual <= options_.tolerance || result.iterations >= options_.max_iterations;
            if (ends || result.iterations >= glance) {
                glance = result.iterations + kStepsPerGlance + result.iterations / 4;
                if (add_near() > 0) {
                    measure(result);
                    best = std::numeric_limits<double>::infinity();
                    if (result.iterations < options_.max_iterations) continue;
                }
                if (ends) break;
            }
            const double next_momentum = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
            const bool goes_back = advance((momentum - 1) / next_momentum, curvature);
            momentum = goes_back ? 1 : next_momentum;
            if (++result.iterations % kStepsPerLook != 0) continue;
            measure(result);
            if (result.residual < best) {
                best = result.residual;
                best_ = x_;
            }
        }
        if (best < result.residual) {
            x_ = best_;
            move();
            measure(result);
        }
        result.converged = result.residual <= options_.tolerance;
        finish();
        return result;
    }

private:
    struct Sums {
        double curved = 0; ///< change of the force times change of the motion
        double square = 0; ///< change of the force squared, times the contact's own compliance
        double turn = 0;   ///< positive if the step goes against the one before

        [[nodiscard]] friend Sums operator+(const Sums& a, const Sums& b)
        {
            return {a.curved + b.curved, a.square + b.square, a.turn + b.turn};
        }
    };

    [[nodiscard]] std::int64_t n() const { return static_cast<std::int64_t>(live_.size()); }
    template <class Body>
    static void each(std::size_t n, Body&& body)
    {
        parallel_for(
            static_cast<std::int64_t>(n), "contacts", [&](std::int64_t i) { body(static_cast<std::size_t>(i)); },
            kContactGrain);
    }
    template <class Body>
    void each(Body&& body)
    {
        each(live_.size(), body);
    }
    [[nodiscard]] std::size_t place(std::size_t i) const { return static_cast<std::size_t>(live_[i]); }
    [[nodiscard]] const ConeContact& contact(std::size_t i) const { return all_[place(i)]; }
    /// Motion, gap included, under the forces given.
    [[nodiscard]] Vec3 base(std::size_t of_all) const
    {
        return motion_[of_all] + all_[of_all].gap * all_[of_all].normal;
    }
    /// The force of a shifted one, less that given.
    [[nodiscard]] Vec3 change(std::size_t of_all, const Vec3& x) const
    {
        return x - all_[of_all].cohesion * all_[of_all].normal - force_[of_all];
    }

    /// Unknowns: forces, shifted into Coulomb's own cone.
    void begin(std::span<const Vec3> guess)
    {
        best_.resize(all_.size());
        next_.resize(all_.size());
        each(all_.size(), [&](std::size_t i) {
            best_[i] = first_force(all_[i], guess[i]);
            next_[i] = change(i, best_[i]);
        });
        move_all();
        std::vector<std::int32_t> live;
        for (std::size_t i = 0; i < all_.size(); ++i)
            if (!may_rest(all_[i]) || force_[i] != Vec3::Zero() || best_[i] != Vec3::Zero() || is_too_near(i))
                live.push_back(static_cast<std::int32_t>(i));
        const bool is_few = static_cast<double>(live.size()) < kMostlyLive * static_cast<double>(all_.size());
        if (!is_few || !whole_.only({})) {
            live.resize(all_.size());
            std::iota(live.begin(), live.end(), 0);
        }
        enliven(live, best_);
    }

    /// next_d_ <- motions of all contacts, gap included, under the forces given and the changes in next_. Both are free
    /// between two steps.
    void move_all()
    {
        next_d_.resize(all_.size());
        whole_.apply(next_, next_d_);
        each(all_.size(), [&](std::size_t i) { next_d_[i] += base(i); });
    }
    [[nodiscard]] bool is_too_near(std::size_t i) const { return all_[i].normal.dot(next_d_[i]) < 0; }
    /// The same under the present forces: contacts that rest bear none.
    void look_at_all()
    {
        next_.assign(all_.size(), Vec3::Zero());
        each([&](std::size_t i) { next_[place(i)] = change(place(i), x_[i]); });
        move_all();
    }

    /// Contacts that take part from now on, with the motions of next_d_ and these forces of all; none: 0.
    void enliven(std::span<const std::int32_t> contacts, std::span<const Vec3> forces)
    {
        const std::size_t known = live_.size(), n = known + contacts.size();
        live_.reserve(n);
        live_.insert(live_.end(), contacts.begin(), contacts.end());
        for (auto* v : {&x_, &d_}) {
            v->reserve(n);
            v->resize(n, Vec3::Zero());
        }
        for (std::size_t i = known; i < n; ++i) {
            if (!forces.empty()) x_[i] = forces[place(i)];
            d_[i] = next_d_[place(i)];
        }
        for (auto* v : {&ahead_, &ahead_d_}) {
            v->reserve(n);
            v->resize(n, Vec3f::Zero());
        }
        for (auto* v : {&next_, &next_d_, &world_}) v->resize(n);
        part_ = nullptr; // before the next is made
        if (n < all_.size()) part_ = whole_.only(live_);
        compliance_ = part_ ? part_.get() : &whole_;
    }

    /// Looks at the contacts that take no part yet; how many of them do from now on.
    std::size_t add_near()
    {
        if (live_.size() == all_.size()) return 0;
        look_at_all();
        std::vector<std::uint8_t> is_live(all_.size(), 0);
        for (const std::int32_t i : live_) is_live[static_cast<std::size_t>(i)] = 1;
        std::vector<std::int32_t> near;
        for (std::size_t i = 0; i < all_.size(); ++i)
            if (!is_live[i] && is_too_near(i)) near.push_back(static_cast<std::int32_t>(i));
        if (!near.empty())
            enliven(near, {});
        else
            for (auto* v : {&next_, &next_d_}) v->resize(live_.size());
        return near.size();
    }

    /// One step from the point y = x + beta (x - x_before); true if it led astray and momentum must be built up anew.
    /// Motions are linear in forces, so that of y is known. The step is as long as the curvature allows that is met on
    /// the way, which is found out by going.
    bool advance(double beta, double& curvature)
    {
        Sums sums;
        for (int k = 0; k < kMaxRises; ++k) {
            sums = try_step(beta, curvature);
            if (!(sums.curved > curvature * sums.square)) break;
            curvature = std::max(kRise * curvature, sums.curved / sums.square);
        }
        curvature *= kFall;
        each([&](std::size_t i) {
            ahead_[i] = (next_[i] - x_[i]).cast<float>();
            ahead_d_[i] = (next_d_[i] - d_[i]).cast<float>();
        });
        std::swap(x_, next_);
        std::swap(d_, next_d_);
        return sums.turn > 0;
    }

    [[nodiscard]] Vec3 ahead(std::size_t i, double beta) const { return x_[i] + beta * ahead_[i].cast<double>(); }
    [[nodiscard]] Vec3 ahead_d(std::size_t i, double beta) const { return d_[i] + beta * ahead_d_[i].cast<double>(); }

    Sums try_step(double beta, double curvature)
    {
        each([&](std::size_t i) {
            const ConeContact& c = contact(i);
            const double step = 1 / (curvature * c.compliance);
            next_[i] = bearable(c, ahead(i, beta) - step * opposed(c, ahead_d(i, beta)), step);
            world_[i] = change(place(i), next_[i]);
        });
        compliance_->apply(world_, next_d_);
        return ordered_reduce(
            n(), "contacts", Sums{},
            [&](std::int64_t begin, std::int64_t end) {
                Sums sums;
                for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
                    next_d_[i] += base(place(i));
                    const Vec3 change = next_[i] - ahead(i, beta);
                    sums.curved += change.dot(next_d_[i] - ahead_d(i, beta));
                    const double compliance = contact(i).compliance;
                    sums.square += compliance * change.squaredNorm();
                    sums.turn -= compliance * change.dot(next_[i] - x_[i]);
                }
                return sums;
            },
            [](const Sums& a, const Sums& b) { return a + b; });
    }

    /// d_ <- motions under the forces of x_.
    void move()
    {
        each([&](std::size_t i) { world_[i] = change(place(i), x_[i]); });
        compliance_->apply(world_, d_);
        each([&](std::size_t i) { d_[i] += base(place(i)); });
    }

    /// That in a direction as good as any.
    double first_curvature()
    {
        each([&](std::size_t i) {
            const double phase = static_cast<double>(i % 1024);
            world_[i] = contact(i).normal + Vec3(std::sin(phase), std::cos(1.3 * phase), std::sin(0.7 * phase + 1));
            world_[i] /= contact(i).compliance;
        });
        compliance_->apply(world_, next_d_);
        const auto term = [&](auto&& value) {
            return ordered_sum(n(), "contacts", [&](std::int64_t i) { return value(static_cast<std::size_t>(i)); });
        };
        const double curved = term([&](std::size_t i) { return world_[i].dot(next_d_[i]); });
        return std::max(1.0,
                        curved / term([&](std::size_t i) { return contact(i).compliance * world_[i].squaredNorm(); }));
    }

    void measure(ConeSolution& result) const
    {
        struct Worst {
            double residual = 0;
            std::int64_t contact = -1;
        };
        const Worst worst = ordered_reduce(
            n(), "contacts", Worst{},
            [&](std::int64_t begin, std::int64_t end) {
                Worst w;
                for (std::int64_t i = begin; i < end; ++i) {
                    const auto k = static_cast<std::size_t>(i);
                    const double r = residual_of(contact(k), x_[k], d_[k]);
                    if (!(r <= w.residual)) w = {r, i};
                }
                return w;
            },
            [](const Worst& a, const Worst& b) { return b.residual <= a.residual ? a : b; });
        result.residual = worst.residual;
        result.worst = worst.contact < 0 ? -1 : live_[static_cast<std::size_t>(worst.contact)];
    }

    void finish()
    {
        if (live_.size() < all_.size())
            look_at_all();
        else
            next_d_.resize(all_.size());
        each([&](std::size_t i) { next_d_[place(i)] = d_[i]; });
        each([&](std::size_t i) { force_[place(i)] = x_[i] - contact(i).cohesion * contact(i).normal; });
        each(all_.size(), [&](std::size_t i) { motion_[i] = next_d_[i] - all_[i].gap * all_[i].normal; });
    }

    std::span<const ConeContact> all_;
    ContactCompliance& whole_;
    const ConeOptions& options_;
    std::span<Vec3> force_, motion_; ///< of all; given, until the end
    std::vector<std::int32_t> live_; ///< contacts that take part; what follows is of them, in this order
    std::unique_ptr<ContactCompliance> part_;
    ContactCompliance* compliance_ = nullptr;
    std::vector<Vec3> x_, next_;         ///< forces, shifted [N]
    std::vector<Vec3> d_, next_d_;       ///< motions, gap included [m]
    std::vector<Vec3f> ahead_, ahead_d_; ///< how the last step changed both: few digits do to go on by
    std::vector<Vec3> best_;             ///< forces of the smallest residual
    std::vector<Vec3> world_;            ///< forces, less those given
};

} // namespace

ConeSolution solve_cones(std::span<const ConeContact> contacts, ContactCompliance& compliance,
                         const ConeOptions& options, std::span<const Vec3> guess, std::span<Vec3> force,
                         std::span<Vec3> motion)
{
    const std::size_t n = contacts.size();
    RIVULET_VERIFY(guess.size() == n && force.size() == n && motion.size() == n);
    if (contacts.empty()) return {.converged = true};
    return ProjectedGradients(contacts, compliance, options, guess, force, motion).run();
}

} // namespace rivulet
