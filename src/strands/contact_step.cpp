#include "strands/contact_step.h"

#include "base/assert.h"
#include "numerics/coulomb.h"
#include "strands/contact_packs.h"
#include "strands/pinched_contacts.h"
#include "strands/strand_compliance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rivulet {

struct ContactWorkspace::Parts {
    std::optional<StrandEdges> edges;
    EdgePairs pairs, bridge_pairs, carried_pairs;
    std::vector<RodMatrix> factors;
};

ContactWorkspace::ContactWorkspace() : parts_(std::make_unique<Parts>()) {}
ContactWorkspace::~ContactWorkspace() = default;

namespace {

/// Penetration, as a part of the thinnest radius, that calls for another round.
constexpr double kAllowedDepth = 0.1;
/// The same when the step's work on contacts is used up.
constexpr double kLateDepth = 0.5;
/// And one that counts as a contact missed.
constexpr double kMissedDepth = 1;

/// Gap at the end of a round, as a part of the thinnest radius, beyond which a contact without a force is left out.
constexpr double kIdleGap = 0.3;
/// Forces of the last step are taken as they are if more than this part of them is needed.
constexpr double kEased = 0.8;

/// Motion along the normal of a contact that bears a force, beyond what the linear answer had, as a part of the
/// thinnest radius, after which forces that do not change with it are of no use for the strand.
constexpr double kAstray = 1;
/// Rounds of a step with such strands, as a multiple of those of others.
constexpr int kStiffRounds = 3;
/// Contacts whose tangential force is below this part of its largest stick.
constexpr double kSticks = 0.999;

/// Rounds of Newton's steps, one a round.
constexpr int kNewtonRounds = 40;
/// The longest of these steps, as a part of an edge or in radians, and the rounds after which it is half as long.
constexpr double kLongestStep = 0.3, kHalvingRounds = 8;
/// After so many of them strands may end a radius from where they were foreseen to be, before that half of it.
constexpr int kPatientRounds = 10;
/// Next of these steps, as a part of the thinnest radius, from which on the end is looked for nearby.
constexpr double kNearEnd = 3;

/// Size of the compliance between contacts up to which sweeps over them stay in the cache; beyond, gradients are
/// quicker, and lean.
constexpr std::size_t kMaxBlockBytes = 4 << 20;
/// Or for many strands, up to which a sweep reads less than a banded solve.
constexpr std::size_t kBlockBytesOfVertex = 160;
/// And with bridges, of which a clump has so many, each far from rigid, that gradients end too early.
constexpr std::size_t kMaxWetBlockBytes = 64 << 20;

/// Of the first round of a step with bridges.
constexpr int kSketchIterations = 40;
/// Iterations times contacts that a search may cost where there are bridges: bridges and contacts press against each
/// other with forces that could move them by a thousand radii, and what is left of that falls only as 1/iterations.
constexpr std::int64_t kWetUpdates = 800'000;

/// The force that a contact had in the last step; 0 if it is new.
Vec3 force_before(const ContactMemory& memory, std::int32_t a, std::int32_t b)
{
    auto i = std::lower_bound(memory.a.begin(), memory.a.end(), a) - memory.a.begin();
    for (auto k = static_cast<std::size_t>(i); k < memory.a.size() && memory.a[k] == a; ++k)
        if (memory.b[k] == b) return memory.force[k];
    return Vec3::Zero();
}

/// Motion of each contact for a force on it alone, averaged over directions, from what is written out already [m/N].
std::vector<double> own_compliance(const BlockCompliance& w)
{
    std::vector<double> own(w.sides.size(), 0.0);
    for (std::size_t i = 0; i < own.size(); ++i)
        for (const std::int32_t side : w.sides[i]) {
            if (side < 0) continue;
            const auto s = static_cast<std::size_t>(side), b = static_cast<std::size_t>(w.body[s]);
            const std::size_t first = w.axis[w.first[b]], width = w.axis[w.first[b + 1]] - first;
            const std::size_t n = w.axis[s + 1] - w.axis[s];
            for (std::size_t a = w.axis[s] - first; a < w.axis[s + 1] - first; ++a)
                own[i] += w.values[w.block[b] + a * width + a] / static_cast<double>(n);
        }
    return own;
}

class ContactStep {
public:
    ContactStep(const StrandModel& model, const StrandState& state, const StrandStep& step,
                std::span<const StrandObstacle> obstacles, const ContactMemory& memory, const ContactOptions& options,
                ContactWorkspace::Parts& parts, StrandUpdate& update, ContactUpdate& contact)
        : model_(model), state_(state), step_(step), obstacles_(obstacles), memory_(memory), options_(options),
          parts_(parts), update_(update), contact_(contact)
    {
        if (!parts_.edges) parts_.edges.emplace(model);
        parts_.factors.resize(model.batches.size());
        thinnest_ = *std::min_element(parts_.edges->radius.begin(), parts_.edges->radius.end());
    }

