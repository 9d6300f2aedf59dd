#pragma once

#include "contact/edge_pairs.h"
#include "geometry/motion.h"
#include "geometry/shape.h"
#include "strands/strands.h"

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace rivulet {

/// A solid that strands meet in one step.
struct StrandObstacle {
    const Shape* shape = nullptr;
    Pose start, end;                ///< at the beginning and the end of the step
    std::optional<double> friction; ///< Coulomb's coefficient; none = that of the strand
};

/// The obstacle that StrandContact::b names.
[[nodiscard]] constexpr std::int32_t obstacle_of(std::int32_t b) { return (-b - 1) / 3; }

/// Where a strand touches a strand or an obstacle in a step, or is tied to a strand.
struct StrandContact {
    std::int32_t a = 0; ///< vertex at which the touching edge begins
    /// That of the other strand's edge, or against obstacle o: -1 - 3 o for the beginning of the edge, -2 - 3 o for
    /// what is between its ends, -3 - 3 o for its end or, where that is the beginning of another edge, for a second
    /// place between its ends.
    std::int32_t b = 0;
    double s = 0, t = 0;         ///< places on both edges
    Vec3 normal = Vec3::UnitZ(); ///< towards a
    double gap = 0;              ///< along the normal at the beginning of the step [m]
    double friction = 0;         ///< [1]
    double cohesion = 0;         ///< [N]
    Vec3 carried = Vec3::Zero(); ///< obstacle: where its material point that began beside a is at the end; joint: what
                                 ///< may be left between the tied places [m]
    bool is_joint = false;
    std::int32_t bridge = -1;  ///< which of the step's bridges it is, -1: none; of a bridge `gap` is the distance
    Vec3 force = Vec3::Zero(); ///< on a [N]
    /// On b, beyond the opposite of that, while forces are still searched for: 0 in the end [N].
    Vec3 excess = Vec3::Zero();

    [[nodiscard]] bool is_with_obstacle() const { return b < 0; }
    [[nodiscard]] std::size_t obstacle() const { return static_cast<std::size_t>(obstacle_of(b)); }
};
/// By what touches.
[[nodiscard]] inline bool operator<(const StrandContact& x, const StrandContact& y)
{
    if (x.a != y.a) return x.a < y.a;
    return x.b != y.b ? x.b < y.b : x.bridge < y.bridge;
}

/// Edges of all strands, as the search for contacts wants them.
struct StrandEdges {
    explicit StrandEdges(const StrandModel& model);

    std::vector<std::int32_t> vertex;
    std::vector<std::int32_t> strand;
    std::vector<double> radius;            ///< mean of the half axes, in the middle of the edge [m]
    std::vector<double> friction;          ///< of the strand's material [1]
    std::vector<std::int32_t> held_inside; ///< as StrandModel::held_inside, never empty
    std::vector<EdgePair> tied; ///< beside a joint, where strands lie inside of each other; by vertices, sorted

    /// Edges that begin at these vertices, the first the smaller.
    [[nodiscard]] bool are_tied(std::int32_t a, std::int32_t b) const;
};

/// Two strands, the first the smaller, or a strand and -1 - o for obstacle o.
using StrandPair = std::array<std::int32_t, 2>;
/// Of a strand and what StrandContact::b names among obstacles.
[[nodiscard]] constexpr StrandPair obstacle_pair(std::int32_t strand, std::int32_t b)
{
    return {strand, -1 - obstacle_of(b)};
}
/// That nothing draws together.
inline constexpr StrandPair kNoPair = {-1, -1};

/// Motion of the vertices in a step, and which of them are held.
struct StrandMotion {
    std::span<const Vec3> start, end; ///< [m]
    std::span<const Hold> hold;       ///< none = all free
    /// How much of an overlap of things that liquid draws together a step may undo, if that is more than the small part
    /// of the thickness that it always may [m].
    double parting = 0;
    std::span<const StrandPair> drawn = {}; ///< these, sorted
    /// How much of an overlap, or of a knot that is open, a step may undo at all [m].
    double most_undone = std::numeric_limits<double>::infinity();
};

/// What a contact may close of its gap at the beginning of the step, where centre lines touch at `reach`; of a
/// penetration, what it has to undo [m].
[[nodiscard]] double gap_to_close(double gap, double reach, const StrandPair& pair, const StrandMotion& motion);

/// Of a motion of strands whose radii are at most `reach`.
[[nodiscard]] Aabb swept_box(std::span<const Vec3> start, std::span<const Vec3> end, double reach);
/// Whether anything in a box may meet the obstacle in the step. Those that move or are turned are not ruled out.
[[nodiscard]] bool may_meet(const StrandObstacle& obstacle, const Aabb& box);

/// What a search found of obstacles, and for which motion: edges of which it is the same in the next search touch as
/// before.
struct ObstacleTouches {
    std::vector<Vec3> end; ///< of the motion; none: there was no search [m]
    std::vector<StrandContact> contacts;
};

/// Contacts that the motion would bring about, sorted. `pairs` is updated. Edges that lie side by side touch first at
/// an end that belongs to the next edge, and so on along the strand; if `again`, that is not taken for an answer where
/// they are too near at the end of the motion. `known` is of motions with the same beginning among the same obstacles,
/// and is updated.
[[nodiscard]] std::vector<StrandContact> find_contacts(const StrandEdges& edges, const StrandMotion& motion,
                                                       std::span<const StrandObstacle> obstacles, EdgePairs& pairs,
                                                       bool again = false, ObstacleTouches* known = nullptr);

/// The contact of these edges, or of this edge and an obstacle (see StrandContact), as it stands at the beginning of
/// the step; none if they are far apart, held, tied, or touch at an end that belongs to the next edge.
[[nodiscard]] std::optional<StrandContact> place_contact(const StrandEdges& edges, const StrandMotion& motion,
                                                         std::span<const StrandObstacle> obstacles, std::int32_t a,
                                                         std::int32_t b);

/// Joints as they stand at the beginning of the step, sorted; without those of which both places are held. Places that
/// are apart are drawn together no faster than what touches is pushed apart.
[[nodiscard]] std::vector<StrandContact> place_joints(const StrandModel& model, const StrandEdges& edges,
                                                      const StrandMotion& motion);

/// Motion of a against b in the step; of a joint, what is left between the tied places and should not be [m].
[[nodiscard]] Vec3 contact_motion(const StrandContact& contact, const StrandMotion& motion);

/// Forces of contacts on every vertex [N].
[[nodiscard]] std::vector<Vec3> vertex_forces(std::span<const StrandContact> contacts, std::size_t n_vertices);

} // namespace rivulet
