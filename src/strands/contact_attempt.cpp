#include "strands/contact_attempt.h"

#include "base/parallel.h"
#include "strands/contact_forces.h"
#include "strands/contact_packs.h"
#include "strands/contact_search.h"
#include "strands/newton_rounds.h"
#include "strands/slid_contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace rivulet {
namespace {

/// Penetration, as a part of the thinnest radius, that calls for another round when the step's work on contacts is used
/// up.
constexpr double kLateDepth = 0.5;
/// And one that counts as a contact missed.
constexpr double kMissedDepth = 1;
/// And, where strands are wet, one of a known contact that calls for a second attempt.
constexpr double kLeftDepth = 0.3;
/// And what is left of Coulomb's law, as a motion, that does: overlaps of so much a step would add up.
constexpr double kLeftResidual = 0.1;
/// Forces of the last step are taken as they are if more than this part of them is needed.
constexpr double kEased = 0.8;
/// How much further contacts may take a strand than the motion, against each other, that they end.
constexpr double kReach = 2;
/// What the first round may leave of Coulomb's law, as a motion in radii of the thinnest strand, if strands that buckle
/// are to be held any longer.
constexpr double kVainResidual = 1;
/// Rounds of a step with stiff strands, as a multiple of those of others.
constexpr int kStiffRounds = 3;

constexpr std::int64_t kStepGrain = 512;

template <class Body>
void each(std::size_t n, Body&& body)
{
    parallel_for(
        static_cast<std::int64_t>(n), "contact step", [&](std::int64_t i) { body(static_cast<std::size_t>(i)); },
        kStepGrain);
}

class ContactAttempt {
public:
    ContactAttempt(const ContactCase& given, ContactWorkspace::Parts& parts, Buckling buckling, StrandUpdate& update,
                   ContactUpdate& contact)
        : given_(given), parts_(parts), buckling_(buckling), update_(update), contact_(contact),
          search_(given, parts.pairs, parts.carried_pairs), stiff_(given)
    {
    }
    /// Whether strands that buckle were held, and there is no step.
    [[nodiscard]] bool failed_holding() const
    {
        return has_held_ && (contact_.thrown >= 0 || contact_.n_unbearable > 0);
    }
    [[nodiscard]] bool gave_up() const { return gave_up_; }

    void run()
    {
        contact_ = {};
        begin_update(given_.model, update_);
        begin_bridges();
        const bool is_few_wet = is_wet() && are_few_strands(given_) && bridges_.size() <= few_wet_contacts(given_);
        if (!is_few_wet || !goes_by_newton(false)) {
            go_by_rounds();
            if (gave_up_) return;
            if (is_wet() && has_failed()) (void)goes_by_newton(contact_.n_unbearable > 0);
        }
        if (contact_.thrown >= 0) return;
        if (is_wet()) count_known_missed();
        count_open_joints();
        count_deep();
        contact_.is_bearable = contact_.n_unbearable == 0;
        end_bridges();
    }

private:
    /// Rounds of finding contacts, solving for their forces and moving the strands under these with their full laws.
    void go_by_rounds()
    {
        set_out();
        hold_buckled();
        ease_carried();
        while (find() && contact_.rounds < max_rounds()) {
            if (is_wet() && !is_better()) break;
            ++contact_.rounds;
            if (!solve_forces()) break;
            gave_up_ = is_held_in_vain();
            if (gave_up_) return;
            move(contact_.contacts);
            if (stiffen_astray()) move(contact_.contacts);
            if (leads_nowhere()) break;
        }
        if (contact_.thrown < 0) settle_pairs();
    }

    [[nodiscard]] bool is_wet() const { return !bridges_.empty(); }

    void begin_bridges()
    {
        const BridgeInput* input = given_.options.bridges;
        if (!input) return;
        bridges_ = place_bridges(given_.edges, {given_.state.position, given_.step.hold, given_.obstacles}, *input);
        for (StrandBridge& b : bridges_) {
            b.curve = b.curve.rising_about(b.contact.gap);
            b.curve.limit_closing(b.contact.gap, given_.step.dt * input->closing_speed);
        }
    }

    void end_bridges()
    {
        if (!given_.options.bridges) return;
        contact_.bridges = take_bridges(contact_.contacts, bridges_);
        contact_.links = update_links(given_.edges, {update_.state.position, given_.step.hold, given_.obstacles, true},
                                      *given_.options.bridges, bridges_, parts_.bridge_pairs);
    }

