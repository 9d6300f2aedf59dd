#include "strands/newton_rounds.h"

#include "numerics/coulomb.h"
#include "strands/contact_forces.h"
#include "strands/contact_packs.h"
#include "strands/pinched_contacts.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

constexpr int kNewtonRounds = 80;
/// The longest way of a vertex in a round, as a part of an edge.
constexpr double kLongestStep = 0.3;
/// How far from where they were foreseen to be strands may end, as a part of the thinnest radius; after so many rounds
/// farther, and after twice as many twice as far.
constexpr double kUnforeseenAtLast = 0.5;
constexpr int kPatientRounds = 10;
/// Next of Newton's steps, as a part of the thinnest radius, from which on the end is looked for nearby.
constexpr double kNearEnd = 3;
/// Halvings of the way of a round in search of a smaller potential.
constexpr int kMostHalvings = 6;
/// Part of the potential that counts as rounding.
constexpr double kMeritRounding = 1e-10;

} // namespace

bool NewtonRounds::run()
{
    begin_free();
    if (finds_end()) return true;
    begin_as_before();
    return finds_end();
}

/// Strands move as if nothing touched them.
void NewtonRounds::begin_free()
{
    contact_ = {};
    begin_update(given_.model, update_);
    solve_batches(given_.model, given_.state, given_.step, all_batches(given_.model), nullptr, given_.factors, update_);
    expected_ = update_.state.position;
    contact_.contacts = search_.ties(bridges_, {}, motion());
    if (!given_.options.only_joints) add(new_of(search_.with_carried(contacts_ahead(), motion())));
}

/// Strands go on as they did in the last step, under the forces that they had there.
void NewtonRounds::begin_as_before()
{
    contact_ = {};
    begin_update(given_.model, update_);
    update_.state = given_.state;
    for (std::size_t v = 0; v < given_.state.position.size(); ++v) {
        const bool is_held = !given_.step.hold.empty() && given_.step.hold[v] != Hold::Free;
        update_.state.position[v] = is_held
                                        ? given_.step.target[v]
                                        : Vec3(given_.state.position[v] + given_.step.dt * given_.state.velocity[v]);
    }
    contact_.contacts = search_.ties(bridges_, {}, motion());
    add(new_of(contacts_ahead()));
    for (StrandContact& c : contact_.contacts) {
        if (c.is_joint) continue;
        const Vec3 before = force_before(given_, c, bridges_);
        c.force = c.bridge >= 0 ? before : project_on_cone(before, c.normal, c.friction);
    }
    const StrandState from = update_.state;
    move(from, {StrandSearch::OneStep});
}

bool NewtonRounds::finds_end()
{
    while (contact_.rounds < kNewtonRounds) {
        ++contact_.rounds;
        if (!solve_forces()) return false;
        const double next = descend();
        if (next <= kNearEnd * given_.thinnest && contact_.n_unbearable == 0 && end_nearby()) return true;
        const std::vector<StrandContact> found = contacts_ahead();
        drop_idle(given_, motion(), found, contact_.contacts);
        add(new_of(found));
    }
    return false;
}

/// For the strands' linear answer from where they are; false if there is none.
bool NewtonRounds::solve_forces()
{
    std::vector<StrandContact>& all = contact_.contacts;
    StrandCompliance compliance(given_.model, given_.step.hold, given_.factors, all);
    const ContactForces found = solve_contact_forces(given_, all, bridges_, expected(), StiffStrands(given_),
                                                     compliance, ForceSearch::Newton, is_soft_);
    if (found.broken >= 0) return false;
    contact_.iterations += found.iterations;
    contact_.residual = found.residual;
    contact_.converged = found.converged;
    contact_.n_unbearable = found.n_unbearable;
    contact_.gives_way = is_soft_;
    if (found.n_unbearable > 0) is_soft_ = true;
    std::vector<Vec3> change(all.size()), way = expected_;
    std::vector<double> spin(expected_.size(), 0.0);
    for (std::size_t i = 0; i < all.size(); ++i) change[i] = found.force[i] - all[i].force;
    compliance.add_response(change, way, spin);
    foreseen_ = std::move(way);
    foreseen_depth_.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].force = found.force[i];
        foreseen_depth_[i] = contact_depth(all[i], found.moved[i]);
    }
    return true;
}

/// Takes every pack as far along the way that the linear answer foresees as makes its potential smaller; the largest
/// motion of a vertex in the Newton step that would come next.
double NewtonRounds::descend()
{
    const auto n_strands = static_cast<std::size_t>(given_.model.n_strands());
    const std::vector<std::int32_t> pack = packs();
    const StrandState from = update_.state;
    std::vector<double> potential(n_strands), part = first_parts(pack), of_strand(n_strands);
    move(from, {StrandSearch::Stay, {}, potential});
    const std::vector<double> before = merits(pack, potential);
    std::vector<double> rounding(n_strands, 0.0);
    for (std::size_t s = 0; s < n_strands; ++s)
        rounding[static_cast<std::size_t>(pack[s])] += kMeritRounding * std::abs(potential[s]);
    bool is_done = false;
    for (int halving = 0; !is_done && halving <= kMostHalvings; ++halving) {
        for (std::size_t s = 0; s < n_strands; ++s) of_strand[s] = part[static_cast<std::size_t>(pack[s])];
        move(from, {StrandSearch::OneStep, of_strand, potential});
        const std::vector<double> now = merits(pack, potential);
        is_done = true;
        for (std::size_t p = 0; p < n_strands; ++p) {
            if (now[p] <= before[p] + rounding[p]) continue;
            part[p] *= 0.5;
            is_done = false;
        }
    }
    double largest = 0;
    for (std::size_t v = 0; v < expected_.size(); ++v)
        largest = std::max(largest, (expected_[v] - update_.state.position[v]).norm());
    return largest;
}

