#pragma once

#include "fluid/openings.h"
#include "sim/active_mouths.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace rivulet {

/// Faces that mouths at rest drive, from step to step: saves time, changes nothing.
class MouthTiles {
public:
    /// Keeps what is known of the tiles of a grid; forgets all where other mouths work than before, or anything moves
    /// that may be in their way.
    void begin(const Model& model, const ActiveMouths& mouths, const TileGrid& grid);
    [[nodiscard]] bool are_kept() const { return are_kept_; }
    /// What is known of a tile: nullptr where nothing is driven. Only where is_known().
    [[nodiscard]] const TileOpenings* of(int tile) const { return tiles_[static_cast<std::size_t>(tile)].get(); }
    [[nodiscard]] bool is_known(int tile) const { return known_[static_cast<std::size_t>(tile)] != 0; }
    /// Another tile may be set at the same time.
    void set(int tile, const TileOpenings* openings);

private:
    bool are_kept_ = false;
    std::vector<std::size_t> sources_;
    TileGrid grid_;
    std::vector<std::uint8_t> known_;
    std::vector<std::unique_ptr<TileOpenings>> tiles_;
};

} // namespace rivulet
