#include "strands/penalty_step.h"

#include "base/assert.h"
#include "strands/strand_compliance.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace rivulet {
namespace {

/// Tolerance of the curves, as a part of that of the step.
constexpr double kInnerTolerance = 0.1;

class PenaltyStep {
public:
    PenaltyStep(const StrandModel& model, const StrandState& state, const StrandStep& step,
                std::span<const StrandObstacle> obstacles, const ContactMemory& memory,
                const PenaltyStepOptions& options, PenaltyWorkspace& workspace, StrandUpdate& update,
                ContactUpdate& contact)
        : model_(model), state_(state), step_(step), obstacles_(obstacles), memory_(memory), options_(options),
          workspace_(workspace), update_(update), contact_(contact), guess_(state.position.size()),
          guess_spin_(state.position.size())
    {
        if (!workspace_.edges) workspace_.edges.emplace(model);
        workspace_.factors.resize(model.batches.size());
        const std::vector<double>& radius = workspace_.edges->radius;
        tolerance_ = options.tolerance * *std::min_element(radius.begin(), radius.end());
    }

    void run()
    {
        iterate();
        contact_.n_missed = count_passed(*workspace_.edges, motion(), options_.law, workspace_.pairs);
        end_bridges();
    }

private:
    [[nodiscard]] StrandMotion motion() const { return {state_.position, update_.state.position, step_.hold}; }

    void iterate()
    {
        contact_ = {};
        begin_update(model_, update_);
        if (options_.bridges)
            bridges_ = place_bridges(*workspace_.edges, {state_.position, step_.hold, obstacles_}, *options_.bridges);
        solve_batches(model_, state_, step_, all_batches(model_), nullptr, workspace_.factors, update_);
        while (contact_.rounds < options_.max_rounds) {
            const std::vector<StrandPenalty> found = find();
            if (found.empty() && contact_.contacts.empty()) return;
            ++contact_.rounds;
            std::vector<StrandContact> contacts = solve_forces(found);
            contact_.converged = contact_.converged && contact_.residual <= tolerance_;
            if (contact_.rounds > 1 && contact_.converged) break;
            move(std::move(contacts));
        }
    }

    /// Those of the dry curves, and the bridges. A bridge is the wet part of a pair's curve, which is what is left of
    /// it without stiffness: the curve is linear in both.
    [[nodiscard]] std::vector<StrandPenalty> find()
    {
        std::vector<StrandPenalty> all =
            find_penalties(*workspace_.edges, motion(), obstacles_, options_.law, workspace_.pairs);
        for (const StrandBridge& b : bridges_)
            all.push_back({.contact = b.contact,
                           .distance = b.contact.gap + b.contact.normal.dot(contact_motion(b.contact, motion())),
                           .length = b.length,
                           .curve = PenaltyCurve({.stiffness = 0, .range = options_.law.range}, b.curve.touch()),
                           .attraction = &b.curve});
        std::sort(all.begin(), all.end());
        return all;
    }

    void end_bridges()
    {
        if (!options_.bridges) return;
        contact_.bridges = take_bridges(contact_.contacts, bridges_);
        contact_.links = update_links(*workspace_.edges, {update_.state.position, step_.hold, obstacles_, true},
                                      *options_.bridges, bridges_, workspace_.bridge_pairs);
    }

    /// The linear answer to new forces in the place of the old ones, into the guess; returns what bears them.
    std::vector<StrandContact> solve_forces(const std::vector<StrandPenalty>& found)
    {
        remove_forces();
        const std::size_t n = found.size();
        std::vector<StrandContact> contacts(n);
        std::vector<PenaltyContact> penalties(n);
        std::vector<double> force(n), motion(n);
        for (std::size_t i = 0; i < n; ++i) {
            const StrandPenalty& p = found[i];
            contacts[i] = p.contact;
            const double without = p.contact.normal.dot(contact_offset(p.contact, guess_) - moved(p.contact));
            penalties[i] = {p.contact.normal, p.distance + without, p.length, p.curve, p.attraction};
        }
        guess_forces(contacts, force);
        next_ = std::make_unique<StrandCompliance>(model_, step_.hold, workspace_.factors, contacts);
        const PenaltyOptions options{.tolerance = kInnerTolerance * tolerance_, .linear = {}};
        const PenaltySolution solution = solve_penalties(penalties, *next_, options, force, motion);
        contact_.iterations += solution.iterations;
        contact_.converged = solution.converged;
        contact_.residual = 0;
        std::vector<Vec3> push(n);
        for (std::size_t i = 0; i < n; ++i) {
            contacts[i].force = push[i] = force[i] * contacts[i].normal;
            contact_.residual =
                std::max(contact_.residual, std::abs(penalties[i].distance + motion[i] - found[i].distance));
        }
        next_->add_response(push, guess_, guess_spin_);
        return contacts;
    }

