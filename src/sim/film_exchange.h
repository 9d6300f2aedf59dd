#pragma once

#include "sim/model.h"
#include "sim/state.h"

#include <algorithm>
#include <cstdint>

namespace rivulet {

/// Least volume of a drop that falls off a strand, or is left of one that it caught, in particles of the bulk
/// [Fei 2017].
inline constexpr double kDropPart = 0.25;

/// Part of a vertex in the air below which it is under water, and up to which its film is part of the water around it:
/// it does not flow, and what is too much goes over to the water. Between them is room for a level that changes a
/// little: a hair in the surface would catch and shed in turn.
inline constexpr double kUnderWater = 0.5, kInWater = 0.75;

/// Of liquid that goes from particles to films or back [J].
[[nodiscard]] inline double energy_of(const Model& model, double mass, const Vec3& position, const Vec3& velocity)
{
    return mass * (0.5 * velocity.squaredNorm() - model.options.gravity.dot(position));
}

/// The cell of a point: what is in one cell has one key, and keys order cells.
struct CellKeys {
    double inverse_size;
    Vec3 origin;

    [[nodiscard]] Vec3 cell(const Vec3& x) const { return ((x - origin) * inverse_size).array().floor(); }
    [[nodiscard]] static std::uint64_t key(const Vec3& cell)
    {
        std::uint64_t k = 0;
        for (int a = 0; a < 3; ++a) {
            const double bounded = std::clamp(cell[a], -1048575.0, 1048575.0);
            k = k << 21 | static_cast<std::uint64_t>(static_cast<std::int64_t>(bounded) + 1048576);
        }
        return k;
    }
    [[nodiscard]] std::uint64_t operator()(const Vec3& x) const { return key(cell(x)); }
};

[[nodiscard]] inline CellKeys cell_keys(const Model& model)
{
    return {1 / model.options.cell_size, model.domain.box.lower};
}

/// A vertex in a cell, or in one of those that its stretch of strand passes.
struct VertexInCell {
    std::uint64_t key;
    std::int32_t vertex;

    friend bool operator<(const VertexInCell& a, const VertexInCell& b)
    {
        return a.key != b.key ? a.key < b.key : a.vertex < b.vertex;
    }
    friend bool operator==(const VertexInCell& a, const VertexInCell& b)
    {
        return a.key == b.key && a.vertex == b.vertex;
    }
};

} // namespace rivulet
