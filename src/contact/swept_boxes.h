#pragma once

#include "contact/edge_pairs.h"
#include "numerics/aligned.h"

#include <immintrin.h>

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

    /// Boxes that follow each other in the order are looked for together, as one group.
    [[nodiscard]] std::int64_t n_groups() const { return static_cast<std::int64_t>(edges_.size()); }
    /// Calls visit(place, other) for places in the group that is_sought(place) says yes to, and places of boxes that
    /// overlap those, less those whose edges surely stay further apart: slanted boxes of many edges that lie side by
    /// side overlap by the hundred. If `only_later`, of two places in the order only the earlier looks for the other.
    template <class IsSought, class Visit>
    void each_overlap(std::int64_t group, bool only_later, IsSought&& is_sought, Visit&& visit) const
    {
        const auto g = static_cast<std::size_t>(group);
        unsigned sought = 0;
        std::array<Query, kChildren> queries;
        for (std::size_t k = 0; k < kChildren && kChildren * g + k < edge_.size(); ++k) {
            if (!is_sought(group * kGroup + static_cast<std::int64_t>(k))) continue;
            sought |= 1U << k;
            queries[k] = query(kChildren * g + k);
        }
        if (sought == 0) return;
        each_leaf(levels_.size() - 1, 0, around(queries, sought), only_later ? g : 0, [&](std::size_t leaf) {
            // Of the group only those that overlap the box about the eight of the leaf.
            unsigned near = sought & overlaps(levels_[0][g], box_of_leaf(leaf));
            for (; near != 0; near &= near - 1) {
                const auto k = static_cast<std::size_t>(__builtin_ctz(near));
                unsigned bits = overlaps(levels_[0][leaf], queries[k].box);
                if (only_later && leaf == g) bits &= ~((2U << k) - 1);
                if (bits != 0) bits &= come_near(edges_[leaf], queries[k]);
                for (; bits != 0; bits &= bits - 1)
                    visit(group * kGroup + static_cast<std::int64_t>(k),
                          static_cast<std::int64_t>(kChildren * leaf) + __builtin_ctz(bits));
            }
        });
    }
    /// The same for an edge that need not have a box here.
    template <class Visit>
    void each_overlap_of(const MovingEdges& edges, std::int32_t edge, Visit&& visit) const
    {
        const Query q = query(sweep(edges, edge));
        each_leaf(levels_.size() - 1, 0, q.box, 0, [&](std::size_t leaf) {
            unsigned bits = overlaps(levels_[0][leaf], q.box);
            if (bits != 0) bits &= come_near(edges_[leaf], q);
            for (; bits != 0; bits &= bits - 1)
                visit(static_cast<std::int64_t>(kChildren * leaf) + __builtin_ctz(bits));
        });
    }

private:
    static constexpr std::size_t kChildren = 8;
    static constexpr std::int64_t kGroup = kChildren;
    using Eight = std::array<float, kChildren>;

    struct Box {
        std::array<float, 3> lower, upper; ///< [m]
    };
    /// An edge at the start of the step, how it moves, and its box.
    struct Swept {
        Box box;
        std::array<float, 3> middle; ///< from the first corner of all [m]
        std::array<float, 3> half;   ///< from there to the end [m]
        std::array<float, 3> shift;  ///< of the middle in the step [m]
        float reach = 0;             ///< radius, margin, and how far ends come to be from where that shift has them [m]
    };
    /// The same as it is looked for, with the unit vector along it.
    struct Query {
        Box box;
        std::array<float, 3> middle, along, shift;
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
    [[nodiscard]] static unsigned overlaps(const Boxes& boxes, const Box& box)
    {
        __m256 is_apart = _mm256_setzero_ps();
        for (std::size_t a = 0; a < 3; ++a) {
            const __m256 lower = _mm256_load_ps(boxes.lower[a].data()), upper = _mm256_load_ps(boxes.upper[a].data());
            is_apart = _mm256_or_ps(is_apart, _mm256_cmp_ps(lower, _mm256_set1_ps(box.upper[a]), _CMP_GT_OQ));
            is_apart = _mm256_or_ps(is_apart, _mm256_cmp_ps(upper, _mm256_set1_ps(box.lower[a]), _CMP_LT_OQ));
        }
        return ~static_cast<unsigned>(_mm256_movemask_ps(is_apart)) & 0xffU;
    }
    /// About those of eight that have their bit set.
    [[nodiscard]] static Box around(const std::array<Query, kChildren>& queries, unsigned bits);
    /// About the eight boxes of a leaf.
    [[nodiscard]] Box box_of_leaf(std::size_t leaf) const;
    /// Calls visit(leaf) for every eight leaves, from number `first` on, that a box overlaps together, looking through
    /// the eight boxes of `level` that make box `node` of the level above.
    template <class Visit>
    void each_leaf(std::size_t level, std::size_t node, const Box& box, std::size_t first, Visit&& visit) const
    {
        if (level == 0) return visit(node);
        for (unsigned bits = overlaps(levels_[level][node], box); bits != 0; bits &= bits - 1) {
            const std::size_t child = kChildren * node + static_cast<std::size_t>(__builtin_ctz(bits));
            const std::size_t end = (child + 1) << (3 * (level - 1)); // of the leaves below it
            if (end > first) each_leaf(level - 1, child, box, first, visit);
        }
    }

    double margin_ = 0; ///< [m]
    std::vector<std::int32_t> edge_;
    Aabb all_;                  ///< where edges begin
    std::vector<Edges> edges_;  ///< by the places of the leaves
    std::vector<Level> levels_; ///< the leaves first; the last has at most eight boxes
};

} // namespace rivulet
