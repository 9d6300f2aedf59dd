#include "base/assert.h"
#include "base/parallel.h"
#include "contact/cone_solver.h"
#include "contact/contact_frame.h"
#include "numerics/coulomb.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Part of its mean that is added to a contact's own compliance, which may be nearly singular beside what is held.
constexpr double kRegular = 1e-9;
/// Contacts of one colour that are worth a task.
constexpr std::int64_t kSweepGrain = 32;
/// Sweeps between two looks at the residual.
constexpr int kSweepsPerLook = 4;

using SideMatrix = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>>;

class Sweeps {
public:
    Sweeps(std::span<const ConeContact> contacts, const BlockCompliance& compliance, const ConeOptions& options,
           std::span<const Vec3> guess, std::span<Vec3> force, std::span<Vec3> motion)
        : contacts_(contacts), w_(compliance), options_(options), force_(force), motion_(motion),
          colours_(colour_contacts(compliance))
    {
        const std::size_t n = contacts.size();
        frame_.resize(n);
        x_.resize(n);
        base_.resize(n);
        own_.resize(n);
        local_.reserve(n);
        own_inverse_.resize(n);
        multiplier_.assign(n, 0);
        side_motion_.assign(w_.body.size(), Vec3::Zero());
        for (std::size_t i = 0; i < n; ++i) {
            const ConeContact& c = contacts[i];
            frame_[i] = contact_frame(c.normal);
            own_[i] = frame_[i] * own_compliance(i) * frame_[i].transpose();
            own_[i].diagonal().array() += kRegular * own_[i].trace() / 3;
            local_.emplace_back(own_[i], c.friction);
            if (c.is_joint) own_inverse_[i] = own_[i].inverse();
            x_[i] = first_force(c, frame_[i] * guess[i]);
            base_[i] = frame_[i] * motion[i];
            base_[i][0] += c.gap;
        }
    }

    ConeSolution run()
    {
        for (std::size_t i = 0; i < contacts_.size(); ++i) push(i, world(i, x_[i]) - force_[i]);
        ConeSolution result;
        measure(result);
        while (result.residual > options_.tolerance && result.iterations < options_.max_iterations) {
            for (int k = 0; k < kSweepsPerLook; ++k, ++result.iterations)
                coloured_for(
                    colours_, "contact sweeps", [&](std::int32_t i) { relax(static_cast<std::size_t>(i)); },
                    kSweepGrain);
            measure(result);
        }
        result.converged = result.residual <= options_.tolerance;
        finish();
        return result;
    }

private:
    [[nodiscard]] static Vec3 first_force(const ConeContact& c, Vec3 guess)
    {
        if (c.bridge) return {std::min(guess[0], 0.0), 0, 0};
        guess[0] += c.cohesion;
        return c.is_joint ? guess : project_on_cone(guess, c.friction);
    }

    [[nodiscard]] std::size_t n_sides(std::size_t body) const { return w_.first[body + 1] - w_.first[body]; }
    /// The three rows of a side in the matrix of its body.
    [[nodiscard]] SideMatrix rows(std::int32_t side) const
    {
        const auto s = static_cast<std::size_t>(side);
        const auto b = static_cast<std::size_t>(w_.body[s]);
        const std::size_t width = 3 * n_sides(b);
        return {w_.values.data() + w_.block[b] + 3 * (s - w_.first[b]) * width, 3, static_cast<Eigen::Index>(width)};
    }
    [[nodiscard]] Mat3 between(std::int32_t a, std::int32_t b) const
    {
        const auto first = w_.first[static_cast<std::size_t>(w_.body[static_cast<std::size_t>(a)])];
        return rows(a).middleCols<3>(static_cast<Eigen::Index>(3 * (static_cast<std::size_t>(b) - first)));
    }

    [[nodiscard]] Mat3 own_compliance(std::size_t i) const
    {
        const auto [a, b] = w_.sides[i];
        Mat3 own = between(a, a);
        if (b < 0) return own;
        own += between(b, b);
        if (w_.body[static_cast<std::size_t>(a)] == w_.body[static_cast<std::size_t>(b)])
            own += between(a, b) + between(b, a);
        return own;
    }

    /// World force of a shifted force in the contact's frame.
    [[nodiscard]] Vec3 world(std::size_t i, Vec3 x) const
    {
        x[0] -= contacts_[i].cohesion;
        return frame_[i].transpose() * x;
    }

    /// Adds the motion of all sides of the bodies that a change of the force moves.
    void push(std::size_t i, const Vec3& change)
    {
        for (const std::int32_t side : w_.sides[i]) {
            if (side < 0) continue;
            const auto body = static_cast<std::size_t>(w_.body[static_cast<std::size_t>(side)]);
            const SideMatrix w = rows(side); // symmetric: its rows are its columns
            double* out = side_motion_[w_.first[body]].data();
            const double *x = w.data(), *y = x + w.cols(), *z = y + w.cols();
            for (Eigen::Index k = 0; k < w.cols(); ++k)
                out[k] += x[k] * change[0] + y[k] * change[1] + z[k] * change[2];
        }
    }

