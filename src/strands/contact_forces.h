#pragma once

#include "strands/contact_case.h"
#include "strands/stiff_strands.h"
#include "strands/strand_compliance.h"

namespace rivulet {

/// Forces of all contacts of a round, and what is left of their laws.
struct ContactForces {
    std::vector<Vec3> force; ///< [N]
    std::vector<Vec3> moved; ///< what the linear answer foresees of each contact [m]
    int iterations = 0;
    double residual = 0; ///< largest, as a motion [m]
    bool converged = true;
    std::int64_t n_unbearable = 0; ///< contacts whose law is off by more than a step may be
    std::int64_t broken = -1;      ///< a contact whose strands have no positive compliance: nothing is solved
};

/// That a contact, or a bridge, had in the last step; 0 if it is new [N].
[[nodiscard]] Vec3 force_before(const ContactCase& given, const StrandContact& contact,
                                std::span<const StrandBridge> bridges);

/// How much a search for forces may cost: little where all but where the next begins will be lost of it, much where the
/// step ends only with forces that have been found.
enum class ForceSearch { Sketch, Round, Newton };
/// Whether a step looks at so few strands that their contacts and bridges are dear only where they are many on each:
/// then wet steps may begin with Newton's rounds, in which all strands and forces are found together.
[[nodiscard]] bool are_few_strands(const ContactCase& given);
/// Contacts, bridges among them, for which Newton's rounds can afford a search that finds what others do not. Each of
/// its steps goes through all strands that touch.
[[nodiscard]] std::size_t few_wet_contacts(const ContactCase& given);

/// Solves for the forces of contacts, among them bridges, with strands that answer linearly to them from where
/// `motion` has them. If `is_soft`, contacts give way to their forces.
[[nodiscard]] ContactForces solve_contact_forces(const ContactCase& given, std::span<const StrandContact> contacts,
                                                 std::span<const StrandBridge> bridges, const StrandMotion& motion,
                                                 const StiffStrands& stiff, StrandCompliance& compliance,
                                                 ForceSearch search, bool is_soft = false);
/// By how much a contact gives way to its own force when there is no room for all that is asked for: as springs do that
/// are a part of the strands' own stiffness [m/N].
[[nodiscard]] double contact_softness(const ContactCase& given, const StrandContact& contact);

/// Whether the forces that stiff strands ended up with obey Coulomb's law, to `allowed` as a motion [m].
[[nodiscard]] bool stiff_forces_settled(const ContactCase& given, std::span<const StrandContact> contacts,
                                        const StrandMotion& motion, const StiffStrands& stiff, double allowed);

} // namespace rivulet
