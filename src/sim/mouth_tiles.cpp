#include "sim/mouth_tiles.h"

#include <algorithm>

namespace rivulet {

void MouthTiles::begin(const Model& model, const ActiveMouths& mouths, const TileGrid& grid)
{
    std::vector<std::size_t> sources;
    bool rest = true, have_solids = false;
    for (const ActiveMouths::Placed& m : mouths.all()) {
        sources.push_back(m.number);
        rest = rest && m.source->motion.is_static();
        have_solids = have_solids || m.has_solids;
    }
    if (have_solids)
        rest = rest && std::all_of(model.obstacles.begin(), model.obstacles.end(),
                                   [](const Obstacle& o) { return o.motion.is_static(); });
    const auto n_tiles = static_cast<std::size_t>(grid.n_tiles());
    std::vector<std::uint8_t> known(n_tiles, 0);
    std::vector<std::unique_ptr<TileOpenings>> tiles(n_tiles);
    for (std::size_t t = 0; t < n_tiles && rest && are_kept_ && sources == sources_; ++t) {
        const auto last = static_cast<std::size_t>(grid_.find(grid.tile(static_cast<int>(t))));
        if (last >= tiles_.size()) continue;
        known[t] = known_[last];
        tiles[t] = std::move(tiles_[last]);
    }
    are_kept_ = rest;
    sources_ = std::move(sources);
    known_ = std::move(known);
    tiles_ = std::move(tiles);
    grid_ = grid;
}

void MouthTiles::set(int tile, const TileOpenings* openings)
{
    known_[static_cast<std::size_t>(tile)] = 1;
    tiles_[static_cast<std::size_t>(tile)] = openings == nullptr ? nullptr : std::make_unique<TileOpenings>(*openings);
}

} // namespace rivulet
