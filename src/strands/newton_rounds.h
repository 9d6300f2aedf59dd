#pragma once

#include "strands/contact_case.h"
#include "strands/contact_search.h"
#include "strands/strand_batches.h"

namespace rivulet {

/// Finds the end of a wet step with strands and forces together. In wet clumps contacts press against bridges so hard
/// that a strand is at rest under both only where it was foreseen to be: let go under such forces it turns aside.
///
/// A round solves for the forces with the strands' linear answer from where they are. All strands of a pack then go the
/// same part of the way that this foresees, as far as a common potential falls: that of the strands, of the bridges,
/// and what contacts would have to be paid for being too near.
class NewtonRounds {
public:
    /// `is_soft`: there is not room for all that contacts ask for, as far as is known.
    NewtonRounds(const ContactCase& given, ContactSearch& search, std::span<const StrandBridge> bridges, bool is_soft,
                 StrandUpdate& update, ContactUpdate& contact)
        : given_(given), search_(search), bridges_(bridges), update_(update), contact_(contact), is_soft_(is_soft)
    {
    }

    /// False if there is no end: then `update` and `contact` are of no use.
    [[nodiscard]] bool run();

private:
    void begin_free();
    void begin_as_before();
    bool finds_end();
    bool solve_forces();
    double descend();
    bool end_nearby();

    /// How strands are to go on from where they are.
    struct Way {
        StrandSearch search = StrandSearch::Stay;
        std::span<const double> part = {}; ///< of Newton's step, of every strand
        std::span<double> potential = {};  ///< takes that of every strand [J]
    };
    /// Moves all strands under the present forces from a motion; with Newton's next step unless they stay.
    void move(const StrandState& from, const Way& way);
    [[nodiscard]] std::vector<std::int32_t> packs() const;
    [[nodiscard]] std::vector<double> first_parts(const std::vector<std::int32_t>& pack) const;
    [[nodiscard]] std::vector<double> merits(const std::vector<std::int32_t>& pack,
                                             std::span<const double> potential) const;
    [[nodiscard]] double merit(const StrandContact& c) const;

    [[nodiscard]] StrandMotion motion() const { return given_.motion(update_); }
    [[nodiscard]] StrandMotion expected() const { return given_.motion(expected_); }
    [[nodiscard]] bool all_converged() const;
    [[nodiscard]] std::vector<StrandContact> contacts_ahead();
    [[nodiscard]] std::vector<StrandContact> new_of(const std::vector<StrandContact>& found) const;
    void add(const std::vector<StrandContact>& added);

    const ContactCase& given_;
    ContactSearch& search_;
    std::span<const StrandBridge> bridges_;
    StrandUpdate& update_;
    ContactUpdate& contact_;
    bool is_soft_;                       ///< contacts give way to their forces
    std::vector<Vec3> expected_;         ///< places of vertices after Newton's next step [m]
    std::vector<Vec3> foreseen_;         ///< places of vertices by the linear answer [m]
    std::vector<double> foreseen_depth_; ///< of the contacts that were solved for [m]
};

} // namespace rivulet