/// Of every strand: the first of the strands that it hangs together with.
std::vector<std::int32_t> NewtonRounds::packs() const
{
    ContactPacks packs(given_.model);
    packs.join(contact_.contacts);
    std::vector<std::int32_t> pack(packs.size());
    for (std::size_t s = 0; s < pack.size(); ++s) pack[s] = packs.of_vertex(given_.model.first[s]);
    return pack;
}

/// Of the way of every pack, such that no vertex goes further than it may.
std::vector<double> NewtonRounds::first_parts(const std::vector<std::int32_t>& pack) const
{
    std::vector<double> part(pack.size(), 1.0);
    for (std::size_t s = 0; s < pack.size(); ++s) {
        const auto begin = static_cast<std::size_t>(given_.model.first[s]);
        const auto end = static_cast<std::size_t>(given_.model.first[s + 1]);
        double& least = part[static_cast<std::size_t>(pack[s])];
        for (std::size_t v = begin; v < end; ++v) {
            const double longest = kLongestStep * given_.model.rest_length[std::min(v, end - 2)];
            least = std::min(least, longest / std::max((foreseen_[v] - update_.state.position[v]).norm(), 1e-300));
        }
    }
    return part;
}

/// The potential of every pack where strands are now.
std::vector<double> NewtonRounds::merits(const std::vector<std::int32_t>& pack, std::span<const double> potential) const
{
    std::vector<double> sum(pack.size(), 0.0);
    for (std::size_t s = 0; s < pack.size(); ++s) sum[static_cast<std::size_t>(pack[s])] += potential[s];
    for (const StrandContact& c : contact_.contacts)
        sum[static_cast<std::size_t>(pack[given_.strand_of(c.a)])] += merit(c);
    return sum;
}

/// What a contact adds to the potential of strands under its force as a load: without the work of the normal force, and
/// with a price for being too near of twice that force.
double NewtonRounds::merit(const StrandContact& c) const
{
    const Vec3 moved = contact_motion(c, motion());
    if (c.is_joint) return c.force.dot(moved) + 2 * c.force.norm() * moved.norm();
    const double along = c.normal.dot(c.force), apart = c.gap + c.normal.dot(moved);
    if (c.bridge < 0 && is_soft_) {
        const double depth = std::max(0.0, -apart);
        return along * apart + 0.5 * depth * depth / contact_softness(given_, c);
    }
    if (c.bridge < 0) return (along + c.cohesion) * std::abs(apart);
    const StrandBridge& b = bridges_[static_cast<std::size_t>(c.bridge)];
    return b.length * b.curve.limited_energy(apart) + along * apart;
}

/// Takes the strands to where they are at rest under the forces. If that is not where it was foreseen to be, back.
bool NewtonRounds::end_nearby()
{
    const StrandState before = update_.state;
    const int patience = std::min(contact_.rounds / kPatientRounds, 2);
    const double allowed = (patience == 0 ? kAllowedDepth : patience * kUnforeseenAtLast) * given_.thinnest;
    move(before, {StrandSearch::Stationary});
    double way = 0;
    for (std::size_t v = 0; v < before.position.size(); ++v)
        way = std::max(way, (update_.state.position[v] - before.position[v]).norm());
    if (all_converged() && way <= 2 * kNearEnd * given_.thinnest &&
        !is_unforeseen(contact_.contacts, foreseen_depth_, motion(), allowed) &&
        deepest_of(new_of(contacts_ahead()), motion()) <= allowed)
        return true;
    const std::vector<double> none(static_cast<std::size_t>(given_.model.n_strands()), 0.0);
    move(before, {StrandSearch::OneStep, none});
    return false;
}

void NewtonRounds::move(const StrandState& from, const Way& way)
{
    const std::size_t n = from.position.size();
    const std::vector<Vec3> force = vertex_forces(contact_.contacts, n);
    std::vector<Vec3> displacement(n);
    std::vector<double> spin(n);
    for (std::size_t v = 0; v < n; ++v) {
        displacement[v] = from.position[v] - given_.state.position[v];
        spin[v] = given_.step.dt * from.spin[v];
    }
    StrandStep step = given_.step;
    step.contact_force = force;
    const bool stays = way.search == StrandSearch::Stay;
    std::vector<Vec3> left(stays ? 0 : n);
    const StrandGuess guess{displacement, spin, way.search, way.part, left, way.potential};
    solve_batches(given_.model, given_.state, step, all_batches(given_.model), &guess,
                  stays ? std::span<RodMatrix>{} : given_.factors, update_);
    if (stays) return;
    expected_.resize(n);
    for (std::size_t v = 0; v < n; ++v) expected_[v] = update_.state.position[v] + left[v];
}

bool NewtonRounds::all_converged() const
{
    return std::ranges::all_of(update_.outcome, [](const StrandOutcome& o) { return o.converged; });
}

std::vector<StrandContact> NewtonRounds::contacts_ahead()
{
    if (given_.options.only_joints) return {};
    return search_.run_into(motion(), contact_.rounds > 0);
}

std::vector<StrandContact> NewtonRounds::new_of(const std::vector<StrandContact>& found) const
{
    std::vector<StrandContact> added;
    const std::vector<StrandContact>& all = contact_.contacts;
    std::set_difference(found.begin(), found.end(), all.begin(), all.end(), std::back_inserter(added));
    return added;
}

void NewtonRounds::add(const std::vector<StrandContact>& added)
{
    add_contacts(added, motion(), given_, contact_.contacts);
}

} // namespace rivulet
