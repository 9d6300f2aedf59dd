#pragma once

#include "contact/edge_pairs.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace rivulet {

/// Boxes of moving edges, sorted by the cell that holds their centre. A cell is wider than a box, so what overlaps a
/// box has its centre in the cell of that box or in one of the 26 around it; the few boxes that are much wider than the
/// others stand apart and are compared with all.
class SweptBoxes {
public:
    /// Each box reaches `margin` beyond what the edge's radius sweeps.
    SweptBoxes(const MovingEdges& edges, double margin);

    [[nodiscard]] std::int64_t n_cells() const { return static_cast<std::int64_t>(cells_.size()); }
    /// Calls visit(e, f) for the edges of overlapping boxes, the first with its centre in the cell, that wants(e)
    /// accepts. A pair may come in both orders.
    template <class Wants, class Visit>
    void each_overlap(std::int64_t cell, Wants&& wants, Visit&& visit) const
    {
        const Cell& c = cells_[static_cast<std::size_t>(cell)];
        const std::array<Range, 10> ranges = neighbours(c);
        for (std::size_t a = c.boxes.first; a < c.boxes.second; ++a) {
            if (!wants(edge_[a])) continue;
            for (const Range& range : ranges)
                for (std::size_t b = range.first; b < range.second; ++b)
                    if (overlap(a, b)) visit(edge_[a], edge_[b]);
        }
    }

private:
    using Range = std::pair<std::size_t, std::size_t>;
    using Key = std::array<std::int32_t, 3>;
    struct Cell {
        Key key;
        Range boxes;
    };

    [[nodiscard]] std::array<Range, 10> neighbours(const Cell& cell) const;
    [[nodiscard]] bool overlap(std::size_t a, std::size_t b) const
    {
        for (std::size_t axis = 0; axis < 3; ++axis)
            if (lower_[axis][a] > upper_[axis][b] || lower_[axis][b] > upper_[axis][a]) return false;
        return true;
    }

    std::vector<Cell> cells_; ///< by key; the last holds the wide boxes
    std::vector<std::int32_t> edge_;
    std::array<std::vector<float>, 3> lower_, upper_;
};

} // namespace rivulet
