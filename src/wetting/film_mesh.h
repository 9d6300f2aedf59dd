#pragma once

#include "base/vec.h"
#include "wetting/strand_film.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rivulet {

/// One strand as the mesh of its film sees it: places straight between its vertices, all else that of the vertex in
/// whose half of an edge they lie. Mass and inertia are shared out by length. So momentum is the same on both.
class RefinedStrand {
public:
    void refine(const FilmStrands& strands, const FilmState& state, std::size_t s);
    /// Velocity, spin and debts back to the strand: the mean by mass of what a vertex' part of the mesh has.
    void gather(const FilmStrands& strands, const FilmState& state, std::size_t s, double density, double radius) const;

    std::vector<std::int32_t> owner; ///< vertex of the strand, from its first on
    std::vector<Vec3> position, acceleration, lift, velocity, owed;
    std::vector<double> length; ///< of vertices [m]
    std::vector<double> scale;  ///< as FilmStrands::scale
    std::vector<double> mass, inertia, exposure, sliding, spin;

private:
    /// The edge of the strand that the spin of the mesh' edge j is that of: see spinning_edge().
    [[nodiscard]] std::size_t spinning(std::size_t j, std::size_t n) const
    {
        return std::min(static_cast<std::size_t>(owner[j]), n - 2);
    }

    std::vector<double> total_; ///< of vertices or edges of the strand
    std::vector<int> slots_;
};

} // namespace rivulet