    /// Dry strands set out under the forces that what touches them had in the last step: where they lie still, that is
    /// most of the answer already, and taut ones are drawn less far towards what they are wound about. With bridges
    /// they set out free.
    void set_out()
    {
        if (!is_wet()) carried_ = search_.remembered();
        std::vector<Vec3> vertex_force;
        if (!carried_.empty()) vertex_force = vertex_forces(carried_, given_.state.position.size());
        StrandStep step = given_.step;
        step.contact_force = vertex_force;
        solve_batches(given_.model, given_.state, step, all_batches(given_.model), nullptr, given_.factors, update_);
    }

    /// A strand that buckles under forces that do not change as it gives way is thrown, though nothing struck it, and
    /// the first round would begin from there. It sets out again with springs about where inertia takes it.
    void hold_buckled()
    {
        if (carried_.empty() || buckling_ == Buckling::Let) return;
        guess_.resize(given_.state.position.size());
        guess_spin_.resize(guess_.size());
        each(guess_.size(), [&](std::size_t v) {
            guess_[v] = given_.step.dt * given_.state.velocity[v];
            guess_spin_[v] = given_.step.dt * given_.state.spin[v];
        });
        touched_ = all_batches(given_.model);
        has_held_ = stiff_.add_buckled(carried_, update_, guess_, touched_);
        if (has_held_) move(carried_);
    }

    /// Where the first round finds no forces for strands that are held, the next would find a blow that is none.
    [[nodiscard]] bool is_held_in_vain() const
    {
        return buckling_ == Buckling::HoldUnlessVain && has_held_ && contact_.rounds == 1 && !contact_.converged &&
               contact_.residual > kVainResidual * given_.thinnest;
    }

    /// Where that throws strands apart, since the last step was a blow, only as much of it is taken as is needed.
    void ease_carried()
    {
        if (carried_.empty()) return;
        StrandCompliance compliance = answer_of(carried_);
        const std::size_t n = carried_.size();
        std::vector<Vec3> force(n), moved(n), answer(n);
        for (std::size_t i = 0; i < n; ++i) {
            force[i] = carried_[i].force;
            moved[i] = contact_motion(carried_[i], motion());
        }
        compliance.apply(force, answer);
        const std::vector<double> part = needed_part(given_.model, carried_, moved, answer);
        bool is_eased = false;
        for (std::size_t i = 0; i < n; ++i) {
            if (part[i] > kEased) continue;
            force[i] *= part[i];
            is_eased = true;
        }
        if (!is_eased) return;
        predict(compliance, force, carried_);
        touched_ = compliance.batches_where([&](std::size_t i) { return force[i] != carried_[i].force; });
        for (std::size_t i = 0; i < n; ++i) {
            carried_[i].force = force[i];
            carried_[i].excess = Vec3::Zero();
        }
        move(carried_);
    }

    [[nodiscard]] StrandMotion motion() const { return given_.motion(update_); }
    [[nodiscard]] StrandCompliance answer_of(std::span<const StrandContact> contacts) const
    {
        return {given_.model, given_.step.hold, given_.factors, contacts};
    }
    [[nodiscard]] int max_rounds() const { return (stiff_.empty() ? 1 : kStiffRounds) * given_.options.max_rounds; }

    /// Whether dry rounds have used up what a step may cost and Coulomb's law was off in two after each other: they
    /// would find ever more contacts, and no forces. The step is no solution. A wet step is left to Newton's rounds at
    /// once.
    [[nodiscard]] bool leads_nowhere()
    {
        n_unbearable_rounds_ = contact_.n_unbearable > 0 ? n_unbearable_rounds_ + 1 : 0;
        if (is_wet()) return n_unbearable_rounds_ > 0 && !is_sketch() && are_few();
        return !given_.options.bridges && n_unbearable_rounds_ > 1 && work_ > given_.options.step_updates;
    }

