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

private:
    static constexpr std::size_t kChildren = 8;
    /// Of one edge: its box, and how it moves.
    struct Query {
        std::array<float, 3> lower, upper;
        std::array<float, 3> middle, along; ///< of the edge at the start; unit vector
        std::array<float, 3> shift;
        float reach = 0;
    };
    /// Edges at the start of the step, each filled up as a level.
    struct Edges {
        std::array<AlignedVector<float>, 3> middle; ///< from the first corner of all [m]
        std::array<AlignedVector<float>, 3> half;   ///< from there to the end [m]
        std::array<AlignedVector<float>, 3> shift;  ///< of the middle in the step [m]
        AlignedVector<float> reach; ///< radius, margin, and how far ends come to be from where that shift has them [m]
    };
    /// Filled up to a multiple of eight with boxes that overlap nothing.
    struct Level {
        std::array<AlignedVector<float>, 3> lower, upper;

        void resize(std::size_t n);
        [[nodiscard]] std::size_t size() const { return lower[0].size(); }
    };

    void sort(const MovingEdges& edges);
    void place_edges(const MovingEdges& edges, double margin);
    void build_above();
    [[nodiscard]] Query query(std::size_t place) const;
    /// Of eight edges from place `begin` on, one bit for each that may come near: its distance from the line of the
    /// other at the start is no more than both reach and than they come nearer by moving differently.
    [[nodiscard]] unsigned come_near(std::size_t begin, const Query& q) const;
    /// One bit for each of eight boxes of a level, from number `begin` on.
    [[nodiscard]] static unsigned overlaps(const Level& level, std::size_t begin, const Query& box)
    {
        unsigned bits = 0;
        for (std::size_t k = 0; k < kChildren; ++k) {
            unsigned is_apart = 0;
            for (std::size_t a = 0; a < 3; ++a) {
                is_apart |= static_cast<unsigned>(level.lower[a][begin + k] > box.upper[a]);
                is_apart |= static_cast<unsigned>(level.upper[a][begin + k] < box.lower[a]);
            }
            bits |= (1U - is_apart) << k;
        }
        return bits;
    }
    /// Looks through the eight boxes of `level` that make box `node` of the level above.
    template <class Visit>
    void descend(std::size_t level, std::size_t node, const Query& box, std::int64_t first, Visit& visit) const
    {
        unsigned bits = overlaps(levels_[level], kChildren * node, box);
        if (level == 0 && bits != 0) bits &= come_near(kChildren * node, box);
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

    std::vector<std::int32_t> edge_;
    Aabb all_; ///< where edges begin
    Edges edges_;
    std::vector<Level> levels_; ///< the leaves first; the last has at most eight boxes
};

} // namespace rivulet