    /// Motion, gap included, in the contact's frame.
    [[nodiscard]] Vec3 moved(std::size_t i) const
    {
        const auto [a, b] = w_.sides[i];
        Vec3 d = side_motion_[static_cast<std::size_t>(a)];
        if (b >= 0) d += side_motion_[static_cast<std::size_t>(b)];
        return base_[i] + frame_[i] * d;
    }

    /// The force that obeys the law with those of all others held.
    [[nodiscard]] Vec3 lawful(std::size_t i, const Vec3& motion)
    {
        const ConeContact& c = contacts_[i];
        if (c.is_joint) return x_[i] - own_inverse_[i] * motion;
        if (c.bridge) return pull(c, motion[0] - own_[i](0, 0) * x_[i][0], own_[i](0, 0));
        return local_[i].solve(motion - own_[i] * x_[i], multiplier_[i]);
    }
    [[nodiscard]] static Vec3 pull(const ConeContact& c, double free_distance, double compliance)
    {
        return {-c.bridge->solve(free_distance, compliance, c.length), 0, 0};
    }

    void relax(std::size_t i)
    {
        const Vec3 before = x_[i];
        x_[i] = lawful(i, moved(i));
        if (x_[i] != before) push(i, frame_[i].transpose() * (x_[i] - before));
    }

    /// Of the law, as a motion [m].
    [[nodiscard]] double residual(std::size_t i, const Vec3& motion) const
    {
        const ConeContact& c = contacts_[i];
        if (c.is_joint) return kJointPrecision * motion.norm();
        if (c.bridge) return c.compliance * (x_[i] - pull(c, motion[0] - c.compliance * x_[i][0], c.compliance)).norm();
        return coulomb_residual(x_[i], motion, c.friction, c.compliance);
    }

    void measure(ConeSolution& result) const
    {
        result.residual = 0;
        result.worst = -1;
        for (std::size_t i = 0; i < contacts_.size(); ++i) {
            const double r = residual(i, moved(i));
            if (r <= result.residual) continue;
            result.residual = r;
            result.worst = static_cast<std::int64_t>(i);
        }
    }

    void finish()
    {
        for (std::size_t i = 0; i < contacts_.size(); ++i) {
            force_[i] = world(i, x_[i]);
            Vec3 d = moved(i);
            d[0] -= contacts_[i].gap;
            motion_[i] = frame_[i].transpose() * d;
        }
    }

    std::span<const ConeContact> contacts_;
    const BlockCompliance& w_;
    const ConeOptions& options_;
    std::span<Vec3> force_, motion_;
    std::vector<std::vector<std::int32_t>> colours_;
    std::vector<Mat3> frame_;
    std::vector<Vec3> x_;           ///< forces in contact frames, shifted [N]
    std::vector<Vec3> base_;        ///< motions under the forces given, gap included [m]
    std::vector<Mat3> own_;         ///< compliance of each contact by itself, in its frame
    std::vector<Mat3> own_inverse_; ///< of joints
    std::vector<CoulombContact> local_;
    std::vector<double> multiplier_; ///< of sliding, in the last sweep [m/N]
    std::vector<Vec3> side_motion_;  ///< since then, by side, world axes [m]
};

} // namespace

std::vector<std::vector<std::int32_t>> colour_contacts(const BlockCompliance& compliance)
{
    std::vector<std::vector<std::int32_t>> colours;
    // A contact takes the first colour after the last one of its bodies: those of a body come in the order of contacts.
    std::vector<std::size_t> next(compliance.first.size() - 1, 0);
    for (std::size_t i = 0; i < compliance.sides.size(); ++i) {
        const auto [a, b] = compliance.sides[i];
        std::size_t& of_a = next[static_cast<std::size_t>(compliance.body[static_cast<std::size_t>(a)])];
        std::size_t& of_b = b < 0 ? of_a : next[static_cast<std::size_t>(compliance.body[static_cast<std::size_t>(b)])];
        const std::size_t colour = std::max(of_a, of_b);
        of_a = of_b = colour + 1;
        if (colour >= colours.size()) colours.resize(colour + 1);
        colours[colour].push_back(static_cast<std::int32_t>(i));
    }
    return colours;
}

ConeSolution sweep_cones(std::span<const ConeContact> contacts, const BlockCompliance& compliance,
                         const ConeOptions& options, std::span<const Vec3> guess, std::span<Vec3> force,
                         std::span<Vec3> motion)
{
    const std::size_t n = contacts.size();
    RIVULET_VERIFY(guess.size() == n && force.size() == n && motion.size() == n && compliance.sides.size() == n);
    if (contacts.empty()) return {.converged = true};
    return Sweeps(contacts, compliance, options, guess, force, motion).run();
}

} // namespace rivulet