    /// Adds contacts that the present end of the step would bring about; false if there is nothing to do about any.
    bool find()
    {
        std::vector<StrandContact>& all = contact_.contacts;
        // What only a motion needs: memory is at its peak while contacts and their forces are looked for.
        guess_ = std::vector<Vec3>();
        solved_force_ = std::vector<Vec3>();
        guess_spin_ = std::vector<double>();
        const bool is_first = contact_.rounds == 0, only_joints = given_.options.only_joints;
        if (is_first) {
            all = search_.ties(bridges_, carried_, motion());
            carried_ = std::vector<StrandContact>();
        }
        std::vector<StrandContact> found, added;
        if (!only_joints) found = search_.run_into(motion(), !is_first);
        if (!only_joints && is_first && is_wet()) found = search_.with_carried(found, motion());
        std::set_difference(found.begin(), found.end(), all.begin(), all.end(), std::back_inserter(added));
        if (contact_.rounds >= max_rounds()) {
            count_missed(added);
            return false;
        }
        bool has_slid = !is_first && !is_wet() && follow_slid(given_.edges, motion(), all);
        has_slid = follow_on_obstacles(found, motion(), kLateDepth * given_.thinnest, all) || has_slid;
        if (is_first ? all.empty() && added.empty() : !has_slid && is_done(added)) return false;
        if (!is_first && !only_joints && !is_wet()) {
            drop_idle(given_, motion(), found, all);
            search_.add_struck(all, motion(), added);
        }
        add(added);
        return true;
    }
    [[nodiscard]] bool is_missed(const StrandContact& c) const
    {
        return !c.is_joint && c.bridge < 0 && contact_depth(c, motion()) > kMissedDepth * given_.thinnest;
    }
    /// What the last round left too near: contacts that it brought about, and those that it knew, where strands are wet
    /// after the second attempt.
    void count_missed(const std::vector<StrandContact>& added)
    {
        for (const StrandContact& c : added) contact_.n_missed += is_missed(c) ? 1 : 0;
        if (!is_wet()) count_known_missed();
    }
    [[nodiscard]] bool has_gone_through(const StrandContact& c) const
    {
        return c.bridge < 0 && slid_through(given_.edges, c, motion()).has_value();
    }
    /// Of several kinds the first is told.
    void add_flaw(ContactFlaw flaw, double size)
    {
        if (contact_.n_unbearable++ == 0) contact_.flaw = flaw;
        if (contact_.flaw == flaw) contact_.flaw_size = std::max(contact_.flaw_size, size);
    }
    /// Dry ones that went through each other make the step no solution, and wet ones that it left far too near, unless
    /// that is as far as they had to give way.
    void count_known_missed()
    {
        const bool is_counted = contact_.n_unbearable > 0; // among those whose forces were not found
        for (const StrandContact& c : contact_.contacts) {
            const bool is_through = has_gone_through(c), is_deep = is_missed(c);
            const double depth = contact_depth(c, motion());
            const bool is_too_deep = !contact_.gives_way && depth > given_.options.bearable * given_.thinnest;
            if (is_wet() ? is_deep && is_too_deep : is_through)
                add_flaw(is_wet() ? ContactFlaw::Depth : ContactFlaw::Through, depth);
            else if (is_through || (is_deep && !is_counted))
                ++contact_.n_missed;
        }
    }
    void add(const std::vector<StrandContact>& added) { add_contacts(added, motion(), given_, contact_.contacts); }

    /// Whether the last round was good enough but for these contacts, which it brought about.
    [[nodiscard]] bool is_done(const std::vector<StrandContact>& added) const
    {
        return deepest_of(added) <= allowed_depth() &&
               !is_unforeseen(contact_.contacts, foreseen_depth_, motion(), allowed_depth()) &&
               stiff_forces_settled(given_, contact_.contacts, motion(), stiff_, allowed_depth()) &&
               (contact_.converged || !is_sketch());
    }
    /// The first round of a wet step is a sketch: those that follow find more contacts and know the strands' answer
    /// better, so that all but where they begin is lost of it.
    [[nodiscard]] bool is_sketch() const { return contact_.rounds == 1 && is_wet(); }

    /// Whether the last round left less to be done than the one before; if not, that one is taken back. In wet clumps
    /// more contacts at once may make it worse. A sketch is not taken back to.
    [[nodiscard]] bool is_better()
    {
        const double now =
            contact_.rounds > 0 ? deepest_of(contact_.contacts) : std::numeric_limits<double>::infinity();
        const bool was_sketch = contact_.rounds == 2 && !before_.contact.converged;
        if (contact_.rounds > 1 && !was_sketch && now >= before_.deepest) {
            update_ = std::move(before_.update);
            contact_ = std::move(before_.contact);
            return false;
        }
        before_ = {now, update_, contact_};
        return true;
    }

    /// Penetration that calls for another round: more where many contacts have cost their share already.
    [[nodiscard]] double allowed_depth() const
    {
        return (work_ < given_.options.step_updates ? kAllowedDepth : kLateDepth) * given_.thinnest;
    }
    [[nodiscard]] double deepest_of(const std::vector<StrandContact>& contacts) const
    {
        return rivulet::deepest_of(contacts, motion());
    }