    void run()
    {
        contact_ = {};
        begin_update(model_, update_);
        begin_bridges();
        carry_contacts();
        StrandStep step = step_;
        step.contact_force = vertex_force_;
        solve_batches(model_, state_, step, all_batches(model_), nullptr, parts_.factors, update_);
        ease_carried();
        while (find() && contact_.rounds < max_rounds()) {
            if (!bridges_.empty() && !is_better()) break;
            ++contact_.rounds;
            solve_forces();
            move(contact_.contacts);
            if (stiffen_astray()) move(contact_.contacts);
        }
        settle_pairs();
        if (!bridges_.empty() && has_failed()) go_by_newton();
        contact_.is_bearable = contact_.n_unbearable == 0;
        end_bridges();
    }

private:
    void begin_bridges()
    {
        if (!options_.bridges) return;
        bridges_ = place_bridges(*parts_.edges, {state_.position, step_.hold, obstacles_}, *options_.bridges);
        for (StrandBridge& b : bridges_) {
            b.curve = b.curve.rising_about(b.contact.gap);
            b.curve.limit_closing(b.contact.gap, step_.dt * options_.bridges->closing_speed);
        }
    }

    void end_bridges()
    {
        if (!options_.bridges) return;
        contact_.bridges = take_bridges(contact_.contacts, bridges_);
        contact_.links = update_links(*parts_.edges, {update_.state.position, step_.hold, obstacles_, true},
                                      *options_.bridges, bridges_, parts_.bridge_pairs);
    }

    /// Dry strands set out under the forces that what touches them had in the last step: where they lie still, that is
    /// most of the answer already, and taut ones are drawn less far towards what they are wound about. With bridges
    /// they set out free.
    void carry_contacts()
    {
        vertex_force_.clear();
        if (options_.bridges || options_.only_joints) return;
        const StrandMotion start{state_.position, state_.position, step_.hold};
        for (std::size_t k = 0; k < memory_.a.size(); ++k) {
            auto placed = place_contact(*parts_.edges, start, obstacles_, memory_.a[k], memory_.b[k]);
            if (!placed) continue;
            placed->force = bearable_force(*placed, memory_.force[k]);
            carried_.push_back(*placed);
        }
        if (!carried_.empty()) vertex_force_ = vertex_forces(carried_, state_.position.size());
    }
    /// Normals turn a little from step to step.
    [[nodiscard]] static Vec3 bearable_force(const StrandContact& c, const Vec3& force)
    {
        return project_on_cone(force, c.normal, c.friction);
    }

    /// Where that throws strands apart, since the last step was a blow, only as much of it is taken as is needed.
    void ease_carried()
    {
        if (carried_.empty()) return;
        StrandCompliance compliance(model_, step_.hold, parts_.factors, carried_);
        const std::size_t n = carried_.size();
        std::vector<Vec3> force(n), moved(n), answer(n);
        for (std::size_t i = 0; i < n; ++i) {
            force[i] = carried_[i].force;
            moved[i] = contact_motion(carried_[i], motion());
        }
        compliance.apply(force, answer);
        const std::vector<double> part = needed_part(model_, carried_, moved, answer);
        bool is_eased = false;
        for (std::size_t i = 0; i < n; ++i) {
            if (part[i] > kEased) continue;
            force[i] *= part[i];
            is_eased = true;
        }
        if (!is_eased) return;
        predict(compliance, force, carried_);
        touched_ = compliance.batches_where([&](std::size_t i) { return force[i] != carried_[i].force; });
        for (std::size_t i = 0; i < n; ++i) carried_[i].force = force[i];
        move(carried_);
    }

    /// What is known before the strands have moved: joints and bridges, none of which bears a force yet.
    [[nodiscard]] std::vector<StrandContact> ties() const
    {
        std::vector<StrandContact> all = place_joints(model_, *parts_.edges, motion());
        for (const StrandBridge& b : bridges_) {
            all.push_back(b.contact);
            all.back().force = Vec3::Zero();
        }
        all.insert(all.end(), carried_.begin(), carried_.end());
        std::sort(all.begin(), all.end());
        return all;
    }

    [[nodiscard]] StrandMotion motion() const { return {state_.position, update_.state.position, step_.hold}; }

