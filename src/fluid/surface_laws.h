#pragma once

#include "grid/particle_order.h"

#include <algorithm>
#include <span>
#include <vector>

namespace rivulet {

/// What the surface of a liquid is like.
struct SurfaceLaw {
    double tension = 0;        ///< against air [N/m]
    double contact_cosine = 0; ///< of the angle at solids, measured through the liquid [1]

    bool operator==(const SurfaceLaw&) const = default;
};

/// The law at cell centres: where liquids mix, tension and cosine are means by volume.
struct SurfaceLaws {
    SurfaceLaw same;             ///< of all liquids, while the next two are empty
    std::vector<double> tension; ///< [N/m]
    std::vector<double> cosine;

    [[nodiscard]] SurfaceLaw at(std::size_t cell) const
    {
        if (tension.empty()) return same;
        return {tension[cell], std::clamp(cosine[cell], -1.0, 1.0)};
    }
};

/// `liquid` of the particles is an index into `laws`, which has at least one.
[[nodiscard]] SurfaceLaws mean_surface_laws(const TileGrid& grid, const ParticleOrder& order,
                                            std::span<const Vec3> position, std::span<const double> volume,
                                            std::span<const std::int32_t> liquid, std::span<const SurfaceLaw> laws);

} // namespace rivulet