    /// False if that leads nowhere: the step is to be tried again with less time.
    [[nodiscard]] bool solve_forces()
    {
        std::vector<StrandContact>& all = contact_.contacts;
        StrandCompliance compliance = answer_of(all);
        ContactForces found = solve_contact_forces(given_, all, bridges_, motion(), stiff_, compliance,
                                                   is_sketch() ? ForceSearch::Sketch : ForceSearch::Round);
        if (found.broken >= 0) {
            contact_.thrown =
                static_cast<std::int32_t>(given_.strand_of(all[static_cast<std::size_t>(found.broken)].a));
            return false;
        }
        contact_.iterations += found.iterations;
        contact_.residual = found.residual;
        contact_.converged = found.converged;
        contact_.n_unbearable = found.n_unbearable;
        work_ += static_cast<std::int64_t>(found.iterations) * static_cast<std::int64_t>(all.size());
        predict(compliance, found.force, all);
        touched_ = compliance.batches_where([&](std::size_t i) {
            return found.force[i] != all[i].force || all[i].excess != Vec3::Zero() || stiff_.touches(all[i]);
        });
        foreseen_depth_.resize(all.size());
        each(all.size(), [&](std::size_t i) {
            all[i].force = found.force[i];
            all[i].excess = Vec3::Zero();
            foreseen_depth_[i] = contact_depth(all[i], found.moved[i]);
        });
        solved_force_ = std::move(found.force);
        contact_.thrown = find_thrown();
        return contact_.thrown < 0;
    }

    /// A strand that is foreseen to go further from where it set out than its length and what touches it can take it;
    /// -1 if there is none. Rounds that begin from there throw what it runs into as well.
    [[nodiscard]] std::int32_t find_thrown()
    {
        if (is_wet()) return -1;
        if (contact_.rounds == 1) {
            set_out_ = update_.state.position;
            for (const StrandContact& c : contact_.contacts)
                reach_ = std::max(reach_, contact_motion(c, motion()).norm());
        }
        const StrandModel& model = given_.model;
        for (std::int32_t s = 0; s < model.n_strands(); ++s) {
            const auto begin = static_cast<std::size_t>(model.first[static_cast<std::size_t>(s)]);
            const auto end = static_cast<std::size_t>(model.first[static_cast<std::size_t>(s) + 1]);
            double length = 0;
            for (std::size_t v = begin; v + 1 < end; ++v) length += model.rest_length[v];
            for (std::size_t v = begin; v < end; ++v)
                if (!((given_.state.position[v] + guess_[v] - set_out_[v]).norm() <= length + kReach * reach_))
                    return s;
        }
        return -1;
    }

    /// Where the strands will go, as the linear answer to the change of the forces has it.
    void predict(const StrandCompliance& compliance, const std::vector<Vec3>& force,
                 const std::vector<StrandContact>& contacts)
    {
        const std::size_t n_vertices = given_.state.position.size();
        guess_.resize(n_vertices);
        guess_spin_.resize(n_vertices);
        each(n_vertices, [&](std::size_t v) {
            guess_[v] = update_.state.position[v] - given_.state.position[v];
            guess_spin_[v] = given_.step.dt * update_.state.spin[v];
        });
        std::vector<Vec3> change(force.size()), second(force.size());
        each(force.size(), [&](std::size_t i) {
            change[i] = force[i] - contacts[i].force;
            second[i] = change[i] + contacts[i].excess;
        });
        compliance.add_response(change, second, guess_, guess_spin_);
    }

    void move(std::vector<StrandContact>& contacts)
    {
        std::vector<Vec3> vertex_force = vertex_forces(contacts, given_.state.position.size());
        const std::vector<ContactStiffness> stiffness = stiff_.place_springs(contacts, guess_, vertex_force);
        StrandStep step = given_.step;
        step.contact_stiffness = stiffness;
        step.contact_force = vertex_force;
        const StrandGuess guess{guess_, guess_spin_};
        solve_batches(given_.model, given_.state, step, touched_, &guess, given_.factors, update_);
        stiff_.load(update_, contacts);
    }

    /// Strands that went elsewhere than the linear answer had it meet what they touch as something stiff from now on;
    /// true if there are more of them. Not where there are bridges: clumps that are pressed together from all sides
    /// were thrown apart.
    bool stiffen_astray()
    {
        if (is_wet() || !stiff_.add_astray(contact_.contacts, update_, guess_, touched_)) return false;
        // All springs are loaded anew, those of strands that do not move again by as much.
        for (std::size_t i = 0; i < contact_.contacts.size(); ++i) {
            contact_.contacts[i].force = solved_force_[i];
            contact_.contacts[i].excess = Vec3::Zero();
        }
        return true;
    }

