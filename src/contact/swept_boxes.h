#pragma once

#include "contact/edge_pairs.h"
#include "numerics/aligned.h"

#include <array>
#include <cstdint>
#include <vector>

namespace rivulet {

/// Boxes of moving edges as the leaves of a tree that needs no pointers: they stand in the order of a curve that fills
/// space, and every eight that follow each other make one box of the level above.
class SweptBoxes {
public:
    /// Each box reaches `margin` beyond what the edge's radius sweeps.
    SweptBoxes(const MovingEdges& edges, double margin);
    /// Boxes of these edges alone.
    SweptBoxes(const MovingEdges& edges, std::vector<std::int32_t> chosen, double margin);

    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(edge_.size()); }
    /// Of the box at a place in the order.
    [[nodiscard]] std::int32_t edge(std::int64_t place) const { return edge_[static_cast<std::size_t>(place)]; }

    /// Calls visit(other) for the places, from `first` on, of boxes that overlap the box at `place`, less those whose
    /// edges surely stay further apart: slanted boxes of many edges that lie side by side overlap by the hundred.
    template <class Visit>
    void each_overlap(std::int64_t place, std::int64_t first, Visit&& visit) const
    {
        descend(levels_.size() - 1, 0, query(static_cast<std::size_t>(place)), first, visit);
    }
    /// The same for an edge that need not have a box here.
    template <class Visit>
    void each_overlap_of(const MovingEdges& edges, std::int32_t edge, Visit&& visit) const
    {
        descend(levels_.size() - 1, 0, query(sweep(edges, edge)), 0, visit);
    }

private:
    static constexpr std::size_t kChildren = 8;
    using Eight = std::array<float, kChildren>;

    /// An edge at the start of the step, how it moves, and its box.
    struct Swept {
        std::array<float, 3> lower, upper; ///< [m]
        std::array<float, 3> middle;       ///< from the first corner of all [m]
        std::array<float, 3> half;         ///< from there to the end [m]
        std::array<float, 3> shift;        ///< of the middle in the step [m]
        float reach = 0; ///< radius, margin, and how far ends come to be from where that shift has them [m]
    };
    /// The same as it is looked for, with the unit vector along it.
    struct Query {
        std::array<float, 3> lower, upper, middle, along, shift;
        float reach = 0;
    };
    /// Eight of each, side by side in memory. Boxes that are not there overlap nothing.
    struct alignas(32) Boxes {
        std::array<Eight, 3> lower, upper;
    };
    struct alignas(32) Edges {
        std::array<Eight, 3> middle, half, shift;
        Eight reach;
    };
    using Level = std::vector<Boxes>;

    [[nodiscard]] Swept sweep(const MovingEdges& edges, std::int32_t edge) const;
    void sort(const MovingEdges& edges, std::vector<std::int32_t> chosen);
    void place(const MovingEdges& edges);
    void build_above();
    [[nodiscard]] Query query(std::size_t place) const;
    [[nodiscard]] static Query query(const Swept& swept);
    /// Of eight edges, one bit for each that may come near: its distance from the line of the other at the start is no
    /// more than both reach and than they come nearer by moving differently.
    [[nodiscard]] static unsigned come_near(const Edges& edges, const Query& q);
    /// One bit for each of eight boxes.
    [[nodiscard]] static unsigned overlaps(const Boxes& boxes, const Query& box)
    {
        unsigned bits = 0;
        for (std::size_t k = 0; k < kChildren; ++k) {
            unsigned is_apart = 0;
            for (std::size_t a = 0; a < 3; ++a) {
                is_apart |= static_cast<unsigned>(boxes.lower[a][k] > box.upper[a]);
                is_apart |= static_cast<unsigned>(boxes.upper[a][k] < box.lower[a]);
            }
            bits |= (1U - is_apart) << k;
        }
        return bits;
    }
    /// Looks through the eight boxes of `level` that make box `node` of the level above.
    template <class Visit>
    void descend(std::size_t level, std::size_t node, const Query& box, std::int64_t first, Visit& visit) const
    {
        unsigned bits = overlaps(levels_[level][node], box);
        if (level == 0 && bits != 0) bits &= come_near(edges_[node], box);
        for (; bits != 0; bits &= bits - 1) {
            const std::size_t child = kChildren * node + static_cast<std::size_t>(__builtin_ctz(bits));
            const auto end = static_cast<std::int64_t>((child + 1) << (3 * level));
            if (end <= first) continue;
            if (level == 0)
                visit(static_cast<std::int64_t>(child));
            else
                descend(level - 1, child, box, first, visit);
        }
    }

    double margin_ = 0; ///< [m]
    std::vector<std::int32_t> edge_;
    Aabb all_;                  ///< where edges begin
    std::vector<Edges> edges_;  ///< by the places of the leaves
    std::vector<Level> levels_; ///< the leaves first; the last has at most eight boxes
};

} // namespace rivulet
