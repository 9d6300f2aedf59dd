#pragma once

#include "grid/lanes.h"
#include "grid/particle_order.h"

#include <algorithm>
#include <span>

namespace rivulet {

/// Particles of one cell, and where the cell is.
struct CellParticles {
    std::span<const std::int32_t> ids;
    const std::int32_t* end; ///< of the tile's particles
    Vec3 corner;             ///< of the tile [m]
    Vec3i cell;              ///< within the tile
    double size, inverse_size;

    /// Asks the memory for what address_of(particle) points to, for the particles of the cells after the next.
    template <class AddressOf>
    [[gnu::always_inline]] void fetch_ahead(AddressOf&& address_of) const noexcept
    {
        constexpr std::ptrdiff_t kAhead = 24;
        const std::ptrdiff_t last = std::min(end - ids.data(), static_cast<std::ptrdiff_t>(ids.size()) + kAhead);
        for (std::ptrdiff_t i = kAhead; i < last; ++i)
            __builtin_prefetch(address_of(static_cast<std::size_t>(ids.data()[i])));
    }
};

/// Calls body(cell) for every cell of tile t that holds particles.
template <class Body>
[[gnu::always_inline]] inline void for_cells(const TileGrid& grid, const ParticleOrder& order, int t, Body&& body)
{
    const std::int32_t* end = order.order.data() + order.tile_begin[static_cast<std::size_t>(t) + 1];
    CellParticles cell{{}, end, grid.node(t, 0, 0, 0), {}, grid.cell_size(), 1 / grid.cell_size()};
    for (int c = 0; c < kTileCells; ++c) {
        cell.ids = order.cell(t, c);
        if (cell.ids.empty()) continue;
        cell.cell = {c % 8, c / 8 % 8, c / 64};
        body(cell);
    }
}

/// Particles of one cell side by side, a lane each. Lanes without a particle have weights but no mass.
///
/// Within a cell the nodes at cell centres that a quadratic B-spline reaches are always the same three, and those on
/// faces are among the same four: so a cell is worked on as a whole.
template <class Real>
struct CellBatch {
    static constexpr int kCount = kLanes<Real>;
    using V = Lanes<Real>;

    V place[3];      ///< in the cell, 0 .. 1 along each axis
    V centred[3][3]; ///< weights of the centres of the cells -1, 0, 1 along each axis
    V faces[3][4];   ///< weights of the faces -1, 0, 1, 2

    [[gnu::always_inline]] void set_weights() noexcept
    {
        for (int a = 0; a < 3; ++a) {
            const V f = place[a];
            const V from_middle = f - Real(0.5);
            const V outer = Real(0.5) * from_middle * from_middle;
            centred[a][0] = Real(0.5) * (1 - f) * (1 - f);
            centred[a][1] = Real(0.75) - from_middle * from_middle;
            centred[a][2] = Real(0.5) * f * f;
            const V none{};
            const auto in_lower_half = f < Real(0.5);
            faces[a][0] = in_lower_half ? outer : none;
            faces[a][1] = in_lower_half ? Real(0.75) - f * f : Real(0.5) * (Real(1.5) - f) * (Real(1.5) - f);
            faces[a][2] =
                in_lower_half ? Real(0.5) * (f + Real(0.5)) * (f + Real(0.5)) : Real(0.75) - (1 - f) * (1 - f);
            faces[a][3] = in_lower_half ? none : outer;
        }
    }
    /// Distance from the particles to node n, in cells.
    [[nodiscard, gnu::always_inline]] V to_centre(int axis, int n) const noexcept
    {
        return Real(n - 0.5) - place[axis];
    }
    [[nodiscard, gnu::always_inline]] V to_face(int axis, int n) const noexcept { return Real(n - 1) - place[axis]; }
};

/// Numbers on their way between lanes and particles.
template <class Real>
struct Column {
    alignas(32) Real value[kLanes<Real>];
};

/// Up to a register full of particles; what is missing repeats the first.
template <class Real>
struct BatchIds {
    std::size_t id[kLanes<Real>];

    BatchIds(const std::int32_t* ids, int n)
    {
        for (int i = 0; i < kLanes<Real>; ++i) id[i] = static_cast<std::size_t>(ids[i < n ? i : 0]);
    }
    /// Lane i = number_of(particle i). Built without a detour through memory, where lanes would wait for their parts.
    template <class Number>
    [[nodiscard, gnu::always_inline]] Lanes<Real> lanes(Number&& number_of) const
    {
        const auto four = [&](int i) {
            return Lanes<double>{number_of(id[i]), number_of(id[i + 1]), number_of(id[i + 2]), number_of(id[i + 3])};
        };
        if constexpr (kLanes<Real> == 4)
            return four(0);
        else
            return join(four(0), four(4));
    }
};

/// Places and weights.
template <class Real>
[[gnu::always_inline]] inline CellBatch<Real> batch_of(const CellParticles& cell, const BatchIds<Real>& ids,
                                                       std::span<const Vec3> position)
{
    CellBatch<Real> batch;
    for (int a = 0; a < 3; ++a) {
        const double corner = cell.corner[a], n = cell.cell[a];
        batch.place[a] = ids.lanes([&](std::size_t p) { return (position[p][a] - corner) * cell.inverse_size - n; });
    }
    batch.set_weights();
    return batch;
}

/// Calls body(batch, ids, how many) for the particles of a cell.
template <class Real, class Body>
[[gnu::always_inline]] inline void for_batches(const CellParticles& cell, std::span<const Vec3> position, Body&& body)
{
    const int n = static_cast<int>(cell.ids.size());
    for (int begin = 0; begin < n; begin += kLanes<Real>) {
        const int count = n - begin < kLanes<Real> ? n - begin : kLanes<Real>;
        const BatchIds<Real> ids(cell.ids.data() + begin, count);
        body(batch_of(cell, ids, position), ids, count);
    }
}

} // namespace rivulet
