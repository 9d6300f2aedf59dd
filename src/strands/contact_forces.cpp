#include "strands/contact_forces.h"

#include "base/parallel.h"
#include "contact/cone_springs.h"
#include "numerics/coulomb.h"

#include <algorithm>
#include <limits>

namespace rivulet {
namespace {

/// Size of the compliance between contacts up to which sweeps over them stay in the cache; beyond, gradients are
/// quicker, and lean.
constexpr std::size_t kMaxBlockBytes = 4 << 20;
/// Or for many strands, up to which a sweep reads less than a banded solve.
constexpr std::size_t kBlockBytesOfVertex = 160;
/// And with bridges, of which a clump has so many, each far from rigid, that gradients end too early.
constexpr std::size_t kMaxWetBlockBytes = 64 << 20;

constexpr std::int64_t kForceGrain = 256;
/// Of the first round of a step with bridges.
constexpr int kSketchIterations = 40;
/// Iterations times contacts that a search may cost where there are bridges: bridges and contacts press against each
/// other with forces that could move them by a thousand radii, and what is left of that falls only as 1/iterations.
constexpr std::int64_t kWetUpdates = 800'000;
/// What a search with springs may leave, in radii of the thinnest strand, before sweeps are tried as well.
constexpr double kSprungResidual = 0.1;
/// By how much more sweeps of Newton's rounds for few contacts may cost then.
constexpr int kNewtonPatience = 10;
/// Vertices of strands that are few: some hundreds of hairs.
constexpr std::size_t kFewVertices = 20'000;
/// Their contacts and bridges for which there is a dearer search, and those of strands that are more.
constexpr std::size_t kFewWetContacts = 5000, kFewWetContactsOfMany = 2000;

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

/// Adds to the motions of contacts what makes them those under forces that are opposite on both sides, by the linear
/// answer.
void add_without_excess(std::span<const StrandContact> contacts, StrandCompliance& compliance, std::vector<Vec3>& moved)
{
    const std::size_t n = contacts.size();
    std::vector<Vec3> none(n, Vec3::Zero()), excess(n), more(n);
    for (std::size_t i = 0; i < n; ++i) excess[i] = contacts[i].excess;
    compliance.apply(none, excess, more);
    for (std::size_t i = 0; i < n; ++i) moved[i] += more[i];
}

/// Where the search begins: with the pull that a bridge has at the beginning of the step. Many bridges of which each
/// alone moves a stiff hair, or one in a short step, by less than the tolerance are at rest under any forces: no search
/// would find theirs.
Vec3 first_guess(const ContactCase& given, const StrandContact& c, std::span<const StrandBridge> bridges)
{
    if (c.bridge < 0) return force_before(given, c, bridges);
    const StrandBridge& bridge = bridges[static_cast<std::size_t>(c.bridge)];
    return -bridge.curve.solve(c.gap, 0, bridge.length) * c.normal;
}

std::vector<ConeContact> cones_of(std::span<const StrandContact> contacts, std::span<const StrandBridge> bridges)
{
    std::vector<ConeContact> cones(contacts.size());
    parallel_for(
        static_cast<std::int64_t>(cones.size()), "contact forces",
        [&](std::int64_t k) {
            const auto i = static_cast<std::size_t>(k);
            const StrandContact& c = contacts[i];
            cones[i] = {c.normal, c.gap, c.friction, c.cohesion, 1, c.is_joint};
            if (c.bridge < 0) return;
            const StrandBridge& bridge = bridges[static_cast<std::size_t>(c.bridge)];
            cones[i].bridge = &bridge.curve;
            cones[i].length = bridge.length;
        },
        kForceGrain);
    return cones;
}

/// Residual of Coulomb's law, as a motion [m].
double law_residual(const ConeContact& c, const Vec3& force, const Vec3& moved)
{
    return coulomb_residual(force + c.cohesion * c.normal,
                            moved + (c.softness * c.normal.dot(force) + c.gap) * c.normal, c.normal, c.friction,
                            c.compliance);
}

/// Contacts, or at least the worst of all, whose law is off by more than `bearable` [m].
std::int64_t count_unbearable(double bearable, double worst, std::span<const ConeContact> cones,
                              const ContactForces& found)
{
    if (worst <= bearable) return 0;
    std::int64_t count = 0;
    for (std::size_t i = 0; i < cones.size(); ++i) {
        const ConeContact& c = cones[i];
        if (!c.is_joint && !c.bridge && law_residual(c, found.force[i], found.moved[i]) > bearable) ++count;
    }
    return std::max<std::int64_t>(count, 1);
}

int affordable_iterations(const ContactCase& given, bool is_wet, ForceSearch search, std::size_t n_contacts)
{
    if (search == ForceSearch::Sketch) return kSketchIterations;
    const ContactOptions& options = given.options;
    const int patience = search == ForceSearch::Newton && n_contacts <= few_wet_contacts(given) ? kNewtonPatience : 1;
    const std::int64_t updates = patience * (is_wet ? kWetUpdates : options.contact_updates);
    const std::int64_t paid_for = updates / static_cast<std::int64_t>(n_contacts);
    return static_cast<int>(
        std::clamp<std::int64_t>(paid_for, options.min_iterations, patience * options.max_iterations));
}

/// Notes the compliance of each contact by itself. A strand that is far from where its forces would have it may answer
/// with numbers that are none, or not positive: the first contact with such a one, -1 if there is none.
std::int64_t take_own(const std::vector<double>& own, std::span<ConeContact> cones)
{
    for (std::size_t i = 0; i < cones.size(); ++i) {
        if (!(own[i] > 0 && own[i] <= std::numeric_limits<double>::max())) return static_cast<std::int64_t>(i);
        cones[i].compliance = own[i];
    }
    return -1;
}

/// For few contacts and bridges. `out` comes with the forces of the motion.
ConeSolution solve_by_springs(const ContactCase& given, std::span<const StrandContact> contacts,
                              std::span<ConeContact> cones, StrandCompliance& compliance, const ConeOptions& options,
                              std::span<const Vec3> guess, ContactForces& out)
{
    out.broken = take_own(compliance.own_compliance(), cones);
    if (out.broken >= 0) return {};
    std::vector<StrandContact> places;
    for (std::size_t i = 0; i < contacts.size(); ++i) places.insert(places.end(), n_axes(cones[i]), contacts[i]);
    StrandCompliance axes(given.model, given.step.hold, given.factors, places);
    return spring_cones(cones, compliance, axes, options, guess, out.force, out.moved);
}

/// By the solver that suits the size of the compliance; `out` comes with the forces of the motion.
ConeSolution solve_cones_by_size(std::span<ConeContact> cones, StrandCompliance& compliance, const ConeOptions& options,
                                 std::size_t max_bytes, bool is_wet, std::span<const Vec3> guess, ContactForces& out)
{
    const auto kind = is_wet ? StrandCompliance::Blocks::OfVerticesToo : StrandCompliance::Blocks::OfContacts;
    const bool sweeps = compliance.block_bytes(cones, kind) <= max_bytes;
    if (!sweeps)
        for (ConeContact& c : cones) c.softness = 0;
    const BlockCompliance blocks = sweeps ? compliance.blocks(cones, kind) : BlockCompliance{};
    out.broken = take_own(sweeps && !is_wet ? own_compliance(blocks) : compliance.own_compliance(), cones);
    if (out.broken >= 0) return {};
    return sweeps ? sweep_cones(cones, blocks, options, guess, out.force, out.moved)
                  : solve_cones(cones, compliance, options, guess, out.force, out.moved);
}

} // namespace

bool are_few_strands(const ContactCase& given) { return given.state.position.size() <= kFewVertices; }

std::size_t few_wet_contacts(const ContactCase& given)
{
    return are_few_strands(given) ? kFewWetContacts : kFewWetContactsOfMany;
}

Vec3 force_before(const ContactCase& given, const StrandContact& contact, std::span<const StrandBridge> bridges)
{
    return contact.bridge >= 0 ? bridges[static_cast<std::size_t>(contact.bridge)].contact.force
                               : force_before(given.memory, contact.a, contact.b);
}

double contact_softness(const ContactCase& given, const StrandContact& contact)
{
    if (contact.is_joint || contact.bridge >= 0) return 0;
    double softness = 1 / contact_stiffness(given, contact.a);
    if (!contact.is_with_obstacle()) softness += 1 / contact_stiffness(given, contact.b);
    return softness;
}

ContactForces solve_contact_forces(const ContactCase& given, std::span<const StrandContact> contacts,
                                   std::span<const StrandBridge> bridges, const StrandMotion& motion,
                                   const StiffStrands& stiff, StrandCompliance& compliance, ForceSearch search,
                                   bool is_soft)
{
    const ContactOptions& options = given.options;
    const std::size_t n = contacts.size();
    const bool is_wet = !bridges.empty();
    ContactForces out{.force = std::vector<Vec3>(n), .moved = std::vector<Vec3>(n)};
    // Dry strands bear as much of the last step's forces already as is needed.
    std::vector<Vec3> guess(is_wet ? n : 0);
    parallel_for(
        static_cast<std::int64_t>(n), "contact forces",
        [&](std::int64_t k) {
            const auto i = static_cast<std::size_t>(k);
            const StrandContact& c = contacts[i];
            out.force[i] = c.force;
            out.moved[i] = contact_motion(c, motion);
            if (is_wet) guess[i] = c.force == Vec3::Zero() ? first_guess(given, c, bridges) : c.force;
        },
        kForceGrain);
    if (!stiff.empty()) add_without_excess(contacts, compliance, out.moved);
    const ConeOptions cone_options{std::min(options.tolerance * given.thinnest, options.slowest * given.step.dt),
                                   affordable_iterations(given, is_wet, search, n)};
    std::size_t max_bytes = std::max(kMaxBlockBytes, kBlockBytesOfVertex * given.state.position.size());
    if (is_wet) max_bytes = std::max(max_bytes, kMaxWetBlockBytes);
    std::vector<ConeContact> cones = cones_of(contacts, bridges);
    for (std::size_t i = 0; is_soft && i < n; ++i) cones[i].softness = contact_softness(given, contacts[i]);
    const auto by_size = [&] {
        return solve_cones_by_size(cones, compliance, cone_options, max_bytes, is_wet, is_wet ? guess : out.force, out);
    };
    const bool by_springs = is_wet && search != ForceSearch::Sketch && n <= few_wet_contacts(given);
    ConeSolution solution;
    if (by_springs) {
        const ContactForces given_forces = out;
        solution = solve_by_springs(given, contacts, cones, compliance, cone_options, guess, out);
        // Newton's next round lets contacts give way where there is no room for them: sweeps would find none either.
        const double unbearable = options.bearable * given.thinnest;
        const bool gives_way_next = search == ForceSearch::Newton && !is_soft && solution.residual > unbearable;
        if (out.broken < 0 && !gives_way_next && solution.residual > kSprungResidual * given.thinnest) {
            ContactForces sprung = std::move(out);
            out = given_forces;
            const ConeSolution swept = by_size();
            if (out.broken < 0 && swept.residual > solution.residual)
                out = std::move(sprung);
            else
                solution = swept;
        }
    } else {
        solution = by_size();
    }
    if (out.broken >= 0) return out;
    out.iterations = solution.iterations;
    out.residual = solution.residual;
    out.converged = solution.converged;
    out.n_unbearable = count_unbearable(options.bearable * given.thinnest, solution.residual, cones, out);
    return out;
}

bool stiff_forces_settled(const ContactCase& given, std::span<const StrandContact> contacts, const StrandMotion& motion,
                          const StiffStrands& stiff, double allowed)
{
    if (stiff.empty()) return true;
    StrandCompliance compliance(given.model, given.step.hold, given.factors, contacts);
    std::vector<Vec3> moved(contacts.size());
    for (std::size_t i = 0; i < contacts.size(); ++i) moved[i] = contact_motion(contacts[i], motion);
    add_without_excess(contacts, compliance, moved);
    const std::vector<double> own = compliance.own_compliance();
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const StrandContact& c = contacts[i];
        if (c.bridge >= 0 || !stiff.touches(c)) continue;
        const ConeContact cone{c.normal, c.gap, c.friction, c.cohesion, own[i]};
        const double off = c.is_joint ? kJointPrecision * moved[i].norm() : law_residual(cone, c.force, moved[i]);
        if (!(off <= allowed)) return false;
    }
    return true;
}

} // namespace rivulet
