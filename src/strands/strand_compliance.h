#pragma once

#include "contact/penalty_solver.h"
#include "strands/rod_system.h"
#include "strands/strand_contacts.h"

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

namespace rivulet {

/// How the places where strands touch move under forces there: each strand answers with the inverse of the factored
/// Hessian of its step, so a force at one place is felt all along it at once.
class StrandCompliance final : public ContactCompliance {
public:
    /// `factors` has an entry for every batch of the model.
    StrandCompliance(const StrandModel& model, std::span<const Hold> hold, std::span<const RodMatrix> factors,
                     std::span<const StrandContact> contacts);
    ~StrandCompliance() override;

    void apply(std::span<const Vec3> force, std::span<Vec3> motion) override { apply(force, force, motion); }
    [[nodiscard]] std::unique_ptr<ContactCompliance> only(std::span<const std::int32_t> contacts) override;
    /// The same with other forces on second sides than the opposite of those on the first.
    void apply(std::span<const Vec3> force, std::span<const Vec3> second, std::span<Vec3> motion);
    /// Strands factored with the springs that they hang on; valid until the next call.
    SpringBodies* with_springs(std::span<const Vec3> normal, std::span<const double> stiffness) override;
    /// Adds the motion that the last solution with springs found, as add_response() does that of forces.
    void add_found(std::span<Vec3> displacement, std::span<double> spin) const;
    /// Strands with many contacts may be written out by their vertices.
    enum class Blocks { OfContacts, OfVerticesToo };
    /// Size of blocks().
    [[nodiscard]] std::size_t block_bytes(std::span<const ConeContact> cones, Blocks kind) const;
    /// The same, between all contacts of each strand, written out along the axes of the contacts, or between all
    /// vertices if that is less to read.
    [[nodiscard]] BlockCompliance blocks(std::span<const ConeContact> cones, Blocks kind) const;
    /// Motion of each contact for a force on it alone, averaged over directions [m/N].
    [[nodiscard]] std::vector<double> own_compliance() const;
    /// Adds the motion of every vertex, and the spin of every edge, of the strands that touch something.
    void add_response(std::span<const Vec3> force, std::span<Vec3> displacement, std::span<double> spin) const
    {
        add_response(force, force, displacement, spin);
    }
    void add_response(std::span<const Vec3> force, std::span<const Vec3> second, std::span<Vec3> displacement,
                      std::span<double> spin) const;

    /// Batches with a strand that touches something, in order.
    [[nodiscard]] std::span<const std::int32_t> batches() const { return batches_; }
    /// Those of them with a contact that `is_changed` says yes to.
    template <class IsChanged>
    [[nodiscard]] std::vector<std::int32_t> batches_where(IsChanged&& is_changed) const
    {
        std::vector<std::int32_t> out;
        for (std::size_t i = 0; i < batches_.size(); ++i) {
            const std::span<const Side> sides = sides_of_batch(i);
            if (std::any_of(sides.begin(), sides.end(),
                            [&](const Side& s) { return is_changed(static_cast<std::size_t>(s.contact)); }))
                out.push_back(batches_[i]);
        }
        return out;
    }

private:
    /// One strand's part in a contact.
    struct Side {
        std::int32_t contact = 0;
        std::int32_t vertex = 0; ///< of the strand, at which the edge begins
        double at = 0;           ///< place on the edge
        std::uint8_t lane = 0;
        bool is_second = false;        ///< b
        std::array<bool, 2> is_free{}; ///< its ends

        /// Of an end; of b negative; 0 where held.
        [[nodiscard]] double weight(std::size_t end) const
        {
            const double part = end == 0 ? 1 - at : at;
            return is_free[end] ? (is_second ? -part : part) : 0;
        }
    };
    class Springs;
    class Part;

    /// Where the sides of batches and strands begin, and which contacts have, from sorted sides and their seats.
    void index_sides(std::span<const std::int32_t> seat);

    /// Of batch number i of batches().
    [[nodiscard]] std::span<const Side> sides_of_batch(std::size_t i) const
    {
        return {sides_.data() + begin_[i], begin_[i + 1] - begin_[i]};
    }
    /// u <- A^-1 f for that batch, with forces on these sides.
    void solve(std::size_t i, std::span<const Side> sides, std::span<const Vec3> force, std::span<const Vec3> second,
               AlignedVector<Lane>& u) const;
    /// Rows of the blocks of all strands of batch number i, as far as they are those of contacts, and of vertices.
    void fill_blocks(std::size_t i, std::span<const Mat3> frame, BlockCompliance& out) const;
    void fill_nodes(std::size_t i, BlockCompliance& out) const;
    /// Of each strand that touches something; 0 if its block is that of contacts.
    [[nodiscard]] std::vector<std::size_t> nodes_of(std::span<const ConeContact> cones, Blocks kind) const;
    [[nodiscard]] std::size_t n_axes_of(std::size_t strand, std::span<const ConeContact> cones) const;
    void add_to(AlignedVector<Lane>& u, const Side& side, const Vec3& force) const;
    /// Adds the unknowns of batch number i of batches() to those of the vertices.
    void spread(std::size_t i, std::span<const Lane> u, std::span<Vec3> displacement, std::span<double> spin) const;
    [[nodiscard]] static Vec3 at_side(const AlignedVector<Lane>& u, const Side& side);

    const StrandModel& model_;
    std::span<const RodMatrix> factors_;
    std::size_t n_contacts_;
    std::vector<std::int32_t> batches_;
    std::vector<std::size_t> begin_;  ///< of each batch's sides
    std::vector<Side> sides_;         ///< by batch, then by lane: those of a strand lie together
    std::vector<std::size_t> strand_; ///< where those of each strand that touches begin, and one past the last
    std::vector<Vec3> second_motion_; ///< of the second side of each contact; 0 if it has none
    std::vector<std::array<std::int32_t, 2>> sides_of_; ///< of each contact; -1 = none
    std::unique_ptr<Springs> springs_;
};

} // namespace rivulet
