#pragma once

#include "base/parallel.h"
#include "sim/scratch.h"

namespace rivulet {

/// Calls body(cell index, particles) for every cell that holds particles.
template <class Body>
void for_occupied_cells(const Workspace::Scratch& s, const char* name, Body&& body)
{
    parallel_for(s.grid.n_tiles(), name, [&](std::int64_t ti) {
        const int t = static_cast<int>(ti);
        if (s.order.cell_table[static_cast<std::size_t>(t)] < 0) return;
        for (int c = 0; c < kTileCells; ++c) {
            const auto particles = s.order.cell(t, c);
            if (!particles.empty()) body(static_cast<std::size_t>(t * kTileCells + c), particles);
        }
    });
}

} // namespace rivulet
