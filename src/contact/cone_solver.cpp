#include "contact/cone_solver.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "contact/contact_frame.h"
#include "numerics/coulomb.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

constexpr int kPowerIterations = 12;
/// Power iterations come to the largest eigenvalue from below.
constexpr double kEigenvalueReserve = 1.15;
constexpr std::int64_t kContactGrain = 256;

class ProjectedGradients {
public:
    ProjectedGradients(std::span<const ConeContact> contacts, ContactCompliance& compliance, const ConeOptions& options,
                       std::span<const Vec3> guess, std::span<Vec3> force, std::span<Vec3> motion)
        : contacts_(contacts), compliance_(compliance), options_(options), guess_(guess), force_(force),
          motion_(motion), n_(static_cast<std::int64_t>(contacts.size()))
    {
        const auto n = contacts.size();
        frame_.resize(n);
        for (auto* v : {&x_, &x_before_, &d_, &d_before_, &best_, &start_, &start_motion_, &world_, &out_})
            v->resize(n);
    }

    ConeSolution run()
    {
        begin();
        const double largest = largest_eigenvalue();
        ConeSolution result;
        measure(result);
        double best = result.residual, momentum = 1;
        best_ = x_;
        while (result.residual > options_.tolerance && result.iterations < options_.max_iterations) {
            const double next = 0.5 * (1 + std::sqrt(1 + 4 * momentum * momentum));
            const bool goes_back = advance(largest, (momentum - 1) / next);
            momentum = goes_back ? 1 : next;
            find_motion();
            ++result.iterations;
            measure(result);
            if (result.residual < best) {
                best = result.residual;
                best_ = x_;
            }
        }
        if (best < result.residual) {
            x_ = best_;
            find_motion();
            measure(result);
        }
        result.converged = result.residual <= options_.tolerance;
        finish();
        return result;
    }

private:
    template <class Body>
    void each(Body&& body)
    {
        parallel_for(
            n_, "contacts", [&](std::int64_t i) { body(static_cast<std::size_t>(i)); }, kContactGrain);
    }

    /// Unknowns: forces in the frame of each contact, shifted into Coulomb's own cone.
    void begin()
    {
        each([&](std::size_t i) {
            frame_[i] = contact_frame(contacts_[i].normal);
            start_[i] = force_[i];
            start_motion_[i] = frame_[i] * motion_[i];
            x_[i] = frame_[i] * guess_[i];
            x_[i][0] += contacts_[i].cohesion;
            x_[i] = project_on_cone(x_[i], contacts_[i].friction);
            x_before_[i] = x_[i];
        });
        find_motion();
        d_before_ = d_;
    }

    [[nodiscard]] Vec3 world_force(std::size_t i) const
    {
        Vec3 r = x_[i];
        r[0] -= contacts_[i].cohesion;
        return frame_[i].transpose() * r;
    }

    /// d = motion of x, the gap included.
    void find_motion()
    {
        each([&](std::size_t i) { world_[i] = world_force(i) - start_[i]; });
        compliance_.apply(world_, out_);
        each([&](std::size_t i) {
            d_[i] = start_motion_[i] + frame_[i] * out_[i];
            d_[i][0] += contacts_[i].gap;
        });
    }

    /// One step from the extrapolated point y = x + beta (x - x_before); true if the extrapolation led astray and must
    /// start anew. Motions are linear in forces, so that of y needs no further application.
    bool advance(double largest, double beta)
    {
        const double turn = ordered_reduce(
            n_, "contacts", 0.0,
            [&](std::int64_t begin, std::int64_t end) {
                double sum = 0;
                for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
                    const ConeContact& c = contacts_[i];
                    const Vec3 y = x_[i] + beta * (x_[i] - x_before_[i]);
                    const Vec3 d = d_[i] + beta * (d_[i] - d_before_[i]);
                    const double step = 1 / (largest * c.compliance);
                    const Vec3 next = project_on_cone(y - step * shifted_motion(d, c.friction), c.friction);
                    sum += c.compliance * (y - next).dot(next - x_[i]);
                    x_before_[i] = x_[i];
                    x_[i] = next;
                }
                return sum;
            },
            [](double a, double b) { return a + b; });
        d_before_ = d_;
        return turn > 0;
    }

    /// Of the compliance, forces and motions scaled by the square root of each contact's own.
    double largest_eigenvalue()
    {
        std::vector<Vec3>& z = best_;
        each([&](std::size_t i) { // any start will do that is not blind to a direction
            const double phase = static_cast<double>(i % 1024);
            z[i] = contacts_[i].normal + Vec3(std::sin(phase), std::cos(1.3 * phase), std::sin(0.7 * phase + 1));
        });
        double value = 1;
        for (int k = 0; k < kPowerIterations; ++k) {
            const double norm = std::sqrt(ordered_sum(
                n_, "contacts", [&](std::int64_t i) { return z[static_cast<std::size_t>(i)].squaredNorm(); }));
            if (!(norm > 0)) return 1;
            each([&](std::size_t i) { world_[i] = z[i] / (norm * std::sqrt(contacts_[i].compliance)); });
            compliance_.apply(world_, out_);
            each([&](std::size_t i) { z[i] = out_[i] / std::sqrt(contacts_[i].compliance); });
            value = std::sqrt(ordered_sum(
                n_, "contacts", [&](std::int64_t i) { return z[static_cast<std::size_t>(i)].squaredNorm(); }));
        }
        return kEigenvalueReserve * std::max(value, 1e-3);
    }

    void measure(ConeSolution& result) const
    {
        struct Worst {
            double residual = 0;
            std::int64_t contact = -1;
        };
        const Worst worst = ordered_reduce(
            n_, "contacts", Worst{},
            [&](std::int64_t begin, std::int64_t end) {
                Worst w;
                for (std::int64_t i = begin; i < end; ++i) {
                    const auto k = static_cast<std::size_t>(i);
                    const double r = coulomb_residual(x_[k], d_[k], contacts_[k].friction, contacts_[k].compliance);
                    if (!(r <= w.residual)) w = {r, i};
                }
                return w;
            },
            [](const Worst& a, const Worst& b) { return b.residual <= a.residual ? a : b; });
        result.residual = worst.residual;
        result.worst = worst.contact;
    }

    void finish()
    {
        each([&](std::size_t i) {
            force_[i] = world_force(i);
            Vec3 d = d_[i];
            d[0] -= contacts_[i].gap;
            motion_[i] = frame_[i].transpose() * d;
        });
    }

    std::span<const ConeContact> contacts_;
    ContactCompliance& compliance_;
    const ConeOptions& options_;
    std::span<const Vec3> guess_;
    std::span<Vec3> force_, motion_;
    std::int64_t n_;
    std::vector<Mat3> frame_;
    std::vector<Vec3> x_, x_before_;         ///< forces in contact frames, shifted [N]
    std::vector<Vec3> d_, d_before_;         ///< motions, gap included [m]
    std::vector<Vec3> best_;                 ///< iterate of the smallest residual
    std::vector<Vec3> start_, start_motion_; ///< as given, world axes and contact frames
    std::vector<Vec3> world_, out_;          ///< of the compliance
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
