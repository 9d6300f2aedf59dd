#pragma once

#include "base/vec.h"
#include "contact/bridge_curve.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rivulet {

/// One place where two things touch or are tied to each other. Forces and motions are those of the first against the
/// second.
struct ConeContact {
    Vec3 normal = Vec3::UnitZ(); ///< unit, from the second to the first
    double gap = 0;              ///< between them, along the normal, before the motion [m]
    double friction = 0;         ///< Coulomb's coefficient [1]
    double cohesion = 0;         ///< pull that it bears before it opens, which shifts its cone [N]
    double compliance = 1;       ///< motion for a force on this contact alone, averaged over directions [m/N]
    bool is_joint = false;       ///< may not move at all, whatever the force: of the above only the compliance counts
    /// Not null: a liquid bridge, that pulls with a force that depends on the distance, `gap` and motion along the
    /// normal, and nowhere falls with it. There is no friction.
    const BridgeCurve* bridge = nullptr;
    double length = 0; ///< of that bridge [m]
    double softness =
        0; ///< by which a contact gives way along the normal to its own force there, in sweep_cones() [m/N]
};

/// Motions of all contacts for forces on all contacts, both in world axes: linear, symmetric, positive semi-definite.
class SpringBodies;
class ContactCompliance {
public:
    virtual ~ContactCompliance() = default;
    virtual void apply(std::span<const Vec3> force, std::span<Vec3> motion) = 0;
    /// The same between some of the contacts, in this order; null if that would cost as much as between all. It may
    /// work in the memory of this one, which is to outlive it.
    [[nodiscard]] virtual std::unique_ptr<ContactCompliance> only(std::span<const std::int32_t> /*contacts*/)
    {
        return nullptr;
    }
    /// The bodies with springs between them (contact/penalty_solver.h), if they can be factored with these.
    virtual SpringBodies* with_springs(std::span<const Vec3> /*normal*/, std::span<const double> /*stiffness*/)
    {
        return nullptr;
    }
};

/// In how many directions a contact acts: those of its contact_frame(), of a bridge only the normal.
[[nodiscard]] inline std::size_t n_axes(const ConeContact& c) { return c.bridge ? 1 : 3; }

/// The same with every number written out: bodies that do not feel each other but through contacts, and the places on
/// them where contacts act, their sides. Forces and motions are those along the axes of the contacts. A body that many
/// contacts act on may have the compliance of its nodes instead, between two of which every side lies: then what a
/// force changes are the motions of these.
struct BlockCompliance {
    /// Where a side lies between two nodes that follow each other.
    struct Place {
        std::size_t node = 0;           ///< the first of the two, all counted through
        std::array<double, 2> weight{}; ///< of both, with the sign of the side; 0 where a node is held
    };

    std::vector<std::size_t> first; ///< side of each body, and one past the last
    std::vector<std::size_t> axis;  ///< first axis of each side, all counted through, and one past the last
    std::vector<std::size_t> block; ///< where the matrix of each body begins in `values`
    std::vector<double> values;     ///< of a body with k axes, k x k, row by row: motions for forces [m/N]
    std::vector<std::int32_t> body; ///< of each side
    std::vector<std::array<std::int32_t, 2>> sides; ///< of each contact; the second -1 if it has one
    std::vector<std::size_t> node; ///< first of each body that has nodes, and one past the last; empty: none has any
    std::vector<Place> place;      ///< of each side, where its body has nodes

    /// 0 where forces and motions are those along axes; else values are 3n x 3n, along x, y and z of each node.
    [[nodiscard]] std::size_t n_nodes(std::size_t b) const { return node.empty() ? 0 : node[b + 1] - node[b]; }

    /// Numbers the axes of sides and sets aside the values, from all but `axis`, `block` and `values`.
    void resize(std::span<const ConeContact> contacts);
};

/// Joints are held this many times as exactly as contacts.
inline constexpr double kJointPrecision = 10;

struct ConeOptions {
    double tolerance = 1e-9; ///< largest residual of Coulomb's law, as a motion [m]
    int max_iterations = 300;
};
struct ConeSolution {
    int iterations = 0;
    double residual = 0; ///< largest, as a motion [m]
    std::int64_t worst = -1;
    bool converged = false;
};

/// Finds forces that make all contacts obey Coulomb's law at once, the cone of each shifted by its cohesion, and all
/// bridges theirs.
/// `motion` is that of the contacts under the forces that `force` holds when called; the search starts from `guess`. On
/// return force and motion are those of the solution. The same bits on any number of threads.
///
/// Accelerated projected gradients with restarts [Nesterov 1983] [ODonoghue 2015] on the forces, each contact scaled by
/// its own compliance, steps as long as the curvature met on the way allows [Mazhar 2015]; the motion is shifted by
/// friction as De Saxce's change of variable asks, so that sliding does not open contacts. Contacts that bear nothing
/// and are apart are left out until a look at all of them, every few steps, finds them too near.
ConeSolution solve_cones(std::span<const ConeContact> contacts, ContactCompliance& compliance,
                         const ConeOptions& options, std::span<const Vec3> guess, std::span<Vec3> force,
                         std::span<Vec3> motion);

/// The same by Gauss-Seidel over the contacts, each solved exactly with all others held [Daviet 2011]: far fewer passes
/// than gradients need, for the price of the blocks. Contacts of one colour share no body; colours follow each other in
/// a fixed order. Bodies on which the law is obeyed already are left alone. An iteration is as many solutions as there
/// are contacts. Forces that nothing changes keep their bits. The motion of a bridge is returned along its normal.
ConeSolution sweep_cones(std::span<const ConeContact> contacts, const BlockCompliance& compliance,
                         const ConeOptions& options, std::span<const Vec3> guess, std::span<Vec3> force,
                         std::span<Vec3> motion);
/// Contacts by colour: none shares a body with another of its colour.
[[nodiscard]] std::vector<std::vector<std::int32_t>> colour_contacts(const BlockCompliance& compliance);

} // namespace rivulet
