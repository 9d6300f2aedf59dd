#include "base/assert.h"
#include "base/parallel.h"
#include "contact/cone_solver.h"
#include "contact/contact_frame.h"
#include "numerics/coulomb.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rivulet {
namespace {

/// Part of its mean that is added to a contact's own compliance, which may be nearly singular beside what is held.
constexpr double kRegular = 1e-9;
/// Contacts of one colour that are worth a task.
constexpr std::int64_t kSweepGrain = 32;
constexpr std::int64_t kLookGrain = 512;
/// Sweeps between two looks at the residual; more where they pass over few contacts.
constexpr int kSweepsPerLook = 4, kMostSweepsPerLook = 32;
/// Bodies are swept while a contact of theirs is off by more than this part of the tolerance.
constexpr double kActive = 0.3;
/// Sweeps over few contacts, for one over all of them.
constexpr int kPartialSweeps = 4;

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
        residual_.assign(n, 0);
        is_changed_.assign(n, 0);
        active_.resize(colours_.size());
        side_motion_.assign(w_.axis.back(), 0.0);
        node_motion_.assign(w_.node.empty() ? 0 : 3 * w_.node.back(), 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            const ConeContact& c = contacts[i];
            frame_[i] = contact_frame(c.normal);
            own_[i] = own_compliance(i);
            own_[i](0, 0) += c.softness;
            own_[i].diagonal().array() += kRegular * own_[i].trace() / static_cast<double>(n_axes(c));
            local_.emplace_back(own_[i], c.friction);
            if (c.is_joint) own_inverse_[i] = own_[i].inverse();
            is_changed_[i] = guess[i] != force[i];
            x_[i] = is_changed_[i] ? first_force(c, frame_[i] * guess[i]) : shifted(c, frame_[i] * force[i]);
            base_[i] = frame_[i] * motion[i];
            base_[i][0] += c.gap;
        }
    }

    ConeSolution run()
    {
        for (std::size_t i = 0; i < contacts_.size(); ++i)
            if (is_changed_[i]) push(i, unshifted(i) - frame_[i] * force_[i]);
        ConeSolution result;
        measure(result);
        const auto n = static_cast<std::int64_t>(contacts_.size());
        std::int64_t n_updates = 0;
        for (int done = 0; result.residual > options_.tolerance && result.iterations < options_.max_iterations &&
                           done < kPartialSweeps * options_.max_iterations;) {
            const std::int64_t n_active = gather_active();
            const auto sweeps = static_cast<int>(
                std::clamp<std::int64_t>(kSweepsPerLook * n / n_active, kSweepsPerLook, kMostSweepsPerLook));
            for (int k = 0; k < sweeps; ++k)
                coloured_for(
                    active_, "contact sweeps", [&](std::int32_t i) { relax(static_cast<std::size_t>(i)); },
                    kSweepGrain);
            done += sweeps;
            n_updates += sweeps * n_active;
            result.iterations = static_cast<int>((n_updates + n - 1) / n);
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
        guess = shifted(c, guess);
        return c.is_joint ? guess : project_on_cone(guess, c.friction);
    }
    [[nodiscard]] static Vec3 shifted(const ConeContact& c, Vec3 force)
    {
        force[0] += c.cohesion;
        return force;
    }

    /// The rows of a side in the matrix of its body.
    struct Rows {
        const double* values;
        std::size_t width;
        std::size_t first; ///< axis of the body
    };
    [[nodiscard]] Rows rows(std::int32_t side) const
    {
        const auto s = static_cast<std::size_t>(side);
        const auto b = static_cast<std::size_t>(w_.body[s]);
        const std::size_t first = w_.axis[w_.first[b]], width = w_.axis[w_.first[b + 1]] - first;
        return {w_.values.data() + w_.block[b] + (w_.axis[s] - first) * width, width, first};
    }

    [[nodiscard]] bool has_nodes(std::int32_t side) const
    {
        return w_.n_nodes(static_cast<std::size_t>(w_.body[static_cast<std::size_t>(side)])) > 0;
    }
    /// The three rows of a node in the matrix of its body.
    [[nodiscard]] Rows node_rows(std::size_t b, std::size_t node) const
    {
        const std::size_t width = 3 * w_.n_nodes(b);
        return {w_.values.data() + w_.block[b] + 3 * (node - w_.node[b]) * width, width, 3 * w_.node[b]};
    }
    /// Motion of one side for forces on another one of the same body, which has nodes, in world axes.
    [[nodiscard]] Mat3 between(std::size_t s, std::size_t t) const
    {
        Mat3 sum = Mat3::Zero();
        const auto b = static_cast<std::size_t>(w_.body[s]);
        const BlockCompliance::Place &p = w_.place[s], &q = w_.place[t];
        for (const std::size_t e : {0, 1}) {
            const Rows r = node_rows(b, p.node + e);
            for (const std::size_t f : {0, 1})
                for (std::size_t k = 0; k < 3; ++k)
                    for (std::size_t l = 0; l < 3; ++l)
                        sum(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(l)) +=
                            p.weight[e] * q.weight[f] * r.values[k * r.width + 3 * (q.node + f) - r.first + l];
        }
        return sum;
    }

    /// Of a bridge, only along the normal.
    [[nodiscard]] Mat3 own_compliance(std::size_t i) const
    {
        const std::size_t n = n_axes(contacts_[i]);
        const auto axes = static_cast<Eigen::Index>(n);
        Mat3 own = Mat3::Zero();
        if (n == 1) own(1, 1) = own(2, 2) = 1;
        for (const std::int32_t a : w_.sides[i])
            for (const std::int32_t b : w_.sides[i]) {
                if (a < 0 || b < 0) continue;
                const auto s = static_cast<std::size_t>(a), t = static_cast<std::size_t>(b);
                if (w_.body[s] != w_.body[t]) continue;
                if (has_nodes(a)) {
                    own.topLeftCorner(axes, axes) +=
                        (frame_[i] * between(s, t) * frame_[i].transpose()).topLeftCorner(axes, axes);
                    continue;
                }
                const Rows r = rows(a);
                for (std::size_t k = 0; k < n; ++k)
                    for (std::size_t l = 0; l < n; ++l)
                        own(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(l)) +=
                            r.values[k * r.width + w_.axis[t] - r.first + l];
            }
        return own;
    }

    /// The force itself of a shifted one, in the contact's frame.
    [[nodiscard]] Vec3 unshifted(std::size_t i) const
    {
        Vec3 x = x_[i];
        x[0] -= contacts_[i].cohesion;
        return x;
    }

    /// Adds the motion of all sides of the bodies that a change of the force moves.
    void push(std::size_t i, const Vec3& change)
    {
        const bool is_bridge = n_axes(contacts_[i]) == 1;
        for (const std::int32_t side : w_.sides[i]) {
            if (side < 0) continue;
            if (has_nodes(side)) {
                push_nodes(side, is_bridge ? Vec3(change[0] * contacts_[i].normal) : frame_[i].transpose() * change);
                continue;
            }
            const Rows r = rows(side); // symmetric: its rows are its columns
            double* out = side_motion_.data() + r.first;
            const double *x = r.values, along = change[0];
            if (is_bridge) {
                for (std::size_t k = 0; k < r.width; ++k) out[k] += x[k] * along;
                continue;
            }
            const double *y = x + r.width, *z = y + r.width;
            for (std::size_t k = 0; k < r.width; ++k) out[k] += x[k] * along + y[k] * change[1] + z[k] * change[2];
        }
    }

    /// The same for the nodes of one body; the force is along world axes.
    void push_nodes(std::int32_t side, const Vec3& force)
    {
        const auto s = static_cast<std::size_t>(side);
        const auto b = static_cast<std::size_t>(w_.body[s]);
        const BlockCompliance::Place& place = w_.place[s];
        const Rows r = node_rows(b, place.node); // those of the next node follow
        const Vec3 first = place.weight[0] * force, second = place.weight[1] * force;
        const double *x = r.values, *y = x + r.width, *z = y + r.width;
        const double *u = z + r.width, *v = u + r.width, *w = v + r.width;
        double* out = node_motion_.data() + r.first;
        for (std::size_t k = 0; k < r.width; ++k)
            out[k] += x[k] * first[0] + y[k] * first[1] + z[k] * first[2] + u[k] * second[0] + v[k] * second[1] +
                      w[k] * second[2];
    }
    /// How a side moves that lies between nodes, in world axes.
    [[nodiscard]] Vec3 between_nodes(std::int32_t side) const
    {
        const BlockCompliance::Place& place = w_.place[static_cast<std::size_t>(side)];
        const double* at = node_motion_.data() + 3 * place.node;
        return place.weight[0] * Vec3(at[0], at[1], at[2]) + place.weight[1] * Vec3(at[3], at[4], at[5]);
    }

    /// Motion, gap and what it gives way included, in the contact's frame.
    [[nodiscard]] Vec3 moved(std::size_t i) const
    {
        Vec3 d = base_[i];
        const std::size_t n = n_axes(contacts_[i]);
        for (const std::int32_t side : w_.sides[i]) {
            if (side < 0) continue;
            if (has_nodes(side)) {
                d.head(static_cast<Eigen::Index>(n)) +=
                    (frame_[i] * between_nodes(side)).head(static_cast<Eigen::Index>(n));
                continue;
            }
            const double* at = side_motion_.data() + w_.axis[static_cast<std::size_t>(side)];
            for (std::size_t k = 0; k < n; ++k) d[static_cast<Eigen::Index>(k)] += at[k];
        }
        d[0] += contacts_[i].softness * x_[i][0];
        return d;
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
        if (x_[i] == before) return;
        is_changed_[i] = 1;
        push(i, x_[i] - before);
    }

    /// Of the law, as a motion [m].
    [[nodiscard]] double residual(std::size_t i, const Vec3& motion) const
    {
        const ConeContact& c = contacts_[i];
        if (c.is_joint) return kJointPrecision * motion.norm();
        if (c.bridge) return c.compliance * (x_[i] - pull(c, motion[0] - c.compliance * x_[i][0], c.compliance)).norm();
        return coulomb_residual(x_[i], motion, c.friction, c.compliance);
    }

    /// Contacts, by colour, of bodies on which the law is not yet obeyed; how many.
    std::int64_t gather_active()
    {
        const double limit = kActive * options_.tolerance;
        const auto bodies = [&](std::size_t i, auto&& visit) {
            for (const std::int32_t side : w_.sides[i])
                if (side >= 0) visit(is_active_[static_cast<std::size_t>(w_.body[static_cast<std::size_t>(side)])]);
        };
        is_active_.assign(w_.first.size() - 1, 0);
        for (std::size_t i = 0; i < contacts_.size(); ++i)
            if (residual_[i] > limit) bodies(i, [](std::uint8_t& body) { body = 1; });
        std::int64_t n = 0;
        for (std::size_t colour = 0; colour < colours_.size(); ++colour) {
            active_[colour].clear();
            for (const std::int32_t i : colours_[colour]) {
                bool is_active = false;
                bodies(static_cast<std::size_t>(i), [&](const std::uint8_t& body) { is_active |= body != 0; });
                if (is_active) active_[colour].push_back(i);
            }
            n += static_cast<std::int64_t>(active_[colour].size());
        }
        return n;
    }

    void measure(ConeSolution& result)
    {
        parallel_for(
            static_cast<std::int64_t>(contacts_.size()), "contact sweeps",
            [&](std::int64_t k) {
                const auto i = static_cast<std::size_t>(k);
                residual_[i] = residual(i, moved(i));
            },
            kLookGrain);
        const auto worst = std::max_element(residual_.begin(), residual_.end());
        result.residual = *worst;
        result.worst = *worst > 0 ? worst - residual_.begin() : -1;
    }

    /// Forces that nothing changed keep their bits.
    void finish()
    {
        for (std::size_t i = 0; i < contacts_.size(); ++i) {
            if (is_changed_[i]) force_[i] = frame_[i].transpose() * unshifted(i);
            Vec3 d = moved(i);
            d[0] -= contacts_[i].gap;
            d[0] -= contacts_[i].softness * x_[i][0];
            if (contacts_[i].bridge) d[1] = d[2] = 0;
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
    std::vector<std::vector<std::int32_t>> active_; ///< contacts that are swept, by colour
    std::vector<std::uint8_t> is_active_;           ///< bodies
    std::vector<std::uint8_t> is_changed_;          ///< contacts with another force than given
    std::vector<double> residual_;                  ///< at the last look [m]
    std::vector<double> multiplier_;                ///< of sliding, in the last sweep [m/N]
    std::vector<double> side_motion_;               ///< since then, by axes of sides [m]
    std::vector<double> node_motion_;               ///< the same of nodes, by x, y and z [m]
};

} // namespace

void BlockCompliance::resize(std::span<const ConeContact> contacts)
{
    axis.assign(body.size() + 1, 0);
    for (std::size_t i = 0; i < contacts.size(); ++i)
        for (const std::int32_t side : sides[i])
            if (side >= 0) axis[static_cast<std::size_t>(side) + 1] = n_axes(contacts[i]);
    std::partial_sum(axis.begin(), axis.end(), axis.begin());
    block.clear();
    std::size_t size = 0;
    for (std::size_t b = 0; b + 1 < first.size(); ++b) {
        block.push_back(size);
        const std::size_t width = n_nodes(b) > 0 ? 3 * n_nodes(b) : axis[first[b + 1]] - axis[first[b]];
        size += width * width;
    }
    values.assign(size, 0.0);
}

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
