#pragma once

#include "grid/tile_grid.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace rivulet {

/// Where liquid comes in and goes out, as the faces of one tile see it.
struct TileOpenings {
    using OfFaces = std::array<std::array<double, kTileCells>, 3>;
    OfFaces driven{};                        ///< part of a face's open part whose velocity is given [1]
    OfFaces velocity{};                      ///< that one [m/s]
    OfFaces hole{};                          ///< part of a face that is open, whatever the solids [1]
    std::array<double, kTileCells> inflow{}; ///< what comes into being in a cell, per volume and time [1/s]
    std::array<std::array<std::uint8_t, kTileCells>, 3> owner{}; ///< number of the source that drives a face, from 1 on
};

/// The same of a grid. Theory: docs/theory/openings.md.
struct FaceOpenings {
    /// With any of these, and their neighbours; none where there are none; the last is outside of the grid. Empty: no
    /// opening at all.
    std::vector<std::unique_ptr<TileOpenings>> tiles;

    [[nodiscard]] bool any() const { return !tiles.empty(); }
    [[nodiscard]] bool has(std::size_t tile) const { return any() && tiles[tile] != nullptr; }
    [[nodiscard]] TileOpenings& make(std::size_t tile)
    {
        if (tiles[tile] == nullptr) tiles[tile] = std::make_unique<TileOpenings>();
        return *tiles[tile];
    }
    [[nodiscard]] double driven(std::size_t axis, std::size_t face) const
    {
        return at(&TileOpenings::driven, axis, face);
    }
    [[nodiscard]] double velocity(std::size_t axis, std::size_t face) const
    {
        return at(&TileOpenings::velocity, axis, face);
    }
    [[nodiscard]] double hole(std::size_t axis, std::size_t face) const { return at(&TileOpenings::hole, axis, face); }
    [[nodiscard]] double inflow(std::size_t cell) const
    {
        const TileOpenings* tile = tiles[cell / kTileCells].get();
        return tile == nullptr ? 0 : tile->inflow[cell % kTileCells];
    }
    [[nodiscard]] int owner(std::size_t axis, std::size_t face) const
    {
        const TileOpenings* tile = tiles[face / kTileCells].get();
        return tile == nullptr ? 0 : tile->owner[axis][face % kTileCells];
    }

private:
    [[nodiscard]] double at(TileOpenings::OfFaces TileOpenings::*field, std::size_t axis, std::size_t face) const
    {
        const TileOpenings* tile = tiles[face / kTileCells].get();
        return tile == nullptr ? 0 : (tile->*field)[axis][face % kTileCells];
    }
};

} // namespace rivulet
