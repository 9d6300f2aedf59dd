#pragma once

#include "strands/contact_case.h"
#include "strands/near_edges.h"

#include <optional>

namespace rivulet {

/// Looks for the contacts of a step, round by round.
class ContactSearch {
public:
    ContactSearch(const ContactCase& given, EdgePairs& pairs, EdgePairs& carried_pairs)
        : given_(given), pairs_(pairs), carried_pairs_(carried_pairs)
    {
    }

    /// Joints, and contacts of the last step that still stand near each other, with forces that they can bear.
    [[nodiscard]] std::vector<StrandContact> remembered() const;
    /// What is known before the strands have moved, sorted: what is carried over, or with bridges these and joints,
    /// none of which bears a force yet.
    [[nodiscard]] std::vector<StrandContact> ties(std::span<const StrandBridge> bridges,
                                                  std::span<const StrandContact> carried,
                                                  const StrandMotion& motion) const;
    /// What a motion runs into, sorted.
    [[nodiscard]] std::vector<StrandContact> run_into(const StrandMotion& motion, bool again);
    /// Adds what lies together and would go on doing so if nothing changed its velocity. Bridges press a clump together
    /// far harder than anything else moves it: free, much of it parts, and forces that are found without the contacts
    /// that bear those of the bridges are no place to begin a search.
    [[nodiscard]] std::vector<StrandContact> with_carried(const std::vector<StrandContact>& found,
                                                          const StrandMotion& motion);
    /// Adds to contacts that are new what a blow that the last round left may close next: it passes through a whole
    /// pack in a step, and layer by layer would take as many rounds.
    void add_struck(const std::vector<StrandContact>& known, const StrandMotion& motion,
                    std::vector<StrandContact>& added);

private:
    const ContactCase& given_;
    EdgePairs &pairs_, &carried_pairs_;
    ObstacleTouches touches_;                    ///< of the last run_into()
    std::optional<std::vector<NearEdges>> near_; ///< at the beginning of the step, once a blow asks for it
};

/// Forgets contacts that bear nothing, are apart, and that the motion does not run into.
void drop_idle(const ContactCase& given, const StrandMotion& motion, const std::vector<StrandContact>& found,
               std::vector<StrandContact>& contacts);

/// Adds contacts to others, all sorted; those between two solids share what room there is.
void add_contacts(const std::vector<StrandContact>& added, const StrandMotion& motion, const ContactCase& given,
                  std::vector<StrandContact>& contacts);

/// By how much the nearest of contacts, bridges apart, is too near [m].
[[nodiscard]] double deepest_of(std::span<const StrandContact> contacts, const StrandMotion& motion);
/// Whether contacts are deeper by more than `allowed`, or bridges of another length, than the linear answer of the
/// strands had it.
[[nodiscard]] bool is_unforeseen(std::span<const StrandContact> contacts, std::span<const double> foreseen_depth,
                                 const StrandMotion& motion, double allowed);

} // namespace rivulet
