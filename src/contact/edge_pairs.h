#pragma once

#include "base/vec.h"
#include "base/vec3f.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace rivulet {

/// Edges that may touch, the first with the smaller index.
struct EdgePair {
    std::int32_t first = 0, second = 0;

    [[nodiscard]] friend bool operator==(const EdgePair&, const EdgePair&) = default;
    [[nodiscard]] friend bool operator<(const EdgePair& a, const EdgePair& b)
    {
        return a.first != b.first ? a.first < b.first : a.second < b.second;
    }
};

/// The moving edges of a step: edge e goes from vertex[e] to vertex[e] + 1.
struct MovingEdges {
    std::span<const std::int32_t> vertex;
    std::span<const std::int32_t> chain; ///< that each edge belongs to; edges of a chain follow each other
    std::span<const double> radius;      ///< of each edge [m]
    std::span<const Vec3> start;         ///< positions of vertices at the beginning of the step [m]
    std::span<const Vec3> end;           ///< and at its end
};

/// Edges of one chain that are nearer neighbours than this cannot touch.
inline constexpr std::int32_t kChainNeighbours = 4;

/// Finds the pairs of edges that may come as near as the sum of their radii, and `slack` more, during a step.
///
/// Pairs are kept from one update to the next, within a step as from step to step: only edges whose way begins or ends
/// further than half a slack, less what their radius has grown, from the way for which they were last looked at are
/// looked at again, among the boxes that all edges sweep. The list may hold more than what touches, never less, so
/// contacts that are made from it do not depend on its history.
class EdgePairs {
public:
    /// After this pairs() is valid for the motion given.
    void update(const MovingEdges& edges, double slack);
    /// Sorted.
    [[nodiscard]] std::span<const EdgePair> pairs() const { return pairs_; }
    /// Edges that the last update had to look at anew.
    [[nodiscard]] std::int64_t n_searched() const { return n_searched_; }
    [[nodiscard]] std::size_t bytes() const;

private:
    void find_moved(const MovingEdges& edges, double slack);
    void drop_moved();
    void search(const MovingEdges& edges, double slack);
    /// Adds the pairs that find(i, out) finds for i below n.
    template <class Find>
    void gather(std::int64_t n, std::int64_t per_task, const Find& find);

    /// Rounded, for the sake of memory.
    struct Way {
        std::array<Vec3f, 2> start, end;
        double radius = 0;
    };

    std::vector<Way> reference_; ///< of the ends of each edge when it was last looked for
    std::vector<std::uint8_t> has_moved_;
    std::vector<EdgePair> pairs_;
    std::int64_t n_searched_ = 0;
};

} // namespace rivulet
