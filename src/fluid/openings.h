#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rivulet {

/// Where liquid comes in and goes out, as the faces of the grid see it. Theory: docs/theory/openings.md.
struct FaceOpenings {
    std::vector<std::uint8_t> tiles;             ///< with any of these
    std::array<std::vector<double>, 3> driven;   ///< part of a face's open part whose velocity is given [1]
    std::array<std::vector<double>, 3> velocity; ///< that one [m/s]
    std::vector<double> inflow;                  ///< what comes into being in a cell, per volume and time [1/s]
    std::array<std::vector<double>, 3> hole;     ///< part of a face that is open, whatever the solids [1]

    [[nodiscard]] bool any() const { return !tiles.empty(); }
    [[nodiscard]] bool has(std::size_t tile) const { return !tiles.empty() && tiles[tile] != 0; }
};

} // namespace rivulet
