#pragma once

#include "strands/strand_batches.h"
#include "strands/strand_bridges.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rivulet {

/// Contacts of the last step: where the search for the forces of the next begins. Sorted by a, then b, which name what
/// touches as in StrandContact.
struct ContactMemory {
    std::vector<std::int32_t> a, b;
    std::vector<Vec3> force;   ///< [N]
    double residual = 0;       ///< of Coulomb's law, largest, as a motion [m]
    std::int64_t n_missed = 0; ///< contacts since the start that were found too late to be opposed in their step
};

struct ContactOptions {
    bool only_joints = false; ///< strands go through each other and through obstacles
    double tolerance = 1e-2;  ///< largest residual of Coulomb's law, as a motion in radii of the thinnest strand
    /// And as a speed: what a short step leaves would else throw what lies still [m/s].
    double slowest = 5e-4;
    /// At which overlaps are undone, and knots drawn together, at most: what is pushed apart keeps it [m/s].
    double parting_speed = 1e-2;
    int max_iterations = 400; ///< for few contacts; for many only as many as `contact_updates` pays for
    int min_iterations = 150;
    std::int64_t contact_updates = 5'000'000; ///< iterations times contacts that a search may cost
    std::int64_t step_updates = 20'000'000;   ///< the same of a step, beyond which it bears overlaps of half a radius
    int max_rounds = 5;                       ///< of finding contacts, solving for their forces, and moving the strands
    double bearable = 2;                      ///< residual, in radii, beyond which a step is no solution
    const BridgeInput* bridges = nullptr;     ///< null = strands are dry
};

/// Why a step is no solution.
enum class ContactFlaw {
    Forces,  ///< that obey Coulomb's law were not found
    Through, ///< edges went through each other
    Depth,   ///< contacts were left too deep
    Knots,   ///< came open
    Solids   ///< edges went into obstacles
};

/// What came of the contacts in a step.
struct ContactUpdate {
    std::vector<StrandContact> contacts; ///< with their forces, sorted
    int rounds = 0;
    std::int64_t iterations = 0; ///< of the solver for forces
    double residual = 0;         ///< of Coulomb's law, largest, as a motion [m]
    bool converged = true;
    bool is_bearable = true;
    bool gives_way = false;        ///< contacts do, to forces that are bounded, since there is no room for all of them
    std::int32_t thrown = -1;      ///< strand that forces would throw away: there is no step; -1: none
    std::int64_t n_unbearable = 0; ///< contacts that are not
    ContactFlaw flaw = ContactFlaw::Forces; ///< of the first of these
    double flaw_size = 0;                   ///< how much is lacking, at worst; nothing is told of `Through` [m]
    std::int64_t n_missed = 0; ///< found after the last round, by a radius too near or more; joints that open so
    std::vector<StrandContact> bridges; ///< liquid bridges that pulled, with their forces, sorted
    BridgeLinks links;                  ///< who is linked at the end of the step
};

/// Says why a step that is not bearable is no solution.
[[nodiscard]] std::string flaw_of(const ContactUpdate& contact);

/// Of two ends of one step, whether the first is the worse: there is none, more is not bearable, or more is missed.
[[nodiscard]] bool is_worse(const ContactUpdate& end, const ContactUpdate& other);

/// Memory that contacts need from step to step only to save time.
class ContactWorkspace {
public:
    ContactWorkspace();
    ~ContactWorkspace();
    struct Parts;
    [[nodiscard]] Parts& parts() { return *parts_; }

private:
    std::unique_ptr<Parts> parts_;
};

/// One implicit step of all strands that touch each other and obstacles: they move under the forces of the last
/// step, or with bridges as if free, what they would run into is found, the forces of all contacts are solved for with
/// strands that answer to them linearly, and the strands move again, with their full laws, under these forces; again
/// while that brings new contacts about. Liquid bridges between what was linked at the beginning of the step pull with
/// the force that they have at its end: a contact that bears a bridge's pull has the cone that cohesion shifts.
void step_strands(const StrandModel& model, const StrandState& state, const StrandStep& step,
                  std::span<const StrandObstacle> obstacles, const ContactMemory& memory, const ContactOptions& options,
                  ContactWorkspace& workspace, StrandUpdate& update, ContactUpdate& contact);

} // namespace rivulet