    /// Adds contacts that the present end of the step would bring about; false if there is nothing to do about any.
    bool find()
    {
        std::vector<StrandContact>& all = contact_.contacts;
        if (contact_.rounds == 0) all = ties();
        std::vector<StrandContact> found;
        if (!options_.only_joints)
            found = find_contacts(*parts_.edges, motion(), obstacles_, parts_.pairs, contact_.rounds > 0);
        if (!options_.only_joints && contact_.rounds == 0 && !bridges_.empty()) found = with_carried(found);
        std::vector<StrandContact> added;
        std::set_difference(found.begin(), found.end(), all.begin(), all.end(), std::back_inserter(added));
        const double deepest = deepest_of(added);
        if (contact_.rounds >= max_rounds()) {
            contact_.n_missed += std::count_if(added.begin(), added.end(), [&](const StrandContact& c) {
                return depth(c) > kMissedDepth * thinnest_;
            });
            return false;
        }
        if (contact_.rounds == 0 ? all.empty() && added.empty()
                                 : deepest <= allowed_depth() && !is_unforeseen(allowed_depth()) && is_settled() &&
                                       (contact_.converged || !is_sketch()))
            return false;
        if (contact_.rounds > 0 && !options_.only_joints && bridges_.empty()) {
            drop_idle(found);
            add_struck(added);
        }
        add(added);
        return true;
    }
    void add(const std::vector<StrandContact>& added)
    {
        std::vector<StrandContact>& all = contact_.contacts;
        const auto known = static_cast<std::ptrdiff_t>(all.size());
        all.insert(all.end(), added.begin(), added.end());
        std::inplace_merge(all.begin(), all.begin() + known, all.end());
        share_lacking_room(motion(), all);
    }

    /// Adds what a blow that the last round left may close next: it passes through a whole pack in a step, and layer
    /// by layer would take as many rounds.
    void add_struck(std::vector<StrandContact>& added)
    {
        std::vector<StrandContact> struck;
        std::vector<double> depths;
        for (const StrandContact& c : added) {
            if (depth(c) <= kAllowedDepth * thinnest_) continue;
            struck.push_back(c);
            depths.push_back(depth(c));
        }
        if (struck.empty()) return;
        if (!near_) near_ = near_contacts(*parts_.edges, {state_.position, state_.position, step_.hold});
        const std::vector<StrandContact> next = struck_next(model_, *near_, struck, depths, kAllowedDepth * thinnest_);
        const std::vector<StrandContact>& all = contact_.contacts;
        std::vector<StrandContact> both, fresh;
        std::set_difference(next.begin(), next.end(), all.begin(), all.end(), std::back_inserter(fresh));
        std::set_union(added.begin(), added.end(), fresh.begin(), fresh.end(), std::back_inserter(both));
        added = std::move(both);
    }

    /// Forgets contacts that bear nothing, are apart, and that the motion does not run into.
    void drop_idle(const std::vector<StrandContact>& found)
    {
        std::erase_if(contact_.contacts, [&](const StrandContact& c) {
            return c.force == Vec3::Zero() && !c.is_joint && c.bridge < 0 && depth(c) < -kIdleGap * thinnest_ &&
                   !std::binary_search(found.begin(), found.end(), c);
        });
    }

    /// Adds what lies together and would go on doing so if nothing changed its velocity. Bridges press a clump together
    /// far harder than anything else moves it: free, much of it parts, and forces that are found without the contacts
    /// that bear those of the bridges are no place to begin a search.
    [[nodiscard]] std::vector<StrandContact> with_carried(const std::vector<StrandContact>& found)
    {
        std::vector<Vec3> end = update_.state.position;
        for (std::size_t v = 0; v < end.size(); ++v)
            if (step_.hold.empty() || step_.hold[v] == Hold::Free)
                end[v] = state_.position[v] + step_.dt * state_.velocity[v];
        const std::vector<StrandContact> carried =
            find_contacts(*parts_.edges, {state_.position, end, step_.hold}, obstacles_, parts_.carried_pairs);
        std::vector<StrandContact> both;
        std::set_union(found.begin(), found.end(), carried.begin(), carried.end(), std::back_inserter(both));
        return both;
    }

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
        return (work_ < options_.step_updates ? kAllowedDepth : kLateDepth) * thinnest_;
    }

