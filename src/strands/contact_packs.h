#pragma once

#include "strands/near_edges.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rivulet {

/// Strands that hang together through contacts; obstacles join nothing.
class ContactPacks {
public:
    explicit ContactPacks(const StrandModel& model);

    void join(std::span<const StrandContact> contacts);
    /// The pack of the strand with this vertex: named by its first strand.
    [[nodiscard]] std::int32_t of_vertex(std::int32_t vertex) const;
    [[nodiscard]] std::int32_t of_strand(std::int32_t strand) const { return root(strand); }
    [[nodiscard]] std::size_t size() const { return parent_.size(); }

private:
    [[nodiscard]] std::int32_t strand(std::int32_t vertex) const;
    [[nodiscard]] std::int32_t root(std::int32_t strand) const;

    std::span<const std::int32_t> first_; ///< vertex of each strand
    std::vector<std::int32_t> parent_;
};

/// How much of the forces of each contact the strands' answer to them calls for, 0 to 1, the same for all of a pack:
/// the part a that minimises the energy a^2 r.Wr/2 + a r.b, b the motion, gap included, without them. What lies
/// still needs all of them; what has been struck needs little of the blow in the next step.
/// `motion` is that under these forces, `answer` = Wr the part of it that is due to them [m].
[[nodiscard]] std::vector<double> needed_part(const StrandModel& model, std::span<const StrandContact> contacts,
                                              std::span<const Vec3> motion, std::span<const Vec3> answer);

/// Of the strands of each strand's pack, the part that is `chosen`.
[[nodiscard]] std::vector<double> part_of_packs(const StrandModel& model, std::span<const StrandContact> contacts,
                                                std::span<const std::uint8_t> chosen);

/// Of each strand's pack, the mean of what all its vertices have.
[[nodiscard]] std::vector<Vec3> mean_of_packs(const StrandModel& model, std::span<const StrandContact> contacts,
                                              std::span<const Vec3> displacement);

/// What strands that lie together pass on of a blow: those of the edges that are near each other at the beginning of
/// the step whose gap it may close. `struck` are contacts of the blow and `depth` by how much each is too near [m]. It
/// goes from edge to edge as far as the gaps on its way add up to less than that depth, and fades along strands, until
/// `least` is left of it. In the order of `near`.
[[nodiscard]] std::vector<NearEdges> struck_next(const StrandModel& model, std::span<const NearEdges> near,
                                                 std::span<const StrandContact> struck, std::span<const double> depth,
                                                 double least);

} // namespace rivulet
