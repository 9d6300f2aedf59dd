#include "strands/contact_search.h"

#include "base/parallel.h"
#include "contact/cone_solver.h"
#include "numerics/coulomb.h"
#include "strands/contact_packs.h"
#include "strands/pinched_contacts.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace rivulet {
namespace {

/// Gap at the end of a round, as a part of the thinnest radius, beyond which a contact without a force is left out.
constexpr double kIdleGap = 0.3;
constexpr std::int64_t kPlaceGrain = 64;

} // namespace

std::vector<StrandContact> ContactSearch::remembered() const
{
    const ContactMemory& memory = given_.memory;
    const StrandMotion start = given_.standing();
    std::vector<StrandContact> out = place_joints(given_.model, given_.edges, start);
    for (StrandContact& c : out) c.force = force_before(memory, c.a, c.b);
    std::vector<std::optional<StrandContact>> all(memory.a.size());
    parallel_for(
        static_cast<std::int64_t>(all.size()), "remembered contacts",
        [&](std::int64_t i) {
            const auto k = static_cast<std::size_t>(i);
            all[k] = place_contact(given_.edges, start, given_.obstacles, memory.a[k], memory.b[k]);
            // Normals turn a little from step to step.
            if (all[k]) all[k]->force = project_on_cone(memory.force[k], all[k]->normal, all[k]->friction);
        },
        kPlaceGrain);
    for (const std::optional<StrandContact>& placed : all)
        if (placed) out.push_back(*placed);
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<StrandContact> ContactSearch::ties(std::span<const StrandBridge> bridges,
                                               std::span<const StrandContact> carried, const StrandMotion& motion) const
{
    std::vector<StrandContact> all;
    if (!bridges.empty()) all = place_joints(given_.model, given_.edges, motion);
    for (const StrandBridge& b : bridges) {
        all.push_back(b.contact);
        all.back().force = Vec3::Zero();
    }
    all.insert(all.end(), carried.begin(), carried.end());
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<StrandContact> ContactSearch::run_into(const StrandMotion& motion, bool again)
{
    return find_contacts(given_.edges, motion, given_.obstacles, pairs_, again, &touches_);
}

std::vector<StrandContact> ContactSearch::with_carried(const std::vector<StrandContact>& found,
                                                       const StrandMotion& motion)
{
    const StrandStep& step = given_.step;
    std::vector<Vec3> end(motion.end.begin(), motion.end.end());
    for (std::size_t v = 0; v < end.size(); ++v)
        if (step.hold.empty() || step.hold[v] == Hold::Free)
            end[v] = given_.state.position[v] + step.dt * given_.state.velocity[v];
    const std::vector<StrandContact> carried =
        find_contacts(given_.edges, given_.motion(end), given_.obstacles, carried_pairs_);
    std::vector<StrandContact> both;
    std::set_union(found.begin(), found.end(), carried.begin(), carried.end(), std::back_inserter(both));
    return both;
}

void ContactSearch::add_struck(const std::vector<StrandContact>& known, const StrandMotion& motion,
                               std::vector<StrandContact>& added)
{
    const double allowed = kAllowedDepth * given_.thinnest;
    std::vector<StrandContact> struck;
    std::vector<double> depths;
    for (const StrandContact& c : added) {
        const double depth = contact_depth(c, motion);
        if (depth <= allowed) continue;
        struck.push_back(c);
        depths.push_back(depth);
    }
    if (struck.empty()) return;
    const StrandMotion start = given_.standing();
    if (!near_) near_ = near_edges(given_.edges, start, pairs_);
    std::vector<NearEdges> next = struck_next(given_.model, *near_, struck, depths, allowed);
    std::erase_if(next, [&](const NearEdges& near) {
        const StrandContact name{.a = near.a, .b = near.b};
        return std::binary_search(known.begin(), known.end(), name) ||
               std::binary_search(added.begin(), added.end(), name);
    });
    std::vector<StrandContact> both;
    both.reserve(added.size() + next.size());
    for (const NearEdges& near : next)
        if (const auto placed = place_contact(given_.edges, start, given_.obstacles, near.a, near.b))
            both.push_back(*placed);
    const auto n_next = static_cast<std::ptrdiff_t>(both.size());
    both.insert(both.end(), added.begin(), added.end());
    std::inplace_merge(both.begin(), both.begin() + n_next, both.end());
    added = std::move(both);
}

void drop_idle(const ContactCase& given, const StrandMotion& motion, const std::vector<StrandContact>& found,
               std::vector<StrandContact>& contacts)
{
    std::vector<std::uint8_t> is_idle(contacts.size());
    parallel_for(
        static_cast<std::int64_t>(contacts.size()), "idle contacts",
        [&](std::int64_t i) {
            const StrandContact& c = contacts[static_cast<std::size_t>(i)];
            is_idle[static_cast<std::size_t>(i)] = c.force == Vec3::Zero() && !c.is_joint && c.bridge < 0 &&
                                                   contact_depth(c, motion) < -kIdleGap * given.thinnest &&
                                                   !std::binary_search(found.begin(), found.end(), c);
        },
        kPlaceGrain);
    std::size_t n_kept = 0;
    for (std::size_t i = 0; i < contacts.size(); ++i)
        if (!is_idle[i]) contacts[n_kept++] = contacts[i];
    contacts.resize(n_kept);
}

void add_contacts(const std::vector<StrandContact>& added, const StrandMotion& motion, const ContactCase& given,
                  std::vector<StrandContact>& contacts)
{
    std::vector<StrandContact> both;
    both.reserve(contacts.size() + added.size());
    std::merge(contacts.begin(), contacts.end(), added.begin(), added.end(), std::back_inserter(both));
    contacts = std::move(both);
    share_lacking_room(motion, 2 * given.thinnest, contacts);
}

double deepest_of(std::span<const StrandContact> contacts, const StrandMotion& motion)
{
    double deepest = 0;
    for (const StrandContact& c : contacts)
        if (c.bridge < 0) deepest = std::max(deepest, contact_depth(c, motion));
    return deepest;
}

bool is_unforeseen(std::span<const StrandContact> contacts, std::span<const double> foreseen_depth,
                   const StrandMotion& motion, double allowed)
{
    for (std::size_t i = 0; i < foreseen_depth.size(); ++i) {
        const StrandContact& c = contacts[i];
        const double now = contact_depth(c, motion), foreseen = foreseen_depth[i];
        const double off = c.is_joint      ? kJointPrecision * now
                           : c.bridge >= 0 ? std::abs(now - foreseen)
                                           : now - std::max(0.0, foreseen);
        if (off > allowed) return true;
    }
    return false;
}

} // namespace rivulet
