#include "strands/stiff_strands.h"

#include "strands/contact_packs.h"
#include "strands/taper.h"

#include <algorithm>
#include <cmath>

namespace rivulet {
namespace {

/// Motion along the normal of a contact that bears a force, beyond what the linear answer had, as a part of the
/// thinnest radius, after which forces that do not change with it are of no use for the strand.
constexpr double kAstray = 1;
/// Stiffness of what a strand touches, as a part of that of its own edges: enough not to be thrown. With all of it,
/// places that a strand cannot reach hold up its Newton steps.
constexpr double kContactStiffness = 0.01;
/// But enough to bear the force of the contact when it has given way by this part of the thinnest radius, up to the
/// stiffness of the edges: thick soft strands are pressed by more than the above bears.
constexpr double kGivenWay = 1;
/// Part of a pack up to which strands that were thrown have buckled, and the pack was not struck.
constexpr double kFewBuckle = 0.05;
/// Contacts whose tangential force is below this part of its largest stick.
constexpr double kSticks = 0.999;

Vec3 at_place(std::span<const Vec3> x, std::int32_t vertex, double at)
{
    const auto v = static_cast<std::size_t>(vertex);
    return (1 - at) * x[v] + at * x[v + 1];
}

} // namespace

double contact_stiffness(const ContactCase& given, std::int32_t vertex, double force)
{
    const StrandModel& model = given.model;
    const RodMaterial& m = model.materials[static_cast<std::size_t>(model.material[given.strand_of(vertex)])];
    const auto v = static_cast<std::size_t>(vertex);
    const double thickness = cone_stiffness(model.scale_at(v), model.scale_at(v + 1));
    const double edge = m.youngs_modulus * m.area() * thickness / model.rest_length[v];
    return std::clamp(force / (kGivenWay * given.thinnest), kContactStiffness * edge, edge);
}

Vec3 StiffStrands::beyond(const StrandUpdate& update, std::span<const Vec3> foreseen, std::int32_t vertex,
                          double at) const
{
    const auto off = [&](std::size_t i) {
        return Vec3(update.state.position[i] - given_.state.position[i] - foreseen[i]);
    };
    const auto v = static_cast<std::size_t>(vertex);
    return (1 - at) * off(v) + at * off(v + 1);
}

void StiffStrands::become_stiff(std::vector<std::uint8_t> stiff, std::vector<std::int32_t>& batches)
{
    std::erase_if(batches, [&](std::int32_t b) {
        const auto& strands = given_.model.batches[static_cast<std::size_t>(b)].strand;
        return std::none_of(strands.begin(), strands.end(), [&](std::int32_t s) {
            return s >= 0 && stiff[static_cast<std::size_t>(s)] &&
                   (stiff_.empty() || !stiff_[static_cast<std::size_t>(s)]);
        });
    });
    stiff_ = std::move(stiff);
}

bool StiffStrands::add_astray(std::span<const StrandContact> contacts, const StrandUpdate& update,
                              std::span<const Vec3> foreseen, std::vector<std::int32_t>& batches)
{
    std::vector<std::uint8_t> stiff = stiff_;
    stiff.resize(static_cast<std::size_t>(given_.model.n_strands()), 0);
    bool is_new = false;
    const auto look = [&](const StrandContact& c, std::int32_t vertex, double at) {
        const std::size_t strand = given_.strand_of(vertex);
        if (stiff[strand]) return;
        const Vec3 astray = beyond(update, foreseen, vertex, at);
        const double counts = c.is_joint ? astray.norm() : std::abs(c.normal.dot(astray));
        if (update.outcome[strand].converged && counts <= kAstray * given_.thinnest) return;
        stiff[strand] = 1;
        is_new = true;
    };
    for (const StrandContact& c : contacts) {
        if (c.force == Vec3::Zero() || c.bridge >= 0) continue;
        look(c, c.a, c.s);
        if (!c.is_with_obstacle()) look(c, c.b, c.t);
    }
    if (is_new) become_stiff(std::move(stiff), batches);
    return is_new;
}

bool StiffStrands::add_buckled(std::span<const StrandContact> carried, const StrandUpdate& update,
                               std::span<const Vec3> inertial, std::vector<std::int32_t>& batches)
{
    std::vector<std::uint8_t> thrown(static_cast<std::size_t>(given_.model.n_strands()), 0);
    const std::vector<Vec3> of_pack = mean_of_packs(given_.model, carried, inertial);
    const StrandMotion motion = given_.motion(update);
    for (const StrandContact& c : carried) {
        if (c.force == Vec3::Zero() || c.is_joint) continue;
        if (std::abs(contact_depth(c, motion)) <= kAstray * given_.thinnest) continue;
        const Vec3 first = beyond(update, inertial, c.a, c.s);
        const Vec3 second = c.is_with_obstacle() ? Vec3(Vec3::Zero()) : beyond(update, inertial, c.b, c.t);
        const bool is_second = std::abs(c.normal.dot(second)) > std::abs(c.normal.dot(first));
        const std::size_t strand = given_.strand_of(is_second ? c.b : c.a);
        const Vec3 own = is_second ? at_place(inertial, c.b, c.t) : at_place(inertial, c.a, c.s);
        if ((is_second ? second : first).norm() <= (own - of_pack[strand]).norm()) continue;
        thrown[strand] = 1;
    }
    if (std::ranges::none_of(thrown, [](std::uint8_t t) { return t != 0; })) return false;
    const std::vector<double> part = part_of_packs(given_.model, carried, thrown);
    for (std::size_t s = 0; s < thrown.size(); ++s)
        if (part[s] > kFewBuckle) thrown[s] = 0;
    if (std::ranges::none_of(thrown, [](std::uint8_t t) { return t != 0; })) return false;
    become_stiff(std::move(thrown), batches);
    return true;
}

std::vector<ContactStiffness> StiffStrands::place_springs(std::span<const StrandContact> contacts,
                                                          std::span<const Vec3> foreseen, std::span<Vec3> vertex_force)
{
    springs_.clear();
    if (empty()) return {};
    std::vector<ContactStiffness> stiffness(given_.state.position.size());
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const StrandContact& c = contacts[i];
        if (c.force == Vec3::Zero() || c.bridge >= 0) continue;
        add_spring(c, i, false, foreseen, vertex_force, stiffness);
        if (!c.is_with_obstacle()) add_spring(c, i, true, foreseen, vertex_force, stiffness);
    }
    if (springs_.empty()) return {};
    return stiffness;
}