    /// Forces between stiff strands become opposite to each other, and these go where that leads.
    void settle_pairs()
    {
        std::vector<StrandContact>& all = contact_.contacts;
        const auto is_open = [](const StrandContact& c) { return c.excess != Vec3::Zero(); };
        if (std::none_of(all.begin(), all.end(), is_open)) return;
        StrandCompliance compliance = answer_of(all);
        touched_ = compliance.batches_where([&](std::size_t i) { return is_open(all[i]) || stiff_.touches(all[i]); });
        std::vector<Vec3> force(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) force[i] = all[i].force;
        predict(compliance, force, all);
        for (StrandContact& c : all) c.excess = Vec3::Zero();
        stiff_.yield_to_strands();
        move(all);
    }

    [[nodiscard]] bool are_few() const { return contact_.contacts.size() <= few_wet_contacts(given_); }
    [[nodiscard]] bool has_failed() const
    {
        return contact_.thrown >= 0 || contact_.n_unbearable > 0 || contact_.n_missed > 0 || !all_converged() ||
               (are_few() && contact_.residual > kLeftResidual * given_.thinnest) ||
               deepest_of(contact_.contacts) > kLeftDepth * given_.thinnest ||
               std::ranges::any_of(contact_.contacts, [&](const StrandContact& c) { return has_gone_through(c); });
    }
    [[nodiscard]] bool all_converged() const
    {
        return std::ranges::all_of(update_.outcome, [](const StrandOutcome& o) { return o.converged; });
    }

    /// Strands and forces together. If that finds no end, all stays as it was.
    [[nodiscard]] bool goes_by_newton(bool is_soft)
    {
        Before failed{0, update_, contact_};
        if (NewtonRounds(given_, search_, bridges_, is_soft, update_, contact_).run()) return true;
        update_ = std::move(failed.update);
        contact_ = std::move(failed.contact);
        return false;
    }

    /// What the strands' full laws have left of joints.
    void count_open_joints()
    {
        for (const StrandContact& c : contact_.contacts) {
            if (!c.is_joint) continue;
            const double open = contact_depth(c, motion());
            contact_.residual = std::max(contact_.residual, open);
            if (open > given_.options.bearable * given_.thinnest)
                add_flaw(ContactFlaw::Knots, open);
            else if (open > kMissedDepth * given_.thinnest)
                ++contact_.n_missed;
        }
    }

    /// Edges that the step took into obstacles though all contacts, each of which knows one place, seem to be well.
    void count_deep()
    {
        if (given_.options.only_joints || contact_.n_unbearable > 0) return;
        const double bearable = contact_.gives_way ? std::numeric_limits<double>::infinity() : given_.options.bearable;
        const DeepEdges deep =
            count_deep_edges(given_.edges, motion(), given_.obstacles, contact_.contacts, kMissedDepth, bearable);
        if (contact_.n_missed == 0) contact_.n_missed = deep.n_missed;
        contact_.n_unbearable = deep.n_unbearable;
        contact_.flaw = ContactFlaw::Solids;
        contact_.flaw_size = deep.deepest;
    }

    /// The round before the last.
    struct Before {
        double deepest = 0; ///< [m]
        StrandUpdate update;
        ContactUpdate contact;
    };

    const ContactCase& given_;
    ContactWorkspace::Parts& parts_;
    const Buckling buckling_;
    StrandUpdate& update_;
    ContactUpdate& contact_;
    ContactSearch search_;
    StiffStrands stiff_;
    bool has_held_ = false, gave_up_ = false;
    std::vector<StrandContact> carried_; ///< from the last step, with the forces that they had
    std::vector<StrandBridge> bridges_;  ///< with the forces of the last step
    Before before_;
    int n_unbearable_rounds_ = 0;        ///< the last ones
    std::int64_t work_ = 0;              ///< iterations times contacts of this step
    std::vector<std::int32_t> touched_;  ///< batches
    std::vector<Vec3> solved_force_;     ///< of the contacts, before springs change them [N]
    std::vector<double> foreseen_depth_; ///< of the contacts that were solved for [m]
    std::vector<Vec3> set_out_;          ///< where strands are when the first round begins [m]
    double reach_ = 0;                   ///< largest motion of a contact then [m]
    std::vector<Vec3> guess_;            ///< of the motions of vertices [m]
    std::vector<double> guess_spin_;     ///< and of edges [rad]
};

} // namespace

Attempt attempt(const ContactCase& given, ContactWorkspace::Parts& parts, Buckling buckling, StrandUpdate& update,
                ContactUpdate& contact)
{
    ContactAttempt step(given, parts, buckling, update, contact);
    step.run();
    if (step.gave_up()) return Attempt::GaveUp;
    return step.failed_holding() ? Attempt::FailedHolding : Attempt::Ended;
}

} // namespace rivulet
