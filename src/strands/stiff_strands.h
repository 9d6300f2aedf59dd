#pragma once

#include "strands/contact_case.h"

#include <optional>

namespace rivulet {

/// Of what a strand touches at the edge that begins at a vertex, with this force [N], as part of that of its own edges
/// [N/m].
[[nodiscard]] double contact_stiffness(const ContactCase& given, std::int32_t vertex, double force = 0);

/// Strands that meet what they touch as something stiff, and not as forces that follow them wherever they go.
class StiffStrands {
public:
    explicit StiffStrands(const ContactCase& given) : given_(given) {}

    [[nodiscard]] bool empty() const { return stiff_.empty(); }
    [[nodiscard]] bool touches(const StrandContact& c) const
    {
        return !empty() && (stiff_[given_.strand_of(c.a)] || (!c.is_with_obstacle() && stiff_[given_.strand_of(c.b)]));
    }
    /// Adds strands that went elsewhere than to the displacements foreseen, or found no end; true if there are any.
    /// Of the batches that moved only those with such strands are left.
    bool add_astray(std::span<const StrandContact> contacts, const StrandUpdate& update, std::span<const Vec3> foreseen,
                    std::vector<std::int32_t>& batches);

    /// Adds strands that the forces of the last step have thrown: contacts that bear these forces come apart or too
    /// near by more than a radius in the motion, and the strand is the one of the two that leaves its inertial
    /// displacement behind, by more than that displacement is from the mean of its pack: what slides by tens of radii
    /// in a step leaves contacts by some of them. Not where they are many of a pack, since then the last step was a
    /// blow. True if there are any; only their batches are left.
    bool add_buckled(std::span<const StrandContact> carried, const StrandUpdate& update, std::span<const Vec3> inertial,
                     std::vector<std::int32_t>& batches);

    /// Springs at all contacts that bear a force on stiff strands; they rest where the strands are foreseen to be. Adds
    /// their forces at no displacement to those of the vertices. Their stiffness on every vertex; none: empty.
    [[nodiscard]] std::vector<ContactStiffness> place_springs(std::span<const StrandContact> contacts,
                                                              std::span<const Vec3> foreseen,
                                                              std::span<Vec3> vertex_force);
    /// Adds to the forces of contacts what the springs bear after a motion.
    void load(const StrandUpdate& update, std::span<StrandContact> contacts) const;
    /// From now on only obstacles are met so.
    void yield_to_strands() { yields_ = true; }

private:
    /// At one side of a contact on a stiff strand: the force there falls by K (d - rest), d the motion of that place.
    struct Spring {
        std::size_t contact = 0;
        std::int32_t vertex = 0;
        double at = 0;
        bool is_second = false;
        double stiffness = 0;       ///< [N/m]
        std::optional<Vec3> normal; ///< along which it acts; none: in all directions
        Vec3 rest = Vec3::Zero();   ///< [m]

        [[nodiscard]] Vec3 times(const Vec3& d) const
        {
            return stiffness * (normal ? Vec3(normal->dot(d) * *normal) : d);
        }
        [[nodiscard]] Vec3 place(std::span<const Vec3> x) const
        {
            const auto v = static_cast<std::size_t>(vertex);
            return (1 - at) * x[v] + at * x[v + 1];
        }
    };
    /// Of a place of a strand, beyond the displacements given [m].
    [[nodiscard]] Vec3 beyond(const StrandUpdate& update, std::span<const Vec3> foreseen, std::int32_t vertex,
                              double at) const;
    /// Makes these strands stiff beside those that are already and leaves their batches.
    void become_stiff(std::vector<std::uint8_t> stiff, std::vector<std::int32_t>& batches);
    void add_spring(const StrandContact& c, std::size_t i, bool is_second, std::span<const Vec3> foreseen,
                    std::span<Vec3> vertex_force, std::span<ContactStiffness> stiffness);
    static void add_stiffness(std::array<double, 6>& to, double weight, const Spring& s);

    const ContactCase& given_;
    std::vector<std::uint8_t> stiff_; ///< strands; none: empty
    std::vector<Spring> springs_;
    bool yields_ = false;
};

} // namespace rivulet