void StiffStrands::add_spring(const StrandContact& c, std::size_t i, bool is_second, std::span<const Vec3> foreseen,
                              std::span<Vec3> vertex_force, std::span<ContactStiffness> stiffness)
{
    const std::int32_t vertex = is_second ? c.b : c.a;
    const double at = is_second ? c.t : c.s;
    const std::size_t strand = given_.strand_of(vertex);
    if (!stiff_[strand] || (yields_ && !c.is_with_obstacle())) return;
    const auto v = static_cast<std::size_t>(vertex);
    Spring s{i, vertex, at, is_second, contact_stiffness(given_, vertex, c.force.norm()), {}, {}};
    const double along = c.normal.dot(c.force) + c.cohesion;
    const Vec3 across = c.force - c.normal.dot(c.force) * c.normal;
    if (!c.is_joint && across.norm() >= kSticks * c.friction * along) s.normal = c.normal;
    s.rest = (1 - at) * foreseen[v] + at * foreseen[v + 1];
    const std::array<double, 2> weight = {1 - at, at};
    for (std::size_t end = 0; end < 2; ++end) {
        vertex_force[v + end] += weight[end] * s.times(s.rest);
        add_stiffness(stiffness[v + end].own, weight[end] * weight[end], s);
    }
    add_stiffness(stiffness[v].next, weight[0] * weight[1], s);
    springs_.push_back(s);
}

void StiffStrands::add_stiffness(std::array<double, 6>& to, double weight, const Spring& s)
{
    const Mat3 k = weight * s.stiffness * (s.normal ? Mat3(*s.normal * s.normal->transpose()) : Mat3::Identity());
    const double entries[6] = {k(0, 0), k(0, 1), k(0, 2), k(1, 1), k(1, 2), k(2, 2)};
    for (std::size_t e = 0; e < 6; ++e) to[e] += entries[e];
}

void StiffStrands::load(const StrandUpdate& update, std::span<StrandContact> contacts) const
{
    for (const Spring& s : springs_) {
        const Vec3 given_way = s.times(s.place(update.state.position) - s.place(given_.state.position) - s.rest);
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

} // namespace rivulet