    /// Motion in the step, as the strands are now.
    [[nodiscard]] Vec3 moved(const StrandContact& c) const
    {
        return contact_offset(c, update_.state.position) - contact_offset(c, state_.position);
    }

    /// The guess becomes where strands would go without the forces that they bear.
    void remove_forces()
    {
        for (std::size_t v = 0; v < guess_.size(); ++v) {
            guess_[v] = update_.state.position[v] - state_.position[v];
            guess_spin_[v] = step_.dt * update_.state.spin[v];
        }
        if (!compliance_) return;
        std::vector<Vec3> pull(contact_.contacts.size());
        for (std::size_t i = 0; i < pull.size(); ++i) pull[i] = -contact_.contacts[i].force;
        compliance_->add_response(pull, guess_, guess_spin_);
    }

    /// From the last round, or the last step: both are sorted.
    void guess_forces(const std::vector<StrandContact>& contacts, std::vector<double>& force) const
    {
        std::size_t k = 0;
        for (std::size_t i = 0; i < contacts.size(); ++i) {
            const StrandContact& c = contacts[i];
            if (contact_.rounds > 1) {
                const std::vector<StrandContact>& old = contact_.contacts;
                while (k < old.size() && old[k] < c) ++k;
                if (k < old.size() && !(c < old[k])) force[i] = c.normal.dot(old[k].force);
            } else if (c.bridge >= 0) {
                force[i] = c.normal.dot(c.force);
            } else {
                const auto is_before = [&](std::size_t j) {
                    return memory_.a[j] != c.a ? memory_.a[j] < c.a : memory_.b[j] < c.b;
                };
                while (k < memory_.a.size() && is_before(k)) ++k;
                if (k < memory_.a.size() && memory_.a[k] == c.a && memory_.b[k] == c.b)
                    force[i] = c.normal.dot(memory_.force[k]);
            }
        }
    }

    /// Moves the strands that bear forces, and those that no longer do.
    void move(std::vector<StrandContact> contacts)
    {
        std::vector<std::int32_t> touched(next_->batches().begin(), next_->batches().end());
        if (compliance_) {
            const auto before = compliance_->batches();
            std::vector<std::int32_t> both;
            std::set_union(touched.begin(), touched.end(), before.begin(), before.end(), std::back_inserter(both));
            touched = std::move(both);
        }
        contact_.contacts = std::move(contacts);
        compliance_ = std::move(next_);
        vertex_force_ = vertex_forces(contact_.contacts, state_.position.size());
        StrandStep step = step_;
        step.contact_force = vertex_force_;
        const StrandGuess guess{guess_, guess_spin_};
        solve_batches(model_, state_, step, touched, &guess, workspace_.factors, update_);
    }

    const StrandModel& model_;
    const StrandState& state_;
    const StrandStep& step_;
    std::span<const StrandObstacle> obstacles_;
    const ContactMemory& memory_;
    const PenaltyStepOptions& options_;
    PenaltyWorkspace& workspace_;
    StrandUpdate& update_;
    ContactUpdate& contact_;
    std::vector<StrandBridge> bridges_;                   ///< with the forces of the last step
    double tolerance_ = 0;                                ///< [m]
    std::unique_ptr<StrandCompliance> compliance_, next_; ///< of the forces that strands bear, and of those to come
    std::vector<Vec3> guess_, vertex_force_;
    std::vector<double> guess_spin_;
};

} // namespace

void step_strands(const StrandModel& model, const StrandState& state, const StrandStep& step,
                  std::span<const StrandObstacle> obstacles, const ContactMemory& memory,
                  const PenaltyStepOptions& options, PenaltyWorkspace& workspace, StrandUpdate& update,
                  ContactUpdate& contact)
{
    RIVULET_VERIFY(step.integrator == StrandIntegrator::Euler);
    PenaltyStep(model, state, step, obstacles, memory, options, workspace, update, contact).run();
}

} // namespace rivulet
