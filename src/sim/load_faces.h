#pragma once

#include "fluid/solids.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace rivulet {

/// What bodies take of the pressure on a face, as far as places alone tell.
struct FaceShares {
    static constexpr std::int32_t kUnknown = -2;
    std::int32_t body = -1;          ///< the nearest, where it takes anything; -1: none does
    std::int32_t nearest = kUnknown; ///< the nearest solid, however far; -1: a wall; filled in where it is asked for
    double taken = 0, rest = 0;      ///< of the face and of the cube around it, see BodyShares
    std::uint16_t first = 0, n = 0;  ///< its parts, where several bodies share it
    bool in_wall = false;            ///< the face is a closed one of the domain's walls
};

/// Of the faces of a tile that were asked for.
struct TileShares {
    struct Part {
        int body;
        double part; ///< of the load on the face
    };
    std::array<std::int16_t, 3 * kTileCells> place; ///< in `faces`; -1: not looked at
    std::vector<FaceShares> faces;
    std::vector<Part> parts;

    TileShares() { place.fill(-1); }
};

/// The same of a grid's faces that no moving body is near, from step to step: saves time, changes nothing.
class LoadFaces {
public:
    /// Keeps what is known of the tiles of a grid.
    void begin(const TileGrid& grid, const SolidFields& fields);
    /// Of a tile that is not open as a whole.
    [[nodiscard]] TileShares& of(int tile) { return *tiles_[static_cast<std::size_t>(tile)]; }

private:
    TileGrid grid_;
    std::vector<std::unique_ptr<TileShares>> tiles_;
};

} // namespace rivulet