    /// By how much a contact is too near at the end of the step, or a joint too far apart.
    [[nodiscard]] double depth(const StrandContact& c) const { return depth(c, contact_motion(c, motion())); }
    [[nodiscard]] static double depth(const StrandContact& c, const Vec3& moved)
    {
        return c.is_joint ? moved.norm() : -(c.gap + c.normal.dot(moved));
    }
    [[nodiscard]] double deepest_of(const std::vector<StrandContact>& contacts) const
    {
        double deepest = 0;
        for (const StrandContact& c : contacts)
            if (c.bridge < 0) deepest = std::max(deepest, depth(c));
        return deepest;
    }
    /// Whether contacts whose forces were solved for are deeper, or bridges of another length, than the linear answer
    /// of the strands had it.
    [[nodiscard]] bool is_unforeseen(double allowed) const
    {
        for (std::size_t i = 0; i < foreseen_depth_.size(); ++i) {
            const double now = depth(contact_.contacts[i]), foreseen = foreseen_depth_[i];
            const bool is_bridge = contact_.contacts[i].bridge >= 0;
            const double off = is_bridge ? std::abs(now - foreseen) : now - std::max(0.0, foreseen);
            if (off > allowed) return true;
        }
        return false;
    }

    void solve_forces()
    {
        std::vector<StrandContact>& all = contact_.contacts;
        StrandCompliance compliance(model_, step_.hold, parts_.factors, all);
        const std::size_t n = all.size();
        std::vector<ConeContact> cones(n);
        std::vector<Vec3> force(n), guess(n), moved(n);
        for (std::size_t i = 0; i < n; ++i) {
            const StrandContact& c = all[i];
            cones[i] = {c.normal, c.gap, c.friction, c.cohesion, 1, c.is_joint};
            force[i] = c.force;
            // Dry strands bear as much of the last step's forces already as is needed.
            guess[i] = options_.bridges && c.force == Vec3::Zero() ? remembered(c) : c.force;
            if (c.bridge >= 0) {
                const StrandBridge& bridge = bridges_[static_cast<std::size_t>(c.bridge)];
                cones[i].bridge = &bridge.curve;
                cones[i].length = bridge.length;
            }
            moved[i] = contact_motion(c, expected());
        }
        add_without_excess(compliance, moved);
        const ConeOptions cone_options{options_.tolerance * thinnest_, max_iterations(n)};
        const std::size_t dry_bytes = std::max(kMaxBlockBytes, kBlockBytesOfVertex * state_.position.size());
        const std::size_t max_bytes = bridges_.empty() ? dry_bytes : std::max(dry_bytes, kMaxWetBlockBytes);
        const bool sweeps = compliance.block_bytes(cones) <= max_bytes;
        const BlockCompliance blocks = sweeps ? compliance.blocks(cones) : BlockCompliance{};
        const std::vector<double> own =
            sweeps && bridges_.empty() ? own_compliance(blocks) : compliance.own_compliance();
        for (std::size_t i = 0; i < n; ++i) {
            RIVULET_VERIFY(own[i] > 0);
            cones[i].compliance = own[i];
        }
        const ConeSolution solution = sweeps ? sweep_cones(cones, blocks, cone_options, guess, force, moved)
                                             : solve_cones(cones, compliance, cone_options, guess, force, moved);
        contact_.iterations += solution.iterations;
        contact_.residual = solution.residual;
        contact_.converged = solution.converged;
        contact_.n_unbearable = count_unbearable(solution, cones, force, moved);
        work_ += static_cast<std::int64_t>(solution.iterations) * static_cast<std::int64_t>(n);
        predict(compliance, force, all);
        touched_ = compliance.batches_where([&](std::size_t i) {
            return force[i] != all[i].force || all[i].excess != Vec3::Zero() || is_stiff(all[i]);
        });
        foreseen_depth_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            all[i].force = force[i];
            all[i].excess = Vec3::Zero();
            foreseen_depth_[i] = depth(all[i], moved[i]);
        }
    }

    /// Contacts, or at least the worst of all, whose law is off by more than a step may be.
    [[nodiscard]] std::int64_t count_unbearable(const ConeSolution& solution, std::span<const ConeContact> cones,
                                                std::span<const Vec3> force, std::span<const Vec3> moved) const
    {
        const double bearable = options_.bearable * thinnest_;
        if (solution.residual <= bearable) return 0;
        std::int64_t count = 0;
        for (std::size_t i = 0; i < cones.size(); ++i) {
            const ConeContact& c = cones[i];
            if (c.is_joint || c.bridge) continue;
            const Vec3 shifted = force[i] + c.cohesion * c.normal, apart = moved[i] + c.gap * c.normal;
            if (coulomb_residual(shifted, apart, c.normal, c.friction, c.compliance) > bearable) ++count;
        }
        return std::max<std::int64_t>(count, 1);
    }

    [[nodiscard]] Vec3 remembered(const StrandContact& c) const
    {
        return c.bridge >= 0 ? bridges_[static_cast<std::size_t>(c.bridge)].contact.force
                             : force_before(memory_, c.a, c.b);
    }

    /// The first round of a wet step is a sketch: those that follow find more contacts and know the strands' answer
    /// better, so that all but where they begin is lost of it.
    [[nodiscard]] bool is_sketch() const { return contact_.rounds == 1 && !bridges_.empty() && expected_.empty(); }

    [[nodiscard]] int max_iterations(std::size_t n_contacts) const
    {
        if (is_sketch()) return kSketchIterations;
        const std::int64_t updates = bridges_.empty() ? options_.contact_updates : kWetUpdates;
        const std::int64_t paid_for = updates / static_cast<std::int64_t>(n_contacts);
        return static_cast<int>(std::clamp<std::int64_t>(paid_for, options_.min_iterations, options_.max_iterations));
    }

    /// Where the strands will go, as the linear answer to the change of the forces has it.
    void predict(const StrandCompliance& compliance, const std::vector<Vec3>& force,
                 const std::vector<StrandContact>& contacts)
    {
        const std::size_t n_vertices = state_.position.size();
        guess_.resize(n_vertices);
        guess_spin_.resize(n_vertices);
        for (std::size_t v = 0; v < n_vertices; ++v) {
            guess_[v] = update_.state.position[v] - state_.position[v];
            guess_spin_[v] = step_.dt * update_.state.spin[v];
        }
        std::vector<Vec3> change(force.size()), second(force.size());
        for (std::size_t i = 0; i < force.size(); ++i) {
            change[i] = force[i] - contacts[i].force;
            second[i] = change[i] + contacts[i].excess;
        }
        compliance.add_response(change, second, guess_, guess_spin_);
    }

    void move(std::vector<StrandContact>& contacts)
    {
        vertex_force_ = vertex_forces(contacts, state_.position.size());
        StrandStep step = step_;
        const std::vector<Spring> springs = place_springs(contacts);
        if (!springs.empty()) step.contact_stiffness = stiffness_;
        step.contact_force = vertex_force_;
        const StrandGuess guess{guess_, guess_spin_};
        solve_batches(model_, state_, step, touched_, &guess, parts_.factors, update_);
        for (const Spring& s : springs) {
            const Vec3 given_way = s.times(place_of(s, update_.state.position) - place_of(s, state_.position) - s.rest);
            StrandContact& c = contacts[s.contact];
            // What b bears is told as what is missing to the opposite of the force on a.
            if (!s.is_second) {
                c.force -= given_way;
                if (!c.is_with_obstacle()) c.excess -= given_way;
            } else {
                c.excess -= given_way;
            }
        }
    }

    /// At one side of a contact on a stiff strand: the force there falls by K (d - rest), d the motion of that place,
    /// so that the strand meets what it touches as something stiff and not as a force that follows it wherever it goes.
    struct Spring {
        std::size_t contact = 0;
        std::int32_t vertex = 0;
        double at = 0;
        bool is_second = false;
        double stiffness = 0;       ///< [N/m]
        std::optional<Vec3> normal; ///< along which it acts; none: in all directions
        Vec3 rest = Vec3::Zero();   ///< [m]

        [[nodiscard]] Vec3 times(const Vec3& d) const
        {
            return stiffness * (normal ? Vec3(normal->dot(d) * *normal) : d);
        }
    };

    [[nodiscard]] static Vec3 place_of(const Spring& s, std::span<const Vec3> x)
    {
        const auto v = static_cast<std::size_t>(s.vertex);
        return (1 - s.at) * x[v] + s.at * x[v + 1];
    }

    /// Springs of all contacts that bear a force on stiff strands; they rest where the strands are foreseen to be. Adds
    /// their forces at no displacement to those of the vertices.
    std::vector<Spring> place_springs(const std::vector<StrandContact>& contacts)
    {
        std::vector<Spring> springs;
        if (stiff_.empty()) return springs;
        stiffness_.assign(state_.position.size(), {});
        for (std::size_t i = 0; i < contacts.size(); ++i) {
            const StrandContact& c = contacts[i];
            if (c.force == Vec3::Zero() || c.bridge >= 0) continue;
            add_spring(c, i, c.a, c.s, false, springs);
            if (!c.is_with_obstacle()) add_spring(c, i, c.b, c.t, true, springs);
        }
        return springs;
    }
    void add_spring(const StrandContact& c, std::size_t i, std::int32_t vertex, double at, bool is_second,
                    std::vector<Spring>& springs)
    {
        const std::size_t strand = strand_of(vertex);
        if (!stiff_[strand] || (settles_ && !c.is_with_obstacle())) return;
        const auto v = static_cast<std::size_t>(vertex);
        const RodMaterial& m = model_.materials[static_cast<std::size_t>(model_.material[strand])];
        Spring s{i, vertex, at, is_second, m.youngs_modulus * m.area() / model_.rest_length[v], {}, {}};
        const double along = c.normal.dot(c.force) + c.cohesion;
        const Vec3 across = c.force - c.normal.dot(c.force) * c.normal;
        if (!c.is_joint && across.norm() >= kSticks * c.friction * along) s.normal = c.normal;
        s.rest = (1 - at) * guess_[v] + at * guess_[v + 1];
        const std::array<double, 2> weight = {1 - at, at};
        for (std::size_t end = 0; end < 2; ++end) {
            vertex_force_[v + end] += weight[end] * s.times(s.rest);
            add_stiffness(stiffness_[v + end].own, weight[end] * weight[end], s);
        }
        add_stiffness(stiffness_[v].next, weight[0] * weight[1], s);
        springs.push_back(s);
    }
    static void add_stiffness(std::array<double, 6>& to, double weight, const Spring& s)
    {
        const Mat3 k = weight * s.stiffness * (s.normal ? Mat3(*s.normal * s.normal->transpose()) : Mat3::Identity());
        const double entries[6] = {k(0, 0), k(0, 1), k(0, 2), k(1, 1), k(1, 2), k(2, 2)};
        for (std::size_t e = 0; e < 6; ++e) to[e] += entries[e];
    }

    [[nodiscard]] std::size_t strand_of(std::int32_t vertex) const
    {
        return static_cast<std::size_t>(std::upper_bound(model_.first.begin(), model_.first.end(), vertex) -
                                        model_.first.begin() - 1);
    }
    [[nodiscard]] bool is_stiff(const StrandContact& c) const
    {
        return !stiff_.empty() && (stiff_[strand_of(c.a)] || (!c.is_with_obstacle() && stiff_[strand_of(c.b)]));
    }
    [[nodiscard]] int max_rounds() const
    {
        return stiff_.empty() ? options_.max_rounds : kStiffRounds * options_.max_rounds;
    }

    /// Strands that went elsewhere than the linear answer had it, or found no end, meet what they touch as something
    /// stiff from now on; true if there are more of them.
    bool stiffen_astray()
    {
        if (options_.bridges) return false; // clumps that are pressed together from all sides were thrown apart
        std::vector<std::uint8_t> stiff = stiff_;
        stiff.resize(static_cast<std::size_t>(model_.n_strands()), 0);
        bool is_new = false;
        const auto look = [&](const StrandContact& c, std::int32_t vertex, double at) {
            const std::size_t strand = strand_of(vertex), v = static_cast<std::size_t>(vertex);
            if (stiff[strand]) return;
            const auto off = [&](std::size_t i) {
                return Vec3(update_.state.position[i] - state_.position[i] - guess_[i]);
            };
            const double astray = c.normal.dot((1 - at) * off(v) + at * off(v + 1));
            if (update_.outcome[strand].converged && std::abs(astray) <= kAstray * thinnest_) return;
            stiff[strand] = 1;
            is_new = true;
        };
        for (const StrandContact& c : contact_.contacts) {
            if (c.force == Vec3::Zero() || c.bridge >= 0) continue;
            look(c, c.a, c.s);
            if (!c.is_with_obstacle()) look(c, c.b, c.t);
        }
        if (!is_new) return false;
        std::swap(stiff_, stiff);
        std::erase_if(touched_, [&](std::int32_t b) {
            const auto& strands = model_.batches[static_cast<std::size_t>(b)].strand;
            return std::none_of(strands.begin(), strands.end(), [&](std::int32_t s) {
                return s >= 0 && stiff_[static_cast<std::size_t>(s)] &&
                       (stiff.empty() || !stiff[static_cast<std::size_t>(s)]);
            });
        });
        return true;
    }

    /// Motions of contacts as if the forces on both sides were opposite, by the linear answer.
    void add_without_excess(StrandCompliance& compliance, std::vector<Vec3>& moved) const
    {
        if (stiff_.empty()) return;
        const std::size_t n = contact_.contacts.size();
        std::vector<Vec3> none(n, Vec3::Zero()), excess(n), more(n);
        for (std::size_t i = 0; i < n; ++i) excess[i] = contact_.contacts[i].excess;
        compliance.apply(none, excess, more);
        for (std::size_t i = 0; i < n; ++i) moved[i] += more[i];
    }

    /// Whether the forces that stiff strands ended up with obey Coulomb's law.
    [[nodiscard]] bool is_settled() const
    {
        if (stiff_.empty()) return true;
        const std::vector<StrandContact>& all = contact_.contacts;
        StrandCompliance compliance(model_, step_.hold, parts_.factors, all);
        std::vector<Vec3> moved(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) moved[i] = contact_motion(all[i], motion());
        add_without_excess(compliance, moved);
        const std::vector<double> own = compliance.own_compliance();
        for (std::size_t i = 0; i < all.size(); ++i) {
            const StrandContact& c = all[i];
            if (c.is_joint || c.bridge >= 0 || !is_stiff(c)) continue;
            const Vec3 shifted = c.force + c.cohesion * c.normal, apart = moved[i] + c.gap * c.normal;
            if (coulomb_residual(shifted, apart, c.normal, c.friction, own[i]) > allowed_depth()) return false;
        }
        return true;
    }

    /// Forces between stiff strands become opposite to each other, and these go where that leads.
    void settle_pairs()
    {
        std::vector<StrandContact>& all = contact_.contacts;
        const auto is_open = [](const StrandContact& c) { return c.excess != Vec3::Zero(); };
        if (std::none_of(all.begin(), all.end(), is_open)) return;
        StrandCompliance compliance(model_, step_.hold, parts_.factors, all);
        touched_ = compliance.batches_where([&](std::size_t i) { return is_open(all[i]) || is_stiff(all[i]); });
        std::vector<Vec3> force(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) force[i] = all[i].force;
        predict(compliance, force, all);
        for (StrandContact& c : all) c.excess = Vec3::Zero();
        settles_ = true;
        move(all);
    }

    [[nodiscard]] bool has_failed() const
    {
        return contact_.n_unbearable > 0 || contact_.n_missed > 0 || !all_converged();
    }
    [[nodiscard]] bool all_converged() const
    {
        return std::ranges::all_of(update_.outcome, [](const StrandOutcome& o) { return o.converged; });
    }

    /// In wet clumps contacts press against bridges so hard that a strand is at rest under both only where it was
    /// foreseen to be: let go under such forces it turns aside. So strands and forces are found together, round by
    /// round. If that finds no end, all stays as it was.
    void go_by_newton()
    {
        Before failed{0, std::move(update_), std::move(contact_)};
        begin_free();
        bool is_found = finds_end();
        if (!is_found) {
            begin_as_before();
            is_found = finds_end();
        }
        expected_.clear();
        if (is_found) return;
        update_ = std::move(failed.update);
        contact_ = std::move(failed.contact);
    }
    /// Forces for the strands' linear answer, one Newton step of the strands under them, forces again.
    bool finds_end()
    {
        while (contact_.rounds < kNewtonRounds) {
            ++contact_.rounds;
            solve_forces();
            const double next = move_on(StrandSearch::OneStep);
            const bool is_near = next <= kNearEnd * thinnest_ && contact_.n_unbearable == 0;
            if (is_near && end_nearby()) return true;
            const std::vector<StrandContact> found = contacts_ahead();
            drop_idle(found);
            add(new_of(found));
        }
        return false;
    }

    /// Strands move as if nothing touched them.
    void begin_free()
    {
        contact_ = {};
        begin_update(model_, update_);
        solve_batches(model_, state_, step_, all_batches(model_), nullptr, parts_.factors, update_);
        expected_ = update_.state.position;
        contact_.contacts = ties();
        if (!options_.only_joints) add(new_of(with_carried(contacts_ahead())));
    }
    /// Strands go on as they did in the last step, under the forces that they had there.
    void begin_as_before()
    {
        contact_ = {};
        begin_update(model_, update_);
        update_.state = state_;
        for (std::size_t v = 0; v < state_.position.size(); ++v) {
            const bool is_held = !step_.hold.empty() && step_.hold[v] != Hold::Free;
            update_.state.position[v] =
                is_held ? step_.target[v] : Vec3(state_.position[v] + step_.dt * state_.velocity[v]);
        }
        contact_.contacts = ties();
        add(new_of(contacts_ahead()));
        for (StrandContact& c : contact_.contacts)
            if (!c.is_joint) c.force = c.bridge >= 0 ? remembered(c) : bearable_force(c, remembered(c));
        move_on(StrandSearch::OneStep);
    }

    /// Takes the strands to where they are at rest under the forces. If that is not where it was foreseen to be, back.
    bool end_nearby()
    {
        const StrandUpdate before = update_;
        const double allowed = (contact_.rounds < kPatientRounds ? kLateDepth : kMissedDepth) * thinnest_;
        move_on(StrandSearch::Stationary);
        double way = 0;
        for (std::size_t v = 0; v < before.state.position.size(); ++v)
            way = std::max(way, (update_.state.position[v] - before.state.position[v]).norm());
        if (all_converged() && way <= 2 * kNearEnd * thinnest_ && !is_unforeseen(allowed) &&
            deepest_of(new_of(contacts_ahead())) <= allowed)
            return true;
        update_ = before;
        move_on(StrandSearch::OneStep);
        return false;
    }

    /// Moves all strands under the present forces from where they are; the largest motion of a vertex in the Newton
    /// step that would come next.
    double move_on(StrandSearch search)
    {
        const std::size_t n = state_.position.size();
        vertex_force_ = vertex_forces(contact_.contacts, n);
        StrandStep step = step_;
        step.contact_force = vertex_force_;
        guess_.resize(n);
        guess_spin_.resize(n);
        expected_.resize(n);
        for (std::size_t v = 0; v < n; ++v) {
            guess_[v] = update_.state.position[v] - state_.position[v];
            guess_spin_[v] = step_.dt * update_.state.spin[v];
        }
        // Shorter and shorter, lest they go to and fro.
        const double longest = kLongestStep * std::exp2(-contact_.rounds / kHalvingRounds);
        const StrandGuess guess{guess_, guess_spin_, search, longest, expected_};
        solve_batches(model_, state_, step, all_batches(model_), &guess, parts_.factors, update_);
        double largest = 0;
        for (std::size_t v = 0; v < n; ++v) {
            largest = std::max(largest, expected_[v].norm());
            expected_[v] += update_.state.position[v];
        }
        return largest;
    }
    /// The motion with Newton's next step, where one is left.
    [[nodiscard]] StrandMotion expected() const
    {
        if (expected_.empty()) return motion();
        return {state_.position, expected_, step_.hold};
    }

    [[nodiscard]] std::vector<StrandContact> contacts_ahead()
    {
        if (options_.only_joints) return {};
        return find_contacts(*parts_.edges, motion(), obstacles_, parts_.pairs, contact_.rounds > 0);
    }
    [[nodiscard]] std::vector<StrandContact> new_of(const std::vector<StrandContact>& found) const
    {
        std::vector<StrandContact> added;
        const std::vector<StrandContact>& all = contact_.contacts;
        std::set_difference(found.begin(), found.end(), all.begin(), all.end(), std::back_inserter(added));
        return added;
    }

    const StrandModel& model_;
    const StrandState& state_;
    const StrandStep& step_;
    std::span<const StrandObstacle> obstacles_;
    const ContactMemory& memory_;
    const ContactOptions& options_;
    ContactWorkspace::Parts& parts_;
    StrandUpdate& update_;
    ContactUpdate& contact_;
    /// The round before the last.
    struct Before {
        double deepest = 0; ///< [m]
        StrandUpdate update;
        ContactUpdate contact;
    };

    std::vector<StrandContact> carried_;             ///< from the last step, with the forces that they had
    std::optional<std::vector<StrandContact>> near_; ///< at the beginning of the step, once a blow asks for it
    std::vector<StrandBridge> bridges_;              ///< with the forces of the last step
    Before before_;
    double thinnest_ = 0;
    std::int64_t work_ = 0;              ///< iterations times contacts of this step
    std::vector<std::int32_t> touched_;  ///< batches
    std::vector<double> foreseen_depth_; ///< of the contacts that were solved for [m]
    std::vector<std::uint8_t> stiff_;    ///< strands that meet what they touch as something stiff; none: empty
    std::vector<ContactStiffness> stiffness_;
    bool settles_ = false; ///< from now on only obstacles are met so
    std::vector<Vec3> guess_, vertex_force_;
    std::vector<double> guess_spin_;
    std::vector<Vec3> expected_; ///< places of vertices after Newton's next step; none: empty [m]
};

} // namespace

void step_strands(const StrandModel& model, const StrandState& state, const StrandStep& step,
                  std::span<const StrandObstacle> obstacles, const ContactMemory& memory, const ContactOptions& options,
                  ContactWorkspace& workspace, StrandUpdate& update, ContactUpdate& contact)
{
    RIVULET_VERIFY(step.integrator == StrandIntegrator::Euler);
    ContactStep(model, state, step, obstacles, memory, options, workspace.parts(), update, contact).run();
}

} // namespace rivulet
